/* Prints rows of `explain`, for programs and as tables: findings, instances, undecided cases. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/table.h"
#include "analyzer/commands/explain/explain.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/callsites.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/findings_words.h"

#define ROWS_MEASURED 1000

/* Prints rows one after the other, as TSV, or in a table that is printed some rows at a time. */
struct rows {
    struct xs_out *out;
    struct xs_table *table; /* NULL: TSV */
    size_t columns, column;
};

static void rows_begin(struct rows *rows, struct xs_out *out, bool tsv, const char *const *headers, size_t columns,
                       size_t texts) {
    *rows = (struct rows){.out = out, .table = tsv ? NULL : xs_table_new(0), .columns = columns};
    for (size_t i = 0; i < columns; i++)
        if (tsv)
            fprintf(out->file, "%s%c", headers[i], i + 1 < columns ? '\t' : '\n');
        else
            xs_table_column(rows->table, headers[i], i >= texts);
}

static void rows_text(struct rows *rows, const char *text) {
    bool last = ++rows->column == rows->columns;
    if (rows->table) {
        xs_table_cell(rows->table, text);
    } else {
        char *escaped = xs_text_escaped(text);
        fprintf(rows->out->file, "%s%c", escaped ? escaped : "", last ? '\n' : '\t');
        free(escaped);
    }
    if (last) {
        rows->column = 0;
        if (rows->table && xs_table_rows(rows->table) >= ROWS_MEASURED)
            xs_table_print(rows->table, rows->out);
    }
}

static void rows_count(struct rows *rows, bool known, uint64_t value) {
    char buffer[24] = "";
    if (known)
        snprintf(buffer, sizeof buffer, "%" PRIu64, value);
    rows_text(rows, buffer);
}

static void rows_id(struct rows *rows, bool known, int64_t value) {
    char buffer[24] = "";
    if (known)
        snprintf(buffer, sizeof buffer, "%" PRId64, value);
    rows_text(rows, buffer);
}

static void rows_end(struct rows *rows) {
    if (rows->table && xs_table_rows(rows->table))
        xs_table_print(rows->table, rows->out);
    if (rows->table)
        xs_table_free(rows->table);
}

static void finding_row(const struct xs_findings *findings, const struct xs_diagnosed *d, struct rows *rows) {
    const struct xs_finding *f = d->finding;
    bool device = f->timed_instances > 0, exposed = f->exposed_instances > 0;
    const struct xs_amount all = xs_finding_in_all(f);
    XS_SCOPED_STRING kind = {0};
    xs_finding_kind(&kind, f->detector, f->verdict);
    rows_text(rows, kind.data);
    rows_text(rows, xs_site_name(findings, f->site));
    rows_count(rows, true, all.instances);
    rows_count(rows, true, all.transfers);
    rows_count(rows, true, all.bytes);
    rows_count(rows, device, xs_finding_ns_in_all(f, f->timed_instances, f->cost.device_ns));
    rows_count(rows, exposed, xs_finding_ns_in_all(f, f->exposed_instances, f->cost.exposed_ns));
    /* if the detector is about the host's time, the number is not the device's time: its repair removes time in calls
     */
    rows_count(rows, device || !all.about,
               device ? xs_finding_ns_in_all(f, f->timed_instances, f->removable.device_ns) : f->removable.host_ns);
    rows_count(rows, exposed, xs_finding_ns_in_all(f, f->exposed_instances, f->removable.exposed_ns));
    /* checking contents makes the call of a copy longer, so the time of checked calls says nothing about the others */
    rows_count(rows, !all.about, f->cost.host_ns);
    rows_count(rows, true, f->advice);
    rows_count(rows, true, d->folded);
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    rows_text(rows, frame ? frame->function : NULL);
    rows_text(rows, frame ? frame->file : NULL);
    rows_count(rows, frame && frame->line, frame ? frame->line : 0);
    rows_count(rows, d->saves.known, d->saves.least_ns);
    rows_count(rows, d->saves.known, d->saves.most_ns);
    rows_count(rows, f->sample.is_of_contents, f->sample.checked);
    rows_count(rows, f->sample.is_of_contents, xs_sum(f->sample.of, f->sample.unknown));
    rows_count(rows, true, all.about);
    rows_count(rows, true, f->instances);
    rows_count(rows, true, xs_finding_low(f));
    rows_count(rows, true, xs_finding_high(f));
}

void xs_explain_rows(const struct xs_explain *explain, struct xs_out *out) {
    static const char *const headers[] = {"finding",        "site",          "instances",
                                          "transfers",      "bytes",         "device_ns",
                                          "exposed_ns",     "removable_ns",  "removable_exposed_ns",
                                          "host_ns",        "advice",        "folded",
                                          "function",       "file",          "line",
                                          "saves_least_ns", "saves_most_ns", "checked",
                                          "checked_of",     "is_estimate",   "instances_found",
                                          "instances_low",  "instances_high"};
    struct rows rows;
    rows_begin(&rows, out, true, headers, sizeof headers / sizeof *headers, 2);
    for (size_t i = 0; i < explain->diagnosis->count; i++)
        if (explain->chosen < 0 || (size_t)explain->chosen == i)
            finding_row(explain->diagnosis->findings, &explain->diagnosis->items[i], &rows);
    rows_end(&rows);
}

bool xs_explain_wants(const struct xs_explain *explain, const struct xs_listed_instance *kept) {
    if (explain->chosen < 0)
        return true;
    const struct xs_finding *f = explain->diagnosis->items[explain->chosen].finding;
    return kept->detector == f->detector && xs_finding_has_verdict(f, kept->verdict) && kept->site == f->site;
}

uint64_t xs_explain_share_ns(const struct xs_explain *explain, const struct xs_listed_instance *kept) {
    const uint64_t *index =
        xs_hash_find(&explain->finding_of, kept->site, (uint64_t)kept->detector << 32 | kept->verdict);
    return index ? xs_finding_share_ns(&explain->diagnosis->items[*index - 1], kept->claims_ns) : 0;
}

void xs_explain_instances(const struct xs_explain *explain, bool tsv, struct xs_out *out) {
    static const char *const headers[] = {"finding", "kind", "row", "other_kind", "other_row"};
    struct rows rows;
    rows_begin(&rows, out, tsv, headers, sizeof headers / sizeof *headers, 2);
    for (size_t i = 0; i < explain->kept_count; i++) {
        const struct xs_listed_instance *kept = &explain->kept[i];
        if (!xs_explain_wants(explain, kept))
            continue;
        XS_SCOPED_STRING kind = {0};
        xs_finding_kind(&kind, kept->detector, kept->verdict);
        rows_text(&rows, kind.data);
        for (uint32_t row = 0; row < 2; row++) {
            bool has = row < kept->evidence_count;
            rows_text(&rows, has ? xs_evidence_table_names[kept->tables[row]] : "");
            rows_id(&rows, has, kept->rows[row]);
        }
    }
    rows_end(&rows);
}

void xs_explain_undecided(const struct xs_explain *explain, bool tsv, struct xs_out *out) {
    static const char *const headers[] = {"finding", "reason", "count"};
    const struct xs_findings *findings = explain->diagnosis->findings;
    struct rows rows;
    if (!tsv && !findings->undecided_count) {
        fputs("Nothing was undecided.\n", out->file);
        return;
    }
    rows_begin(&rows, out, tsv, headers, sizeof headers / sizeof *headers, 2);
    for (size_t i = 0; i < findings->undecided_count; i++) {
        rows_text(&rows, xs_detectors[findings->undecided[i].detector]->id);
        rows_text(&rows, findings->undecided[i].reason);
        rows_count(&rows, true, findings->undecided[i].count);
    }
    rows_end(&rows);
}
