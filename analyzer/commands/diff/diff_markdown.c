/* Prints a diff in Markdown, for a pull request. All text of traces is escaped, so that it cannot be markup. */
#include <string.h>

#include "analyzer/base/markdown.h"
#include "analyzer/commands/diff/diff_words.h"
#include "analyzer/words/saving_words.h"

enum { FINDINGS_SHOWN = 10, SITES_SHOWN = 10 };

/* Prints text: markup, table borders, links, mentions and references become plain characters. Hosts look for mentions
 * and references in the rendered text, which no longer has the escapes; a zero-width space is therefore written after
 * such a sign. The text has no control characters, because it was escaped before. */
static void put(struct xs_out *out, const char *text) {
    for (const char *start = text; text && *text; text++) {
        bool link =
            (*text == ':' && text[1] == '/') || (*text == '.' && text - start >= 3 && !strncmp(text - 3, "www", 3));
        if (link || strchr("<&@$", *text))
            fprintf(out->file, "&#%d;", *text);
        else if (strchr("\\`*_[]|~#!", *text))
            fprintf(out->file, "\\%c", *text);
        else
            putc(*text, out->file);
        if (*text == '@' || (*text == '#' && text[1] >= '0' && text[1] <= '9'))
            fputs("&#8203;", out->file);
    }
}

/* Prints names of code as code, in which hosts see no markup. */
static void put_code(struct xs_out *out, const char *text) {
    XS_SCOPED_STRING code = {0};
    xs_markdown_code(&code, text);
    fputs(code.data, out->file);
}

static void put_values(struct xs_out *out, const struct xs_diff *c, const struct xs_change *change,
                       enum xs_measure measure, bool finding) {
    const struct xs_difference *d = &change->of[measure];
    XS_SCOPED_STRING text = {0};
    if (!d->before.median && !d->after.median && d->before.known && d->after.known)
        return;
    if (finding)
        xs_diff_amounts(&text, c, change, measure);
    else
        xs_diff_values(&text, xs_diff_unit(measure), d);
    put(out, text.data);
}

static void print_metrics(const struct xs_diff *c, bool all, struct xs_out *out) {
    fprintf(out->file, "\n| Run | Before | After | Change |\n|---|---:|---:|---:|\n");
    for (int m = 0; m < XS_METRICS; m++) {
        const struct xs_difference *d = &c->metrics[m];
        XS_SCOPED_STRING before = {0}, after = {0}, percent = {0};
        if (m != XS_METRIC_WALL_TIME && !all && d->before.median == d->after.median)
            continue;
        xs_diff_value(&before, xs_metric_infos[m].unit, &d->before);
        xs_diff_value(&after, xs_metric_infos[m].unit, &d->after);
        xs_diff_percent(&percent, d);
        fprintf(out->file, "| %s | %s | %s | ", xs_metric_infos[m].title, before.data, after.data);
        put(out, percent.data);
        const char *doubt = percent.length ? xs_diff_doubt(c, (enum xs_metric)m) : NULL;
        fprintf(out->file, doubt ? " (%s) |\n" : "%s |\n", doubt ? doubt : "");
    }
}

static void print_change(const struct xs_diff *c, const struct xs_change *change, bool finding, struct xs_out *out) {
    static const enum xs_measure shown[] = {XS_MEASURE_COUNT, XS_MEASURE_BYTES, XS_MEASURE_DEVICE_NS,
                                            XS_MEASURE_EXPOSED_NS, XS_MEASURE_SAVES_NS};
    uint32_t before = change->before, after = change->after;
    XS_SCOPED_STRING kind = {0}, name = {0}, place = {0}, moved = {0};
    if (finding) {
        xs_diff_finding_kind(&name, c, change);
        xs_diff_finding_places(c, change, &before, &after);
    }
    xs_diff_place(&place, c, before, after);
    xs_diff_moved(&moved, c, before, after);
    xs_diff_kind_before(&kind, change, XS_MEASURE_COUNT);
    fprintf(out->file, "| %s | ", strchr(kind.data, ' ') + 1);
    if (finding) {
        put(out, name.data);
        fprintf(out->file, " | ");
    }
    put_code(out, place.data);
    if (moved.length) {
        putc(' ', out->file);
        put_code(out, moved.data);
    }
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        fprintf(out->file, " | ");
        put_values(out, c, change, shown[i], finding);
    }
    fprintf(out->file, " |\n");
}

static void print_changes(const struct xs_diff *c, const struct xs_diff_view *view, bool findings, struct xs_out *out) {
    const struct xs_change *changes = findings ? c->findings : c->sites;
    size_t count = findings ? c->finding_count : c->site_count, shown = 0, left = 0;
    size_t limit = view->top ? view->top : view->all ? SIZE_MAX : findings ? FINDINGS_SHOWN : SITES_SHOWN;
    for (size_t i = 0; i < count; i++) {
        if ((!view->all && (changes[i].small || changes[i].kind == XS_UNCHANGED)) || shown >= limit) {
            left++;
            continue;
        }
        if (!shown++)
            fprintf(out->file,
                    "\n| %s | %sCall site | %s | Size | Device time | Exposed | Saves |\n|---|%s---|"
                    "---:|---:|---:|---:|---:|\n",
                    findings ? "Finding" : "Change", findings ? "What | " : "", findings ? "Times" : "Transfers",
                    findings ? "---|" : "");
        print_change(c, &changes[i], findings, out);
    }
    if (!shown)
        fprintf(out->file, "\nNo %s changed.\n", findings ? "finding" : "call site");
    if (left)
        fprintf(out->file, "\n%zu more %s%s small, unchanged or not shown.\n", left, findings ? "finding" : "call site",
                left == 1 ? " is" : "s are");
}

void xs_diff_markdown(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_out *out) {
    XS_SCOPED_STRING conclusion = {0}, spread = {0};
    struct xs_string simulated = {0}, own = {0}, gain = {0};
    xs_diff_conclusion(&conclusion, c);
    xs_diff_spread(&spread, c);
    fprintf(out->file, "**");
    put(out, conclusion.data);
    fprintf(out->file, "**\n\n");
    put(out, spread.data);
    fprintf(out->file, ".\n");
    xs_diff_own(&own, c);
    xs_diff_gain(&gain, c, true);
    xs_markdown_take(out, "\n", &own, ".\n");
    xs_markdown_take(out, "\n", &gain, "\n");
    if (c->before->simulated || c->after->simulated)
        xs_say_simulated(&simulated, NULL, "the times");
    xs_markdown_take(out, "\n**", &simulated, ".**\n");
    for (size_t i = 0; i < c->note_count; i++) {
        fprintf(out->file, "%s- ", i ? "" : "\n");
        XS_SCOPED char *note = xs_text_escaped(c->notes[i]);
        put(out, note);
        putc('\n', out->file);
    }
    print_metrics(c, view->all, out);
    print_changes(c, view, true, out);
    print_changes(c, view, false, out);
}
