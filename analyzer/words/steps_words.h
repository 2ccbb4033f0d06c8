/* Describes the steps of a run for people and for programs: how long a step takes and what it transfers, how the steps
 * are recognized, and the warm-up. */
#ifndef XFERSPY_ANALYZER_WORDS_STEPS_WORDS_H
#define XFERSPY_ANALYZER_WORDS_STEPS_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/findings.h"

/* Writes "1.46 ms, with 1 transfer, 64.0 MiB (medians of 47 steps; standard deviation of their times: 4 %). Each step
 * ends with the wait at train.py:18 in main (cuStreamSynchronize)". Writes nothing if there are no steps, or if there
 * is a filter, which may hide a part of the run. The text is escaped. */
void xs_steps_say(struct xs_string *text, const struct xs_findings *findings);
/* Writes the second sentence of xs_steps_say: "Each step ends with the wait at train.py:18 in main
 * (cuStreamSynchronize)"; nothing if there are no steps. The sentence is about the whole run, even if there is a
 * filter. The text is escaped. */
void xs_steps_say_mark(struct xs_string *text, const struct xs_findings *findings);
/* Writes "the first 2 steps took 300 ms, with 12 transfers, 1.20 GiB"; nothing if there is no warm-up, if there are no
 * steps, or if there is a filter. */
void xs_steps_say_warm_up(struct xs_string *text, const struct xs_findings *findings);

/* Writes the key "steps" into the open object; null if there are no steps. The object is about the whole run, even if
 * there is a filter. */
void xs_steps_json(struct xs_json *json, const struct xs_findings *findings);

#endif
