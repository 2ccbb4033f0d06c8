// What lay in a buffer and when: an allocation's bytes upwards, time to the right, a colour for each content. A content
// that comes back has its colour again. The time in view is the timeline's, and the chosen finding is marked.
import { Chart, axis, base, card, colour, custom, rectangle, tooltip } from './chart.js';
import { alternative, announce, empty, fill, h, link, mono, note, panel, table } from './dom.js';
import * as f from './format.js';
import { Minimap } from './minimap.js';
import { numberOf, remember } from './state.js';
import { RIGHT, drawOutside, outsideOf, timeAxis } from './time_axis.js';
import { buttons, gestures, region } from './view.js';

const HOW = [
  'upload',
  'memset',
  'copy from device memory',
  'a kernel, as a download shows',
  'several, one after the other',
];
const COLOURS = 8;
const LEFT = 74;
const MARK = 6; // height of what marks the finding
// what a piece of the document is made of
const [BEGIN, END, CHANGED, OFFSET, BYTES, WRITES, READS, ROW, CONTENT, BY, SITE] = Array(11).keys();

export class Buffers {
  constructor(selection) {
    const { run, view } = selection;
    Object.assign(this, { selection, run, view, ids: new Map(), list: [], buffer: null });
    this.place = h('div', { class: 'chart tall', role: 'img' });
    [this.about, this.away, this.marked] = [note(), note(), note()];
    this.choose = h('select', { 'aria-label': 'Buffer', onchange: () => this.pick(this.choose.selectedIndex) });
    this.minimap = new Minimap(run, view);
    this.range = h('span', { class: 'range' });
    this.findingButton = h('button', { type: 'button', onclick: () => selection.fit() }, 'Finding');
    const life = h('button', { type: 'button', onclick: () => this.live() }, 'Life of the buffer');
    this.asTable = alternative('As a table', () => this.rows());
    this.none = empty();
    this.body = h(
      'div',
      {},
      this.minimap.element,
      region(view, 'Contents over time', this.place),
      this.about,
      this.away,
      this.marked,
      note(this.leftOut()),
      this.asTable,
    );
    this.zoom = buttons(view, 'Whole run', life, this.findingButton);
    this.element = panel(
      'Buffers',
      h('div', { class: 'row' }, h('h2', {}, 'What lay in a buffer'), this.choose, this.range, this.zoom),
      this.none,
      this.body,
    );
    this.restore();
    this.chart = new Chart(
      this.place,
      () => this.option(),
      (instance) => this.listen(instance),
    );
    this.chart.resized = () => this.viewed();
  }

  leftOut() {
    const { buffers, allocations } = this.run.residency;
    return allocations > buffers.length
      ? `The ${buffers.length} allocations that most was copied to and from, of ${f.count(allocations)}.`
      : '';
  }

  // --- which buffer ---

  // How many calls of the chosen finding concern a buffer, and when, but not of every finding; null: none does.
  use(buffer) {
    const of = buffer.findings.find(([index]) => index === this.selection.finding);
    return of ? { calls: of[1], times: of[2] } : null;
  }

  // The buffer that most of the chosen finding concerns, else the first.
  get fitting() {
    const calls = (buffer) => this.use(buffer)?.calls ?? 0;
    return [...this.list].sort((a, b) => calls(b) - calls(a))[0] ?? null;
  }

  // Lists the buffers that calls copied to or from; only those calls to which the page is narrowed.
  relist() {
    const { narrow } = this.selection;
    const all = this.run.residency.buffers;
    this.list = narrow.current ? all.filter((buffer) => buffer.sites.some(([site]) => narrow.has(site))) : all;
    for (const element of [this.body, this.choose, this.zoom, this.range]) element.hidden = !this.list.length;
    this.none.hidden = this.list.length > 0;
    fill(
      this.none,
      all.length
        ? 'The calls to which the page is narrowed copied to and from none of the buffers that the page has.'
        : 'No transfer concerned an allocation whose beginning the trace has.',
    );
  }

  // What a link says, else what fits the finding.
  restore() {
    this.relist();
    const wanted = this.run.residency.buffers[(numberOf('buffer') ?? 0) - 1];
    this.show(this.list.includes(wanted) ? wanted : this.fitting);
  }

  pick(index) {
    this.show(this.list[index]);
    const number = this.run.residency.buffers.indexOf(this.buffer) + 1;
    remember({ buffer: this.buffer === this.fitting ? null : number });
    announce('Another buffer is shown');
  }

  // Another finding brings its buffer.
  chosen() {
    remember({ buffer: null });
    this.show(this.fitting);
  }

  narrowed() {
    this.relist();
    this.show(this.list.includes(this.buffer) ? this.buffer : this.fitting);
  }

  get end() {
    return this.buffer.end_ns ?? this.run.last;
  }

  live() {
    this.view.show(this.buffer.begin_ns, this.end);
  }

  name(buffer) {
    const use = this.use(buffer);
    return (
      `${f.bytes(buffer.bytes)} at ${buffer.address}${buffer.label ? `, ${buffer.label}` : ''}` +
      ` — ${f.times(buffer.transfers, 'transfer', 'transfers')}` +
      (use ? `, ${f.count(use.calls)} of ${this.selection.chosen.name}` : '')
    );
  }

  // --- what is said of it ---

  // Contents are numbered in the order in which they come, for this buffer alone.
  number() {
    this.ids = new Map();
    for (const piece of this.buffer.pieces)
      if (piece[CONTENT] >= 0 && !this.ids.has(piece[CONTENT])) this.ids.set(piece[CONTENT], this.ids.size + 1);
  }

  what(piece) {
    if (piece[CONTENT] >= 0) return `content ${this.ids.get(piece[CONTENT])}`;
    return { 4: 'several contents', 1: 'memset' }[piece[BY]] ?? 'content not known';
  }

  // Says which content was uploaded most often, if it was uploaded more than once.
  conclusion() {
    const uploads = new Map();
    for (const piece of this.buffer.pieces) {
      if (piece[CONTENT] < 0 || piece[BY] !== 0) continue;
      const key = `${piece[CONTENT]} ${piece[BYTES]}`;
      const known = uploads.get(key) ?? { bytes: piece[BYTES], times: 0, content: piece[CONTENT] };
      known.times += piece[WRITES];
      uploads.set(key, known);
    }
    const [most] = [...uploads.values()].sort((a, b) => b.times * b.bytes - a.times * a.bytes || b.times - a.times);
    return most?.times > 1
      ? `The same ${f.bytes(most.bytes)} (content ${this.ids.get(most.content)}) were uploaded ` +
          `${f.count(most.times)} times. `
      : '';
  }

  describe() {
    const { buffer, ids, run } = this;
    const back = buffer.pieces.length - ids.size;
    const pale = buffer.pieces.some((piece) => piece[CHANGED]);
    fill(
      this.about,
      h('strong', {}, this.conclusion()),
      `${f.times(buffer.pieces.length, 'piece', 'pieces')} of ` +
        `${f.times(ids.size, 'known content', 'known contents')}. ` +
        `Allocated at ${f.moment(buffer.begin_ns, run.duration)}${buffer.label ? ` by ${buffer.label}` : ''} ` +
        `(${buffer.entry_point}), ` +
        `${buffer.end_ns === null ? 'never freed' : `freed at ${f.moment(buffer.end_ns, run.duration)}`}. `,
      back > 0 && ids.size ? 'Equal numbers and colours are equal bytes. ' : '',
      pale ? 'Pale: a kernel was given a pointer and may have changed it. ' : '',
      'Shaded: before it was allocated and after it was freed.',
      buffer.events_left_out ? ' Too much happened to show all of it.' : '',
    );
    const { chosen } = this.selection;
    const use = this.use(buffer);
    const there = link(chosen?.name, () => this.selection.open('findings'));
    fill(
      this.marked,
      !chosen
        ? ''
        : use
          ? [
              h('span', { class: 'swatch tick' }),
              ` ${f.times(use.calls, 'call', 'calls')} of `,
              there,
              use.times.length ? ', at the bottom of the chart.' : ', which the chart does not mark.',
            ]
          : ['No call of ', there, ' concerns this buffer.'],
    );
    this.place.setAttribute(
      'aria-label',
      `What lay in the buffer of ${f.bytes(buffer.bytes)}: ${buffer.pieces.length} pieces`,
    );
  }

  show(buffer) {
    if (!buffer) return;
    this.buffer = buffer;
    fill(
      this.choose,
      this.list.map((one) => h('option', {}, this.name(one))),
    );
    this.choose.selectedIndex = this.list.indexOf(buffer);
    this.findingButton.disabled = !this.run.marked[this.selection.finding]?.size;
    this.number();
    this.describe();
    this.asTable.refresh();
    this.chart?.draw();
    this.viewed();
  }

  // --- the chart ---

  // The part in view has changed.
  viewed() {
    const { buffer, view, chart } = this;
    if (!buffer) return;
    const { range } = view;
    fill(this.range, view.words);
    const away = range[1] <= buffer.begin_ns || range[0] >= this.end;
    this.away.hidden = !away;
    if (away) fill(this.away, 'The buffer was not there in the time that is shown: “Life of the buffer” goes there.');
    if (!chart?.instance || !this.place.clientWidth) return; // hidden: drawn when it is shown
    if (chart.stale) chart.draw();
    this.minimap.place(LEFT, RIGHT, this.selection.finding);
    chart.instance.setOption({
      xAxis: { min: range[0], max: range[1] },
      series: [{ id: 'outside', data: this.outside() }],
    });
  }

  shown() {
    this.viewed();
  }

  outside() {
    return outsideOf(this.view, this.buffer.begin_ns, this.end);
  }

  paint(piece) {
    if (piece[CONTENT] >= 0) return colour(`content-${(this.ids.get(piece[CONTENT]) - 1) % COLOURS}`);
    return colour({ 4: 'several', 1: 'kind-memset' }[piece[BY]] ?? 'unknown');
  }

  drawPiece(params, api) {
    const piece = this.buffer.pieces[params.dataIndex];
    const { x, y, width, height } = params.coordSys;
    const area = { x, y, width, height };
    const [x0, y0] = api.coord([piece[BEGIN], piece[OFFSET] + piece[BYTES]]);
    const [x1, y1] = api.coord([piece[END], piece[OFFSET]]);
    const tall = Math.max(1, y1 - y0 - 0.5);
    const shape = rectangle({ x: x0, y: y0, width: Math.max(1, x1 - x0 - 0.5), height: tall }, area);
    if (!shape) return null;
    const { narrow } = this.selection;
    const opacity = narrow.current && !narrow.has(piece[SITE]) ? 0.25 : 1;
    const children = [{ type: 'rect', shape, style: { fill: this.paint(piece), opacity } }];
    if (piece[CHANGED] && piece[CHANGED] < piece[END]) {
      // from here on a kernel may have changed it
      const [xc] = api.coord([Math.max(piece[CHANGED], piece[BEGIN]), piece[OFFSET]]);
      const changed = rectangle({ x: xc, y: y0, width: Math.max(1, x1 - xc - 0.5), height: tall }, area);
      if (changed) children.push({ type: 'rect', shape: changed, style: { fill: colour('panel'), opacity: 0.55 } });
    }
    const digits = piece[CONTENT] >= 0 ? `${this.ids.get(piece[CONTENT])}` : '';
    if (digits && shape.width > 22 && shape.height > 14)
      children.push({
        type: 'text',
        style: {
          x: shape.x + 5,
          y: shape.y + shape.height / 2,
          text: digits,
          fill: colour('on-content'),
          font: '11px system-ui',
          textVerticalAlign: 'middle',
        },
      });
    return { type: 'group', children };
  }

  drawMark(params, api) {
    const { x, y, width, height } = params.coordSys;
    const [at] = api.coord([api.value(0), 0]);
    const shape = rectangle(
      { x: at, y: y + height - MARK, width: 2, height: MARK },
      { x, y, width: width + 2, height },
    );
    return shape && { type: 'rect', shape, style: { fill: colour('hot') } };
  }

  marks() {
    let at = 0;
    return (this.use(this.buffer)?.times ?? []).map((later) => [(at += later), 0]);
  }

  option() {
    const { buffer } = this;
    return {
      ...base(),
      animation: false,
      tooltip: tooltip(this.place, (item) => {
        const piece = item.seriesId === 'pieces' && buffer.pieces[item.dataIndex];
        return piece ? card(this.what(piece), this.pairs(piece)) : '';
      }),
      ...timeAxis(this.view, LEFT, 10),
      yAxis: axis({
        type: 'value',
        min: 0,
        max: buffer.bytes,
        interval: buffer.bytes / 4,
        axisLabel: { formatter: (value) => f.bytes(value) },
      }),
      series: [
        custom('outside', drawOutside, { x: [0, 1] }, this.outside(), true),
        custom(
          'pieces',
          (params, api) => this.drawPiece(params, api),
          { x: [0, 1], y: [3] },
          buffer.pieces.map((piece) => piece.slice(0, 5)),
        ),
        custom('marks', (params, api) => this.drawMark(params, api), { x: [0], y: [1] }, this.marks(), true),
      ],
    };
  }

  listen(instance) {
    gestures(instance.getZr(), this.view, {
      left: () => LEFT,
      width: () => Math.max(1, this.place.clientWidth - LEFT - RIGHT),
      lowest: () => this.place.clientHeight - 22,
      gone: () => instance.dispatchAction({ type: 'hideTip' }),
    });
    this.viewed();
  }

  pairs(piece) {
    const { duration } = this.run;
    return [
      ['from', f.moment(piece[BEGIN], duration)],
      ['until', f.moment(piece[END], duration)],
      ['bytes', `${f.bytes(piece[BYTES])} at offset ${f.bytes(piece[OFFSET])}`],
      ['brought by', HOW[piece[BY]]],
      ['at', this.run.sites[piece[SITE]]?.label ?? ''],
      ['written', f.times(piece[WRITES], 'time', 'times')],
      ['read back', piece[READS] ? f.times(piece[READS], 'time', 'times') : 'never'],
      ['may have changed', piece[CHANGED] ? `from ${f.moment(piece[CHANGED], duration)} on` : 'no'],
      ['fingerprint', piece[CONTENT] >= 0 ? this.run.residency.contents[piece[CONTENT]] : ''],
      ['row', piece[ROW] ? String(piece[ROW]) : ''],
    ];
  }

  rows() {
    const { duration, residency } = this.run;
    return table(
      'What lay in the buffer',
      [
        { title: 'Content', text: (piece) => this.what(piece) },
        { title: 'From', number: true, text: (piece) => f.moment(piece[BEGIN], duration) },
        { title: 'Until', number: true, text: (piece) => f.moment(piece[END], duration) },
        { title: 'Offset', number: true, text: (piece) => f.bytes(piece[OFFSET]) },
        { title: 'Bytes', number: true, text: (piece) => f.bytes(piece[BYTES]) },
        { title: 'Brought by', text: (piece) => HOW[piece[BY]] },
        { title: 'Written', number: true, text: (piece) => f.count(piece[WRITES]) },
        { title: 'Read', number: true, text: (piece) => f.count(piece[READS]) },
        {
          title: 'Fingerprint',
          cell: (piece) => (piece[CONTENT] >= 0 ? mono(residency.contents[piece[CONTENT]]) : ''),
        },
      ],
      this.buffer.pieces,
    );
  }

  dispose() {
    this.minimap.dispose();
    this.chart.dispose();
  }
}
