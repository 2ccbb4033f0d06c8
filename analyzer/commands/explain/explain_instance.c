/* Prints `explain` for people: one instance of a finding, with the columns of its rows; see explain_instance.h. */
#include "analyzer/commands/explain/explain_instance.h"

#include <inttypes.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/commands/explain/evidence.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"

enum { RANGE_COLUMNS = 200, NAME_COLUMNS = 200 };

static const char *short_direction(const char *direction) {
    static const char *const names[][2] = {{"h2d", "H2D"}, {"d2h", "D2H"}, {"d2d", "D2D"}, {"h2h", "H2H"}};
    for (size_t i = 0; direction && i < sizeof names / sizeof *names; i++)
        if (!strcmp(direction, names[i][0]))
            return names[i][1];
    return direction ? direction : "?";
}

/* Prints "from" or "to" of a transfer. */
static void side_line(const struct xs_facts *facts, bool source, struct xs_out *out) {
    struct xs_string text = {0};
    const char *kind = xs_fact_text(facts, source ? "src_kind" : "dst_kind");
    const char *address = xs_fact_text(facts, source ? "src_address" : "dst_address");
    int64_t device = xs_fact_number(facts, source ? "src_device" : "dst_device", -1);
    int64_t allocation = xs_fact_number(facts, source ? "src_allocation" : "dst_allocation", 0);
    int64_t offset = xs_fact_number(facts, source ? "src_offset_bytes" : "dst_offset_bytes", 0);
    xs_string_format(&text, "%s", address ? address : "an unknown address");
    if (device < 0 || (kind && strcmp(kind, "device") != 0)) /* "device 0" implies it */
        xs_string_format(&text, ", %s", kind ? kind : "unknown");
    if (device >= 0)
        xs_string_format(&text, ", device %" PRId64, device);
    if (allocation > 0 && offset > 0)
        xs_string_format(&text, ", %" PRId64 " bytes into allocation #%" PRId64, offset, allocation);
    else if (allocation > 0)
        xs_string_format(&text, ", allocation #%" PRId64, allocation);
    xs_out_take_fact(out, source ? "from" : "to", &text);
}

static void content_lines(const struct xs_facts *facts, struct xs_out *out) {
    const char *content = xs_fact_text(facts, "content"), *before = xs_fact_text(facts, "before");
    const char *missing = xs_fact_text(facts, "missing"), *constant = xs_fact_text(facts, "constant_value");
    const char *taken_on = xs_fact_text(facts, "taken_on");
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
                         XS_COUNT_TEXT((uint64_t)changed_count), XS_COUNT_TEXT((uint64_t)leaf_count));
    xs_out_take_fact(out, "before", &text);
}

/* Adds the ranges of a download in which the host read something, from the bits of its pieces. */
static void add_ranges(struct xs_string *text, uint64_t bytes, unsigned pieces, uint64_t read) {
    const char *before = " in about ";
    for (unsigned i = 0; i < pieces; i++) {
        unsigned first = i;
        while (i < pieces && read >> i & 1)
            i++;
        if (i == first)
            continue;
        xs_string_format(text, "%s%s to %s", before, XS_BYTES_TEXT(bytes / pieces * first),
                         XS_BYTES_TEXT(i == pieces ? bytes : bytes / pieces * i));
        before = ", ";
    }
}

static void read_line(const struct xs_facts *facts, struct xs_out *out) {
    const char *doubt = xs_fact_text(facts, "read_doubt");
    int64_t watched = xs_fact_number(facts, "watched_bytes", 0), read = xs_fact_number(facts, "read_bytes", -1),
            pieces = xs_fact_number(facts, "pieces", 0), bits = xs_fact_number(facts, "read_pieces", 0);
    struct xs_string text = {0};
    if (doubt)
        xs_string_format(&text, "not known: %s", doubt);
    else if (read == 0)
        xs_string_format(&text, "nothing");
    else if (read > 0 && watched >= read)
        xs_string_format(&text, "at most %s of %s", XS_BYTES_TEXT((uint64_t)read), XS_BYTES_TEXT((uint64_t)watched));
    if (text.length && read > 0 && pieces > 0 && pieces <= 32 && bits > 0)
        add_ranges(&text, (uint64_t)watched, (unsigned)pieces, (uint64_t)bits);
    xs_out_take_fact(out, "host read", &text);
}

static void time_line(const struct xs_facts *facts, struct xs_out *out) {
    struct xs_string text = {0};
    int64_t device = xs_fact_number(facts, "device_ns", -1), host = xs_fact_number(facts, "host_ns", -1);
    int64_t tid = xs_fact_number(facts, "tid", 0), stream = xs_fact_number(facts, "stream", 0);
    if (device >= 0)
        xs_string_format(&text, "%s on the device%s", XS_NS_TEXT((uint64_t)device),
                         xs_fact_known(facts, "modelled") ? " (modelled)" : "");
    if (host >= 0)
        xs_string_format(&text, "%s%s in the call", text.length ? ", " : "", XS_NS_TEXT((uint64_t)host));
    if (tid)
        xs_string_format(&text, "%sthread %" PRId64, text.length ? "; " : "", tid);
    if (stream)
        xs_string_format(&text, "%sstream #%" PRId64, text.length ? ", " : "", stream);
    xs_out_take_fact(out, "time", &text);
}

/* Prints the row itself: its kind, number, time, call and size. */
static void row_line(const struct xs_evidence *e, const struct xs_facts *facts, struct xs_out *out) {
    static const char *const kinds[] = {"memory_kind", "launch_kind", "migration_kind"};
    int64_t enter = xs_fact_number(facts, "enter_ns", -1), size = xs_fact_number(facts, "bytes", -1);
    const char *call = xs_fact_text(facts, "entry_point"), *kernel = xs_fact_text(facts, "kernel");
    struct xs_string text = {0};
    xs_string_format(&text, "%s #%" PRId64, xs_evidence_table_names[e->table], e->row);
    if (enter >= 0)
        xs_string_format(&text, " at %s", XS_NS_TEXT((uint64_t)enter));
    if (call)
        xs_string_format(&text, ", %s", call);
    if (e->table == XS_EVIDENCE_TRANSFER)
        xs_string_format(&text, ", %s%s", short_direction(xs_fact_text(facts, "direction")),
                         xs_fact_number(facts, "is_async", 0) ? ", asynchronous" : "");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) /* a transfer has none of these */
        if (xs_fact_text(facts, kinds[i]))
            xs_string_format(&text, ", %s", xs_fact_text(facts, kinds[i]));
    if (kernel)
        xs_string_format(&text, ", %s", kernel);
    if (size >= 0)
        xs_string_format(&text, ", %s", XS_BYTES_TEXT((uint64_t)size));
    if (!facts->found)
        xs_string_format(&text, ", which the trace does not have");
    XS_SCOPED char *role = xs_text_escaped(e->role ? e->role : "");
    fprintf(out->file, "  %s%s%s\n", xs_style_on(out, XS_STYLE_HEADING), role, xs_style_off(out, XS_STYLE_HEADING));
    xs_out_take_fact(out, "row", &text);
}

static void other_lines(const struct xs_evidence *e, const struct xs_facts *facts, struct xs_out *out) {
    const char *address = xs_fact_text(facts, "address"), *freed_by = xs_fact_text(facts, "free_entry_point");
    int64_t allocation = xs_fact_number(facts, "allocation", 0), freed = xs_fact_number(facts, "free_enter_ns", -1);
    int64_t free_host = xs_fact_number(facts, "free_host_ns", -1);
    if (address && allocation > 0)
        xs_out_fact(out, "at", "%s, allocation #%" PRId64, address, allocation);
    else if (address)
        xs_out_fact(out, "at", "%s", address);
    if (freed >= 0)
        xs_out_fact(out, "freed", "at %s by %s%s%s%s", XS_NS_TEXT((uint64_t)freed), freed_by ? freed_by : "?",
                    free_host >= 0 ? ", " : "", free_host >= 0 ? XS_NS_TEXT((uint64_t)free_host) : "",
                    free_host >= 0 ? " in the call" : "");
    else if (e->table == XS_EVIDENCE_ALLOCATION)
        xs_out_fact(out, "freed", "never, as far as the trace goes");
}

/* Prints where the call of the row was made: the user's line, if it is another line than the finding's, and the NVTX
 * range. */
static void call_lines(const struct xs_explain *explain, const struct xs_facts *facts, struct xs_out *out) {
    const struct xs_sites *sites = explain->diagnosis->findings->sites;
    struct xs_string line = {0}, nvtx = {0};
    uint32_t place = xs_sites_place(sites, xs_fact_number(facts, "stack_id", 0));
    const char *range =
        sites->callsites ? xs_callsites_range(sites->callsites, xs_fact_number(facts, "nvtx_range_id", 0)) : NULL;
    if (place && place != xs_site_parts(sites, explain->diagnosis->items[explain->chosen].finding->site).place) {
        xs_place_text(&line, sites, xs_callsites_place_frame(sites->callsites, place));
        xs_out_fact(out, "line", "%s", line.length ? line.data : "?");
        xs_string_free(&line);
    }
    xs_string_add_cut(&nvtx, range, RANGE_COLUMNS);
    xs_out_take_fact(out, "nvtx", &nvtx);
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
        read_line(facts, out);
    } else {
        other_lines(e, facts, out);
    }
    call_lines(explain, facts, out);
    time_line(facts, out);
}

/* Prints which launches, copies and memsets ran between the earlier event and this one. */
static int between_lines(const struct xs_explain *explain, const struct xs_facts *now, const struct xs_facts *then,
                         struct xs_out *out, char *message) {
    struct xs_between b;
    struct xs_string text = {0};
    int status = xs_between_read(explain->trace, now, then, &b, message);
    int64_t allocation = b.allocation;
    if (status < 0 || !b.known)
        return status;
    xs_string_format(&text, "%s launch%s", XS_COUNT_TEXT(b.launches), b.launches == 1 ? "" : "es");
    if (b.launches && allocation > 0)
        xs_string_format(&text, " (%s given a pointer into allocation #%" PRId64, XS_COUNT_TEXT(b.launches_given),
                         allocation);
    if (b.launches && allocation > 0)
        xs_string_format(&text, ", %s of unseen arguments)", XS_COUNT_TEXT(b.launches_unseen));
    if (allocation > 0)
        xs_string_format(&text, "; copies to that allocation: %" PRIu64 ", from it: %" PRIu64 ", memsets: %" PRIu64,
                         b.copies_to, b.copies_from, b.memsets);
    xs_out_take_fact(out, "between", &text);
    return XS_OK;
}

static void instance_heading(const struct xs_diagnosed *d, const struct xs_instance *instance, size_t number,
                             struct xs_out *out) {
    uint64_t gain = xs_finding_share_ns(d, xs_times_rank_ns(&instance->removable));
    fprintf(out->file, "\n%s", xs_style_on(out, XS_STYLE_HEADING));
    if (number)
        fprintf(out->file, "Instance %zu", number);
    else
        fputs("The one that costs most", out->file);
    fputs(xs_style_off(out, XS_STYLE_HEADING), out->file);
    if (instance->at_ns >= 0)
        fprintf(out->file, " at %s", XS_NS_TEXT((uint64_t)instance->at_ns));
    if (instance->transfers > 1)
        fprintf(out->file, ": %" PRIu64 " transfers, %s", instance->transfers, XS_BYTES_TEXT(instance->bytes));
    if (instance->cost.exposed_known)
        fprintf(out->file, "; exposed %s", XS_NS_TEXT(instance->cost.exposed_ns));
    if (gain)
        fprintf(out->file, "; saves %s%s", xs_finding_at_most(d) ? XS_UP_TO : "", XS_NS_TEXT(gain));
    putc('\n', out->file);
}

int xs_explain_instance(const struct xs_explain *explain, const struct xs_instance *instance, size_t number,
                        struct xs_out *out, char *message) {
    struct xs_facts facts[XS_EVIDENCE_ROWS] = {0};
    int status = XS_OK;
    unsigned count = instance->evidence_count < XS_EVIDENCE_ROWS ? instance->evidence_count : XS_EVIDENCE_ROWS;
    for (unsigned i = 0; i < count && status >= 0; i++) {
        status = xs_facts_read(explain->trace, &instance->evidence[i], &facts[i], message);
        xs_facts_cut(&facts[i], NAME_COLUMNS);
    }
    if (status >= 0) {
        instance_heading(&explain->diagnosis->items[explain->chosen], instance, number, out);
        for (unsigned i = 0; i < count; i++)
            row_block(explain, &instance->evidence[i], &facts[i], out);
        if (count > 1)
            status = between_lines(explain, &facts[0], &facts[1], out, message);
    }
    for (unsigned i = 0; i < count; i++)
        xs_facts_free(&facts[i]);
    return status;
}
