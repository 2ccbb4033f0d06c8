/* Detours over the host: what is downloaded, worked on by the program and uploaded, again and again between the same
 * two places. docs/rules/analysis.md, "Detours over the host", has the rule. */
#ifndef XFERSPY_ANALYZER_CAUSES_DETOURS_H
#define XFERSPY_ANALYZER_CAUSES_DETOURS_H

#include "analyzer/savings/causes/plan.h"

/* Sets `detours` of the findings, and `detour` of each finding whose copies are part of one. `run_ns` is the replay of
 * the run as it is. Clears the plan. Negative status: the message is set. */
int xs_detours_find(struct xs_findings *findings, struct xs_plan *plan, const struct xs_trace *trace, int64_t run_ns,
                    char *message);

#endif
