/* xferspy-man FOLDER DATE: writes the man pages of xferspy, of each command and of libxferspy.so into a folder, from
 * the commands' interfaces and schema/options.def. The build runs this program; it is not installed. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/cli/interface.h"
#include "analyzer/cli/man/roff.h"
#include "analyzer/symbols/debug_path.h"

static const char *date;

static void fail(const char *what) {
    perror(what);
    exit(XS_EXIT_ERROR);
}

/* Opens the file FOLDER/NAME.SECTION, and writes the first line and the section NAME of the page. `command` NULL: the
 * page is not about a command. */
static FILE *open_page(const char *folder, const char *name, const char *command, int section, const char *summary) {
    XS_SCOPED_STRING path = {0};
    struct xs_string title = {0};
    xs_string_format(&title, "%s%s%s", name, command ? "-" : "", command ? command : "");
    xs_string_format(&path, "%s/%s.%d", folder, title.data, section);
    FILE *file = fopen(path.data, "w");
    if (!file)
        fail(path.data);
    fputs(".\\\" Made of the program's options by xferspy-man; do not edit.\n.TH ", file);
    for (const char *c = title.data; *c; c++)
        putc(*c == '-' ? '-' : *c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, file);
    fprintf(file, " %d \"%s\" \"xferspy %s\" \"%s\"\n.nh\n.ad l\n.SH NAME\n", section, date, XFERSPY_VERSION,
            section == 1 ? "User Commands" : "Miscellaneous");
    xs_roff_literal(title.data, title.length, file);
    fputs(" \\- ", file);
    xs_roff_literal(summary, strlen(summary), file);
    putc('\n', file);
    xs_string_free(&title);
    return file;
}

static void close_page(FILE *file) {
    if (fflush(file) != 0 || ferror(file) || fclose(file) != 0)
        fail("a page");
}

static void print_bold(const char *before, const char *text, FILE *file) {
    fputs("\\fB", file);
    xs_roff_literal(before, strlen(before), file);
    xs_roff_literal(text, strlen(text), file);
    fputs("\\fR", file);
}

static void print_italic(const char *text, FILE *file) {
    fputs("\\fI", file);
    xs_roff_literal(text, strlen(text), file);
    fputs("\\fR", file);
}

static void print_option(const struct xs_option *o, FILE *file) {
    char letter[] = {o->letter, 0};
    fputs(".TP\n", file);
    if (o->documentation) {
        print_bold("", o->name ? o->name : "", file);
    } else {
        if (o->letter)
            print_bold("-", letter, file);
        if (o->name) {
            fputs(o->letter ? ", " : "", file);
            print_bold("--", o->name, file);
        }
        if (o->argument) {
            fputs(o->optional ? "[=" : "=", file);
            print_italic(o->argument, file);
            fputs(o->optional ? "]" : "", file);
        }
    }
    putc('\n', file);
    xs_roff_prose(o->help, strlen(o->help), file);
}

static void print_options(const struct xs_interface_list *list, FILE *file) {
    fputs(".SH OPTIONS\n", file);
    for (size_t i = 0; i < list->option_count; i++) {
        const struct xs_option *o = &list->options[i];
        if (xs_option_is_heading(o)) {
            xs_roff_heading("SS", o->help, strlen(o->help), file);
            continue;
        }
        if (o->name && !strcmp(o->name, "help") && i)
            xs_roff_heading("SS", "Help", 4, file);
        if (!o->hidden && o->help)
            print_option(o, file);
    }
}

/* Lists all pages but this one. */
static void print_see_also(const char *page, FILE *file) {
    const char *comma = "";
    fputs(".SH SEE ALSO\n", file);
    if (strcmp(page, "xferspy") != 0) {
        fputs(".BR xferspy (1)", file);
        comma = ",\n";
    }
    for (size_t i = 0; i < xs_command_count; i++) {
        if (!strcmp(page, xs_commands[i].name))
            continue;
        fprintf(file, "%s.BR xferspy\\-%s (1)", comma, xs_commands[i].name);
        comma = ",\n";
    }
    fprintf(file, "%s", strcmp(page, "libxferspy") != 0 ? ",\n.BR libxferspy (7)\n" : "\n");
}

/* Writes the page of a command; NULL: of xferspy itself. */
static void write_command(const char *folder, const struct xs_command *command) {
    const struct argp *argp = command ? &command->interface->argp : &xs_main_argp;
    const char *doc = argp->doc ? argp->doc : "", *rest = strchr(doc, '\v');
    size_t length = rest ? (size_t)(rest - doc) : strlen(doc);
    struct xs_interface_list list;
    FILE *file = open_page(folder, "xferspy", command ? command->name : NULL, 1,
                           command ? command->summary : "find wasted CPU-GPU transfers");
    xs_interface_read(command, &list);
    fputs(".SH SYNOPSIS\n", file);
    print_bold("xferspy", "", file);
    if (command) {
        putc(' ', file);
        print_bold("", command->name, file);
    }
    fputs(" [\\fIOPTION\\fR]...", file);
    if (argp->args_doc) {
        putc(' ', file);
        print_italic(argp->args_doc, file);
    }
    putc('\n', file);
    fputs(".SH DESCRIPTION\n", file);
    xs_roff_document(doc, length, 1, file);
    print_options(&list, file);
    if (rest)
        xs_roff_document(rest + 1, strlen(rest + 1), 0, file);
    print_see_also(command ? command->name : "xferspy", file);
    xs_interface_free(&list);
    close_page(file);
}

static void print_prose(const char *text, FILE *file) { xs_roff_document(text, strlen(text), 1, file); }

static void print_variable(const char *prefix, const char *name, const char *values, const char *preset,
                           const char *help, FILE *file) {
    fputs(".TP\n", file);
    print_bold(prefix, name, file);
    if (*values) {
        putc('=', file);
        print_italic(values, file);
    }
    putc('\n', file);
    XS_SCOPED_STRING text = {0};
    for (const char *c = help; *c; c++) /* @ begins another option's name */
        xs_string_format(&text, *c == '@' ? "XFERSPY_" : "%c", *c);
    if (*preset)
        xs_string_format(&text, " (default: %s)", preset);
    xs_roff_prose(text.data, text.length, file);
}

static void write_library(const char *folder) {
    FILE *file = open_page(folder, "libxferspy", NULL, 7, "record the CPU-GPU transfers of a CUDA program");
    fputs(".SH SYNOPSIS\n[\\fIVARIABLE\\fR=\\fIVALUE\\fR]... ", file);
    print_bold("LD_PRELOAD=libxferspy.so", "", file);
    fputs(" \\fIPROGRAM\\fR [\\fIARGUMENT\\fR]...\n.SH DESCRIPTION\n", file);
    print_prose(
        "Preloaded into a program that needs no rebuild, libxferspy.so records its copies between CPU and GPU, its "
        "allocations, launches and waiting, into one SQLite file for each process that uses CUDA. The program "
        "behaves as without. `xferspy report' reads the file.",
        file);
    fputs(".SH ENVIRONMENT\nRead once, when the process makes its first CUDA context.\n", file);
#define XS_OPTION(field, name, type, preset, values, help) print_variable("XFERSPY_", name, values, preset, help, file);
#include "schema/options.def"
#undef XS_OPTION
    fputs(".PP\n", file);
    print_prose(
        "A value that a variable does not take, and a variable beginning with XFERSPY_ that is none of these, get one "
        "line each on standard error; the default holds and the program runs on. `on' and `off' may also be "
        "written 1 and 0, true and false, yes and no.",
        file);
    fputs(".SS Of the program xferspy\n", file);
    print_variable("XFERSPY_", "LIBRARY", "FILE", "", "the library that `xferspy run' preloads", file);
    print_variable("XFERSPY_", "DEBUG_PATH", "DIR", "",
                   "folders, with colons between them, in which commands look for binaries and debug information",
                   file);
    print_variable("XFERSPY_", "FLEET_DIR", "DIR", "",
                   "the folder of tables to which `xferspy run' adds the numbers of the traces that its program left",
                   file);
    print_variable("", "NO_COLOR", "", "", "where it is set and not empty, output has no colour", file);
    fputs(".SH FILES\n", file);
    print_prose(
        "A trace is never written over an existing file: where app.db is there, the next one is app.2.db. Beside a "
        "trace "
        "that is still being written, or whose process was killed, lies a .spool file; every command that reads the "
        "trace completes it from there.",
        file);
    print_see_also("libxferspy", file);
    close_page(file);
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: xferspy-man FOLDER DATE\n");
        return XS_EXIT_USAGE;
    }
    date = argv[2];
    write_command(argv[1], NULL);
    for (size_t i = 0; i < xs_command_count; i++)
        write_command(argv[1], &xs_commands[i]);
    write_library(argv[1]);
    return XS_EXIT_OK;
}
