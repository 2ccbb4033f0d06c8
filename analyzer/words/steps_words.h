/* Words the steps of a run for people and for programs: what one takes and transfers, how steps are told, and the
 * warm-up. */
#ifndef XFERSPY_ANALYZER_WORDS_STEPS_WORDS_H
#define XFERSPY_ANALYZER_WORDS_STEPS_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/findings.h"

/* Writes "1.46 ms, 1 transfer, 64.0 MiB: medians of 47 steps, whose times differ by 4 % (standard deviation); each ends
 * with the wait at train.py:18 in main (cuStreamSynchronize)". Nothing if there are no steps, or under a filter, which
 * may not show the whole run. Escaped. */
void xs_steps_say(struct xs_string *text, const struct xs_findings *findings);
/* Writes the end of that sentence: "each ends with the wait at train.py:18 in main (cuStreamSynchronize)"; nothing if
 * there are no steps. It is about the whole run, also under a filter. Escaped. */
void xs_steps_say_mark(struct xs_string *text, const struct xs_findings *findings);
/* Writes "the first 2 steps took 300 ms, with 12 transfers, 1.20 GiB"; nothing without a warm-up, without steps, or
 * under a filter. */
void xs_steps_say_warm_up(struct xs_string *text, const struct xs_findings *findings);

/* Writes the key "steps" into the open object; null if there are no steps. It is about the whole run, also under a
 * filter. */
void xs_steps_json(struct xs_json *json, const struct xs_findings *findings);

#endif
