/* Declares what the commands share that control running processes: status, start, stop and snapshot. Each sends one
 * request (schema/control/message.h) to all processes that are meant at once, and shows their answers. */
#ifndef XFERSPY_ANALYZER_COMMANDS_CONTROL_CONTROL_H
#define XFERSPY_ANALYZER_COMMANDS_CONTROL_CONTROL_H

#include "analyzer/commands/common/command.h"
#include "analyzer/commands/control/sockets.h"
#include "schema/control/message.h"

/* Says which processes are meant. */
struct xs_control_arguments {
    struct xs_control_wanted wanted;
    bool json;
    bool all_by_default; /* set before parsing: without a process, all processes are meant */
};

/* Parses PID, --job, --all and --json, as a child of a command's argp. The child's input is a struct
 * xs_control_arguments. */
extern const struct argp xs_control_argp;
#define XS_CONTROL_CHILD                                                                                               \
    { &xs_control_argp, 0, NULL, 0 }
#define XS_CONTROL_ARGUMENTS "[PID...]"

/* The parser of a command whose options are only those of xs_control_argp. */
error_t xs_control_parse(int key, char *argument, struct argp_state *state);

/* Sends the request, shows the answers, and frees what the arguments own. Returns an exit status: XS_EXIT_ERROR after a
 * message if no process is found, or if one refuses or does not answer. */
int xs_control_command(struct xs_control_arguments *arguments, const struct xs_control_request *request);

/* Runs a command whose parser is xs_control_parse: parses its command line, and sends a request with this verb. Returns
 * an exit status. */
int xs_control_run(const struct xs_interface *interface, int argc, char **argv, enum xs_control_verb verb,
                   bool all_by_default);

#endif
