/* The steps of a run for people and for programs: what one takes and transfers, how steps are told, and the warm-up. */
#ifndef XFERSPY_ANALYZER_FINDINGS_STEPS_WORDS_H
#define XFERSPY_ANALYZER_FINDINGS_STEPS_WORDS_H

#include "analyzer/base/json.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/findings.h"

/* "1.46 ms, 1 transfer, 64.0 MiB: medians of 47 steps, whose times differ by 4 % (standard deviation); each ends with
 * the wait at train.py:18 in main (cuStreamSynchronize)". Nothing where there are no steps, and none of the whole run
 * is to be shown: under a filter. Escaped. */
void xs_steps_say(struct xs_string *text, const struct xs_findings *findings);
/* "each ends with the wait at train.py:18 in main (cuStreamSynchronize)", the end of the sentence above; nothing where
 * there are no steps. Of the whole run, also under a filter. Escaped. */
void xs_steps_say_mark(struct xs_string *text, const struct xs_findings *findings);
/* "the first 2 steps took 300 ms, with 12 transfers, 1.20 GiB"; nothing where there is no warm-up, and as above. */
void xs_steps_say_warm_up(struct xs_string *text, const struct xs_findings *findings);

/* Key "steps" of the object that is open; null where there are none. Of the whole run, also under a filter. */
void xs_steps_json(struct xs_json *json, const struct xs_findings *findings);

#endif
