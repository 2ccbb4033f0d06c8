/* Prints a diff as text, on one screen: first the conclusion, then what changed most. */

#include "analyzer/base/table.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/diff/diff_words.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/saving_words.h"

enum { FINDINGS_SHOWN = 5, SITES_SHOWN = 8, INDENT = 6, PATHS_SHOWN = 3, PATH_COLUMNS = 100 };

static void side_line(const struct xs_side *side, const char *label, struct xs_out *out) {
    char when[XS_UNIT_BYTES];
    struct xs_string text = {0};
    const struct xs_side_run *first = side->runs;
    for (size_t r = 0; r < side->run_count && r < PATHS_SHOWN; r++)
        xs_string_format(&text, "%s%.*s", r ? ", " : "", PATH_COLUMNS * 4, side->runs[r].path);
    if (side->run_count > PATHS_SHOWN)
        xs_string_format(&text, " and %zu more", side->run_count - PATHS_SHOWN);
    if (*first->command)
        xs_string_format(&text, ": %.*s", PATH_COLUMNS, first->command);
    if (*xs_format_unix_ns(when, first->start_unix_ns))
        xs_string_format(&text, ", %s", when);
    xs_out_take_fact(out, label, &text);
}

static void print_head(const struct xs_diff *c, struct xs_out *out) {
    XS_SCOPED_STRING conclusion = {0};
    struct xs_string spread = {0}, simulated = {0}, own = {0}, gain = {0};
    xs_diff_conclusion(&conclusion, c);
    xs_diff_spread(&spread, c);
    fprintf(out->file, "%s%s%s\n", xs_style_on(out, xs_diff_conclusion_style(c)), conclusion.data,
            xs_style_off(out, xs_diff_conclusion_style(c)));
    side_line(c->before, "before", out);
    side_line(c->after, "after", out);
    xs_out_take_fact(out, "runs", &spread);
    xs_diff_own(&own, c);
    xs_out_take_fact(out, "times", &own);
    xs_diff_gain(&gain, c, false);
    xs_out_take_fact(out, "gain", &gain);
    if (c->before->simulated || c->after->simulated)
        xs_say_simulated(&simulated, NULL, "times below");
    xs_out_take_line(out, XS_STYLE_BAD, &simulated);
    for (size_t i = 0; i < c->note_count; i++)
        xs_out_line(out, XS_STYLE_WARN, "! %s", c->notes[i]);
}

/* --- the run --- */

/* True if a metric gets a row. If everything has to fit on one screen, only metrics on which the conclusion is based
 * have a row. */
static bool is_worth_a_row(const struct xs_diff *c, int metric, bool all) {
    const struct xs_difference *d = &c->metrics[metric];
    if (all)
        return d->before.known || d->after.known;
    switch (metric) {
    case XS_METRIC_WALL_TIME:
        return true;
    case XS_METRIC_BARE_TIME:
        return xs_diff_time(c) == XS_METRIC_BARE_TIME;
    case XS_METRIC_SAVED_TIME:
    case XS_METRIC_TRANSFERS:
    case XS_METRIC_TRANSFER_BYTES:
    case XS_METRIC_KERNEL_TIME:
        return d->before.median != d->after.median;
    default:
        return metric == (int)c->conclusion.gone_by && d->before.median != d->after.median;
    }
}

static void print_run(const struct xs_diff *c, bool all, struct xs_out *out) {
    XS_SCOPED_TABLE *table = xs_table_new(2);
    xs_table_column(table, "run", false);
    xs_table_column(table, "before", true);
    xs_table_column(table, "after", true);
    xs_table_column(table, "change", true);
    xs_table_column(table, "", false);
    xs_table_optional(table);
    for (int m = 0; m < XS_METRICS; m++) {
        const struct xs_difference *d = &c->metrics[m];
        struct xs_string before = {0}, after = {0}, percent = {0};
        if (!is_worth_a_row(c, m, all))
            continue;
        xs_diff_value(&before, xs_metric_infos[m].unit, &d->before);
        xs_diff_value(&after, xs_metric_infos[m].unit, &d->after);
        xs_diff_percent(&percent, d);
        xs_table_cell(table, xs_metric_infos[m].title);
        xs_table_take(table, &before);
        xs_table_take(table, &after);
        xs_table_take(table, &percent);
        xs_table_cell(table, xs_diff_doubt(c, (enum xs_metric)m));
    }
    putc('\n', out->file);
    xs_table_print(table, out);
}

/* --- findings --- */

/* True if this measure is printed directly after the kind, because the finding grew or shrank by it. Its saving may
 * have changed in the other direction. */
static bool is_said_first(const struct xs_change *change, enum xs_measure measure) {
    return (change->kind == XS_GREW || change->kind == XS_SHRANK) && measure == change->decided_by &&
           (measure == XS_MEASURE_COUNT || measure == XS_MEASURE_BYTES);
}

static void amounts(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change) {
    static const struct {
        enum xs_measure measure;
        const char *words;
    } parts[] = {{XS_MEASURE_COUNT, ""},
                 {XS_MEASURE_BYTES, ""},
                 {XS_MEASURE_DEVICE_NS, " on the device"},
                 {XS_MEASURE_EXPOSED_NS, " exposed"}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const struct xs_difference *d = &change->of[parts[i].measure];
        XS_SCOPED_STRING value = {0};
        if ((!d->before.median && !d->after.median) || (!d->before.known && !d->after.known) ||
            is_said_first(change, parts[i].measure))
            continue;
        if (change->kind == XS_DISAPPEARED || (change->kind == XS_UNCHECKED && change->after == XS_UNMATCHED))
            xs_diff_amount(&value, c, change, parts[i].measure, false);
        else if (change->kind == XS_APPEARED || change->kind == XS_UNCHECKED)
            xs_diff_amount(&value, c, change, parts[i].measure, true);
        else
            xs_diff_amounts(&value, c, change, parts[i].measure);
        xs_string_format(text, "%s%s%s", text->length ? ", " : "", value.data, parts[i].words);
    }
}

/* Adds "up to 484 ms (6.05 ms or more)". */
static void add_saving(struct xs_string *text, const struct xs_spread *least, const struct xs_spread *most) {
    if (most->known)
        xs_saving_text(text, least->median, most->median);
    else
        xs_diff_value(text, XS_METRIC_NS, most);
}

/* Adds "predicted: saves up to 24.3 ms" for a finding that is gone, or "saves 24.3 ms -> 2.00 ms"; for one that may be
 * gone, only its saving in BEFORE. */
static void gain_of(struct xs_string *text, const struct xs_diff *c, const struct xs_change *change) {
    const struct xs_difference *d = &change->of[XS_MEASURE_SAVES_NS];
    const struct xs_side_finding *shown =
        change->before != XS_UNMATCHED ? &c->before->findings[change->before] : xs_diff_finding(c, change);
    const char *bound = shown->is_interval ? XS_UP_TO : "";
    if (is_said_first(change, change->decided_by)) {
        xs_diff_amounts(text, c, change, change->decided_by);
        xs_string_format(text, change->decided_by == XS_MEASURE_COUNT ? " times, " : ", ");
    }
    if (xs_diff_finding(c, change)->advice) {
        xs_string_format(text, "(advice)");
    } else if (change->after == XS_UNMATCHED) {
        xs_string_format(text, change->kind == XS_UNCHECKED ? "saves " : "predicted: saves ");
        add_saving(text, &change->least.before, &d->before);
    } else if (change->before == XS_UNMATCHED) {
        xs_string_format(text, "saves ");
        add_saving(text, &change->least.after, &d->after);
    } else {
        xs_string_format(text, "saves %s", bound);
        xs_diff_values(text, XS_METRIC_NS, d);
    }
}

static void print_finding(const struct xs_diff *c, const struct xs_change *change, struct xs_out *out) {
    XS_SCOPED_STRING name = {0}, worth = {0}, what = {0}, place = {0}, moved = {0};
    const struct xs_side_finding *finding = xs_diff_finding(c, change);
    enum xs_style style = xs_diff_kind_style(change->kind);
    uint32_t before, after;
    xs_diff_finding_places(c, change, &before, &after);
    xs_diff_finding_kind(&name, c, change);
    gain_of(&worth, c, change);
    amounts(&what, c, change);
    xs_diff_place(&place, c, before, after);
    xs_diff_moved(&moved, c, before, after);
    fprintf(out->file, "  %s%-11s%s %s%s%s  %s\n", xs_style_on(out, style), xs_diff_kind(change->kind),
            xs_style_off(out, style), xs_style_on(out, XS_STYLE_HEADING), name.data,
            xs_style_off(out, XS_STYLE_HEADING), worth.data);
    xs_out_indented(out, INDENT, "%s: %s", xs_detectors[finding->detector]->title, what.data ? what.data : "");
    xs_out_indented(out, INDENT, "%s%s%s%s%s", xs_place_at_before(place.data ? place.data : "?"),
                    place.data ? place.data : "?", moved.length ? " (" : "", moved.length ? moved.data : "",
                    moved.length ? ")" : "");
}

static bool is_shown(const struct xs_change *change, bool all) {
    return all || (!change->small && change->kind != XS_UNCHANGED);
}

struct rows {
    size_t shown;
    size_t more, small, same; /* number of rows left out because there are enough others, because they are small, or
                                 because they did not change */
};

/* Counts a row. Returns true if the row is shown. */
static bool take(struct rows *rows, const struct xs_change *change, bool all, size_t limit) {
    if (is_shown(change, all) && rows->shown < limit) {
        rows->shown++;
        return true;
    }
    *(change->kind == XS_UNCHANGED ? &rows->same : change->small ? &rows->small : &rows->more) += 1;
    return false;
}

/* Prints, in one line, how many rows are left out. */
static void print_rest(const struct rows *rows, struct xs_out *out) {
    XS_SCOPED_STRING text = {0};
    if (rows->more)
        xs_string_format(&text, "%zu that differ%s", rows->more, rows->more == 1 ? "s" : "");
    if (rows->small)
        xs_string_format(&text, "%s%zu small", text.length ? ", " : "", rows->small);
    if (rows->same)
        xs_string_format(&text, "%s%zu unchanged", text.length ? ", " : "", rows->same);
    if (text.length)
        xs_out_line(out, XS_STYLE_DIM, "Not shown: %s; --all shows them.", text.data);
}

static void print_findings(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_out *out) {
    size_t limit = view->top ? view->top : view->all ? SIZE_MAX : FINDINGS_SHOWN;
    struct rows rows = {0};
    xs_out_heading(out, "Findings");
    for (size_t i = 0; i < c->finding_count; i++) {
        const struct xs_change *change = &c->findings[i];
        if (take(&rows, change, view->all, limit))
            print_finding(c, change, out);
    }
    if (!c->finding_count)
        xs_out_line(out, XS_STYLE_PLAIN, "None on either side.");
    else if (!rows.shown)
        xs_out_line(out, XS_STYLE_PLAIN, XS_NONE_CHANGED);
    print_rest(&rows, out);
}

/* --- call sites --- */

static void add_site(struct xs_table *table, const struct xs_diff *c, const struct xs_change *change,
                     const bool *columns) {
    struct xs_string kind = {0}, place = {0}, moved = {0};
    xs_diff_place(&place, c, change->before, change->after);
    xs_diff_moved(&moved, c, change->before, change->after);
    xs_table_style_row(table, xs_diff_kind_style(change->kind));
    xs_diff_kind_before(&kind, change, XS_MEASURE_COUNT);
    xs_table_take(table, &kind);
    xs_table_take(table, &place);
    xs_table_take(table, &moved);
    for (int m = 0; m < XS_MEASURES; m++) {
        struct xs_string value = {0};
        const struct xs_difference *d = &change->of[m];
        if (!columns[m])
            continue;
        if (d->before.median || d->after.median)
            xs_diff_values(&value, xs_diff_unit((enum xs_measure)m), d);
        xs_table_take(table, &value);
    }
}

static void site_columns(struct xs_table *table, bool *columns) {
    static const char *const headers[XS_MEASURES] = {"transfers", "size",     "device time",
                                                     "exposed",   "in calls", "saves"};
    xs_table_column(table, "", false);
    xs_table_column(table, "call site", false);
    xs_table_column(table, "", false);
    xs_table_optional(table);
    for (int m = 0; m < XS_MEASURES; m++) {
        if (!columns[m])
            continue;
        xs_table_column(table, headers[m], true);
        if (m == XS_MEASURE_BYTES || m == XS_MEASURE_EXPOSED_NS || m == XS_MEASURE_SAVES_NS)
            xs_table_optional(table);
    }
}

static void print_sites(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_out *out) {
    size_t limit = view->top ? view->top : view->all ? SIZE_MAX : SITES_SHOWN;
    struct rows rows = {0};
    bool columns[XS_MEASURES] = {[XS_MEASURE_COUNT] = true, [XS_MEASURE_BYTES] = true};
    bool timed = c->metrics[XS_METRIC_DEVICE_TIME].certainty != XS_NOT_KNOWN;
    columns[timed ? XS_MEASURE_DEVICE_NS : XS_MEASURE_HOST_NS] = true;
    columns[XS_MEASURE_EXPOSED_NS] = c->metrics[XS_METRIC_EXPOSED_TIME].certainty != XS_NOT_KNOWN && timed;
    columns[XS_MEASURE_SAVES_NS] = view->all;
    XS_SCOPED_TABLE *table = xs_table_new(2);
    site_columns(table, columns);
    xs_out_heading(out, "Call sites");
    for (size_t i = 0; i < c->site_count; i++) {
        const struct xs_change *change = &c->sites[i];
        if (take(&rows, change, view->all, limit))
            add_site(table, c, change, columns);
    }
    if (rows.shown)
        xs_table_print(table, out);
    else
        xs_out_line(out, XS_STYLE_PLAIN, c->site_count ? XS_NONE_CHANGED : "No transfers on either side.");
    print_rest(&rows, out);
}

void xs_diff_text(const struct xs_diff *c, const struct xs_diff_view *view, struct xs_out *out) {
    print_head(c, out);
    print_run(c, view->all, out);
    print_findings(c, view, out);
    print_sites(c, view, out);
}
