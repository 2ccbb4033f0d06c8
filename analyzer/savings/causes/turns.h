/* Finds contents that one place uploads again and again, and whether they replace each other in too few buffers
 * (docs/rules/analysis.md, "Contents that take turns"). The rows of the instances are read for this, but only for
 * findings that join several verdicts. */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_TURNS_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_TURNS_H

#include "analyzer/savings/causes/diagnosis.h"

struct xs_trace;

/* Sets `turns` of the findings that have such contents. Negative status: the message is set. */
int xs_turns_read(const struct xs_trace *trace, struct xs_diagnosis *diagnosis, char *message);

#endif
