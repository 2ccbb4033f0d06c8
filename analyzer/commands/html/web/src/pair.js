// The timelines of two runs under each other: one scale for both, and whatever is zoomed or moved is so in both.
import { KERNEL } from './data.js';
import { dim, fill, h, mono, note, panel } from './dom.js';
import * as f from './format.js';
import { Lanes, NOT_HERE } from './timeline_drawing.js';
import { Minimap } from './minimap.js';
import { numberOf, remember, stateOf } from './state.js';
import { RIGHT } from './time_axis.js';
import { View, buttons, filters, notes } from './view.js';

const SIDES = ['Before', 'After'];
const ALIGNED = [
  ['transfer', 'the first transfer'],
  ['run', 'the start of the run'],
  ['finding', 'the finding’s first segment'],
];

// The moment of the first call that copies, or of the first copy on a device where no call is known.
function firstTransfer(run) {
  let first = { thread: Infinity, other: Infinity };
  for (const lane of run.lanes) {
    const at = lane.kind.findIndex((kind) => kind < KERNEL);
    const group = lane.group === 'thread' ? 'thread' : 'other';
    if (at >= 0) first = { ...first, [group]: Math.min(first[group], lane.start[at]) };
  }
  const [at] = [first.thread, first.other].filter(Number.isFinite);
  return at ?? run.first;
}

export class Pair {
  // `evidence` is called with a run's number and a finding's index, to show it at length.
  constructor(runs, narrow, evidence) {
    Object.assign(this, { runs, evidence, joined: null, firsts: runs.map(firstTransfer) });
    this.view = new View(0, 1, () => this.update(), () => this.fit(), 'both-');
    this.sides = runs.map((run, i) => {
      const lanes = new Lanes(run, this.view, narrow.of(run), `Timeline ${SIDES[i].toLowerCase()}`);
      const table = lanes.alternative(`${SIDES[i]}. `);
      const said = dim();
      const button = h('button', { type: 'button', onclick: () => this.evidence(i, lanes.finding) }, 'Evidence');
      button.setAttribute('aria-label', `Evidence of the finding ${SIDES[i].toLowerCase()}`);
      const minimap = new Minimap(run, this.view);
      const head = h('p', { class: 'side' }, h('strong', {}, SIDES[i]), mono(run.name), said, button);
      const element = h('div', { class: 'of-run' }, head, minimap.element, lanes.element);
      return { lanes, minimap, table, said, button, element };
    });
    this.range = h('span', { class: 'range' });
    this.chosen = h('p', { class: 'chosen' });
    this.keys = h('div', { class: 'keys marks' });
    this.findingButton = h('button', { type: 'button', onclick: () => this.fit() }, 'Finding');
    this.aligned = h(
      'select',
      { 'aria-label': 'Both begin at', onchange: () => this.align(this.aligned.value) },
      ALIGNED.map(([value, name]) => h('option', { value }, name)),
    );
    this.filters = filters(this.view, runs, () => this.relane());
    const aligned = h('label', { class: 'aligned' }, 'Both begin at ', this.aligned);
    const zoom = buttons(this.view, 'Both runs', this.findingButton, aligned);
    this.element = panel(
      'Both timelines',
      [h('div', { class: 'row' }, h('h2', {}, 'Timelines'), this.range, zoom), this.filters, this.keys, this.chosen],
      this.sides.map(({ element }) => element),
      notes(...runs),
      note('Shaded is the time before a run began and after it ended.'),
      this.sides.map(({ table }) => table),
    );
    this.element.classList.add('pair');
    this.restore();
  }

  // What a link says, else both from where they are aligned to the end of the longer one.
  restore() {
    const wanted = stateOf('align');
    this.aligned.value = ALIGNED.some(([value]) => value === wanted) ? wanted : ALIGNED[0][0];
    this.view.readHidden();
    this.filters.restore();
    this.place();
    this.view.range = this.view.among(numberOf('since'), numberOf('until')) ?? this.home();
    this.relane();
  }

  home() {
    return [Math.min(0, this.view.last - 1), this.view.last];
  }

  // Where each run's time 0 is, and so what the view can show.
  place() {
    const by = this.aligned.value;
    const ends = this.sides.map(({ lanes }, i) => {
      const finding = by === 'finding' ? lanes.extent()?.[0] : undefined;
      lanes.origin = by === 'run' ? lanes.run.first : (finding ?? this.firsts[i]);
      return [lanes.run.first - lanes.origin, lanes.run.last - lanes.origin];
    });
    this.view.first = Math.min(...ends.map(([first]) => first));
    this.view.last = Math.max(...ends.map(([, last]) => last));
  }

  align(value) {
    this.aligned.value = value;
    this.place();
    this.view.show(...this.home());
  }

  relane() {
    this.filters.left(this.sides.reduce((sum, { lanes }) => sum + lanes.relane(), 0));
    this.update();
  }

  update() {
    const { range, words } = this.view;
    fill(this.range, words);
    if (!this.sides.map(({ lanes }) => lanes.update()).every(Boolean)) return;
    const home = this.home();
    const moved = range[0] !== home[0] || range[1] !== home[1];
    remember({
      align: this.aligned.value === ALIGNED[0][0] ? null : this.aligned.value,
      since: moved ? Math.round(range[0]) : null,
      until: moved ? Math.round(range[1]) : null,
    });
    for (const { lanes, minimap, table, element } of this.sides) {
      minimap.place(lanes.left(), RIGHT, lanes.finding, lanes.origin);
      Object.assign(element.dataset, { drawn: lanes.current.length, hot: lanes.hot });
      table.refresh();
    }
    Object.assign(this.element.dataset, { from: range[0], to: range[1] });
  }

  // A joined finding: of each run the index, NOT_HERE where the run does not have it, null where the page has no
  // evidence of it; and what is said of it.
  choose(joined) {
    this.joined = joined;
    const any = this.runs.some(({ findings }) => findings.length);
    const hint = any ? 'Choose a finding above: its transfers are marked in both timelines.' : '';
    fill(this.chosen, joined ? joined.words : hint);
    fill(this.keys, joined ? this.marks(joined) : '');
    this.keys.hidden = !joined;
    this.sides.forEach(({ lanes, said, button }, i) => {
      const index = joined ? joined.indexes[i] : null;
      const finding = lanes.run.findings[index];
      lanes.finding = index;
      button.hidden = !(index >= 0) || index === null;
      fill(
        said,
        !lanes.run.lanes.length
          ? 'has no calls to show'
          : !joined
            ? ''
            : index === NOT_HERE
              ? 'does not have this finding'
              : index === null
                ? 'has it, but the page is without its evidence'
                : finding.transfers
                  ? `${f.times(finding.transfers, 'transfer', 'transfers')} of it`
                  : f.times(finding.instances, 'time', 'times'),
      );
    });
    this.findingButton.disabled = !this.sides.some(({ lanes }) => lanes.extent());
    if (this.aligned.value === 'finding') this.place();
    this.view.show(...this.view.range, true);
  }

  // What stands for the chosen finding in the lanes.
  marks({ indexes }) {
    const key = (swatch, text) => h('span', { class: 'key' }, h('span', { class: `swatch ${swatch}` }), text);
    const isEstimate = this.runs.some((run, i) => run.unchecked[indexes[i]]?.size);
    return [
      key('marked', 'calls of the finding'),
      isEstimate && key('maybe', 'copies of its line that were not checked'),
    ];
  }

  // The chosen finding in both runs, with some room.
  fit() {
    const ends = this.sides.flatMap(({ lanes }) => lanes.extent()?.map((time) => time - lanes.origin) ?? []);
    if (ends.length) this.view.showWithRoom(Math.min(...ends), Math.max(...ends));
  }

  dispose() {
    for (const { lanes, minimap } of this.sides) {
      lanes.dispose();
      minimap.dispose();
    }
  }
}
