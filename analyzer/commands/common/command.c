/* Defines what all commands share; see command.h. */
#include "analyzer/commands/common/command.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyzer/base/progress.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/common/installation.h"
#include "analyzer/commands/common/traces.h"
#include "analyzer/trace/lines/lines.h"

void xs_option_name_add(struct xs_string *name, const char *field) {
    for (const char *c = field; *c; c++)
        xs_string_add(name, *c == '_' ? "-" : c, 1);
}

/* Adds "this, that or another"; `note` follows the first word. */
static void add_words(struct xs_string *string, const char *const *words, const char *note) {
    for (size_t i = 0; words[i]; i++)
        xs_string_format(string, "%s%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i], i ? "" : note);
}

void xs_format_help(struct xs_string *string, const char *const *formats) {
    add_words(string, formats, " (the default)");
}

int xs_parse_word(const char *option, const char *text, const char *const *words, struct argp_state *state) {
    XS_SCOPED_STRING list = {0};
    for (int i = 0; words[i]; i++)
        if (!strcmp(text, words[i]))
            return i;
    add_words(&list, words, "");
    argp_error(state, "--%s=%s: use %s", option, text, list.data);
    return 0;
}

enum { OPTION_FORCE = 0x1000, OPTION_COLOR, OPTION_OUTPUT, OPTION_FORMAT, OPTION_FORMAT_JSON };
static const struct argp_option output_options[] = {
    {NULL, 0, NULL, 0, "Output:", 9},
    /* two rows, because argp would otherwise explain the arguments of short options in every help text */
    {"output", OPTION_OUTPUT, "FILE", 0, "write to FILE instead of standard output; short: -o FILE", 9},
    {NULL, 'o', "FILE", OPTION_HIDDEN, NULL, 9},
    {"force", OPTION_FORCE, NULL, 0, XS_HELP_FORCE, 9},
    {"color", OPTION_COLOR, "auto|always|never", 0, "when to use colour (default: auto); NO_COLOR is respected", 9},
    {0}};

static error_t parse_output(int key, char *argument, struct argp_state *state) {
    static const char *const when[] = {"auto", "always", "never", NULL};
    struct xs_out_options *options = state->input;
    switch (key) {
    case 'o':
    case OPTION_OUTPUT:
        options->path = argument;
        return 0;
    case OPTION_FORCE:
        options->force = true;
        return 0;
    case OPTION_COLOR:
        options->color = (enum xs_color_when)xs_parse_word("color", argument, when, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
const struct argp xs_output_argp = {.options = output_options, .parser = parse_output};

size_t xs_parse_number(const char *option, const char *text, size_t least, size_t most, struct argp_state *state) {
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    bool wrong = errno || end == text || *end || *text == '-' || number < least || number > most;
    if (wrong && most == SIZE_MAX)
        argp_error(state, "--%s=%s: use a number from %zu", option, text, least);
    else if (wrong)
        argp_error(state, "--%s=%s: use a number from %zu to %zu", option, text, least, most);
    return (size_t)number;
}

error_t xs_parse_traces(int key, char *argument, struct argp_state *state) {
    struct xs_traces_arguments *arguments = state->input;
    (void)argument;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->output;
        return 0;
    case XS_OPTION_JSON:
        arguments->json = true;
        return 0;
    case XS_OPTION_DETAILS:
        arguments->details = true;
        return 0;
    case ARGP_KEY_ARGS:
        arguments->traces = state->argv + state->next;
        arguments->count = state->argc - state->next;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which trace?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

char *xs_help_with_page(int key, const char *text, const char *page) {
    XS_SCOPED char *where = key == ARGP_KEY_HELP_POST_DOC ? xs_docs_page(page) : NULL;
    XS_SCOPED char *escaped = where ? xs_text_escaped(where) : NULL;
    char *help = escaped ? xs_text_format("%s\n\nMore: %s", text ? text : "", escaped) : NULL;
    return help ? help : (char *)(uintptr_t)text;
}

static const struct argp_option ask_options[] = {
    {"format", OPTION_FORMAT, "FORMAT", 0, "", 1}, /* the help names the command's formats */
    {"json", OPTION_FORMAT_JSON, NULL, 0, XS_HELP_JSON, 1},
    {0}};

static char *help_ask(int key, const char *text, void *input) {
    const struct xs_ask_arguments *arguments = input;
    struct xs_string help = {0};
    if (key == OPTION_FORMAT && arguments)
        xs_format_help(&help, arguments->formats);
    return help.data ? help.data : (char *)(uintptr_t)text;
}

static error_t parse_ask(int key, char *argument, struct argp_state *state) {
    struct xs_ask_arguments *arguments = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->output;
        return 0;
    case OPTION_FORMAT:
    case OPTION_FORMAT_JSON:
        arguments->format =
            (unsigned)xs_parse_word("format", key == OPTION_FORMAT ? argument : "json", arguments->formats, state);
        return 0;
    case ARGP_KEY_ARG:
        if (state->arg_num > 1)
            argp_error(state, "%s", arguments->one_only);
        else if (state->arg_num)
            arguments->asked = argument;
        else
            arguments->trace = argument;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->trace)
            argp_error(state, "which trace?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}
static const struct argp_child ask_children[] = {XS_OUTPUT_CHILD, {0}};
const struct argp xs_ask_argp = {
    .options = ask_options, .parser = parse_ask, .children = ask_children, .help_filter = help_ask};

int xs_open(const char *path, struct xs_trace *trace, bool quietly) {
    char message[XS_TRACE_MESSAGE_BYTES];
    if (xs_complain_folder(path))
        return XS_ERROR_SYSTEM;
    int status = xs_trace_open(path, trace, message);
    if (status < 0) {
        xs_complain("%s", message);
        return status;
    }
    if (trace->recovered_events > 0 || (trace->recovered_events == 0 && !trace->warning[0]))
        xs_complain("%s: its process was killed; %lld events that it left were recovered", path,
                    (long long)trace->recovered_events);
    if (trace->warning[0])
        xs_complain("%s: %s", path, trace->warning);
    else if (trace->is_live && !quietly)
        xs_complain("%s: still being written; this is what it holds so far", path);
    if (!quietly) {
        xs_progress_begin(trace);
        xs_lines_complete(trace);
        xs_progress_end();
    }
    return XS_OK;
}

void xs_complain_live(const char *path, const char *verb) {
    xs_complain("%s: still being written; %s it when its process has ended", path, verb);
}

bool xs_output_is_input(const struct xs_out_options *options, char *const *inputs, int count) {
    struct stat output, input;
    if (!options->path || stat(options->path, &output) != 0 || !S_ISREG(output.st_mode))
        return false;
    for (int i = 0; i < count; i++) {
        if (stat(inputs[i], &input) == 0 && input.st_ino == output.st_ino && input.st_dev == output.st_dev) {
            xs_complain("%s: is the trace being read; -o has to name another file", options->path);
            return true;
        }
    }
    return false;
}
