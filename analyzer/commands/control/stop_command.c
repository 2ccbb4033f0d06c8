/* xferspy stop: ends the recording of processes that `xferspy start' began. */
#include "analyzer/commands/control/control.h"

XS_DECLARE_COMMAND(stop)

static const struct argp_child children[] = {XS_CONTROL_CHILD, {0}};
static const char doc[] =
    "Ends the recording that `xferspy start' began. The processes sleep again, without CUPTI, and their traces are "
    "complete up to now, so that they can be read while the processes go on."
    "\v"
    "Examples:\n"
    "  xferspy stop 4242\n"
    "  xferspy stop --job=traces\n"
    "  xferspy stop --all\n"
    "\n"
    "What is recorded after another start goes into the same trace.";

static error_t parse(int key, char *argument, struct argp_state *state) {
    (void)argument;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = state->input;
    return 0;
}

const struct xs_interface xs_interface_stop = {
    .argp = {.parser = parse, .args_doc = XS_CONTROL_ARGUMENTS, .doc = doc, .children = children}};

int xs_command_stop(int argc, char **argv) {
    struct xs_control_arguments arguments = {0};
    if (argp_parse(&xs_interface_stop.argp, argc, argv, 0, NULL, &arguments) != 0)
        return XS_EXIT_USAGE;
    return xs_control_command(&arguments, &(struct xs_control_request){.verb = XS_CONTROL_STOP});
}
