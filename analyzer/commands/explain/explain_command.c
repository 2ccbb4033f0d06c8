/* xferspy explain: prints the findings of a trace, or one finding with the rows that prove it, or rows for programs. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/common/process.h"
#include "analyzer/commands/common/reading.h"
#include "analyzer/commands/explain/explain.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/symbols/debug_path.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/unchecked.h"
#include "schema/spelling.h"

XS_DECLARE_COMMAND(explain)

enum { NAMES_SHOWN = 12 }; /* number of names that are shown if the requested finding does not exist */

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_TSV };
static const char *const format_names[] = {"text", "json", "tsv", NULL};

struct arguments {
    struct xs_ask_arguments ask; /* for a finding */
    enum xs_explain_part part;
    bool all, full_stack;
    struct xs_filter filter;
};

enum { OPTION_ALL = 0x100, OPTION_INSTANCES, OPTION_UNDECIDED, OPTION_MODEL, OPTION_FULL_STACK };
static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "What to show:", 1},
    {"all", OPTION_ALL, NULL, 0,
     "every instance of FINDING, not the first three only; without FINDING, also the findings that save nothing", 1},
    {"instances", OPTION_INSTANCES, NULL, 0, "a row for every instance: finding, kind, row, other_kind, other_row", 1},
    {"full-stack", OPTION_FULL_STACK, NULL, 0, "the frames of libraries in FINDING's stacks, too", 1},
    {"undecided", OPTION_UNDECIDED, NULL, 0, "what could not be decided: finding, reason, count", 1},
    {"model", OPTION_MODEL, NULL, 0, "how well the replay fits the measured run; savings come from the replay", 1},
    {0}};

static const char doc[] =
    "Shows the evidence for a finding: what it means, what to do, what it costs, the stacks of its calls, and its "
    "transfers with their contents and times. Without FINDING it lists the findings, the small ones too; the causes of "
    "the report come first. FINDING is a name or a number of that list."
    "\v"
    "Examples:\n"
    "  xferspy explain run.db\n"
    "  xferspy explain run.db noop-upload\n"
    "  xferspy explain run.db duplicate-upload/freed#2 --all\n"
    "  xferspy explain --model run.db\n"
    "  xferspy explain --format=tsv run.db | column -ts \"$(printf '\\t')\"\n"
    "  xferspy explain --instances --format=tsv run.db\n"
    "\n`instead of N': another repair, in case number N cannot be repaired; `part of N': counted in what number N "
    "saves; "
    "`advice': saves nothing by itself. `exposed' is the part of a copy's time in which no kernel ran, or the host was "
    "blocked.\n"
    "\n"
    "`#2' is the second place in the program where the same thing was found. TSV has a header line, nanoseconds and "
    "bytes; an empty field means that it is not known. `removable_ns' is device time, or for some "
    "findings the time inside calls. `kind' and `row' name a table of the trace and the `id' in it, for `xferspy "
    "query'.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->ask;
        state->child_inputs[2] = &arguments->filter;
        return 0;
    case OPTION_ALL:
        arguments->all = true;
        return 0;
    case OPTION_FULL_STACK:
        arguments->full_stack = true;
        return 0;
    case OPTION_INSTANCES:
        arguments->part = XS_EXPLAIN_INSTANCES;
        return 0;
    case OPTION_UNDECIDED:
        arguments->part = XS_EXPLAIN_UNDECIDED;
        return 0;
    case OPTION_MODEL:
        arguments->part = XS_EXPLAIN_MODEL;
        return 0;
    case ARGP_KEY_END:
        if (arguments->ask.asked && (arguments->part == XS_EXPLAIN_UNDECIDED || arguments->part == XS_EXPLAIN_MODEL))
            argp_error(state, "--%s is about the whole trace",
                       arguments->part == XS_EXPLAIN_MODEL ? "model" : "undecided");
        if (arguments->part == XS_EXPLAIN_MODEL && arguments->ask.format == FORMAT_TSV)
            argp_error(state, "--model has no rows: use text or json");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* The data that on_instance collects. */
struct collected {
    bool wants_kept;
    const char *seen_of; /* the requested finding; NULL: none */
    struct xs_listed_instance *items;
    size_t count, capacity;
    struct xs_seen *seen;
    size_t seen_count, seen_capacity;
};

/* True if an instance may belong to the requested finding. If it was requested by name, only instances of its detector
 * can; this excludes most instances. */
static bool may_be_asked_for(const char *asked, unsigned detector) {
    const char *id = xs_detectors[detector]->id;
    return (*asked >= '0' && *asked <= '9') || !strncmp(asked, id, strlen(id));
}

static void see(struct collected *c, unsigned detector, const struct xs_instance *instance) {
    if (!instance->evidence_count || !may_be_asked_for(c->seen_of, detector))
        return;
    xs_grow(&c->seen, c->seen_count, &c->seen_capacity, sizeof *c->seen);
    const struct xs_evidence *first = &instance->evidence[0];
    c->seen[c->seen_count++] =
        (struct xs_seen){xs_seen_what(first->table, instance->verdict, detector), instance->site, first->row};
}

static void keep(void *data, unsigned detector, const struct xs_instance *instance) {
    struct collected *c = data;
    if (c->seen_of)
        see(c, detector, instance);
    if (!c->wants_kept)
        return;
    xs_grow(&c->items, c->count, &c->capacity, sizeof *c->items);
    struct xs_listed_instance *kept = &c->items[c->count++];
    const struct xs_times *cost = &instance->cost;
    *kept = (struct xs_listed_instance){.detector = detector,
                                        .verdict = instance->verdict,
                                        .site = instance->site,
                                        .at_ns = instance->at_ns,
                                        .transfers = instance->transfers,
                                        .bytes = instance->bytes,
                                        .claims_ns = xs_times_rank_ns(&instance->removable),
                                        .device_ns = cost->device_ns,
                                        .exposed_ns = cost->exposed_ns,
                                        .host_ns = cost->host_ns,
                                        .device_known = cost->device_known,
                                        .modelled = instance->modelled,
                                        .exposed_known = cost->exposed_known};
    for (unsigned i = 0; i < instance->evidence_count && i < XS_EVIDENCE_ROWS; i++) {
        kept->rows[i] = instance->evidence[i].row;
        kept->tables[i] = (uint8_t)instance->evidence[i].table;
        kept->evidence_count = i + 1;
    }
}

/* Returns the finding whose name is spelled most like the requested one; -1: none is similar. */
static long nearest_finding(const struct xs_diagnosis *diagnosis, const char *asked) {
    struct xs_nearest spelled;
    size_t edits = SIZE_MAX;
    long nearest = -1;
    xs_nearest_begin(&spelled, asked, strlen(asked));
    for (size_t i = 0; i < diagnosis->count; i++) {
        XS_SCOPED_STRING name = {0};
        xs_finding_name(&name, diagnosis, i);
        xs_nearest_try(&spelled, name.data);
        if (xs_nearest_name(&spelled) && spelled.edits < edits) {
            edits = spelled.edits;
            nearest = (long)i;
        }
    }
    return nearest;
}

/* Prints which finding the user probably meant, or which numbers there are. False: all names have to be listed. */
static bool say_nearest(const struct arguments *arguments, const struct xs_diagnosis *diagnosis) {
    const char *asked = arguments->ask.asked, *trace = arguments->ask.trace;
    if (diagnosis->count && *asked && !asked[strspn(asked, "0123456789")]) {
        if (diagnosis->count == 1)
            xs_complain("%s: no finding %s; the trace has number 1 alone", trace, asked);
        else
            xs_complain("%s: no finding %s; the trace has numbers 1 to %zu", trace, asked, diagnosis->count);
        return true;
    }
    long nearest = nearest_finding(diagnosis, asked);
    if (nearest < 0)
        return false;
    XS_SCOPED_STRING name = {0};
    xs_finding_name(&name, diagnosis, (size_t)nearest);
    xs_complain("%s: no finding `%s'; did you mean `%s'?", trace, asked, name.data);
    return true;
}

/* Says that a missing finding may still exist, because not all cases could be decided. */
static bool say_undecided(const struct arguments *arguments, const struct xs_findings *findings) {
    const char *asked = arguments->ask.asked, *slash = strchr(asked, '/');
    size_t length = slash ? (size_t)(slash - asked) : strlen(asked);
    const struct xs_undecided *most = NULL;
    uint64_t undecided = 0;
    for (size_t i = 0; i < findings->undecided_count; i++) {
        const char *id = xs_detectors[findings->undecided[i].detector]->id;
        if (strlen(id) != length || strncmp(id, asked, length) != 0)
            continue;
        undecided = xs_sum(undecided, findings->undecided[i].count);
        most = most && most->count >= findings->undecided[i].count ? most : &findings->undecided[i];
    }
    if (!most || findings->selection) /* undecided cases are counted over the whole trace */
        return false;
    bool unchecked = false;
    for (size_t i = 0; i < findings->unchecked_count; i++)
        unchecked |= findings->unchecked[i].detector == most->detector;
    xs_complain("%s: no finding `%s'; of %s cop%s it could not be decided (%s)%s", arguments->ask.trace, asked,
                XS_COUNT_TEXT(undecided), undecided == 1 ? "y" : "ies", most->reason,
                unchecked ? ": " XS_UNCHECKED_REMEDY : "");
    return true;
}

/* Says which findings can be requested instead. Returns the exit status. */
static int no_such_finding(const struct arguments *arguments, const struct xs_diagnosis *diagnosis, bool several) {
    XS_SCOPED_STRING names = {0};
    if (!several && access(arguments->ask.asked, F_OK) == 0) {
        xs_complain("one trace at a time: %s is a file, no finding", arguments->ask.asked);
        return XS_EXIT_USAGE;
    }
    if (!several && (say_undecided(arguments, diagnosis->findings) || say_nearest(arguments, diagnosis)))
        return XS_EXIT_ERROR;
    for (size_t i = 0; i < diagnosis->count && i < NAMES_SHOWN; i++) {
        if (i)
            xs_string_format(&names, ", ");
        xs_finding_name(&names, diagnosis, i);
    }
    if (diagnosis->count > NAMES_SHOWN)
        xs_string_format(&names, " and %zu more", diagnosis->count - NAMES_SHOWN);
    if (!diagnosis->count)
        xs_complain("%s: no finding `%s'; %s", arguments->ask.trace, arguments->ask.asked,
                    diagnosis->findings->selection ? "none passes the filter" : "the trace has none at all");
    else
        xs_complain("%s: %s `%s'; the trace has %s", arguments->ask.trace,
                    several ? "several findings are called" : "no finding", arguments->ask.asked, names.data);
    return XS_EXIT_ERROR;
}

static void print_model(const struct xs_diagnosis *diagnosis, struct xs_out *out) {
    fputs("The replay\n", out->file);
    xs_replay_text(diagnosis, out);
    xs_out_heading(out, "The link");
    xs_findings_link_lines(&diagnosis->findings->link, out);
}

static int print(const struct xs_explain *explain, const struct arguments *arguments, struct xs_out *out,
                 char *message) {
    struct xs_json json = {.file = out->file};
    bool tsv = arguments->ask.format == FORMAT_TSV;
    if (arguments->ask.format == FORMAT_JSON)
        return xs_explain_json(explain, arguments->part, &json, message);
    if (!tsv && explain->diagnosis->findings->selection) {
        struct xs_string filter = {0};
        xs_filter_sentence(&filter, explain->diagnosis->findings);
        xs_out_take_fact(out, "filter", &filter);
    }
    if (arguments->part == XS_EXPLAIN_UNDECIDED)
        xs_explain_undecided(explain, tsv, out);
    else if (arguments->part == XS_EXPLAIN_MODEL)
        print_model(explain->diagnosis, out);
    else if (arguments->part == XS_EXPLAIN_INSTANCES || (tsv && explain->all))
        xs_explain_instances(explain, tsv, out);
    else if (tsv)
        xs_explain_rows(explain, out);
    else if (explain->chosen >= 0)
        return xs_explain_one(explain, out, message);
    else
        xs_explain_list(explain, out);
    return XS_OK;
}

/* Prints the result. It writes nothing before it is certain that the finding exists. */
static int show(struct xs_explain *explain, const struct arguments *arguments) {
    struct xs_out out;
    char message[XS_TRACE_MESSAGE_BYTES] = "";
    explain->chosen = arguments->ask.asked ? xs_finding_find(explain->diagnosis, arguments->ask.asked) : -1;
    if (arguments->ask.asked && explain->chosen < 0)
        return no_such_finding(arguments, explain->diagnosis, explain->chosen == -2);
    if (xs_out_open(&out, &arguments->ask.output) < 0)
        return XS_EXIT_ERROR;
    int status = print(explain, arguments, &out, message);
    if (status < 0)
        xs_complain("%s", message);
    if (xs_out_close(&out, status >= 0) < 0)
        status = XS_ERROR_SYSTEM;
    return status < 0 ? XS_EXIT_ERROR : XS_EXIT_OK;
}

static void note_findings(struct xs_explain *explain) {
    for (size_t i = 0; explain->kept_count && i < explain->diagnosis->count; i++) {
        const struct xs_finding *f = explain->diagnosis->items[i].finding;
        for (unsigned verdict = 0; verdict < XS_VERDICTS; verdict++)
            if (xs_finding_has_verdict(f, verdict))
                *xs_hash_put(&explain->finding_of, f->site, (uint64_t)f->detector << 32 | verdict) = i + 1;
    }
}

static int explain_trace(const struct arguments *arguments) {
    struct collected collected = {
        .wants_kept = arguments->part == XS_EXPLAIN_INSTANCES ||
                      (arguments->all && (arguments->ask.asked || arguments->ask.format != FORMAT_TEXT)),
        .seen_of = arguments->part == XS_EXPLAIN_FINDINGS ? arguments->ask.asked : NULL,
    };
    const struct xs_analysis_options analysis = {.on_instance = collected.wants_kept || collected.seen_of ? keep : NULL,
                                                 .data = &collected,
                                                 .filter = &arguments->filter,
                                                 .shows_replay = arguments->part == XS_EXPLAIN_MODEL};
    struct xs_reading reading;
    int status = xs_reading_open(
        arguments->ask.trace, &(struct xs_reading_request){.analysis = &analysis, .without_summary = true}, &reading);
    if (status == XS_EXIT_OK) {
        struct xs_explain explain = {.trace = &reading.trace,
                                     .diagnosis = reading.diagnosis,
                                     .contents = reading.contents,
                                     .kept = collected.items,
                                     .kept_count = collected.count,
                                     .seen = collected.seen,
                                     .seen_count = collected.seen_count,
                                     .all = arguments->all,
                                     .full_stack = arguments->full_stack};
        note_findings(&explain);
        status = show(&explain, arguments);
        xs_hash_free(&explain.finding_of);
        xs_reading_close(&reading);
    }
    free(collected.items);
    free(collected.seen);
    return status;
}

static const struct argp_child children[] = {XS_ASK_CHILD, XS_DEBUG_PATH_CHILD, XS_FILTER_CHILD, {0}};
const struct xs_interface xs_interface_explain = {
    .argp = {.options = options, .parser = parse, .args_doc = "TRACE|PID [FINDING]", .doc = doc, .children = children},
    .formats = format_names};

int xs_command_explain(int argc, char **argv) {
    struct arguments arguments = {.ask = {.formats = format_names, .one_only = "one trace and one finding at a time"},
                                  .part = XS_EXPLAIN_FINDINGS};
    if (argp_parse(&xs_interface_explain.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    int status = XS_EXIT_ERROR;
    char *path = xs_trace_named(arguments.ask.trace);
    arguments.ask.trace = path;
    if (path && !xs_output_is_input(&arguments.ask.output, &arguments.ask.trace, 1))
        status = explain_trace(&arguments);
    free(path);
    xs_filter_free(&arguments.filter);
    return status;
}
