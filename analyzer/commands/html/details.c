/* Writes details of findings; see details.h. Rows are read by id, without device times. Device records have no index,
 * so a join would take a second per row if the trace is large. The page takes the times from the timeline. */
#include "analyzer/commands/html/details.h"

#include <inttypes.h>
#include <stdio.h>

#include "analyzer/commands/explain/explain_stacks.h"
#include "analyzer/commands/html/sites.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/context_words.h"
#include "analyzer/words/detour_words.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/saving_words.h"
#include "analyzer/words/unread_words.h"

/* Columns of the queries: id, stack, time, duration, bytes, addresses, and the contents after and before, as texts;
 * NULL if the table has no such column. */
enum { STACK, ENTER, RETURN, BYTES, SOURCE, TARGET, CONTENT, BEFORE };
#define DIGITS(name) "printf('%%016llx%%016llx', f." name "_high, f." name "_low)"
static const char *const queries[] = {
    [XS_EVIDENCE_TRANSFER] = "SELECT t.stack, t.enter_ns, t.return_ns, t.bytes, printf('0x%%llx', t.src_address), "
                             "printf('0x%%llx', t.dst_address), CASE WHEN f.id IS NOT NULL THEN " DIGITS(
                                 "content") " END, "
                                            "CASE WHEN f.before_low IS NOT NULL THEN " DIGITS(
                                                "before") " END "
                                                          "FROM transfer t LEFT JOIN fingerprint f ON f.id = "
                                                          "t.fingerprint WHERE t.id = %lld",
    [XS_EVIDENCE_MEMSET] = "SELECT stack, enter_ns, return_ns, bytes, NULL, printf('0x%%llx', address), NULL, NULL "
                           "FROM memset WHERE id = %lld",
    [XS_EVIDENCE_ALLOCATION] = "SELECT stack, enter_ns, return_ns, bytes, NULL, printf('0x%%llx', address), NULL, NULL "
                               "FROM allocation WHERE id = %lld",
    [XS_EVIDENCE_LAUNCH] = "SELECT NULL, enter_ns, return_ns, NULL, NULL, NULL, NULL, NULL FROM launch WHERE id = %lld",
    [XS_EVIDENCE_SYNC] = "SELECT stack, enter_ns, return_ns, NULL, NULL, NULL, NULL, NULL FROM sync WHERE id = %lld",
    [XS_EVIDENCE_API_CALL] =
        "SELECT NULL, enter_ns, return_ns, bytes, NULL, NULL, NULL, NULL FROM api_call WHERE id = %lld",
    [XS_EVIDENCE_MIGRATION] = "SELECT NULL, start_ns, end_ns, bytes, NULL, printf('0x%%llx', address), NULL, NULL "
                              "FROM device_migration WHERE id = %lld",
};

static void put_text(struct xs_json *json, const char *key, const struct xs_scan *scan, int column) {
    if (!xs_scan_null(scan, column))
        xs_json_text(json, key, xs_scan_text(scan, column));
}

static void put_number(struct xs_json *json, const char *key, const struct xs_scan *scan, int column) {
    if (!xs_scan_null(scan, column))
        xs_json_int(json, key, xs_scan_int(scan, column));
}

/* Writes one row; leaves out keys that have no value. Stores the row's stack; 0: none. */
static int put_row(const struct xs_trace *trace, const struct xs_evidence *evidence, int64_t *stack,
                   struct xs_json *json, char *message) {
    char sql[640];
    struct xs_scan scan;
    uint64_t damaged = 0;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral" /* from the table above */
    snprintf(sql, sizeof sql, queries[evidence->table], (long long)evidence->row);
#pragma GCC diagnostic pop
    xs_json_object(json, NULL);
    xs_json_text(json, "role", evidence->role);
    xs_json_text(json, "table", xs_evidence_table_names[evidence->table]);
    xs_json_int(json, "row", evidence->row);
    xs_scan_begin(&scan, trace, sql, message, &damaged);
    *stack = 0;
    if (xs_scan_row(&scan)) {
        *stack = xs_scan_int(&scan, STACK);
        put_number(json, "enter_ns", &scan, ENTER);
        put_number(json, "return_ns", &scan, RETURN);
        put_number(json, "bytes", &scan, BYTES);
        put_text(json, "from", &scan, SOURCE);
        put_text(json, "to", &scan, TARGET);
        put_text(json, "content", &scan, CONTENT);
        put_text(json, "before", &scan, BEFORE);
    }
    xs_json_end(json, '}');
    return xs_scan_end(&scan);
}

static int put_instances(const struct xs_trace *trace, const struct xs_finding *f, int64_t *stack, struct xs_json *json,
                         char *message) {
    int status = XS_OK;
    xs_json_array(json, "examples");
    for (size_t i = 0; i < f->first_count && i < XS_HTML_INSTANCES && status >= 0; i++) {
        const struct xs_instance *instance = &f->first[i];
        xs_json_object(json, NULL);
        xs_json_int(json, "at_ns", instance->at_ns);
        xs_json_count(json, "transfers", instance->transfers);
        xs_json_count(json, "bytes", instance->bytes);
        xs_json_array(json, "evidence");
        for (unsigned k = 0; k < instance->evidence_count && status >= 0; k++) {
            int64_t of = 0;
            status = put_row(trace, &instance->evidence[k], &of, json, message);
            if (!i && !k)
                *stack = of;
        }
        xs_json_end(json, ']');
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    return status;
}

int xs_html_details_json(const struct xs_trace *trace, const struct xs_diagnosis *diagnosis, size_t count,
                         struct xs_json *json, char *message) {
    int status = XS_OK;
    xs_json_array(json, "details");
    for (size_t i = 0; i < count && status >= 0; i++) {
        const struct xs_diagnosed *d = &diagnosis->items[i];
        const struct xs_finding *f = d->finding;
        struct xs_string cost = {0}, amount = {0}, share = {0}, checked = {0}, framework = {0}, detour = {0};
        struct xs_string released = {0}, launched = {0}, unread = {0};
        int64_t stack = 0;
        xs_finding_cost(&cost, f);
        xs_finding_amount(&amount, f);
        if (!f->advice)
            xs_say_share(&share, "", d->saves.most_ns, &diagnosis->findings->recorded);
        xs_finding_checked(&checked, f);
        xs_say_framework(&framework, d);
        xs_say_detour(&detour, diagnosis, d);
        xs_say_unread(&unread, diagnosis->findings, f);
        if (d->released_at)
            xs_place_of_site(&released, diagnosis->findings, d->released_at);
        if (f->launched_at)
            xs_place_of_site(&launched, diagnosis->findings, f->launched_at);
        xs_json_object(json, NULL);
        xs_html_words_json(json, "cost_text", &cost);
        xs_html_words_json(json, "amount_text", &amount);
        xs_html_words_json(json, "share_text", &share);
        xs_html_words_json(json, "checked_text", &checked);
        xs_html_words_json(json, "framework_text", &framework);
        if (detour.length)
            xs_html_words_json(json, "detour_text", &detour);
        if (unread.length)
            xs_html_words_json(json, "unread_text", &unread);
        if (released.length)
            xs_html_words_json(json, "released_text", &released);
        if (launched.length)
            xs_html_words_json(json, "launched_text", &launched);
        xs_json_count(json, "scaled_ns", d->saves.scaled_most_ns);
        xs_html_place_json(diagnosis->findings->sites, xs_site_frame(diagnosis->findings, f->site), json);
        status = put_instances(trace, f, &stack, json, message);
        if (i < XS_HTML_STACKS && stack)
            xs_stack_json(diagnosis->findings, stack, json);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    return status;
}
