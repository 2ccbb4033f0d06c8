/* Finds unknown options of a command that are probably misspelled; see misspelled.h. */
#include "analyzer/cli/misspelled.h"

#include <string.h>

#include "analyzer/cli/interface.h"
#include "schema/spelling.h"

/* Returns the option that a word names, completely or by the beginning of its name, as getopt allows it; NULL: none. */
static const struct xs_option *named(const struct xs_interface_list *list, const char *name, size_t bytes) {
    const struct xs_option *found = NULL;
    for (size_t i = 0; i < list->option_count; i++) {
        const struct xs_option *option = &list->options[i];
        if (!option->name || option->documentation || strncmp(option->name, name, bytes) != 0)
            continue;
        if (strlen(option->name) == bytes)
            return option;
        found = found ? found : option;
    }
    return found;
}

/* True if the next word is the argument of this option. */
static bool takes_next(const struct xs_interface_list *list, const char *word) {
    if (word[1] == '-') {
        const struct xs_option *option = named(list, word + 2, strcspn(word + 2, "="));
        return option && option->argument && !option->optional && !strchr(word, '=');
    }
    for (size_t i = 0; i < list->option_count; i++)
        if (list->options[i].letter == word[1] && word[1])
            return list->options[i].argument && !list->options[i].optional && !word[2];
    return false;
}

static bool say_meant(const struct xs_interface_list *list, const char *word) {
    struct xs_nearest nearest;
    size_t bytes = strcspn(word + 2, "=");
    xs_nearest_begin(&nearest, word + 2, bytes);
    for (size_t i = 0; i < list->option_count; i++)
        if (list->options[i].name && !list->options[i].documentation && !list->options[i].hidden)
            xs_nearest_try(&nearest, list->options[i].name);
    const char *meant = xs_nearest_name(&nearest);
    if (meant)
        xs_complain("no option `%.*s'; did you mean `--%s'?", (int)bytes + 2, word, meant);
    return meant != NULL;
}

bool xs_option_misspelled(const struct xs_command *command, int argc, char **argv) {
    struct xs_interface_list list;
    bool said = false, program = false;
    xs_interface_read(command, &list);
    for (size_t i = 0; i < list.argument_count; i++)
        program |= list.arguments[i].kind == XS_ARGUMENT_PROGRAM;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (argv[i][0] != '-') {
            if (program || !command)
                break; /* the remaining words are not options of xferspy */
            continue;
        }
        if (argv[i][1] == '-' && !named(&list, argv[i] + 2, strcspn(argv[i] + 2, "="))) {
            said = say_meant(&list, argv[i]);
            break;
        }
        if (takes_next(&list, argv[i]))
            i++;
    }
    xs_interface_free(&list);
    return said;
}
