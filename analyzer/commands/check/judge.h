/* Judging a run by rules (rule.h), against a baseline where there is one. What is judged is copied: the trace may be
 * closed afterwards. */
#ifndef XFERSPY_ANALYZER_CHECK_JUDGE_H
#define XFERSPY_ANALYZER_CHECK_JUDGE_H

#include "analyzer/commands/check/baseline.h"
#include "analyzer/commands/check/config.h"
#include "analyzer/commands/check/finding.h"
#include "analyzer/commands/check/rule.h"
#include "analyzer/trace/windows/capture_ranges.h"

struct xs_reading;

/* From best to worst; from XS_OUTCOME_UNKNOWN on the check fails. */
enum xs_outcome {
    XS_OUTCOME_PASS,
    XS_OUTCOME_ALLOWED, /* the trace cannot tell, and the caller accepts that */
    XS_OUTCOME_UNKNOWN, /* the trace cannot tell */
    XS_OUTCOME_FAIL,
};
extern const char *const xs_outcome_names[]; /* "pass", "allowed", "unknown", "fail" */

/* A finding against the baseline. */
enum xs_standing { XS_STANDING_NONE, XS_STANDING_SAME, XS_STANDING_GROWN, XS_STANDING_NEW };
extern const char *const xs_standing_names[]; /* NULL, "same", "grown", "new" */

struct xs_judged_state {
    long suppression; /* index in the configuration's, -1: none. One that has expired does not hold */
    long before;      /* index in the baseline's findings, -1: none */
    bool failing;     /* a rule fails because of it, or its suppression has expired */
};

struct xs_rule_result {
    const struct xs_rule *rule; /* the configuration's */
    enum xs_outcome outcome;
    bool value_known;
    bool at_most;       /* the value is the most of a range */
    uint64_t value;     /* in the rule's unit: the sum, or of `any' and `sure' the largest one */
    uint64_t least;     /* of a range of what is saved: the least of the value */
    uint64_t low, high; /* the 95 % interval of the value where it is an estimate; else both are the value */
    uint64_t limit;     /* in the same; of `any' and `sure' that of the largest one */
    bool has_base;      /* the baseline was looked at */
    uint64_t base;      /* what it had */
    uint64_t accepted;  /* findings that do not count because the baseline has them */
    char *reason;       /* why the trace cannot tell and what to do, NULL where it can. Any text, to be escaped */
    size_t *places;     /* findings that count, of `any' and `sure' those over the limit; largest first */
    size_t place_count;
};

struct xs_judged {
    char *path, *cwd, *executable, *command; /* of the trace and its run; any text */
    enum xs_outcome outcome;                 /* the worst */
    struct xs_check_findings findings;
    struct xs_judged_state *states; /* of each */
    struct xs_rule_result *results; /* of each rule */
    size_t result_count;
    size_t *expired; /* suppressions that have expired, and are needed still */
    size_t expired_count;
    size_t *gone; /* findings of the baseline that are not there any more */
    size_t gone_count;
    struct xs_recorded_time recorded; /* what shares are of */
    uint64_t undecided;               /* instances of all findings */
    char **notes;                     /* what else is to be said about the trace */
    size_t note_count;
};

/* What traces are judged by. */
struct xs_check_terms {
    const struct xs_check_config *config; /* has one rule at least */
    const struct xs_baseline *baseline;   /* NULL: none */
    double tolerance;
    bool *used; /* by suppression: set for those that matched something */
};

void xs_check_judge(const struct xs_reading *reading, const struct xs_check_terms *terms, struct xs_judged *judged);
void xs_judged_free(struct xs_judged *judged);

/* How a finding stands to the baseline, measured by one thing. It has grown where its interval is above that of the
 * baseline and the tolerance. */
enum xs_standing xs_judged_standing(const struct xs_judged *judged, const struct xs_check_terms *terms, size_t finding,
                                    enum xs_metric_unit unit);
/* The same by all that the rules measure of it: grown where one of them says so. */
enum xs_standing xs_judged_standing_by_rules(const struct xs_judged *judged, const struct xs_check_terms *terms,
                                             size_t finding);
uint64_t xs_check_measured(const struct xs_check_finding *finding, enum xs_metric_unit unit);

#endif
