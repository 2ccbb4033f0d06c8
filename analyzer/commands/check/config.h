/* Reads xferspy.check: the small file, kept with the program's sources, that says what the command allows: rules, the
 * baseline, and findings that are accepted for a reason. Lines of `key = value` in sections, `#` begins a comment line;
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
    char *origin;                           /* "xferspy.check:12": file and line of its section's head */
    char *finding, *function, *file, *text; /* globs (fnmatch); NULL: matches all */
    char *reason;                           /* never NULL or empty */
    char *until;                            /* "2026-12-31", the last day on which it holds; NULL: no end */
    bool expired;
};

struct xs_check_config {
    struct xs_rules rules;
    char *rules_origin;     /* the file with the rules; NULL: none */
    char *baseline;         /* relative to the current folder, like the file's folder; NULL: none */
    double tolerance;       /* negative: not given */
    bool allow_unknown;     /* for every rule */
    char **allowed_unknown; /* names of rules that may be unknown */
    size_t allowed_unknown_count;
    struct xs_suppression *suppressions;
    size_t suppression_count;
};
enum { XS_CHECK_CONFIG_MESSAGE_BYTES = 5120 };

/* Starts with an empty configuration. */
void xs_check_config_begin(struct xs_check_config *config);
void xs_check_config_free(struct xs_check_config *config);

/* Adds what a file says. `now` is the time by which suppressions expire, in seconds since 1970. If the file cannot be
 * read or is no such file, returns false with one line "FILE:LINE: text" in `message`. */
bool xs_check_config_read(struct xs_check_config *config, const char *path, int64_t now, char *message);

/* Adds the names of a list "a,b" to the rules that may be unknown. Returns false, with a message, if one is not a
 * rule's name. */
bool xs_check_config_allow(struct xs_check_config *config, const char *list, char *message);
bool xs_check_config_allows(const struct xs_check_config *config, const struct xs_rule *rule);

/* Returns the first suppression of a finding that has not expired, else the first expired one; -1: none. */
long xs_check_config_suppression(const struct xs_check_config *config, const struct xs_check_finding *finding);

#endif
