/* A guard (XFERSPY_GUARD) tells which copies and waits the user does not expect, and what to do at the first one. The
 * library reads the text, and `xferspy run` checks whether it is valid. */
#ifndef XFERSPY_SCHEMA_GUARD_SPEC_H
#define XFERSPY_SCHEMA_GUARD_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum xs_guard_kind {
#define XS_GUARD_RULE(id, name, limit, needs, what) XS_GUARD_##id,
#include "schema/guard_rules.def"
#undef XS_GUARD_RULE
    XS_GUARD_KINDS
};
enum xs_guard_limit { XS_GUARD_LIMIT_NONE, XS_GUARD_LIMIT_SIZE, XS_GUARD_LIMIT_COUNT };
enum xs_guard_needs { XS_GUARD_NEEDS_NOTHING, XS_GUARD_NEEDS_STEPS, XS_GUARD_NEEDS_CONTENTS };

struct xs_guard_kind_info {
    const char *name;
    enum xs_guard_limit limit;
    enum xs_guard_needs needs;
    const char *what;
};
extern const struct xs_guard_kind_info xs_guard_kinds[XS_GUARD_KINDS];

/* What a rule is if the user names none. */
#define XS_GUARD_DEFAULT_RULES "noop-upload,pageable>1MiB"
enum { XS_GUARD_RULES_MOST = 16, XS_GUARD_TEXT_BYTES = 32 };

struct xs_guard_rule {
    enum xs_guard_kind kind;
    uint64_t limit;                 /* a call breaks the rule if its size, or its number in a step, is larger */
    char text[XS_GUARD_TEXT_BYTES]; /* the rule as the user wrote it */
};

/* A spec of zeros has no rules. */
struct xs_guard_spec {
    bool fails; /* the program ends at the first broken rule */
    unsigned count;
    struct xs_guard_rule rules[XS_GUARD_RULES_MOST];
};

/* What a run has, as far as rules need it. */
struct xs_guard_run {
    bool has_steps, has_contents;
};

/* Reads a text such as "warn", "fail:d2h>64B" or "warn:noop-upload,waits-per-step>2". Sizes have the units B, kB, MB,
 * GB, KiB, MiB, GiB, or none (bytes). An empty text has no rules. Returns NULL if the text is valid. Otherwise sets the
 * spec to zeros and returns the reason, for messages; `*rule` gets the text of the wrong rule, and `*bytes` its length,
 * which is 0 if it is no rule that is wrong. */
const char *xs_guard_spec_read(struct xs_guard_spec *spec, const char *text, const char **rule, size_t *bytes);

/* Returns the reason why a rule can never be broken in the run; NULL: it can. */
const char *xs_guard_rule_refused(const struct xs_guard_rule *rule, const struct xs_guard_run *run);

#endif
