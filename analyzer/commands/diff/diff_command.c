/* xferspy diff: shows how findings, call sites and the numbers of the run changed between two versions of a program,
 * and whether the change paid. */
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/commands/bench/bench_read.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/commands/diff/diff.h"
#include "analyzer/commands/diff/diff_programs.h"
#include "analyzer/commands/diff/diff_words.h"
#include "analyzer/symbols/debug_path.h"

XS_DECLARE_COMMAND(diff)

enum { OPTION_BEFORE = 0x200, OPTION_AFTER, OPTION_TOP, OPTION_ALL, OPTION_FORMAT, OPTION_BENCH };
static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to compare:", 1},
    {"before", OPTION_BEFORE, NULL, 0, "the traces after this option are of the program before the change", 1},
    {"after", OPTION_AFTER, NULL, 0, "the traces after this option are of the program after the change", 1},
    {"bench", OPTION_BENCH, "FILE", 0,
     "base the conclusion on the times in FILE, which `xferspy bench --json' measured without profiling", 1},
    {NULL, 0, NULL, 0, "What to show:", 2},
    {"top", OPTION_TOP, "N", 0, "show at most N findings and at most N call sites", 2},
    {"all", OPTION_ALL, NULL, 0, "also show small changes and what did not change", 2},
    {"format", OPTION_FORMAT, "text|json|markdown", 0, "text is the default", 2},
    {"json", XS_OPTION_JSON, NULL, 0, "the same as --format=json: format \"xferspy-diff\", units in the names", 2},
    {0}};

static const char doc[] =
    "Compares the traces of two versions of a program and says whether the change paid: the wall time, then which "
    "findings and call sites are gone or new, grew or shrank. Call sites are matched across builds, even if lines "
    "moved."
    "\v"
    "Examples:\n"
    "  xferspy diff before.db after.db\n"
    "  xferspy diff --before before*.db --after after*.db\n"
    "  xferspy diff --before runs/old --after runs/new      every trace of a folder\n"
    "  xferspy diff --format=markdown -o comment.md before.db after.db\n"
    "  xferspy diff --json before.db after.db | jq .conclusion\n"
    "  xferspy diff --bench=bench.json before.db after.db\n"
    "\n"
    "Two runs of the same program never take exactly the same time. With three or more runs a side, medians are "
    "compared, and a difference counts only if the exact rank test of Mann and Whitney finds it in the order of all "
    "runs (one-sided, p <= 0.05; with three runs a side: if the ranges do not overlap). With fewer runs, the noise is "
    "unknown: the conclusion is only about what the program did, not about how long it took.\n"
    "\n"
    "The exit status is 0 also if the change did not pay: for a gate use `xferspy check'.";

/* The traces of a side. */
struct list {
    char **paths;
    size_t count;
};

struct arguments {
    struct xs_out_options output;
    struct list sides[2];
    struct xs_traces traces[2]; /* the traces that the lists mean */
    int side;                   /* the side to which the next traces belong; -1: there was no --before or --after yet */
    struct list plain;
    const char *bench; /* NULL: none */
    struct xs_diff_view view;
    unsigned format;
};

static const char *const formats[] = {"text", "json", "markdown", NULL};
enum { TEXT, JSON, MARKDOWN };

static void append(struct list *list, char *path) {
    list->paths = xs_realloc(list->paths, (list->count + 1) * sizeof *list->paths);
    list->paths[list->count++] = path;
}

/* Checks the sides: two traces, or --before and --after. */
static void check_sides(struct arguments *a, struct argp_state *state) {
    if (a->side < 0 && a->plain.count == 2) {
        append(&a->sides[0], a->plain.paths[0]);
        append(&a->sides[1], a->plain.paths[1]);
    } else if (a->plain.count && a->side >= 0) {
        argp_error(state, "%s: before or after? Name it behind --before or --after", a->plain.paths[0]);
    } else if (a->plain.count > 2) {
        argp_error(state, "several runs a side: --before TRACE... --after TRACE...");
    } else if (a->side < 0) {
        argp_error(state, a->plain.count ? "compared with what? Two traces: BEFORE AFTER" : "which traces?");
    } else if (!a->sides[0].count || !a->sides[1].count) {
        argp_error(state, "no traces for --%s", a->sides[0].count ? "after" : "before");
    }
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->output;
        return 0;
    case OPTION_BEFORE:
    case OPTION_AFTER:
        a->side = key == OPTION_AFTER;
        return 0;
    case OPTION_BENCH:
        if (!*argument)
            argp_error(state, "--bench: which file?");
        a->bench = argument;
        return 0;
    case OPTION_TOP:
        a->view.top = xs_parse_number("top", argument, 1, SIZE_MAX, state);
        return 0;
    case OPTION_ALL:
        a->view.all = true;
        return 0;
    case OPTION_FORMAT:
        a->format = (unsigned)xs_parse_word("format", argument, formats, state);
        return 0;
    case XS_OPTION_JSON:
        a->format = JSON;
        return 0;
    case ARGP_KEY_ARG:
        append(a->side < 0 ? &a->plain : &a->sides[a->side], argument);
        return 0;
    case ARGP_KEY_END:
        check_sides(a, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Replaces folders and merged files by their traces. It is an error if a part of a side is missing, because the
 * comparison would then be wrong. */
static int expand(struct list *list, struct xs_traces *traces) {
    int status = xs_traces_expand(list->paths, (int)list->count, traces);
    if (status == XS_EXIT_OK && traces->count > XS_RUNS_LIMIT) {
        xs_complain("%d runs on a side: at most %d can be compared", traces->count, XS_RUNS_LIMIT);
        status = XS_EXIT_ERROR;
    }
    return status;
}

static void show(const struct arguments *a, const struct xs_diff *diff, struct xs_out *out) {
    struct xs_json json = {.file = out->file};
    if (a->format == JSON)
        xs_diff_json(diff, &a->view, &json);
    else if (a->format == MARKDOWN)
        xs_diff_markdown(diff, &a->view, out);
    else
        xs_diff_text(diff, &a->view, out);
}

static void take_times(const struct xs_bench_times *bench, struct xs_side *sides) {
    for (int side = 0; side < 2; side++) {
        sides[side].unprofiled = bench->times[side];
        sides[side].unprofiled_count = bench->counts[side];
    }
}

static int diff(const struct arguments *a) {
    struct xs_side sides[2] = {{0}, {0}};
    struct xs_bench_times bench = {0};
    XS_SCOPED_STRING others = {0};
    struct xs_diff diff;
    struct xs_out out;
    int status = a->bench ? xs_bench_read(a->bench, &bench) : XS_EXIT_OK;
    for (int side = 0; side < 2 && status == XS_EXIT_OK; side++)
        if (xs_output_is_trace(&a->output, &a->traces[side]))
            status = XS_EXIT_ERROR;
    if (status == XS_EXIT_OK && xs_out_check(&a->output) < 0) /* checked now, not after the traces were read */
        status = XS_EXIT_ERROR;
    xs_progress_begin_file("", 0);
    for (int side = 0; side < 2 && status == XS_EXIT_OK; side++)
        status = xs_side_read(&sides[side], side, a->traces[side].names, (size_t)a->traces[side].count);
    xs_progress_end();
    if (status == XS_EXIT_OK && a->bench &&
        !xs_diff_bench_is_of_others(a->bench, &bench, &sides[0], &sides[1], &others))
        take_times(&bench, sides);
    if (status == XS_EXIT_OK && xs_out_open(&out, &a->output) >= 0) {
        xs_diff_compute(&sides[0], &sides[1], &diff);
        if (others.length)
            xs_diff_note_first(&diff, others.data);
        show(a, &diff, &out);
        xs_diff_free(&diff);
        status = xs_out_close(&out, true) < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
    } else {
        status = XS_EXIT_ERROR;
    }
    xs_side_free(&sides[0]);
    xs_side_free(&sides[1]);
    xs_bench_times_free(&bench);
    return status;
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, XS_DEBUG_PATH_CHILD, {0}};
const struct xs_interface xs_interface_diff = {
    .argp = {.options = options, .parser = parse, .args_doc = "BEFORE AFTER", .doc = doc, .children = children}};

int xs_command_diff(int argc, char **argv) {
    struct arguments arguments = {.side = -1};
    int status = XS_EXIT_USAGE;
    if (argp_parse(&xs_interface_diff.argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments) == 0) {
        status = expand(&arguments.sides[0], &arguments.traces[0]);
        if (status == XS_EXIT_OK)
            status = expand(&arguments.sides[1], &arguments.traces[1]);
        if (status == XS_EXIT_OK)
            status = diff(&arguments);
    }
    for (int side = 0; side < 2; side++) {
        xs_traces_free(&arguments.traces[side]);
        free(arguments.sides[side].paths);
    }
    free(arguments.plain.paths);
    return status;
}
