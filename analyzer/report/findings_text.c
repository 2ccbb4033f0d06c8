/* The first section of a report: what was found, ranked by what it gives back, one screen at most. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/units.h"
#include "analyzer/engine/detector.h"
#include "analyzer/findings/findings_words.h"
#include "analyzer/findings/place.h"
#include "analyzer/trace/scan.h"

enum { SHOWN = 5, ADVICE_SHOWN = 2, INDENT = 6 };

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
        xs_place_source_line(findings->sites, frame, INDENT + 2, out);
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

void xs_findings_total_line(const struct xs_findings *findings, struct xs_out *out) {
    char ns[XS_UNIT_BYTES], run[XS_UNIT_BYTES], share[XS_UNIT_BYTES], bound[XS_UNIT_BYTES];
    if (findings->run_ns && findings->total.gives_back_ns > findings->run_ns) /* threads, devices, a wait for a copy */
        xs_out_line(out, XS_STYLE_GOOD,
                    "Removing all of these would give back up to %s, some of it at the same time: the run took %s.",
                    xs_format_ns(ns, findings->total.gives_back_ns), xs_format_ns(run, findings->run_ns));
    else if (findings->total.gives_back_ns && findings->run_ns)
        xs_out_line(out, XS_STYLE_GOOD, "Removing all of these would give back up to %s of %s (%s).",
                    xs_format_ns(ns, findings->total.gives_back_ns), xs_format_ns(run, findings->run_ns),
                    xs_format_share(share, findings->total.gives_back_ns, findings->run_ns));
    else if (findings->total.gives_back_ns)
        xs_out_line(out, XS_STYLE_GOOD, "Removing all of these would give back up to %s.",
                    xs_format_ns(ns, findings->total.gives_back_ns));
    if (findings->upper_bound_ns)
        xs_out_line(out, XS_STYLE_PLAIN, "%s at most %s by running copies and kernels side by side (upper bound).",
                    findings->total.gives_back_ns ? "Beside that" : "This would give back",
                    xs_format_ns(bound, findings->upper_bound_ns));
}

/* How many there are that were not shown at length. */
struct rest {
    size_t more, folded, advice;
};

static void rest_line(const struct rest *rest, const char *path, struct xs_out *out) {
    struct xs_string text = {0};
    if (rest->more)
        xs_string_format(&text, "%zu more finding%s", rest->more, rest->more > 1 ? "s" : "");
    if (rest->folded)
        xs_string_format(&text, "%s%zu smaller finding%s", text.length ? ", " : "", rest->folded,
                         rest->folded > 1 ? "s" : "");
    if (rest->advice)
        xs_string_format(&text, "%s%zu more of advice", text.length ? ", " : "", rest->advice);
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
        xs_out_line(out, XS_STYLE_PLAIN, "None that pass the filter.");
    else if (folded)
        xs_out_line(out, XS_STYLE_PLAIN, "None that would give back %s or more.",
                    xs_format_ns(floor, findings->floor_ns));
    else if (advice && !*why && !contents->migration_rests)
        xs_out_line(out, XS_STYLE_PLAIN, "None that would give time back.");
    else if (undecided && !*why && !contents->migration_rests)
        xs_out_line(out, XS_STYLE_PLAIN, "No findings. Undecided: %s, see Coverage.",
                    xs_format_count(count, undecided));
    else
        xs_out_line(out, XS_STYLE_PLAIN,
                    *why || contents->migration_rests ? "No findings among what was checked." : "No findings.");
}

void xs_findings_text(const struct xs_findings *findings, const struct xs_content_coverage *contents, const char *path,
                      bool all, struct xs_out *out) {
    struct rest rest = {0};
    size_t limit = all ? SIZE_MAX : SHOWN, shown = 0, advice = 0;
    int columns = name_columns(findings, limit, all);
    char why[256];
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
        if (findings->items[i].advice && (seen++ < ADVICE_SHOWN || all))
            print_advice(findings, i, out);
    rest.advice = advice > ADVICE_SHOWN && !all ? advice - ADVICE_SHOWN : 0;
    rest_line(&rest, path, out);
    xs_content_coverage_why_none(contents, why, sizeof why);
    if (*why)
        xs_out_line(out, XS_STYLE_WARN, "%s", why);
    xs_content_coverage_migrations(contents, why, sizeof why);
    if (*why)
        xs_out_line(out, XS_STYLE_WARN, "%s", why);
}
