/* `explain` for people: the list of findings, and one of them with its evidence. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/table.h"
#include "analyzer/base/units.h"
#include "analyzer/engine/detector.h"
#include "analyzer/explain/evidence.h"
#include "analyzer/explain/explain.h"
#include "analyzer/explain/stacks.h"
#include "analyzer/findings/context_words.h"
#include "analyzer/findings/findings_words.h"
#include "analyzer/findings/place.h"
#include "analyzer/findings/remedies.h"
#include "analyzer/findings/sentences.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/device_windows.h"

enum { EVIDENCE_SHOWN = 3, RANGE_COLUMNS = 200, NAME_COLUMNS = 200 };

/* A name that is cut could not be typed, so on a narrow terminal the other columns go. */
static bool has_room(const struct xs_out *out, int columns) { return !out->columns || out->columns >= columns; }
enum { ROOM_FOR_CAUSE = 60, ROOM_FOR_SHARE = 90 /* and for what is saved at least */ };

/* A finding's cause, where another finding leads it. */
struct under {
    size_t cause; /* its number, from 1; 0: none, or the finding leads it */
    bool is_offered;
};

/* By finding. To be freed. */
static struct under *all_under(const struct xs_findings *findings) {
    struct under *under = xs_realloc(NULL, (findings->count + 1) * sizeof *under);
    for (size_t i = 0; i < findings->count; i++)
        under[i] = (struct under){0};
    for (size_t i = 0; i < findings->cause_count; i++) {
        const struct xs_cause *cause = &findings->causes[i];
        unsigned repairs = 0;
        for (size_t k = 0; k < cause->count; k++) {
            bool is_offered = xs_cause_offers(findings, cause, k, &repairs);
            if (k)
                under[cause->findings[k]] = (struct under){i + 1, is_offered};
        }
    }
    return under;
}

/* That what it saves is not to be added to what the cause's first finding saves. */
static void say_leader(struct xs_string *text, const struct under *under) {
    if (under->cause)
        xs_string_format(text, "%s %zu", under->is_offered ? "instead of" : "part of", under->cause);
}

static void list_row(const struct xs_findings *findings, size_t index, const struct under *under,
                     const struct xs_out *out, struct xs_table *table) {
    bool share = has_room(out, ROOM_FOR_SHARE);
    const struct xs_finding *f = &findings->items[index];
    char buffer[XS_UNIT_BYTES];
    struct xs_string name = {0}, gain = {0};
    xs_finding_name(&name, findings, index);
    if (f->saves.known && share)
        xs_say_saving(&gain, &f->saves);
    else
        xs_string_format(&gain, "%s%s", xs_finding_at_most(f) ? XS_UP_TO : "", xs_format_ns(buffer, f->gives_back_ns));
    if (f->folded || f->advice)
        xs_table_style_row(table, XS_STYLE_DIM);
    xs_table_format(table, "%zu", index + 1);
    xs_table_cell(table, name.data);
    if (f->advice)
        xs_table_cell(table, "advice");
    else
        xs_table_cell(table, gain.data);
    xs_table_cell(table, f->advice || !share ? NULL : xs_format_share(buffer, f->gives_back_ns, findings->run_ns));
    const struct xs_amount amount = xs_finding_in_all(f);
    struct xs_string count = {0}, place = {0}, instead = {0};
    xs_say_count(&count, &amount);
    xs_table_cell(table, count.data);
    xs_table_cell(table, amount.bytes ? xs_format_bytes(buffer, amount.bytes) : NULL);
    xs_string_free(&count);
    xs_place_text(&place, findings->sites, xs_site_frame(findings, f->site));
    xs_table_cell(table, place.length ? place.data : xs_site_name(findings, f->site));
    if (has_room(out, ROOM_FOR_CAUSE))
        say_leader(&instead, under);
    xs_table_cell(table, instead.data);
    xs_string_free(&instead);
    xs_string_free(&place);
    xs_string_free(&gain);
    xs_string_free(&name);
}

/* Its repair was tried by the replay of the run, and changes nothing. */
static bool saves_nothing(const struct xs_finding *f) { return !f->advice && f->saves.known && !f->saves.most_ns; }

void xs_explain_list(const struct xs_explain *explain, struct xs_out *out) {
    const struct xs_findings *findings = explain->findings;
    static const char *const headers[] = {"#", "finding", "saves", "of run", "count", "size", "site", ""};
    enum { SITE = 6 };
    uint64_t undecided = 0;
    char count[XS_UNIT_BYTES], why[256];
    struct xs_table *table = xs_table_new(2);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        xs_table_column(table, headers[i], i != 1 && i < SITE);
        if (i > 3 && i <= SITE)
            xs_table_optional(table);
    }
    struct under *under = all_under(findings);
    size_t nothing = 0;
    for (size_t i = 0; i < findings->count; i++) {
        if (saves_nothing(&findings->items[i]))
            nothing++;
        else
            list_row(findings, i, &under[i], out, table);
    }
    free(under);
    if (findings->count > nothing)
        xs_table_print(table, out);
    else
        xs_out_line(out, XS_STYLE_PLAIN, XS_NO_FINDINGS);
    xs_table_free(table);
    xs_findings_total_line(findings, out);
    if (nothing)
        xs_out_line(out, XS_STYLE_DIM, "%zu more whose repair saves nothing.", nothing);
    for (size_t i = 0; i < findings->undecided_count; i++)
        undecided = xs_sum(undecided, findings->undecided[i].count);
    xs_content_coverage_why_none(&explain->contents, why, sizeof why);
    if (*why)
        xs_out_line(out, XS_STYLE_WARN, "%s", why);
    else if (undecided)
        xs_out_line(out, XS_STYLE_PLAIN, "Undecided: %s; --undecided shows of what, and why.",
                    xs_format_count(count, undecided));
    if (findings->count)
        xs_out_line(out, XS_STYLE_DIM, "The evidence for one: xferspy explain %s FINDING, by name or number.",
                    explain->trace->path);
}

static const char *short_direction(const char *direction) {
    static const char *const names[][2] = {{"h2d", "H2D"}, {"d2h", "D2H"}, {"d2d", "D2D"}, {"h2h", "H2H"}};
    for (size_t i = 0; direction && i < sizeof names / sizeof *names; i++)
        if (!strcmp(direction, names[i][0]))
            return names[i][1];
    return direction ? direction : "?";
}

/* "from" or "to" of a transfer. */
static void side_line(const struct xs_facts *facts, bool source, struct xs_out *out) {
    struct xs_string text = {0};
    const char *kind = xs_fact_text(facts, source ? "src_kind" : "dst_kind");
    const char *address = xs_fact_text(facts, source ? "src_address" : "dst_address");
    int64_t device = xs_fact_number(facts, source ? "src_device" : "dst_device", -1);
    int64_t allocation = xs_fact_number(facts, source ? "src_allocation" : "dst_allocation", 0);
    int64_t offset = xs_fact_number(facts, source ? "src_offset_bytes" : "dst_offset_bytes", 0);
    xs_string_format(&text, "%s", address ? address : "an unknown address");
    if (device < 0 || (kind && strcmp(kind, "device") != 0)) /* "device 0" says it already */
        xs_string_format(&text, ", %s", kind ? kind : "unknown");
    if (device >= 0)
        xs_string_format(&text, ", device %" PRId64, device);
    if (allocation > 0 && offset > 0)
        xs_string_format(&text, ", %" PRId64 " bytes into allocation #%" PRId64, offset, allocation);
    else if (allocation > 0)
        xs_string_format(&text, ", allocation #%" PRId64, allocation);
    xs_out_fact(out, source ? "from" : "to", "%s", text.data);
    xs_string_free(&text);
}

static void content_lines(const struct xs_facts *facts, struct xs_out *out) {
    const char *content = xs_fact_text(facts, "content"), *before = xs_fact_text(facts, "before");
    const char *missing = xs_fact_text(facts, "missing"), *constant = xs_fact_text(facts, "constant_value");
    const char *taken_on = xs_fact_text(facts, "taken_on");
    char leaves[XS_UNIT_BYTES], changed[XS_UNIT_BYTES];
    int64_t leaf_count = xs_fact_number(facts, "leaves", 0),
            changed_count = xs_fact_number(facts, "changed_leaves", -1);
    struct xs_string text = {0};
    if (!content) {
        xs_out_fact(out, "content", "not known%s%s", missing ? ": " : "", missing ? missing : "");
        return;
    }
    xs_out_fact(out, "content", "%s, taken on the %s%s%s", content, taken_on ? taken_on : "host",
                constant ? ", all of it the value " : "", constant ? constant : "");
    if (before)
        xs_string_format(&text, "%s", strcmp(before, content) != 0 ? before : "the same");
    if (changed_count >= 0 && leaf_count > 0)
        xs_string_format(&text, "%s%s of %s pieces of 4 KiB changed", text.length ? "; " : "",
                         xs_format_count(changed, (uint64_t)changed_count),
                         xs_format_count(leaves, (uint64_t)leaf_count));
    if (text.length)
        xs_out_fact(out, "before", "%s", text.data);
    xs_string_free(&text);
}

static void time_line(const struct xs_facts *facts, struct xs_out *out) {
    char ns[XS_UNIT_BYTES];
    struct xs_string text = {0};
    int64_t device = xs_fact_number(facts, "device_ns", -1), host = xs_fact_number(facts, "host_ns", -1);
    int64_t tid = xs_fact_number(facts, "tid", 0), stream = xs_fact_number(facts, "stream", 0);
    if (device >= 0)
        xs_string_format(&text, "%s on the device%s", xs_format_ns(ns, (uint64_t)device),
                         xs_fact_known(facts, "modelled") ? " (modelled)" : "");
    if (host >= 0)
        xs_string_format(&text, "%s%s in the call", text.length ? ", " : "", xs_format_ns(ns, (uint64_t)host));
    if (tid)
        xs_string_format(&text, "%sthread %" PRId64, text.length ? "; " : "", tid);
    if (stream)
        xs_string_format(&text, "%sstream #%" PRId64, text.length ? ", " : "", stream);
    if (text.length)
        xs_out_fact(out, "time", "%s", text.data);
    xs_string_free(&text);
}

/* The row's own line: what it is, which, when, by which call, how much. */
static void row_line(const struct xs_evidence *e, const struct xs_facts *facts, struct xs_out *out) {
    char at[XS_UNIT_BYTES], bytes[XS_UNIT_BYTES];
    static const char *const kinds[] = {"memory_kind", "launch_kind", "migration_kind"};
    int64_t enter = xs_fact_number(facts, "enter_ns", -1), size = xs_fact_number(facts, "bytes", -1);
    const char *call = xs_fact_text(facts, "entry_point"), *kernel = xs_fact_text(facts, "kernel");
    struct xs_string text = {0};
    xs_string_format(&text, "%s #%" PRId64, xs_evidence_table_names[e->table], e->row);
    if (enter >= 0)
        xs_string_format(&text, " at %s", xs_format_ns(at, (uint64_t)enter));
    if (call)
        xs_string_format(&text, ", %s", call);
    if (e->table == XS_EVIDENCE_TRANSFER)
        xs_string_format(&text, ", %s%s", short_direction(xs_fact_text(facts, "direction")),
                         xs_fact_number(facts, "is_async", 0) ? ", asynchronous" : "");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) /* of a transfer there is none of them */
        if (xs_fact_text(facts, kinds[i]))
            xs_string_format(&text, ", %s", xs_fact_text(facts, kinds[i]));
    if (kernel)
        xs_string_format(&text, ", %s", kernel);
    if (size >= 0)
        xs_string_format(&text, ", %s", xs_format_bytes(bytes, (uint64_t)size));
    if (!facts->found)
        xs_string_format(&text, ", which the trace does not have");
    char *role = xs_text_escaped(e->role ? e->role : "");
    fprintf(out->file, "  %s%s%s\n", xs_style_on(out, XS_STYLE_HEADING), role, xs_style_off(out, XS_STYLE_HEADING));
    free(role);
    xs_out_fact(out, "row", "%s", text.data);
    xs_string_free(&text);
}

static void other_lines(const struct xs_evidence *e, const struct xs_facts *facts, struct xs_out *out) {
    char ns[XS_UNIT_BYTES], took[XS_UNIT_BYTES];
    const char *address = xs_fact_text(facts, "address"), *freed_by = xs_fact_text(facts, "free_entry_point");
    int64_t allocation = xs_fact_number(facts, "allocation", 0), freed = xs_fact_number(facts, "free_enter_ns", -1);
    int64_t free_host = xs_fact_number(facts, "free_host_ns", -1);
    if (address && allocation > 0)
        xs_out_fact(out, "at", "%s, allocation #%" PRId64, address, allocation);
    else if (address)
        xs_out_fact(out, "at", "%s", address);
    if (freed >= 0)
        xs_out_fact(out, "freed", "at %s by %s%s%s%s", xs_format_ns(ns, (uint64_t)freed), freed_by ? freed_by : "?",
                    free_host >= 0 ? ", " : "", free_host >= 0 ? xs_format_ns(took, (uint64_t)free_host) : "",
                    free_host >= 0 ? " in the call" : "");
    else if (e->table == XS_EVIDENCE_ALLOCATION)
        xs_out_fact(out, "freed", "never, as far as the trace goes");
}

/* Where the row was called from: the user's line where it is another than the finding's, and the NVTX range. */
static void call_lines(const struct xs_explain *explain, const struct xs_facts *facts, struct xs_out *out) {
    const struct xs_sites *sites = explain->findings->sites;
    uint32_t place = xs_sites_place(sites, xs_fact_number(facts, "stack_id", 0));
    const char *range =
        sites->callsites ? xs_callsites_range(sites->callsites, xs_fact_number(facts, "nvtx_range_id", 0)) : NULL;
    if (place && place != xs_site_parts(sites, explain->findings->items[explain->chosen].site).place) {
        struct xs_string text = {0};
        xs_place_text(&text, sites, xs_callsites_place_frame(sites->callsites, place));
        xs_out_fact(out, "line", "%s", text.length ? text.data : "?");
        xs_string_free(&text);
    }
    if (range) {
        struct xs_string text = {0};
        xs_string_add_cut(&text, range, RANGE_COLUMNS);
        xs_out_fact(out, "nvtx", "%s", text.data);
        xs_string_free(&text);
    }
}

static void row_block(const struct xs_explain *explain, const struct xs_evidence *e, const struct xs_facts *facts,
                      struct xs_out *out) {
    row_line(e, facts, out);
    if (!facts->found)
        return;
    if (e->table == XS_EVIDENCE_TRANSFER) {
        side_line(facts, true, out);
        side_line(facts, false, out);
        content_lines(facts, out);
    } else {
        other_lines(e, facts, out);
    }
    call_lines(explain, facts, out);
    time_line(facts, out);
}

/* What ran between the earlier event and this one, of what the model looks at. */
static int between_lines(const struct xs_explain *explain, const struct xs_facts *now, const struct xs_facts *then,
                         struct xs_out *out, char *message) {
    char count[XS_UNIT_BYTES];
    struct xs_between b;
    struct xs_string text = {0};
    bool upload = xs_fact_text(now, "direction") && !strcmp(xs_fact_text(now, "direction"), "h2d");
    int64_t allocation = xs_fact_number(now, upload ? "dst_allocation" : "src_allocation", 0);
    int64_t device = xs_fact_number(now, upload ? "dst_device" : "src_device", -1);
    int64_t to = xs_fact_number(now, "enter_ns", 0), from = xs_fact_number(then, "enter_ns", 0);
    if (!now->found || !then->found)
        return XS_OK;
    int status =
        xs_between_read(explain->trace, from < to ? from : to, from < to ? to : from, device, allocation, &b, message);
    if (status < 0)
        return status;
    xs_string_format(&text, "%s launch%s", xs_format_count(count, b.launches), b.launches == 1 ? "" : "es");
    if (b.launches && allocation > 0)
        xs_string_format(&text, " (%s given a pointer into allocation #%" PRId64,
                         xs_format_count(count, b.launches_given), allocation);
    if (b.launches && allocation > 0)
        xs_string_format(&text, ", %s of unseen arguments)", xs_format_count(count, b.launches_unseen));
    if (allocation > 0)
        xs_string_format(&text, "; copies to that allocation: %" PRIu64 ", from it: %" PRIu64 ", memsets: %" PRIu64,
                         b.copies_to, b.copies_from, b.memsets);
    xs_out_fact(out, "between", "%s", text.data);
    xs_string_free(&text);
    return XS_OK;
}

/* `number` 0: of those that are not among the first, the one that saves most. */
static void instance_heading(const struct xs_finding *f, const struct xs_instance *instance, size_t number,
                             struct xs_out *out) {
    char ns[XS_UNIT_BYTES], bytes[XS_UNIT_BYTES];
    uint64_t gain = xs_finding_share_ns(f, xs_times_rank_ns(&instance->removable));
    fprintf(out->file, "\n%s", xs_style_on(out, XS_STYLE_HEADING));
    if (number)
        fprintf(out->file, "Instance %zu", number);
    else
        fputs("The largest instance", out->file);
    fputs(xs_style_off(out, XS_STYLE_HEADING), out->file);
    if (instance->at_ns >= 0)
        fprintf(out->file, " at %s", xs_format_ns(ns, (uint64_t)instance->at_ns));
    if (instance->transfers > 1)
        fprintf(out->file, ": %" PRIu64 " transfers, %s", instance->transfers, xs_format_bytes(bytes, instance->bytes));
    if (instance->cost.exposed_known)
        fprintf(out->file, "; exposed %s", xs_format_ns(ns, instance->cost.exposed_ns));
    if (gain)
        fprintf(out->file, "; saves %s%s", xs_finding_at_most(f) ? XS_UP_TO : "", xs_format_ns(ns, gain));
    putc('\n', out->file);
}

static int print_instance(const struct xs_explain *explain, const struct xs_instance *instance, size_t number,
                          struct xs_out *out, char *message) {
    struct xs_facts facts[XS_EVIDENCE_ROWS] = {0};
    int status = XS_OK;
    unsigned count = instance->evidence_count < XS_EVIDENCE_ROWS ? instance->evidence_count : XS_EVIDENCE_ROWS;
    for (unsigned i = 0; i < count && status >= 0; i++) {
        status = xs_facts_read(explain->trace, &instance->evidence[i], &facts[i], message);
        xs_facts_cut(&facts[i], NAME_COLUMNS);
    }
    if (status >= 0) {
        instance_heading(&explain->findings->items[explain->chosen], instance, number, out);
        for (unsigned i = 0; i < count; i++)
            row_block(explain, &instance->evidence[i], &facts[i], out);
        if (count > 1)
            status = between_lines(explain, &facts[0], &facts[1], out, message);
    }
    for (unsigned i = 0; i < count; i++)
        xs_facts_free(&facts[i]);
    return status;
}

/* What may have been in vain, too, though nothing in the trace says so. */
static void apart_line(const struct xs_times *apart, struct xs_out *out) {
    char ns[XS_UNIT_BYTES];
    bool device = apart->device_known && apart->device_ns;
    if (device || apart->host_ns)
        xs_out_fact(out, "beside", "%s %s of downloads: also saved if nobody needs the data",
                    xs_format_ns(ns, device ? apart->device_ns : apart->host_ns),
                    device ? "on the device" : "in the calls");
}

/* The range of what is saved, and why it is one; what it rests on. */
static void saving_lines(const struct xs_findings *findings, const struct xs_finding *f, struct xs_out *out) {
    char least[XS_UNIT_BYTES], most[XS_UNIT_BYTES];
    struct xs_string why = {0}, price = {0}, sample = {0};
    xs_finding_why_range(&why, findings, f);
    if (why.length)
        xs_out_fact(out, "range", "%s to %s. %s", xs_format_ns(least, f->saves.least_ns),
                    xs_format_ns(most, f->saves.most_ns), why.data);
    xs_finding_pinning(&price, f);
    if (price.length)
        xs_out_fact(out, "price", "%s", price.data);
    xs_finding_sample(&sample, f);
    if (sample.length)
        xs_out_fact(out, "contents", "%s", sample.data);
    xs_string_free(&why);
    xs_string_free(&price);
    xs_string_free(&sample);
}

static void context_lines(const struct xs_finding *f, struct xs_out *out) {
    struct xs_string text = {0}, host_copy = {0};
    xs_say_context(&text, f);
    if (text.length)
        xs_out_fact(out, "work", "%s", text.data);
    xs_say_host_copy(&host_copy, f);
    if (host_copy.length)
        xs_out_fact(out, "staging", "%s%s", host_copy.data,
                    f->context->uploads ? "; whatever else the host does before an upload is in it, too" : "");
    xs_string_free(&text);
    xs_string_free(&host_copy);
}

static void print_head(const struct xs_explain *explain, struct xs_out *out) {
    const struct xs_findings *findings = explain->findings;
    const struct xs_finding *f = &findings->items[explain->chosen];
    const struct xs_detector *d = xs_detectors[f->detector];
    struct xs_string name = {0}, text = {0};
    char first[XS_UNIT_BYTES], last[XS_UNIT_BYTES];
    xs_finding_name(&name, findings, (size_t)explain->chosen);
    fprintf(out->file, "%s%s%s: ", xs_style_on(out, XS_STYLE_HEADING), name.data, xs_style_off(out, XS_STYLE_HEADING));
    xs_out_rest(out, xs_text_width(name.data) + 2, "%s", d->title);
    xs_out_fact(out, "what", "%s", d->definition);
    xs_out_fact(out, "remedy", "%s", xs_remedy_of(findings, f));
    xs_place_of_site(&text, findings, f->site);
    xs_out_fact(out, "where", "%s", text.data + strlen("at "));
    char *line = xs_place_source(findings->sites, xs_site_frame(findings, f->site));
    xs_place_source_line(line, xs_site_frame(findings, f->site), XS_FACT_LABEL + 4, out);
    text.length = 0;
    if (!line && xs_place_withheld(&text, findings->sites))
        xs_out_fact(out, "source", "%s", text.data);
    free(line);
    context_lines(f, out);
    text.length = 0;
    xs_finding_amount(&text, f);
    if (f->instances > 1 && f->first_ns >= 0 && f->last_ns >= 0)
        xs_string_format(&text, ", from %s to %s", xs_format_ns(first, (uint64_t)f->first_ns),
                         xs_format_ns(last, (uint64_t)f->last_ns));
    xs_out_fact(out, "count", "%s", text.data);
    text.length = 0;
    xs_finding_cost(&text, f);
    if (text.length)
        xs_out_fact(out, "cost", "%s", text.data);
    apart_line(&f->apart, out);
    text.length = 0;
    xs_finding_gain(&text, findings, f); /* the range has a line of its own */
    xs_out_fact(out, "gain", "%s", text.length ? text.data : "none by itself: advice");
    saving_lines(findings, f, out);
    xs_out_fact(out, "more", "docs/findings/%s.md", d->id);
    xs_string_free(&text);
    xs_string_free(&name);
}

static void time_cell(struct xs_table *table, bool known, bool modelled, uint64_t ns) {
    char buffer[XS_UNIT_BYTES];
    if (known)
        xs_table_format(table, "%s%s", xs_modelled_mark(modelled), xs_format_ns(buffer, ns));
    else
        xs_table_cell(table, NULL);
}

static void print_all(const struct xs_explain *explain, struct xs_out *out) {
    static const char *const headers[] = {"at", "row", "size", "device time", "exposed", "saves", "with"};
    char buffer[XS_UNIT_BYTES];
    struct xs_table *table = xs_table_new(2);
    xs_out_heading(out, "Every instance");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        xs_table_column(table, headers[i], i != 1 && i != 6);
    for (size_t i = 0; i < explain->kept_count; i++) {
        const struct xs_kept *k = &explain->kept[i];
        if (!xs_explain_wants(explain, k))
            continue;
        xs_table_cell(table, k->at_ns >= 0 ? xs_format_ns(buffer, (uint64_t)k->at_ns) : "-");
        for (uint32_t row = 0; row < 2; row++) {
            struct xs_string text = {0};
            for (uint32_t e = row; e < k->evidence_count && (row || !e); e++)
                xs_string_format(&text, "%s%s #%" PRId64, e > 1 ? ", " : "", xs_evidence_table_names[k->tables[e]],
                                 k->rows[e]);
            if (row) {
                xs_table_cell(table, text.data);
            } else {
                xs_table_cell(table, text.data);
                xs_table_cell(table, xs_format_bytes(buffer, k->bytes));
                time_cell(table, k->device_known, k->modelled, k->device_ns);
                time_cell(table, k->exposed_known, k->modelled, k->exposed_ns);
                uint64_t saves = xs_explain_share_ns(explain, k);
                xs_table_cell(table, saves ? xs_format_ns(buffer, saves) : NULL);
            }
            xs_string_free(&text);
        }
        if (xs_table_rows(table) >= 1000)
            xs_table_print(table, out);
    }
    if (xs_table_rows(table))
        xs_table_print(table, out);
    xs_table_free(table);
}

/* The one that saves most, where that is none of the first; else NULL. */
static const struct xs_instance *largest_beside(const struct xs_finding *f, size_t first_count) {
    if (!f->largest_count)
        return NULL;
    uint64_t gain = xs_times_rank_ns(&f->largest[0].removable);
    for (size_t i = 0; i < first_count; i++)
        if (xs_times_rank_ns(&f->first[i].removable) >= gain)
            return NULL;
    return &f->largest[0];
}

/* The first ones, as they happened, and the largest where it is not among them. */
int xs_explain_one(const struct xs_explain *explain, struct xs_out *out, char *message) {
    const struct xs_finding *f = &explain->findings->items[explain->chosen];
    size_t shown = f->first_count < EVIDENCE_SHOWN ? f->first_count : EVIDENCE_SHOWN;
    char count[XS_UNIT_BYTES];
    int status = XS_OK;
    print_head(explain, out);
    status = xs_stacks_text(explain, out, message);
    for (size_t i = 0; i < shown && status >= 0; i++)
        status = print_instance(explain, &f->first[i], i + 1, out, message);
    const struct xs_instance *largest = largest_beside(f, shown);
    if (largest && status >= 0) {
        status = print_instance(explain, largest, 0, out, message);
        shown++;
    }
    if (status < 0)
        return status;
    if (explain->all) {
        print_all(explain, out);
    } else if (f->instances > shown) {
        putc('\n', out->file);
        xs_out_line(out, XS_STYLE_DIM, "%s more: --all lists every one.", xs_format_count(count, f->instances - shown));
    }
    return status;
}
