/* Says a report in one sentence: how much was wasted, and where to begin. */
#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/commands/report/report.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/recorded_parts_words.h"
#include "analyzer/words/saving_words.h"

#define NAME(id, name) name,
const char *const xs_report_section_names[] = {XS_REPORT_SECTIONS(NAME) NULL};
#undef NAME

unsigned xs_report_sections(const struct xs_report *report) {
    if (report->sections)
        return report->sections;
    return (report->diagnosis->findings->selection ? XS_SECTIONS_FILTERED : XS_SECTIONS_WHOLE) |
           (report->details ? XS_SECTIONS_DETAILS : 0);
}

static void amount(struct xs_string *text, const struct xs_diagnosis *diagnosis) {
    uint64_t wasted = diagnosis->together.most_ns;
    xs_string_format(text, "%s%s", xs_saving_is_interval(&diagnosis->together) ? XS_UP_TO : "", XS_NS_TEXT(wasted));
    xs_say_of_run(text, " of the run's ", wasted, &diagnosis->findings->recorded);
}

/* Adds the first finding's line, or a substitute. Stores the position of its name. */
static void begin_with(struct xs_string *text, const struct xs_diagnosis *diagnosis, bool one, bool with_place,
                       struct xs_part *name) {
    const struct xs_frame *frame = xs_site_frame(diagnosis->findings, diagnosis->items[0].finding->site);
    xs_string_format(text, "%s", one ? ": " : "; start with number 1, ");
    name->begin = text->length;
    xs_finding_name(text, diagnosis, 0);
    name->end = text->length;
    if (with_place && frame && frame->file) {
        xs_string_add(text, ", at ", 5);
        xs_place_line(text, frame, diagnosis->findings->sites->cwd);
    }
}

/* Adds a clause to those that the text has from `begin` on. */
static void add_clause(struct xs_string *text, size_t begin, const char *clause) {
    xs_string_format(text, "%s%s", text->length > begin ? "; " : "", clause);
}

/* Adds migrations: how many pages moved, and how long kernels and the host waited for them. */
static void say_migrations(struct xs_string *text, const struct xs_summary *s) {
#define NUMBER(n, id, name) XS_MIGRATION_##id = n,
    enum { XS_MIGRATION_KINDS(NUMBER) };
#undef NUMBER
    static const unsigned ways[] = {XS_MIGRATION_HTOD, XS_MIGRATION_DTOH, XS_MIGRATION_DTOD};
    static const unsigned faults[] = {XS_MIGRATION_CPU_FAULT, XS_MIGRATION_GPU_FAULT};
    uint64_t moved_ns = 0, moved = 0, faulted = 0;
    size_t begin = text->length;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        moved_ns = xs_sum(moved_ns, s->migrations[ways[i]].ns);
        moved += s->migrations[ways[i]].count;
    }
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        faulted += s->migrations[faults[i]].count;
    if (moved) {
        xs_string_format(text, "pages of managed memory moved for %s", XS_NS_TEXT(moved_ns));
        xs_say_of_run(text, " of ", moved_ns, &s->totals);
    }
    if (faulted)
        xs_string_format(text, "%s%s%s fault%s", moved ? ", with " : "", moved ? "" : "managed memory had ",
                         XS_COUNT_TEXT(faulted), faulted == 1 ? "" : "s");
    if (text->length > begin && s->coverage.migration_rests)
        xs_string_format(text, ", and not all was recorded");
}

/* Adds what may have cost time but is in no finding. */
static void say_unseen(struct xs_string *text, const struct xs_report *report) {
    const struct xs_summary *s = report->summary;
    const struct xs_content_coverage *c = &report->contents;
    size_t begin = text->length;
    if (s->failures.count)
        add_clause(text, begin, "CUDA calls fail");
    if (xs_repaired_any(&s->repaired))
        add_clause(text, begin, "the run was repaired while it was recorded");
    if (s->looked_at.has_gaps) {
        add_clause(text, begin, "");
        xs_looked_at_say_briefly(s, text);
    }
    XS_SCOPED_STRING migrations = {0};
    say_migrations(&migrations, s);
    if (migrations.length)
        add_clause(text, begin, migrations.data);
    if (s->given_pinned)
        add_clause(text, begin, "kernels read host memory directly, which xferspy does not see");
    else if (s->given_managed && text->length == begin)
        add_clause(text, begin, "kernels were given managed memory, whose page moves xferspy does not see");
    if (!c->eligible || c->taken >= c->eligible)
        return;
    add_clause(text, begin, c->taken ? "" : "contents were not compared");
    if (c->taken)
        xs_string_format(text, "the contents of %s of %s copies were compared", XS_COUNT_TEXT(c->taken),
                         XS_COUNT_TEXT(c->eligible));
}

/* Adds that nothing was found, or why that is not known. */
static void say_nothing(struct xs_string *text, const struct xs_report *report) {
    const struct xs_findings *f = report->diagnosis->findings;
    XS_SCOPED_STRING unseen = {0};
    say_unseen(&unseen, report);
    if (f->selection)
        xs_string_format(text, "nothing that passes the filter");
    else if (report->summary->looked_at.has_gaps && !report->summary->looked_at.parts)
        xs_string_format(text, "not known: %s", unseen.data);
    else if (unseen.length)
        xs_string_format(text, "not known in full: %s", unseen.data);
    else
        xs_string_format(text, "%s", f->transfers ? "nothing was found" : "nothing: no transfer ran");
}

void xs_report_headline(struct xs_string *text, const struct xs_report *report, bool with_place, struct xs_part *name) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    struct xs_part unused;
    size_t causes = 0, large = 0;
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        causes += diagnosis->causes[i].saves.most_ns > 0;
        large += diagnosis->causes[i].saves.most_ns && !diagnosis->items[diagnosis->causes[i].findings[0]].folded;
    }
    if (!causes) {
        say_nothing(text, report);
        return;
    }
    if (!large) {
        size_t begin = text->length;
        XS_SCOPED_STRING unseen = {0};
        say_unseen(&unseen, report);
        xs_string_format(text, "little%s: %zu cause%s of less than %s each", unseen.length ? " of what is known" : "",
                         causes, causes > 1 ? "s" : "", XS_NS_TEXT(diagnosis->findings->floor_ns));
        if (unseen.length)
            add_clause(text, begin, unseen.data);
        return;
    }
    xs_string_format(text, "%s", with_place ? "" : "saves ");
    amount(text, diagnosis);
    xs_string_format(text, ", by %zu cause%s", causes, causes > 1 ? "s" : "");
    begin_with(text, diagnosis, causes == 1, with_place, name ? name : &unused);
    if (xs_content_coverage_none(&report->contents) != XS_CONTENTS_KNOWN)
        xs_string_format(text, " (contents were not compared)");
    if (xs_repaired_any(&report->summary->repaired))
        xs_string_format(text, " (counting calls that repairs left out or changed)");
}
