/* What a framework did around each finding (analyzer/trace/framework/context.h), from the rows of its first instances.
 */
#ifndef XFERSPY_ANALYZER_CAUSES_CONTEXTS_H
#define XFERSPY_ANALYZER_CAUSES_CONTEXTS_H

#include "analyzer/savings/causes/plan.h"

/* Sets `context` of the findings of which something is known. Negative status: the message is set. */
int xs_contexts_read(const struct xs_trace *trace, struct xs_findings *findings, char *message);

/* Where a library copies the data of uploads into page-locked memory: how long the host takes before these uploads. If
 * that is too short for such a copy to be told from the rest, `host_copy` of the finding becomes none. */
void xs_contexts_time(struct xs_findings *findings, const struct xs_plan *plan);

#endif
