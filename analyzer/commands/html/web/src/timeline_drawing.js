// The lanes of a run as a chart: one for each host thread, stream and kind of a device's work. Only what a pixel can
// show is drawn: segments of one kind that touch at the current zoom are one rectangle.
import { Chart, axis, base, card, colour, custom, rectangle } from './chart.js';
import { KERNEL, kinds, siteLabel } from './data.js';
import { alternative, h, note, table } from './dom.js';
import * as f from './format.js';
import { RIGHT, drawGap, drawOutside, outsideOf, timeAxis } from './time_axis.js';
import { Tip } from './tip.js';
import { gestures, region } from './view.js';

const LANE = 22;
// Heights of blocks: of all; while a finding is chosen, of its own and of the others.
const [ALL, OWN, OTHERS] = [16, 18, 10];
const TABLE_ROWS = 200;
export const NOT_HERE = -1; // a finding is chosen, but this run does not have it
const NOWHERE = new Map();

function firstAtOrAfter(array, value) {
  let low = 0;
  let high = array.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (array[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

export class Lanes {
  // `origin` is the moment of the run at which the view's time is 0, `gap` the two ends of an idle time that is shaded.
  constructor(run, view, narrow, name) {
    Object.assign(this, { run, view, narrow, name, finding: null, gap: null, origin: 0, current: [] });
    this.place = h('div', { class: 'chart timeline', role: 'img' });
    this.tip = new Tip(this.place);
    this.element = region(view, name, this.place, this.tip.element);
    this.relane();
    this.chart = new Chart(
      this.place,
      () => this.option(),
      (instance) => this.listen(instance),
    );
    this.chart.resized = () => view.changed();
  }

  // The same as a table; `side` is the run that is meant, where there are two.
  alternative(side) {
    return alternative(`${side}The segments in view as a table`, () => this.rows());
  }

  // Returns how many lanes are not shown.
  relane() {
    const { shown, hidden } = this.view.lanesOf(this.run);
    this.lanes = shown;
    this.place.style.height = `${Math.max(3, shown.length) * LANE + 40}px`;
    this.chart?.fit();
    this.chart?.draw();
    return hidden;
  }

  // --- what is in view ---

  places() {
    if (this.finding === null) return null;
    return this.finding === NOT_HERE ? NOWHERE : this.run.marked[this.finding];
  }

  // The copies that the chosen finding may be about, but that were not checked.
  unchecked() {
    return this.run.unchecked[this.finding] ?? NOWHERE;
  }

  // Whether a segment has a call of the chosen finding, or one that may be.
  isChosen(place) {
    return this.places()?.has(place) || this.unchecked().has(place);
  }

  // The part of the run that is in view.
  range() {
    return this.view.range.map((time) => time + this.origin);
  }

  // When the chosen finding's first segment begins and its last one ends, in the run; null: it has none.
  extent() {
    if (!this.places()?.size) return null;
    let [from, to] = [Infinity, -Infinity];
    for (const lane of this.run.lanes)
      for (let i = 0; i < lane.size; i++) {
        if (!this.isChosen(lane.base + i)) continue;
        from = Math.min(from, lane.start[i]);
        to = Math.max(to, lane.end[i]);
      }
    return [from, to];
  }

  // Whether a segment is of the calls that the page is narrowed to.
  isInside(lane, i) {
    return !this.narrow.current || (lane.kind[i] !== KERNEL && this.narrow.has(lane.what[i]));
  }

  // Rectangles of one lane: [lane, start, end, kind, count, busy, bytes, first place, hot share, what, row, inside,
  // of how many the device time is modelled, how many were not checked]; start and end are the view's.
  rectangles(lane, y, pixel, out) {
    const [from, to] = this.range();
    const { origin } = this;
    const marked = this.places();
    const unchecked = this.unchecked();
    const open = new Map();
    for (let i = firstAtOrAfter(lane.start, from - lane.longest); i < lane.size && lane.start[i] < to; i++) {
      if (lane.end[i] < from || this.view.hiddenKinds.has(lane.kind[i])) continue;
      const hot = marked ? (marked.get(lane.base + i) ?? 0) : 0;
      const maybe = unchecked.get(lane.base + i) ?? 0;
      const inside = this.isInside(lane, i);
      const modelled = lane.modelled?.[i] ?? 0;
      const key = lane.kind[i] * 12 + (modelled ? 6 : 0) + (hot ? 4 : maybe ? 2 : 0) + (inside ? 1 : 0);
      const busy = lane.busy[i] || lane.end[i] - lane.start[i];
      let last = open.get(key);
      const near =
        last &&
        lane.start[i] - origin - last[2] < pixel &&
        (lane.end[i] - lane.start[i] < pixel * 2 || last[2] - last[1] < pixel * 2);
      if (!near) {
        last = [y, lane.start[i] - origin, lane.end[i] - origin, lane.kind[i], 0, 0, 0, lane.base + i, 0, lane.what[i]];
        last.push(lane.row[i], inside, 0, 0);
        open.set(key, last);
        out.push(last);
      } else if (last[9] !== lane.what[i]) {
        last[9] = -1;
      }
      last[2] = Math.max(last[2], lane.end[i] - origin);
      last[4] += lane.count[i];
      last[5] += busy;
      last[6] += lane.bytes[i];
      last[8] += hot;
      last[12] += modelled;
      last[13] += maybe;
    }
  }

  data() {
    const pixel = this.view.span / Math.max(200, this.width());
    const out = [];
    this.lanes.forEach((lane, y) => this.rectangles(lane, y, pixel, out));
    // marked ones are drawn last, over the others
    const level = (d) => (d[8] ? 2 : d[13] ? 1 : 0);
    return this.places() ? out.sort((a, b) => level(a) - level(b)) : out;
  }

  // What of the view is before the run began or after it ended.
  outside() {
    return outsideOf(this.view, this.run.first - this.origin, this.run.last - this.origin);
  }

  gaps() {
    return this.gap ? [this.gap.map((time) => time - this.origin)] : [];
  }

  left() {
    return this.place.clientWidth < 520 ? 96 : 150;
  }

  option() {
    return {
      ...base(),
      animation: false,
      aria: { show: false },
      ...timeAxis(this.view, this.left(), 4),
      yAxis: axis({
        type: 'category',
        inverse: true,
        data: this.lanes.map((lane) => lane.label),
        axisTick: { show: false },
        axisLabel: { color: colour('text'), width: this.left() - 12, overflow: 'truncate', interval: 0 },
      }),
      series: [
        custom('outside', drawOutside, { x: [0, 1] }, this.outside(), true),
        custom('gap', drawGap, { x: [0, 1] }, this.gaps(), true),
        {
          ...custom('segments', (params, api) => this.draw(params, api), { x: [1, 2], y: 0 }, this.data()),
          progressive: 0,
        },
      ],
    };
  }

  draw(params, api) {
    const data = this.current?.[params.dataIndex];
    if (!data) return null;
    const [x0, y] = api.coord([data[1], data[0]]);
    const [x1] = api.coord([data[2], data[0]]);
    const { x, y: top, width, height } = params.coordSys;
    const tall = this.height(data);
    const shape = rectangle(
      { x: x0, y: y - tall / 2, width: Math.max(1, x1 - x0), height: tall },
      { x, y: top, width, height },
    );
    return shape && { type: 'rect', shape, style: this.style(data) };
  }

  // How high a block is. It is not painted more faintly where little of its time was used, or where it is not of the
  // chosen finding: then nobody could read it.
  height(data) {
    if (data[8] || data[13]) return OWN;
    const dense = data[4] > 1 ? Math.max(0.35, Math.min(1, data[5] / (data[2] - data[1] || 1))) : 1;
    return dense * (this.places()?.size ? OTHERS : ALL);
  }

  // An outline is around what is not certain: copies that were not checked, and times that are modelled.
  style(data) {
    const marked = data[8] > 0;
    const fill = colour(marked || data[13] ? 'hot' : `kind-${kinds[data[3]].key}`);
    if (!data[11]) return { fill, opacity: 0.2 };
    if (marked) return { fill, opacity: Math.max(0.8, data[8] / data[4]) };
    const share = data[13] ? 0.25 : 1 - (0.7 * data[12]) / data[4];
    return share < 1 ? { fill, fillOpacity: share, stroke: fill, lineWidth: 1 } : { fill };
  }

  // The name of the kernel, or the call site, of a segment of a kind.
  nameOf(kind, what) {
    return (kind === KERNEL ? this.run.timeline.kernels[what] : siteLabel(this.run.sites[what])) ?? '';
  }

  hover(d) {
    const kind = kinds[d[3]];
    const { span } = this.view;
    const entry = d[3] !== KERNEL && this.run.sites[d[9]]?.entry_point;
    const single = d[4] === 1;
    return card(single ? kind.name : `${f.count(d[4])} × ${kind.name}`, [
      ['lane', this.lanes[d[0]].label],
      ['from', f.moment(d[1], span)],
      this.origin && ['in the run at', f.moment(d[1] + this.origin, span)],
      ['took', f.ns(d[5])],
      d[12] > 0 && ['modelled', single ? 'not measured' : f.count(d[12])],
      !single && ['within', f.ns(d[2] - d[1])],
      d[6] > 0 && ['moved', f.bytes(d[6])],
      d[6] > 0 && d[5] > 0 && d[3] < KERNEL && ['rate', f.rate((d[6] / d[5]) * 1e9)],
      [d[3] === KERNEL ? 'kernel' : 'at', this.nameOf(d[3], d[9])],
      ['call', entry || ''],
      single && d[10] > 0 && ['row', String(d[10])],
      d[8] > 0 && ['in the finding', f.count(d[8])],
      d[13] > 0 && ['not checked', single ? 'may be of the finding' : f.count(d[13])],
    ]);
  }

  update() {
    if (!this.chart?.instance || !this.place.clientWidth) return false; // hidden: drawn when it is shown
    if (this.chart.stale) this.chart.draw();
    this.current = this.data();
    this.chart.instance.setOption({
      xAxis: { min: this.view.range[0], max: this.view.range[1] },
      series: [
        { id: 'outside', data: this.outside() },
        { id: 'gap', data: this.gaps() },
        { id: 'segments', data: this.current },
      ],
    });
    const sum = (column) => this.current.reduce((all, d) => all + d[column], 0);
    [this.hot, this.maybe] = [sum(8), sum(13)];
    this.place.setAttribute(
      'aria-label',
      `${this.lanes.length} lanes, ${this.current.length} blocks in view` +
        `${this.finding === null ? '' : `, ${this.hot} calls of the chosen finding marked`}` +
        `${this.maybe ? `, and ${this.maybe} that were not checked` : ''}`,
    );
    return true;
  }

  listen(instance) {
    const renderer = instance.getZr();
    gestures(renderer, this.view, {
      left: () => this.left(),
      width: () => this.width(),
      lowest: () => this.place.clientHeight - 22,
      still: (x, y) => this.point(x, y),
      gone: () => this.tip.hide(),
    });
    renderer.on('dblclick', (event) => {
      const at = this.nearest(event.offsetX, event.offsetY);
      if (at) this.view.show(at[1] - (at[2] - at[1]), at[2] + (at[2] - at[1]));
    });
    this.view.changed();
  }

  // The block under the pointer or within a few pixels of it: many are one pixel wide.
  nearest(x, y) {
    const [time, lane] = this.chart.instance.convertFromPixel({ gridIndex: 0 }, [x, y]);
    const pixel = this.view.span / this.width();
    if (!(lane >= 0) || lane >= this.lanes.length || x < this.left() - 5) return null;
    let best = null;
    let least = 5 * pixel;
    for (const d of this.current) {
      if (d[0] !== Math.round(lane)) continue;
      const away = Math.max(d[1] - time, time - d[2], 0);
      if (away <= least) [best, least] = [d, away];
    }
    return best;
  }

  point(x, y) {
    const at = this.nearest(x, y);
    if (at) this.tip.show(this.hover(at), x, y);
    else this.tip.hide();
  }

  width() {
    return Math.max(1, this.place.clientWidth - this.left() - RIGHT);
  }

  rows() {
    const [from, to] = this.range();
    const marked = this.places();
    const rows = [];
    let all = 0;
    for (const lane of this.lanes) {
      for (let i = firstAtOrAfter(lane.start, from - lane.longest); i < lane.size && lane.start[i] < to; i++) {
        if (lane.end[i] < from || this.view.hiddenKinds.has(lane.kind[i])) continue;
        if ((marked && !this.isChosen(lane.base + i)) || !this.isInside(lane, i)) continue;
        all++;
        if (rows.length < TABLE_ROWS) rows.push([lane, i]);
      }
    }
    const among = marked ? ' of the chosen finding' : '';
    return [
      note(
        all > rows.length
          ? `The first ${rows.length} of ${f.count(all)} in view${among}; zoom in for others.`
          : `${f.times(all, 'segment', 'segments')} in view${among}.`,
      ),
      table(
        `${this.name}: segments in view`,
        [
          { title: 'Lane', text: ([lane]) => lane.label },
          { title: 'What', text: ([lane, i]) => kinds[lane.kind[i]].name },
          { title: 'Calls', number: true, text: ([lane, i]) => f.count(lane.count[i]) },
          { title: 'From', number: true, text: ([lane, i]) => f.moment(lane.start[i], to - from) },
          {
            title: 'Took',
            number: true,
            text: ([lane, i]) =>
              `${lane.modelled?.[i] ? '~' : ''}${f.ns(lane.busy[i] || lane.end[i] - lane.start[i])}`,
          },
          { title: 'Moved', number: true, text: ([lane, i]) => (lane.bytes[i] ? f.bytes(lane.bytes[i]) : '') },
          { title: 'Where', text: ([lane, i]) => this.nameOf(lane.kind[i], lane.what[i]) },
          { title: 'Row', number: true, text: ([lane, i]) => lane.row[i] || '' },
          this.unchecked().size && {
            title: 'Checked',
            text: ([lane, i]) => (marked.has(lane.base + i) ? 'yes' : 'no'),
          },
        ].filter(Boolean),
        rows,
      ),
    ];
  }

  dispose() {
    this.tip.dispose();
    this.chart.dispose();
  }
}
