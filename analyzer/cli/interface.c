/* Reads the options and arguments of a command from its argp; see interface.h. */
#include "analyzer/cli/interface.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum xs_argument_kind xs_argument_kind(const char *text) {
    static const struct {
        const char *name;
        enum xs_argument_kind kind;
    } names[] = {{"TRACE", XS_ARGUMENT_TRACE},     {"BEFORE", XS_ARGUMENT_TRACE},   {"AFTER", XS_ARGUMENT_TRACE},
                 {"FILE", XS_ARGUMENT_FILE},       {"DIR", XS_ARGUMENT_DIR},        {"FINDING", XS_ARGUMENT_FINDING},
                 {"PROGRAM", XS_ARGUMENT_PROGRAM}, {"COMMAND", XS_ARGUMENT_COMMAND}};
    size_t length = strcspn(text, "0123456789|"); /* TRACE2, TRACE|PID */
    if (strchr(text, '|') && islower((unsigned char)text[0]))
        return XS_ARGUMENT_WORDS;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i].name) && !strncmp(text, names[i].name, length))
            return names[i].kind;
    return XS_ARGUMENT_OTHER;
}

bool xs_option_is_heading(const struct xs_option *option) { return !option->name && !option->letter; }

static void add_option(struct xs_interface_list *list, const struct xs_option *option) {
    list->options = xs_realloc(list->options, (list->option_count + 1) * sizeof *list->options);
    list->options[list->option_count++] = *option;
}

/* Adds an option. The words of `--format' are the command's formats. */
static void add_format(struct xs_interface_list *list, struct xs_option *option, const char *const *formats) {
    for (size_t i = 0; formats[i]; i++)
        xs_string_format(&list->format_words, "%s%s", i ? "|" : "", formats[i]);
    xs_format_help(&list->format_help, formats);
    option->argument = list->format_words.data;
    option->help = list->format_help.data;
}

static void read_argp(const struct argp *argp, const struct xs_interface *interface, struct xs_interface_list *list) {
    int group = 0;
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc || o->group); o++) {
        struct xs_option option = {.name = o->name,
                                   .letter = isprint(o->key) ? (char)o->key : 0,
                                   .argument = o->arg,
                                   .optional = o->flags & OPTION_ARG_OPTIONAL,
                                   .hidden = o->flags & OPTION_HIDDEN,
                                   .documentation = o->flags & OPTION_DOC,
                                   .help = o->doc};
        if (o->group || xs_option_is_heading(&option)) /* the rule of argp: an option without a group is in the last
                                                          group; a heading begins a new group */
            group = o->group ? o->group : group + 1;
        option.group = group;
        if ((o->flags & OPTION_ALIAS) && list->option_count) {
            option.argument = list->options[list->option_count - 1].argument;
            option.help = list->options[list->option_count - 1].help;
        }
        if (interface && interface->formats && option.name && !strcmp(option.name, "format") &&
            !list->format_words.data && xs_argument_kind(option.argument) != XS_ARGUMENT_WORDS)
            add_format(list, &option, interface->formats);
        add_option(list, &option);
    }
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        read_argp(child->argp, interface, list);
}

/* Sorts stably, so that the options of a group keep the order of the source. */
static void sort_by_group(struct xs_interface_list *list) {
    for (size_t i = 1; i < list->option_count; i++) {
        struct xs_option option = list->options[i];
        size_t at = i;
        for (; at && list->options[at - 1].group > option.group; at--)
            list->options[at] = list->options[at - 1];
        list->options[at] = option;
    }
}

static void read_arguments(const char *text, struct xs_interface_list *list) {
    static const char around[] = "[]\". ";
    while (text && *text) {
        text += strspn(text, around);
        size_t length = strcspn(text, around);
        if (!length)
            break;
        bool repeats = text[length] == '.' || (text[length] == ']' && text[length + 1] == '.');
        if (strncmp(text, "--", length) != 0) {
            size_t size = (list->argument_count + 1) * sizeof *list->arguments;
            char *word = xs_realloc(NULL, length + 1);
            memcpy(word, text, length);
            word[length] = 0;
            list->arguments = xs_realloc(list->arguments, size);
            list->arguments[list->argument_count++] =
                (struct xs_interface_argument){.text = word, .kind = xs_argument_kind(word), .repeats = repeats};
        }
        text += length;
    }
}

void xs_interface_read(const struct xs_command *command, struct xs_interface_list *list) {
    const struct argp *argp = command ? &command->interface->argp : &xs_main_argp;
    const struct xs_option help = {.name = "help", .letter = '?', .help = "give this help list"},
                           usage = {.name = "usage", .help = "give a short usage message"},
                           version = {.name = "version", .letter = 'V', .help = "print the program's version"};
    *list = (struct xs_interface_list){0};
    read_argp(argp, command ? command->interface : NULL, list);
    sort_by_group(list);
    add_option(list, &help);
    add_option(list, &usage);
    if (!command)
        add_option(list, &version);
    read_arguments(argp->args_doc, list);
}

void xs_interface_free(struct xs_interface_list *list) {
    for (size_t i = 0; i < list->argument_count; i++)
        free(list->arguments[i].text);
    free(list->arguments);
    free(list->options);
    xs_string_free(&list->format_words);
    xs_string_free(&list->format_help);
    *list = (struct xs_interface_list){0};
}
