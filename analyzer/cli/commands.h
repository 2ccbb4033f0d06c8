/* The table of commands (commands.def), and what `xferspy` itself takes. */
#ifndef XFERSPY_ANALYZER_CLI_COMMANDS_H
#define XFERSPY_ANALYZER_CLI_COMMANDS_H

#include "analyzer/commands/common/command.h"

struct xs_command {
    const char *name, *arguments, *summary;
    int (*function)(int argc, char **argv); /* argv[0] is "xferspy NAME"; returns the exit status */
    const struct xs_interface *interface;
};
extern const struct xs_command xs_commands[];
extern const size_t xs_command_count;
extern const struct argp xs_main_argp; /* of xferspy itself (main_argp.c) */

#define XS_HELP_OF_HELP "how to use one of them"

/* A hint for a word that is no command but names what one does: what to type, and what it does. NULL: no hint. */
const char *xs_command_hint(const char *word);

/* The command nearest in spelling, NULL where none is near. */
const struct xs_command *xs_command_suggest(const char *word);

#endif
