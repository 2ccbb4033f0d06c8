/* Prints `explain` for people: the list of findings. */
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/table.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/explain/explain.h"
#include "analyzer/totals/summary/repaired.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/saving_words.h"
#include "analyzer/words/unchecked.h"

/* True if there is room for a column. A name must not be cut, because the user types it, so on a narrow terminal other
 * columns are left out. */
static bool has_room(const struct xs_out *out, int columns) { return !out->columns || out->columns >= columns; }
enum { ROOM_FOR_CAUSE = 60, ROOM_FOR_SHARE = 90 /* this width also has room for the least saving */ };

/* The cause of a finding that is not the first finding of its cause. */
struct under {
    size_t cause; /* number of the cause, counted from 1; 0: there is none, or the finding is its first */
    bool is_offered;
};

/* Returns an array by finding. The caller frees it. */
static struct under *all_under(const struct xs_diagnosis *diagnosis) {
    struct under *under = xs_zeroed(diagnosis->count, sizeof *under);
    for (size_t i = 0; i < diagnosis->cause_count; i++) {
        const struct xs_cause *cause = &diagnosis->causes[i];
        unsigned repairs = 0;
        for (size_t k = 0; k < cause->count; k++) {
            bool is_offered = xs_cause_offers(diagnosis, cause, k, &repairs);
            if (k)
                under[cause->findings[k]] = (struct under){i + 1, is_offered};
        }
    }
    return under;
}

/* True if the replay found that the repair changes nothing. */
static bool saves_nothing(const struct xs_diagnosed *d) {
    return !d->finding->advice && d->saves.known && !d->saves.most_ns;
}

/* Words of the table that need an explanation. */
struct words {
    bool advice, instead_of, part_of;
};

static void list_row(const struct xs_diagnosis *diagnosis, size_t index, const struct under *under,
                     const struct xs_out *out, struct words *words, struct xs_table *table) {
    bool share = has_room(out, ROOM_FOR_SHARE);
    const struct xs_diagnosed *d = &diagnosis->items[index];
    const struct xs_finding *f = d->finding;
    const struct xs_amount amount = xs_finding_in_all(f);
    struct xs_string name = {0}, gain = {0}, count = {0}, place = {0}, instead = {0};
    xs_finding_name(&name, diagnosis, index);
    words->advice |= f->advice;
    if (f->advice)
        xs_string_format(&gain, "advice");
    else if (saves_nothing(d))
        xs_string_format(&gain, "nothing");
    else if (d->saves.known && share)
        xs_say_saving(&gain, &d->saves);
    else
        xs_string_format(&gain, "%s%s", xs_finding_at_most(d) ? XS_UP_TO : "", XS_NS_TEXT(d->saves.most_ns));
    if (d->folded || f->advice)
        xs_table_style_row(table, XS_STYLE_DIM);
    xs_table_format(table, "%zu", index + 1);
    xs_table_take(table, &name);
    xs_table_take(table, &gain);
    xs_table_cell(table, f->advice || saves_nothing(d) || !share
                             ? NULL
                             : XS_SHARE_TEXT(d->saves.most_ns, diagnosis->findings->recorded.ns));
    xs_say_count(&count, &amount);
    xs_table_take(table, &count);
    xs_table_cell(table, amount.bytes ? XS_BYTES_TEXT(amount.bytes) : NULL);
    xs_place_text(&place, diagnosis->findings->sites, xs_site_frame(diagnosis->findings, f->site));
    if (!place.length)
        xs_string_format(&place, "%s", xs_site_name(diagnosis->findings, f->site));
    xs_table_take(table, &place);
    if (under->cause && has_room(out, ROOM_FOR_CAUSE)) {
        /* the saving must not be added to the saving of the cause's first finding */
        xs_string_format(&instead, "%s %zu", under->is_offered ? "instead of" : "part of", under->cause);
        words->instead_of |= under->is_offered;
        words->part_of |= !under->is_offered;
    }
    xs_table_take(table, &instead);
}

static void explain_words(const struct words *words, struct xs_out *out) {
    XS_SCOPED_STRING text = {0};
    if (words->instead_of)
        xs_string_format(&text, "`instead of N': saves this if number N cannot be repaired");
    if (words->part_of)
        xs_string_format(&text, "%s`part of N': counted in what number N saves", text.length ? "; " : "");
    if (words->advice)
        xs_string_format(&text, "%s`advice': saves nothing by itself", text.length ? "; " : "");
    if (text.length)
        xs_out_line(out, XS_STYLE_DIM, "%s.", text.data);
}

void xs_explain_repaired(const struct xs_explain *explain, struct xs_out *out) {
    struct xs_repaired repaired;
    struct xs_string text = {0};
    xs_repaired_read(&repaired, explain->trace);
    xs_repaired_say(&text, &repaired);
    xs_out_take_line(out, XS_STYLE_WARN, &text);
}

void xs_explain_list(const struct xs_explain *explain, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = explain->diagnosis;
    const char *const headers[] = {"#",     "finding", "saves", xs_share_column(&diagnosis->findings->recorded),
                                   "count", "size",    "site",  ""};
    enum { SITE = 6 };
    uint64_t undecided = 0;
    XS_SCOPED_TABLE *table = xs_table_new(2);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        xs_table_column(table, headers[i], i != 1 && i < SITE);
        if (i > 3 && i <= SITE)
            xs_table_optional(table);
    }
    struct under *under = all_under(diagnosis);
    size_t nothing = 0;
    struct words words = {false, false, false};
    for (size_t i = 0; i < diagnosis->count; i++)
        if (saves_nothing(&diagnosis->items[i]) && !explain->all)
            nothing++;
        else
            list_row(diagnosis, i, &under[i], out, &words, table);
    free(under);
    if (diagnosis->count > nothing)
        xs_table_print(table, out);
    else
        xs_out_line(out, XS_STYLE_PLAIN, XS_NO_FINDINGS);
    explain_words(&words, out);
    xs_findings_total_line(diagnosis, out);
    if (nothing)
        xs_out_line(out, XS_STYLE_DIM, "%zu more whose repair saves nothing: --all lists %s, too.", nothing,
                    nothing > 1 ? "them" : "it");
    for (size_t i = 0; i < diagnosis->findings->undecided_count; i++)
        undecided = xs_sum(undecided, diagnosis->findings->undecided[i].count);
    struct xs_string why = {0};
    xs_content_coverage_why_none(&why, &explain->contents);
    if (undecided && !why.length)
        xs_out_line(out, XS_STYLE_PLAIN, "Undecided: %s; --undecided shows of what, and why.",
                    XS_COUNT_TEXT(undecided));
    xs_out_take_line(out, XS_STYLE_WARN, &why);
    xs_explain_repaired(explain, out);
    struct xs_string unchecked = {0};
    xs_say_unchecked(&unchecked, diagnosis);
    xs_out_take_line(out, XS_STYLE_WARN, &unchecked);
    XS_SCOPED char *word = xs_text_shell_word(explain->trace->path);
    if (diagnosis->count)
        xs_out_line(out, XS_STYLE_DIM, "The evidence for one: xferspy explain %s FINDING, by name or number.", word);
}
