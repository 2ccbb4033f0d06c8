/* Reads xferspy.check, a small file that is kept with the program's sources. It contains the rules, the baseline, and
 * findings that are accepted for a reason. It has sections with lines `key = value`; `#` begins a comment line; see
 * docs/use/check.md. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CHECK_CONFIG_H
#define XFERSPY_ANALYZER_COMMANDS_CHECK_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/commands/check/finding.h"
#include "analyzer/commands/check/rule.h"

#define XS_CHECK_CONFIG_NAME "xferspy.check"

struct xs_suppression {
    char *origin;                           /* "xferspy.check:12": file and line of the heading of its section */
    char *finding, *function, *file, *text; /* globs (fnmatch); NULL: matches all */
    char *reason;                           /* never NULL or empty */
    char *until;                            /* "2026-12-31", the last day on which it is valid; NULL: no end */
    bool expired;
};

struct xs_check_config {
    struct xs_rules rules;
    char *rules_origin;     /* the file with the rules; NULL: none */
    char *baseline;         /* path relative to the current folder; NULL: none */
    double tolerance;       /* negative: not given */
    bool allow_unknown;     /* every rule may be unknown */
    char **allowed_unknown; /* names of rules that may be unknown */
    size_t allowed_unknown_count;
    struct xs_suppression *suppressions;
    size_t suppression_count;
};
enum { XS_CHECK_CONFIG_MESSAGE_BYTES = 5120 };

/* Makes an empty configuration. */
void xs_check_config_begin(struct xs_check_config *config);
void xs_check_config_free(struct xs_check_config *config);

/* Adds the contents of a file. `now` is the present time, in seconds since 1970; suppressions that ended before it are
 * expired. If the file cannot be read, or has errors, returns false with one line "FILE:LINE: text" in `message`. */
bool xs_check_config_read(struct xs_check_config *config, const char *path, int64_t now, char *message);

/* Adds the names in a list such as "a,b" to the rules that may be unknown; "all" stands for every rule. Returns false,
 * with a message, if a word of the list is neither a rule's name nor "all". */
bool xs_check_config_allow(struct xs_check_config *config, const char *list, char *message);
bool xs_check_config_allows(const struct xs_check_config *config, const struct xs_rule *rule);

/* Returns the index of the first suppression that matches the finding and has not expired. If all suppressions that
 * match have expired, returns the index of the first of them. -1: none matches. */
long xs_check_config_suppression(const struct xs_check_config *config, const struct xs_check_finding *finding);

#endif
