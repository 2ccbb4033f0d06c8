// The run itself: totals by direction, memory, waiting, and how much of the program the trace covers.
import { h, table } from './dom.js';
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
  return h(
    'section',
    { class: 'panel', 'aria-label': 'Transfers' },
    h('div', { class: 'tools' }, h('h2', {}, 'Transfers')),
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
      { row: (row) => (row === total ? { class: 'total' } : {}) },
    ),
    rows.some((row) => mark(row)) ? h('p', { class: 'note' }, '* Some of these have no device time.') : null,
    run.overlap_texts.map((text) => h('p', { class: 'note' }, text)),
  );
}

function coverage(run) {
  const { coverage: c, fingerprints: prints, undecided, cost } = run.report;
  const line = (name, ...value) => [h('dt', {}, name), h('dd', {}, ...value)];
  return h(
    'section',
    { class: 'panel', 'aria-label': 'Coverage' },
    h('div', { class: 'tools' }, h('h2', {}, 'What the trace covers')),
    h(
      'dl',
      { class: 'facts' },
      line(
        'Device times',
        c.cupti.status === 'active'
          ? `of ${f.count(c.matched)} of ${f.count(c.host_transfers)} transfers`
          : `none: CUPTI was ${c.cupti.status}${c.cupti.text ? ` (${c.cupti.text})` : ''}`,
      ),
      line(
        'Contents',
        `known of ${f.count(prints.taken)} of ${f.count(prints.transfers)} uploads and downloads`,
        prints.skipped.length
          ? h(
              'ul',
              {},
              prints.skipped.map((skip) => h('li', {}, `${f.count(skip.count)}: ${skip.reason ?? 'taken'}`)),
            )
          : null,
      ),
      line(
        'Call sites',
        run.report.call_sites.recorded
          ? f.times(run.report.call_sites.places, 'place', 'places')
          : 'no stacks were recorded',
      ),
      c.left_out.length
        ? line(
            'Left out',
            h(
              'ul',
              {},
              c.left_out.map((left) => h('li', {}, left.text)),
            ),
          )
        : null,
      c.damaged_rows ? line('Damaged', f.times(c.damaged_rows, 'row', 'rows')) : null,
      cost
        ? line(
            'Cost',
            `start ${f.ns(cost.begin_ns ?? cost.start_ns + cost.cupti_start_ns)}, end ${f.ns(cost.close_ns)}, ` +
              `${f.ns(cost.drain_cpu_ns)} of CPU time beside the program, ` +
              `${f.ns(cost.fingerprint_call_ns)} for contents inside its calls`,
          )
        : null,
      c.notes.length
        ? line(
            'Notes',
            h(
              'ul',
              {},
              c.notes.map((note) =>
                h('li', {}, `${note.topic}: ${note.text}${note.count > 1 ? ` (${f.count(note.count)} times)` : ''}`),
              ),
            ),
          )
        : null,
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
  return h(
    'section',
    { class: 'panel', 'aria-label': 'Memory and waiting' },
    h('div', { class: 'tools' }, h('h2', {}, 'Memory, waiting, launches')),
    allocations.length
      ? table(
          'Allocations',
          [
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
          ],
          allocations,
        )
      : null,
    syncs.length
      ? table(
          'Waits',
          [
            { title: 'Wait for', text: (row) => row.kind },
            { title: 'Count', number: true, text: (row) => f.count(row.count) },
            { title: 'Time', number: true, text: (row) => f.ns(row.ns ?? 0) },
          ],
          syncs,
        )
      : null,
    launches.length
      ? table(
          'Launches',
          [
            { title: 'Launch', text: (row) => row.kind },
            { title: 'Count', number: true, text: (row) => f.count(row.count) },
            { title: 'Device time', number: true, text: (row) => f.ns(row.device_ns) },
          ],
          launches,
        )
      : null,
    !allocations.length && !syncs.length && !launches.length ? h('p', { class: 'empty' }, 'None.') : null,
  );
}

function machine(run) {
  const { run: r, devices } = run.report;
  const line = (name, value) => (value ? [h('dt', {}, name), h('dd', {}, value)] : null);
  return h(
    'section',
    { class: 'panel', 'aria-label': 'Run' },
    h('div', { class: 'tools' }, h('h2', {}, 'Run')),
    h(
      'dl',
      { class: 'facts' },
      line('Command', h('span', { class: 'mono' }, r.command)),
      line('Folder', r.cwd && h('span', { class: 'mono' }, r.cwd)),
      line('Host', [r.host, r.os, r.cpu_model].filter(Boolean).join(', ')),
      line('Process', `${r.pid}${r.rank !== null ? `, rank ${r.rank} of ${r.world_size}` : ''}`),
      line('Started', f.date(r.start_unix_ns)),
      line(
        'Length',
        `${f.ns(r.duration_ns)}, from the first CUDA call on` +
          (r.duration_estimated ? ' to the last thing seen, as nothing says when it ended' : ''),
      ),
      line('Recorded', f.inPart(r) && `${f.ns(r.recorded_ns)} of it, in parts: shares are of that time`),
      line('Trace', `${run.report.trace} (${f.status(r)})`),
      line(
        'CUDA driver',
        r.driver_version ? `${Math.floor(r.driver_version / 1000)}.${Math.floor((r.driver_version % 1000) / 10)}` : '',
      ),
      devices.map((device) =>
        line(
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
  return h(
    'section',
    { class: 'panel', 'aria-label': 'Steps' },
    h('div', { class: 'tools' }, h('h2', {}, 'Steps')),
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
    h('p', { class: 'note' }, how ? `${how}. ` : '', spread),
  );
}

export function run({ run: of }) {
  return {
    element: h('div', { class: 'two' }, transfers(of), steps(of), memory(of), coverage(of), machine(of)),
    dispose: () => {},
  };
}
