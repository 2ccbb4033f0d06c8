/* xferspy status: lists the processes that can be controlled, and says what is recorded of them. */
#include "analyzer/commands/control/control.h"

XS_DECLARE_COMMAND(status)

static const struct argp_child children[] = {XS_CONTROL_CHILD, {0}};
static const char doc[] =
    "Lists the running processes that can be started and stopped from outside, and says whether they are recorded. PID "
    "is such a process, or a launcher that started some; without it, all are listed."
    "\v"
    "Examples:\n"
    "  xferspy status\n"
    "  xferspy status 4242\n"
    "  xferspy status --job=traces --json\n"
    "\n"
    "A process can be reached from its first use of CUDA on, if it was started under xferspy with XFERSPY_START=off or "
    "XFERSPY_CONTROL=on. The device times are on, off, coming (CUPTI will be attached when the device has no work), or "
    "none (there is no CUPTI).";

const struct xs_interface xs_interface_status = {
    .argp = {.parser = xs_control_parse, .args_doc = XS_CONTROL_ARGUMENTS, .doc = doc, .children = children}};

int xs_command_status(int argc, char **argv) {
    return xs_control_run(&xs_interface_status, argc, argv, XS_CONTROL_STATUS, true);
}
