/* Prints the report in GitHub's Markdown: the headline as heading, a table and a list of causes, and, in a folded part,
 * the other sections as in the text report. */
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/markdown.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/detour_words.h"
#include "analyzer/words/findings_markdown.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/remedies.h"
#include "analyzer/words/saving_words.h"
#include "analyzer/words/steps_words.h"
#include "analyzer/words/unread_words.h"
#include "analyzer/words/where_words.h"

enum { OTHERS_SHOWN = 2 };

static void add_place(struct xs_string *text, const struct xs_findings *findings, uint32_t site, bool with_function) {
    xs_markdown_place(text, findings->sites, xs_site_frame(findings, site), xs_site_name(findings, site),
                      with_function);
}

/* Prints the steps in one code span: places and ranges are text of the trace. */
static void steps_part(const struct xs_findings *findings, struct xs_out *out) {
    XS_SCOPED_STRING text = {0}, code = {0};
    xs_steps_say(&text, findings);
    if (text.length) {
        xs_markdown_code(&code, text.data);
        fprintf(out->file, "\nA step: %s", code.data);
        text.length = 0;
        xs_steps_say_warm_up(&text, findings);
        fprintf(out->file, "%s%s.\n", text.length ? "; warm-up: " : "", text.length ? text.data : "");
    }
}

static void head(const struct xs_report *report, struct xs_out *out) {
    const struct xs_run *run = &report->summary->run;
    char buffer[XS_UNIT_BYTES];
    XS_SCOPED_STRING text = {0}, headline = {0}, filter = {0};
    xs_report_headline(&headline, report, false, NULL);
    xs_filter_sentence(&filter, report->diagnosis->findings);
    xs_markdown_code(&text, *run->command ? run->command : run->executable);
    xs_string_format(&text, " ran for %s%s", run->duration_estimated ? "at least " : "",
                     xs_format_ns(buffer, run->duration_ns));
    for (size_t i = 0; i < report->summary->device_count; i++) {
        const struct xs_device_summary *d = &report->summary->devices[i];
        if (!d->known || !(d->copy_busy_ns || d->kernels || report->summary->device_count == 1))
            continue;
        xs_string_format(&text, ", device %" PRId64 ": ", d->id);
        xs_markdown_code(&text, d->name);
    }
    if (*xs_format_unix_ns(buffer, run->start_unix_ns))
        xs_string_format(&text, ", %s", buffer);
    fprintf(out->file, XS_MARKDOWN_HEADING "%s\n\n%s. Trace ", headline.data, text.data);
    text.length = 0;
    xs_markdown_code(&text, report->summary->trace->path);
    fprintf(out->file, "%s.\n", text.data);
    text.length = 0;
    xs_where_say(&text, &report->summary->where, false);
    if (text.length && !report->diagnosis->findings->selection)
        fprintf(out->file, "\nWhere the run went: %s.\n", text.data);
    steps_part(report->diagnosis->findings, out);
    xs_markdown_filter(out, filter.data);
}

static void table(const struct xs_report *report, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    xs_markdown_causes_head(out, xs_share_is_of(&diagnosis->findings->recorded), false);
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        size_t index = diagnosis->causes[i].findings[0];
        const struct xs_diagnosed *d = &diagnosis->items[index];
        const struct xs_finding *f = d->finding;
        struct xs_string name = {0}, place = {0};
        if (!xs_report_shows_cause(report, i))
            continue;
        xs_finding_name(&name, diagnosis, index);
        add_place(&place, diagnosis->findings, f->site, false);
        xs_markdown_cause_row(out, &(struct xs_markdown_cause){.number = i + 1,
                                                               .name = name.data,
                                                               .saves = d->saves.known ? &d->saves : NULL,
                                                               .bound = xs_finding_at_most(d) ? XS_UP_TO : "",
                                                               .saves_ns = d->saves.most_ns,
                                                               .recorded_ns = diagnosis->findings->recorded.ns,
                                                               .amount = xs_finding_in_all(f),
                                                               .place = place.data});
        xs_string_free(&name);
        xs_string_free(&place);
    }
}

/* Adds "saves 84.6 ms, 28 % of the run (checked 137 of 199)". */
static void add_gain(struct xs_string *text, const struct xs_findings *findings, const struct xs_diagnosed *d) {
    const struct xs_finding *f = d->finding;
    XS_SCOPED_STRING checked = {0};
    xs_finding_gain_between(text, findings, d);
    xs_finding_checked(&checked, f);
    if (checked.length)
        xs_string_format(text, " (%s)", checked.data);
}

/* Adds a better solution than the remedy, if there is one. */
static void add_detour(struct xs_string *text, const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *d) {
    XS_SCOPED_STRING said = {0};
    xs_say_detour_work(&said, diagnosis, d);
    if (said.length) {
        xs_markdown_code(text, said.data);
        xs_string_format(text, " ");
        xs_say_detour_gain(text, diagnosis, d);
        xs_string_format(text, " If that cannot be done, ");
    }
}

/* Prints a finding: its kind and place, its cost, what to do, and the text of the source line if it is known. */
static void finding(const struct xs_report *report, size_t index, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    const struct xs_diagnosed *d = &diagnosis->items[index];
    const struct xs_finding *f = d->finding;
    const struct xs_detector *detector = xs_detectors[f->detector];
    XS_SCOPED_STRING name = {0}, place = {0}, cost = {0}, amount = {0}, gain = {0}, turns = {0}, detour = {0};
    XS_SCOPED_STRING other = {0}, unread = {0};
    XS_SCOPED char *source = xs_place_source(diagnosis->findings->sites, xs_site_frame(diagnosis->findings, f->site));
    xs_finding_name(&name, diagnosis, index);
    add_gain(&gain, diagnosis->findings, d);
    xs_finding_amount(&amount, f);
    xs_finding_cost(&cost, f);
    if (cost.length && *cost.data == 'a') /* "About 158 ms ...": make it a sentence */
        *cost.data = 'A';
    add_place(&place, diagnosis->findings, f->site, true);
    if (d->released_at || f->launched_at) {
        xs_string_format(&other, d->released_at ? ", and released at " : ", and launched at ");
        add_place(&other, diagnosis->findings, d->released_at ? d->released_at : f->launched_at, true);
    }
    xs_finding_turns(&turns, d);
    xs_say_unread(&unread, diagnosis->findings, f);
    add_detour(&detour, diagnosis, d);
    fprintf(out->file, "- **%zu. %s** %s: %s: %s, %s%s%s. %s%s%s**%s**%s%s%s%s\n", index + 1, name.data,
            f->advice ? "(advice)" : gain.data, detector->title, amount.data,
            xs_place_word(xs_site_frame(diagnosis->findings, f->site)), place.data, other.data ? other.data : "",
            cost.data ? cost.data : "", cost.data ? ". " : "", detour.data ? detour.data : "",
            xs_remedy_of(diagnosis->findings, d), turns.data ? " " : "", turns.data ? turns.data : "",
            unread.data ? " " : "", unread.data ? unread.data : "");
    xs_markdown_source(out, source);
}

/* Prints what `xferspy try' measured for a repair. The text has only numbers and words of xferspy, and no text of the
 * trace. */
static void tried(const struct xs_tried_item *item, const char *before, const char *after, struct xs_out *out) {
    XS_SCOPED_STRING text = {0};
    if (!item)
        return;
    xs_tried_say(&text, item);
    fprintf(out->file, "%s%s%s\n", before, text.data, after);
}

/* Prints what helps if the first repair cannot be made: findings that save at least a tenth of its saving. */
static void others(const struct xs_report *report, const struct xs_cause *cause, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    size_t shown = 0;
    unsigned repairs = 0;
    for (size_t i = 0; i < cause->count; i++) {
        const struct xs_diagnosed *d = &diagnosis->items[cause->findings[i]];
        XS_SCOPED_STRING name = {0}, gain = {0};
        bool is_large = d->saves.most_ns >= cause->saves.most_ns / 10;
        if (!xs_cause_offers(diagnosis, cause, i, &repairs))
            continue;
        if (!report->details && (!is_large || shown++ >= OTHERS_SHOWN))
            continue;
        xs_finding_name(&name, diagnosis, cause->findings[i]);
        add_gain(&gain, diagnosis->findings, d);
        fprintf(out->file, "  - If that cannot be done, %s %s: %s\n", name.data, gain.data,
                xs_remedy_of(diagnosis->findings, d));
    }
}

static void total(const struct xs_diagnosis *diagnosis, struct xs_out *out) {
    XS_SCOPED_STRING all = {0}, bounds = {0};
    xs_say_total_of_run(&all, diagnosis);
    xs_say_bounds(&bounds, diagnosis);
    if (all.length)
        fprintf(out->file, "\n%s%s%s\n", all.data, bounds.length ? " " : "", bounds.length ? bounds.data : "");
}

static void rest(const struct xs_report *report, struct xs_out *out) {
    XS_SCOPED_STRING text = {0};
    xs_report_say_rest(&text, report);
    if (text.length)
        fprintf(out->file, "\n%s; see `xferspy explain`.\n", text.data);
}

static void findings_part(const struct xs_report *report, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    size_t shown = 0;
    for (size_t i = 0; i < diagnosis->cause_count; i++)
        shown += xs_report_shows_cause(report, i);
    if (shown)
        table(report, out);
    fputs(shown ? "\n" : "", out->file);
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        if (!xs_report_shows_cause(report, i))
            continue;
        finding(report, diagnosis->causes[i].findings[0], out);
        if (report->tried)
            tried(xs_tried_of_cause(report->tried, diagnosis, &diagnosis->causes[i]), "  - **", "**", out);
        others(report, &diagnosis->causes[i], out);
    }
    for (size_t i = 0; i < diagnosis->count && report->details; i++)
        if (diagnosis->items[i].finding->advice)
            finding(report, i, out);
    total(diagnosis, out);
    const struct xs_tried_item *together = report->tried ? xs_tried_of(report->tried, diagnosis, SIZE_MAX) : NULL;
    tried(together, together && together->only ? "\nNot all repairs " : "\nAll repairs ", "\n", out);
    rest(report, out);
}

static void folded(const struct xs_report *report, unsigned section, const char *summary, struct xs_out *out) {
    struct xs_markdown_lines lines;
    xs_markdown_lines_begin(&lines);
    xs_report_text_sections(report, 1u << section, &lines.out);
    xs_markdown_lines_folded(&lines, summary, out);
}

/* Prints the next command. It is in one code span, because the path can contain any text. */
static void next(const struct xs_report *report, struct xs_out *out) {
    XS_SCOPED_STRING line = {0}, code = {0};
    if (!xs_report_can_try(report))
        return;
    xs_string_format(&line, "xferspy try ");
    xs_string_shell_word(&line, report->summary->trace->path);
    xs_markdown_code(&code, line.data);
    fprintf(out->file, "\nTo measure what the repairs gain on the unchanged program: %s\n", code.data);
}

void xs_report_markdown(const struct xs_report *report, struct xs_out *out) {
    static const char *const summaries[XS_SECTION_COUNT] = {
        [XS_SECTION_TRANSFERS] = "Transfers: totals against the link, and what ran beside them",
        [XS_SECTION_LARGEST] = "Largest transfers",
        [XS_SECTION_SLOWEST] = "Slowest transfers",
        [XS_SECTION_MEMORY] = "Memory: allocations and page migrations",
        [XS_SECTION_WAITING] = XS_WAITING_HEADING,
        [XS_SECTION_COVERAGE] = "Coverage: what was seen, and what was not",
        [XS_SECTION_COST] = XS_COST_HEADING,
    };
    unsigned sections = xs_report_sections(report);
    struct xs_markdown_lines lines;
    xs_markdown_lines_begin(&lines);
    xs_report_failures(report, &lines.out);
    xs_markdown_lines_block(&lines, out);
    head(report, out);
    xs_markdown_lines_begin(&lines);
    xs_report_failures(report, &lines.out);
    xs_report_windows(report->summary, &lines.out);
    xs_report_warnings(report->summary, &lines.out);
    xs_findings_unknown_lines(report->diagnosis, &report->contents, &lines.out);
    xs_markdown_lines_block(&lines, out);
    if (report->by) {
        xs_markdown_lines_begin(&lines);
        xs_by_text(report->by, report->diagnosis->findings, report->top, &lines.out);
        xs_markdown_lines_block(&lines, out);
        return;
    }
    if (sections & XS_SECTION_BIT(FINDINGS))
        findings_part(report, out);
    for (unsigned i = 0; i < XS_SECTION_COUNT; i++)
        if (summaries[i] && sections >> i & 1)
            folded(report, i, summaries[i], out);
    if (sections & XS_SECTION_BIT(FINDINGS))
        next(report, out);
}
