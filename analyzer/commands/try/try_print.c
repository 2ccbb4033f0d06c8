/* Prints trials as text and Markdown. try_words.c has the sentences. */

#include "analyzer/base/markdown.h"
#include "analyzer/base/table.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/try/try.h"
#include "analyzer/words/saving_words.h"

enum { COMMAND_COLUMNS = 100 };
#define TITLE "Each repair, tried on your unchanged program, compared with no repair"
#define MINUS "A minus means that the program takes less time with the repair."
#define NO_CAUSE "The report of this trace has no cause that could be tried."
static const char *const headers[] = {"cause", "what", "predicted", "measured"};
enum { COLUMNS = sizeof headers / sizeof *headers };

/* Adds the unchanged program's median, which all differences refer to. */
static void add_now(struct xs_string *text, const struct xs_try *t) {
    for (size_t i = 0; i < t->trials->count; i++) {
        const struct xs_tried_runs *o = t->attempts[i].outcome;
        if (!o || o->report.pair.is_failed)
            continue;
        const struct xs_bench_time *time = xs_bench_deciding(&o->report.pair);
        xs_string_format(text, "%s%s, the median of %zu run%s", XS_NS_TEXT(time->difference.before.median),
                         o->report.pair.by_loop ? " of the loop" : "", t->bench.rounds,
                         t->bench.rounds == 1 ? "" : "s");
        return;
    }
}

static void add_label(struct xs_string *text, const struct xs_trial *trial) {
    if (trial->number)
        xs_string_format(text, "%zu", trial->number);
    else
        xs_string_format(text, "all");
}

static void make_cells(const struct xs_try *t, size_t i, struct xs_string cells[COLUMNS]) {
    const struct xs_trial *trial = &t->trials->items[i];
    add_label(&cells[0], trial);
    if (trial->number)
        xs_try_what(&cells[1], trial);
    xs_try_predicted(&cells[2], xs_trial_predicted(trial));
    xs_try_measured(&cells[3], t, i);
}

/* Makes the last line, for all repairs. If only one trial could be made, the line repeats it. */
static void make_last(const struct xs_try *t, struct xs_string cells[COLUMNS]) {
    size_t causes = t->trials->count - 1, cannot = 0;
    for (size_t i = 0; i < causes; i++)
        cannot += t->trials->items[i].state == XS_TRIAL_CANNOT;
    xs_string_format(&cells[0], "all");
    if (cannot)
        xs_string_format(&cells[1], "%zu of the %zu causes", causes - cannot, causes);
    xs_try_predicted(&cells[2], xs_trial_predicted(&t->trials->items[t->sum]));
    xs_try_measured(&cells[3], t, t->sum);
}

static void free_cells(struct xs_string cells[COLUMNS]) {
    for (size_t i = 0; i < COLUMNS; i++)
        xs_string_free(&cells[i]);
}

static void each_row(const struct xs_try *t, void *context,
                     void (*row)(void *context, struct xs_string cells[COLUMNS], enum xs_style style)) {
    for (size_t i = 0; i < t->trials->count; i++) {
        struct xs_string cells[COLUMNS] = {{0}};
        if (xs_try_is_shown(t, i)) {
            make_cells(t, i, cells);
            row(context, cells, xs_try_style(t, i));
        }
        free_cells(cells);
    }
    if (t->sum + 1 < t->trials->count) {
        struct xs_string cells[COLUMNS] = {{0}};
        make_last(t, cells);
        row(context, cells, xs_try_style(t, t->sum));
        free_cells(cells);
    }
}

/* --- text --- */

static void text_row(void *table, struct xs_string cells[COLUMNS], enum xs_style style) {
    for (size_t i = 0; i < COLUMNS; i++)
        xs_table_take(table, &cells[i]);
    xs_table_style_row(table, style);
}

static void text_table(const struct xs_try *t, struct xs_out *out) {
    XS_SCOPED_TABLE *table = xs_table_new(2);
    for (size_t i = 0; i < COLUMNS; i++)
        xs_table_column(table, headers[i], false);
    each_row(t, table, text_row);
    xs_table_print(table, out);
    xs_out_line(out, XS_STYLE_DIM, MINUS);
}

/* Returns the number of warnings of a measured trial; 0 for other trials, which have no times. */
static size_t warnings_of(const struct xs_try *t, size_t i) {
    bool measured = t->trials->items[i].state == XS_TRIAL_MEASURED && t->attempts[i].outcome;
    return measured ? t->attempts[i].outcome->report.note_count : 0;
}

/* Makes lines that say what was done in trial `i`, what was left out, and how its outputs differ. A line may be empty.
 */
enum { DONE, LEFT_OUT, OUTPUT, DETAILS };
static void make_details(const struct xs_try *t, size_t i, struct xs_string lines[DETAILS]) {
    const struct xs_tried_runs *o = t->attempts[i].outcome;
    if (xs_try_is_shown(t, i))
        xs_try_done(&lines[DONE], t, i);
    xs_try_left_out(&lines[LEFT_OUT], &t->trials->items[i]);
    if (o && o->report.pair.output.result != XS_OUTPUT_SAME) {
        xs_string_format(&lines[OUTPUT], "output ");
        xs_bench_output(&lines[OUTPUT], &o->report);
    }
}

static void free_details(struct xs_string lines[DETAILS]) {
    for (size_t k = 0; k < DETAILS; k++)
        xs_string_free(&lines[k]);
}

static void text_details(const struct xs_try *t, struct xs_out *out) {
    bool any = false;
    for (size_t i = 0; i < t->trials->count; i++)
        any |= warnings_of(t, i) ||
               (xs_try_is_shown(t, i) && (t->trials->items[i].planned || t->trials->items[i].left_out_count));
    if (any)
        putc('\n', out->file);
    for (size_t i = 0; i < t->trials->count; i++) {
        struct xs_string lines[DETAILS] = {{0}}, label = {0};
        add_label(&label, &t->trials->items[i]);
        make_details(t, i, lines);
        for (size_t k = 0, printed = 0; k < DETAILS; k++)
            if (lines[k].length)
                xs_out_fact(out, printed++ || k == OUTPUT ? "" : label.data, "%s", lines[k].data);
        xs_string_free(&label);
        free_details(lines);
    }
    for (size_t i = 0; i < t->trials->count; i++) {
        const struct xs_tried_runs *o = t->attempts[i].outcome;
        for (size_t k = 0; k < warnings_of(t, i); k++)
            xs_out_line(out, XS_STYLE_WARN, "! %s: %s", t->trials->items[i].name, o->report.notes[k]);
    }
}

void xs_try_text(const struct xs_try *t, struct xs_out *out) {
    XS_SCOPED_STRING command = {0};
    struct xs_string cut = {0}, now = {0}, gate = {0}, simulated = {0};
    xs_bench_command(&command, t->program->argv);
    xs_string_add_cut(&cut, command.data, COMMAND_COLUMNS);
    add_now(&now, t);
    xs_try_gate(&gate, t);
    if (t->reading->summary.run.simulated)
        xs_say_simulated(&simulated, NULL, "times below");
    xs_out_line(out, XS_STYLE_HEADING, TITLE ".");
    xs_out_take_fact(out, "program", &cut);
    xs_out_take_line(out, XS_STYLE_BAD, &simulated);
    if (t->bench.rounds)
        xs_out_fact(out, "runs", XS_BENCH_RUNS, t->bench.rounds, t->arguments->terms.warm_up);
    xs_out_take_fact(out, "takes", &now);
    xs_out_take_fact(out, "gate", &gate);
    putc('\n', out->file);
    if (t->trials->count > 1) {
        text_table(t, out);
        text_details(t, out);
    } else {
        xs_out_line(out, XS_STYLE_PLAIN, NO_CAUSE);
    }
}

/* --- Markdown --- */

static void markdown_row(void *file, struct xs_string cells[COLUMNS], enum xs_style style) {
    XS_SCOPED_STRING what = {0}, measured = {0};
    (void)style;
    xs_markdown_code(&what, cells[1].data);
    xs_markdown_code(&measured, cells[3].data);
    fprintf(file, "| %s | %s | %s | %s |\n", cells[0].data, cells[1].length ? what.data : "",
            cells[2].length ? cells[2].data : "", measured.data);
}

static void markdown_line(struct xs_out *out, size_t *lines, const char *label, const char *text) {
    XS_SCOPED_STRING code = {0};
    xs_markdown_code(&code, text);
    fprintf(out->file, "%s- %s: %s\n", (*lines)++ ? "" : "\n", label, code.data);
}

/* Prints what was done, what was left out, and the warnings. */
static void markdown_details(const struct xs_try *t, struct xs_out *out) {
    for (size_t i = 0, written = 0; i < t->trials->count; i++) {
        struct xs_string lines[DETAILS] = {{0}}, label = {0};
        add_label(&label, &t->trials->items[i]);
        make_details(t, i, lines);
        for (size_t k = 0; k < DETAILS; k++)
            if (lines[k].length)
                markdown_line(out, &written, label.data, lines[k].data);
        for (size_t k = 0; k < warnings_of(t, i); k++)
            markdown_line(out, &written, label.data, t->attempts[i].outcome->report.notes[k]);
        xs_string_free(&label);
        free_details(lines);
    }
}

void xs_try_markdown(const struct xs_try *t, struct xs_out *out) {
    XS_SCOPED_STRING command = {0};
    struct xs_string code = {0}, now = {0}, gate = {0}, simulated = {0};
    xs_bench_command(&command, t->program->argv);
    xs_markdown_code(&code, command.data);
    add_now(&now, t);
    xs_try_gate(&gate, t);
    if (t->reading->summary.run.simulated)
        xs_say_simulated(&simulated, NULL, "times below");
    xs_markdown_take(out, "**" TITLE "**\n\n- program: ", &code, "\n");
    xs_markdown_take(out, "- **", &simulated, "**\n");
    if (t->bench.rounds)
        fprintf(out->file, "- runs: " XS_BENCH_RUNS "\n", t->bench.rounds, t->arguments->terms.warm_up);
    xs_markdown_take(out, "- takes ", &now, "\n");
    xs_markdown_take(out, "- ", &gate, "\n");
    if (t->trials->count > 1) {
        fprintf(out->file, "\n| %s | %s | %s | %s |\n|---|---|---|---|\n", headers[0], headers[1], headers[2],
                headers[3]);
        each_row(t, out->file, markdown_row);
        fprintf(out->file, "\n" MINUS "\n");
        markdown_details(t, out);
    } else {
        fprintf(out->file, "\n%s\n", NO_CAUSE);
    }
}
