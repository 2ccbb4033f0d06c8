/* Declares what all commands share: the form in which a command declares its options and arguments, the options of
 * output, and functions that open traces. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_COMMAND_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_COMMAND_H

#include <argp.h>

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "schema/read/trace.h"

/* Exit statuses. LIMIT: the command succeeded, but a limit is exceeded (`xferspy check`). */
enum { XS_EXIT_OK = 0, XS_EXIT_ERROR = 1, XS_EXIT_USAGE = 2, XS_EXIT_LIMIT = 3 };

/* Declares the options and arguments of a command. Its --help, its completion in shells and its man page are all
 * generated from this struct. Conventions:
 * - if an option takes one of several words, its `arg` lists them: "auto|off"; FILE means the name of a file, DIR the
 *   name of a folder.
 * - `args_doc` names the arguments: TRACE is a trace, TRACE|PID a trace or the process that writes it, FINDING the name
 *   of a finding of the trace, PROGRAM a program, FILE and DIR as in `arg`; "a|b" means one of these words.
 * - `doc` is one paragraph, then \v, then more paragraphs; lines that begin with two blanks are examples and are shown
 *   unchanged. */
struct xs_interface {
    struct argp argp;
    const char *const *formats; /* the words of --format if a child has that option (XS_ASK_CHILD), else NULL */
};

/* Declares the two things that each command's file defines, and that the table of commands (cli/commands.def) refers
 * to. */
#define XS_DECLARE_COMMAND(name)                                                                                       \
    int xs_command_##name(int argc, char **argv);                                                                      \
    extern const struct xs_interface xs_interface_##name;

/* Several commands share these help texts. */
#define XS_HELP_FORCE "let -o replace an existing file"
#define XS_HELP_LIMITS                                                                                                 \
    "The exit status is 0 if all limits hold, 3 if one does not, 1 after an error and 2 after wrong usage."
#define XS_HELP_JSON "the same as --format=json"

/* Appends to `name` the name that an option of the library has on the command line, for example "source-lines" for the
 * field source_lines of schema/options.def. */
void xs_option_name_add(struct xs_string *name, const char *field);

/* Parses -o, --force and --color, as a child of a command's argp. The child's input is a struct xs_out_options. */
extern const struct argp xs_output_argp;
#define XS_OUTPUT_CHILD                                                                                                \
    { &xs_output_argp, 0, NULL, 0 }

/* Holds the arguments of a command that shows traces: the options of output, --json, --details, and the traces' names.
 * The command's argp has the parser xs_parse_traces, the option --json with the key XS_OPTION_JSON, and no child but
 * XS_OUTPUT_CHILD. */
struct xs_traces_arguments {
    struct xs_out_options output;
    bool json, details;
    char **traces;
    int count;
};
enum { XS_OPTION_JSON = 0x100, XS_OPTION_DETAILS };
error_t xs_parse_traces(int key, char *argument, struct argp_state *state);

/* The help_filter of a command's argp calls this function. After the last text of the help, it adds a line that says
 * where the page of docs/ with more information is, if xs_docs_page finds this page. All other texts are returned
 * unchanged. */
char *xs_help_with_page(int key, const char *text, const char *page);

/* Returns the index of a word in `words` (NULL after the last), for an option that takes one of these words. If the
 * word is not there, prints a message that lists `words`, and ends the program. */
int xs_parse_word(const char *option, const char *text, const char *const *words, struct argp_state *state);
/* Parses the argument of an option, a whole number from `least` to `most` (SIZE_MAX: no limit). If the argument is
 * anything else, prints a message and ends the program. */
size_t xs_parse_number(const char *option, const char *text, size_t least, size_t most, struct argp_state *state);

/* Holds the arguments of a command that reads one trace to answer a question: the options of output, --format, --json,
 * the trace's name, and at most one argument after it. The children of the command's argp contain XS_ASK_CHILD instead
 * of XS_OUTPUT_CHILD, and the input of XS_ASK_CHILD is this struct. The child gets ARGP_KEY_END before the command's
 * parser gets it. */
struct xs_ask_arguments {
    struct xs_out_options output;
    const char *const *formats; /* set before parsing: names of the formats, NULL after the last; the first is the
                                   default */
    unsigned format;            /* index in `formats` */
    const char *one_only;       /* set before parsing: the message for too many arguments */
    char *trace;
    const char *asked; /* the second argument; NULL: none */
};
extern const struct argp xs_ask_argp;
#define XS_ASK_CHILD                                                                                                   \
    { &xs_ask_argp, 0, NULL, 0 }

/* Writes the help of --format: "text (the default), json or tsv". */
void xs_format_help(struct xs_string *string, const char *const *formats);

/* Opens a trace, and prints errors, warnings and what was recovered. Returns a negative status if the trace cannot be
 * opened. Unless `quietly` is true, also prints that the trace is still being written, if that is so, and stores the
 * source lines of calls in the trace, if the trace has none and belongs to this user (analyzer/trace/lines/lines.h). */
int xs_open(const char *path, struct xs_trace *trace, bool quietly);

/* If -o names one of the inputs, prints a message and returns true, because --force must not replace a file that is
 * being read. */
bool xs_output_is_input(const struct xs_out_options *options, char *const *inputs, int count);

/* Prints that the trace is still being written, and that the command can be used on the trace when the process that
 * writes it has ended. `verb` is the word of the message for what the command does, for example "try". */
void xs_complain_live(const char *path, const char *verb);

/* Prints a report on each trace, one after the other (report/report_command.c). `run --report` also calls this function
 * at its end. */
int xs_report_traces(char *const *paths, int count, struct xs_out *out);

#endif
