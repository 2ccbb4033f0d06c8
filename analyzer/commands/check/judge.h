/* Judges a run by rules (rule.h), against a baseline if there is one. The judged data is copied: the trace may be
 * closed afterwards. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CHECK_JUDGE_H
#define XFERSPY_ANALYZER_COMMANDS_CHECK_JUDGE_H

#include "analyzer/commands/check/baseline.h"
#include "analyzer/commands/check/config.h"
#include "analyzer/commands/check/finding.h"
#include "analyzer/commands/check/rule.h"
#include "analyzer/trace/windows/capture_ranges.h"

struct xs_reading;

/* Ordered from best to worst; from XS_OUTCOME_UNKNOWN on the check fails. */
enum xs_outcome {
    XS_OUTCOME_PASS,
    XS_OUTCOME_ALLOWED, /* the trace cannot tell, and the caller accepts that */
    XS_OUTCOME_UNKNOWN, /* the trace cannot tell */
    XS_OUTCOME_FAIL,
};
extern const char *const xs_outcome_names[]; /* "pass", "allowed", "unknown", "fail" */

/* Compares a finding with the baseline. */
enum xs_standing { XS_STANDING_NONE, XS_STANDING_SAME, XS_STANDING_GROWN, XS_STANDING_NEW };
extern const char *const xs_standing_names[]; /* NULL, "same", "grown", "new" */

struct xs_judged_state {
    long suppression; /* index in the configuration's suppressions, -1: none. An expired one does not hold */
    uint32_t before;  /* index in `before`, XS_UNMATCHED: none */
    uint32_t sum;     /* index in `sums`, if that is not empty */
    bool failing;     /* a rule fails because of this finding, or its suppression has expired */
};

struct xs_rule_result {
    const struct xs_rule *rule; /* the configuration's */
    enum xs_outcome outcome;
    bool value_known;
    bool at_most;       /* the value is the upper end of a range */
    uint64_t value;     /* in the rule's unit: the sum; for `any' and `sure' the largest one */
    uint64_t least;     /* of a saving that is a range: the value's lower end */
    uint64_t low, high; /* 95 % interval of an estimated value; else both are the value */
    uint64_t limit;     /* in the rule's unit; for `any' and `sure' the largest finding's limit */
    bool has_base;      /* the baseline was used */
    uint64_t base;      /* the baseline's value */
    uint64_t accepted;  /* findings that do not count because the baseline has them */
    char *reason;       /* why the trace cannot tell and what to do; NULL if it can. Any text, to be escaped */
    size_t *places;     /* findings that count, for `any' and `sure' those over the limit; largest first */
    size_t place_count;
};

struct xs_judged {                           /* must not be moved: `before` may point into it */
    char *path, *cwd, *executable, *command; /* of the trace and its run; any text */
    enum xs_outcome outcome;                 /* the worst of all rules */
    struct xs_check_findings findings;
    struct xs_judged_state *states; /* one for each finding */
    /* What the findings are compared with: those of the baseline, or, if only one of both runs has stacks, their sums
     * by kind and entry point; `sums` is then the same of this run's. NULL: there is no baseline. */
    const struct xs_check_findings *before;
    struct xs_check_findings sums, before_sums;
    struct xs_rule_result *results; /* one for each rule */
    size_t result_count;
    size_t *expired; /* suppressions that have expired, but are still needed */
    size_t expired_count;
    size_t *gone; /* indexes in `before` of findings that are gone now */
    size_t gone_count;
    struct xs_recorded_time recorded; /* the base of shares */
    uint64_t undecided;               /* instances, over all findings */
    char **notes;                     /* further remarks on the trace */
    size_t note_count;
};

/* Terms that traces are judged by. */
struct xs_check_terms {
    const struct xs_check_config *config; /* has at least one rule */
    const struct xs_baseline *baseline;   /* NULL: none */
    double tolerance;
    bool *used; /* by suppression: set if it matched something */
};

void xs_check_judge(const struct xs_reading *reading, const struct xs_check_terms *terms, struct xs_judged *judged);
void xs_judged_free(struct xs_judged *judged);

/* Returns how a finding stands to the baseline, by one measure. It has grown if its interval lies above the baseline's
 * plus the tolerance. */
enum xs_standing xs_judged_standing(const struct xs_judged *judged, const struct xs_check_terms *terms, size_t finding,
                                    enum xs_metric_unit unit);
/* Returns the standing by all measures that the rules use: grown if one of them says so. */
enum xs_standing xs_judged_standing_by_rules(const struct xs_judged *judged, const struct xs_check_terms *terms,
                                             size_t finding);
uint64_t xs_check_measured(const struct xs_check_finding *finding, enum xs_metric_unit unit);

#endif
