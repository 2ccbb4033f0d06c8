/* Defines the table of commands; see commands.h. */
#include "analyzer/cli/commands.h"

#include <string.h>

#include "schema/spelling.h"

#define XS_COMMAND(name, arguments, summary) XS_DECLARE_COMMAND(name)
#include "analyzer/cli/commands.def"
#undef XS_COMMAND

const struct xs_command xs_commands[] = {
#define XS_COMMAND(name, arguments, summary) {#name, arguments, summary, xs_command_##name, &xs_interface_##name},
#include "analyzer/cli/commands.def"
#undef XS_COMMAND
};
const size_t xs_command_count = sizeof xs_commands / sizeof *xs_commands;

const struct xs_command *xs_command_named(const char *word) {
    for (size_t i = 0; i < xs_command_count; i++)
        if (!strcmp(word, xs_commands[i].name))
            return &xs_commands[i];
    return NULL;
}

const struct xs_command *xs_command_suggest(const char *word) {
    struct xs_nearest nearest;
    xs_nearest_begin(&nearest, word, strlen(word));
    for (size_t i = 0; i < xs_command_count; i++)
        xs_nearest_try(&nearest, xs_commands[i].name);
    const char *name = xs_nearest_name(&nearest);
    return name ? xs_command_named(name) : NULL;
}
