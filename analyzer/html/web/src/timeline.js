// The timeline: a lane for each host thread, stream and kind of a device's work. Only what a pixel can show is drawn:
// segments of one kind that touch at the current zoom are one rectangle.
import { Chart, axis, base, card, colour, rectangle } from './chart.js';
import { KERNEL, kinds, siteLabel } from './data.js';
import { alternative, announce, fill, h, reducedMotion, table } from './dom.js';
import * as f from './format.js';
import { Minimap } from './minimap.js';
import { numberOf, remember } from './state.js';

const LANE = 22;
const GROUPS = [
  ['thread', 'Host threads'],
  ['stream', 'Streams'],
  ['engine', 'Devices'],
];
const LANES_AT_FIRST = 8;
const TABLE_ROWS = 200;
const RIGHT = 14; // free at the right of the lanes

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

export class Timeline {
  constructor(run, narrow) {
    Object.assign(this, { run, narrow, finding: null, hiddenKinds: new Set(), hiddenGroups: new Set(), all: false });
    this.range = this.rangeOfLink();
    this.place = h('div', { class: 'chart timeline', role: 'img' });
    this.tip = h('div', { class: 'tip', hidden: true });
    this.minimap = new Minimap(run, (from, to) => this.show(from, to, true));
    this.region = h(
      'div',
      {
        class: 'timeline-region',
        tabindex: 0,
        role: 'application',
        'aria-roledescription': 'timeline',
        onkeydown: (event) => this.key(event),
        'aria-label':
          'Timeline. Left and right arrow keys pan, plus and minus zoom, 0 shows the whole run, F the chosen finding.',
      },
      this.place,
      this.tip,
    );
    this.where = h('span', { class: 'where', id: 'where' });
    this.more = h('button', {
      type: 'button',
      onclick: () => {
        this.all = !this.all;
        this.relane();
      },
    });
    this.table = alternative('The segments in view as a table', () => this.rows());
    this.findingButton = h('button', { type: 'button', disabled: true, onclick: () => this.fit() }, 'Finding');
    this.element = h(
      'section',
      { class: 'panel', 'aria-label': 'Timeline' },
      this.toolbar(),
      this.minimap.element,
      this.region,
      this.notes(),
      this.table,
    );
    this.relane();
    this.chart = new Chart(
      this.place,
      () => this.option(),
      (instance) => this.listen(instance),
    );
    this.chart.resized = () => this.update();
  }

  // The part of the run that a link shows, else all of it.
  rangeOfLink() {
    const [from, to] = [numberOf('from'), numberOf('to')];
    const { first, last } = this.run;
    return from !== null && to !== null && from >= first && to <= last && to - from >= 20 ? [from, to] : [first, last];
  }

  restore() {
    this.show(...this.rangeOfLink(), true);
  }

  toolbar() {
    const button = (label, title, action) =>
      h('button', { type: 'button', title, 'aria-label': title, onclick: action }, label);
    const present = new Set();
    for (const lane of this.run.lanes) for (const kind of lane.kind) present.add(kind);
    const filters = kinds
      .map((kind, i) => [kind, i])
      .filter(([, i]) => present.has(i))
      .map(([kind, i]) => {
        const box = h('input', {
          type: 'checkbox',
          checked: true,
          onchange: () => this.toggle(this.hiddenKinds, i, box.checked),
        });
        return h('label', { class: 'key' }, box, h('span', { class: `swatch kind-${kind.key}` }), kind.name);
      });
    const groups = GROUPS.filter(([key]) => this.run.lanes.some((lane) => lane.group === key)).map(([key, name]) => {
      const box = h('input', {
        type: 'checkbox',
        checked: true,
        onchange: () => {
          this.toggle(this.hiddenGroups, key, box.checked);
          this.relane();
        },
      });
      return h('label', { class: 'key' }, box, name);
    });
    return h(
      'div',
      { class: 'tools' },
      h(
        'div',
        { class: 'row' },
        h('h2', {}, 'Timeline'),
        this.where,
        h(
          'div',
          { class: 'buttons', role: 'group', 'aria-label': 'Zoom and pan' },
          button('−', 'Zoom out', () => this.zoom(2)),
          button('+', 'Zoom in', () => this.zoom(0.5)),
          button('←', 'Pan left', () => this.pan(-0.25)),
          button('→', 'Pan right', () => this.pan(0.25)),
          button('Whole run', 'Show the whole run', () => this.show(this.run.first, this.run.last)),
          this.findingButton,
        ),
      ),
      h(
        'div',
        { class: 'keys', role: 'group', 'aria-label': 'What is shown' },
        filters,
        h('span', { class: 'gap' }),
        groups,
        this.more,
      ),
    );
  }

  notes() {
    const step = this.run.timeline.step_ns;
    return h(
      'p',
      { class: 'note' },
      step
        ? `The trace has too many calls to show each: those of one kind within ${f.ns(step)} are one block, ` +
            'as dense as the time in it was used. '
        : '',
      this.run.lanes.some((lane) => lane.modelled?.some((count) => count > 0))
        ? 'Lighter blocks are modelled, because only windows of the run have device times. '
        : '',
      'Drag pans, Ctrl and the wheel zoom; with the keyboard: arrows, +, −, 0.',
    );
  }

  toggle(set, key, shown) {
    if (shown) set.delete(key);
    else set.add(key);
    this.update();
  }

  // --- lanes ---

  relane() {
    const shown = [];
    let hidden = 0;
    for (const [group] of GROUPS) {
      const lanes = this.run.lanes.filter((lane) => lane.group === group);
      if (this.hiddenGroups.has(group)) continue;
      const busiest = [...lanes].sort((a, b) => b.size - a.size).slice(0, LANES_AT_FIRST);
      const these = this.all ? lanes : lanes.filter((lane) => busiest.includes(lane));
      hidden += lanes.length - these.length;
      shown.push(...these);
    }
    this.lanes = shown;
    fill(this.more, this.all ? 'Fewer lanes' : `${hidden} more lanes`);
    this.more.hidden = !this.all && !hidden;
    this.place.style.height = `${Math.max(3, shown.length) * LANE + 40}px`;
    this.chart?.fit();
    this.chart?.draw();
    this.update();
  }

  // --- what is in view ---

  places() {
    return this.finding === null ? null : this.run.marked[this.finding];
  }

  // Whether a segment is of the calls that the page is narrowed to.
  isInside(lane, i) {
    return !this.narrow.current || (lane.kind[i] !== KERNEL && this.narrow.has(lane.what[i]));
  }

  // Rectangles of one lane: [lane, start, end, kind, count, busy, bytes, first place, hot share, what, row, inside,
  // of how many the device time is modelled]
  rectangles(lane, y, pixel, out) {
    const [from, to] = this.range;
    const marked = this.places();
    const open = new Map();
    for (let i = firstAtOrAfter(lane.start, from - lane.longest); i < lane.size && lane.start[i] < to; i++) {
      if (lane.end[i] < from || this.hiddenKinds.has(lane.kind[i])) continue;
      const hot = marked ? (marked.get(lane.base + i) ?? 0) : 0;
      const inside = this.isInside(lane, i);
      const modelled = lane.modelled?.[i] ?? 0;
      const key = lane.kind[i] * 8 + (modelled ? 4 : 0) + (hot ? 2 : 0) + (inside ? 1 : 0);
      const busy = lane.busy[i] || lane.end[i] - lane.start[i];
      let last = open.get(key);
      const near =
        last &&
        lane.start[i] - last[2] < pixel &&
        (lane.end[i] - lane.start[i] < pixel * 2 || last[2] - last[1] < pixel * 2);
      if (!near) {
        last = [y, lane.start[i], lane.end[i], lane.kind[i], 0, 0, 0, lane.base + i, 0, lane.what[i], lane.row[i]];
        last.push(inside, 0);
        open.set(key, last);
        out.push(last);
      } else if (last[9] !== lane.what[i]) {
        last[9] = -1;
      }
      last[2] = Math.max(last[2], lane.end[i]);
      last[4] += lane.count[i];
      last[5] += busy;
      last[6] += lane.bytes[i];
      last[8] += hot;
      last[12] += modelled;
    }
  }

  data() {
    const width = Math.max(200, this.place.clientWidth - this.left() - RIGHT);
    const pixel = (this.range[1] - this.range[0]) / width;
    const out = [];
    this.lanes.forEach((lane, y) => this.rectangles(lane, y, pixel, out));
    // marked ones are drawn last, over the others
    return this.places() ? out.filter((d) => !d[8]).concat(out.filter((d) => d[8])) : out;
  }

  left() {
    return this.place.clientWidth < 520 ? 96 : 150;
  }

  option() {
    return {
      ...base(),
      animation: false,
      aria: { show: false },
      // exactly there, whatever a label needs: the strip above has the same ends
      grid: { left: this.left(), right: RIGHT, top: 4, bottom: 26, outerBoundsMode: 'none' },
      // The only zoom is that of the axis's two ends: a zoom of the chart's own on top of them would zoom twice.
      xAxis: axis({
        type: 'value',
        min: this.range[0],
        max: this.range[1],
        axisLabel: {
          formatter: (value) => f.moment(value, this.range[1] - this.range[0]),
          hideOverlap: true,
          // the ends are no round numbers; the title has them
          showMinLabel: false,
          showMaxLabel: false,
        },
      }),
      yAxis: axis({
        type: 'category',
        inverse: true,
        data: this.lanes.map((lane) => lane.label),
        axisTick: { show: false },
        axisLabel: { color: colour('text'), width: this.left() - 12, overflow: 'truncate', interval: 0 },
      }),
      series: [
        {
          id: 'segments',
          type: 'custom',
          clip: true,
          encode: { x: [1, 2], y: 0 },
          renderItem: (params, api) => this.draw(params, api),
          data: this.data(),
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
    const area = params.coordSys;
    const hot = data[8] > 0;
    const shape = rectangle(
      { x: x0, y: y - LANE / 2 + 3, width: Math.max(1, x1 - x0), height: LANE - 6 },
      { x: area.x, y: area.y, width: area.width, height: area.height },
    );
    if (!shape) return null;
    const dense = data[4] > 1 ? Math.max(0.35, Math.min(1, data[5] / (data[2] - data[1] || 1))) : 1;
    const lighter = dense * (1 - (0.5 * data[12]) / data[4]);
    const dimmed = !data[11] ? 0.12 : this.finding !== null && !hot ? 0.22 : lighter;
    return {
      type: 'rect',
      shape,
      style: {
        fill: colour(hot ? 'hot' : `kind-${kinds[data[3]].key}`),
        opacity: hot && data[11] ? Math.max(0.6, data[8] / data[4]) : dimmed,
      },
    };
  }

  hover(d) {
    const kind = kinds[d[3]];
    const span = this.range[1] - this.range[0];
    const of = d[3] === KERNEL ? this.run.timeline.kernels[d[9]] : siteLabel(this.run.sites[d[9]]);
    const entry = d[3] !== KERNEL && this.run.sites[d[9]]?.entry_point;
    const single = d[4] === 1;
    return card(single ? kind.name : `${f.count(d[4])} × ${kind.name}`, [
      ['lane', this.lanes[d[0]].label],
      ['from', f.moment(d[1], span)],
      ['took', f.ns(d[5])],
      d[12] > 0 && ['modelled', single ? 'not measured' : f.count(d[12])],
      !single && ['within', f.ns(d[2] - d[1])],
      d[6] > 0 && ['moved', f.bytes(d[6])],
      d[6] > 0 && d[5] > 0 && d[3] < KERNEL && ['rate', f.rate((d[6] / d[5]) * 1e9)],
      [d[3] === KERNEL ? 'kernel' : 'at', of ?? ''],
      ['call', entry || ''],
      single && d[10] > 0 && ['row', String(d[10])],
      d[8] > 0 && ['in the finding', f.count(d[8])],
    ]);
  }

  update() {
    if (this.where)
      fill(
        this.where,
        `${f.moment(this.range[0], this.range[1] - this.range[0])} – ` +
          f.moment(this.range[1], this.range[1] - this.range[0]),
      );
    if (!this.chart?.instance || !this.place.clientWidth) return; // hidden: drawn when it is shown
    this.current = this.data();
    const whole = this.range[0] <= this.run.first && this.range[1] >= this.run.last;
    remember({ from: whole ? null : Math.round(this.range[0]), to: whole ? null : Math.round(this.range[1]) });
    this.minimap.place(this.left(), RIGHT, this.range, this.finding);
    this.chart.instance.setOption({
      xAxis: { min: this.range[0], max: this.range[1] },
      series: [{ id: 'segments', data: this.current }],
    });
    this.element.dataset.from = this.range[0];
    this.element.dataset.to = this.range[1];
    this.element.dataset.drawn = this.current.length;
    this.element.dataset.hot = this.current.filter((d) => d[8] > 0).reduce((sum, d) => sum + d[8], 0);
    this.place.setAttribute(
      'aria-label',
      `${this.lanes.length} lanes, ${this.current.length} blocks in view` +
        `${this.finding === null ? '' : `, ${this.element.dataset.hot} calls of the chosen finding marked`}`,
    );
    this.table.refresh();
  }

  // --- zoom and pan ---

  show(from, to, quietly) {
    const { first, last } = this.run;
    const span = Math.min(Math.max(to - from, 20), last - first);
    const start = Math.min(Math.max(from, first), last - span);
    this.range = [start, start + span];
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.update();
    });
    if (!quietly) announce(`Timeline shows ${f.moment(start, span)} to ${f.moment(start + span, span)}`);
  }

  zoom(factor, at = 0.5) {
    const span = this.range[1] - this.range[0];
    const centre = this.range[0] + span * at;
    this.show(centre - span * factor * at, centre + span * factor * (1 - at));
  }

  pan(share) {
    const by = (this.range[1] - this.range[0]) * share;
    this.show(this.range[0] + by, this.range[1] + by);
  }

  // The chosen finding's segments, with some room.
  fit() {
    const places = this.places();
    if (!places?.size) return;
    let from = Infinity;
    let to = -Infinity;
    for (const lane of this.run.lanes) {
      for (let i = 0; i < lane.size; i++) {
        if (!places.has(lane.base + i)) continue;
        from = Math.min(from, lane.start[i]);
        to = Math.max(to, lane.end[i]);
      }
    }
    const room = (to - from) * 0.05;
    this.show(from - room, to + room);
  }

  // A row of a finding's evidence, with what the device did of it and what is around it.
  reveal(row) {
    let [from, to] = [row.enter_ns, row.return_ns ?? row.enter_ns];
    for (const lane of this.run.lanes) {
      if (row.table !== 'transfer') break;
      for (let i = 0; i < lane.size; i++) {
        if (lane.row[i] !== row.row || lane.kind[i] >= KERNEL) continue;
        from = Math.min(from, lane.start[i]);
        to = Math.max(to, lane.end[i]);
      }
    }
    const room = Math.max((to - from) * 2, (this.run.last - this.run.first) / 5000, 10000);
    this.show(from - room, to + room);
    this.element.scrollIntoView({ block: 'nearest', behavior: reducedMotion() ? 'auto' : 'smooth' });
  }

  key(event) {
    const actions = {
      ArrowLeft: () => this.pan(-0.2),
      ArrowRight: () => this.pan(0.2),
      '+': () => this.zoom(0.5),
      '=': () => this.zoom(0.5),
      '-': () => this.zoom(2),
      0: () => this.show(this.run.first, this.run.last),
      Home: () => this.pan(-1e9),
      End: () => this.pan(1e9),
      f: () => this.fit(),
      F: () => this.fit(),
    };
    const action = event.ctrlKey || event.altKey || event.metaKey ? null : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  listen(instance) {
    const renderer = instance.getZr();
    renderer.on('mousewheel', (event) => {
      if (!event.event.ctrlKey) return;
      event.stop();
      this.zoom(event.wheelDelta > 0 ? 0.7 : 1.43, this.share(event.offsetX));
    });
    let grabbed = null;
    renderer.on('mousedown', (event) => {
      if (event.offsetY < this.place.clientHeight - 22) grabbed = { x: event.offsetX, range: this.range };
    });
    renderer.on('mousemove', (event) => {
      if (!grabbed) {
        this.point(event.offsetX, event.offsetY);
        return;
      }
      this.tip.hidden = true;
      const by = ((grabbed.x - event.offsetX) / this.width()) * (grabbed.range[1] - grabbed.range[0]);
      this.show(grabbed.range[0] + by, grabbed.range[1] + by, true);
    });
    for (const end of ['mouseup', 'globalout']) {
      renderer.on(end, () => {
        grabbed = null;
        if (end === 'globalout') this.tip.hidden = true;
      });
    }
    renderer.on('dblclick', (event) => {
      const at = this.nearest(event.offsetX, event.offsetY);
      if (at) this.show(at[1] - (at[2] - at[1]), at[2] + (at[2] - at[1]));
    });
    this.update();
  }

  // The block under the pointer or within a few pixels of it: many are one pixel wide.
  nearest(x, y) {
    const [time, lane] = this.chart.instance.convertFromPixel({ gridIndex: 0 }, [x, y]);
    const pixel = (this.range[1] - this.range[0]) / this.width();
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
    this.tip.hidden = !at;
    if (!at) return;
    fill(this.tip, this.hover(at));
    const { clientWidth, clientHeight } = this.region;
    this.tip.style.left = `${Math.max(4, Math.min(x + 14, clientWidth - this.tip.offsetWidth - 4))}px`;
    const { offsetHeight } = this.tip;
    const above = y + 24 + offsetHeight > clientHeight && y > offsetHeight;
    this.tip.style.top = `${above ? y - offsetHeight - 8 : y + 24}px`;
  }

  width() {
    return Math.max(1, this.place.clientWidth - this.left() - RIGHT);
  }
  share(x) {
    return Math.min(1, Math.max(0, (x - this.left()) / this.width()));
  }

  choose(finding) {
    this.finding = finding;
    this.findingButton.disabled = finding === null || !this.run.marked[finding]?.size;
    this.update();
  }

  rows() {
    const [from, to] = this.range;
    const marked = this.places();
    const rows = [];
    let all = 0;
    for (const lane of this.lanes) {
      for (let i = firstAtOrAfter(lane.start, from - lane.longest); i < lane.size && lane.start[i] < to; i++) {
        if (lane.end[i] < from || this.hiddenKinds.has(lane.kind[i])) continue;
        if ((marked && !marked.has(lane.base + i)) || !this.isInside(lane, i)) continue;
        all++;
        if (rows.length < TABLE_ROWS) rows.push([lane, i]);
      }
    }
    const of = ([lane, i]) =>
      (lane.kind[i] === KERNEL ? this.run.timeline.kernels[lane.what[i]] : siteLabel(this.run.sites[lane.what[i]])) ??
      '';
    return [
      h(
        'p',
        { class: 'note' },
        all > rows.length
          ? `The first ${rows.length} of ${f.count(all)} in view${marked ? ' of the chosen finding' : ''}; ` +
              'zoom in for others.'
          : `${f.times(all, 'segment', 'segments')} in view${marked ? ' of the chosen finding' : ''}.`,
      ),
      table(
        'Segments in view',
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
          { title: 'Where', text: of },
          { title: 'Row', number: true, text: ([lane, i]) => lane.row[i] || '' },
        ],
        rows,
      ),
    ];
  }

  dispose() {
    this.minimap.dispose();
    this.chart.dispose();
  }
}
