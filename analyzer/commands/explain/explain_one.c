/* Prints `explain` for people: one finding with the rows that prove it. */
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/table.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/common/installation.h"
#include "analyzer/commands/explain/explain.h"
#include "analyzer/commands/explain/explain_instance.h"
#include "analyzer/commands/explain/explain_stacks.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/windows/device_windows.h"
#include "analyzer/words/context_words.h"
#include "analyzer/words/detour_words.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/idle_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/remedies.h"
#include "analyzer/words/unread_words.h"

enum { EVIDENCE_SHOWN = 3 };

/* Prints the cost of other work that may have been useless, too, although the trace does not prove it. */
static void apart_line(const struct xs_times *apart, struct xs_out *out) {
    bool device = apart->device_known && apart->device_ns;
    if (device || apart->host_ns)
        xs_out_fact(out, "beside", "the downloads take %s %s; that time is also saved if nobody needs their data",
                    XS_NS_TEXT(device ? apart->device_ns : apart->host_ns), device ? "on the device" : "in the calls");
}

/* Prints the range of the saving, why it is an interval, and what it is based on. */
static void saving_lines(const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *d, struct xs_out *out) {
    const struct xs_finding *f = d->finding;
    XS_SCOPED_STRING why = {0};
    struct xs_string price = {0}, sample = {0};
    xs_finding_why_interval(&why, diagnosis, d);
    if (why.length && strcmp(XS_NS_TEXT(d->saves.least_ns), XS_NS_TEXT(d->saves.most_ns)) != 0)
        xs_out_fact(out, "interval", "%s to %s. %s", XS_NS_TEXT(d->saves.least_ns), XS_NS_TEXT(d->saves.most_ns),
                    why.data);
    xs_finding_pinning(&price, d);
    xs_out_take_fact(out, "price", &price);
    xs_finding_sample(&sample, f);
    xs_out_take_fact(out, "contents", &sample);
}

static void context_lines(const struct xs_diagnosed *d, struct xs_out *out) {
    XS_SCOPED_STRING host_copy = {0};
    struct xs_string text = {0};
    xs_say_context(&text, d);
    xs_out_take_fact(out, "work", &text);
    xs_say_host_copy(&host_copy, d);
    if (host_copy.length)
        xs_out_fact(out, "staging", "%s%s", host_copy.data,
                    d->context->uploads ? "; whatever else the host does before an upload is in it, too" : "");
}

/* Prints another line that the finding is about, unless it is not known (site 0). */
static void other_line(const struct xs_findings *findings, const char *label, uint32_t site, struct xs_out *out) {
    XS_SCOPED_STRING place = {0};
    if (!site)
        return;
    const struct xs_frame *frame = xs_site_frame(findings, site);
    xs_place_of_site(&place, findings, site);
    xs_out_fact(out, label, "%s", place.data + strlen("at "));
    XS_SCOPED char *line = xs_place_source(findings->sites, frame);
    xs_place_source_line(line, frame, XS_FACT_LABEL + 4, out);
}

/* Prints, for kernels that use host memory, how long they ran, what the link moves in that time, and what one copy
 * takes. */
static void link_line(const struct xs_findings *findings, const struct xs_finding *f, struct xs_out *out) {
    bool is_of_kernels = f->first_count && f->first[0].evidence[0].table == XS_EVIDENCE_LAUNCH && f->cost.device_known;
    if (!is_of_kernels || xs_detectors[f->detector]->repair != XS_REPAIR_SHORTEN)
        return;
    uint64_t bytes = f->bytes / f->instances, copy_ns = xs_link_ns(&findings->link, XS_LINK_H2D_PINNED, bytes);
    double moved = copy_ns ? (double)f->cost.device_ns / (double)copy_ns * (double)bytes : 0;
    if (moved > 0 && moved < 0x1p62)
        xs_out_fact(
            out, "link",
            "the kernels ran for %s, in which the link moves %s; one copy of each allocation, %s, takes %s and is "
            "deducted",
            XS_NS_TEXT(f->cost.device_ns), XS_BYTES_TEXT((uint64_t)moved), XS_BYTES_TEXT(bytes), XS_NS_TEXT(copy_ns));
}

static void worked_line(const struct xs_findings *findings, const struct xs_diagnosed *d, struct xs_out *out) {
    struct xs_string text = {0};
    if (d->worked_at)
        xs_worked_say(&text, findings, d->worked_at);
    xs_out_take_fact(out, "host", &text);
}

static void more_line(const struct xs_detector *d, struct xs_out *out) {
    XS_SCOPED char *page = xs_text_format("rules/findings/%s.md", d->id), *where = xs_docs_page(page);
    XS_SCOPED char *escaped = xs_text_escaped(where);
    if (where)
        xs_out_fact(out, "more", "%s", escaped);
}

static void print_head(const struct xs_explain *explain, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = explain->diagnosis;
    const struct xs_diagnosed *d = &diagnosis->items[explain->chosen];
    const struct xs_finding *f = d->finding;
    const struct xs_detector *detector = xs_detectors[f->detector];
    const struct xs_frame *frame = xs_site_frame(diagnosis->findings, f->site);
    XS_SCOPED_STRING name = {0}, where = {0};
    struct xs_string detour = {0}, amount = {0}, variants = {0}, room = {0}, cost = {0};
    struct xs_string gain = {0}, unread = {0};
    xs_finding_name(&name, diagnosis, (size_t)explain->chosen);
    fprintf(out->file, "%s%s%s: ", xs_style_on(out, XS_STYLE_HEADING), name.data, xs_style_off(out, XS_STYLE_HEADING));
    xs_out_rest(out, xs_text_width(name.data) + 2, 4, "%s", detector->title);
    xs_out_fact(out, "what", "%s", detector->definition);
    xs_say_detour(&detour, diagnosis, d);
    bool has_detour = detour.length > 0;
    xs_out_take_fact(out, "detour", &detour);
    xs_out_fact(out, "remedy", "%s%s", has_detour ? "If that cannot be done, do this: " : "",
                xs_remedy_of(diagnosis->findings, d));
    xs_place_of_site(&where, diagnosis->findings, f->site);
    xs_out_fact(out, "where", "%s", where.data + (strncmp(where.data, "at ", 3) ? 0 : 3));
    XS_SCOPED char *line = xs_place_source(diagnosis->findings->sites, frame);
    xs_place_source_line(line, frame, XS_FACT_LABEL + 4, out);
    other_line(diagnosis->findings, "released", d->released_at, out);
    other_line(diagnosis->findings, "launched", f->launched_at, out);
    worked_line(diagnosis->findings, d, out);
    context_lines(d, out);
    xs_finding_amount(&amount, f);
    if (f->instances > 1 && f->first_ns >= 0 && f->last_ns >= 0)
        xs_string_format(&amount, ", from %s to %s", XS_NS_TEXT((uint64_t)f->first_ns),
                         XS_NS_TEXT((uint64_t)f->last_ns));
    xs_out_take_fact(out, "count", &amount);
    xs_finding_variants(&variants, f);
    xs_out_take_fact(out, "variants", &variants);
    xs_finding_turns(&room, d);
    xs_out_take_fact(out, "room", &room);
    xs_say_unread(&unread, diagnosis->findings, f);
    xs_out_take_fact(out, "read", &unread);
    xs_finding_cost(&cost, f);
    xs_out_take_fact(out, "cost", &cost);
    apart_line(&f->apart, out);
    link_line(diagnosis->findings, f, out);
    xs_finding_gain(&gain, diagnosis->findings, d); /* the range is printed on a separate line */
    if (!gain.length)
        xs_string_format(&gain, "none by itself: advice");
    xs_out_take_fact(out, "gain", &gain);
    saving_lines(diagnosis, d, out);
    more_line(detector, out);
}

static void time_cell(struct xs_table *table, bool known, bool modelled, uint64_t ns) {
    if (known)
        xs_table_format(table, "%s%s", xs_modelled_mark(modelled), XS_NS_TEXT(ns));
    else
        xs_table_cell(table, NULL);
}

static void print_all(const struct xs_explain *explain, struct xs_out *out) {
    static const char *const headers[] = {"at", "row", "size", "device time", "exposed", "saves", "with"};
    XS_SCOPED_TABLE *table = xs_table_new(2);
    xs_out_heading(out, "Every instance");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        xs_table_column(table, headers[i], i != 1 && i != 6);
    for (size_t i = 0; i < explain->kept_count; i++) {
        const struct xs_listed_instance *k = &explain->kept[i];
        if (!xs_explain_wants(explain, k))
            continue;
        xs_table_cell(table, k->at_ns >= 0 ? XS_NS_TEXT((uint64_t)k->at_ns) : "-");
        struct xs_string row = {0}, with = {0};
        for (uint32_t e = 0; e < k->evidence_count; e++)
            xs_string_format(e ? &with : &row, "%s%s #%" PRId64, e > 1 ? ", " : "",
                             xs_evidence_table_names[k->tables[e]], k->rows[e]);
        xs_table_take(table, &row);
        xs_table_cell(table, XS_BYTES_TEXT(k->bytes));
        time_cell(table, k->device_known, k->modelled, k->device_ns);
        time_cell(table, k->exposed_known, k->modelled, k->exposed_ns);
        uint64_t saves = xs_explain_share_ns(explain, k);
        xs_table_cell(table, saves ? XS_NS_TEXT(saves) : NULL);
        xs_table_take(table, &with);
        if (xs_table_rows(table) >= 1000)
            xs_table_print(table, out);
    }
    if (xs_table_rows(table))
        xs_table_print(table, out);
}

/* Returns the largest instance if it costs at least a tenth more than each of the first instances; else NULL. */
static const struct xs_instance *largest_beside(const struct xs_finding *f, size_t first_count) {
    if (!f->largest_count)
        return NULL;
    uint64_t gain = xs_times_rank_ns(&f->largest[0].removable);
    for (size_t i = 0; i < first_count; i++)
        if (xs_times_rank_ns(&f->first[i].removable) >= gain - gain / 11)
            return NULL;
    return &f->largest[0];
}

/* Prints the first instances in order, and the largest if it is not among them. */
int xs_explain_one(const struct xs_explain *explain, struct xs_out *out, char *message) {
    const struct xs_finding *f = explain->diagnosis->items[explain->chosen].finding;
    size_t shown = f->first_count < EVIDENCE_SHOWN ? f->first_count : EVIDENCE_SHOWN;
    int status = XS_OK;
    print_head(explain, out);
    xs_explain_repaired(explain, out);
    status = xs_stacks_text(explain, out, message);
    for (size_t i = 0; i < shown && status >= 0; i++)
        status = xs_explain_instance(explain, &f->first[i], i + 1, out, message);
    const struct xs_instance *largest = largest_beside(f, shown);
    if (largest && status >= 0) {
        status = xs_explain_instance(explain, largest, 0, out, message);
        shown++;
    }
    if (status < 0)
        return status;
    if (explain->all) {
        print_all(explain, out);
    } else if (f->instances > shown) {
        putc('\n', out->file);
        xs_out_line(out, XS_STYLE_DIM, "%s more: --all lists every one.", XS_COUNT_TEXT(f->instances - shown));
    }
    if (f->exposed_instances) {
        putc('\n', out->file);
        xs_out_line(out, XS_STYLE_DIM,
                    "Exposed: the part of a copy's time in which no kernel ran, or the host was blocked.");
    }
    return status;
}
