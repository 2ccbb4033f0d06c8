/* Finds what the repairs of a trace's findings save, and the causes of the findings. Rule: docs/rules/analysis.md,
 * "What a repair saves". */
#ifndef XFERSPY_ANALYZER_SAVINGS_CAUSES_FIND_SAVINGS_H
#define XFERSPY_ANALYZER_SAVINGS_CAUSES_FIND_SAVINGS_H

#include "analyzer/findings/engine/analyse.h"
#include "analyzer/savings/causes/diagnosis.h"

/* Runs xs_analyse, then finds the causes. Every command that shows findings calls this. `options` may be NULL; if
 * `keeps_repairables` is false, xs_findings.repairables is freed again. Negative status: the message is set. */
int xs_diagnose(const struct xs_trace *trace, const struct xs_analysis_options *options,
                struct xs_diagnosis **diagnosis, char *message);

#endif
