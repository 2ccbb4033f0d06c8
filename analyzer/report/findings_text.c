/* The first section of a report: what was found, ranked by what it gives back, one screen at most. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/units.h"
#include "analyzer/engine/detector.h"
#include "analyzer/findings/findings_words.h"
#include "analyzer/findings/place.h"
#include "analyzer/findings/sentences.h"
#include "analyzer/report/report_internal.h"

enum { INDENT = 6 };

/* What and where: one line, or, where the user's own line is known, that in a line of its own, and its text below. */
static void print_where(const struct xs_findings *findings, const struct xs_finding *f, struct xs_out *out) {
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    struct xs_string amount = {0}, place = {0};
    xs_finding_amount(&amount, f);
    xs_place_of_site(&place, findings, f->site);
    xs_out_indented(out, INDENT, "%s: %s%s%s", xs_detectors[f->detector]->title, amount.data, frame ? "" : ", ",
                    frame ? "" : place.data);
    if (frame) {
        xs_out_indented(out, INDENT, "%s", place.data);
        char *line = xs_place_source(findings->sites, frame);
        xs_place_source_line(line, frame, INDENT + 2, out);
        free(line);
    }
    xs_string_free(&amount);
    xs_string_free(&place);
}

/* The name, which `explain` takes, and what there is to gain; then what and where; then the cost and what to do. */
static void print_finding(const struct xs_findings *findings, size_t index, int name_columns, struct xs_out *out) {
    const struct xs_finding *f = &findings->items[index];
    const struct xs_detector *d = xs_detectors[f->detector];
    struct xs_string name = {0}, gain = {0}, cost = {0};
    xs_finding_name(&name, findings, index);
    xs_finding_gain(&gain, findings, f);
    xs_finding_cost(&cost, f);
    bool narrow = out->columns && INDENT + name_columns + 2 + (int)gain.length > out->columns;
    fprintf(out->file, "  %2zu  %s%s%s%*s%s\n", index + 1, xs_style_on(out, XS_STYLE_HEADING), name.data,
            xs_style_off(out, XS_STYLE_HEADING), narrow ? 0 : name_columns - (int)name.length + 2, "",
            narrow || !gain.data ? "" : gain.data);
    if (narrow)
        xs_out_indented(out, INDENT, "%s", gain.data);
    print_where(findings, f, out);
    xs_out_indented(out, INDENT, "%s%s%s", cost.data ? cost.data : "", cost.data ? ". " : "",
                    xs_detector_remedy(d, f->verdict));
    xs_string_free(&name);
    xs_string_free(&gain);
    xs_string_free(&cost);
}

static void print_advice(const struct xs_findings *findings, size_t index, struct xs_out *out) {
    struct xs_string name = {0};
    xs_finding_name(&name, findings, index);
    fprintf(out->file, "  %2zu  %s%s%s  (advice)\n", index + 1, xs_style_on(out, XS_STYLE_HEADING), name.data,
            xs_style_off(out, XS_STYLE_HEADING));
    print_where(findings, &findings->items[index], out);
    xs_string_free(&name);
}

static int name_columns(const struct xs_findings *findings, size_t shown, bool folded_too) {
    size_t columns = 0;
    for (size_t i = 0, seen = 0; i < findings->count && seen < shown; i++) {
        struct xs_string name = {0};
        if ((findings->items[i].folded && !folded_too) || findings->items[i].advice)
            continue;
        xs_finding_name(&name, findings, i);
        columns = name.length > columns ? name.length : columns;
        xs_string_free(&name);
        seen++;
    }
    return (int)columns;
}

/* How many there are that were not shown at length. */
struct rest {
    size_t more, folded, advice;
};

static void rest_line(const struct rest *rest, const char *path, struct xs_out *out) {
    struct xs_string text = {0};
    xs_say_rest(&text, rest->more, rest->folded, rest->advice);
    if (text.length)
        xs_out_line(out, XS_STYLE_DIM, "%s: xferspy explain %s", text.data, path);
    xs_string_free(&text);
}

static void nothing_line(const struct xs_findings *findings, const struct xs_content_coverage *contents, size_t folded,
                         bool advice, struct xs_out *out) {
    char floor[XS_UNIT_BYTES], count[XS_UNIT_BYTES], why[256];
    uint64_t undecided = 0;
    for (size_t i = 0; i < findings->undecided_count; i++)
        undecided = xs_sum(undecided, findings->undecided[i].count);
    xs_content_coverage_why_none(contents, why, sizeof why);
    if (findings->selection && !folded && !advice)
        xs_out_line(out, XS_STYLE_PLAIN, XS_NONE_PASSES);
    else if (folded)
        xs_out_line(out, XS_STYLE_PLAIN, XS_NONE_GIVES("%s or more."), xs_format_ns(floor, findings->floor_ns));
    else if (advice && !*why && !contents->migration_rests)
        xs_out_line(out, XS_STYLE_PLAIN, XS_NONE_GIVES_TIME);
    else if (undecided && !*why && !contents->migration_rests)
        xs_out_line(out, XS_STYLE_PLAIN, XS_NO_FINDINGS " Undecided: %s, see Coverage.",
                    xs_format_count(count, undecided));
    else
        xs_out_line(out, XS_STYLE_PLAIN,
                    *why || contents->migration_rests ? "No findings among what was checked." : XS_NO_FINDINGS);
}

void xs_report_text_findings(const struct xs_findings *findings, const struct xs_content_coverage *contents,
                             const char *path, bool all, struct xs_out *out) {
    struct rest rest = {0};
    size_t limit = all ? SIZE_MAX : XS_FINDINGS_SHOWN, shown = 0, advice = 0;
    int columns = name_columns(findings, limit, all);
    xs_out_heading(out, "Findings");
    for (size_t i = 0; i < findings->count; i++) {
        const struct xs_finding *f = &findings->items[i];
        if (f->advice) {
            advice++;
        } else if (f->folded && !all) {
            rest.folded++;
        } else if (shown >= limit) {
            rest.more++;
        } else {
            print_finding(findings, i, columns, out);
            shown++;
        }
    }
    if (!shown)
        nothing_line(findings, contents, rest.folded, advice > 0, out);
    else
        xs_findings_total_line(findings, out);
    for (size_t i = 0, seen = 0; i < findings->count && advice; i++)
        if (findings->items[i].advice && (seen++ < XS_ADVICE_SHOWN || all))
            print_advice(findings, i, out);
    rest.advice = advice > XS_ADVICE_SHOWN && !all ? advice - XS_ADVICE_SHOWN : 0;
    rest_line(&rest, path, out);
    xs_findings_unknown_lines(contents, out);
}
