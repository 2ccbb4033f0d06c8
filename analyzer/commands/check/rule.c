/* Reads rules; see rule.h. */
#include "analyzer/commands/check/rule.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/totals/summary/metrics.h"
#include "schema/spelling.h"

static const struct unit {
    const char *name;
    enum xs_metric_unit unit;
    double factor;
} units[] = {
    {"ns", XS_METRIC_NS, 1},
    {"us", XS_METRIC_NS, 1e3},
    {"ms", XS_METRIC_NS, 1e6},
    {"s", XS_METRIC_NS, 1e9},
    {"min", XS_METRIC_NS, 60e9},
    {"B", XS_METRIC_BYTES, 1},
    {"KiB", XS_METRIC_BYTES, 1024},
    {"MiB", XS_METRIC_BYTES, 1048576},
    {"GiB", XS_METRIC_BYTES, 1073741824},
    {"TiB", XS_METRIC_BYTES, 1099511627776},
    {"kB", XS_METRIC_BYTES, 1e3},
    {"MB", XS_METRIC_BYTES, 1e6},
    {"GB", XS_METRIC_BYTES, 1e9},
    {"TB", XS_METRIC_BYTES, 1e12},
};

/* --- names --- */

static void say_unknown(const char *name, char *message) {
    struct xs_nearest nearest;
    XS_SCOPED_STRING shown = {0};
    xs_nearest_begin(&nearest, name, strlen(name));
    xs_nearest_try(&nearest, "any");
    xs_nearest_try(&nearest, "sure");
    for (int i = 0; i < XS_METRICS; i++)
        xs_nearest_try(&nearest, xs_metric_infos[i].name);
    for (size_t i = 0; i < xs_detector_count; i++) {
        xs_nearest_try(&nearest, xs_detectors[i]->id);
        for (unsigned v = 0; v < XS_VERDICTS && xs_detectors[i]->verdicts[v].name; v++) {
            char both[sizeof nearest.name];
            snprintf(both, sizeof both, "%s/%s", xs_detectors[i]->id, xs_detectors[i]->verdicts[v].name);
            xs_nearest_try(&nearest, both);
        }
    }
    xs_string_escape(&shown, name, strnlen(name, 100));
    if (xs_nearest_name(&nearest))
        snprintf(message, XS_RULE_MESSAGE_BYTES, "no metric or finding `%s'; did you mean `%s'?", shown.data,
                 nearest.name);
    else
        snprintf(message, XS_RULE_MESSAGE_BYTES, "no metric or finding `%s'; `xferspy check --rules' lists them",
                 shown.data ? shown.data : "");
}

static bool find_finding(struct xs_rule *rule, const char *name) {
    size_t id_bytes = strcspn(name, "/");
    for (size_t i = 0; i < xs_detector_count; i++) {
        const struct xs_detector *d = xs_detectors[i];
        if (strlen(d->id) != id_bytes || strncmp(d->id, name, id_bytes) != 0)
            continue;
        rule->about = XS_RULE_FINDING;
        rule->detector = (int)i;
        rule->verdict = -1;
        if (!name[id_bytes])
            return true;
        for (int v = 0; v < XS_VERDICTS && d->verdicts[v].name; v++) {
            if (!strcmp(d->verdicts[v].name, name + id_bytes + 1)) {
                rule->verdict = v;
                return true;
            }
        }
    }
    return false;
}

static bool find_name(struct xs_rule *rule, const char *name, char *message) {
    rule->metric = xs_metric_find(name);
    if (rule->metric >= 0)
        rule->about = XS_RULE_METRIC;
    else if (!strcmp(name, "any") || !strcmp(name, "findings"))
        rule->about = XS_RULE_ANY;
    else if (!strcmp(name, "sure"))
        rule->about = XS_RULE_SURE;
    else if (!find_finding(rule, name)) {
        say_unknown(name, message);
        return false;
    }
    return true;
}

bool xs_rule_name_known(const char *name, char *message) {
    struct xs_rule rule = {0};
    return find_name(&rule, name, message);
}

/* --- limits --- */

/* Parses digits with at most one point; the unit follows. strtod would also accept hexadecimal numbers, "inf", signs
 * and exponents. */
static bool parse_number(const char *text, double *number, const char **unit) {
    size_t digits = strspn(text, "0123456789"), more = 0;
    if (text[digits] == '.')
        more = 1 + strspn(text + digits + 1, "0123456789");
    if (digits + more > 40 || !digits || more == 1)
        return false;
    *number = strtod(text, NULL); /* stops at the unit, because no unit begins with an exponent */
    *unit = text + digits + more;
    while (isblank((unsigned char)**unit))
        (*unit)++;
    return true;
}

bool xs_share_parse(const char *text, double *share) {
    const char *unit;
    if (!parse_number(text, share, &unit) || strcmp(unit, "%") != 0)
        return false;
    *share /= 100;
    return true;
}

static bool parse_unit(struct xs_rule *rule, double number, const char *name, bool *given) {
    double factor = 1;
    *given = *name != '\0';
    if (!strcmp(name, "%")) {
        rule->is_share = true;
        rule->share = number / 100;
        return true;
    }
    if (*given) {
        size_t i = 0;
        while (i < sizeof units / sizeof *units && strcmp(units[i].name, name) != 0)
            i++;
        if (i == sizeof units / sizeof *units)
            return false;
        rule->unit = units[i].unit;
        factor = units[i].factor;
    }
    number *= factor;
    if (number >= 9e18) /* no useful limit: beyond int64, where doubles are coarse */
        return false;
    if (rule->unit == XS_METRIC_COUNT && floor(number) < number)
        return false;
    rule->limit = (uint64_t)number;
    return true;
}

/* True if the metric can be measured in the limit's unit. */
static bool fits_metric(struct xs_rule *rule, bool unit_given, const char *limit, char *message) {
    static const char *const wanted[] = {[XS_METRIC_NS] =
                                             "a time: use a unit, as in 20ms, or a share of the run, as in 5%",
                                         [XS_METRIC_BYTES] = "bytes: use a number, or a unit, as in 1MiB",
                                         [XS_METRIC_COUNT] = "a count: use a number without unit"};
    const struct xs_metric_info *info = &xs_metric_infos[rule->metric];
    bool fits = rule->is_share ? rule->relative || info->unit == XS_METRIC_NS
                : unit_given   ? rule->unit == info->unit
                               : info->unit != XS_METRIC_NS || !rule->limit;
    if (rule->metric == XS_METRIC_WALL_TIME && rule->is_share && !rule->relative) {
        snprintf(message, XS_RULE_MESSAGE_BYTES,
                 "%s: the whole run is 100 %% of itself; wall-time:+%s is a limit against a baseline", rule->text,
                 limit);
        return false;
    }
    if (!fits)
        snprintf(message, XS_RULE_MESSAGE_BYTES, "%s: %s is %s", rule->text, info->name, wanted[info->unit]);
    rule->unit = info->unit;
    return fits;
}

static bool parse_limit(struct xs_rule *rule, const char *limit, char *message) {
    double number;
    const char *unit;
    bool unit_given;
    rule->relative = *limit == '+';
    if (!parse_number(limit + rule->relative, &number, &unit) || !parse_unit(rule, number, unit, &unit_given)) {
        snprintf(message, XS_RULE_MESSAGE_BYTES,
                 "%s: a limit is a count (0; of a finding: its instances), a size (1MiB), a time (20ms), a share of "
                 "the run (5%%), or one of these added to a baseline (+10%%)",
                 rule->text);
        return false;
    }
    if (rule->about == XS_RULE_METRIC)
        return fits_metric(rule, unit_given, limit, message);
    if (rule->is_share)
        rule->unit = XS_METRIC_NS;
    return true;
}

static char *trimmed(const char *text, size_t bytes) {
    while (bytes && isspace((unsigned char)*text)) {
        text++;
        bytes--;
    }
    while (bytes && isspace((unsigned char)text[bytes - 1]))
        bytes--;
    char *copy = xs_realloc(NULL, bytes + 1);
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    return copy;
}

static bool parse_rule(struct xs_rule *rule, const char *text, size_t bytes, char *message) {
    *rule = (struct xs_rule){
        .text = trimmed(text, bytes < 200 ? bytes : 200), .metric = -1, .detector = -1, .unit = XS_METRIC_COUNT};
    char *name = xs_strdup(rule->text), *colon = strchr(name, ':');
    bool good = false;
    if (bytes >= 200 || !colon || colon == name || !colon[1]) {
        XS_SCOPED_STRING shown = {0};
        xs_string_escape(&shown, name, strlen(name));
        snprintf(message, XS_RULE_MESSAGE_BYTES, "`%s' is no rule; use NAME:LIMIT, as in noop-upload:0",
                 shown.data ? shown.data : "");
    } else {
        *colon = '\0';
        good = find_name(rule, name, message) && parse_limit(rule, colon + 1, message);
    }
    free(name);
    if (!good)
        free(rule->text);
    return good;
}

bool xs_rules_add(struct xs_rules *rules, const char *list, char *message) {
    for (const char *p = list;;) {
        size_t bytes = strcspn(p, ",");
        struct xs_rule rule;
        if (!parse_rule(&rule, p, bytes, message))
            return false;
        rules->items = xs_realloc(rules->items, sizeof *rules->items * (rules->count + 1));
        rules->items[rules->count++] = rule;
        if (!p[bytes])
            return true;
        p += bytes + 1;
    }
}

void xs_rules_free(struct xs_rules *rules) {
    for (size_t i = 0; i < rules->count; i++)
        free(rules->items[i].text);
    free(rules->items);
    *rules = (struct xs_rules){0};
}
