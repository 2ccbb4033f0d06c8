/* Shared by the files that judge: one trace while it is judged, and why a rule cannot be decided. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CHECK_JUDGE_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_CHECK_JUDGE_INTERNAL_H

#include "analyzer/commands/check/judge.h"

/* The state of one trace while it is judged. */
struct xs_judge {
    const struct xs_reading *reading;
    const struct xs_check_terms *terms;
    struct xs_judged *judged;
};

/* Returns a finding's number as the rule measures it: `sure' uses the least that a finding saves. */
uint64_t xs_judge_measured(const struct xs_rule *rule, const struct xs_check_finding *finding);
bool xs_judge_is_suppressed(const struct xs_judge *judge, size_t finding);
/* Returns a value plus `share` of it, limited to 64 bits. */
uint64_t xs_judge_share_of(uint64_t value, double share);

/* Returns why a rule cannot be decided, whatever its value, because the run was repaired while it was recorded; to be
 * freed. NULL: it was not, or the rule is about a measured time. */
char *xs_judge_why_repaired(const struct xs_judge *judge, const struct xs_rule *rule);

/* Returns why a rule with its limit inside an estimate's interval cannot be decided, and what to do; to be freed. */
char *xs_judge_why_between(const struct xs_rule_result *result);

/* Returns why a rule without anything found against it still cannot be said to hold, to be freed; NULL: it holds. */
char *xs_judge_why_unknown(const struct xs_judge *judge, const struct xs_rule_result *result);

#endif
