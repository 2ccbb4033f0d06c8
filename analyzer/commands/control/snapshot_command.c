/* xferspy snapshot: makes the traces of running processes complete up to now. */
#include "analyzer/commands/control/control.h"

XS_DECLARE_COMMAND(snapshot)

static const struct argp_child children[] = {XS_CONTROL_CHILD, {0}};
static const char doc[] =
    "Makes the traces of running processes complete up to now: all records of the device are taken from CUPTI, and "
    "everything is written. Then any command can read the traces while the processes go on."
    "\v"
    "Examples:\n"
    "  xferspy snapshot 4242\n"
    "  xferspy snapshot --job=traces\n"
    "\n"
    "A trace that goes on growing can be copied: `xferspy merge -o FILE PID' copies it as it is.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    (void)argument;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

const struct xs_interface xs_interface_snapshot = {
    .argp = {.parser = parse, .args_doc = XS_CONTROL_ARGUMENTS, .doc = doc, .children = children}};

int xs_command_snapshot(int argc, char **argv) {
    struct xs_control_arguments arguments = {0};
    if (argp_parse(&xs_interface_snapshot.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    return xs_control_command(&arguments, &(struct xs_control_request){.verb = XS_CONTROL_SNAPSHOT});
}
