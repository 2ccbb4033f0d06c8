/* Prints the options and arguments of the commands as shell cases, for completion.bash.in. */
#include <string.h>

#include "analyzer/cli/completion/completion.h"

static const char *const kind_names[] = {
    [XS_ARGUMENT_OTHER] = "other",     [XS_ARGUMENT_WORDS] = "words", [XS_ARGUMENT_FILE] = "file",
    [XS_ARGUMENT_DIR] = "dir",         [XS_ARGUMENT_TRACE] = "trace", [XS_ARGUMENT_FINDING] = "finding",
    [XS_ARGUMENT_PROGRAM] = "program", [XS_ARGUMENT_COMMAND] = "",
};

static void print_command_names(const char *last, FILE *file) {
    fputs("'words:", file);
    xs_completion_commands(file);
    fprintf(file, "%s'", last);
}

static void print_argument(const struct xs_interface_argument *argument, FILE *file) {
    if (argument->kind == XS_ARGUMENT_COMMAND) {
        print_command_names(" help", file);
    } else if (argument->kind == XS_ARGUMENT_WORDS) {
        fputs("'words:", file);
        xs_completion_words(argument->text, file);
        putc('\'', file);
    } else {
        fprintf(file, "%s%s", kind_names[argument->kind], argument->repeats ? "..." : "");
    }
}

static void print_command(const struct xs_command *command, const struct xs_interface_list *list, FILE *file) {
    fprintf(file, "    %s)\n        options=(", command ? command->name : "''");
    const char *space = "";
    for (size_t i = 0; i < list->option_count; i++) {
        const struct xs_option *o = &list->options[i];
        if (!o->name || o->hidden || o->documentation)
            continue;
        if (!o->argument || o->optional) {
            fprintf(file, "%s--%s", space, o->name);
            space = " ";
        }
        if (o->argument) {
            fprintf(file, "%s--%s=", space, o->name);
            space = " ";
        }
    }
    fputs(")\n        arguments=(", file);
    for (size_t i = 0; i < list->argument_count; i++) {
        if (i)
            putc(' ', file);
        print_argument(&list->arguments[i], file);
    }
    fputs(")\n        ;;\n", file);
}

static void print_value(const char *command, const char *option, const struct xs_option *o, FILE *file) {
    enum xs_argument_kind kind = xs_argument_kind(o->argument);
    fprintf(file, "    '%s %s') kind=%s%s", command, option, o->optional ? "optional-" : "", kind_names[kind]);
    if (kind == XS_ARGUMENT_WORDS) {
        fputs(" words='", file);
        xs_completion_words(o->argument, file);
        putc('\'', file);
    }
    fputs(" ;;\n", file);
}

static void print_values(const char *command, const struct xs_interface_list *list, FILE *file) {
    for (size_t i = 0; i < list->option_count; i++) {
        const struct xs_option *o = &list->options[i];
        char letter[] = {'-', o->letter, 0};
        XS_SCOPED_STRING name = {0};
        if (!o->argument || o->documentation)
            continue;
        if (o->letter)
            print_value(command, letter, o, file);
        if (o->name) {
            xs_string_format(&name, "--%s", o->name);
            print_value(command, name.data, o, file);
        }
    }
}

void xs_completion_bash(const char *section, FILE *file) {
    bool values = !strcmp(section, "values");
    for (size_t i = 0; i <= xs_command_count; i++) {
        const struct xs_command *command = i < xs_command_count ? &xs_commands[i] : NULL;
        struct xs_interface_list list;
        xs_interface_read(command, &list);
        if (values)
            print_values(command ? command->name : "", &list, file);
        else
            print_command(command, &list, file);
        xs_interface_free(&list);
    }
    if (!values) {
        fputs("    help)\n        arguments=(", file);
        print_command_names("", file);
        fputs(")\n        ;;\n", file);
    }
}
