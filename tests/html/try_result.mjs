// Prints what `xferspy try` might have measured of a trace, in its format: node try_result.mjs REPORT [CAUSES].
// CAUSES: the report has so many. The times are made up; nothing but the test of the page sees them.
import { readFileSync } from 'node:fs';

const report = readFileSync(process.argv[2], 'utf8');
const [{ run }] = JSON.parse(report).traces;
const [, start] = report.match(/"start_unix_ns": ?(\d+)/); // more digits than a number of JavaScript has
const same = { result: 'same', exits_differ: false, lines: 12, varying_lines: 0, ignored_lines: 0 };
const trial = (finding, cause, [delta, low, high], output) => ({
  finding,
  cause,
  state: 'measured',
  measured: {
    time: 'wall',
    wall: { before: { median_ns: 300e6 }, delta_ns: delta * 1e6, delta_low_ns: low * 1e6, delta_high_ns: high * 1e6 },
    rounds: 9,
    output: { ...same, ...output },
  },
});
const result = {
  format: 'xferspy-try',
  version: 1,
  identity: [run.host, run.pid, run.rank ?? -1, start].join('\t'),
  causes: [
    trial('noop-upload', 1, [-101, -104, -98], { varying_lines: 2 }),
    trial('scalar-readback', 2, [2, 1, 3], { result: 'differs' }),
  ],
  together: trial(null, null, [-103, -110, -96], {}),
  report_causes: Number(process.argv[3] ?? 2),
};
console.log(JSON.stringify(result));
