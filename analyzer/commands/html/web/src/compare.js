// Two runs: whether the change paid, and what is gone, new, grew and shrank. All of it is what `xferspy diff --json`
// says, in the words of its text.
import { empty, h, mono, note, panel, table } from './dom.js';
import * as f from './format.js';
import { Joined, changed, place } from './joined.js';
import { Pair } from './pair.js';

const NUMBERS = 'Numbers of the run';
const FORMATS = { ns: f.ns, bytes: f.bytes, count: f.count };
const SAVES = ['saves_ns', 'Saves', f.ns];
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

// The column of a measure: its change, and below it what it was and is; none where neither run knows it. `bound` is
// what stands before a value of a row and side.
function columns(rows, key, title, format, bound) {
  if (!rows.some((row) => known(row[key]))) return [];
  const value = (row, side) =>
    `${row[key][side].median ? (bound?.(row, side) ?? '') : ''}${median(row[key][side], format)}`;
  const part = (text) => h('span', {}, text);
  return [
    {
      title,
      number: true,
      value: (row) => row[key].delta ?? -Infinity,
      cell: (row) =>
        known(row[key])
          ? [
              change(row[key], format, isSaid(row, key)),
              h('div', { class: 'dim' }, part(`${value(row, 'before')} →`), ' ', part(value(row, 'after'))),
            ]
          : '–',
    },
  ];
}

// Whether a difference is what the row's word says, and not what any two runs differ by: then it has a colour.
function isSaid(row, key) {
  if (row.change === 'disappeared' || row.change === 'appeared') return true;
  if (row.change !== 'grew' && row.change !== 'shrank') return false;
  return key === row.decided_by || row[key].certainty === 'beyond-spread';
}

// Whether a number of the run has a colour. Counts and bytes are the same in every run, so a few runs are enough.
const isTold = ({ certainty, unit }) =>
  certainty === 'beyond-spread' || (certainty === 'too-few-runs' && unit !== 'ns');

function change(of, format, colored) {
  if (of.delta === null) return '';
  const side = of.delta > 0 ? 'worse' : 'better';
  return h('span', { class: !of.delta ? 'dim' : colored ? side : null }, f.signed(of.delta, format));
}

function percent(of) {
  if (of.delta === null || !of.before.median) return '';
  if (!of.delta) return '0 %';
  const share = Math.abs(of.delta) / of.before.median;
  // nearly all is not all
  if (of.delta < 0 && of.after.median && share >= 0.9945) return `−${Math.min(99.9, share * 100).toFixed(1)}\u00a0%`;
  return `${of.delta > 0 ? '+' : '−'}${f.share(share, 1)}`;
}

// `evidence` as of Pair.
export function compare(runs, diff, narrow, evidence) {
  const isRange = (finding) => !finding.advice && finding.saves?.up_to;
  const ranges = runs.map(({ findings }) => new Set(findings.filter(isRange).map((of) => of.name)));
  const upTo = (row, side) => (ranges[side === 'before' ? 0 : 1].has(row[`name_${side}`]) ? 'up to ' : '');
  // not all contents were checked: how many there are, and their times, are estimates
  const about = (row) => (row.is_estimate ? 'about ' : '');
  const bounds = { saves_ns: upTo, count: about, device_ns: about, exposed_ns: about, host_ns: about };
  const together = runs.some(({ report }) => report.causes.some((cause) => cause.findings.length > 1));
  const metrics = diff.metrics.filter((metric) => known(metric) && (metric.before.median || metric.after.median));
  const entry = (row) => (row.site_after ?? row.site_before)?.entry_point ?? '';
  const at = {
    title: 'Where',
    cell: (row) => [
      h('div', { class: 'mono' }, place(row)),
      place(row) === entry(row) ? null : h('div', { class: 'dim mono' }, entry(row)),
      changed(row),
    ],
  };
  const pair = new Pair(runs, narrow, evidence);
  const joined = new Joined(
    runs,
    diff.findings,
    MEASURES.flatMap((measure) => columns(diff.findings, ...measure, bounds[measure[0]])),
    (row) => pair.choose(row),
  );
  const left = (all, shown) =>
    all > shown ? note(`The ${f.count(shown)} that changed most, of ${f.count(all)}.`) : null;
  const key = (side) => h('span', { class: 'key' }, h('span', { class: `swatch ${side}` }), `saves ${side}`);
  const element = h(
    'div',
    {},
    panel(
      'Diff',
      'Before and after',
      h('p', { class: 'verdict' }, text(diff.conclusion.text)),
      [diff.conclusion.own_text, diff.conclusion.gain_text]
        .filter(Boolean)
        .map((line) => h('p', { class: 'note said' }, sentence(line))),
      note(sentence(diff.conclusion.spread)),
      note('A minus means: less after than before. Only what the verdicts say has a colour.'),
      diff.notes.map((line) => note(line)),
      note('Before: ', mono(runs[0].report.trace), '. After: ', mono(runs[1].report.trace), '.'),
    ),
    panel(
      'By finding',
      [
        h('h2', {}, 'By finding'),
        diff.findings.length ? h('div', { class: 'keys' }, key('before'), key('after')) : null,
      ],
      diff.findings.length
        ? [
            joined.element,
            diff.findings.some((row) => row.is_estimate)
              ? note('Where it says “about”, not all contents were checked: the number is an estimate for all copies.')
              : null,
            together
              ? note(
                  'Findings of one cause save the same time, so their times have no sum; ' +
                    'what all repairs save together is at the top of the page.',
                )
              : null,
            left(diff.finding_count, diff.findings.length),
          ]
        : empty('Neither run has findings.'),
    ),
    pair.element,
    panel(
      'By call site',
      'By call site',
      diff.call_sites.length
        ? [
            table(
              'Call sites before and after',
              [at, ...MEASURES.flatMap((measure) => columns(diff.call_sites, ...measure))],
              diff.call_sites,
              { class: 'compared' },
            ),
            left(diff.call_site_count, diff.call_sites.length),
          ]
        : empty('Neither run has transfers.'),
    ),
    panel(
      NUMBERS,
      NUMBERS,
      table(
        'Both runs',
        [
          { title: 'Of the run', text: (metric) => metric.title },
          { title: 'Before', number: true, text: (metric) => median(metric.before, FORMATS[metric.unit]) },
          { title: 'After', number: true, text: (metric) => median(metric.after, FORMATS[metric.unit]) },
          {
            title: 'Change',
            number: true,
            value: (metric) => metric.delta ?? -Infinity,
            cell: (metric) => change(metric, FORMATS[metric.unit], isTold(metric)),
          },
          { title: 'Of before', number: true, text: percent },
        ],
        metrics,
      ),
    ),
  );
  joined.restore();
  pair.restore(); // a link may align both at the finding
  return {
    element,
    pair,
    joined,
    restore: () => {
      joined.restore();
      pair.restore();
    },
    shown: () => pair.update(),
    narrowed: () => pair.update(),
    dispose: () => pair.dispose(),
  };
}
