/* The files that judge a trace share these declarations. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CHECK_JUDGE_INTERNAL_H
#define XFERSPY_ANALYZER_COMMANDS_CHECK_JUDGE_INTERNAL_H

#include "analyzer/commands/check/judge.h"

/* The state of one trace while it is judged. */
struct xs_judge {
    const struct xs_reading *reading;
    const struct xs_check_terms *terms;
    struct xs_judged *judged;
};

/* Returns the value of a finding that the rule compares with its limit. If the rule is `sure` and its limit is a time,
 * the value is the least saving. */
uint64_t xs_judge_measured(const struct xs_rule *rule, const struct xs_check_finding *finding);
bool xs_judge_is_suppressed(const struct xs_judge *judge, size_t finding);
/* Returns the product of a value and a share, at most INT64_MAX. */
uint64_t xs_judge_share_of(uint64_t value, double share);

/* If a rule cannot be decided because the run was repaired while it was recorded, returns a text that says so; the
 * caller frees it. NULL: the run was not repaired, or the rule is about a measured time. */
char *xs_judge_why_repaired(const struct xs_judge *judge, const struct xs_rule *rule);

/* Returns why a rule cannot be decided if its limit is inside the interval of an estimate, and what to do. The caller
 * frees the text. */
char *xs_judge_why_between(const struct xs_rule_result *result);

/* Returns why it is not certain that a rule holds, although no finding violates it; the caller frees the text. NULL:
 * the rule holds. */
char *xs_judge_why_unknown(const struct xs_judge *judge, const struct xs_rule_result *result);

#endif
