// What is selected of the run that is shown, for every tab: the chosen finding, the part of the time in view, and what
// the tabs are narrowed to.
import { openingOf } from './opening.js';
import { numberOf, remember } from './state.js';
import { View } from './view.js';

export class Selection {
  // `open` shows a tab; `tell` calls a method of every tab that is open: `viewed` after the part in view has changed,
  // `chosen` after the finding has.
  constructor(run, narrow, open, tell) {
    Object.assign(this, { run, narrow: narrow.of(run), clear: () => narrow.clear(), to: (at) => narrow.to(at) });
    Object.assign(this, { open, tell, finding: null });
    this.fit = () => {};
    this.view = new View(run.first, run.last, () => this.viewed(), () => this.fit());
    this.view.opening = openingOf(run);
    this.view.range = this.rangeOfLink();
  }

  viewed() {
    const { range, home } = this.view;
    const isHome = range.every((end, i) => Math.round(end) === home[i]);
    remember({ from: isHome ? null : Math.round(range[0]), to: isHome ? null : Math.round(range[1]) });
    this.tell('viewed');
  }

  // The part of the run that a link shows, else what the page opens on.
  rangeOfLink() {
    return this.view.among(numberOf('from'), numberOf('to')) ?? this.view.home;
  }

  restore() {
    this.view.readHidden();
    this.view.show(...this.rangeOfLink(), true);
  }

  // The chosen finding, or undefined.
  get chosen() {
    return this.run.findings[this.finding];
  }

  choose(index) {
    const changed = index !== this.finding;
    this.finding = index;
    if (changed) this.tell('chosen');
  }
}
