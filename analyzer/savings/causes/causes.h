/* Fills `saves` of the findings, `causes`, `together` and the fields that say how good the replay is. Rule:
 * docs/rules/analysis.md, "What a repair saves". */
#ifndef XFERSPY_ANALYZER_CAUSES_CAUSES_H
#define XFERSPY_ANALYZER_CAUSES_CAUSES_H

#include "analyzer/findings/engine/analyse.h"

/* Runs xs_analyse, then finds the causes. Every command that shows findings calls this. */
int xs_diagnose(const struct xs_trace *trace, const struct xs_analysis_options *options, struct xs_findings **findings,
                char *message);

#endif
