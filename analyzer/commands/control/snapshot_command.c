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

const struct xs_interface xs_interface_snapshot = {
    .argp = {.parser = xs_control_parse, .args_doc = XS_CONTROL_ARGUMENTS, .doc = doc, .children = children}};

int xs_command_snapshot(int argc, char **argv) {
    return xs_control_run(&xs_interface_snapshot, argc, argv, XS_CONTROL_SNAPSHOT, false);
}
