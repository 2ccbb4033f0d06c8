// The timeline of a run: the strip of all of it, the lanes of what is in view, and the same as a table.
import { KERNEL } from './data.js';
import { fill, h, note, panel, reducedMotion } from './dom.js';
import { Lanes } from './timeline_drawing.js';
import { Minimap } from './minimap.js';
import { RIGHT } from './time_axis.js';
import { buttons, filters, marks, notes } from './view.js';

export class Timeline {
  constructor(selection) {
    const { run, view, narrow } = selection;
    Object.assign(this, { run, view });
    selection.fit = () => this.fit();
    this.lanes = new Lanes(run, this.view, narrow, 'Timeline');
    this.minimap = new Minimap(run, this.view);
    this.where = h('span', { class: 'range', id: 'where' });
    this.table = this.lanes.alternative('');
    this.findingButton = h('button', { type: 'button', disabled: true, onclick: () => this.fit() }, 'Finding');
    this.filters = filters(this.view, [run], () => this.relane());
    this.marks = h('div', { class: 'keys marks', hidden: true });
    const zoom = buttons(this.view, 'Whole run', this.findingButton);
    this.element = panel(
      'Timeline',
      [h('div', { class: 'row' }, h('h2', {}, 'Timeline'), this.where, zoom), this.filters, this.marks],
      this.minimap.element,
      this.lanes.element,
      this.view.opening && note(`Shown first: ${this.view.opening.words}, and a little beside it.`),
      notes(run),
      this.table,
    );
    this.relane();
  }

  get chart() {
    return this.lanes.chart;
  }

  restore() {
    this.filters.restore();
    this.relane();
  }

  relane() {
    this.filters.left(this.lanes.relane());
    this.update();
  }

  update() {
    const { range, words } = this.view;
    fill(this.where, words);
    if (!this.lanes.update()) return;
    this.minimap.place(this.lanes.left(), RIGHT, this.lanes.finding);
    const { current, hot, maybe } = this.lanes;
    Object.assign(this.element.dataset, { from: range[0], to: range[1], drawn: current.length, hot, maybe });
    this.table.refresh();
  }

  // The chosen finding's segments, with some room.
  fit() {
    const extent = this.lanes.extent();
    if (extent) this.view.showWithRoom(...extent);
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
    this.showPart(from, to, null);
  }

  // Shades an idle time, and shows it with what is around it.
  showGap(from, length) {
    this.showPart(from, from + length, [from, from + length]);
  }

  showPart(from, to, gap) {
    const room = Math.max((to - from) * 2, (this.run.last - this.run.first) / 5000, 10000);
    this.lanes.gap = gap;
    this.view.show(from - room, to + room);
    this.element.scrollIntoView({ block: 'nearest', behavior: reducedMotion() ? 'auto' : 'smooth' });
  }

  choose(finding) {
    this.lanes.finding = finding;
    this.lanes.gap = null;
    this.findingButton.disabled = finding === null || !this.run.marked[finding]?.size;
    fill(this.marks, marks(this.run.marked[finding]?.size && this.run.findings[finding], this.uncheckedOf(finding)));
    this.marks.hidden = !this.marks.firstChild;
    this.update();
  }

  // How many copies at a finding's line were not checked.
  uncheckedOf(finding) {
    const places = this.run.unchecked[finding];
    const count = (lane) => Array.from({ length: lane.size }, (_, i) => places.get(lane.base + i) ?? 0);
    const threads = places?.size ? this.run.lanes.filter(({ group }) => group === 'thread') : [];
    return threads.flatMap(count).reduce((sum, calls) => sum + calls, 0);
  }

  dispose() {
    this.minimap.dispose();
    this.lanes.dispose();
  }
}
