/* Prints the answer of `xferspy fleet` as text and as Markdown. */
#include <string.h>

#include "analyzer/base/markdown.h"
#include "analyzer/base/table.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/fleet/fleet.h"

/* --- the first lines --- */

static void say_runs(struct xs_string *text, const struct xs_fleet *fleet) {
    char first[24], last[24];
    size_t programs = fleet->programs.count, hosts = fleet->hosts.count;
    xs_fleet_day_text(first, fleet->first_us);
    xs_fleet_day_text(last, fleet->last_us);
    xs_string_format(text, "%s run%s of %zu program%s on %zu host%s", XS_COUNT_TEXT(fleet->counted),
                     fleet->counted == 1 ? "" : "s", programs, programs == 1 ? "" : "s", hosts, hosts == 1 ? "" : "s");
    if (fleet->counted)
        xs_string_format(text, ", %s%s%s", first, strcmp(first, last) != 0 ? " to " : "",
                         strcmp(first, last) != 0 ? last : "");
}

static void say_time(struct xs_string *text, const struct xs_fleet *fleet) {
    xs_fleet_gpu_time(text, fleet->gpu_ns);
    xs_string_format(text, " of GPU time; all causes repaired, it would be up to ");
    xs_fleet_gpu_time(text, fleet->wasted_ns);
    xs_string_format(text, " less (%s), at least ", XS_SHARE_TEXT(fleet->wasted_ns, fleet->gpu_ns));
    xs_fleet_gpu_time(text, fleet->least_wasted_ns);
}

/* --- rows --- */

/* Writes a mark for each of the last days: how much of the GPU time of the row's runs was wasted, beside the largest
 * share of these days. A day without runs is a point. */
static void say_trend(struct xs_string *text, const struct xs_fleet *fleet, const struct xs_fleet_row *row,
                      bool is_utf8) {
    enum { DAYS = 14, LEVELS = 8 };
    static const char *const bars[LEVELS] = {"\u2581", "\u2582", "\u2583", "\u2584",
                                             "\u2585", "\u2586", "\u2587", "\u2588"};
    int64_t last = fleet->last_us / XS_DAY_US, first = fleet->first_us / XS_DAY_US;
    double largest = 0, shares[DAYS] = {0};
    bool has_runs[DAYS] = {false};
    first = last - first < DAYS ? first : last - DAYS + 1;
    if (first >= last || fleet->question->by == XS_FLEET_BY_DAY)
        return;
    for (size_t i = 0; i < row->day_count; i++) {
        const struct xs_fleet_day *day = &row->days[i];
        if (day->day < first || day->day > last)
            continue;
        double share = day->gpu_ns ? (double)day->wasted_ns / (double)day->gpu_ns : 0;
        has_runs[day->day - first] = true;
        shares[day->day - first] = share;
        largest = share > largest ? share : largest;
    }
    for (int64_t i = 0; i <= last - first; i++) {
        int level = largest > 0 ? (int)(shares[i] / largest * (LEVELS - 1) + 0.5) : 0;
        if (!has_runs[i])
            xs_string_format(text, ".");
        else if (is_utf8)
            xs_string_format(text, "%s", bars[level]);
        else
            xs_string_format(text, "%d", level + 1);
    }
}

/* The cells of a row, in the order of the columns. */
enum {
    CELL_NAME,
    CELL_PROGRAM,
    CELL_FINDING,
    CELL_RUNS,
    CELL_TIME,
    CELL_WASTED,
    CELL_SHARE,
    CELL_FIRST,
    CELL_LAST,
    CELL_TREND,
    CELL_CHANGE,
    CELLS
};
static const char *const headers[CELLS] = {
    [CELL_PROGRAM] = "program", [CELL_FINDING] = "finding", [CELL_RUNS] = "runs",   [CELL_TIME] = "GPU time",
    [CELL_WASTED] = "wasted",   [CELL_SHARE] = "share",     [CELL_FIRST] = "first", [CELL_LAST] = "last",
    [CELL_TREND] = "trend",     [CELL_CHANGE] = "change"};

static bool is_number(unsigned cell) { return cell >= CELL_RUNS && cell <= CELL_SHARE; }

static void fill_cells(const struct xs_fleet *fleet, const struct xs_fleet_row *row, bool is_utf8,
                       struct xs_string cells[static CELLS]) {
    char first[24], last[24];
    xs_fleet_day_text(first, row->first_us);
    xs_fleet_day_text(last, row->last_us);
    xs_fleet_row_name(&cells[CELL_NAME], row);
    xs_string_format(&cells[CELL_PROGRAM], "%s", row->program ? row->program : "");
    xs_string_format(&cells[CELL_FINDING], "%s", row->program || row->place ? row->finding : "");
    xs_string_format(&cells[CELL_RUNS], "%s", XS_COUNT_TEXT(row->runs));
    xs_fleet_gpu_time(&cells[CELL_TIME], row->gpu_ns);
    xs_fleet_gpu_time(&cells[CELL_WASTED], row->wasted_ns);
    xs_string_format(&cells[CELL_SHARE], "%s", XS_SHARE_TEXT(row->wasted_ns, row->gpu_ns));
    xs_string_format(&cells[CELL_FIRST], "%s", first);
    xs_string_format(&cells[CELL_LAST], "%s", last);
    say_trend(&cells[CELL_TREND], fleet, row, is_utf8);
    xs_fleet_change_text(&cells[CELL_CHANGE], row);
}

static size_t shown_rows(const struct xs_fleet *fleet) {
    return fleet->row_count < fleet->question->top ? fleet->row_count : fleet->question->top;
}

/* --- notes --- */

/* Says what a reader has to know about the numbers; `write` prints a sentence. */
static void say_notes(const struct xs_fleet *fleet, struct xs_out *out,
                      void (*write)(struct xs_out *out, struct xs_string *text)) {
    size_t shown = shown_rows(fleet);
    struct xs_string text = {0};
    if (shown < fleet->row_count) {
        xs_string_format(&text, "%s more rows: --top=%zu shows all", XS_COUNT_TEXT(fleet->row_count - shown),
                         fleet->row_count);
        write(out, &text);
    }
    if (fleet->repeated) {
        xs_string_format(&text, "%s runs were found more than once, and counted once", XS_COUNT_TEXT(fleet->repeated));
        write(out, &text);
    }
    if (fleet->without_run) {
        xs_string_format(&text, "%s findings are left out, because the row of their run is missing",
                         XS_COUNT_TEXT(fleet->without_run));
        write(out, &text);
    }
}

/* --- text --- */

static void write_text_note(struct xs_out *out, struct xs_string *text) {
    xs_out_line(out, XS_STYLE_DIM, "%s", text->data);
    xs_string_free(text);
}

static void print_table(const struct xs_fleet *fleet, struct xs_out *out) {
    XS_SCOPED_TABLE *table = xs_table_new(2);
    for (unsigned i = 0; i < CELLS; i++) {
        xs_table_column(table, i == CELL_NAME ? xs_fleet_by_header(fleet->question) : headers[i], is_number(i));
        if (i == CELL_TREND || i == CELL_FIRST || i == CELL_TIME)
            xs_table_optional(table);
    }
    for (size_t i = 0; i < shown_rows(fleet); i++) {
        struct xs_string cells[CELLS] = {{0}};
        fill_cells(fleet, fleet->rows[i], out->utf8, cells);
        for (unsigned k = 0; k < CELLS; k++)
            xs_table_take(table, &cells[k]);
    }
    xs_table_print(table, out);
}

void xs_fleet_text(const struct xs_fleet *fleet, struct xs_out *out) {
    XS_SCOPED_STRING runs = {0}, time = {0};
    say_runs(&runs, fleet);
    say_time(&time, fleet);
    xs_out_line(out, XS_STYLE_HEADING, "%s", runs.data);
    if (!fleet->counted)
        return;
    xs_out_line(out, XS_STYLE_PLAIN, "%s", time.data);
    if (fleet->row_count) {
        fputc('\n', out->file);
        print_table(fleet, out);
    }
    say_notes(fleet, out, write_text_note);
}

/* --- Markdown --- */

static void write_markdown_note(struct xs_out *out, struct xs_string *text) {
    fprintf(out->file, "\n%s.\n", text->data);
    xs_string_free(text);
}

static void print_markdown_row(const struct xs_fleet *fleet, const struct xs_fleet_row *row, const bool *is_shown,
                               struct xs_out *out) {
    struct xs_string cells[CELLS] = {{0}};
    fill_cells(fleet, row, true, cells);
    for (unsigned i = 0; i < CELLS; i++) {
        XS_SCOPED_STRING code = {0};
        bool is_text = i <= CELL_FINDING || i == CELL_CHANGE;
        if (is_text && cells[i].length)
            xs_markdown_code(&code, cells[i].data);
        if (is_shown[i])
            fprintf(out->file, "| %s ", is_text ? code.data ? code.data : "" : cells[i].data ? cells[i].data : "");
        xs_string_free(&cells[i]);
    }
    fputs("|\n", out->file);
}

void xs_fleet_markdown(const struct xs_fleet *fleet, struct xs_out *out) {
    XS_SCOPED_STRING runs = {0}, time = {0}, header = {0};
    bool is_by_place = fleet->question->by == XS_FLEET_BY_PLACE;
    bool is_shown[CELLS] = {false};
    say_runs(&runs, fleet);
    say_time(&time, fleet);
    fprintf(out->file, "**%s**\n", runs.data);
    if (!fleet->counted)
        return;
    fprintf(out->file, "\n%s.\n\n", time.data);
    xs_markdown_code(&header, xs_fleet_by_header(fleet->question));
    for (unsigned i = 0; i < CELLS; i++) {
        is_shown[i] = (is_by_place || (i != CELL_PROGRAM && i != CELL_FINDING)) &&
                      (i != CELL_CHANGE || fleet->question->changed_us != INT64_MIN);
        if (is_shown[i])
            fprintf(out->file, "| %s ", i == CELL_NAME ? header.data : headers[i]);
    }
    fputs("|\n", out->file);
    for (unsigned i = 0; i < CELLS; i++)
        if (is_shown[i])
            fputs(is_number(i) ? "|---:" : "|---", out->file);
    fputs("|\n", out->file);
    for (size_t i = 0; i < shown_rows(fleet); i++)
        print_markdown_row(fleet, fleet->rows[i], is_shown, out);
    say_notes(fleet, out, write_markdown_note);
}
