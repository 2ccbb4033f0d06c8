/* Declares the table of commands (commands.def), and the options and arguments of `xferspy` itself. */
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
extern const struct argp xs_main_argp; /* the options of xferspy itself (main_argp.c) */

#define XS_HELP_OF_HELP "how to use one of them; --json: all of them and their options, for programs"

/* NULL: no command has this name. */
const struct xs_command *xs_command_named(const char *word);

/* Returns the command whose name is spelled most like `word`; NULL if none is similar enough. */
const struct xs_command *xs_command_suggest(const char *word);

#endif
