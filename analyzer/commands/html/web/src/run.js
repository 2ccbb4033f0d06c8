// The run itself: totals by direction, memory, waiting, and how much of the program the trace covers.
import { bullets, empty, fact, h, mono, note, panel, table } from './dom.js';
import * as f from './format.js';

const upper = (name) => (name === 'unknown' ? '?' : name.length === 3 ? name.toUpperCase() : name);

function groupName(group) {
  const host = group.direction === 'h2d' ? group.src_kind : group.direction === 'd2h' ? group.dst_kind : '';
  return `${upper(group.direction)} ${host}`.trim();
}

function transfers(run) {
  const { transfers: t, run: facts, link_model: link } = run.report;
  const total = { ...t.total, name: 'total' };
  const rows = [...t.by_direction.map((group) => ({ ...group, name: groupName(group) })), total];
  const mark = (row) => (row.timed_count && row.timed_count < row.count ? '*' : '');
  return panel(
    'Transfers',
    'Transfers',
    table(
      'Transfers by direction and memory',
      [
        { title: 'Transfers', text: (row) => row.name },
        { title: 'Count', number: true, text: (row) => f.count(row.count) },
        { title: 'Bytes', number: true, text: (row) => f.bytes(row.bytes) },
        { title: 'Device time', number: true, text: (row) => (row.timed_count ? f.ns(row.device_ns) + mark(row) : '') },
        { title: 'Rate', number: true, text: (row) => (row.bytes_per_s ? f.rate(row.bytes_per_s) + mark(row) : '') },
        {
          title: 'Of link',
          number: true,
          text: (row) =>
            row !== total &&
            row.bytes_per_s &&
            link.peak_bytes_per_s &&
            ['h2d', 'd2h', 'h2h'].includes(row.direction)
              ? f.share(row.bytes_per_s, link.peak_bytes_per_s)
              : '',
        },
        {
          title: f.inPart(facts) ? 'Of recorded' : 'Of run',
          number: true,
          text: (row) => (row.timed_count ? f.share(row.device_ns, facts.recorded_ns) : ''),
        },
        { title: 'In the calls', number: true, text: (row) => f.ns(row.host_ns) },
      ],
      rows,
      { row: (row) => (row === total ? { class: 'total' } : {}), last: (row) => row === total },
    ),
    rows.some((row) => mark(row)) ? note('* Some of these have no device time.') : null,
    run.overlap_texts.map((text) => note(text)),
  );
}

function coverage(run) {
  const { coverage: c, call_sites: sites, fingerprints: prints, undecided, cost } = run.report;
  return panel(
    'Coverage',
    'What the trace covers',
    h(
      'dl',
      { class: 'facts' },
      fact(
        'Device times',
        c.cupti.status === 'active'
          ? `of ${f.count(c.matched)} of ${f.count(c.host_transfers)} transfers`
          : `none: CUPTI was ${c.cupti.status}${c.cupti.text ? ` (${c.cupti.text})` : ''}`,
      ),
      fact(
        'Contents',
        `known of ${f.count(prints.taken)} of ${f.count(prints.transfers)} uploads and downloads`,
        bullets(prints.skipped.map((skip) => `${f.count(skip.count)}: ${skip.reason ?? 'taken'}`)),
      ),
      fact('Call sites', sites.recorded ? f.times(sites.places, 'place', 'places') : 'no stacks were recorded'),
      fact('Left out', bullets(c.left_out.map((left) => left.text))),
      fact('Damaged', c.damaged_rows && f.times(c.damaged_rows, 'row', 'rows')),
      fact(
        'Cost',
        cost &&
          `start ${f.ns(cost.begin_ns ?? cost.start_ns + cost.cupti_start_ns)}, end ${f.ns(cost.close_ns)}, ` +
            `${f.ns(cost.drain_cpu_ns)} of CPU time beside the program, ` +
            `${f.ns(cost.fingerprint_call_ns)} for contents inside its calls`,
      ),
      fact(
        'Notes',
        bullets(
          c.notes.map(({ topic, text, count }) => `${topic}: ${text}${count > 1 ? ` (${f.count(count)} times)` : ''}`),
        ),
      ),
    ),
    undecided.length
      ? h(
          'div',
          {},
          h('h3', {}, 'Undecided'),
          table(
            'Undecided',
            [
              { title: 'Finding', text: (row) => row.finding },
              { title: 'Why', text: (row) => row.reason },
              { title: 'Count', number: true, text: (row) => f.count(row.count) },
            ],
            undecided,
          ),
        )
      : null,
  );
}

function memory(run) {
  const { allocations, syncs, launches } = run.report;
  const some = (title, rows, columns) => (rows.length ? table(title, columns, rows) : null);
  return panel(
    'Memory and waiting',
    'Memory, waiting, launches',
    some('Allocations', allocations, [
      { title: 'Memory', text: (row) => row.kind },
      { title: 'Allocations', number: true, text: (row) => f.count(row.count) },
      { title: 'Bytes', number: true, text: (row) => f.bytes(row.bytes) },
      { title: 'Peak', number: true, text: (row) => f.bytes(row.peak_bytes) },
      { title: 'In the calls', number: true, text: (row) => f.ns(row.host_ns + row.free_host_ns) },
      {
        title: 'Live at the end',
        number: true,
        text: (row) => (row.live_count ? `${f.count(row.live_count)}, ${f.bytes(row.live_bytes)}` : ''),
      },
    ]),
    some('Waits', syncs, [
      { title: 'Wait for', text: (row) => row.kind },
      { title: 'Count', number: true, text: (row) => f.count(row.count) },
      { title: 'Time', number: true, text: (row) => f.ns(row.ns ?? 0) },
    ]),
    some('Launches', launches, [
      { title: 'Launch', text: (row) => row.kind },
      { title: 'Count', number: true, text: (row) => f.count(row.count) },
      { title: 'Device time', number: true, text: (row) => f.ns(row.device_ns) },
    ]),
    !allocations.length && !syncs.length && !launches.length ? empty('None.') : null,
  );
}

function machine(run) {
  const { run: r, devices } = run.report;
  return panel(
    'Run',
    'Run',
    h(
      'dl',
      { class: 'facts' },
      fact('Command', mono(r.command)),
      fact('Folder', r.cwd && mono(r.cwd)),
      fact('Host', [r.host, r.os, r.cpu_model].filter(Boolean).join(', ')),
      fact('Process', `${r.pid}${r.rank !== null ? `, rank ${r.rank} of ${r.world_size}` : ''}`),
      fact('Started', f.date(r.start_unix_ns)),
      fact(
        'Length',
        `${f.ns(r.duration_ns)}, from the first CUDA call on` +
          (r.duration_estimated ? ' to the last thing seen, as nothing says when it ended' : ''),
      ),
      fact('Recorded', f.inPart(r) && `${f.ns(r.recorded_ns)} of it, in parts: shares are of that time`),
      fact('Trace', `${run.report.trace} (${f.status(r)})`),
      fact(
        'CUDA driver',
        r.driver_version && `${Math.floor(r.driver_version / 1000)}.${Math.floor((r.driver_version % 1000) / 10)}`,
      ),
      devices.map((device) =>
        fact(
          `GPU ${device.id}`,
          `${device.name}${device.memory_bytes ? `, ${f.bytes(device.memory_bytes)}` : ''}` +
            `${device.link_generation ? `, PCIe gen${device.link_generation} x${device.link_width}` : ''}` +
            `${device.link_peak_bytes_per_s ? `, peak ${f.rate(device.link_peak_bytes_per_s)} each way` : ''}`,
        ),
      ),
    ),
  );
}

// What one round of the program's loop takes and copies, and the first rounds that took longer.
function steps(run) {
  const { steps: s } = run.report;
  if (!s) return null;
  const { count, warm_up: first, median } = s;
  const how = run.steps_mark_text;
  const rows = [
    { name: `a step: the median of ${f.count(count - (first?.count ?? 0))}`, ...median },
    first?.count && { name: `warm-up: the first ${f.times(first.count, 'step', 'steps')} together`, ...first },
  ].filter(Boolean);
  const spread = `The steps differ by ${f.share(s.spread, 1) || '0 %'} (standard deviation).`;
  return panel(
    'Steps',
    'Steps',
    table(
      'Steps',
      [
        { title: 'Steps', text: (row) => row.name },
        { title: 'Time', number: true, text: (row) => f.ns(row.ns) },
        rows.some((row) => row.recorded_ns < row.ns * 0.99) && {
          title: 'Of it recorded',
          number: true,
          text: (row) => f.ns(row.recorded_ns),
        },
        { title: 'Transfers', number: true, text: (row) => f.count(row.transfers) },
        { title: 'Bytes', number: true, text: (row) => f.bytes(row.bytes) },
      ].filter(Boolean),
      rows,
    ),
    note(how ? `${how}. ` : '', spread),
  );
}

export function run({ run: of }) {
  return {
    element: h('div', { class: 'two' }, transfers(of), steps(of), memory(of), coverage(of), machine(of)),
    dispose: () => {},
  };
}
