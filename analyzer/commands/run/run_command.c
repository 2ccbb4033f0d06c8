/* xferspy run: starts a program under capture. Its options are those of the preloaded library (schema/options.def),
 * passed on as environment variables. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/base/unknown_variables.h"
#include "analyzer/commands/common/command.h"
#include "analyzer/commands/run/run.h"
#include "schema/guard_spec.h"
#include "schema/labels.h"
#include "schema/option_value.h"
#include "schema/redact.h"
#include "schema/window_spec.h"

XS_DECLARE_COMMAND(run)

struct capture_option {
    const char *field, *name, *preset, *values, *help;
    enum xs_option_type type;
};
static const struct capture_option capture_options[] = {
#define XS_OPTION(field, name, type, preset, values, help) {#field, name, preset, values, help, XS_OPTION_##type},
#include "schema/options.def"
#undef XS_OPTION
};
enum { CAPTURE_OPTIONS = sizeof capture_options / sizeof *capture_options };

enum { KEY_CAPTURE = 0x2000, KEY_LABEL = 0x2fff, KEY_REPORT = 0x3000, KEY_REPORT_OUTPUT, KEY_FORCE, KEY_FLEET_DIR };

struct arguments {
    struct xs_out_options output;
    bool report, names_trace;
    char **program;
};

static const char doc[] =
    "Runs a program and records its copies between CPU and GPU. The program needs no rebuild. Its output, exit status "
    "and signals stay the same. Every process that uses CUDA writes a trace."
    "\v"
    "Examples:\n"
    "  xferspy run -- ./app --its-own options\n"
    "  xferspy run -o run.%n.db -- ./app          run.1.db, the next time run.2.db\n"
    "  xferspy run --report -- python train.py\n"
    "  xferspy run --skip-steps=20 --steps=10 -- python train.py\n"
    "  xferspy run --output=traces/%h-%r.db -- mpirun ./solver\n"
    "  xferspy run --label team=vision --label night=3 -- ./app\n"
    "\n"
    "Each capture option is also an environment variable: XFERSPY_OUTPUT for --output. The option overrides the "
    "variable. You can also preload the library yourself:\n"
    "  XFERSPY_OUTPUT=run.db LD_PRELOAD=libxferspy.so ./app\n"
    "\n"
    "Exit status: the program's; 127 if the program is not found, 126 if it cannot be started. If xferspy did not try "
    "to start it: 1 with a message (libxferspy.so is not found or cannot be preloaded, or the file of -o or of "
    "--report-output exists or cannot be made), 2 for a mistake in the options.";

const char *xs_pattern_refused(const char *pattern) {
    static const struct xs_redact_functions functions = {regcomp, regexec, regfree};
    regex_t compiled;
    const char *why = xs_redact_compile(&functions, pattern, &compiled);
    if (!why)
        regfree(&compiled);
    return why;
}

static void refuse(const struct capture_option *option, const char *value, struct argp_state *state) {
    XS_SCOPED_STRING name = {0}, why = {0};
    const char *dots = strstr(option->values, "..");
    xs_option_name_add(&name, option->field);
    if (option->type == XS_OPTION_INT && dots)
        xs_string_format(&why, " is not between %.*s and %s", (int)(dots - option->values), option->values, dots + 2);
    else
        xs_string_format(&why, ": use %s", option->values);
    argp_error(state, "--%s=%s%s", name.data, value, why.data);
}

/* Returns why a guard is not valid, or has a rule that this run cannot break; `text` is for the message. NULL: it is
 * valid. Whether the run has steps and contents is known only when all options were read. */
static const char *refused_guard(const char *value, const struct xs_guard_run *run, struct xs_string *text) {
    struct xs_guard_spec spec;
    const char *rule, *why;
    size_t bytes;
    why = xs_guard_spec_read(&spec, value, &rule, &bytes);
    if (why && bytes)
        xs_string_format(text, "`%.*s': %s", (int)bytes, rule, why);
    else if (why)
        xs_string_format(text, "%s", why);
    for (unsigned i = 0; run && !text->length && i < spec.count; i++)
        if ((why = xs_guard_rule_refused(&spec.rules[i], run)))
            xs_string_format(text, "`%s': %s", spec.rules[i].text, why);
    return text->length ? text->data : NULL;
}

static bool is_set(const char *variable) {
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

/* Prints why the guard, of an option or of the environment, is not valid. */
static bool check_guard(void) {
    const char *value = getenv("XFERSPY_GUARD"), *contents = getenv("XFERSPY_FINGERPRINT");
    const struct xs_guard_run run = {.has_steps = is_set("XFERSPY_STEP") || is_set("XFERSPY_STEPS") ||
                                                  is_set("XFERSPY_SKIP_STEPS"),
                                     .has_contents = !contents || strcasecmp(contents, "off") != 0};
    XS_SCOPED_STRING text = {0};
    if (!value || !*value || !refused_guard(value, &run, &text))
        return true;
    xs_complain("--guard=%s: %s", value, text.data);
    return false;
}

/* Returns why the value is not a valid window or name; NULL: it is valid. The library would say so, too, but only when
 * the program runs. */
static const char *refused_part(const struct capture_option *option, const char *value) {
    struct xs_window_spec spec;
    if (!strcmp(option->field, "window"))
        return *value ? xs_window_spec_read(&spec, value) : "use " XS_WINDOW_SPEC_FORMS;
    if (!strcmp(option->field, "labels"))
        return *value ? xs_labels_refused(value) : "use KEY=VALUE,...";
    return strcmp(option->field, "step") ? NULL : xs_range_name_refused(value);
}

/* Adds a label to those of the environment and of earlier options. */
static void add_label(const char *text, struct argp_state *state) {
    static const char variable[] = "XFERSPY_LABELS";
    const char *before = getenv(variable), *why = xs_labels_refused(text);
    XS_SCOPED_STRING all = {0};
    xs_string_format(&all, "%s%s%s", before ? before : "", before && *before ? "," : "", text);
    if (!*text)
        why = "use KEY=VALUE";
    else if (strchr(text, ','))
        why = "a value has no comma, which separates labels";
    else if (!why && all.length >= XS_OPTION_TEXT_BYTES)
        why = "all labels together have 1023 bytes at most";
    else if (!why)
        why = xs_labels_refused(all.data);
    if (why)
        argp_error(state, "--label=%s: %s", text, why);
    else if (setenv(variable, all.data, 1) != 0)
        xs_out_of_memory();
}

static const char *const repair_names[] = {
#define XS_REPAIR(id, symbol, name, what) name,
#include "schema/repairs.def"
#undef XS_REPAIR
    NULL};

/* Sets `*name` to the first name in the list that is no repair, and returns its length; 0: there is none. */
static size_t wrong_repair(const char *list, const char **name) {
    for (size_t bytes; *list; list += bytes + (list[bytes] == ',')) {
        bool known = !(bytes = strcspn(list, ",")) || (bytes == strlen("all") && !strncmp(list, "all", bytes));
        for (size_t i = 0; repair_names[i]; i++)
            known |= strlen(repair_names[i]) == bytes && !strncmp(list, repair_names[i], bytes);
        *name = list;
        if (!known)
            return bytes;
    }
    return 0;
}

/* True if the value names an unknown repair. The library would then run the program without any repair. */
static bool is_wrong_repair(const struct capture_option *option, const char *value, struct argp_state *state) {
    if (strcmp(option->field, "repair") != 0)
        return false;
    const char *name = value;
    size_t bytes = wrong_repair(value, &name);
    XS_SCOPED_STRING why = {0};
    if (!bytes && value[strspn(value, ",")])
        return false;
    if (bytes)
        xs_string_format(&why, "there is no repair `%.*s'; ", (int)bytes, name);
    xs_string_format(&why, "use ");
    for (size_t i = 0; repair_names[i]; i++)
        xs_string_format(&why, "%s%s", i ? ", " : "", repair_names[i]);
    argp_error(state, "--repair=%s: %s or all", value, why.data);
    return true;
}

static void set_capture_option(const struct capture_option *option, const char *value, struct argp_state *state) {
    XS_SCOPED_STRING name = {0};
    value = value ? value : "on"; /* a switch without a value */
    const char *why = refused_part(option, value);
    if (why) {
        argp_error(state, "--%s=%s: %s", option->field, value, why);
        return;
    }
    if (is_wrong_repair(option, value, state))
        return;
    XS_SCOPED_STRING guard = {0};
    if (!strcmp(option->field, "guard") && *value && refused_guard(value, NULL, &guard)) {
        argp_error(state, "--guard=%s: %s", value, guard.data);
        return;
    }
    why = option->type == XS_OPTION_PATTERN ? *value ? xs_pattern_refused(value) : "is empty" : NULL;
    if (why) { /* the message does not contain the value, which may have a secret */
        xs_option_name_add(&name, option->field);
        argp_error(state, "--%s: the pattern %s", name.data, why);
        return;
    }
    struct xs_option_value parsed;
    if (!*value || !xs_option_parse(option->type, option->values, value, &parsed)) {
        refuse(option, value, state);
        return;
    }
    xs_string_format(&name, "XFERSPY_%s", option->name);
    if (setenv(name.data, value, 1) != 0)
        xs_out_of_memory();
    if (!strcmp(option->field, "output"))
        ((struct arguments *)state->input)->names_trace = true;
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    if (key >= KEY_CAPTURE && key < KEY_CAPTURE + CAPTURE_OPTIONS) {
        set_capture_option(&capture_options[key - KEY_CAPTURE], argument, state);
        return 0;
    }
    switch (key) {
    case 'o':
        for (int i = 0; i < CAPTURE_OPTIONS; i++)
            if (!strcmp(capture_options[i].field, "output"))
                set_capture_option(&capture_options[i], argument, state);
        return 0;
    case KEY_LABEL:
        add_label(argument, state);
        return 0;
    case KEY_REPORT_OUTPUT:
        arguments->output.path = argument;
        arguments->report = true;
        return 0;
    case KEY_FORCE:
        arguments->output.force = true;
        return 0;
    case KEY_FLEET_DIR:
        if (!*argument)
            argp_error(state, "--fleet-dir=: which folder?");
        if (setenv(XS_FLEET_DIR, argument, 1) != 0)
            xs_out_of_memory();
        return 0;
    case KEY_REPORT:
        arguments->report = true;
        return 0;
    case ARGP_KEY_ARG:
        arguments->program = state->argv + state->next - 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which program?");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Adds help text. Names of other options are replaced by the options of this command: --skip-steps for @SKIP_STEPS. */
static void add_help(struct xs_string *help, const char *text) {
    for (const char *c = text; *c; c++) {
        if (*c != '@') {
            xs_string_add(help, c, 1);
            continue;
        }
        xs_string_format(help, "--");
        for (; (c[1] >= 'A' && c[1] <= 'Z') || c[1] == '_'; c++)
            xs_string_format(help, "%c", c[1] == '_' ? '-' : c[1] - 'A' + 'a');
    }
}

static const struct argp_option other_options[] = {
    {NULL, 'o', "FILE", OPTION_HIDDEN, NULL, 1},
    {"label", KEY_LABEL, "KEY=VALUE", 0, "add one label to those of --labels; can be given several times", 1},
    {NULL, 0, NULL, 0, "Afterwards:", 2},
    {"report", KEY_REPORT, NULL, 0,
     "when the program ends, print the report of its traces to standard error; standard output stays the program's", 2},
    {"report-output", KEY_REPORT_OUTPUT, "FILE", 0, "print the report to FILE (`-': standard output); implies --report",
     2},
    {"fleet-dir", KEY_FLEET_DIR, "DIR", 0,
     "when the program ends, add the numbers of its traces to the tables in DIR, which databases read; the same as "
     "XFERSPY_FLEET_DIR",
     2},
    {"force", KEY_FORCE, NULL, 0, "let -o replace an existing trace, and --report-output an existing file", 2},
    {0}};
static struct argp_option options[1 + CAPTURE_OPTIONS + sizeof other_options / sizeof *other_options];
const struct xs_interface xs_interface_run = {
    .argp = {.options = options, .parser = parse, .args_doc = "[--] PROGRAM [ARGUMENTS]", .doc = doc}};

/* Builds the table from options.def. The preprocessor cannot do that, because names are written as variables there, and
 * defaults are separate. It runs before main, because help, completion and man pages read the table, too. The table is
 * never freed. */
__attribute__((constructor)) static void build_options(void) {
    size_t n = 0;
    options[n++] = (struct argp_option){.doc = "Capture:", .group = 1};
    for (int i = 0; i < CAPTURE_OPTIONS; i++) {
        const struct capture_option *option = &capture_options[i];
        struct xs_string name = {0}, help = {0};
        xs_option_name_add(&name, option->field);
        add_help(&help, option->help);
        if (*option->preset)
            xs_string_format(&help, " (default: %s)", option->preset);
        if (!strcmp(option->field, "output"))
            xs_string_format(&help, "; short: -o FILE");
        options[n++] = (struct argp_option){.name = name.data,
                                            .key = KEY_CAPTURE + i,
                                            .arg = option->values,
                                            .flags = option->type == XS_OPTION_BOOL ? OPTION_ARG_OPTIONAL : 0,
                                            .doc = help.data,
                                            .group = 1};
    }
    memcpy(&options[n], other_options, sizeof other_options);
}

static int start(struct arguments *arguments) {
    if (xs_out_check(&arguments->output) < 0)
        return XS_EXIT_ERROR;
    if (!check_guard())
        return XS_EXIT_USAGE;
    char *tried = NULL, *library = xs_find_library(&tried);
    if (!library) {
        xs_complain(XS_LIBRARY_NOT_FOUND_AT, tried);
        free(tried);
        return XS_EXIT_ERROR;
    }
    if (!xs_option_is_on(getenv("XFERSPY_QUIET")))
        xs_warn_about_variables();
    XS_SCOPED char *program = xs_find_program(arguments->program[0]);
    bool warned = program && xs_warn_about_program(program);
    int status = XS_EXIT_OK;
    if (program && access(program, X_OK) == 0) /* otherwise the program cannot be started, and that is reported later */
        status = xs_output_prepare(program, arguments->names_trace, arguments->output.force);
    if (status == XS_EXIT_OK)
        status = xs_set_preload(library) < 0
                     ? XS_EXIT_ERROR
                     : xs_run_program(arguments->program, arguments->report ? &arguments->output : NULL, warned);
    free(library);
    return status;
}

int xs_command_run(int argc, char **argv) {
    struct arguments arguments = {0};
    if (argp_parse(&xs_interface_run.argp, argc, argv, ARGP_IN_ORDER, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    return start(&arguments);
}
