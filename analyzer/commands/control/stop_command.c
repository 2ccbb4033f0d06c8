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

const struct xs_interface xs_interface_stop = {
    .argp = {.parser = xs_control_parse, .args_doc = XS_CONTROL_ARGUMENTS, .doc = doc, .children = children}};

int xs_command_stop(int argc, char **argv) {
    return xs_control_run(&xs_interface_stop, argc, argv, XS_CONTROL_STOP, false);
}
