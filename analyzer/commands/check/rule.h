/* Parses rules, as people write them: NAME:LIMIT, "saved-time:5%", "noop-upload:0", "wall-time:+10%". */
#ifndef XFERSPY_ANALYZER_CHECK_RULE_H
#define XFERSPY_ANALYZER_CHECK_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/totals/summary/metrics.h"

enum xs_rule_about {
    XS_RULE_METRIC,
    XS_RULE_FINDING, /* all places of one finding together */
    XS_RULE_ANY,     /* every finding that saves time, each judged alone by the most that it saves */
    XS_RULE_SURE,    /* every finding that saves time, each judged alone by the least that it saves */
};

struct xs_rule {
    char *text; /* as written, without blanks around it */
    enum xs_rule_about about;
    int metric;               /* enum xs_metric */
    int detector, verdict;    /* for a finding; verdict -1: all verdicts */
    enum xs_metric_unit unit; /* unit of the measure and of `limit` */
    bool relative;            /* the limit is added to the baseline's value */
    bool is_share;            /* `share` is the limit: of the run, or if relative, of the baseline's value */
    double share;             /* 0.05 for 5% */
    uint64_t limit;
};
struct xs_rules {
    struct xs_rule *items;
    size_t count;
};

enum { XS_RULE_MESSAGE_BYTES = 512 };

/* Adds the rules of a list, "a:1, b:2%". If one of them is not a rule, returns false with one line in `message`
 * (XS_RULE_MESSAGE_BYTES long). If its name is unknown, the message suggests the most similar name. */
bool xs_rules_add(struct xs_rules *rules, const char *list, char *message);
void xs_rules_free(struct xs_rules *rules);

/* Lists what a limit may be: for the help, and for the message about a wrong limit. In a format, `percent` is "%%". */
#define XS_LIMIT_FORMS(percent)                                                                                        \
    "a count (0; of a finding: its instances), a size (1MiB), a time (20ms), a share of the run (5" percent            \
    "), or one of these added to "
#define XS_LIMIT_AGAINST_BASELINE "is a limit against a baseline"
#define XS_OR_A_SHARE "or a share of the run"
#define XS_SHARE_WANTED "use a share, as in 10%%"

/* Parses "10%": a share of 0 or more. Returns false for anything else. */
bool xs_share_parse(const char *text, double *share);

/* Says whether a name is a metric, a finding, `any` or `sure`; else false with a message as xs_rules_add gives it. */
bool xs_rule_name_known(const char *name, char *message);

#endif
