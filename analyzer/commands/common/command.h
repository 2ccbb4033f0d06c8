/* Holds what the commands share: the declaration of a command's options and arguments, the options of output, and
 * opening traces. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_COMMAND_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_COMMAND_H

#include <argp.h>

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "schema/read/trace.h"

/* LIMIT: the command did its work, and a limit is exceeded (`xferspy check`). */
enum { XS_EXIT_OK = 0, XS_EXIT_ERROR = 1, XS_EXIT_USAGE = 2, XS_EXIT_LIMIT = 3 };

/* Declares what a command takes. Its --help, its completion in shells and its man page are all made of this.
 * Conventions:
 * - `arg` of an option that takes one of some words lists them: "auto|off"; FILE and DIR stand for their names.
 * - `args_doc` names the arguments: TRACE is a trace, TRACE|PID also the process that writes it, FINDING the name of
 *   one in it, PROGRAM a program, FILE and DIR as in `arg`; "a|b" is one of the words.
 * - `doc` is a paragraph, then after \v paragraphs; lines that begin with two blanks are examples, shown as they are.
 */
struct xs_interface {
    struct argp argp;
    const char *const *formats; /* the words of --format if a child has that option (XS_ASK_CHILD), else NULL */
};

/* Declares what a command's file defines and the table of commands (cli/commands.def) refers to. */
#define XS_DECLARE_COMMAND(name)                                                                                       \
    int xs_command_##name(int argc, char **argv);                                                                      \
    extern const struct xs_interface xs_interface_##name;

/* Several commands share these help texts. */
#define XS_HELP_FORCE "let -o replace an existing file"
#define XS_HELP_LIMITS                                                                                                 \
    "The exit status is 0 if all limits hold, 3 if one does not, 1 after an error and 2 after wrong usage."
#define XS_HELP_JSON "the same as --format=json"

/* Parses -o, --force, --color, as one of a command's argp children; its input is a struct xs_out_options. */
extern const struct argp xs_output_argp;
#define XS_OUTPUT_CHILD                                                                                                \
    { &xs_output_argp, 0, NULL, 0 }

/* Holds the arguments of a command that shows traces: -o and so on, --json, and the traces' names. Its argp's parser is
 * xs_parse_traces, its options have --json with the key XS_OPTION_JSON, its only child is XS_OUTPUT_CHILD. */
struct xs_traces_arguments {
    struct xs_out_options output;
    bool json, details;
    char **traces;
    int count;
};
enum { XS_OPTION_JSON = 0x100, XS_OPTION_DETAILS };
error_t xs_parse_traces(int key, char *argument, struct argp_state *state);

/* Completes a help text for a command's argp help_filter: behind the last text it names the installed page of docs/
 * that says more, if it is there. */
char *xs_help_with_page(int key, const char *text, const char *page);

/* Returns the place of a word among `words` (NULL after the last), for an option that takes one of them. For any other
 * word, prints a message with all of them and ends the program. */
int xs_parse_word(const char *option, const char *text, const char *const *words, struct argp_state *state);
/* Parses the argument of --top, a number from 1; otherwise prints a message and ends the program. */
size_t xs_parse_top(const char *text, struct argp_state *state);

/* Holds the arguments of a command that asks one trace for something: -o and so on, --format, --json, the trace's name
 * and at most one argument after it. Its argp's children have XS_ASK_CHILD in place of XS_OUTPUT_CHILD; the input is
 * this. The child sees ARGP_KEY_END before the command's own parser does. */
struct xs_ask_arguments {
    struct xs_out_options output;
    const char *const *formats; /* set before: names of the formats, NULL after the last; the first is the default */
    unsigned format;            /* index in `formats` */
    const char *one_only;       /* set before: the message for more arguments */
    char *trace;
    const char *asked; /* the second argument; NULL: none */
};
extern const struct argp xs_ask_argp;
#define XS_ASK_CHILD                                                                                                   \
    { &xs_ask_argp, 0, NULL, 0 }

/* Writes the help of --format: "text (the default), json or tsv". */
void xs_format_help(struct xs_string *string, const char *const *formats);

/* Opens a trace and prints what went wrong or was recovered. `quietly` prints errors only; without it, the lines that
 * calls came from are put into an own trace that has none (analyzer/trace/lines/lines.h). */
int xs_open(const char *path, struct xs_trace *trace, bool quietly);

/* Returns true, with a message, if -o names one of the inputs: --force must not replace what is being read. */
bool xs_output_is_input(const struct xs_out_options *options, char *const *inputs, int count);

/* Says that a command must wait: `verb` is what it does to a trace. */
void xs_complain_live(const char *path, const char *verb);

/* Reports on each trace in turn (report/report_command.c); `run --report` ends with it, too. */
int xs_report_traces(char *const *paths, int count, bool json, bool details, struct xs_out *out);

#endif
