/* Parses the arguments that the commands share by which the user controls processes, and shows the answers; see
 * control.h. */
#include "analyzer/commands/control/control.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/json.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/table.h"
#include "analyzer/base/text.h"
#include "analyzer/base/units.h"

enum { OPTION_JOB = 0x400, OPTION_ALL, OPTION_FORMAT, OPTION_JSON };
static const char *const formats[] = {"text", "json", NULL};

static const struct argp_option options[] = {
    {NULL, 0, NULL, 0, "Which processes:", 1},
    {"job", OPTION_JOB, "DIR", 0, "all whose traces, or whose sockets (XFERSPY_CONTROL=DIR), lie in this folder", 1},
    {"all", OPTION_ALL, NULL, 0, "all of this user; of all users, if root asks", 1},
    {NULL, 0, NULL, 0, "Output:", 8},
    {"format", OPTION_FORMAT, "text|json", 0, "text is the default", 8},
    {"json", OPTION_JSON, NULL, 0, "the same as --format=json: format \"xferspy-control\"", 8},
    {0}};

static void add_pid(struct xs_control_arguments *arguments, const char *text, struct argp_state *state) {
    struct xs_control_wanted *wanted = &arguments->wanted;
    char *end;
    long long pid = strtoll(text, &end, 10);
    if (end == text || *end || pid < 1) {
        argp_error(state, "`%s' is no number of a process", text);
        return;
    }
    wanted->pids = xs_realloc(wanted->pids, (wanted->count + 1) * sizeof *wanted->pids);
    wanted->pids[wanted->count++] = pid;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct xs_control_arguments *arguments = state->input;
    struct xs_control_wanted *wanted = &arguments->wanted;
    switch (key) {
    case OPTION_JOB:
        wanted->job = argument;
        return 0;
    case OPTION_ALL:
        wanted->all = true;
        return 0;
    case OPTION_FORMAT:
        arguments->json = xs_parse_word("format", argument, formats, state) != 0;
        return 0;
    case OPTION_JSON:
        arguments->json = true;
        return 0;
    case ARGP_KEY_ARG:
        add_pid(arguments, argument, state);
        return 0;
    case ARGP_KEY_END:
        if (!wanted->all && !wanted->job && !wanted->count && arguments->all_by_default)
            wanted->all = true;
        else if (wanted->all + (wanted->job != NULL) + (wanted->count > 0) != 1)
            argp_error(state, "which processes? Give their numbers, or --job=DIR, or --all");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp xs_control_argp = {options, parse, NULL, NULL, NULL, NULL, NULL};

error_t xs_control_parse(int key, char *argument, struct argp_state *state) {
    (void)argument;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

/* ---- the answers ---- */

static const char *const times_words[] = {[XS_CONTROL_TIMES_NONE] = "none",
                                          [XS_CONTROL_TIMES_OFF] = "off",
                                          [XS_CONTROL_TIMES_COMING] = "coming",
                                          [XS_CONTROL_TIMES_ON] = "on"};

static const char *state_word(const struct xs_controlled *one) {
    return !one->is_answered || *one->reply.refused ? "unknown" : one->reply.is_recording ? "recording" : "asleep";
}

static void put_table(const struct xs_controlled_list *list, struct xs_out *out) {
    static const struct {
        const char *header;
        bool right;
    } columns[] = {{"process", true},       {"program", false}, {"state", false}, {"stops in", true},
                   {"device times", false}, {"parts", true},    {"events", true}, {"trace", false}};
    XS_SCOPED_TABLE *table = xs_table_new(0);
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        xs_table_column(table, columns[i].header, columns[i].right);
    for (size_t i = 0; i < list->count; i++) {
        const struct xs_controlled *one = &list->items[i];
        const struct xs_control_reply *reply = &one->reply;
        if (!one->is_answered || *reply->refused)
            continue;
        xs_table_format(table, "%" PRId64, one->pid);
        xs_table_cell(table, reply->program);
        xs_table_cell(table, state_word(one));
        xs_table_cell(table, reply->left_ns ? XS_NS_TEXT(reply->left_ns) : NULL);
        xs_table_cell(table, times_words[reply->device_times]);
        xs_table_cell(table, reply->is_changeable ? XS_COUNT_TEXT(reply->windows) : NULL);
        xs_table_cell(table, XS_COUNT_TEXT(reply->events));
        xs_table_cell(table, reply->trace);
    }
    if (xs_table_rows(table))
        xs_table_print(table, out);
}

static void put_json(const struct xs_controlled_list *list, struct xs_out *out) {
    struct xs_json json = {.file = out->file};
    xs_json_document(&json, "xferspy-control", 1);
    xs_json_array(&json, "processes");
    for (size_t i = 0; i < list->count; i++) {
        const struct xs_controlled *one = &list->items[i];
        const struct xs_control_reply *reply = &one->reply;
        bool is_known = one->is_answered && !*reply->refused;
        xs_json_object(&json, NULL);
        xs_json_int(&json, "pid", one->pid);
        xs_json_text(&json, "problem", one->problem);
        xs_json_text(&json, "program", is_known ? reply->program : NULL);
        xs_json_text(&json, "state", is_known ? state_word(one) : NULL);
        xs_json_text(&json, "device_times", is_known ? times_words[reply->device_times] : NULL);
        xs_json_known_count(&json, "parts", is_known && reply->is_changeable, reply->windows);
        xs_json_known_count(&json, "recorded_ns", is_known && reply->is_changeable, reply->recorded_ns);
        xs_json_known_count(&json, "stops_in_ns", is_known && reply->left_ns, reply->left_ns);
        xs_json_known_count(&json, "events", is_known, reply->events);
        xs_json_text(&json, "trace", is_known ? reply->trace : NULL);
        xs_json_end(&json, '}');
    }
    xs_json_end(&json, ']');
    xs_json_end(&json, '}');
}

/* Says why a process was not reached. Returns false if there is nothing to say. */
static bool complain(const struct xs_control_wanted *wanted, const struct xs_controlled_list *list) {
    bool any = false;
    if (list->missing)
        xs_complain("process %" PRId64 " cannot be reached, nor can one that it started; was it started under xferspy "
                    "with XFERSPY_START=off or XFERSPY_CONTROL=on, and has it used CUDA?",
                    list->missing);
    else if (!list->count)
        xs_complain("no process %s%s can be reached: none was started under xferspy with XFERSPY_START=off or "
                    "XFERSPY_CONTROL=on, or none has used CUDA yet",
                    wanted->job ? "of " : "of this user", wanted->job ? wanted->job : "");
    for (size_t i = 0; i < list->count; i++) {
        const struct xs_controlled *one = &list->items[i];
        if (one->problem)
            xs_complain("process %" PRId64 ": %s", one->pid, one->problem);
        any |= one->problem != NULL;
    }
    return any || list->missing || !list->count;
}

int xs_control_command(struct xs_control_arguments *arguments, const struct xs_control_request *request) {
    struct xs_controlled_list list;
    struct xs_out out;
    if (xs_out_open(&out, &(struct xs_out_options){0}) < 0)
        return XS_EXIT_ERROR;
    xs_control_find(&arguments->wanted, &list);
    xs_control_exchange(&list, request);
    if (arguments->json)
        put_json(&list, &out);
    else
        put_table(&list, &out);
    bool has_problem = complain(&arguments->wanted, &list);
    xs_control_list_free(&list);
    free(arguments->wanted.pids);
    return xs_out_close(&out, true) < 0 || has_problem ? XS_EXIT_ERROR : XS_EXIT_OK;
}

int xs_control_run(const struct xs_interface *interface, int argc, char **argv, enum xs_control_verb verb,
                   bool all_by_default) {
    struct xs_control_arguments arguments = {.all_by_default = all_by_default};
    if (argp_parse(&interface->argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    return xs_control_command(&arguments, &(struct xs_control_request){.verb = verb});
}
