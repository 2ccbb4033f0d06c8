// The findings of two runs, joined by line and kind: one row of both figures and the change. The one that is chosen is
// marked in both timelines.
import { coded, h, link, mono, table } from './dom.js';
import * as f from './format.js';
import { NOT_HERE } from './timeline_drawing.js';
import { numberOf, remember } from './state.js';

const CHANGES = {
  disappeared: 'gone',
  appeared: 'new',
  unchanged: 'same',
  'not-checked': 'unchecked',
  'cannot-tell': 'time only',
};
const SIDES = ['before', 'after'];

export const nameOf = (row) => row.name_before ?? row.name_after;

// As everywhere on the page.
const placeOf = (site) => site?.place ?? site?.entry_point ?? 'unknown';
export const place = (row) => placeOf(row.site_after ?? row.site_before);

// Two bars of what it saved before and saves now, as shares of the most that any saves.
function bars(row, most) {
  const bar = (side) => {
    const inner = h('span', { class: side, hidden: !row.saves_ns[side].median });
    inner.style.width = `${(100 * (row.saves_ns[side].median ?? 0)) / most}%`;
    return h('span', { class: 'saved' }, inner);
  };
  return h('div', { class: 'bars', 'aria-hidden': 'true' }, SIDES.map(bar));
}

export class Joined {
  // `choose` is called with the row that is chosen, in the form of Pair.choose, or null.
  constructor(runs, rows, columns, choose) {
    Object.assign(this, { runs, rows, chosen: choose });
    const most = Math.max(0, ...rows.flatMap((row) => SIDES.map((side) => row.saves_ns[side].median ?? 0)));
    this.buttons = rows.map((row, i) => {
      const button = link(nameOf(row), () => this.toggle(i));
      button.setAttribute('aria-pressed', 'false');
      return button;
    });
    const what = {
      title: 'Finding',
      cell: (row) => [
        this.said(row),
        h('div', { class: 'row' }, this.buttons[rows.indexOf(row)], changed(row)),
        h('div', { class: 'dim mono' }, place(row)),
        SIDES.some((side) => row.saves_ns[side].median) ? bars(row, most) : null,
      ],
    };
    this.element = table('Findings before and after', [what, ...columns], rows, {
      class: 'compared joined',
      row: (row) => ({
        onclick: (event) => {
          if (!event.target.closest('button')) this.toggle(rows.indexOf(row));
        },
      }),
    });
    this.lines = [...this.element.querySelectorAll('tbody tr')]; // as the rows, before anybody orders them
  }

  // What a link says, else the first.
  restore() {
    const wanted = numberOf('joined');
    this.show(wanted === null ? 0 : wanted - 1);
  }

  toggle(index) {
    this.show(index === this.current ? null : index);
  }

  // What a row is in words; null if the page has its name only.
  said(row) {
    const named = ({ name }) => name === row.name_before || name === row.name_after;
    const finding = this.runs.flatMap((run) => run.findings).find(named);
    return finding && h('div', { class: 'sentence' }, f.sentence(finding.title));
  }

  indexes(row) {
    return SIDES.map((side, i) => {
      const name = row[`name_${side}`];
      if (name === null) return NOT_HERE;
      const index = this.runs[i].findings.findIndex((finding) => finding.name === name);
      return index < 0 ? null : index;
    });
  }

  words(row, indexes) {
    const [before, after] = [row.site_before, row.site_after].map((site) => site && placeOf(site));
    const site = row.site_after ?? row.site_before;
    const moved = before && after && before !== after ? ` (was ${before})` : '';
    const side = indexes[1] >= 0 && indexes[1] !== null ? 1 : 0;
    const remedy = this.runs[side].findings[indexes[side]]?.remedy;
    return [
      h('strong', {}, nameOf(row)),
      ` ${CHANGES[row.change] ?? row.change}, at `,
      mono(place(row)),
      moved,
      site?.source ? [': ', h('code', {}, site.source)] : '',
      remedy && row.change !== 'disappeared' ? [h('br'), coded(remedy)] : '',
    ];
  }

  show(index) {
    const row = this.rows[index];
    this.current = row ? index : null;
    this.lines.forEach((line, i) => line.classList.toggle('chosen', i === this.current));
    this.buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === this.current)));
    remember({ joined: this.current === 0 || !this.rows.length ? null : row ? index + 1 : 0 });
    const indexes = row && this.indexes(row);
    this.chosen(row ? { indexes, words: this.words(row, indexes) } : null);
  }
}

// The word for what became of a row. What it grew or shrank by stands with the word: the number beside it may have
// gone the other way.
const DECIDED_BY = { count: 'number', bytes: 'size', device_ns: 'time', host_ns: 'time', saves_ns: 'saving' };
export function changed(row) {
  const word = CHANGES[row.change] ?? row.change;
  const by = row.change === 'grew' || row.change === 'shrank' ? ` in ${DECIDED_BY[row.decided_by]}` : '';
  return h('span', { class: `badge change-${row.change}` }, word, by);
}
