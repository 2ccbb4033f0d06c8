// The list of causes: each with what its repair saves, where it is and what to do, and the other findings of the same
// cause beneath it. It is one tree of flat rows; what is folded is not in the page.
import { coded, dim, fill, h, panel, search, shaded } from './dom.js';
import * as f from './format.js';
import { remember, stateOf } from './state.js';
import { outputChanged, triedOf } from './tried.js';

const NAMED = 5; // causes that are shown by name

export const place = (finding) => finding.label ?? finding.site ?? 'unknown place';

const mostOf = (finding) => finding.saves?.most_ns ?? 0;

// "up to 522 ms"; nothing of advice.
export function gain(finding) {
  return finding.advice ? '' : f.most({ most_ns: 0, ...finding.saves });
}

export const badge = (finding) => (finding.checked_text ? h('span', { class: 'badge' }, finding.checked_text) : null);

function bar(part, whole) {
  const inner = h('span', { class: 'bar-fill' });
  inner.style.width = `${Math.min(100, whole ? (part / whole) * 100 : 0)}%`;
  return h('span', { class: 'bar', 'aria-hidden': 'true' }, inner);
}

// A finding that the page has by name only.
const nameOnly = (finding) => ({ ...finding, index: finding.rank - 1 });

// The causes as the page shows them: those with a name, the smaller ones, and findings that are advice.
export function grouped(run) {
  const of = (list) => list.map((finding) => run.findings[finding.rank - 1] ?? nameOnly(finding));
  const causes = run.report.causes.filter((cause) => cause.saves.most_ns).map((cause) => {
    const [first, ...others] = of(cause.findings);
    const alternatives = of(cause.findings.filter((finding) => finding.alternative));
    return { first, others, alternatives, folded: cause.folded };
  });
  const named = causes.filter((cause, i) => i < NAMED && !cause.folded && mostOf(cause.first));
  return {
    causes,
    named,
    smaller: causes.filter((cause) => !named.includes(cause)),
    advice: run.findings.filter((finding) => finding.advice),
  };
}

export class Causes {
  // `choose` is called with the index of the finding that is chosen, or null.
  constructor(run, narrow, choose) {
    Object.assign(this, { run, narrow, choose, groups: grouped(run), open: new Set(), current: null });
    this.most = Math.max(1, ...run.findings.map(mostOf));
    this.list = h('ol', {
      class: 'findings',
      'aria-label': 'Causes',
      tabindex: run.findings.length ? 0 : null,
      onkeydown: (event) => this.key(event),
    });
    shaded(this.list);
    this.search = search('Filter by name, function or file', 'Filter findings', () => {
      remember({ filter: this.search.value || null });
      this.refill();
    });
    this.number = dim();
    const title = h('div', { class: 'row' }, h('h2', {}, 'Causes'), this.number);
    this.element = panel('Causes', [title, run.findings.length > 1 ? this.search : null], this.list, this.foot());
    this.element.classList.add('list');
    this.refill();
  }

  restore() {
    this.search.value = stateOf('filter') ?? '';
    this.refill();
  }

  get first() {
    return this.groups.named[0]?.first ?? null;
  }

  foot() {
    const { findings_left_out: left, report } = this.run;
    const { believed, error } = report.replay;
    const off = error ? ` (it is ${f.share(error, 1)} off)` : '';
    const notes = [
      report.causes.length && !believed
        ? `The run could not be replayed closely enough${off}, so no time is known better than “up to”.`
        : '',
      left
        ? `The page does not have the evidence of ${f.times(left, 'finding', 'findings')}; \`xferspy explain\` shows it.`
        : '',
    ].filter(Boolean);
    const lines = notes.map((note) => h('p', {}, coded(note)));
    return notes.length ? h('div', { class: 'foot' }, lines) : null;
  }

  // --- what is in the list ---

  matches() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length && !this.narrow.current) return null;
    return (finding) => {
      if (!this.narrow.has(finding.site_index)) return false;
      const text = `${finding.name} ${finding.title} ${place(finding)} ${finding.site}`.toLowerCase();
      return words.every((word) => text.includes(word));
    };
  }

  // A cause and, where it is open, what is beneath it. With a filter everything is open, and only what matches is
  // there.
  addCause(rows, { first, others }, level, matches) {
    const beneath = matches ? others.filter(matches) : others;
    if (matches && !matches(first) && !beneath.length) return;
    const open = matches ? beneath.length > 0 : this.open.has(first.index);
    rows.push({ key: first.index, finding: first, level, beneath: beneath.length, open, cause: true });
    if (open) beneath.forEach((finding) => rows.push({ key: finding.index, finding, level: level + 1, under: first }));
  }

  addGroup(rows, key, title, sum, matches, add) {
    const inner = [];
    add(inner);
    if (matches) rows.push(...inner.map((row) => ({ ...row, level: row.level - 1 })));
    else rows.push({ key, level: 1, title, sum, beneath: inner.length, open: this.open.has(key) });
    if (!matches && this.open.has(key)) rows.push(...inner);
  }

  rows() {
    const { named, smaller, advice } = this.groups;
    const { causes: left, saves_ns: leftNs } = this.run.causes_left_out;
    const matches = this.matches();
    const rows = [];
    named.forEach((cause) => this.addCause(rows, cause, 1, matches));
    if (smaller.length) {
      const ns = smaller.reduce((sum, { first }) => sum + mostOf(first), leftNs);
      const title = f.times(smaller.length + left, 'smaller cause', 'smaller causes');
      this.addGroup(rows, 'smaller', title, `${f.ns(ns)} together`, matches, (inner) =>
        smaller.forEach((cause) => this.addCause(inner, cause, 2, matches)),
      );
    }
    if (advice.length) {
      const title = f.times(advice.length, 'piece of advice', 'pieces of advice');
      this.addGroup(rows, 'advice', title, '', matches, (inner) =>
        advice
          .filter((finding) => !matches || matches(finding))
          .forEach((finding) => inner.push({ key: finding.index, finding, level: 2 })),
      );
    }
    return rows;
  }

  refill() {
    this.shown = this.rows();
    const filtered = this.matches() !== null;
    const { causes } = this.groups;
    const all = causes.length + this.run.causes_left_out.causes;
    this.number.textContent = filtered
      ? `${f.count(this.shown.filter((row) => row.finding).length)} of ${f.times(this.run.findings.length, 'finding', 'findings')}`
      : all
        ? f.count(all)
        : '';
    fill(
      this.list,
      !this.groups.named.length || !this.shown.length
        ? h(
            'li',
            { class: 'none', role: this.shown.length ? 'none' : null },
            filtered ? (this.search.value ? 'No finding matches the filter.' : 'No finding there.') : this.none(),
          )
        : null,
      this.shown.map((row) => this.item(row)),
    );
    if (this.shown.length) this.list.setAttribute('role', 'tree');
    else this.list.removeAttribute('role'); // an empty tree is none
    this.mark();
  }

  none() {
    const { findings_total: total } = this.run.report;
    if (this.groups.smaller.length) return `Nothing that saves ${f.ns(total.floor_ns)} or more.`;
    return [
      h('p', {}, this.groups.advice.length ? 'Nothing that saves time.' : 'No findings.'),
      this.lookedAt().map((text) => h('p', { class: 'dim' }, coded(text))),
    ];
  }

  // What was looked at where nothing was found: how much that says.
  lookedAt() {
    const { transfers, fingerprints: prints, allocations, undecided, trace } = this.run.report;
    const { count, bytes, timed_count: timed } = transfers.total;
    const made = allocations.reduce((sum, kind) => sum + kind.count, 0);
    const open = undecided.reduce((sum, of) => sum + of.count, 0);
    const copies = count ? `${f.times(count, 'transfer', 'transfers')} (${f.bytes(bytes)})` : 'no transfer';
    return [
      `Looked at: ${copies} and ${f.times(made, 'allocation', 'allocations')}.`,
      count && `Device times known: ${f.count(timed)} of ${f.times(count, 'transfer', 'transfers')}.`,
      prints.transfers &&
        (prints.taken
          ? `Contents compared: ${f.count(prints.taken)} of ${f.count(prints.transfers)} uploads and downloads.`
          : 'Contents were not compared: docs/use/options.md says how to record them.'),
      open &&
        `Not decided: ${f.times(open, 'instance', 'instances')}; \`xferspy explain --undecided ${f.shellWord(trace)}\` says why.`,
    ].filter(Boolean);
  }

  // --- a row ---

  twist(row) {
    if (!row.beneath || this.matches()) return null;
    const words = row.cause ? f.times(row.beneath, 'other finding', 'other findings') : '';
    return h(
      'span',
      {
        class: row.cause ? 'twist' : 'twist mark',
        onclick: (event) => {
          event.stopPropagation();
          this.toggle(row.key);
        },
      },
      h('span', { class: 'arrow', 'aria-hidden': 'true' }, row.open ? '▾' : '▸'),
      words && h('span', { class: 'words' }, `${words} of this cause`),
    );
  }

  // A finding, and if it leads a cause the others of it.
  family(finding) {
    return [finding, ...(this.groups.causes.find(({ first }) => first === finding)?.others ?? [])];
  }

  tried(finding) {
    const item = triedOf(this.run, this.family(finding));
    if (!item) return null;
    return h('span', { class: outputChanged(item) ? 'tried worse' : 'tried' }, `tried: ${item.change} ${item.rest}`);
  }

  item(row) {
    const { finding } = row;
    const attributes = {
      role: 'treeitem',
      id: finding ? `finding-${finding.index}` : `group-${row.key}`,
      'aria-level': row.level,
      'aria-selected': 'false',
      'aria-expanded': row.beneath ? String(row.open) : null,
    };
    if (!finding)
      return h(
        'li',
        { ...attributes, class: 'group minor', onclick: () => this.toggle(row.key) },
        this.twist(row),
        h('span', { class: 'name' }, row.title),
        h('span', { class: 'gain' }, row.sum),
      );
    const minor = row.level > 1 || finding.folded || finding.advice;
    const saves = gain(finding);
    return h(
      'li',
      {
        ...attributes,
        class: [`level-${row.level}`, minor && 'minor'].filter(Boolean).join(' '),
        onclick: () => this.show(finding.index === this.chosen ? null : finding.index),
      },
      h('span', { class: 'rank' }, finding.rank),
      h('span', { class: 'sentence' }, f.sentence(finding.title), ' ', h('span', { class: 'name mono' }, finding.name)),
      h('span', { class: 'gain' }, saves ? `saves ${saves}` : 'advice'),
      h('span', { class: 'place' }, row.under && place(row.under) === place(finding) ? '' : place(finding)),
      h('span', { class: 'share' }, f.units(finding.share_text)),
      finding.advice ? null : h('span', { class: 'do' }, coded(finding.remedy), this.tried(finding)),
      h('span', { class: 'more' }, badge(finding), this.twist(row)),
      row.level === 1 ? bar(mostOf(finding), this.most) : null,
    );
  }

  // --- choosing ---

  get chosen() {
    return typeof this.current === 'number' ? this.current : null;
  }

  mark() {
    let active = null;
    for (const item of this.list.children) {
      if (!item.id) continue;
      const is = item.id === (this.chosen === null ? `group-${this.current}` : `finding-${this.chosen}`);
      item.setAttribute('aria-selected', is ? 'true' : 'false');
      if (is) active = item.id;
    }
    if (active) this.list.setAttribute('aria-activedescendant', active);
    else this.list.removeAttribute('aria-activedescendant');
  }

  toggle(key, open = !this.open.has(key)) {
    if (open) this.open.add(key);
    else this.open.delete(key);
    this.refill();
  }

  // Opens what a finding is folded into.
  reveal(index) {
    const { smaller, advice, causes } = this.groups;
    const has = ({ first, others }) => first.index === index || others.some((other) => other.index === index);
    const cause = causes.find(has);
    if (cause && cause.first.index !== index) this.open.add(cause.first.index);
    if (smaller.includes(cause)) this.open.add('smaller');
    if (advice.some((finding) => finding.index === index)) this.open.add('advice');
  }

  // `key`: of a finding its index, of a group its name, null.
  show(key) {
    this.current = key;
    if (this.chosen !== null && !this.shown.some((row) => row.key === key)) {
      this.reveal(key);
      this.refill();
    }
    this.mark();
    this.choose(this.chosen);
  }

  key(event) {
    const at = this.shown.findIndex((row) => row.key === this.current);
    const row = this.shown[at];
    const foldable = row?.beneath && !this.matches();
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? 0 : at - 1, Home: 0, End: this.shown.length - 1 }[event.key];
    if (event.key === 'Escape') this.show(null);
    else if (event.key === 'ArrowRight' && foldable) this.toggle(row.key, true);
    else if (event.key === 'ArrowLeft' && foldable && row.open) this.toggle(row.key, false);
    else if (event.key === 'ArrowLeft' && row?.level > 1)
      this.show(
        this.shown
          .slice(0, at)
          .reverse()
          .find((other) => other.level < row.level).key,
      );
    else if ((event.key === 'Enter' || event.key === ' ') && foldable) this.toggle(row.key);
    else if (to === undefined || !this.shown.length) return;
    else this.show(this.shown[Math.max(0, Math.min(this.shown.length - 1, to))].key);
    event.preventDefault();
    document.getElementById(this.list.getAttribute('aria-activedescendant'))?.scrollIntoView({ block: 'nearest' });
  }
}
