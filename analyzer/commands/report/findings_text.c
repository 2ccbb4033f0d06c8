/* Prints the first section of a report: findings ranked by what they save, one screen at most. */
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/commands/try/trials.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/words/context_words.h"
#include "analyzer/words/detour_words.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/idle_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/remedies.h"
#include "analyzer/words/saving_words.h"
#include "analyzer/words/unread_words.h"

enum { INDENT = 6 };

/* Prints the kind and the place of a finding, and the text of the user's line if it is known. */
static void print_where(const struct xs_findings *findings, const struct xs_finding *f, bool with_text,
                        struct xs_out *out) {
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    XS_SCOPED_STRING amount = {0}, place = {0};
    xs_finding_amount(&amount, f);
    xs_place_of_site(&place, findings, f->site);
    xs_out_indented(out, INDENT, "%s: %s, %s", xs_detectors[f->detector]->title, amount.data, place.data);
    if (frame && with_text) {
        XS_SCOPED char *line = xs_place_source(findings->sites, frame);
        xs_place_source_line(line, frame, INDENT + 2, out);
    }
}

/* Prints another line that the finding is about, after `what`, unless it is not known (site 0). */
static void print_other_line(const struct xs_findings *findings, const char *what, uint32_t site, struct xs_out *out) {
    XS_SCOPED_STRING place = {0};
    if (!site)
        return;
    const struct xs_frame *frame = xs_site_frame(findings, site);
    xs_place_of_site(&place, findings, site);
    xs_out_indented(out, INDENT, "%s %s.", what, place.data);
    XS_SCOPED char *line = xs_place_source(findings->sites, frame);
    xs_place_source_line(line, frame, INDENT + 2, out);
}

/* Prints at which line the host worked, if it was seen at another line than the finding's. */
static void print_worked(const struct xs_findings *findings, const struct xs_diagnosed *d, struct xs_out *out) {
    XS_SCOPED_STRING text = {0};
    if (!d->worked_at)
        return;
    xs_worked_say(&text, findings, d->worked_at);
    xs_out_indented(out, INDENT, "The host was %s.", text.data);
}

/* Prints a line with a text, unless it is empty, and frees the text. */
static void print_text(struct xs_string *text, struct xs_out *out) {
    if (text->length)
        xs_out_indented(out, INDENT, "%s", text->data);
    xs_string_free(text);
}

/* Prints the name that `explain` accepts, the saving of the repair, and how many contents are known. */
static void print_name(const struct xs_diagnosis *diagnosis, size_t index, int name_columns, struct xs_out *out) {
    const struct xs_diagnosed *d = &diagnosis->items[index];
    const struct xs_finding *f = d->finding;
    XS_SCOPED_STRING name = {0}, gain = {0}, checked = {0};
    xs_finding_name(&name, diagnosis, index);
    xs_finding_gain_between(&gain, diagnosis->findings, d);
    xs_finding_checked(&checked, f);
    if (checked.length)
        xs_string_format(&gain, " (%s)", checked.data);
    bool narrow = out->columns && INDENT + name_columns + 2 + (int)gain.length > out->columns;
    fprintf(out->file, "  %2zu  %s%s%s%*s%s\n", index + 1, xs_style_on(out, XS_STYLE_HEADING), name.data,
            xs_style_off(out, XS_STYLE_HEADING), narrow ? 0 : name_columns - (int)name.length + 2, "",
            narrow || !gain.data ? "" : gain.data);
    if (narrow)
        xs_out_indented(out, INDENT, "%s", gain.data);
}

/* Prints another finding of the cause, which helps if the first repair cannot be made. Prints one line if possible. */
static void print_other(const struct xs_diagnosis *diagnosis, size_t index, struct xs_out *out) {
    const struct xs_diagnosed *d = &diagnosis->items[index];
    XS_SCOPED_STRING name = {0}, gain = {0};
    xs_finding_name(&name, diagnosis, index);
    xs_string_format(&gain, "saves ");
    xs_say_saving(&gain, &d->saves);
    xs_out_indented(out, INDENT, "If that cannot be done, %s %s: %s", name.data, gain.data,
                    xs_remedy_of(diagnosis->findings, d));
}

/* Prints what `xferspy try' measured for its repair, or for the first of the other ones. */
static void print_tried(const struct xs_report *report, const struct xs_cause *cause, struct xs_out *out) {
    const struct xs_tried_item *item =
        report->tried ? xs_tried_of_cause(report->tried, report->diagnosis, cause) : NULL;
    struct xs_string text = {0};
    if (item)
        xs_tried_say(&text, item);
    print_text(&text, out);
}

static const char *remedy_of_cause(const struct xs_diagnosis *diagnosis, size_t number) {
    const struct xs_diagnosed *d = &diagnosis->items[diagnosis->causes[number].findings[0]];
    return xs_remedy_of(diagnosis->findings, d);
}

/* Returns the number, counted from 1, of the first cause whose first finding has the same remedy. Causes with a detour
 * are not compared, because another remedy is printed for them. */
static size_t first_with_remedy(const struct xs_diagnosis *diagnosis, size_t number) {
    const char *remedy = remedy_of_cause(diagnosis, number);
    for (size_t i = 0; i < number; i++) {
        const struct xs_diagnosed *d = &diagnosis->items[diagnosis->causes[i].findings[0]];
        if (!d->detour && !strcmp(remedy, remedy_of_cause(diagnosis, i)))
            return i + 1;
    }
    return number + 1;
}

/* If this is the first cause of a detour, prints that its copies are part of the detour, and all that is known about
 * the detour. */
static void print_detour(const struct xs_diagnosis *diagnosis, size_t number, struct xs_out *out) {
    const struct xs_diagnosed *d = &diagnosis->items[diagnosis->causes[number].findings[0]];
    struct xs_string text = {0};
    size_t first = 0;
    while (diagnosis->items[diagnosis->causes[first].findings[0]].detour != d->detour)
        first++;
    if (first < number)
        xs_string_format(&text, "These copies and those of number %zu are one detour over the host: see there.",
                         first + 1);
    else
        xs_say_detour(&text, diagnosis, d);
    print_text(&text, out);
}

static void print_remedy(const struct xs_diagnosis *diagnosis, size_t number, bool all, struct xs_out *out) {
    size_t first = all ? number + 1 : first_with_remedy(diagnosis, number);
    if (first <= number)
        xs_out_indented(out, INDENT, "As for number %zu.", first);
    else
        xs_out_indented(out, INDENT, "%s", remedy_of_cause(diagnosis, number));
}

/* Prints a cause: its saving, its kind and place, and what to do (or the number of the cause for which that was printed
 * before). Then prints what else can be done: for the first cause, one finding that saves at least a tenth of it; for
 * other causes, only with `all`. */
static void print_cause(const struct xs_report *report, size_t number, int name_columns, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    bool all = report->details;
    const struct xs_cause *cause = &diagnosis->causes[number];
    const struct xs_diagnosed *d = &diagnosis->items[cause->findings[0]];
    const struct xs_finding *f = d->finding;
    size_t others = 0;
    unsigned repairs = 0;
    struct xs_string text = {0};
    print_name(diagnosis, cause->findings[0], name_columns, out);
    print_tried(report, cause, out);
    print_where(diagnosis->findings, f, true, out);
    print_other_line(diagnosis->findings, "It is released", d->released_at, out);
    print_other_line(diagnosis->findings, "They are launched", d->finding->launched_at, out);
    print_worked(diagnosis->findings, d, out);
    xs_say_framework(&text, d);
    print_text(&text, out);
    if (d->detour)
        print_detour(diagnosis, number, out);
    if (d->detour && !xs_detour_is_repaired(diagnosis, d))
        print_other(diagnosis, cause->findings[0], out);
    else
        print_remedy(diagnosis, number, all, out);
    xs_finding_turns(&text, d);
    print_text(&text, out);
    xs_say_unread(&text, diagnosis->findings, f);
    print_text(&text, out);
    for (size_t i = 0; i < cause->count && (all || !number); i++) {
        const struct xs_diagnosed *other_diagnosed = &diagnosis->items[cause->findings[i]];
        if (!xs_cause_offers(diagnosis, cause, i, &repairs))
            continue;
        if (all || (!others && other_diagnosed->saves.most_ns >= d->saves.most_ns / 10))
            print_other(diagnosis, cause->findings[i], out);
        others++;
    }
}

static void print_advice(const struct xs_diagnosis *diagnosis, size_t index, struct xs_out *out) {
    XS_SCOPED_STRING name = {0};
    xs_finding_name(&name, diagnosis, index);
    fprintf(out->file, "  %2zu  %s%s%s  (advice)\n", index + 1, xs_style_on(out, XS_STYLE_HEADING), name.data,
            xs_style_off(out, XS_STYLE_HEADING));
    print_where(diagnosis->findings, diagnosis->items[index].finding, false, out);
}

bool xs_report_shows_cause(const struct xs_report *report, size_t index) {
    const struct xs_cause *cause = &report->diagnosis->causes[index];
    return cause->saves.most_ns && (report->details || (index < XS_FINDINGS_SHOWN && !cause->folded));
}

static int name_columns(const struct xs_report *report) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    size_t columns = 0;
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        XS_SCOPED_STRING name = {0};
        if (!report->details && !xs_report_shows_cause(report, i))
            continue;
        xs_finding_name(&name, diagnosis, diagnosis->causes[i].findings[0]);
        columns = name.length > columns ? name.length : columns;
    }
    return (int)columns;
}

void xs_report_say_rest(struct xs_string *text, const struct xs_report *report) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    size_t causes = 0, advice = 0;
    uint64_t ns = 0;
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        if (xs_report_shows_cause(report, i) || !diagnosis->causes[i].saves.most_ns)
            continue;
        causes++;
        ns = xs_sum(ns, diagnosis->causes[i].saves.most_ns);
    }
    for (size_t i = 0; i < diagnosis->count && !report->details; i++)
        advice += diagnosis->items[i].finding->advice;
    xs_say_other_causes(text, causes, ns, advice);
}

static void rest_line(const struct xs_report *report, struct xs_out *out) {
    XS_SCOPED_STRING text = {0};
    xs_report_say_rest(&text, report);
    XS_SCOPED char *word = xs_text_shell_word(report->summary->trace->path);
    if (text.length)
        xs_out_line(out, XS_STYLE_DIM, "%s: xferspy explain %s", text.data, word);
}

static void nothing_line(const struct xs_findings *findings, const struct xs_content_coverage *contents, size_t folded,
                         bool advice, struct xs_out *out) {
    bool is_unsure = contents->migration_rests || xs_content_coverage_none(contents) != XS_CONTENTS_KNOWN;
    uint64_t undecided = 0;
    for (size_t i = 0; i < findings->undecided_count; i++)
        undecided = xs_sum(undecided, findings->undecided[i].count);
    if (findings->selection && !folded && !advice)
        xs_out_line(out, XS_STYLE_PLAIN, XS_NONE_PASSES);
    else if (folded)
        xs_out_line(out, XS_STYLE_PLAIN, "None that would save %s or more.", XS_NS_TEXT(findings->floor_ns));
    else if (advice && !is_unsure)
        xs_out_line(out, XS_STYLE_PLAIN, XS_NONE_GIVES_TIME);
    else if (undecided && !is_unsure)
        xs_out_line(out, XS_STYLE_PLAIN, XS_NO_FINDINGS " Undecided: %s, see Coverage.", XS_COUNT_TEXT(undecided));
    else
        xs_out_line(out, XS_STYLE_PLAIN, is_unsure ? "No findings among what was checked." : XS_NO_FINDINGS);
}

void xs_report_text_findings(const struct xs_report *report, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    const struct xs_content_coverage *contents = &report->contents;
    size_t shown = 0, advice = 0;
    int columns = name_columns(report);
    xs_out_heading(out, "Causes");
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        if (!xs_report_shows_cause(report, i))
            continue;
        print_cause(report, i, columns, out);
        shown++;
    }
    for (size_t i = 0; i < diagnosis->count; i++)
        advice += diagnosis->items[i].finding->advice;
    if (!shown)
        nothing_line(diagnosis->findings, contents, diagnosis->cause_count, advice > 0, out);
    else
        xs_findings_total_line(diagnosis, out);
    const struct xs_tried_item *together = report->tried ? xs_tried_of(report->tried, diagnosis, SIZE_MAX) : NULL;
    struct xs_string text = {0};
    if (together)
        xs_tried_say(&text, together);
    print_text(&text, out);
    for (size_t i = 0; i < diagnosis->count && report->details; i++)
        if (diagnosis->items[i].finding->advice)
            print_advice(diagnosis, i, out);
    rest_line(report, out);
    xs_findings_unknown_lines(diagnosis, contents, out);
}

bool xs_report_can_try(const struct xs_report *report) {
    const struct xs_run *run = &report->summary->run;
    bool can = !report->summary->trace->is_live && !*run->importer && run->world_size <= 1 &&
               !xs_repaired_any(&report->summary->repaired);
    return can && report->tried && !report->tried->count && !report->diagnosis->findings->selection &&
           xs_try_is_worth(report->diagnosis, report->summary->trace);
}

void xs_report_text_next(const struct xs_report *report, struct xs_out *out) {
    if (!xs_report_can_try(report))
        return;
    XS_SCOPED char *word = xs_text_shell_word(report->summary->trace->path);
    putc('\n', out->file);
    xs_out_line(out, XS_STYLE_PLAIN, "To measure what the repairs gain on the unchanged program: xferspy try %s", word);
}
