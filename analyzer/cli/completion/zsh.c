/* Prints the options and arguments of the commands as specifications of zsh's _arguments, for completion.zsh.in. */
#include <string.h>

#include "analyzer/cli/completion/completion.h"

static const char apostrophe[] = "'\\''";
static const char quoted[] = "[]:\\"; /* characters with a meaning for _arguments and _describe */

/* Prints ":MESSAGE:ACTION". */
static void print_action(enum xs_argument_kind kind, const char *text, FILE *file) {
    static const char *const actions[] = {[XS_ARGUMENT_FILE] = "file:_files",
                                          [XS_ARGUMENT_DIR] = "directory:_files -/",
                                          [XS_ARGUMENT_TRACE] = "trace:_xferspy_traces",
                                          [XS_ARGUMENT_FINDING] = "finding:_xferspy_findings",
                                          [XS_ARGUMENT_PROGRAM] = "program:_command_names -e",
                                          [XS_ARGUMENT_COMMAND] = "command:_xferspy_commands"};
    if (kind == XS_ARGUMENT_WORDS) {
        fputs(":value:(", file);
        xs_completion_words(text, file);
        putc(')', file);
    } else if (kind != XS_ARGUMENT_OTHER) {
        fprintf(file, ":%s", actions[kind]);
    } else {
        putc(':', file);
        xs_completion_help(text, quoted, apostrophe, file);
        fputs(": ", file);
    }
}

static void print_option(const struct xs_option *o, const char *indent, FILE *file) {
    bool ends = o->name && (!strcmp(o->name, "help") || !strcmp(o->name, "usage") || !strcmp(o->name, "version"));
    if (o->documentation || xs_option_is_heading(o) || (o->hidden && !(o->letter && o->argument)))
        return;
    fprintf(file, "%s'%s", indent, ends ? "(- : *)" : "");
    if (o->name)
        fprintf(file, "--%s%s", o->name, !o->argument ? "" : o->optional ? "=-" : "=");
    else
        fprintf(file, "-%c", o->letter);
    if (o->help) {
        putc('[', file);
        xs_completion_help(o->help, quoted, apostrophe, file);
        putc(']', file);
    }
    if (o->argument) {
        if (o->optional)
            putc(':', file);
        print_action(xs_argument_kind(o->argument), o->argument, file);
    }
    fputs("' \\\n", file);
}

static void print_options(const struct xs_command *command, const char *indent, FILE *file) {
    struct xs_interface_list list;
    xs_interface_read(command, &list);
    for (size_t i = 0; i < list.option_count; i++)
        print_option(&list.options[i], indent, file);
    for (size_t i = 0; command && i < list.argument_count; i++) {
        const struct xs_interface_argument *argument = &list.arguments[i];
        bool program = argument->kind == XS_ARGUMENT_PROGRAM;
        if (program)
            fprintf(file, "%s'(-)", indent); /* the options of the command follow */
        else if (argument->repeats)
            fprintf(file, "%s'*", indent);
        else
            fprintf(file, "%s'%zu", indent, i + 1);
        print_action(argument->kind, argument->text, file);
        fputs("' \\\n", file);
        if (program) {
            fprintf(file, "%s'*::arguments:_normal' \\\n", indent);
            break;
        }
    }
    xs_interface_free(&list);
}

static void print_name(const char *name, const char *summary, FILE *file) {
    fprintf(file, "        '%s:", name);
    xs_completion_help(summary, quoted, apostrophe, file);
    fputs("'\n", file);
}

void xs_completion_zsh(const char *section, FILE *file) {
    if (!strcmp(section, "main")) {
        print_options(NULL, "        ", file);
        return;
    }
    for (size_t i = 0; i < xs_command_count; i++) {
        if (!strcmp(section, "names")) {
            print_name(xs_commands[i].name, xs_commands[i].summary, file);
            continue;
        }
        fprintf(file, "    (%s)\n        _arguments -S \\\n", xs_commands[i].name);
        print_options(&xs_commands[i], "            ", file);
        fputs("            && return 0\n        ;;\n", file);
    }
    if (!strcmp(section, "names")) {
        print_name("help", XS_HELP_OF_HELP, file);
        return;
    }
    fputs("    (help) _arguments '1:command:(", file);
    xs_completion_commands(file);
    fputs(")' && return 0 ;;\n", file);
}
