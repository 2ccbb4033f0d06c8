/* Finds misspelled options. A misspelled option is one that the command does not have, but that is spelled almost like
 * one of the command's options. */
#ifndef XFERSPY_ANALYZER_CLI_MISSPELLED_H
#define XFERSPY_ANALYZER_CLI_MISSPELLED_H

#include "analyzer/cli/commands.h"

/* Returns true if the first unknown long option is spelled almost like an option of the command; it then prints a
 * complaint that names that option. If it returns false, argp complains about unknown options. `command` NULL: xferspy
 * itself. argv[0] is the command's name. */
bool xs_option_misspelled(const struct xs_command *command, int argc, char **argv);

#endif
