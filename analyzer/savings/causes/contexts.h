/* Finds what a framework did at each finding (analyzer/trace/framework/framework_context.h), from the rows of the
 * finding's first instances. */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_CONTEXTS_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_CONTEXTS_H

#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Sets `context` of the findings that have a known context. Negative status: the message is set. */
int xs_contexts_read(const struct xs_trace *trace, struct xs_diagnosis *diagnosis, char *message);

/* Measures the host's time before uploads that a library stages in page-locked memory. If this time is too short for
 * copying the data within host memory, `host_copy` of the finding's context becomes XS_HOST_COPY_NONE. */
void xs_contexts_time(struct xs_diagnosis *diagnosis, const struct xs_plan *plan);

#endif
