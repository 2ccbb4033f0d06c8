// Unpacks the document of the trace, which analyzer/commands/html/document.c writes.

export const directions = ['unknown', 'H2D', 'D2H', 'D2D', 'peer', 'H2H'];
export const memoryKinds = ['', 'pageable', 'pinned', 'registered', 'device', 'array', 'managed'];

export const baseName = (path) => path.split('/').pop();

// The name of a frame of a stack.
export const frameName = ({ function: name, module, address }) =>
  name ?? (module ? `${baseName(module)}+0x${address.toString(16)}` : 'unknown');

// enum xs_html_kind
export const kinds = [
  { key: 'other', name: 'other copy' },
  { key: 'h2d', name: 'upload (H2D)' },
  { key: 'd2h', name: 'download (D2H)' },
  { key: 'd2d', name: 'copy on a device (D2D)' },
  { key: 'peer', name: 'copy between devices' },
  { key: 'h2h', name: 'copy on the host' },
  { key: 'kernel', name: 'kernel' },
  { key: 'wait', name: 'wait of the host' },
  { key: 'memset', name: 'memset' },
  { key: 'alloc', name: 'allocation or free' },
];
export const KERNEL = 6;

function laneLabel(lane, severalContexts) {
  if (lane.others) return { thread: 'other threads', stream: 'other streams', engine: 'other work' }[lane.group];
  if (lane.group === 'thread') return `${lane.name || 'thread'} ${lane.tid ?? lane.thread}`;
  const device = lane.device >= 0 ? `GPU ${lane.device}` : 'GPU ?';
  if (lane.group === 'stream') {
    const own = { '0x0': 'default', '0x1': 'default', '0x2': 'thread' }[lane.handle];
    // short, since what does not fit is cut off
    return severalContexts
      ? `${device} ctx ${lane.context} ${own ?? 'stream'} ${lane.queue}`
      : `${device} ${own ? `${own} stream` : 'stream'} ${lane.queue}`;
  }
  const key = kinds[lane.work]?.key;
  return `${device} ${{ h2d: 'H2D', d2h: 'D2H', d2d: 'D2D', h2h: 'H2H', kernel: 'kernels' }[key] ?? key ?? 'work'}`;
}

function unpackLane(lane, base, severalContexts) {
  const size = lane.start.length;
  const start = new Float64Array(size);
  const end = new Float64Array(size);
  let at = 0;
  let longest = 0;
  for (let i = 0; i < size; i++) {
    at += lane.start[i];
    start[i] = at;
    end[i] = at + lane.length[i];
    if (lane.length[i] > longest) longest = lane.length[i];
  }
  return { ...lane, base, size, start, end, longest, label: laneLabel(lane, severalContexts) };
}

// By finding a map from the number of a segment, through all lanes, to how many of its calls are meant.
function unpackMarked(marked) {
  return marked.map((pairs) => {
    const places = new Map();
    let place = 0;
    for (let i = 0; i < pairs.length; i += 2) {
      place += pairs[i];
      places.set(place, pairs[i + 1]);
    }
    return places;
  });
}

function unpackRun(run) {
  const report = run.report[0];
  let base = 0;
  const contexts = new Set(
    run.timeline.lanes
      .filter((lane) => lane.group === 'stream' && !lane.others)
      .map((lane) => `${lane.device} ${lane.context}`),
  );
  const severalContexts = contexts.size > new Set([...contexts].map((one) => one.split(' ')[0])).size;
  const lanes = run.timeline.lanes.map((lane) => {
    const unpacked = unpackLane(lane, base, severalContexts);
    base += unpacked.size;
    return unpacked;
  });
  const same = (finding) => (site) =>
    site.entry_point === finding.site &&
    ['function', 'file', 'line', 'module'].every(
      (key) => (site[key] ?? null) === (finding.call_site?.[key] ?? null),
    );
  const findings = report.findings.map((finding, i) => ({
    ...finding,
    ...run.details[i],
    index: i,
    site_index: run.sites.findIndex(same(finding)), // -1: none of those that are shown
  }));
  const first = Math.min(0, run.timeline.first_ns);
  return {
    ...run,
    report,
    findings,
    lanes,
    first,
    last: Math.max(run.timeline.last_ns, report.run.duration_ns, first + 1),
    marked: unpackMarked(run.timeline.marked),
    // copies that the sample left out, at the line of a finding that is an estimate from others
    unchecked: unpackMarked(run.timeline.unchecked),
    name: baseName(report.trace),
    duration: report.run.duration_ns,
  };
}

export function readDocument() {
  const text = document.getElementById('document').textContent;
  const packed = JSON.parse(text);
  return { runs: packed.runs.map(unpackRun), diff: packed.diff?.[0] ?? null };
}

export function siteLabel(site) {
  return site ? site.label || (site.entry_point ?? 'unknown') : 'several call sites';
}
