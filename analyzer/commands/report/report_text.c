/* Prints the report as text: the run, then the sections. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/steps_words.h"
#include "analyzer/words/where_words.h"

#define COMMAND_COLUMNS 300 /* columns of a command line, if there is no terminal whose width limits it */
#define DEVICE_LINES 4

static void device_line(struct xs_out *out, const struct xs_device_summary *d) {
    XS_SCOPED_STRING text = {0};
    xs_string_format(&text, "%s", d->name && *d->name ? d->name : "unknown device");
    if (d->simulated && !(d->name && strstr(d->name, "imulated")))
        xs_string_format(&text, " (simulated)");
    if (d->memory_bytes)
        xs_string_format(&text, ", %s", XS_BYTES_TEXT(d->memory_bytes));
    if (d->link_generation && d->link_width)
        xs_string_format(&text, ", PCIe gen%" PRIu64 " x%" PRIu64, d->link_generation, d->link_width);
    if (d->link_peak_bytes_per_s)
        xs_string_format(&text, ", peak %s each way", XS_RATE_TEXT(d->link_peak_bytes_per_s, 1000000000));
    char label[32];
    snprintf(label, sizeof label, "device %" PRId64, d->id);
    xs_out_fact(out, label, "%s", text.data);
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
    XS_SCOPED_STRING text = {0};
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
}

/* Prints the labels that the user gave. The others are facts that mostly everybody knows, and are in the JSON. */
static void labels_line(const struct xs_labels *labels, struct xs_out *out) {
    XS_SCOPED_STRING text = {0};
    for (size_t i = 0; i < labels->count; i++)
        if (labels->items[i].is_given)
            xs_string_format(&text, "%s%s=%s", text.length ? ", " : "", labels->items[i].key, labels->items[i].value);
    if (text.length)
        xs_out_fact(out, "labels", "%s", text.data);
}

/* Prints the headline on a separate line, so that it is read first. */
static void print_headline(const struct xs_report *report, struct xs_out *out) {
    XS_SCOPED_STRING headline = {0}, filter = {0};
    xs_report_headline(&headline, report, true, NULL);
    xs_filter_sentence(&filter, report->diagnosis->findings);
    if (filter.length)
        xs_out_fact(out, "filter", "%s", filter.data);
    fputs(xs_style_on(out, XS_STYLE_HEADING), out->file);
    xs_out_fact(out, "wasted", "%s.", headline.data);
    fputs(xs_style_off(out, XS_STYLE_HEADING), out->file);
}

static void print_where(const struct xs_report *report, struct xs_out *out) {
    enum { BAR = 50, BESIDE = 14 }; /* columns; BESIDE: those of the label and the brackets */
    int columns = out->columns && out->columns < BAR + BESIDE ? out->columns - BESIDE : BAR;
    XS_SCOPED_STRING text = {0};
    xs_where_say(&text, &report->summary->where, true);
    if (text.length && !report->diagnosis->findings->selection) {
        xs_out_fact(out, "where", "%s", text.data);
        text.length = 0;
        xs_where_bar(&text, &report->summary->where, columns > 0 ? (unsigned)columns : 0);
        xs_out_fact(out, "", "%s", text.data);
    }
}

/* Prints the program's loop, if it has one. */
static void print_steps(const struct xs_report *report, struct xs_out *out) {
    XS_SCOPED_STRING step = {0}, warm_up = {0};
    xs_steps_say(&step, report->diagnosis->findings);
    xs_steps_say_warm_up(&warm_up, report->diagnosis->findings);
    if (step.length)
        xs_out_fact(out, "a step", "%s", step.data);
    if (warm_up.length)
        xs_out_fact(out, "warm-up", "%s", warm_up.data);
}

static void print_run(const struct xs_report *report, struct xs_out *out) {
    const struct xs_summary *s = report->summary;
    xs_report_failures(report, out);
    XS_SCOPED char *command = xs_text_escaped(*s->run.command      ? s->run.command
                                              : *s->run.executable ? s->run.executable
                                                                   : "(unknown command)");
    int room = out->columns ? out->columns : COMMAND_COLUMNS;
    bool cut = xs_text_width(command) > room;
    const char *mark = !cut ? "" : out->utf8 ? "\xe2\x80\xa6" : "...";
    fprintf(out->file, "%s%.*s%s%s\n", xs_style_on(out, XS_STYLE_HEADING),
            (int)xs_text_fit(command, cut ? room - xs_text_width(mark) : room), command, mark,
            xs_style_off(out, XS_STYLE_HEADING));
    run_line(s, out);
    labels_line(&s->run.labels, out);
    device_lines(s, out);
    xs_out_fact(out, "trace", "%s", s->trace->path);
    print_headline(report, out);
    print_where(report, out);
    print_steps(report, out);
    xs_report_windows(s, out);
    xs_report_warnings(s, out);
}

void xs_report_text_sections(const struct xs_report *report, unsigned sections, struct xs_out *out) {
    const struct xs_summary *s = report->summary;
    if (sections & XS_SECTION_BIT(IDLE))
        xs_report_idle(report, report->sections & XS_SECTION_BIT(IDLE), out);
    if (sections & XS_SECTION_BIT(WAITS))
        xs_report_waits(report, out);
    if (sections & XS_SECTION_BIT(TRANSFERS))
        xs_report_transfers(s, out);
    if (sections & XS_SECTION_BIT(LARGEST))
        xs_report_largest(s, out);
    if (sections & XS_SECTION_BIT(SLOWEST))
        xs_report_slowest(s, out);
    if (sections & XS_SECTION_BIT(MEMORY))
        xs_report_memory(s, out);
    if (sections & XS_SECTION_BIT(WAITING))
        xs_report_calls(s, out);
    if (sections & XS_SECTION_BIT(COVERAGE))
        xs_report_coverage(report, out);
    if (sections & XS_SECTION_BIT(COST))
        xs_report_cost(s, out);
}

void xs_report_text(const struct xs_report *report, struct xs_out *out) {
    unsigned sections = xs_report_sections(report);
    print_run(report, out);
    if (report->by) {
        xs_by_text(report->by, report->diagnosis->findings, report->top, out);
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
    XS_SCOPED_STRING headline = {0};
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
}

void xs_report_text_heading(const char *path, int index, struct xs_out *out) {
    XS_SCOPED char *escaped = xs_text_escaped(path);
    fprintf(out->file, "%s%s== %s ==%s\n", index ? "\n\n" : "", xs_style_on(out, XS_STYLE_HEADING), escaped,
            xs_style_off(out, XS_STYLE_HEADING));
}
