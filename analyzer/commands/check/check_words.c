/* Writes the words that the formats of `check` share; see check.h. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/check/check.h"
#include "analyzer/totals/summary/metrics.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/saving_words.h"

/* Adds a measured value and, if it is an interval, its least value; `least` is 0 if it is no interval. */
static void put_measured(struct xs_string *text, const struct xs_rule *rule, uint64_t value, uint64_t least,
                         const struct xs_recorded_time *recorded) {
    char buffer[XS_UNIT_BYTES], share[XS_UNIT_BYTES];
    xs_string_format(text, "%s", xs_metric_format(buffer, rule->unit, value));
    if (rule->unit == XS_METRIC_COUNT && rule->about != XS_RULE_METRIC)
        xs_string_format(text, "%s", value == 1 ? " instance" : " instances");
    *share = '\0';
    if (rule->unit == XS_METRIC_NS && rule->is_share && !rule->relative)
        xs_format_share(share, value, recorded->ns);
    least = xs_saving_least(least, value);
    if (*share)
        xs_string_format(text, " (%s %s%s", share, xs_share_is_of(recorded), least ? "" : ")");
    if (least)
        xs_string_format(text, "%s%s or more)", *share ? "; " : " (", xs_format_ns(buffer, least));
}

/* True if the rule limits savings, and not times that something took. */
static bool is_saving(const struct xs_rule *rule) {
    bool metric = rule->metric == XS_METRIC_SAVED_TIME || rule->metric == XS_METRIC_LEAST_SAVED_TIME;
    return rule->unit == XS_METRIC_NS && (rule->about == XS_RULE_METRIC ? metric : true);
}

void xs_check_value(struct xs_string *text, const struct xs_judged *judged, const struct xs_rule_result *r) {
    if (!r->value_known) {
        xs_string_format(text, "not known");
        return;
    }
    if (is_saving(r->rule))
        xs_string_format(text, "saves ");
    if (r->at_most && r->value)
        xs_string_format(text, XS_UP_TO);
    bool about = r->high > r->low && r->rule->unit != XS_METRIC_NS;
    if (about)
        xs_string_format(text, "about ");
    put_measured(text, r->rule, r->value, r->at_most && r->value ? r->least : 0, &judged->recorded);
    if (about) {
        char low[XS_UNIT_BYTES], high[XS_UNIT_BYTES];
        xs_string_format(text, " (%s to %s)", xs_metric_format(low, r->rule->unit, r->low),
                         xs_metric_format(high, r->rule->unit, r->high));
    }
}

void xs_check_limit(struct xs_string *text, const struct xs_judged *judged, const struct xs_rule_result *r) {
    struct xs_rule plain = *r->rule;
    plain.about = XS_RULE_METRIC; /* "limit 0", not "0 instances" */
    put_measured(text, &plain, r->limit, 0, &judged->recorded);
    if (r->has_base) {
        xs_string_format(text, " (");
        put_measured(text, &plain, r->base, 0, &judged->recorded);
        xs_string_format(text, " in the baseline)");
    }
}

void xs_check_sentence(struct xs_string *text, const struct xs_judged *judged, const struct xs_rule_result *r) {
    if (r->outcome == XS_OUTCOME_UNKNOWN || r->outcome == XS_OUTCOME_ALLOWED) {
        if (r->value_known && r->value) {
            xs_check_value(text, judged, r);
            xs_string_format(text, " seen, limit ");
            xs_check_limit(text, judged, r);
            xs_string_format(text, "; the trace cannot tell all: ");
        }
        xs_string_format(text, "%s", r->reason ? r->reason : "not known");
        return;
    }
    bool each = r->rule->about == XS_RULE_ANY || r->rule->about == XS_RULE_SURE;
    if (each && !r->value) {
        xs_string_format(text, "none");
        return;
    }
    if (each && r->place_count)
        xs_string_format(text, "%zu finding%s over it, the largest ", r->place_count, r->place_count > 1 ? "s" : "");
    else if (each)
        xs_string_format(text, "the largest ");
    xs_check_value(text, judged, r);
    xs_string_format(text, ", limit ");
    xs_check_limit(text, judged, r);
    if (r->outcome == XS_OUTCOME_PASS && r->value_known && r->value > r->limit)
        xs_string_format(text, "; not more for certain, because not all copies were checked");
}

void xs_check_amount(struct xs_string *text, const struct xs_check_finding *f) {
    xs_string_format(text, "%s", f->amount);
    if (!f->advice) {
        xs_string_format(text, ", saves ");
        xs_saving_text(text, f->least_ns, f->saves_ns);
    }
    if (f->checked && *f->checked)
        xs_string_format(text, " (%s)", f->checked);
}

void xs_check_suppression(struct xs_string *text, const struct xs_suppression *s) {
    xs_string_format(text, "%s (%s", s->origin, s->finding ? s->finding : "any finding");
    if (s->function)
        xs_string_format(text, " in %s", s->function);
    if (s->file)
        xs_string_format(text, ", file %s", s->file);
    if (s->text)
        xs_string_format(text, ", line \"%s\"", s->text);
    xs_string_format(text, "): %s", s->reason);
}

void xs_check_expired(struct xs_string *text, const struct xs_suppression *s) {
    xs_string_format(text, "expired on %s, and is needed still: ", s->until);
    xs_check_suppression(text, s);
}

static bool is_below(const char *path, const char *folder, size_t *length) {
    *length = strlen(folder);
    while (*length > 1 && folder[*length - 1] == '/')
        (*length)--;
    return *length > 1 && !strncmp(path, folder, *length) && path[*length] == '/' && path[*length + 1];
}

void xs_check_path(struct xs_string *text, const struct xs_check *check, const struct xs_judged *judged,
                   const struct xs_check_finding *f, bool *absolute) {
    const char *path = f->path, *root = check->source_root ? check->source_root : judged->cwd;
    size_t length;
    char *whole = NULL; /* a relative name is relative to the program's working directory, which may differ from the
                           root */
    *absolute = false;
    if (f->is_source && check->source_root && *path != '/' && *judged->cwd == '/') {
        whole = xs_text_format("%s/%s", judged->cwd, strncmp(path, "./", 2) ? path : path + 2);
        path = is_below(whole, root, &length) ? whole : path;
    }
    if (!f->is_source) { /* a library or a program, in any folder */
        path = *path ? xs_base_name(path) : "unknown";
    } else if (is_below(path, root, &length)) {
        path += length + 1;
    } else {
        *absolute = *path == '/';
        while (!strncmp(path, "./", 2) && path[2])
            path += 2;
    }
    xs_string_format(text, "%s", path);
    free(whole);
}
