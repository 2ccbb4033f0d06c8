/* Reads a guard; see guard_spec.h. */
#include "schema/guard_spec.h"

#include <string.h>

const struct xs_guard_kind_info xs_guard_kinds[XS_GUARD_KINDS] = {
#define XS_GUARD_RULE(id, name, limit, needs, what) {name, XS_GUARD_LIMIT_##limit, XS_GUARD_NEEDS_##needs, what},
#include "schema/guard_rules.def"
#undef XS_GUARD_RULE
};

static const struct {
    const char *name;
    uint64_t bytes;
} units[] = {{"", 1},       {"B", 1},         {"kB", 1000},    {"MB", 1000000}, {"GB", 1000000000},
             {"KiB", 1024}, {"MiB", 1 << 20}, {"GiB", 1 << 30}};

static bool is_word(const char *text, size_t bytes, const char *word) {
    return strlen(word) == bytes && strncmp(text, word, bytes) == 0;
}

/* Reads a number and, of a size, its unit. */
static bool read_limit(const char *text, size_t bytes, bool is_size, uint64_t *limit) {
    uint64_t number = 0;
    size_t digits = 0;
    for (; digits < bytes && text[digits] >= '0' && text[digits] <= '9'; digits++)
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)(text[digits] - '0'), &number))
            return false;
    if (!digits)
        return false;
    *limit = number;
    if (!is_size)
        return digits == bytes;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (is_word(text + digits, bytes - digits, units[i].name))
            return !__builtin_mul_overflow(number, units[i].bytes, limit);
    return false;
}

static const char *read_rule(struct xs_guard_rule *rule, const char *text, size_t bytes) {
    const char *sign = memchr(text, '>', bytes);
    size_t name = sign ? (size_t)(sign - text) : bytes;
    unsigned kind = 0;
    while (kind < XS_GUARD_KINDS && !is_word(text, name, xs_guard_kinds[kind].name))
        kind++;
    if (kind == XS_GUARD_KINDS)
        return "there is no such rule; use h2d>SIZE, d2h>SIZE, pageable>SIZE, noop-upload, h2d-in-step>COUNT, "
               "d2h-in-step>COUNT or waits-per-step>COUNT";
    enum xs_guard_limit limit = xs_guard_kinds[kind].limit;
    rule->kind = (enum xs_guard_kind)kind;
    if (limit == XS_GUARD_LIMIT_NONE && sign)
        return "this rule has no limit";
    bool is_size = limit == XS_GUARD_LIMIT_SIZE;
    if (limit != XS_GUARD_LIMIT_NONE && (!sign || !read_limit(sign + 1, bytes - name - 1, is_size, &rule->limit)))
        return is_size ? "a size has to follow, as in d2h>64B or pageable>1MiB (B, kB, MB, GB, KiB, MiB, GiB)"
                       : "a number of calls has to follow, as in h2d-in-step>0";
    if (bytes >= sizeof rule->text)
        return "a rule has 31 bytes at most";
    memcpy(rule->text, text, bytes);
    rule->text[bytes] = '\0';
    return NULL;
}

const char *xs_guard_spec_read(struct xs_guard_spec *spec, const char *text, const char **rule, size_t *bytes) {
    static const char *const modes[] = {"warn", "fail"};
    size_t mode = strcspn(text, ":");
    const char *why = NULL;
    *rule = text;
    *bytes = 0;
    memset(spec, 0, sizeof *spec);
    if (!*text)
        return NULL;
    spec->fails = is_word(text, mode, modes[1]);
    if (!spec->fails && !is_word(text, mode, modes[0])) {
        memset(spec, 0, sizeof *spec);
        return "use warn or fail, or these with rules: fail:d2h>64B,noop-upload";
    }
    const char *list = text[mode] ? text + mode + 1 : XS_GUARD_DEFAULT_RULES;
    for (bool goes_on = true; goes_on && !why; list += *bytes + goes_on) {
        *rule = list;
        *bytes = strcspn(list, ",");
        goes_on = list[*bytes] != '\0';
        why = spec->count == XS_GUARD_RULES_MOST ? "a guard has 16 rules at most"
                                                 : read_rule(&spec->rules[spec->count++], list, *bytes);
    }
    if (why)
        memset(spec, 0, sizeof *spec);
    return why;
}

const char *xs_guard_rule_refused(const struct xs_guard_rule *rule, const struct xs_guard_run *run) {
    switch (xs_guard_kinds[rule->kind].needs) {
    case XS_GUARD_NEEDS_STEPS:
        return run->has_steps ? NULL
                              : "it is about steps, and nothing tells them: give --step=NAME (XFERSPY_STEP) or "
                                "--skip-steps (XFERSPY_SKIP_STEPS)";
    case XS_GUARD_NEEDS_CONTENTS:
        return run->has_contents ? NULL
                                 : "it is about contents, and --fingerprint=off (XFERSPY_FINGERPRINT) checks none";
    case XS_GUARD_NEEDS_NOTHING:
        break;
    }
    return NULL;
}
