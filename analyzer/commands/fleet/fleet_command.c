/* xferspy fleet: which places waste most GPU time in all runs of a fleet, by fleet files (docs/use/fleet.md) and
 * traces. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/installation.h"
#include "analyzer/commands/fleet/fleet.h"
#include "analyzer/symbols/debug_path.h"

XS_DECLARE_COMMAND(fleet)

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN };
static const char *const format_names[] = {"text", "json", "csv", "markdown", NULL};
static const char *const by_names[] = {"place", "finding", "program", "day", "host", "job", "cluster", "gpu", NULL};
static const char *const sort_names[] = {"wasted", "share", "runs", "last", "name", NULL};
#define LABEL "label:"
#define TOP 20

struct arguments {
    struct xs_traces_arguments traces; /* must be the first member, for xs_parse_traces */
    struct xs_fleet_question question;
    enum format format;
    bool compact, is_sorted, asks;
};

enum {
    OPTION_GROUP_BY = 0x200,
    OPTION_SORT,
    OPTION_TOP,
    OPTION_SINCE,
    OPTION_CHANGED_SINCE,
    OPTION_PROGRAM,
    OPTION_LABEL,
    OPTION_FORMAT,
    OPTION_COMPACT
};
static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Which question:", 1},
    {"group-by", OPTION_GROUP_BY, "place|finding|program|day|host|job|cluster|gpu|label:KEY", 0,
     "what the rows are: places in programs, with their findings (the default), ..., or values of a label of the runs",
     1},
    {"sort", OPTION_SORT, "wasted|share|runs|last|name", 0,
     "by wasted GPU time (the default), by its share of the row's GPU time, by the number of runs, by the last run, or "
     "by name; days are sorted by name unless another order is given",
     1},
    {"top", OPTION_TOP, "N", 0, "how many rows are shown (default: 20)", 1},
    {"changed-since", OPTION_CHANGED_SINCE, "DAY", 0,
     "say which rows are new since DAY and which are gone, and since which commit (label git_commit)", 1},
    {NULL, 0, NULL, 0, "Which runs:", 2},
    {"since", OPTION_SINCE, "DAY", 0, "runs that began on DAY or later, as 2026-01-31 (UTC) or 7d for seven days ago",
     2},
    {"program", OPTION_PROGRAM, "PATTERN", 0, "programs with such a name; * stands for any text", 2},
    {"label", OPTION_LABEL, "KEY=VALUE", 0, "runs that have this label", 2},
    {NULL, 0, NULL, 0, "How:", 3},
    {"format", OPTION_FORMAT, "text|json|csv|markdown", 0, "text is the default", 3},
    {"json", XS_OPTION_JSON, NULL, 0, XS_HELP_JSON, 3},
    {"compact", OPTION_COMPACT, NULL, 0,
     "answer nothing, but join the files of each day and cluster of a folder of fleet files, which makes all later "
     "questions faster",
     3},
    {0}};

static const char doc[] =
    "Says which places in programs wasted most GPU time in all runs of a fleet, since when, and what became of them. "
    "It "
    "reads folders of fleet files (`xferspy run --fleet-dir=DIR', `xferspy export --format=parquet'), and traces."
    "\v"
    "Examples:\n"
    "  xferspy fleet /shared/fleet\n"
    "  xferspy fleet --group-by=program --since=7d /shared/fleet\n"
    "  xferspy fleet --group-by=label:team --sort=share /shared/fleet\n"
    "  xferspy fleet --changed-since=2026-01-31 --format=markdown /shared/fleet\n"
    "  xferspy fleet --compact /shared/fleet\n"
    "\n"
    "GPU time is the time of a run, times the devices that it used. A place wastes what its repair saves at most, if "
    "it "
    "is the first finding of a cause. Rows of programs, days and labels have what all repairs of a run save together.";

/* Reads "2026-01-31" or "7d". */
static int64_t parse_day(const char *option, const char *text, struct argp_state *state) {
    struct tm day = {0};
    char *end = NULL;
    long days = strtol(text, &end, 10);
    if (end != text && !strcmp(end, "d") && days >= 0 && days <= 36500)
        return ((int64_t)time(NULL) - days * INT64_C(86400)) * 1000000;
    end = strptime(text, "%Y-%m-%d", &day);
    if (!end || *end)
        argp_error(state, "--%s=%s: use a day like 2026-01-31, or 7d for seven days ago", option, text);
    return (int64_t)timegm(&day) * 1000000;
}

static void parse_group(const char *text, struct xs_fleet_question *question, struct argp_state *state) {
    if (!strncmp(text, LABEL, strlen(LABEL))) {
        question->by = XS_FLEET_BY_LABEL;
        question->label = text + strlen(LABEL);
        if (!*question->label)
            argp_error(state, "--group-by=label: needs the key of a label, as in --group-by=label:team");
        /* these labels are columns */
        if (!strcmp(question->label, "host") || !strcmp(question->label, "gpu"))
            question->by = *question->label == 'h' ? XS_FLEET_BY_HOST : XS_FLEET_BY_GPU;
        return;
    }
    question->by = (enum xs_fleet_by)xs_parse_word("group-by", text, by_names, state);
}

static void parse_label(char *text, struct xs_fleet_question *question, struct argp_state *state) {
    char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        argp_error(state, "--label=%s: use KEY=VALUE", text);
        return;
    }
    *equals = '\0';
    question->label_key = text;
    question->label_value = equals + 1;
}

static void check(const struct arguments *arguments, struct argp_state *state) {
    if (arguments->compact && (arguments->asks || arguments->format != FORMAT_TEXT))
        argp_error(state, "--compact answers no question; give only folders with it");
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    struct xs_fleet_question *question = &arguments->question;
    arguments->asks |= key >= OPTION_GROUP_BY && key <= OPTION_LABEL;
    switch (key) {
    case OPTION_GROUP_BY:
        parse_group(argument, question, state);
        return 0;
    case OPTION_SORT:
        question->sort = (enum xs_fleet_sort)xs_parse_word("sort", argument, sort_names, state);
        arguments->is_sorted = true;
        return 0;
    case OPTION_TOP:
        question->top = xs_parse_number("top", argument, 1, SIZE_MAX, state);
        return 0;
    case OPTION_SINCE:
        question->since_us = parse_day("since", argument, state);
        return 0;
    case OPTION_CHANGED_SINCE:
        question->changed_us = parse_day("changed-since", argument, state);
        return 0;
    case OPTION_PROGRAM:
        question->program = argument;
        return 0;
    case OPTION_LABEL:
        parse_label(argument, question, state);
        return 0;
    case OPTION_FORMAT:
        arguments->format = (enum format)xs_parse_word("format", argument, format_names, state);
        return 0;
    case XS_OPTION_JSON:
        arguments->format = FORMAT_JSON;
        return 0;
    case OPTION_COMPACT:
        arguments->compact = true;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which folder, or which traces?");
        return 0;
    case ARGP_KEY_END:
        check(arguments, state);
        return 0;
    default:
        return xs_parse_traces(key, argument, state);
    }
}

static int answer(const struct arguments *arguments, struct xs_out *out) {
    static void (*const printers[])(const struct xs_fleet *, struct xs_out *) = {[FORMAT_TEXT] = xs_fleet_text,
                                                                                 [FORMAT_JSON] = xs_fleet_json,
                                                                                 [FORMAT_CSV] = xs_fleet_csv,
                                                                                 [FORMAT_MARKDOWN] = xs_fleet_markdown};
    struct xs_fleet fleet;
    xs_fleet_begin(&fleet, &arguments->question);
    int status = xs_fleet_read(&fleet, arguments->traces.traces, arguments->traces.count);
    bool has_read = status == XS_EXIT_OK || fleet.counted;
    if (has_read) {
        xs_fleet_finish(&fleet);
        printers[arguments->format](&fleet, out);
    }
    xs_fleet_free(&fleet);
    return xs_out_close(out, has_read) < 0 ? XS_EXIT_ERROR : status;
}

static int compact(const struct arguments *arguments, struct xs_out *out) {
    int status = XS_EXIT_OK;
    for (int i = 0; i < arguments->traces.count; i++)
        status |= xs_fleet_compact(arguments->traces.traces[i], out);
    return xs_out_close(out, true) < 0 ? XS_EXIT_ERROR : status;
}

static char *add_page(int key, const char *text, void *input) {
    (void)input;
    return xs_help_with_page(key, text, "use/fleet.md");
}

static const struct argp_child children[] = {XS_OUTPUT_CHILD, XS_DEBUG_PATH_CHILD, {0}};
const struct xs_interface xs_interface_fleet = {.argp = {.options = options,
                                                         .parser = parse,
                                                         .args_doc = "DIR|TRACE...",
                                                         .doc = doc,
                                                         .children = children,
                                                         .help_filter = add_page}};

int xs_command_fleet(int argc, char **argv) {
    struct xs_out out;
    struct arguments arguments = {.question = {.since_us = INT64_MIN, .changed_us = INT64_MIN, .top = TOP}};
    const struct xs_traces_arguments *traces = &arguments.traces;
    if (argp_parse(&xs_interface_fleet.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    if (arguments.question.by == XS_FLEET_BY_DAY && !arguments.is_sorted)
        arguments.question.sort = XS_FLEET_SORT_NAME;
    if (xs_output_is_input(&traces->output, traces->traces, traces->count) || xs_out_open(&out, &traces->output) < 0)
        return XS_EXIT_ERROR;
    return arguments.compact ? compact(&arguments, &out) : answer(&arguments, &out);
}
