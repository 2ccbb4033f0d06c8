// The evidence of the chosen finding: its first instances with all of their rows, or all of its calls that the timeline
// has.
import { KERNEL, kinds } from './data.js';
import { fill, h, link, mono, note, table } from './dom.js';
import * as f from './format.js';
import { remember, stateOf } from './state.js';

const AT_ONCE = 500; // rows of a list that are shown, and more by each click

export class Evidence {
  // `reveal` is called with a row, to show it in the timeline.
  constructor(run, reveal) {
    Object.assign(this, { run, reveal, all: false });
  }

  restore() {
    this.all = stateOf('evidence') === 'all';
  }

  // null: there is none.
  of(finding) {
    if (!finding.examples.some(({ evidence }) => evidence.length)) return null;
    const place = h('div', { class: 'evidence' });
    this.fill(place, finding);
    return place;
  }

  fill(place, finding) {
    const shown = finding.examples.length;
    const calls = shown < finding.instances ? this.calls(finding) : [];
    const other = (text, all) =>
      link(text, () => {
        this.all = all;
        remember({ evidence: all ? 'all' : null });
        this.fill(place, finding);
        place.querySelector('h3 button').focus();
      });
    const title =
      shown >= finding.instances
        ? ['Evidence']
        : !calls.length
          ? [`Evidence: the first ${shown} of ${f.count(finding.instances)}`]
          : this.all
            ? ['Evidence: all calls ', other(`show the first ${shown} at length`, false)]
            : [`Evidence: the first ${shown} of ${f.count(finding.instances)} `, other('show all', true)];
    fill(place, h('h3', {}, title), this.all && calls.length ? this.list(finding, calls) : this.first(finding));
  }

  moment(row) {
    const button = link(f.moment(row.enter_ns, this.run.duration / 1000), () => this.reveal(row));
    button.title = 'Show it in the timeline';
    return button;
  }

  // The first instances, each with all of its rows.
  first(finding) {
    const rows = finding.examples.flatMap((instance, i) => instance.evidence.map((row) => ({ ...row, i: i + 1 })));
    const short = (digits) => (digits ? h('span', { class: 'mono', title: digits }, `${digits.slice(0, 8)}…`) : '');
    // what belongs together is in one column, so that nothing is cut off where the page is narrow
    const below = (...content) => h('div', { class: 'dim' }, content);
    const columns = [
      { title: 'No.', number: true, text: (row) => row.i },
      {
        title: 'At',
        number: true,
        value: (row) => row.enter_ns ?? -1,
        filled: (row) => row.enter_ns !== undefined,
        cell: (row) => (row.enter_ns === undefined ? '' : this.moment(row)),
      },
      {
        title: 'Role',
        filled: () => true,
        cell: (row) => [h('div', { class: 'role' }, row.role), below(`${row.table} ${row.row}`)],
      },
      {
        title: 'In the call',
        number: true,
        text: (row) => (row.return_ns === undefined ? '' : f.ns(row.return_ns - row.enter_ns)),
      },
      { title: 'Bytes', number: true, text: (row) => (row.bytes === undefined ? '' : f.bytes(row.bytes)) },
      {
        title: 'Content',
        filled: (row) => row.content || row.before,
        cell: (row) => [short(row.content), row.before ? below('before: ', short(row.before)) : null],
      },
      {
        title: 'From, to',
        kind: 'places',
        filled: (row) => row.from || row.to,
        cell: (row) => [mono(row.from ?? ''), row.to ? h('div', { class: 'mono' }, `→ ${row.to}`) : null],
      },
    ];
    const filled = columns.filter((column) =>
      rows.some((row) => (column.filled ? column.filled(row) : column.text(row) !== '')),
    );
    return table('Evidence rows', filled, rows);
  }

  // The calls of a finding in the lanes of the threads, and the copies at its line that were not checked.
  calls(finding) {
    const [marked, unchecked] = [this.run.marked[finding.index], this.run.unchecked[finding.index]];
    const rows = [];
    for (const lane of this.run.lanes.filter(({ group }) => group === 'thread'))
      for (let i = 0; i < lane.size; i++) {
        const [calls, maybe] = [marked, unchecked].map((places) => places?.get(lane.base + i) ?? 0);
        if (!calls && !maybe) continue;
        rows.push({
          enter_ns: lane.start[i],
          return_ns: lane.end[i],
          ns: lane.busy[i] || lane.end[i] - lane.start[i],
          kind: kinds[lane.kind[i]].name,
          count: lane.count[i],
          bytes: lane.bytes[i],
          row: lane.row[i],
          table: lane.kind[i] < KERNEL ? 'transfer' : '',
          lane: lane.label,
          calls,
          maybe,
        });
      }
    return rows.sort((a, b) => a.enter_ns - b.enter_ns);
  }

  list(finding, calls) {
    const several = calls.some((row) => row.count > 1);
    const threads = new Set(calls.map((row) => row.lane)).size > 1;
    const estimated = calls.some((row) => row.maybe);
    const checked = (row) => (row.maybe ? (row.calls ? `${f.count(row.maybe)} not` : 'no, estimated') : 'yes');
    const columns = [
      { title: 'At', number: true, value: (row) => row.enter_ns, cell: (row) => this.moment(row) },
      { title: 'What', text: (row) => row.kind },
      threads && { title: 'Thread', text: (row) => row.lane },
      several && { title: 'Calls', number: true, text: (row) => f.count(row.count) },
      several && { title: 'Of the finding', number: true, text: (row) => f.count(row.calls) },
      { title: 'In the call', number: true, value: (row) => row.ns, text: (row) => f.ns(row.ns) },
      { title: 'Bytes', number: true, value: (row) => row.bytes, text: (row) => (row.bytes ? f.bytes(row.bytes) : '') },
      estimated && { title: 'Checked', text: checked },
      { title: 'Row', number: true, text: (row) => row.row || '' },
    ].filter(Boolean);
    const place = h('div', {});
    const sum = (key) => calls.reduce((all, row) => all + row[key], 0);
    const show = (count) =>
      fill(
        place,
        note(
          `${f.times(sum('calls'), 'call', 'calls')} of the finding`,
          estimated ? `, and ${f.times(sum('maybe'), 'copy', 'copies')} of its line that were not checked` : '',
          several ? '. Each row is what the timeline shows as one block' : '',
          '.',
        ),
        table('All evidence', columns, calls.slice(0, count), { class: 'long' }),
        count < calls.length
          ? note(
              `The first ${f.count(count)} of ${f.count(calls.length)} rows. `,
              link(`${f.count(Math.min(AT_ONCE, calls.length - count))} more`, () => show(count + AT_ONCE)),
            )
          : null,
      );
    show(AT_ONCE);
    return place;
  }
}
