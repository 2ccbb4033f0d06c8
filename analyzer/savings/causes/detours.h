/* Finds detours over the host: data that is downloaded, changed by the program and uploaded, again and again by the
 * same two places of the program. Rule: docs/rules/analysis.md, "Detours over the host". */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_DETOURS_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_DETOURS_H

#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/savings/plan/replay_plan.h"

/* Sets `detours` of the diagnosis, and `detour` of each finding that has copies in a detour. `run_ns` is the duration
 * of a replay of the unchanged run. Clears the plan. Negative status: the message is set. */
int xs_detours_find(struct xs_diagnosis *diagnosis, struct xs_plan *plan, const struct xs_trace *trace, int64_t run_ns,
                    char *message);

#endif
