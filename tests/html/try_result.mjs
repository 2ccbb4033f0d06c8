// Prints what `xferspy try` might have measured of a trace, in its format: node try_result.mjs REPORT [CAUSES [all]].
// CAUSES: the report has so many. `all`: something of every kind that it can measure. The times are made up; nothing
// but the test of the page sees them.
import { readFileSync } from 'node:fs';

const report = readFileSync(process.argv[2], 'utf8');
const [{ run }] = JSON.parse(report).traces;
const [, start] = report.match(/"start_unix_ns": ?(\d+)/); // more digits than a number of JavaScript has
const ns = (ms) => Math.round(ms * 1e6);
const same = { result: 'same', exits_differ: false, lines: 12, varying_lines: 0, ignored_lines: 0 };
const trial = (finding, cause, [delta, low, high], output, { before = 300, runs = 9, ...more } = {}) => ({
  finding,
  cause,
  state: 'measured',
  measured: {
    time: 'wall',
    wall: { before: { median_ns: ns(before) }, delta_ns: ns(delta), delta_low_ns: ns(low), delta_high_ns: ns(high) },
    rounds: runs,
    output: { ...same, ...output },
  },
  ...more,
});
const everyKind = [
  trial('one-run', 3, [-1.0049, -1.0051, -0.00099], {}, { runs: 1, before: 9995 }),
  trial('no-change', 4, [0, -99.96, 9.996], { varying_lines: 1 }, { before: 0.9994 }),
  trial('ends', 5, [1, 0.5, 2], { exits_differ: true }, { before: 130e3 }),
  trial('varies', 6, [-1, -2, -0.5], { result: 'varies' }),
  trial('all-lines-vary', 7, [-1, -2, -0.5], { varying_lines: 12 }),
  trial('partly', 8, [-1000, -2000, -999.6], {}, { left_out: [{ verdict: 'freed', instances: 1, why: 'it is gone' }] }),
  { finding: 'not-tried', cause: 9, state: 'cannot-be-tried' },
];
const result = {
  format: 'xferspy-try',
  version: 1,
  identity: [run.host, run.pid, run.rank ?? -1, start].join('\t'),
  causes: [
    trial('noop-upload', 1, [-101, -104, -98], { varying_lines: 2 }),
    trial('scalar-readback', 2, [2, 1, 3], { result: 'differs' }),
    ...(process.argv[4] === 'all' ? everyKind : []),
  ],
  together: trial(null, null, [-103, -110, -96], {}),
  report_causes: Number(process.argv[3] ?? 2),
};
console.log(JSON.stringify(result));
