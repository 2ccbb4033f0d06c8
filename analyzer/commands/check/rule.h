/* Parses rules in the form in which people write them: NAME:LIMIT, "saved-time:5%", "noop-upload:0", "wall-time:+10%".
 */
#ifndef XFERSPY_ANALYZER_COMMANDS_CHECK_RULE_H
#define XFERSPY_ANALYZER_COMMANDS_CHECK_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/totals/summary/metrics.h"

enum xs_rule_about {
    XS_RULE_METRIC,
    XS_RULE_FINDING, /* the sum over all places of one kind of finding */
    XS_RULE_ANY,     /* every finding that is no advice, each judged alone; a limit that is a time is compared with its
                        largest saving */
    XS_RULE_SURE,    /* every finding that is no advice and has a least saving above 0, each judged alone; a limit that
                        is a time is compared with its least saving */
};

struct xs_rule {
    char *text; /* as written, without blanks around it */
    enum xs_rule_about about;
    int metric;               /* enum xs_metric */
    int detector, verdict;    /* for a finding; verdict -1: all verdicts */
    enum xs_metric_unit unit; /* unit of the measure and of `limit` */
    bool relative;            /* the limit is added to the baseline's value */
    bool is_share;            /* the limit is `share`: of the run, or, if relative, of the baseline's value */
    double share;             /* 0.05 for 5% */
    uint64_t limit;
};
struct xs_rules {
    struct xs_rule *items;
    size_t count;
};

enum { XS_RULE_MESSAGE_BYTES = 512 };

/* Adds the rules of a list, "a:1, b:2%". If an item is not a rule, returns false with one line in `message`
 * (XS_RULE_MESSAGE_BYTES long). If its name is unknown, the message suggests the most similar name. */
bool xs_rules_add(struct xs_rules *rules, const char *list, char *message);
void xs_rules_free(struct xs_rules *rules);

/* Parses a share such as "10%", which must be 0 or more. Returns false for anything else. */
bool xs_share_parse(const char *text, double *share);

/* True if a name is a metric, a finding, `any` (or `findings`, which means the same) or `sure`; otherwise, sets the
 * message as xs_rules_add does. */
bool xs_rule_name_known(const char *name, char *message);

#endif
