// What part of a run the timeline shows first: a representative step, with a little of the steps beside it. In a run
// without steps it is where most calls of the first finding are; if that is not known, or the run is short, all of it.
import { grouped } from './causes.js';
import * as f from './format.js';

const BESIDE = 0.3; // how much of the steps beside it is shown, as a share of the step
const CALLS = 24; // calls of the finding that are shown
const SHORT = 300; // blocks; a run with so few is shown whole
const LEAST_BLOCKS = 40; // so many are seen where blocks are the sums of calls

// The two ends with room at both sides, within the run; null where that is nearly all of it.
function within(run, from, to, room) {
  const blocks = (LEAST_BLOCKS * run.timeline.step_ns - (to - from)) / 2;
  const more = Math.max(room, blocks);
  const range = [Math.max(run.first, from - more), Math.min(run.last, to + more)].map(Math.round);
  return range[1] - range[0] < (run.last - run.first) * 0.8 ? range : null;
}

// The shortest stretch with so many calls of a finding; null: it has none.
function busiest(run, finding) {
  const calls = [];
  for (const lane of run.lanes.filter(({ group }) => group === 'thread'))
    for (let i = 0; i < lane.size; i++)
      if (run.marked[finding].has(lane.base + i)) calls.push([lane.start[i], lane.end[i]]);
  calls.sort((a, b) => a[0] - b[0]);
  const last = Math.min(CALLS, calls.length) - 1;
  let best = null;
  for (let i = 0; last >= 0 && i + last < calls.length; i++) {
    const [from, to] = [calls[i][0], calls[i + last][1]];
    if (!best || to - from < best[1] - best[0]) best = [from, to];
  }
  return best;
}

// { range, name, words }: the two ends, the name of the button that shows them, and what they are; null: all of the
// run.
export function openingOf(run) {
  const { typical_step: step } = run;
  if (step) {
    const range = within(run, step.begin_ns, step.end_ns, (step.end_ns - step.begin_ns) * BESIDE);
    const number = f.count(step.number);
    const words = `step ${number} of ${f.count(run.report.steps.count)}, whose time is closest to the median`;
    return range && { range, name: `Step ${number}`, words };
  }
  const finding = grouped(run).named[0]?.first.index;
  const size = run.lanes.reduce((sum, lane) => sum + lane.size, 0);
  const ends = size > SHORT && finding !== undefined && run.marked[finding] ? busiest(run, finding) : null;
  const range = ends && within(run, ...ends, (ends[1] - ends[0]) * 0.15 + (run.last - run.first) / 1000);
  return range && { range, name: 'Busiest', words: 'the stretch with most calls of the first finding' };
}
