/* Judges a run by rules (rule.h), and compares it with a baseline if there is one. The results are copies, so the trace
 * may be closed afterwards. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CHECK_JUDGE_H
#define XFERSPY_ANALYZER_COMMANDS_CHECK_JUDGE_H

#include "analyzer/commands/check/baseline_file.h"
#include "analyzer/commands/check/config.h"
#include "analyzer/commands/check/finding.h"
#include "analyzer/commands/check/rule.h"
#include "analyzer/trace/windows/capture_ranges.h"

struct xs_reading;

/* Ordered from best to worst. The check fails if the outcome is XS_OUTCOME_UNKNOWN or worse. */
enum xs_outcome {
    XS_OUTCOME_PASS,
    XS_OUTCOME_ALLOWED, /* the trace does not show whether the rule holds, and the user accepts that */
    XS_OUTCOME_UNKNOWN, /* the trace does not show whether the rule holds */
    XS_OUTCOME_FAIL,
};
extern const char *const xs_outcome_names[]; /* "pass", "allowed", "unknown", "fail" */

/* How a finding compares with the baseline. */
enum xs_standing { XS_STANDING_NONE, XS_STANDING_SAME, XS_STANDING_GROWN, XS_STANDING_NEW };
extern const char *const xs_standing_names[]; /* NULL, "same", "grown", "new" */

struct xs_judged_state {
    long suppression; /* index in the configuration's suppressions; -1: none. An expired suppression suppresses
                         nothing */
    uint32_t before;  /* index in `before`; XS_UNMATCHED: none */
    uint32_t sum;     /* index in `sums` if `sums` is not empty */
    bool failing;     /* a rule fails because of this finding, or its suppression has expired */
};

struct xs_rule_result {
    const struct xs_rule *rule; /* a rule of the configuration */
    enum xs_outcome outcome;
    bool value_known;
    bool at_most;       /* the value is the upper end of an interval */
    uint64_t value;     /* in the rule's unit: the sum; for `any` and `sure`, the value of the largest finding */
    uint64_t least;     /* if the value is a saving that is an interval: the lower end */
    uint64_t low, high; /* 95 % interval if the value is an estimate; else both are the value */
    uint64_t limit;     /* in the rule's unit; for `any` and `sure`, the limit of the largest finding */
    bool has_base;      /* the baseline was used; `base` is set */
    uint64_t base;      /* the baseline's value */
    uint64_t accepted;  /* number of findings that do not count because the baseline has them */
    char *reason;       /* why the trace does not show whether the rule holds, and what to do; NULL if the trace shows
                           it. Can contain any text; not escaped */
    size_t *places;     /* indexes of the findings that count; for `any` and `sure`, of the findings over the limit;
                           largest first */
    size_t place_count;
};

struct xs_judged {                           /* the struct must not be moved, because `before` may point into it */
    char *path, *cwd, *executable, *command; /* path of the trace, and data of its run; any text */
    enum xs_outcome outcome;                 /* the worst of all rules; FAIL if a suppression in use has expired */
    struct xs_check_findings findings;
    struct xs_judged_state *states; /* one for each finding */
    /* The baseline's findings; NULL: there is no baseline. If only one of the two runs has stacks, findings
     * are compared as sums by kind and entry point: this then points to `before_sums`, the sums of the baseline's
     * findings, and `sums` has those of this run's findings. */
    const struct xs_check_findings *before;
    struct xs_check_findings sums, before_sums;
    struct xs_rule_result *results; /* one for each rule */
    size_t result_count;
    size_t *expired; /* indexes of suppressions that have expired, but are still needed */
    size_t expired_count;
    size_t *gone; /* indexes in `before` of findings that are gone now */
    size_t gone_count;
    struct xs_recorded_time recorded; /* shares are percentages of this time */
    uint64_t undecided;               /* number of undecided cases, over all detectors */
    char **notes;                     /* further remarks on the trace */
    size_t note_count;
};

/* Traces are judged by these terms. */
struct xs_check_terms {
    const struct xs_check_config *config; /* has at least one rule */
    const struct xs_baseline *baseline;   /* NULL: none */
    double tolerance;
    bool *used; /* by suppression: set to true if it matched a finding */
};

void xs_check_judge(const struct xs_reading *reading, const struct xs_check_terms *terms, struct xs_judged *judged);
void xs_judged_free(struct xs_judged *judged);

/* Returns how a finding compares with the baseline, by one measure. It has grown if its whole interval is above the
 * baseline's interval plus the tolerance. */
enum xs_standing xs_judged_standing(const struct xs_judged *judged, const struct xs_check_terms *terms, size_t finding,
                                    enum xs_metric_unit unit);
/* Returns how a finding compares with the baseline by all measures of the rules that are about it or name it. It has
 * grown if it has grown by at least one of these measures. */
enum xs_standing xs_judged_standing_by_rules(const struct xs_judged *judged, const struct xs_check_terms *terms,
                                             size_t finding);
uint64_t xs_check_measured(const struct xs_check_finding *finding, enum xs_metric_unit unit);

#endif
