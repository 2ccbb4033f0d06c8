/* Prints the options and arguments of the commands as calls of fish's `complete`, for completion.fish.in. */
#include <string.h>

#include "analyzer/cli/completion/completion.h"

static void print_help(const char *help, FILE *file) {
    if (!help)
        return;
    fputs(" -d '", file);
    xs_completion_help(help, "\\", "\\'", file);
    putc('\'', file);
}

/* Prints the candidates, in apostrophes. */
static void print_candidates(enum xs_argument_kind kind, const char *text, FILE *file) {
    static const char *const functions[] = {
        [XS_ARGUMENT_DIR] = "(__fish_complete_directories)",
        [XS_ARGUMENT_TRACE] = "(__xferspy_traces)",
        [XS_ARGUMENT_FINDING] = "(__xferspy_findings)",
        [XS_ARGUMENT_PROGRAM] = "(__xferspy_program)",
        [XS_ARGUMENT_COMMAND] = "",
    };
    fputs(" -a '", file);
    if (kind == XS_ARGUMENT_WORDS)
        xs_completion_words(text, file);
    else
        fputs(functions[kind], file);
    putc('\'', file);
}

#define COMPLETE_AT "complete -c xferspy -n '__xferspy_at %s"

static void print_option(const char *command, bool before_program, const struct xs_option *o, FILE *file) {
    if (o->documentation || xs_option_is_heading(o) || (o->hidden && !(o->letter && o->argument)))
        return;
    if (command)
        fprintf(file, COMPLETE_AT "%s'", command, before_program ? " 1" : "");
    else
        fputs("complete -c xferspy -n __xferspy_needs_command", file);
    if (o->name)
        fprintf(file, " -l %s", o->name);
    else
        fprintf(file, " -s %c", o->letter);
    if (o->argument) {
        enum xs_argument_kind kind = xs_argument_kind(o->argument);
        fputs(kind == XS_ARGUMENT_FILE ? " -r -F" : o->optional ? " -f" : " -x", file);
        if (kind != XS_ARGUMENT_FILE && kind != XS_ARGUMENT_OTHER)
            print_candidates(kind, o->argument, file);
    }
    print_help(o->help, file);
    putc('\n', file);
}

static void print_arguments(const char *command, const struct xs_interface_list *list, FILE *file) {
    for (size_t i = 0; i < list->argument_count; i++) {
        const struct xs_interface_argument *argument = &list->arguments[i];
        bool rest = argument->repeats || argument->kind == XS_ARGUMENT_PROGRAM;
        if (argument->kind == XS_ARGUMENT_OTHER)
            continue;
        fprintf(file, COMPLETE_AT, command);
        if (!rest)
            fprintf(file, " %zu", i + 1);
        putc('\'', file);
        if (argument->kind == XS_ARGUMENT_FILE)
            fputs(" -F", file);
        else
            print_candidates(argument->kind, argument->text, file);
        putc('\n', file);
        if (rest)
            return;
    }
}

static void print_command(const struct xs_command *command, FILE *file) {
    struct xs_interface_list list;
    xs_interface_read(command, &list);
    const char *name = command ? command->name : NULL;
    bool program = list.argument_count && list.arguments[0].kind == XS_ARGUMENT_PROGRAM;
    for (size_t i = 0; i < list.option_count; i++)
        print_option(name, program, &list.options[i], file);
    if (command)
        print_arguments(name, &list, file);
    xs_interface_free(&list);
}

static void print_name(const char *name, const char *summary, FILE *file) {
    fprintf(file, "complete -c xferspy -n __xferspy_needs_command -a %s", name);
    print_help(summary, file);
    putc('\n', file);
}

/* Prints the options whose next word is their value, for all commands together, because -o and --output have the same
 * meaning in every command. */
static void print_valued(FILE *file) {
    fputs("    printf '%s\\n'", file);
    for (size_t c = 0; c < xs_command_count; c++) {
        struct xs_interface_list list;
        xs_interface_read(&xs_commands[c], &list);
        for (size_t i = 0; i < list.option_count; i++) {
            const struct xs_option *o = &list.options[i];
            if (!o->argument || o->optional || o->documentation)
                continue;
            if (o->letter)
                fprintf(file, " -%c", o->letter);
            if (o->name)
                fprintf(file, " --%s", o->name);
        }
        xs_interface_free(&list);
    }
    putc('\n', file);
}

void xs_completion_fish(const char *section, FILE *file) {
    if (!strcmp(section, "valued")) {
        print_valued(file);
        return;
    }
    print_command(NULL, file);
    for (size_t i = 0; i < xs_command_count; i++)
        print_name(xs_commands[i].name, xs_commands[i].summary, file);
    print_name("help", XS_HELP_OF_HELP, file);
    for (size_t i = 0; i < xs_command_count; i++)
        print_command(&xs_commands[i], file);
    fputs("complete -c xferspy -n '__xferspy_at help 1' -a '", file);
    xs_completion_commands(file);
    fputs("'\n", file);
}
