/* A report in a sentence: what was wasted, and where to begin. */
#include <inttypes.h>
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/findings/findings_words.h"
#include "analyzer/findings/place.h"
#include "analyzer/findings/sentences.h"
#include "analyzer/report/report.h"

#define NAME(id, name) name,
const char *const xs_report_section_names[] = {XS_REPORT_SECTIONS(NAME) NULL};
#undef NAME

unsigned xs_report_sections(const struct xs_report *report) {
    if (report->sections)
        return report->sections;
    return (report->findings->selection ? XS_SECTIONS_FILTERED : XS_SECTIONS_WHOLE) |
           (report->details ? XS_SECTIONS_DETAILS : 0);
}

bool xs_report_is_without_coverage(unsigned sections) {
    return (sections & XS_SECTION_BIT(FINDINGS)) && !(sections & XS_SECTION_BIT(COVERAGE));
}

static void amount(struct xs_string *text, const struct xs_findings *f) {
    char ns[XS_UNIT_BYTES];
    uint64_t wasted = f->total.gives_back_ns;
    xs_string_format(text, "%s%s", xs_saving_is_range(&f->together) ? XS_UP_TO : "", xs_format_ns(ns, wasted));
    xs_say_of_run(text, " of the run's ", wasted, f->run_ns);
}

/* The first one's line, or what stands in its place. */
static void begin_with(struct xs_string *text, const struct xs_findings *findings, bool one, bool with_place) {
    const struct xs_frame *frame = xs_site_frame(findings, findings->items[0].site);
    xs_string_format(text, "%s", one ? ": " : "; start with number 1, ");
    xs_finding_name(text, findings, 0);
    if (with_place && frame && frame->file) {
        xs_string_add(text, ", at ", 5);
        xs_place_file(text, frame->file, findings->sites->cwd);
        if (frame->line)
            xs_string_format(text, ":%" PRIu32, frame->line);
    }
}

void xs_report_headline(struct xs_string *text, const struct xs_report *report, bool with_place) {
    const struct xs_findings *f = report->findings;
    char why[256], floor[XS_UNIT_BYTES];
    size_t causes = 0, large = 0;
    for (size_t i = 0; i < f->cause_count; i++) {
        causes += f->causes[i].saves.most_ns > 0;
        large += f->causes[i].saves.most_ns && !f->items[f->causes[i].findings[0]].folded;
    }
    xs_content_coverage_why_none(&report->contents, why, sizeof why);
    if (large) {
        xs_string_format(text, "%s", with_place ? "" : "saves ");
        amount(text, f);
        xs_string_format(text, ", by %zu cause%s", causes, causes > 1 ? "s" : "");
        begin_with(text, f, causes == 1, with_place);
    } else if (causes) {
        xs_string_format(text, "little: %zu cause%s of less than %s each", causes, causes > 1 ? "s" : "",
                         xs_format_ns(floor, f->floor_ns));
    } else if (!f->transfers) {
        xs_string_format(text, "nothing: no transfer ran");
    } else {
        xs_string_format(text, "%s", f->selection ? "nothing that passes the filter" : "nothing was found");
    }
    if (*why)
        xs_string_format(text, " (contents were not compared)");
}
