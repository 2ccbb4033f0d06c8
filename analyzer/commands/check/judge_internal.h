/* What the files of judging share: one trace while it is judged, and why a rule cannot be decided. */
#ifndef XFERSPY_ANALYZER_CHECK_JUDGE_INTERNAL_H
#define XFERSPY_ANALYZER_CHECK_JUDGE_INTERNAL_H

#include "analyzer/commands/check/judge.h"

/* One trace while it is judged. */
struct xs_judge {
    const struct xs_reading *reading;
    const struct xs_check_terms *terms;
    struct xs_judged *judged;
};

/* A finding's number as the rule measures it: `sure' goes by the least that a finding saves. */
uint64_t xs_judge_measured(const struct xs_rule *rule, const struct xs_check_finding *finding);
bool xs_judge_is_suppressed(const struct xs_judge *judge, size_t finding);
/* `share` more of a value, as far as 64 bits go. */
uint64_t xs_judge_share_of(uint64_t value, double share);

/* Why a rule cannot be decided, whatever its value, because the run was repaired while it was recorded; to be freed.
 * NULL: it was not, or the rule is about a time that was measured. */
char *xs_judge_why_repaired(const struct xs_judge *judge, const struct xs_rule *rule);

/* Why a rule whose limit lies in the interval of an estimate cannot be decided, and what to do; to be freed. */
char *xs_judge_why_between(const struct xs_rule_result *result);

/* Why a rule that nothing was found against still cannot be said to hold, to be freed; NULL: it holds. */
char *xs_judge_why_unknown(const struct xs_judge *judge, const struct xs_rule_result *result);

#endif
