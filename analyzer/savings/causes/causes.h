/* What each finding's repair saves, and the findings by their causes: fills `saves` of the findings, `causes`,
 * `together` and what says how good the replay is. docs/rules/analysis.md, "What a repair saves". */
#ifndef XFERSPY_ANALYZER_CAUSES_CAUSES_H
#define XFERSPY_ANALYZER_CAUSES_CAUSES_H

#include "analyzer/findings/engine/analyse.h"

/* xs_analyse, and the causes. What every command calls that shows findings. */
int xs_diagnose(const struct xs_trace *trace, const struct xs_analysis_options *options, struct xs_findings **findings,
                char *message);

#endif
