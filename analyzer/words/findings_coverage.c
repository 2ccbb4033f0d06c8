/* Prints the data that the findings are based on, for the section Coverage: contents, arguments of launches, undecided
 * cases, the link. */
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/saving_words.h"
#include "analyzer/words/unchecked.h"

enum { REASONS_SHOWN = 3, SKIPS_SHOWN = 3 };

/* Adds the most frequent reasons, and "and others" for the rest. */
static void skip_reasons(struct xs_string *text, const struct xs_content_coverage *c) {
    bool used[XS_SKIP_COUNT] = {false};
    for (int n = 0; n < SKIPS_SHOWN + 1; n++) {
        int most = -1;
        for (int i = 0; i < XS_SKIP_COUNT; i++)
            if (!used[i] && c->skipped[i] && (most < 0 || c->skipped[i] > c->skipped[most]))
                most = i;
        if (most < 0)
            return;
        if (n == SKIPS_SHOWN) {
            xs_string_format(text, ", and others");
            return;
        }
        used[most] = true;
        xs_string_format(text, "%s%s (%s)", n ? ", " : "", XS_COUNT_TEXT(c->skipped[most]),
                         most ? xs_skip_names[most] : "for no known reason");
    }
}

static void contents_line(const struct xs_content_coverage *c, struct xs_out *out) {
    XS_SCOPED_STRING reasons = {0};
    if (!c->taken) /* the section of findings says so, and what to do */
        return;
    skip_reasons(&reasons, c);
    if (c->lost)
        xs_string_format(&reasons, "%s%s (just before the end of the trace)", reasons.length ? ", " : "",
                         XS_COUNT_TEXT(c->lost));
    xs_out_line(out, XS_STYLE_PLAIN, "The contents of %s of %s uploads and downloads are known.%s%s%s",
                XS_COUNT_TEXT(c->taken), XS_COUNT_TEXT(c->eligible), reasons.length ? " Not known: " : "",
                reasons.length ? reasons.data : "", reasons.length ? "." : "");
}

static void launches_line(const struct xs_content_coverage *c, struct xs_out *out) {
    if (!c->kernels_unseen && !c->graphs)
        return;
    XS_SCOPED_STRING text = {0};
    if (c->kernels_unseen)
        xs_string_format(&text, "of %s of %s kernel launches", XS_COUNT_TEXT(c->kernels_unseen),
                         XS_COUNT_TEXT(c->kernels));
    if (c->graphs)
        xs_string_format(&text, "%sof %s graph launch%s", text.length ? " and " : "", XS_COUNT_TEXT(c->graphs),
                         c->graphs > 1 ? "es" : "");
    xs_out_line(out, XS_STYLE_PLAIN,
                "xferspy did not see the arguments %s, so it does not know which memory they used.", text.data);
}

static uint64_t total_of_reason(const struct xs_findings *findings, size_t first) {
    uint64_t total = 0;
    for (size_t i = 0; i < findings->undecided_count; i++)
        if (!strcmp(findings->undecided[i].reason, findings->undecided[first].reason))
            total = xs_sum(total, findings->undecided[i].count);
    return total;
}

/* Returns the next reason after `last`, sorted by falling total, then by row; -1: there is none. */
static long next_reason(const struct xs_findings *findings, long last) {
    uint64_t last_total = last >= 0 ? total_of_reason(findings, (size_t)last) : 0, best_total = 0;
    long best = -1;
    for (size_t i = 0; i < findings->undecided_count; i++) {
        bool repeated = false;
        for (size_t k = 0; k < i && !repeated; k++)
            repeated = !strcmp(findings->undecided[k].reason, findings->undecided[i].reason);
        uint64_t total = total_of_reason(findings, i);
        if (repeated || (last >= 0 && (total > last_total || (total == last_total && (long)i <= last))))
            continue;
        if (total > best_total) {
            best = (long)i;
            best_total = total;
        }
    }
    return best;
}

/* Prints a line per reason, the most frequent first. One transfer without content leaves several findings undecided. */
static void undecided_lines(const struct xs_findings *findings, const struct xs_content_coverage *c,
                            struct xs_out *out) {
    int shown = 0;
    if (findings->undecided_count && c->eligible && !c->taken) {
        xs_out_line(out, XS_STYLE_PLAIN,
                    "Undecided: all cases about contents; xferspy explain --undecided counts them.");
        return;
    }
    for (long at = next_reason(findings, -1); at >= 0; at = next_reason(findings, at)) {
        const char *reason = findings->undecided[at].reason;
        XS_SCOPED_STRING text = {0};
        if (shown++ == REASONS_SHOWN) {
            xs_out_line(out, XS_STYLE_PLAIN,
                        "Undecided for other reasons: xferspy explain --undecided lists the cases.");
            return;
        }
        for (size_t i = 0; i < findings->undecided_count; i++)
            if (!strcmp(findings->undecided[i].reason, reason))
                xs_string_format(&text, "%s%s of %s", text.length ? ", " : "",
                                 XS_COUNT_TEXT(findings->undecided[i].count),
                                 xs_detectors[findings->undecided[i].detector]->id);
        xs_out_line(out, XS_STYLE_PLAIN, "Undecided cases: %s. The reason: %s.", text.data, reason);
    }
}

/* True if an assumed line of the link model is worth printing: findings may be based on it, because the direction has
 * copies of the other kind. */
static bool link_line_matters(const struct xs_link_model *link, enum xs_link_class class) {
    const struct xs_link_line *line = &link->lines[class];
    if (!line->known || class == XS_LINK_D2D || class == XS_LINK_MEMSET)
        return false;
    return !line->assumed || (class == XS_LINK_H2D_PINNED && link->lines[XS_LINK_H2D_PAGEABLE].known) ||
           (class == XS_LINK_D2H_PINNED && link->lines[XS_LINK_D2H_PAGEABLE].known);
}

static uint64_t to_count(double value) { return value > 0 && value < 1e18 ? (uint64_t)(value + 0.5) : 0; }

/* Adds "takes 2.10 us, then runs at 55.2 GB/s", or "runs at 55.2 GB/s" if there is no fixed part. */
static void link_formula(struct xs_string *text, const struct xs_link_line *line) {
    uint64_t fixed_ns = to_count(line->a_ns), per_gb_ns = to_count(line->b_ns_per_byte * 1e9);
    if (fixed_ns || !per_gb_ns)
        xs_string_format(text, "takes %s, %s", XS_NS_TEXT(fixed_ns), per_gb_ns ? "then " : "whatever its size");
    if (per_gb_ns)
        xs_string_format(text, "runs at %s", XS_RATE_TEXT(1000000000, per_gb_ns));
}

void xs_findings_link_lines(const struct xs_link_model *link, struct xs_out *out) {
    static const char *const labels[] = {[XS_LINK_H2D_PAGEABLE] = "an H2D copy from pageable memory",
                                         [XS_LINK_H2D_PINNED] = "an H2D copy from pinned memory",
                                         [XS_LINK_D2H_PAGEABLE] = "a D2H copy into pageable memory",
                                         [XS_LINK_D2H_PINNED] = "a D2H copy into pinned memory"};
    for (unsigned i = 0; i < sizeof labels / sizeof *labels; i++) {
        const struct xs_link_line *line = &link->lines[i];
        const char *one = link->from_host_times ? "blocking call" : "copy";
        const char *many = link->from_host_times ? "blocking calls" : "copies";
        XS_SCOPED_STRING formula = {0};
        if (!link_line_matters(link, (enum xs_link_class)i))
            continue;
        link_formula(&formula, line);
        if (line->assumed)
            xs_out_line(out, XS_STYLE_PLAIN, "Cost model: %s %s (an assumption: the trace has no such copies)",
                        labels[i], formula.data);
        else
            xs_out_line(out, XS_STYLE_PLAIN, "Cost model: %s %s (fitted to %s %s%s)", labels[i], formula.data,
                        XS_COUNT_TEXT(line->samples), line->samples == 1 ? one : many,
                        line->rate_assumed ? "; the rate is an assumption" : "");
    }
}

/* Prints why some call sites have no line: the first reason, and how many more there are. */
static void call_site_lines(const struct xs_sites *sites, struct xs_out *out) {
    size_t count = 0;
    if (!sites || !sites->callsites)
        return;
    while (xs_callsites_note(sites->callsites, count))
        count++;
    for (size_t i = 0; i < count && (!i || count == 2); i++)
        xs_out_line(out, XS_STYLE_WARN, "Call sites: %s.", xs_callsites_note(sites->callsites, i));
    if (count > 2)
        xs_out_line(out, XS_STYLE_WARN, "Call sites: %zu more such notes; --json has them.", count - 1);
}

uint64_t xs_native_places(const struct xs_sites *sites, uint64_t *without_line) {
    uint64_t native = 0;
    *without_line = 0;
    for (uint32_t i = 0; sites && sites->callsites && i < sites->place_count; i++) {
        const struct xs_frame *frame = xs_callsites_place_frame(sites->callsites, i + 1);
        bool own = frame && !frame->python && !frame->library && frame->module;
        native += own;
        *without_line += own && !frame->line;
    }
    return native;
}

/* Prints what to do if most places in native code have no line. */
static void lines_hint(const struct xs_sites *sites, struct xs_out *out) {
    uint64_t missing, native = xs_native_places(sites, &missing);
    if (missing && missing * 2 > native)
        xs_out_line(
            out, XS_STYLE_WARN,
            "%s of %s places in native code have no line: build with -g, or say with --debug-path where the binaries "
            "and debug information are.",
            XS_COUNT_TEXT(missing), XS_COUNT_TEXT(native));
}

void xs_findings_coverage(const struct xs_findings *findings, const struct xs_content_coverage *contents,
                          struct xs_out *out) {
    contents_line(contents, out);
    launches_line(contents, out);
    call_site_lines(findings->sites, out);
    lines_hint(findings->sites, out);
    undecided_lines(findings, contents, out);
    xs_findings_link_lines(&findings->link, out);
}

void xs_findings_total_line(const struct xs_diagnosis *diagnosis, struct xs_out *out) {
    struct xs_string text = {0};
    xs_say_total_of_run(&text, diagnosis);
    xs_out_take_line(out, XS_STYLE_GOOD, &text);
    xs_say_bounds(&text, diagnosis);
    xs_out_take_line(out, XS_STYLE_WARN, &text);
}

void xs_findings_unknown_lines(const struct xs_diagnosis *diagnosis, const struct xs_content_coverage *contents,
                               struct xs_out *out) {
    struct xs_string text = {0};
    xs_content_coverage_why_none(&text, contents);
    xs_out_take_line(out, XS_STYLE_WARN, &text);
    xs_say_unchecked(&text, diagnosis);
    xs_out_take_line(out, XS_STYLE_WARN, &text);
    xs_content_coverage_migrations(&text, contents);
    xs_out_take_line(out, XS_STYLE_WARN, &text);
}
