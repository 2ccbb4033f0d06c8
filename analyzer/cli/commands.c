/* The table of commands; see commands.h. */
#include "analyzer/cli/commands.h"

#include <string.h>

#define XS_COMMAND(name, arguments, summary) XS_DECLARE_COMMAND(name)
#include "analyzer/cli/commands.def"
#undef XS_COMMAND

const struct xs_command xs_commands[] = {
#define XS_COMMAND(name, arguments, summary) {#name, arguments, summary, xs_command_##name, &xs_interface_##name},
#include "analyzer/cli/commands.def"
#undef XS_COMMAND
};
const size_t xs_command_count = sizeof xs_commands / sizeof *xs_commands;

const struct xs_command *xs_command_suggest(const char *word) {
    const struct xs_command *nearest = NULL;
    size_t least = 3;
    size_t length = strlen(word);
    for (size_t i = 0; i < xs_command_count; i++) {
        size_t d = xs_edit_distance(word, xs_commands[i].name);
        if (length >= 2 && !strncmp(word, xs_commands[i].name, length))
            d = 0;
        if (d < least && d < strlen(xs_commands[i].name) - 1) {
            least = d;
            nearest = &xs_commands[i];
        }
    }
    return nearest;
}
