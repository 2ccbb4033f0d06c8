// The findings: a list in rank order, and the chosen one at length.
import { announce, fill, h, table } from './dom.js';
import * as f from './format.js';

const FIRST_SHOWN = 3;

function gain(finding, run) {
  if (finding.advice) return 'advice';
  return `${finding.at_most && finding.gives_back_ns ? '≤ ' : ''}${f.ns(finding.gives_back_ns)}`;
}

function where(finding) {
  return finding.label ?? finding.site ?? 'unknown place';
}

function bar(part, whole) {
  const inner = h('span', { class: 'bar-fill' });
  inner.style.width = `${Math.min(100, whole ? (part / whole) * 100 : 0)}%`;
  return h('span', { class: 'bar', 'aria-hidden': 'true' }, inner);
}

export class Findings {
  constructor(run, choose) {
    Object.assign(this, { run, choose, chosen: null });
    this.list = h('ol', {
      class: 'findings',
      role: 'listbox',
      'aria-label': 'Findings',
      tabindex: run.findings.length ? 0 : null,
      onkeydown: (event) => this.key(event),
    });
    this.search = h('input', {
      type: 'search',
      placeholder: 'Filter by name, function or file',
      'aria-label': 'Filter findings',
      oninput: () => this.refill(),
    });
    this.number = h('span', { class: 'dim' });
    this.element = h(
      'section',
      { class: 'panel list', 'aria-label': 'Findings' },
      h(
        'div',
        { class: 'tools' },
        h('div', { class: 'row' }, h('h2', {}, 'Findings'), this.number),
        run.findings.length > 1 ? this.search : null,
      ),
      this.list,
      this.total(),
    );
    this.detail = h('section', { class: 'panel detail', 'aria-label': 'Chosen finding', tabindex: 0 });
    this.refill();
    this.show(null);
  }

  total() {
    const { total_text: total, upper_bound_text: bound, findings_left_out: left } = this.run;
    return h(
      'div',
      { class: 'foot' },
      total ? h('p', {}, `${total} A transfer counts once.`) : null,
      bound ? h('p', {}, bound) : null,
      left
        ? h('p', {}, `${f.count(left)} smaller findings are not in this page; \`xferspy explain\` lists them.`)
        : null,
    );
  }

  refill() {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const text = (finding) => `${finding.name} ${finding.title} ${where(finding)} ${finding.site}`.toLowerCase();
    this.shown = this.run.findings.filter((finding) => words.every((word) => text(finding).includes(word)));
    const most = Math.max(1, ...this.run.findings.map((finding) => finding.gives_back_ns));
    this.number.textContent =
      this.shown.length === this.run.findings.length
        ? f.count(this.shown.length)
        : `${this.shown.length} of ${this.run.findings.length}`;
    fill(
      this.list,
      this.shown.map((finding) =>
        h(
          'li',
          {
            role: 'option',
            id: `finding-${finding.index}`,
            'aria-selected': finding.index === this.chosen ? 'true' : 'false',
            class: finding.folded || finding.advice ? 'minor' : null,
            onclick: () => this.show(finding.index === this.chosen ? null : finding.index),
          },
          h('span', { class: 'rank' }, finding.rank),
          h('span', { class: 'name' }, finding.name),
          h('span', { class: 'gain' }, gain(finding, this.run)),
          h('span', { class: 'place' }, where(finding)),
          bar(finding.gives_back_ns, most),
        ),
      ),
    );
    this.list.setAttribute('role', this.shown.length ? 'listbox' : 'list'); // an empty listbox is none
    if (!this.shown.length)
      fill(
        this.list,
        h('li', { class: 'none' }, this.run.findings.length ? 'No finding matches the filter.' : this.none()),
      );
    this.mark();
  }

  none() {
    const report = this.run.report;
    const how = report.transfers.total.count && !report.fingerprints.taken;
    return `No findings. Wasted: ${report.headline}.${how ? ' docs/options.md says how to record contents.' : ''}`;
  }

  mark() {
    for (const item of this.list.children)
      if (item.id) item.setAttribute('aria-selected', item.id === `finding-${this.chosen}` ? 'true' : 'false');
    if (this.chosen !== null && document.getElementById(`finding-${this.chosen}`))
      this.list.setAttribute('aria-activedescendant', `finding-${this.chosen}`);
    else this.list.removeAttribute('aria-activedescendant');
  }

  key(event) {
    const at = this.shown.findIndex((finding) => finding.index === this.chosen);
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? 0 : at - 1, Home: 0, End: this.shown.length - 1 }[event.key];
    if (event.key === 'Escape') this.show(null);
    else if (to === undefined || !this.shown.length) return;
    else this.show(this.shown[Math.max(0, Math.min(this.shown.length - 1, to))].index);
    event.preventDefault();
    document.getElementById(`finding-${this.chosen}`)?.scrollIntoView({ block: 'nearest' });
  }

  show(index) {
    this.chosen = index;
    this.mark();
    fill(this.detail, index === null ? this.hint() : this.describe(this.run.findings[index]));
    this.choose(index);
    if (index !== null) announce(`${this.run.findings[index].name}: marked in the timeline`);
  }

  hint() {
    const most = this.run.findings
      .filter((finding) => !finding.advice && !finding.folded && finding.gives_back_ns)
      .slice(0, FIRST_SHOWN);
    return [
      h(
        'p',
        { class: 'note' },
        this.run.findings.length
          ? 'Choose a finding: its evidence is shown here, its transfers are marked in the timeline.'
          : 'Nothing to show.',
      ),
      most.length
        ? [
            h('h3', {}, 'What to do first'),
            h(
              'ol',
              { class: 'first' },
              most.map((finding) =>
                h(
                  'li',
                  {},
                  h('span', { class: 'remedy' }, finding.remedy),
                  h('span', { class: 'dim' }, ` ${finding.name}, ${gain(finding, this.run)}, ${where(finding)}`),
                ),
              ),
            ),
          ]
        : null,
    ];
  }

  describe(finding) {
    const source = finding.source
      ? h(
          'pre',
          { class: 'source', tabindex: 0, role: 'region', 'aria-label': 'Source line' },
          h('span', { class: 'line' }, finding.call_site?.line ?? ''),
          h('code', {}, finding.source),
        )
      : null;
    return [
      h(
        'div',
        { class: 'head' },
        h('h2', {}, finding.name),
        h('p', { class: 'title' }, `${finding.title}: ${finding.amount_text}`),
      ),
      h(
        'dl',
        { class: 'facts' },
        !finding.advice
          ? [
              h('dt', {}, 'Gives back'),
              h('dd', {}, h('strong', {}, f.units(finding.gain_text).replace(/^gives back /, ''))),
            ]
          : null,
        h('dt', {}, 'Costs'),
        h('dd', {}, f.units(finding.cost_text) || 'nothing by itself'),
        h('dt', {}, 'Where'),
        h(
          'dd',
          {},
          h('span', { class: 'mono' }, where(finding)),
          finding.label ? h('span', { class: 'dim' }, ` (${finding.site})`) : null,
          source,
        ),
        h('dt', {}, 'Do'),
        h('dd', { class: 'remedy' }, finding.remedy),
      ),
      this.instances(finding),
      this.stack(finding),
    ];
  }

  instances(finding) {
    const rows = finding.examples.flatMap((instance, i) => instance.evidence.map((row) => ({ ...row, i: i + 1 })));
    if (!rows.length) return null;
    const short = (digits) => (digits ? h('span', { class: 'mono', title: digits }, `${digits.slice(0, 8)}…`) : '');
    const columns = [
      { title: 'No.', number: true, text: (row) => row.i },
      { title: 'Role', text: (row) => row.role },
      { title: 'Row', text: (row) => `${row.table} ${row.row}` },
      {
        title: 'At',
        number: true,
        text: (row) => (row.enter_ns === undefined ? '' : f.moment(row.enter_ns, this.run.duration / 1000)),
      },
      {
        title: 'In the call',
        number: true,
        text: (row) => (row.return_ns === undefined ? '' : f.ns(row.return_ns - row.enter_ns)),
      },
      { title: 'Bytes', number: true, text: (row) => (row.bytes === undefined ? '' : f.bytes(row.bytes)) },
      { title: 'From', text: (row) => row.from ?? '' },
      { title: 'To', text: (row) => row.to ?? '' },
      { title: 'Content', cell: (row) => short(row.content) },
      { title: 'Before', cell: (row) => short(row.before) },
    ];
    const filled = columns.filter((column) =>
      rows.some((row) =>
        column.cell ? (column.title === 'Content' ? row.content : row.before) : column.text(row) !== '',
      ),
    );
    const of =
      finding.examples.length < finding.instances
        ? `Evidence: the first ${finding.examples.length} of ${f.count(finding.instances)}`
        : 'Evidence';
    return h('div', {}, h('h3', {}, of), table('Evidence rows', filled, rows));
  }

  stack(finding) {
    if (!finding.stack?.length) return null;
    // frames of libraries fold into one line, as in `xferspy explain`
    const frames = [];
    for (const frame of finding.stack) {
      const last = frames[frames.length - 1];
      if (!frame.library) frames.push({ frame });
      else if (last?.library) last.library.push(frame);
      else frames.push({ library: [frame] });
    }
    const base = (path) => path.split('/').pop();
    const item = ({ frame, library }) => {
      if (library)
        return h(
          'li',
          { class: 'library' },
          `… ${f.times(library.length, 'frame', 'frames')} of ` +
            `${[...new Set(library.map((l) => base(l.module ?? l.file ?? 'a library')))].slice(0, 3).join(', ')}`,
        );
      return h(
        'li',
        {},
        h(
          'span',
          { class: 'mono' },
          frame.function ?? (frame.module ? `${base(frame.module)}+0x${frame.address.toString(16)}` : 'unknown'),
        ),
        frame.file
          ? h(
              'span',
              { class: 'dim mono' },
              ` ${frame.file.split('/').slice(-2).join('/')}${frame.line ? `:${frame.line}` : ''}`,
            )
          : null,
      );
    };
    return h('div', {}, h('h3', {}, 'Called from'), h('ol', { class: 'stack' }, frames.map(item)));
  }
}
