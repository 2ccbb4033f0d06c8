/* Writes the help of all commands as JSON: format "xferspy-help", docs/schema/help.schema.json. */
#ifndef XFERSPY_ANALYZER_CLI_HELP_JSON_H
#define XFERSPY_ANALYZER_CLI_HELP_JSON_H

#include <stdio.h>

#include "analyzer/cli/commands.h"

/* `only`: the command to write about; NULL: all of them. The options of the library are written in any
 * case, because they belong to no command. */
void xs_help_json(const struct xs_command *only, FILE *file);

#endif
