// What `xferspy try` measured.
import * as f from './format.js';

// Returns what was measured for the first of these findings that was tried; without `findings`, for all repairs
// together. null: nothing was measured.
export function triedOf(run, findings) {
  const of = (name) => (run.report.tried ?? []).findIndex((item) => item.finding === name);
  const index = findings ? findings.map((finding) => of(finding.name)).find((i) => i >= 0) : of(null);
  const texts = run.tried_texts[index];
  if (!texts) return null;
  return { ...run.report.tried[index], change: f.units(texts.change_text), rest: f.units(texts.rest_text) };
}

// Whether the program did something else with the repair: then its gain is none.
export const outputChanged = ({ output }) => output === 'differs' || output === 'ends-otherwise';
