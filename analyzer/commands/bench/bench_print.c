/* Prints a bench as text, Markdown and JSON. bench_words.c has the sentences. */
#include <math.h>
#include <sys/wait.h>

#include "analyzer/base/markdown.h"
#include "analyzer/base/table.h"
#include "analyzer/commands/bench/bench_words.h"

enum { COMMAND_COLUMNS = 100 };
#define MINUS "A minus means that AFTER takes less time."
static const char *const side_names[] = {"before", "after"};
static const char *const headers[] = {"time",   "median before (range)", "median after (range)",
                                      "change", "difference (interval)", "p"};
const char *const xs_bench_end_names[] = {"complete", "time-limit", "interrupted", "failed"};

/* --- the table of times --- */

enum { CELLS = sizeof headers / sizeof *headers };
struct row {
    struct xs_string cells[CELLS];
};

static void make_row(const struct xs_bench_time *time, const char *name, struct row *row) {
    const struct xs_difference *d = &time->difference;
    *row = (struct row){0};
    for (size_t i = 0; i < CELLS; i++)
        xs_string_add(&row->cells[i], "", 0);
    xs_string_format(&row->cells[0], "%s", name);
    xs_bench_spread(&row->cells[1], &d->before);
    xs_bench_spread(&row->cells[2], &d->after);
    xs_bench_percent(&row->cells[3], d);
    xs_bench_delta(&row->cells[4], time);
    if (d->p >= 0)
        xs_string_format(&row->cells[5], "%.2g", d->p);
}

static void free_row(struct row *row) {
    for (size_t i = 0; i < CELLS; i++)
        xs_string_free(&row->cells[i]);
}

/* Makes one or two rows: for the program, and for its loop. */
static size_t make_rows(const struct xs_bench_report *report, struct row *rows) {
    size_t count = 0;
    if (report->pair.wall.difference.certainty != XS_NOT_KNOWN)
        make_row(&report->pair.wall, "program", &rows[count++]);
    if (report->pair.loop.difference.certainty != XS_NOT_KNOWN)
        make_row(&report->pair.loop, "loop", &rows[count++]);
    return count;
}

/* --- text --- */

void xs_bench_text(const struct xs_bench_report *report, struct xs_out *out) {
    XS_SCOPED_STRING conclusion = {0}, output = {0}, demands = {0};
    struct row rows[2];
    size_t count = make_rows(report, rows);
    enum xs_style style = xs_bench_conclusion_style(report);
    xs_bench_conclusion(&conclusion, report);
    xs_bench_output(&output, report);
    xs_bench_demands_words(&demands, report);
    fprintf(out->file, "%s%s%s\n", xs_style_on(out, style), conclusion.data, xs_style_off(out, style));
    for (size_t i = 0; i < 2; i++) {
        XS_SCOPED_STRING command = {0}, cut = {0};
        xs_bench_command(&command, report->terms->variants[i].argv);
        xs_string_add_cut(&cut, command.data, COMMAND_COLUMNS);
        xs_out_fact(out, side_names[i], "%s", cut.data);
    }
    xs_out_fact(out, "runs", XS_BENCH_RUNS, report->bench->rounds, report->terms->warm_up);
    if (report->bench->sides[1].outputs.runs && !report->pair.is_failed)
        xs_out_fact(out, "output", "%s", output.data);
    if (demands.length)
        xs_out_fact(out, "gate", "%s", demands.data);
    for (size_t i = 0; i < report->note_count; i++)
        xs_out_line(out, XS_STYLE_WARN, "! %s", report->notes[i]);
    if (count) {
        XS_SCOPED_TABLE *table = xs_table_new(2);
        for (size_t i = 0; i < CELLS; i++)
            xs_table_column(table, headers[i], i > 0);
        for (size_t i = 0; i < count; i++) {
            for (size_t k = 0; k < CELLS; k++)
                xs_table_cell(table, rows[i].cells[k].data);
            free_row(&rows[i]);
        }
        putc('\n', out->file);
        xs_table_print(table, out);
        xs_out_line(out, XS_STYLE_DIM, MINUS);
    }
}

/* --- Markdown --- */

/* Prints a program's output as code, in which nothing is markup. */
static void put_code(struct xs_out *out, const char *label, const char *text) {
    XS_SCOPED_STRING code = {0};
    xs_markdown_code(&code, text);
    fprintf(out->file, "- %s: %s\n", label, code.data);
}

void xs_bench_markdown(const struct xs_bench_report *report, struct xs_out *out) {
    XS_SCOPED_STRING conclusion = {0}, output = {0}, demands = {0};
    struct row rows[2];
    size_t count = make_rows(report, rows);
    xs_bench_conclusion(&conclusion, report);
    xs_bench_output(&output, report);
    xs_bench_demands_words(&demands, report);
    fprintf(out->file, "**%s** %zu runs of each, in turns, not profiled.\n\n", conclusion.data, report->bench->rounds);
    if (count)
        fprintf(out->file, "| %s | %s | %s | %s | %s | %s |\n|---|---:|---:|---:|---:|---:|\n", headers[0], headers[1],
                headers[2], headers[3], headers[4], headers[5]);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < CELLS; k++)
            fprintf(out->file, "| %s ", rows[i].cells[k].data);
        fputs("|\n", out->file);
        free_row(&rows[i]);
    }
    if (count)
        fprintf(out->file, "\n" MINUS "\n");
    putc('\n', out->file);
    for (size_t i = 0; i < 2; i++) {
        XS_SCOPED_STRING command = {0};
        xs_bench_command(&command, report->terms->variants[i].argv);
        put_code(out, side_names[i], command.data);
    }
    if (report->bench->sides[1].outputs.runs && !report->pair.is_failed)
        put_code(out, "output", output.data);
    if (demands.length)
        put_code(out, "gate", demands.data);
    for (size_t i = 0; i < report->note_count; i++)
        put_code(out, "note", report->notes[i]);
}

/* --- JSON --- */

static void put_spread(struct xs_json *json, const char *key, const struct xs_spread *spread) {
    xs_json_object(json, key);
    xs_json_count(json, "median_ns", spread->median);
    xs_json_count(json, "min_ns", spread->least);
    xs_json_count(json, "max_ns", spread->most);
    xs_json_end(json, '}');
}

void xs_bench_time_json(struct xs_json *json, const char *key, const struct xs_bench_time *time) {
    const struct xs_difference *d = &time->difference;
    if (d->certainty == XS_NOT_KNOWN) {
        xs_json_null(json, key);
        return;
    }
    xs_json_object(json, key);
    put_spread(json, "before", &d->before);
    put_spread(json, "after", &d->after);
    xs_json_int(json, "delta_ns", xs_difference_delta(d));
    xs_json_int(json, "delta_low_ns", time->low_ns);
    xs_json_int(json, "delta_high_ns", time->high_ns);
    xs_json_bool(json, "interval_90", time->is_interval);
    xs_json_text(json, "certainty", xs_certainty_names[d->certainty]);
    xs_json_number(json, "p", d->p < 0 ? NAN : d->p);
    xs_json_end(json, '}');
}

void xs_bench_output_json(struct xs_json *json, const struct xs_bench_report *report) {
    const struct xs_outputs_compared *c = &report->pair.output;
    XS_SCOPED_STRING text = {0};
    xs_bench_output(&text, report);
    xs_json_object(json, "output");
    xs_json_text(json, "result", xs_output_result_names[c->result]);
    xs_json_count(json, "ignored_lines", c->ignored);
    xs_json_bool(json, "exits_differ", report->pair.exits_differ);
    xs_json_count(json, "lines", c->lines);
    xs_json_count(json, "varying_lines", c->varying);
    xs_json_known_count(json, "first_difference", c->line != 0, c->line);
    xs_json_text(json, "line_before", c->before.data);
    xs_json_text(json, "line_after", c->after.data);
    xs_json_text(json, "text", text.data);
    xs_json_end(json, '}');
}

void xs_bench_demands_json(struct xs_json *json, unsigned failed, const struct xs_bench_demands *demands) {
    xs_json_object(json, "gate");
    xs_json_bool(json, "holds", !failed);
    xs_json_text(json, "at_least", demands->at_least);
    xs_json_array(json, "failed");
    for (unsigned i = 0; xs_bench_fault_names[i]; i++)
        if (failed & 1U << i)
            xs_json_text(json, NULL, xs_bench_fault_names[i]);
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}

static void put_side(struct xs_json *json, const char *key, const struct xs_bench_report *report, size_t side) {
    const struct xs_bench_run *runs = report->bench->sides[side].runs;
    xs_json_object(json, key);
    xs_json_array(json, "command");
    for (char *const *word = report->terms->variants[side].argv; *word; word++)
        xs_json_text(json, NULL, *word);
    xs_json_end(json, ']');
    xs_json_array(json, "runs");
    for (size_t r = 0; r < report->bench->rounds; r++) {
        xs_json_object(json, NULL);
        xs_json_count(json, "wall_ns", runs[r].wall.value);
        xs_json_known_count(json, "loop_ns", runs[r].loop.known, runs[r].loop.value);
        xs_json_known_count(json, "exit_status", WIFEXITED(runs[r].status), (uint64_t)WEXITSTATUS(runs[r].status));
        xs_json_known_count(json, "signal", WIFSIGNALED(runs[r].status), (uint64_t)WTERMSIG(runs[r].status));
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}

void xs_bench_json(const struct xs_bench_report *report, struct xs_out *out) {
    struct xs_json json = {.file = out->file};
    XS_SCOPED_STRING conclusion = {0};
    xs_bench_conclusion(&conclusion, report);
    xs_json_document(&json, XS_BENCH_FORMAT, XS_BENCH_JSON_VERSION);
    xs_json_text(&json, "result", xs_bench_result_names[report->pair.result]);
    xs_json_text(&json, "text", conclusion.data);
    xs_json_text(&json, "time", report->pair.by_loop ? "loop" : "wall");
    xs_bench_time_json(&json, "wall", &report->pair.wall);
    xs_bench_time_json(&json, "loop", &report->pair.loop);
    xs_bench_output_json(&json, report);
    xs_bench_demands_json(&json, report->failed, report->demands);
    xs_json_texts(&json, "notes", report->notes, report->note_count);
    xs_json_text(&json, "ended", xs_bench_end_names[report->bench->end]);
    xs_json_count(&json, "rounds", report->bench->rounds);
    xs_json_count(&json, "warm_up", report->terms->warm_up);
    xs_json_int(&json, "expected_status", report->terms->exit_status);
    put_side(&json, side_names[0], report, 0);
    put_side(&json, side_names[1], report, 1);
    xs_json_end(&json, '}');
}
