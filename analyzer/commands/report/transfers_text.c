/* Prints a part of the report as text: totals of transfers, kernels that ran at the same time, the largest and the
 * slowest transfers. */
#include <inttypes.h>

#include "analyzer/base/table.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/trace/windows/device_windows.h"
#include "analyzer/words/modelled_words.h"
#include "analyzer/words/saving_words.h"

#define OVERLAP_LINES 8

/* Adds the kind of a copy in few columns: "H2D pageable" means that the other side is ordinary device memory. */
static void kind_cell(struct xs_table *table, const struct xs_out *out, enum xs_direction direction,
                      enum xs_memory_kind src, enum xs_memory_kind dst) {
    static const char *const labels[] = {[XS_DIR_UNKNOWN] = "?", [XS_DIR_H2D] = "H2D",   [XS_DIR_D2H] = "D2H",
                                         [XS_DIR_D2D] = "D2D",   [XS_DIR_PEER] = "peer", [XS_DIR_H2H] = "H2H"};
    const char *label = labels[direction];
    if (direction == XS_DIR_H2D && dst == XS_MEM_DEVICE)
        xs_table_format(table, "%s %s", label, xs_memory_kind_names[src]);
    else if (direction == XS_DIR_D2H && src == XS_MEM_DEVICE)
        xs_table_format(table, "%s %s", label, xs_memory_kind_names[dst]);
    else if ((direction == XS_DIR_D2D || direction == XS_DIR_PEER) && src == XS_MEM_DEVICE && dst == XS_MEM_DEVICE)
        xs_table_cell(table, label);
    else
        xs_table_format(table, "%s %s %s %s", label, xs_memory_kind_names[src], out->utf8 ? "\xe2\x86\x92" : "->",
                        xs_memory_kind_names[dst]);
}

/* True if the peak rate in the trace applies to this direction; the peak rate is for links to the host. */
static bool uses_link(enum xs_direction direction) { return direction == XS_DIR_H2D || direction == XS_DIR_D2H; }
void xs_report_say_overlap(struct xs_string *text, const struct xs_summary *s, const struct xs_device_summary *d) {
    char share[XS_UNIT_BYTES];
    xs_string_format(text, "Device %" PRId64 " copied for %s%s", d->id, xs_modelled_mark(s->all.modelled_count),
                     XS_NS_TEXT(d->copy_busy_ns));
    if (*xs_format_share(share, d->copy_busy_ns, s->totals.ns))
        xs_string_format(text, " (%s %s)", share, xs_share_is_of(&s->totals));
    if (d->kernels)
        xs_string_format(text, " and ran kernels for %s%s", xs_modelled_mark(d->kernels_modelled),
                         XS_NS_TEXT(d->kernel_busy_ns));
    if (d->kernels && d->both_busy_ns)
        xs_string_format(text, ". A kernel ran, too, during %s of the copying time",
                         XS_SHARE_TEXT(d->both_busy_ns, d->copy_busy_ns));
    else if (d->kernels)
        xs_string_format(text, ". No copy ran at the same time as a kernel");
    else if (!s->run.kernels_recorded)
        xs_string_format(text, XS_KERNELS_NOT_RECORDED);
    xs_string_add(text, ".", 1);
}

/* Prints a line per device: how long it copied, and during how much of this time it also ran kernels. */
static void overlap_lines(const struct xs_summary *s, struct xs_out *out) {
    size_t lines = 0, more = 0;
    for (size_t i = 0; i < s->device_count; i++) {
        XS_SCOPED_STRING text = {0};
        if (!s->devices[i].copy_busy_ns)
            continue;
        if (lines++ >= OVERLAP_LINES) {
            more++;
            continue;
        }
        xs_report_say_overlap(&text, s, &s->devices[i]);
        xs_out_line(out, XS_STYLE_PLAIN, "%s", text.data);
    }
    if (more)
        xs_out_line(out, XS_STYLE_PLAIN, "And %zu more devices: --json has them all.", more);
}
static void total_cells(const struct xs_summary *s, struct xs_table *table, const struct xs_totals *t, uint64_t peak) {
    uint64_t recorded_ns = s->totals.ns;
    bool timed = s->all.timed_count > 0;
    double rate = t->device_ns ? (double)t->timed_bytes / (double)t->device_ns * 1e9 : 0;
    const char *mark = xs_report_partly_timed(t) ? XS_PARTLY_TIMED_MARK : "";
    xs_table_cell(table, XS_COUNT_TEXT(t->count));
    xs_table_cell(table, XS_BYTES_TEXT(t->bytes));
    if (t->timed_count)
        xs_table_format(table, "%s%s%s", mark, xs_modelled_mark(t->modelled_count), XS_NS_TEXT(t->device_ns));
    else
        xs_table_cell(table, timed ? "-" : NULL);
    if (timed)
        xs_table_format(table, "%s%s%s", mark, xs_modelled_mark(t->device_ns ? t->modelled_count : 0),
                        XS_RATE_TEXT(t->timed_bytes, t->device_ns));
    else
        xs_table_cell(table, XS_RATE_TEXT(t->blocking_bytes, t->blocking_host_ns));
    xs_table_cell(table, timed && peak && t->device_ns
                             ? XS_SHARE_TEXT(rate < 1e18 ? (uint64_t)rate : (uint64_t)1e18, peak)
                             : NULL);
    xs_table_cell(table, timed && t->timed_count ? XS_SHARE_TEXT(t->device_ns, recorded_ns) : NULL);
    xs_table_cell(table, XS_NS_TEXT(t->host_ns));
    xs_table_cell(table, timed ? NULL : XS_SHARE_TEXT(t->host_ns, recorded_ns));
}

static void groups_table(const struct xs_summary *s, struct xs_out *out) {
    XS_SCOPED_TABLE *table = xs_table_new(2);
    uint64_t peak = xs_summary_link_peak(s);
    xs_table_column(table, "transfers", false);
    xs_table_column(table, "count", true);
    xs_table_column(table, "size", true);
    xs_table_column(table, "device time", true);
    xs_table_column(table, s->all.timed_count ? "rate" : "blocking rate", true);
    xs_table_column(table, "of link", true);
    xs_table_optional(table);
    xs_table_column(table, xs_share_column(&s->totals), true);
    xs_table_optional(table);
    xs_table_column(table, "host time", true);
    if (s->all.timed_count)
        xs_table_optional(table);
    xs_table_column(table, xs_share_column(&s->totals), true);
    for (size_t i = 0; i < s->group_count; i++) {
        const struct xs_transfer_group *g = &s->groups[i];
        kind_cell(table, out, g->direction, g->src_kind, g->dst_kind);
        total_cells(s, table, &g->totals, uses_link(g->direction) ? peak : 0);
    }
    if (s->group_count > 1) {
        xs_table_cell(table, "total");
        total_cells(s, table, &s->all, 0);
    }
    xs_table_print(table, out);
}

/* True if a rate says something about the kind of memory, which needs large copies. */
static bool shows_rate(const struct xs_totals *t) {
    enum { LARGE = 64 << 10 };
    return t->device_ns && t->timed_count && t->timed_bytes / t->timed_count >= LARGE;
}

/* Prints a sentence that compares pinned and pageable memory, by the numbers of the table. */
static void host_memory_line(const struct xs_summary *s, struct xs_out *out) {
    const struct xs_totals *pageable = &s->pageable, *pinned = &s->pinned;
    uint64_t bytes = xs_sum(pageable->bytes, pinned->bytes);
    if (!bytes)
        return;
    if (!pageable->bytes) {
        xs_out_line(out, XS_STYLE_PLAIN, "Host memory: all pinned.");
        return;
    }
    const char *share = XS_SHARE_TEXT(pageable->bytes, bytes);
    if (!pinned->bytes) {
        xs_out_line(out, XS_STYLE_PLAIN, "Host memory: all pageable; nothing was copied from or to pinned memory.");
    } else if (shows_rate(pageable) && shows_rate(pinned)) {
        double ratio = (double)pinned->timed_bytes / (double)pinned->device_ns /
                       ((double)pageable->timed_bytes / (double)pageable->device_ns);
        XS_SCOPED_STRING times = {0};
        if (ratio >= 1.05)
            xs_string_format(&times, ", %.1f times as fast", ratio);
        xs_out_line(out, XS_STYLE_PLAIN,
                    "Host memory: %s of the bytes were in pageable memory, copied at %s. Copies with pinned memory ran "
                    "at %s%s.",
                    share, XS_RATE_TEXT(pageable->timed_bytes, pageable->device_ns),
                    XS_RATE_TEXT(pinned->timed_bytes, pinned->device_ns), times.data ? times.data : "");
    } else {
        xs_out_line(out, XS_STYLE_PLAIN,
                    "Host memory: %s of the bytes were in pageable memory, the rest in pinned memory.", share);
    }
}

/* Prints what the mark in the table means: rates are only of the bytes of transfers with device times. */
static void partly_timed_line(const struct xs_summary *s, struct xs_out *out) {
    if (xs_report_partly_timed(&s->all))
        xs_out_line(out, XS_STYLE_WARN,
                    "%s Only %s of %s transfers have device times; the rates are computed from these transfers.",
                    XS_PARTLY_TIMED_MARK, XS_COUNT_TEXT(s->all.timed_count),
                    XS_COUNT_TEXT(s->all.count - s->all.empty_count));
}

static void besides(struct xs_string *text, uint64_t count, const char *one, const char *many) {
    if (count)
        xs_string_format(text, "%s%s %s", text->length ? ", " : "", XS_COUNT_TEXT(count), count == 1 ? one : many);
}

/* Prints the copies that the table leaves out. */
static void other_transfers_line(const struct xs_summary *s, struct xs_out *out) {
    const struct xs_count_time *graph = &s->graph_total;
    XS_SCOPED_STRING text = {0};
    besides(&text, graph->count, "copy by launched graphs", "copies by launched graphs");
    if (graph->count)
        xs_string_format(&text, " (%s in %s)", XS_BYTES_TEXT(graph->bytes), XS_NS_TEXT(graph->ns));
    besides(&text, s->coverage.host_captured, "captured into a graph", "captured into graphs");
    besides(&text, s->coverage.host_failed, "failed", "failed");
    if (text.length)
        xs_out_line(out, XS_STYLE_PLAIN, "Not in the table: %s.", text.data);
}

void xs_report_transfers(const struct xs_summary *s, struct xs_out *out) {
    xs_out_heading(out, "Transfers");
    if (!s->all.count)
        xs_out_line(out, XS_STYLE_PLAIN,
                    s->selected                  ? XS_NONE_PASSES
                    : s->coverage.host_transfers ? "None that ran."
                                                 : "None.");
    else
        groups_table(s, out);
    partly_timed_line(s, out);
    if (!s->selected) /* the next lines are about all copies */
        overlap_lines(s, out);
    host_memory_line(s, out);
    if (s->all.count && !s->all.timed_count)
        xs_out_line(out, XS_STYLE_WARN,
                    "No device times are known. The rates are computed from blocking calls: bytes divided by the time "
                    "inside the call. See Coverage.");
    if (!s->selected)
        other_transfers_line(s, out);
}

void xs_report_largest(const struct xs_summary *s, struct xs_out *out) {
    if (!s->largest_count || !s->largest[0].bytes)
        return;
    xs_out_heading(out, "Largest");
    XS_SCOPED_TABLE *table = xs_table_new(2);
    static const char *const headers[] = {"size", "count", "transfers", "call", "mean time", "rate", "first"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        xs_table_column(table, headers[i], i < 2 || i > 3);
    xs_table_optional(table);
    for (size_t i = 0; i < s->largest_count; i++) {
        const struct xs_transfer_shape *shape = &s->largest[i];
        const struct xs_totals *t = &shape->totals;
        xs_table_cell(table, XS_BYTES_TEXT(shape->bytes));
        xs_table_cell(table, XS_COUNT_TEXT(t->count));
        kind_cell(table, out, shape->direction, shape->src_kind, shape->dst_kind);
        xs_table_cell(table, shape->entry_point ? shape->entry_point : "?");
        if (t->timed_count)
            xs_table_format(table, "%s%s", xs_modelled_mark(t->modelled_count),
                            XS_NS_TEXT(t->device_ns / t->timed_count));
        else
            xs_table_cell(table, t->blocking_count ? XS_NS_TEXT(t->blocking_host_ns / t->blocking_count) : "-");
        xs_table_cell(table, t->timed_count ? XS_RATE_TEXT(t->timed_bytes, t->device_ns)
                                            : XS_RATE_TEXT(t->blocking_bytes, t->blocking_host_ns));
        xs_table_format(table, "#%" PRId64, shape->first_transfer);
    }
    xs_table_print(table, out);
}

void xs_report_slowest(const struct xs_summary *s, struct xs_out *out) {
    if (!s->slowest_count)
        return;
    xs_out_heading(out, s->slowest_by_device ? "Slowest, by device time" : "Slowest, by time inside the call");
    XS_SCOPED_TABLE *table = xs_table_new(2);
    static const char *const headers[] = {"time", "size", "transfer", "call", "rate", "id", "at"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        xs_table_column(table, headers[i], i < 2 || i > 3);
    xs_table_optional(table);
    for (size_t i = 0; i < s->slowest_count; i++) {
        const struct xs_slow_transfer *t = &s->slowest[i];
        uint64_t ns = s->slowest_by_device ? t->device_ns : t->host_ns;
        xs_table_format(table, "%s%s", xs_modelled_mark(s->slowest_by_device && t->modelled), XS_NS_TEXT(ns));
        xs_table_cell(table, XS_BYTES_TEXT(t->bytes));
        kind_cell(table, out, t->direction, t->src_kind, t->dst_kind);
        xs_table_cell(table, t->entry_point ? t->entry_point : "?");
        xs_table_cell(table, s->slowest_by_device || !t->is_async ? XS_RATE_TEXT(t->bytes, ns) : "-");
        xs_table_format(table, "#%" PRId64, t->id);
        xs_table_cell(table, t->enter_ns >= 0 ? XS_NS_TEXT((uint64_t)t->enter_ns) : "-");
    }
    xs_table_print(table, out);
}
