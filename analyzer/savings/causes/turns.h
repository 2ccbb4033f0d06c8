/* Contents that are uploaded to a place again and again, and whether they take turns in too few buffers
 * (docs/rules/analysis.md, "Contents that take turns"): from the rows of the instances of findings whose verdicts join.
 */
#ifndef XFERSPY_ANALYZER_CAUSES_TURNS_H
#define XFERSPY_ANALYZER_CAUSES_TURNS_H

#include "analyzer/savings/causes/instances.h"

struct xs_trace;

/* Sets `turns` of the findings where there is something to say. `all` has to be sorted. Negative status: the message is
 * set. */
int xs_turns_read(const struct xs_trace *trace, struct xs_findings *findings, const struct xs_repairables *all,
                  char *message);

#endif
