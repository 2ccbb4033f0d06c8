/* Says in plain sentences which parts of the run were recorded, if not the whole run was. The head of the text report
 * and Markdown, `check`, the page and JSON share these sentences. */
#ifndef XFERSPY_ANALYZER_WORDS_RECORDED_PARTS_WORDS_H
#define XFERSPY_ANALYZER_WORDS_RECORDED_PARTS_WORDS_H

#include "analyzer/base/text.h"
#include "analyzer/totals/summary/summary.h"

/* If only a part of the run was recorded, appends how much was recorded: "2.00 s of 10.0 s were looked at", or "nothing
 * was recorded". */
void xs_looked_at_say_briefly(const struct xs_summary *summary, struct xs_string *text);

/* If only a part of the run was recorded, appends a sentence that says how much was recorded, in which parts of the
 * run, and what this means for the rest of the report. If nothing was recorded, the sentence says why. */
void xs_looked_at_say(const struct xs_summary *summary, struct xs_string *text);

/* Returns who chose the recorded parts, if they are no steps: "XFERSPY_WINDOW asks for". */
const char *xs_parts_chooser(const struct xs_recorded_steps *steps);

#endif
