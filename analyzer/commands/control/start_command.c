/* xferspy start: begins the recording of processes that sleep. */
#include <string.h>

#include "analyzer/base/text.h"
#include "analyzer/commands/control/control.h"
#include "schema/window_spec.h"

XS_DECLARE_COMMAND(start)

enum { OPTION_FOR = 0x100, OPTION_CAPTURE = 0x2000 };

/* The options of the library, which are accepted so that they can be refused by name. */
static const struct capture_option {
    const char *field, *name;
} capture_options[] = {
#define XS_OPTION(field, name, type, preset, values, help) {#field, name},
#include "schema/options.def"
#undef XS_OPTION
};
enum { CAPTURE_OPTIONS = sizeof capture_options / sizeof *capture_options };

struct arguments {
    struct xs_control_arguments control;
    uint64_t for_ns;
};

static const char doc[] =
    "Begins the recording of processes that were started under xferspy with XFERSPY_START=off. PID is such a process, "
    "or a launcher that started some: all of them begin at once."
    "\v"
    "Examples:\n"
    "  XFERSPY_START=off xferspy run -- python train.py &\n"
    "  xferspy start --for=10s $!\n"
    "  xferspy start --job=traces\n"
    "  xferspy start --all\n"
    "\n"
    "CUPTI is attached when the device has no work, so device times may begin a little later than the calls. "
    "Allocations were recorded before, so all memory is known. All other options of the library can only be given when "
    "the program starts.";

static void set_length(const char *text, struct arguments *arguments, struct argp_state *state) {
    struct xs_window_spec spec;
    XS_SCOPED_STRING window = {0};
    xs_string_format(&window, "..%s", text);
    if (xs_window_spec_read(&spec, window.data) || spec.count != 1 || strchr(text, ',') || spec.times[0].from_ns ||
        spec.times[0].to_ns > INT64_MAX)
        argp_error(state, "--for=%s: use a time such as 10s, 500ms or 2min", text);
    else
        arguments->for_ns = spec.times[0].to_ns;
}

static void refuse(const struct capture_option *option, struct argp_state *state) {
    XS_SCOPED_STRING name = {0};
    xs_option_name_add(&name, option->field);
    argp_error(state, "--%s can only be given when the program starts: XFERSPY_%s, or `xferspy run --%s'", name.data,
               option->name, name.data);
}

static error_t parse(int key, char *argument, struct argp_state *state) {
    struct arguments *arguments = state->input;
    if (key >= OPTION_CAPTURE && key < OPTION_CAPTURE + CAPTURE_OPTIONS) {
        refuse(&capture_options[key - OPTION_CAPTURE], state);
        return 0;
    }
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &arguments->control;
        return 0;
    case OPTION_FOR:
        set_length(argument, arguments, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static struct argp_option options[2 + CAPTURE_OPTIONS + 1];
static const struct argp_child children[] = {XS_CONTROL_CHILD, {0}};
const struct xs_interface xs_interface_start = {
    .argp = {.options = options, .parser = parse, .args_doc = XS_CONTROL_ARGUMENTS, .doc = doc, .children = children}};

/* Builds the table before main, because help, completion and man pages read it, too. The names are never freed. */
__attribute__((constructor)) static void build_options(void) {
    size_t n = 0;
    options[n++] = (struct argp_option){.doc = "What to record:", .group = 2};
    options[n++] = (struct argp_option){"for", OPTION_FOR, "TIME", 0, "stop by itself after 10s, 500ms, 2min, ...", 2};
    for (int i = 0; i < CAPTURE_OPTIONS; i++) {
        struct xs_string name = {0};
        xs_option_name_add(&name, capture_options[i].field);
        options[n++] = (struct argp_option){.name = name.data,
                                            .key = OPTION_CAPTURE + i,
                                            .arg = "VALUE",
                                            .flags = OPTION_HIDDEN | OPTION_ARG_OPTIONAL,
                                            .group = 2};
    }
}

int xs_command_start(int argc, char **argv) {
    struct arguments arguments = {0};
    if (argp_parse(&xs_interface_start.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    return xs_control_command(&arguments.control,
                              &(struct xs_control_request){.verb = XS_CONTROL_START, .for_ns = arguments.for_ns});
}
