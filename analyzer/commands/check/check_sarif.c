/* `xferspy check --sarif`: SARIF 2.1.0, which code hosts show at the lines that it names. The output has one SARIF run
 * for all traces, so that a finding that several ranks have is one result. Section numbers refer to the OASIS standard.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/interned.h"
#include "analyzer/base/json.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/check/check.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/totals/summary/metrics.h"

#define SCHEMA "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"

/* A finding of one of the traces. */
struct entry {
    const struct xs_judged *judged;
    size_t finding;
    uint64_t fingerprint;
};
struct entries {
    struct entry *items;
    size_t count;
};

static const struct xs_check_finding *finding_of(const struct entry *e) {
    return &e->judged->findings.items[e->finding];
}
/* Returns the rule of a finding. Verdicts that are joined in one finding may vary from run to run, so the rule is then
 * the detector. */
static const char *rule_of(const struct xs_check_finding *f) {
    const struct xs_detector *d = xs_detectors[f->detector];
    return d->verdicts_join ? d->id : f->kind;
}
static const struct xs_judged_state *state_of(const struct entry *e) { return &e->judged->states[e->finding]; }

/* --- what is listed --- */

static bool is_same(const struct entry *a, const struct entry *b) {
    return a->fingerprint == b->fingerprint && finding_of(a)->line == finding_of(b)->line &&
           !strcmp(rule_of(finding_of(a)), rule_of(finding_of(b)));
}

/* Sorts by identity, so that the file changes little from run to run; of equal entries, the worst comes first. */
static int by_place(const void *left, const void *right) {
    const struct entry *a = left, *b = right;
    const struct xs_check_finding *x = finding_of(a), *y = finding_of(b);
    return strcmp(rule_of(x), rule_of(y)) ?: strcmp(x->file, y->file) ?: xs_compare_uint64(x->line, y->line)
        ?: xs_compare_uint64(a->fingerprint, b->fingerprint) ?: xs_compare(state_of(b)->failing, state_of(a)->failing)
        ?: xs_compare_uint64(y->saves_ns, x->saves_ns) ?: (a->judged > b->judged) - (a->judged < b->judged);
}

/* Collects the results. Advice, and findings that are too small to be listed, are included only if they make a rule
 * fail. */
static void collect(const struct xs_check *check, struct entries *entries) {
    size_t most = 0;
    for (size_t i = 0; i < check->count; i++)
        most += check->judged[i].findings.count;
    entries->items = xs_realloc(NULL, sizeof *entries->items * most);
    entries->count = 0;
    for (size_t i = 0; i < check->count; i++) {
        const struct xs_judged *judged = &check->judged[i];
        for (size_t k = 0; k < judged->findings.count; k++) {
            const struct xs_check_finding *f = &judged->findings.items[k];
            if (judged->states[k].failing || judged->states[k].suppression >= 0 || !(f->folded || f->advice))
                entries->items[entries->count++] =
                    (struct entry){.judged = judged, .finding = k, .fingerprint = xs_check_finding_hash(f)};
        }
    }
    xs_sort(entries->items, entries->count, sizeof *entries->items, by_place);
}

/* --- parts --- */

/* Adds literal text. Messages can contain links and placeholders (3.11.5, 3.11.6); texts of a trace must not. */
static void add_literal(struct xs_string *text, const char *raw) {
    char *escaped = xs_text_escaped(raw);
    for (const char *p = escaped; *p; p++) {
        if (*p == '[' || *p == ']' || *p == '\\')
            xs_string_add(text, "\\", 1);
        xs_string_add(text, p, 1);
        if (*p == '{' || *p == '}')
            xs_string_add(text, p, 1);
    }
    free(escaped);
}

/* Writes an object with one text. */
static void put_single(struct xs_json *json, const char *key, const char *name, const char *text) {
    xs_json_object(json, key);
    xs_json_text(json, name, text);
    xs_json_end(json, '}');
}

static void put_message(struct xs_json *json, const char *key, const char *text) {
    put_single(json, key, "text", text);
}

static void put_function(struct xs_json *json, const char *name) {
    xs_json_object(json, NULL);
    xs_json_text(json, "name", name);
    xs_json_text(json, "kind", "function");
    xs_json_end(json, '}');
}

/* Returns a path as a URI by RFC 3986: all bytes except letters, digits, a few marks and slashes become %XX; bytes of
 * invalid UTF-8, too. */
static char *as_uri(const char *path, bool absolute) {
    struct xs_string uri = {0};
    if (absolute)
        xs_string_format(&uri, "file://");
    for (const char *p = path; *p; p++) {
        bool plain = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                     strchr("-._~/", *p) != NULL;
        if (plain)
            xs_string_add(&uri, p, 1);
        else
            xs_string_format(&uri, "%%%02X", (unsigned)(unsigned char)*p);
    }
    return uri.data ? uri.data : xs_strdup("unknown");
}

static void put_artifact(struct xs_json *json, const char *path, bool absolute) {
    XS_SCOPED char *uri = as_uri(path, absolute);
    xs_json_object(json, "artifactLocation");
    xs_json_text(json, "uri", uri);
    if (!absolute)
        xs_json_text(json, "uriBaseId", "%SRCROOT%");
    xs_json_end(json, '}');
}

/* Writes the location. Hosts refuse results without a file, so for code without source lines it is the library or the
 * program. */
static void put_location(struct xs_json *json, const struct xs_check *check, const struct entry *e) {
    const struct xs_check_finding *f = finding_of(e);
    XS_SCOPED_STRING path = {0};
    bool absolute;
    xs_check_path(&path, check, e->judged, f, &absolute);
    xs_json_array(json, "locations");
    xs_json_object(json, NULL);
    xs_json_object(json, "physicalLocation");
    put_artifact(json, path.data, absolute);
    if (f->line) {
        xs_json_object(json, "region");
        xs_json_count(json, "startLine", f->line);
        if (*f->text)
            put_message(json, "snippet", f->text);
        xs_json_end(json, '}');
    }
    xs_json_end(json, '}');
    xs_json_array(json, "logicalLocations");
    if (*f->function)
        put_function(json, f->function);
    put_function(json, f->entry_point);
    xs_json_end(json, ']');
    xs_json_end(json, '}');
    xs_json_end(json, ']');
}

/* If one result has suppressions, all must have the array (3.27.23), empty or not. */
static void put_no_suppressions(struct xs_json *json, const struct xs_check *check) {
    if (!check->terms->config->suppression_count)
        return;
    xs_json_array(json, "suppressions");
    xs_json_end(json, ']');
}

static void put_suppression(struct xs_json *json, const struct xs_check *check, const struct entry *e) {
    long index = state_of(e)->suppression;
    if (index < 0) {
        put_no_suppressions(json, check);
        return;
    }
    const struct xs_suppression *s = &check->terms->config->suppressions[index];
    xs_json_array(json, "suppressions");
    xs_json_object(json, NULL);
    xs_json_text(json, "kind", "external");
    xs_json_text(json, "status", s->expired ? "rejected" : "accepted");
    xs_json_text(json, "justification", s->reason);
    xs_json_end(json, '}');
    xs_json_end(json, ']');
}

static void add_message(struct xs_string *text, const struct entry *e) {
    const struct xs_check_finding *f = finding_of(e);
    const struct xs_detector *d = xs_detectors[f->detector];
    char share[XS_UNIT_BYTES];
    xs_string_format(text, "%c%s: ", d->title[0] - 'a' + 'A', d->title + 1);
    xs_check_amount(text, f);
    if (!f->advice && *xs_format_share(share, f->saves_ns, e->judged->recorded.ns))
        xs_string_format(text, ", %s %s", share, xs_share_is_of(&e->judged->recorded));
    xs_string_format(text, ". At ");
    add_literal(text, f->place);
    xs_string_format(text, ". ");
    add_literal(text, f->remedy);
    for (size_t i = 0; i < e->judged->result_count; i++) {
        const struct xs_rule_result *r = &e->judged->results[i];
        for (size_t k = 0; r->outcome == XS_OUTCOME_FAIL && k < r->place_count; k++)
            if (r->places[k] == e->finding)
                xs_string_format(text, " Fails %s.", r->rule->text);
    }
}

/* --- results --- */

/* Returns the number of a result among those with one key in one file, counted from 1. Lines whose text is not known
 * differ only in this number. */
static unsigned ordinal_of(const struct entries *entries, size_t index) {
    enum { LOOKED_AT = 1000 };
    const struct entry *e = &entries->items[index];
    unsigned ordinal = 1;
    for (size_t i = index; i > 0 && index - i < LOOKED_AT; i--) {
        const struct entry *before = &entries->items[i - 1];
        if (strcmp(rule_of(finding_of(before)), rule_of(finding_of(e))) != 0 ||
            strcmp(finding_of(before)->file, finding_of(e)->file) != 0)
            break;
        ordinal += before->fingerprint == e->fingerprint && (i == 1 || !is_same(before, &entries->items[i - 2]));
    }
    return ordinal;
}

static void put_result(struct xs_json *json, const struct xs_check *check, const struct entries *entries, size_t index,
                       size_t occurrences) {
    const struct entry *e = &entries->items[index];
    const struct xs_check_finding *f = finding_of(e);
    static const char *const states[] = {NULL, "unchanged", "updated", "new"};
    enum xs_standing standing = xs_judged_standing_by_rules(e->judged, check->terms, e->finding);
    XS_SCOPED_STRING text = {0};
    char hash[40];
    add_message(&text, e);
    xs_json_object(json, NULL);
    xs_json_text(json, "ruleId", rule_of(f));
    xs_json_text(json, "level", state_of(e)->failing ? "error" : "note");
    put_message(json, "message", text.data);
    put_location(json, check, e);
    if (occurrences > 1)
        xs_json_count(json, "occurrenceCount", occurrences);
    snprintf(hash, sizeof hash, "%016" PRIx64 ":%u", e->fingerprint, ordinal_of(entries, index));
    xs_json_object(json, "partialFingerprints");
    xs_json_text(json, "primaryLocationLineHash", hash); /* the key that GitHub reads */
    xs_json_text(json, "xferspySite/v1", hash);
    xs_json_end(json, '}');
    if (states[standing])
        xs_json_text(json, "baselineState", states[standing]);
    put_suppression(json, check, e);
    xs_json_object(json, "properties");
    xs_json_text(json, "trace", e->judged->path);
    xs_json_text(json, "name", f->name);
    xs_json_count(json, "instances", f->instances);
    xs_json_count(json, "bytes", f->bytes);
    xs_json_count(json, "saves_ns", f->saves_ns);
    xs_json_count(json, "saves_least_ns", f->least_ns);
    xs_json_end(json, '}');
    xs_json_end(json, '}');
}

static void put_findings(struct xs_json *json, const struct xs_check *check, const struct entries *entries) {
    for (size_t i = 0; i < entries->count;) {
        size_t same = 1;
        while (i + same < entries->count && is_same(&entries->items[i], &entries->items[i + same]))
            same++;
        put_result(json, check, entries, i, same);
        i += same;
    }
}

/* True if a rule's result has no place: a metric over its limit, unless its causes are results; or a rule that the
 * trace cannot decide (3.27.9: "open"). */
static bool is_placeless(const struct xs_rule_result *r) {
    return r->outcome == XS_OUTCOME_UNKNOWN ||
           (r->outcome == XS_OUTCOME_FAIL && r->rule->about == XS_RULE_METRIC && !r->place_count);
}

static char *placeless_id(const struct xs_rule_result *r) {
    struct xs_string id = {0};
    xs_string_format(&id, "%s/%.*s", r->outcome == XS_OUTCOME_UNKNOWN ? "unknown" : "metric",
                     (int)strcspn(r->rule->text, ":"), r->rule->text);
    return id.data;
}

/* True if the baseline exceeds a metric's limit, too. */
static bool was_over(const struct xs_check *check, const struct xs_rule_result *r) {
    if (r->rule->about != XS_RULE_METRIC || r->rule->relative)
        return false;
    const struct xs_metric_value *was = &check->terms->baseline->metrics.of[r->rule->metric];
    return was->known && was->value > r->limit;
}

static void put_placeless(struct xs_json *json, const struct xs_check *check, const struct xs_judged *judged,
                          const struct xs_rule_result *r) {
    XS_SCOPED_STRING sentence = {0}, text = {0};
    XS_SCOPED char *id = placeless_id(r);
    const char *program = xs_base_name(judged->executable);
    xs_check_sentence(&sentence, judged, r);
    xs_string_format(&text, "%s: ", r->rule->text);
    add_literal(&text, sentence.data);
    xs_json_object(json, NULL);
    xs_json_text(json, "ruleId", id);
    if (r->outcome == XS_OUTCOME_UNKNOWN)
        xs_json_text(json, "kind", "open");
    xs_json_text(json, "level", r->outcome == XS_OUTCOME_UNKNOWN ? "none" : "error");
    put_message(json, "message", text.data);
    xs_json_array(json, "locations");
    xs_json_object(json, NULL);
    xs_json_object(json, "physicalLocation");
    put_artifact(json, *program ? program : "unknown", false);
    xs_json_end(json, '}');
    xs_json_end(json, '}');
    xs_json_end(json, ']');
    if (check->terms->baseline)
        xs_json_text(json, "baselineState", was_over(check, r) ? "unchanged" : "new");
    put_no_suppressions(json, check);
    put_single(json, "properties", "trace", judged->path);
    xs_json_end(json, '}');
}

/* --- rules --- */

static void put_finding_rule(struct xs_json *json, const struct xs_check_finding *f) {
    const struct xs_detector *d = xs_detectors[f->detector];
    XS_SCOPED_STRING help = {0};
    /* The file is read on other machines, so the text does not name a folder of this machine. */
    xs_string_format(&help, "%s See docs/rules/findings/%s.md of xferspy.",
                     xs_detector_remedy(d, xs_finding_compared_verdict(f->detector, f->verdict)), d->id);
    xs_json_object(json, NULL);
    xs_json_text(json, "id", rule_of(f));
    put_message(json, "shortDescription", d->title);
    put_message(json, "help", help.data);
#ifdef XFERSPY_DOCS_URL
    XS_SCOPED_STRING uri = {0};
    xs_string_format(&uri, "%s/rules/findings/%s.md", XFERSPY_DOCS_URL, d->id);
    xs_json_text(json, "helpUri", uri.data);
#endif
    put_single(json, "defaultConfiguration", "level", "note");
    xs_json_object(json, "properties");
    xs_json_array(json, "tags");
    xs_json_text(json, NULL, "performance");
    xs_json_end(json, ']');
    xs_json_end(json, '}');
    xs_json_end(json, '}');
}

/* Writes each name once (3.19.23), however many traces have it. */
static void put_placeless_rules(struct xs_json *json, const struct xs_check *check) {
    struct xs_texts seen = {0};
    for (size_t i = 0; i < check->count; i++) {
        for (size_t k = 0; k < check->judged[i].result_count; k++) {
            const struct xs_rule_result *r = &check->judged[i].results[k];
            XS_SCOPED char *id = is_placeless(r) ? placeless_id(r) : NULL;
            size_t before = seen.known.count;
            xs_texts_keep(&seen, id);
            if (seen.known.count > before) {
                xs_json_object(json, NULL);
                xs_json_text(json, "id", id);
                put_message(json, "shortDescription",
                            r->outcome == XS_OUTCOME_UNKNOWN ? "a rule that the trace cannot tell"
                                                             : xs_metric_infos[r->rule->metric].title);
                xs_json_end(json, '}');
            }
        }
    }
    xs_texts_free(&seen);
}

static void put_driver(struct xs_json *json, const struct xs_check *check, const struct entries *entries) {
    xs_json_object(json, "tool");
    xs_json_object(json, "driver");
    xs_json_text(json, "name", "xferspy");
    xs_json_text(json, "version", XFERSPY_VERSION);
    xs_json_array(json, "rules");
    for (size_t i = 0; i < entries->count; i++)
        if (!i || strcmp(rule_of(finding_of(&entries->items[i - 1])), rule_of(finding_of(&entries->items[i]))) != 0)
            put_finding_rule(json, finding_of(&entries->items[i]));
    put_placeless_rules(json, check);
    xs_json_end(json, ']');
    xs_json_end(json, '}');
    xs_json_end(json, '}');
}

static void put_notification(struct xs_json *json, const char *level, const char *trace, const char *what) {
    XS_SCOPED_STRING text = {0};
    add_literal(&text, trace);
    xs_string_format(&text, ": %s", what);
    xs_json_object(json, NULL);
    xs_json_text(json, "level", level);
    put_message(json, "message", text.data);
    xs_json_end(json, '}');
}

/* Writes notifications about what is missing in the results (3.20.21). */
static void put_notifications(struct xs_json *json, const struct xs_check *check) {
    xs_json_array(json, "toolExecutionNotifications");
    for (size_t i = 0; i < check->unread_count; i++)
        put_notification(json, "error", check->unread[i], XS_CHECK_UNREAD);
    xs_json_end(json, ']');
}

void xs_check_sarif(const struct xs_check *check, struct xs_out *out) {
    struct xs_json json = {.file = out->file};
    struct entries entries;
    collect(check, &entries);
    xs_json_object(&json, NULL);
    xs_json_text(&json, "$schema", SCHEMA);
    xs_json_text(&json, "version", "2.1.0");
    xs_json_array(&json, "runs");
    xs_json_object(&json, NULL);
    put_driver(&json, check, &entries);
    xs_json_object(&json, "originalUriBaseIds");
    xs_json_object(&json, "%SRCROOT%");
    put_message(&json, "description", "the folder that the program ran in, or that --source-root names");
    xs_json_end(&json, '}');
    xs_json_end(&json, '}');
    xs_json_array(&json, "invocations");
    xs_json_object(&json, NULL);
    xs_json_bool(&json, "executionSuccessful", !check->incomplete);
    xs_json_int(&json, "exitCode",
                check->incomplete                      ? XS_EXIT_ERROR
                : check->outcome >= XS_OUTCOME_UNKNOWN ? XS_EXIT_LIMIT
                                                       : XS_EXIT_OK);
    if (check->unread_count)
        put_notifications(&json, check);
    xs_json_end(&json, '}');
    xs_json_end(&json, ']');
    xs_json_array(&json, "results");
    put_findings(&json, check, &entries);
    for (size_t i = 0; i < check->count; i++)
        for (size_t k = 0; k < check->judged[i].result_count; k++)
            if (is_placeless(&check->judged[i].results[k]))
                put_placeless(&json, check, &check->judged[i], &check->judged[i].results[k]);
    xs_json_end(&json, ']');
    xs_json_text(&json, "columnKind", "unicodeCodePoints");
    xs_json_end(&json, '}');
    xs_json_end(&json, ']');
    xs_json_end(&json, '}');
    free(entries.items);
}
