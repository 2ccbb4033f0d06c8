/* Declares what the commands share by which the user controls running processes: status, start, stop and snapshot. Each
 * of these commands sends one request (schema/control/message.h) to all processes that the user means, to all of them
 * at the same time, and shows the answers. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CONTROL_CONTROL_H
#define XFERSPY_ANALYZER_COMMANDS_CONTROL_CONTROL_H

#include "analyzer/commands/common/command.h"
#include "analyzer/commands/control/sockets.h"
#include "schema/control/message.h"

/* Holds the arguments of such a command: which processes the user means, and how the answers are shown. */
struct xs_control_arguments {
    struct xs_control_wanted wanted;
    bool json;
    bool all_by_default; /* set before parsing; true: if the user names no process, all processes are meant */
};

/* Parses PID, --job, --all and --json, as a child of a command's argp. The child's input is a struct
 * xs_control_arguments. */
extern const struct argp xs_control_argp;
#define XS_CONTROL_CHILD                                                                                               \
    { &xs_control_argp, 0, NULL, 0 }
#define XS_CONTROL_ARGUMENTS "[PID...]"

/* This function is the parser of a command that has no options but those of xs_control_argp. */
error_t xs_control_parse(int key, char *argument, struct argp_state *state);

/* Sends the request, shows the answers, and frees what the arguments own. Returns an exit status: XS_EXIT_OK, or, after
 * a message, XS_EXIT_ERROR if no process or not every named process was found, if a process refused or did not answer,
 * or if the answers could not be written. */
int xs_control_command(struct xs_control_arguments *arguments, const struct xs_control_request *request);

/* Runs a command whose parser is xs_control_parse: parses its command line, and sends a request with this verb. Returns
 * an exit status. */
int xs_control_run(const struct xs_interface *interface, int argc, char **argv, enum xs_control_verb verb,
                   bool all_by_default);

#endif
