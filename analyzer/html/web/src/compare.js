// Two runs: whether the change paid, and what is gone, new, grew and shrank. All of it is what `xferspy diff --json`
// says, in the words of its text.
import { Chart, axis, base, card, colour, tooltip } from './chart.js';
import { h, table } from './dom.js';
import * as f from './format.js';

const CHART_ROWS = 12;
const NUMBERS = 'Numbers of the run';
const CHANGES = { disappeared: 'gone', appeared: 'new', unchanged: 'same', 'not-checked': 'unchecked' };
const DECIDED_BY = { count: 'number', bytes: 'size', device_ns: 'time', host_ns: 'time', gives_back_ns: 'saving' };
const FORMATS = { ns: f.ns, bytes: f.bytes, count: f.count };
const SAVES = ['gives_back_ns', 'Saves', f.ns];
const MEASURES = [
  SAVES,
  ['count', 'Count', f.count],
  ['bytes', 'Bytes', f.bytes],
  ['device_ns', 'Device time', f.ns],
  ['exposed_ns', 'Exposed', f.ns],
  ['host_ns', 'In the calls', f.ns],
];

const text = (ascii) => f.minus(f.units(ascii));
const sentence = (ascii) => `${ascii[0].toUpperCase()}${text(ascii).slice(1)}.`;
const median = (side, format) => (side.median === null ? '–' : format(side.median));
const known = (of) => of.before.median !== null || of.after.median !== null;

function place(finding) {
  const site = finding.site_after ?? finding.site_before;
  const at = site?.call_site;
  if (!at) return site?.entry_point ?? 'unknown';
  const name = (path) => path.split('/').slice(-2).join('/');
  const where = at.file ? `${name(at.file)}${at.line ? `:${at.line}` : ''}` : at.module ? name(at.module) : '';
  return [where, at.function].filter(Boolean).join(' in ') || site.entry_point;
}

// The column of a measure: its change, and below it what it was and is; none where neither run knows it. `bound` is
// what stands before a value of a row and side.
function columns(rows, key, title, format, bound) {
  if (!rows.some((row) => known(row[key]))) return [];
  const value = (row, side) =>
    `${row[key][side].median ? (bound?.(row, side) ?? '') : ''}${median(row[key][side], format)}`;
  return [
    {
      title,
      number: true,
      cell: (row) =>
        known(row[key])
          ? [
              change(row[key], format),
              h(
                'div',
                { class: 'dim' },
                h('span', {}, `${value(row, 'before')} →`),
                ' ',
                h('span', {}, value(row, 'after')),
              ),
            ]
          : '–',
    },
  ];
}

function change(of, format) {
  if (of.delta === null) return '';
  return h('span', { class: of.delta > 0 ? 'worse' : of.delta < 0 ? 'better' : 'dim' }, f.signed(of.delta, format));
}

function percent(of) {
  if (of.delta === null || !of.before.median) return '';
  if (!of.delta) return '0 %';
  const share = Math.abs(of.delta) / of.before.median;
  // nearly all is not all
  if (of.delta < 0 && of.after.median && share >= 0.9945) return `−${Math.min(99.9, share * 100).toFixed(1)}\u00a0%`;
  return `${of.delta > 0 ? '+' : '−'}${f.share(share, 1)}`;
}

// What it grew or shrank by stands with the word: the number beside it may have gone the other way.
function changed(row) {
  const word = CHANGES[row.change] ?? row.change;
  const by = row.change === 'grew' || row.change === 'shrank' ? DECIDED_BY[row.decided_by] : null;
  return by ? [word, h('div', { class: 'dim' }, `in ${by}`)] : word;
}

export function compare(runs, diff) {
  const name = (finding) => finding.name_before ?? finding.name_after;
  const ranges = runs.map(({ findings }) => new Set(findings.filter((of) => of.up_to).map((of) => of.name)));
  const upTo = (row, side) => (ranges[side === 'before' ? 0 : 1].has(row[`name_${side}`]) ? 'up to ' : '');
  // not all contents were checked: how many there are is an estimate
  const about = (row) => (row.is_estimate ? 'about ' : '');
  const bounds = { gives_back_ns: upTo, count: about };
  const together = runs.some(({ report }) => report.causes.some((cause) => cause.findings.length > 1));
  const metrics = diff.metrics.filter((metric) => known(metric) && (metric.before.median || metric.after.median));
  const drawn = diff.findings
    .filter((finding) => finding.gives_back_ns.before.median || finding.gives_back_ns.after.median)
    .slice(0, CHART_ROWS);
  const where = h('div', {
    class: 'chart',
    role: 'img',
    'aria-label': 'What the repair of each finding saves, before and after; the table below has the numbers',
  });
  where.style.height = `${drawn.length * 34 + 50}px`;
  const bar = (side, shade) => ({
    name: side,
    type: 'bar',
    barMaxWidth: 10,
    itemStyle: { color: colour(shade) },
    data: drawn.map((finding) => finding.gives_back_ns[side].median ?? 0),
  });
  const option = () => ({
    ...base(),
    tooltip: tooltip((item) =>
      card(name(drawn[item.dataIndex]), [
        ['at', place(drawn[item.dataIndex])],
        ...['before', 'after'].map((side) => [
          side,
          upTo(drawn[item.dataIndex], side) + median(drawn[item.dataIndex].gives_back_ns[side], f.ns),
        ]),
      ]),
    ),
    grid: { left: 158, right: 20, top: 4, bottom: 26 },
    xAxis: axis({ type: 'value', axisLabel: { formatter: (v) => f.ns(v), hideOverlap: true } }),
    yAxis: axis({
      type: 'category',
      inverse: true,
      data: drawn.map(name),
      axisLabel: { color: colour('text'), width: 146, overflow: 'truncate' },
    }),
    series: [bar('before', 'before'), bar('after', 'after')],
  });
  const state = { title: 'Change', cell: changed };
  // what it is and where in one column, so that all others have room on a narrow page
  const what = {
    title: 'Finding',
    cell: (row) => [name(row), h('div', { class: 'dim mono' }, place(row))],
  };
  const entry = (row) => (row.site_after ?? row.site_before)?.entry_point ?? '';
  const at = {
    title: 'Where',
    cell: (row) => [
      h('span', { class: 'mono' }, place(row)),
      place(row) === entry(row) ? null : h('div', { class: 'dim mono' }, entry(row)),
    ],
  };
  const left = (all, shown) =>
    all > shown ? h('p', { class: 'note' }, `The ${f.count(shown)} that changed most, of ${f.count(all)}.`) : null;
  const element = h(
    'div',
    {},
    h(
      'section',
      { class: 'panel', 'aria-label': 'Diff' },
      h('div', { class: 'tools' }, h('h2', {}, 'Before and after')),
      h('p', { class: 'verdict' }, text(diff.verdict.text)),
      [diff.verdict.own_text, diff.verdict.gain_text]
        .filter(Boolean)
        .map((line) => h('p', { class: 'note said' }, sentence(line))),
      h('p', { class: 'note' }, sentence(diff.verdict.spread)),
      diff.notes.map((note) => h('p', { class: 'note' }, note)),
      h(
        'p',
        { class: 'note' },
        'Before: ',
        h('span', { class: 'mono' }, runs[0].report.trace),
        '. After: ',
        h('span', { class: 'mono' }, runs[1].report.trace),
        '.',
      ),
    ),
    h(
      'section',
      { class: 'panel', 'aria-label': 'By finding' },
      h(
        'div',
        { class: 'tools' },
        h('h2', {}, 'By finding'),
        drawn.length
          ? h(
              'div',
              { class: 'keys' },
              h('span', { class: 'key' }, h('span', { class: 'swatch before' }), 'before'),
              h('span', { class: 'key' }, h('span', { class: 'swatch after' }), 'after'),
            )
          : null,
      ),
      diff.findings.length
        ? [
            drawn.length ? where : null,
            table(
              'Findings before and after',
              [
                what,
                state,
                ...MEASURES.flatMap((measure) =>
                  columns(diff.findings, ...measure, bounds[measure[0]]),
                ),
              ],
              diff.findings,
              { class: 'compared' },
            ),
            diff.findings.some((row) => row.is_estimate)
              ? h(
                  'p',
                  { class: 'note' },
                  'Where a count is “about” so many, not all contents were checked; times are of the copies that were.',
                )
              : null,
            together
              ? h(
                  'p',
                  { class: 'note' },
                  'Findings of one cause save the same time, so their times have no sum; ' +
                    'what all repairs save together is at the top of the page.',
                )
              : null,
            left(diff.finding_count, diff.findings.length),
          ]
        : h('p', { class: 'empty' }, 'Neither run has findings.'),
    ),
    h(
      'section',
      { class: 'panel', 'aria-label': 'By call site' },
      h('div', { class: 'tools' }, h('h2', {}, 'By call site')),
      diff.call_sites.length
        ? [
            table(
              'Call sites before and after',
              [
                at,
                state,
                ...MEASURES.flatMap((measure) => columns(diff.call_sites, ...measure)),
              ],
              diff.call_sites,
              { class: 'compared' },
            ),
            left(diff.call_site_count, diff.call_sites.length),
          ]
        : h('p', { class: 'empty' }, 'Neither run has transfers.'),
    ),
    h(
      'section',
      { class: 'panel', 'aria-label': NUMBERS },
      h('div', { class: 'tools' }, h('h2', {}, NUMBERS)),
      table(
        'Both runs',
        [
          { title: 'Of the run', text: (metric) => metric.title },
          { title: 'Before', number: true, text: (metric) => median(metric.before, FORMATS[metric.unit]) },
          { title: 'After', number: true, text: (metric) => median(metric.after, FORMATS[metric.unit]) },
          { title: 'Change', number: true, cell: (metric) => change(metric, FORMATS[metric.unit]) },
          { title: 'Of before', number: true, text: percent },
        ],
        metrics,
      ),
    ),
  );
  const chart = drawn.length ? new Chart(where, option) : null;
  return { element, dispose: () => chart?.dispose() };
}
