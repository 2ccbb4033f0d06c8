/* Reads window specs, and computes when they request device times; see window_spec.h. */
#include "schema/window_spec.h"

#include <string.h>

static const struct {
    const char *name;
    double ns;
} units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"min", 60e9}};

/* Reads a number with an optional fraction. (strtod is not used, because its decimal point depends on the program's
 * locale.) Returns the text after the number; NULL: there is no number. */
static const char *read_number(const char *text, double *number) {
    const char *at = text;
    for (*number = 0; *at >= '0' && *at <= '9'; at++)
        *number = *number * 10 + (*at - '0');
    if (at == text || at[0] != '.' || at[1] < '0' || at[1] > '9')
        return at == text ? NULL : at;
    double digit = 0.1;
    for (at++; *at >= '0' && *at <= '9'; at++) {
        *number += digit * (*at - '0');
        digit /= 10;
    }
    return at;
}

/* Reads a number and its unit. Returns the text after the unit; NULL: there is no time. */
static const char *read_time(const char *text, uint64_t *ns) {
    double number;
    const char *end = read_number(text, &number);
    if (!end || number > 1e9)
        return NULL;
    if (number == 0 && (!*end || strchr(".,/", *end))) { /* 0 needs no unit */
        *ns = 0;
        return end;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t n = strlen(units[i].name);
        if (strncmp(end, units[i].name, n) == 0 && (!end[n] || strchr(".,/", end[n]))) {
            double all = number * units[i].ns;
            *ns = all < 9e18 ? (uint64_t)(all + 0.5) : UINT64_MAX / 2;
            return end + n;
        }
    }
    return NULL;
}

static bool read_part(struct xs_window_spec *spec, const char *text, const char **end, const char **why) {
    uint64_t from = 0, to = UINT64_MAX;
    const char *at = strncmp(text, "..", 2) == 0 ? text : read_time(text, &from);
    if (!at || strncmp(at, "..", 2) != 0 || spec->count == XS_WINDOW_SPEC_TIMES)
        return false;
    *end = at + 2;
    if (**end && **end != ',') {
        *end = read_time(at + 2, &to);
        if (!*end)
            return false;
    } else if (at == text) {
        return false; /* ".." alone */
    }
    spec->times[spec->count].from_ns = from;
    spec->times[spec->count++].to_ns = to;
    if (from >= to)
        *why = "the end of a part has to come after its beginning";
    return from < to;
}

static bool read_period(struct xs_window_spec *spec, const char *text) {
    const char *at = read_time(text, &spec->length_ns);
    if (!at || *at != '/')
        return false;
    at = read_time(at + 1, &spec->period_ns);
    return at && !*at && spec->length_ns > 0 && spec->length_ns < spec->period_ns;
}

static bool read_list(struct xs_window_spec *spec, const char *text, const char **why) {
    const char *end = text;
    do {
        if (!read_part(spec, text, &end, why))
            return false;
        text = end + 1;
    } while (*end == ',');
    return !*end;
}

const char *xs_range_name_refused(const char *name) {
    for (; *name; name++)
        if (name[0] == '#' && (name[1] == '#' || (name[1] >= '0' && name[1] <= '9')))
            return "a # in a name is all digits of a number, so no digit and no other # can follow it";
    return NULL;
}

static bool read_range(struct xs_window_spec *spec, const char *name, const char **why) {
    spec->opener = XS_WINDOW_BY_RANGE;
    spec->range = name;
    *why = xs_range_name_refused(name);
    return *name && !*why;
}

static const char *name_of(const char *text) {
    static const char nvtx[] = "nvtx:";
    return strncmp(text, nvtx, sizeof nvtx - 1) == 0 ? text + sizeof nvtx - 1 : NULL;
}

/* Reads a text of any form. Sets `*why` only if there is a better message than the list of valid forms. */
static bool read_any(struct xs_window_spec *spec, const char *text, const char **why) {
    const char *name = name_of(text);
    if (name)
        return read_range(spec, name, why);
    if (strcmp(text, "profiler") == 0) {
        spec->opener = XS_WINDOW_BY_PROFILER;
        return true;
    }
    return strchr(text, '/') ? read_period(spec, text) : read_list(spec, text, why);
}

const char *xs_window_spec_read(struct xs_window_spec *spec, const char *text) {
    const char *why = NULL;
    memset(spec, 0, sizeof *spec);
    if (!*text || read_any(spec, text, &why))
        return NULL;
    memset(spec, 0, sizeof *spec);
    return why ? why : "use " XS_WINDOW_SPEC_FORMS;
}

void xs_window_spec_of_ledger(struct xs_window_spec *spec, uint64_t seed) {
    *spec = (struct xs_window_spec){
        .length_ns = XS_LEDGER_WINDOW_NS, .period_ns = UINT64_C(60000000000), .seed = seed ? seed : 1};
}

/* Returns a number below `limit` that depends on the seed and on `number`. */
static uint64_t random_of(uint64_t seed, uint64_t number, uint64_t limit) {
    uint64_t x = seed ^ number * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % limit;
}

/* The first period takes two seconds, and each one ends at twice the time of the one before, until they have their full
 * length. So a short run has a sample, too. */
static bool wants_at_random(const struct xs_window_spec *spec, uint64_t at_ns, bool is_open, uint64_t *next_ns) {
    uint64_t from = 0, to = UINT64_C(2000000000), number = 0;
    for (; to <= at_ns && to < spec->period_ns; number++) {
        from = to;
        to *= 2;
    }
    if (to <= at_ns) {
        uint64_t more = (at_ns - to) / spec->period_ns + 1;
        number += more;
        from = to + (more - 1) * spec->period_ns;
        to = from + spec->period_ns;
    }
    uint64_t begin = from + random_of(spec->seed, number, to - from - spec->length_ns), end = begin + spec->length_ns;
    *next_ns = at_ns < begin ? begin : at_ns < end ? end : to;
    return at_ns >= begin && at_ns < end && is_open;
}

bool xs_window_spec_wants(const struct xs_window_spec *spec, uint64_t at_ns, bool is_open, uint64_t *next_ns) {
    bool wanted = spec->opener != XS_WINDOW_BY_TIME && is_open;
    *next_ns = UINT64_MAX;
    if (spec->seed)
        return wants_at_random(spec, at_ns, is_open, next_ns);
    if (spec->period_ns) {
        uint64_t within = at_ns % spec->period_ns;
        wanted = within < spec->length_ns;
        *next_ns = at_ns - within + (wanted ? spec->length_ns : spec->period_ns);
    }
    for (unsigned i = 0; i < spec->count; i++) {
        uint64_t from = spec->times[i].from_ns, to = spec->times[i].to_ns, change = at_ns < from ? from : to;
        wanted |= at_ns >= from && at_ns < to;
        if (change > at_ns && change < *next_ns)
            *next_ns = change;
    }
    return wanted;
}
