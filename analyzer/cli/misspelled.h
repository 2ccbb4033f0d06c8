/* Options that a command does not have, and one that it has is meant. */
#ifndef XFERSPY_ANALYZER_CLI_MISSPELLED_H
#define XFERSPY_ANALYZER_CLI_MISSPELLED_H

#include "analyzer/cli/commands.h"

/* Whether the first unknown option is near to one of the command's (NULL: of xferspy's own), which is then said. Of
 * others argp complains. argv[0] is the command. */
bool xs_option_misspelled(const struct xs_command *command, int argc, char **argv);

#endif
