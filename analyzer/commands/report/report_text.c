/* The report as text: the run, what was found, its transfers, the largest and the slowest; report_text_more.c prints
 * the rest. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/table.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/by.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/modelled_words.h"
#include "analyzer/words/sentences.h"
#include "analyzer/words/steps_words.h"
#include "analyzer/words/where_words.h"

#define COMMAND_COLUMNS 300 /* of a command line, if there is no terminal that cuts it */
#define DEVICE_LINES 4

static const char *direction_label(enum xs_direction direction) {
    static const char *const labels[] = {[XS_DIR_UNKNOWN] = "?", [XS_DIR_H2D] = "H2D",   [XS_DIR_D2H] = "D2H",
                                         [XS_DIR_D2D] = "D2D",   [XS_DIR_PEER] = "peer", [XS_DIR_H2H] = "H2H"};
    return labels[direction];
}

/* Adds the kind of a copy in few columns: "H2D pageable" says that the other side is plain device memory. */
static void kind_cell(struct xs_table *table, const struct xs_out *out, enum xs_direction direction,
                      enum xs_memory_kind src, enum xs_memory_kind dst) {
    const char *label = direction_label(direction);
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

/* Whether the peak that the trace knows applies: only to host links. */
static bool uses_link(enum xs_direction direction) { return direction == XS_DIR_H2D || direction == XS_DIR_D2H; }

static void device_line(struct xs_out *out, const struct xs_device_summary *d) {
    char buffer[XS_UNIT_BYTES];
    struct xs_string text = {0};
    xs_string_format(&text, "%s", d->name && *d->name ? d->name : "unknown device");
    if (d->simulated && !(d->name && strstr(d->name, "imulated")))
        xs_string_format(&text, " (simulated)");
    if (d->memory_bytes)
        xs_string_format(&text, ", %s", xs_format_bytes(buffer, d->memory_bytes));
    if (d->link_generation && d->link_width)
        xs_string_format(&text, ", PCIe gen%" PRIu64 " x%" PRIu64, d->link_generation, d->link_width);
    if (d->link_peak_bytes_per_s)
        xs_string_format(&text, ", peak %s each way", xs_format_rate(buffer, d->link_peak_bytes_per_s, 1000000000));
    char label[32];
    snprintf(label, sizeof label, "device %" PRId64, d->id);
    xs_out_fact(out, label, "%s", text.data);
    xs_string_free(&text);
}

static void device_lines(const struct xs_summary *s, struct xs_out *out) {
    size_t shown = 0, busy = 0, known = 0;
    for (size_t i = 0; i < s->device_count; i++) {
        busy += s->devices[i].known && (s->devices[i].copy_busy_ns || s->devices[i].kernels);
        known += s->devices[i].known;
    }
    for (size_t i = 0; i < s->device_count && shown < DEVICE_LINES; i++) {
        const struct xs_device_summary *d = &s->devices[i];
        if (!d->known || (busy && !d->copy_busy_ns && !d->kernels))
            continue;
        device_line(out, d);
        shown++;
    }
    if (known > shown)
        xs_out_fact(out, "", "and %zu more device%s%s", known - shown, known - shown > 1 ? "s" : "",
                    busy && busy <= shown ? ", without work" : "");
}

static void run_line(const struct xs_summary *s, struct xs_out *out) {
    const struct xs_run *run = &s->run;
    char buffer[XS_UNIT_BYTES];
    struct xs_string text = {0};
    xs_string_format(&text, "%s%s since its first CUDA call", run->duration_estimated ? "at least " : "",
                     xs_format_ns(buffer, run->duration_ns));
    if (*run->host)
        xs_string_format(&text, ", on %s", run->host);
    if (run->pid)
        xs_string_format(&text, ", pid %" PRId64, run->pid);
    if (run->rank >= 0)
        xs_string_format(&text, ", rank %" PRId64, run->rank);
    if (run->rank >= 0 && run->world_size > 0)
        xs_string_format(&text, " of %" PRId64, run->world_size);
    if (*xs_format_unix_ns(buffer, run->start_unix_ns))
        xs_string_format(&text, ", %s", buffer);
    if (run->driver_version > 0)
        xs_string_format(&text, ", CUDA driver %" PRId64 ".%" PRId64, run->driver_version / 1000,
                         run->driver_version % 1000 / 10);
    xs_out_fact(out, "run", "%s", text.data);
    xs_string_free(&text);
}

/* Prints the headline on a line of its own, so that it is read first. */
static void print_headline(const struct xs_report *report, struct xs_out *out) {
    struct xs_string headline = {0}, filter = {0};
    xs_report_headline(&headline, report, true, NULL);
    xs_filter_sentence(&filter, report->findings);
    if (filter.length)
        xs_out_fact(out, "filter", "%s", filter.data);
    fputs(xs_style_on(out, XS_STYLE_HEADING), out->file);
    xs_out_fact(out, "wasted", "%s.", headline.data);
    fputs(xs_style_off(out, XS_STYLE_HEADING), out->file);
    xs_string_free(&headline);
    xs_string_free(&filter);
}

static void print_where(const struct xs_report *report, struct xs_out *out) {
    enum { BAR = 50, BESIDE = 14 }; /* columns; beside: the label's and the brackets' */
    int columns = out->columns && out->columns < BAR + BESIDE ? out->columns - BESIDE : BAR;
    struct xs_string text = {0};
    xs_where_say(&text, &report->summary->where, true);
    if (text.length && !report->findings->selection) {
        xs_out_fact(out, "where", "%s", text.data);
        text.length = 0;
        xs_where_bar(&text, &report->summary->where, columns > 0 ? (unsigned)columns : 0);
        xs_out_fact(out, "", "%s", text.data);
    }
    xs_string_free(&text);
}

/* Prints the program's loop, if it has one. */
static void print_steps(const struct xs_report *report, struct xs_out *out) {
    struct xs_string step = {0}, warm_up = {0};
    xs_steps_say(&step, report->findings);
    xs_steps_say_warm_up(&warm_up, report->findings);
    if (step.length)
        xs_out_fact(out, "a step", "%s", step.data);
    if (warm_up.length)
        xs_out_fact(out, "warm-up", "%s", warm_up.data);
    xs_string_free(&step);
    xs_string_free(&warm_up);
}

static void print_run(const struct xs_report *report, struct xs_out *out) {
    const struct xs_summary *s = report->summary;
    xs_report_failures(report, out);
    char *command = xs_text_escaped(*s->run.command      ? s->run.command
                                    : *s->run.executable ? s->run.executable
                                                         : "(unknown command)");
    int room = out->columns ? out->columns : COMMAND_COLUMNS;
    bool cut = xs_text_width(command) > room;
    const char *mark = !cut ? "" : out->utf8 ? "\xe2\x80\xa6" : "...";
    fprintf(out->file, "%s%.*s%s%s\n", xs_style_on(out, XS_STYLE_HEADING),
            (int)xs_text_fit(command, cut ? room - xs_text_width(mark) : room), command, mark,
            xs_style_off(out, XS_STYLE_HEADING));
    free(command);
    run_line(s, out);
    device_lines(s, out);
    xs_out_fact(out, "trace", "%s", s->trace->path);
    print_headline(report, out);
    print_where(report, out);
    print_steps(report, out);
    xs_report_windows(s, out);
    xs_report_warnings(s, out);
}

static void total_cells(const struct xs_summary *s, struct xs_table *table, const struct xs_totals *t, uint64_t peak) {
    char buffer[XS_UNIT_BYTES];
    uint64_t recorded_ns = s->recorded.ns;
    bool timed = s->all.timed_count > 0;
    const char *mark = xs_report_partly_timed(t) ? XS_PARTLY_TIMED_MARK : "";
    xs_table_cell(table, xs_format_count(buffer, t->count));
    xs_table_cell(table, xs_format_bytes(buffer, t->bytes));
    if (t->timed_count)
        xs_table_format(table, "%s%s%s", mark, xs_modelled_mark(t->modelled_count), xs_format_ns(buffer, t->device_ns));
    else
        xs_table_cell(table, timed ? "-" : NULL);
    if (timed)
        xs_table_format(table, "%s%s%s", mark, xs_modelled_mark(t->device_ns ? t->modelled_count : 0),
                        xs_format_rate(buffer, t->timed_bytes, t->device_ns));
    else
        xs_table_cell(table, xs_format_rate(buffer, t->blocking_bytes, t->blocking_host_ns));
    xs_table_cell(table,
                  timed && peak && t->device_ns
                      ? xs_format_share(buffer, (uint64_t)((double)t->timed_bytes / (double)t->device_ns * 1e9), peak)
                      : NULL);
    xs_table_cell(table, timed && t->timed_count ? xs_format_share(buffer, t->device_ns, recorded_ns) : NULL);
    xs_table_cell(table, xs_format_ns(buffer, t->host_ns));
    xs_table_cell(table, timed ? NULL : xs_format_share(buffer, t->host_ns, recorded_ns));
}

static void groups_table(const struct xs_summary *s, struct xs_out *out) {
    struct xs_table *table = xs_table_new(2);
    uint64_t peak = xs_summary_link_peak(s);
    xs_table_column(table, "transfers", false);
    xs_table_column(table, "count", true);
    xs_table_column(table, "size", true);
    xs_table_column(table, "device time", true);
    xs_table_column(table, s->all.timed_count ? "rate" : "blocking rate", true);
    xs_table_column(table, "of link", true);
    xs_table_optional(table);
    xs_table_column(table, xs_share_column(&s->recorded), true);
    xs_table_optional(table);
    xs_table_column(table, "host time", true);
    if (s->all.timed_count)
        xs_table_optional(table);
    xs_table_column(table, xs_share_column(&s->recorded), true);
    for (size_t i = 0; i < s->group_count; i++) {
        const struct xs_group *g = &s->groups[i];
        kind_cell(table, out, g->direction, g->src_kind, g->dst_kind);
        total_cells(s, table, &g->totals, uses_link(g->direction) ? peak : 0);
    }
    if (s->group_count > 1) {
        xs_table_cell(table, "total");
        total_cells(s, table, &s->all, 0);
    }
    xs_table_print(table, out);
    xs_table_free(table);
}

/* Whether a rate says something about the memory: only if the copies are large. */
static bool shows_rate(const struct xs_totals *t) {
    enum { LARGE = 64 << 10 };
    return t->device_ns && t->timed_count && t->timed_bytes / t->timed_count >= LARGE;
}

#define PAGEABLE_SHARE "Host memory: %s of the bytes pageable"

/* Prints what the table's numbers mean: pinned against pageable, in a sentence. */
static void host_memory_line(const struct xs_summary *s, struct xs_out *out) {
    char share[XS_UNIT_BYTES], slow[XS_UNIT_BYTES], fast[XS_UNIT_BYTES];
    const struct xs_totals *pageable = &s->pageable, *pinned = &s->pinned;
    uint64_t bytes = xs_sum(pageable->bytes, pinned->bytes);
    if (!bytes)
        return;
    if (!pageable->bytes) {
        xs_out_line(out, XS_STYLE_PLAIN, "Host memory: all pinned.");
        return;
    }
    xs_format_share(share, pageable->bytes, bytes);
    if (!pinned->bytes) {
        xs_out_line(out, XS_STYLE_PLAIN, "Host memory: all pageable; nothing was copied from or to pinned memory.");
    } else if (shows_rate(pageable) && shows_rate(pinned)) {
        double ratio = (double)pinned->timed_bytes / (double)pinned->device_ns /
                       ((double)pageable->timed_bytes / (double)pageable->device_ns);
        struct xs_string times = {0};
        if (ratio >= 1.05)
            xs_string_format(&times, ", %.1f times as fast", ratio);
        xs_out_line(out, XS_STYLE_PLAIN, PAGEABLE_SHARE " at %s; pinned %s%s.", share,
                    xs_format_rate(slow, pageable->timed_bytes, pageable->device_ns),
                    xs_format_rate(fast, pinned->timed_bytes, pinned->device_ns), times.data ? times.data : "");
        xs_string_free(&times);
    } else {
        xs_out_line(out, XS_STYLE_PLAIN, PAGEABLE_SHARE ", the rest pinned.", share);
    }
}

/* Prints what the mark in the table means: rates cover only the bytes of timed transfers. */
static void partly_timed_line(const struct xs_summary *s, struct xs_out *out) {
    char timed[XS_UNIT_BYTES], all[XS_UNIT_BYTES];
    if (xs_report_partly_timed(&s->all))
        xs_out_line(out, XS_STYLE_WARN, "%s device times of %s of %s transfers; rates are of those alone.",
                    XS_PARTLY_TIMED_MARK, xs_format_count(timed, s->all.timed_count),
                    xs_format_count(all, s->all.count - s->all.empty_count));
}

static void besides(struct xs_string *text, uint64_t count, const char *one, const char *many) {
    char buffer[XS_UNIT_BYTES];
    if (count)
        xs_string_format(text, "%s%s %s", text->length ? ", " : "", xs_format_count(buffer, count),
                         count == 1 ? one : many);
}

/* Prints the copies that the table leaves out. */
static void other_transfers_line(const struct xs_summary *s, struct xs_out *out) {
    char bytes[XS_UNIT_BYTES], ns[XS_UNIT_BYTES];
    const struct xs_count_time *graph = &s->graph_total;
    struct xs_string text = {0};
    besides(&text, graph->count, "copy by launched graphs", "copies by launched graphs");
    if (graph->count)
        xs_string_format(&text, " (%s in %s)", xs_format_bytes(bytes, graph->bytes), xs_format_ns(ns, graph->ns));
    besides(&text, s->coverage.host_captured, "captured into a graph", "captured into graphs");
    besides(&text, s->coverage.host_failed, "failed", "failed");
    if (text.length)
        xs_out_line(out, XS_STYLE_PLAIN, "Not in the table: %s.", text.data);
    xs_string_free(&text);
}

static void print_transfers(const struct xs_summary *s, struct xs_out *out) {
    xs_out_heading(out, "Transfers");
    if (!s->all.count)
        xs_out_line(out, XS_STYLE_PLAIN,
                    s->selected                  ? XS_NONE_PASSES
                    : s->coverage.host_transfers ? "None that ran."
                                                 : "None.");
    else
        groups_table(s, out);
    partly_timed_line(s, out);
    if (!s->selected) /* they are about all copies */
        xs_report_overlap_lines(s, out);
    host_memory_line(s, out);
    if (s->all.count && !s->all.timed_count)
        xs_out_line(out, XS_STYLE_WARN,
                    "No device times; the rates are those of blocking calls, by the time inside the "
                    "call. See Coverage.");
    if (!s->selected)
        other_transfers_line(s, out);
}

static void print_largest(const struct xs_summary *s, struct xs_out *out) {
    char buffer[XS_UNIT_BYTES];
    if (!s->largest_count || !s->largest[0].bytes)
        return;
    xs_out_heading(out, "Largest");
    struct xs_table *table = xs_table_new(2);
    static const char *const headers[] = {"size", "count", "transfers", "call", "mean time", "rate", "first"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        xs_table_column(table, headers[i], i < 2 || i > 3);
    xs_table_optional(table);
    for (size_t i = 0; i < s->largest_count; i++) {
        const struct xs_shape *shape = &s->largest[i];
        const struct xs_totals *t = &shape->totals;
        xs_table_cell(table, xs_format_bytes(buffer, shape->bytes));
        xs_table_cell(table, xs_format_count(buffer, t->count));
        kind_cell(table, out, shape->direction, shape->src_kind, shape->dst_kind);
        xs_table_cell(table, shape->entry_point ? shape->entry_point : "?");
        if (t->timed_count)
            xs_table_format(table, "%s%s", xs_modelled_mark(t->modelled_count),
                            xs_format_ns(buffer, t->device_ns / t->timed_count));
        else
            xs_table_cell(table,
                          t->blocking_count ? xs_format_ns(buffer, t->blocking_host_ns / t->blocking_count) : "-");
        xs_table_cell(table, t->timed_count ? xs_format_rate(buffer, t->timed_bytes, t->device_ns)
                                            : xs_format_rate(buffer, t->blocking_bytes, t->blocking_host_ns));
        xs_table_format(table, "#%" PRId64, shape->first_transfer);
    }
    xs_table_print(table, out);
    xs_table_free(table);
}

static void print_slowest(const struct xs_summary *s, struct xs_out *out) {
    char buffer[XS_UNIT_BYTES];
    if (!s->slowest_count)
        return;
    xs_out_heading(out, s->slowest_by_device ? "Slowest, by device time" : "Slowest, by time inside the call");
    struct xs_table *table = xs_table_new(2);
    static const char *const headers[] = {"time", "size", "transfer", "call", "rate", "id", "at"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        xs_table_column(table, headers[i], i < 2 || i > 3);
    xs_table_optional(table);
    for (size_t i = 0; i < s->slowest_count; i++) {
        const struct xs_slow_transfer *t = &s->slowest[i];
        uint64_t ns = s->slowest_by_device ? t->device_ns : t->host_ns;
        xs_table_format(table, "%s%s", xs_modelled_mark(s->slowest_by_device && t->modelled), xs_format_ns(buffer, ns));
        xs_table_cell(table, xs_format_bytes(buffer, t->bytes));
        kind_cell(table, out, t->direction, t->src_kind, t->dst_kind);
        xs_table_cell(table, t->entry_point ? t->entry_point : "?");
        xs_table_cell(table, s->slowest_by_device || !t->is_async ? xs_format_rate(buffer, t->bytes, ns) : "-");
        xs_table_format(table, "#%" PRId64, t->id);
        xs_table_cell(table, t->enter_ns >= 0 ? xs_format_ns(buffer, (uint64_t)t->enter_ns) : "-");
    }
    xs_table_print(table, out);
    xs_table_free(table);
}

void xs_report_text_sections(const struct xs_report *report, unsigned sections, struct xs_out *out) {
    const struct xs_summary *s = report->summary;
    if (sections & XS_SECTION_BIT(TRANSFERS))
        print_transfers(s, out);
    if (sections & XS_SECTION_BIT(LARGEST))
        print_largest(s, out);
    if (sections & XS_SECTION_BIT(SLOWEST))
        print_slowest(s, out);
    xs_report_text_more(report, sections, out);
}

void xs_report_text(const struct xs_report *report, struct xs_out *out) {
    unsigned sections = xs_report_sections(report);
    print_run(report, out);
    if (report->by) {
        xs_by_text(report->by, report->findings, report->top, out);
        return;
    }
    if (sections & XS_SECTION_BIT(FINDINGS))
        xs_report_text_findings(report, out);
    xs_report_text_sections(report, sections, out);
    if (sections & XS_SECTION_BIT(FINDINGS))
        xs_report_text_next(report, out);
}

void xs_report_text_on_terminal(const struct xs_report *report, struct xs_out *out) {
    FILE *terminal = out->file;
    char *text = NULL;
    size_t bytes = 0, lines = 0;
    struct xs_string headline = {0};
    out->file = open_memstream(&text, &bytes);
    if (!out->file)
        xs_out_of_memory();
    xs_report_text(report, out);
    if (fclose(out->file) != 0)
        xs_out_of_memory();
    out->file = terminal;
    fwrite(text, 1, bytes, out->file);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    free(text);
    if (lines < (size_t)out->rows || report->by)
        return;
    xs_report_headline(&headline, report, true, NULL);
    putc('\n', out->file);
    xs_out_line(out, XS_STYLE_HEADING, "Wasted: %s.", headline.data);
    if (xs_report_sections(report) & ~XS_SECTION_BIT(FINDINGS))
        xs_out_line(out, XS_STYLE_DIM, "That was %zu lines; --sections=findings shows the findings alone.", lines);
    xs_string_free(&headline);
}

void xs_report_text_heading(const char *path, int index, struct xs_out *out) {
    char *escaped = xs_text_escaped(path);
    fprintf(out->file, "%s%s== %s ==%s\n", index ? "\n\n" : "", xs_style_on(out, XS_STYLE_HEADING), escaped,
            xs_style_off(out, XS_STYLE_HEADING));
    free(escaped);
}
