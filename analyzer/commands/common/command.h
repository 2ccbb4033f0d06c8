/* What the commands share: the declaration of a command's options and arguments, the options of output, and opening
 * traces. */
#ifndef XFERSPY_ANALYZER_COMMAND_COMMAND_H
#define XFERSPY_ANALYZER_COMMAND_COMMAND_H

#include <argp.h>

#include "analyzer/base/out.h"
#include "analyzer/base/text.h"
#include "schema/read/trace.h"

/* LIMIT: what was asked for was done, and a limit is exceeded (`xferspy check`). */
enum { XS_EXIT_OK = 0, XS_EXIT_ERROR = 1, XS_EXIT_USAGE = 2, XS_EXIT_LIMIT = 3 };

/* What a command takes. Its --help, its completion in shells and its man page are all made of this. Conventions:
 * - `arg` of an option that takes one of some words lists them: "auto|off"; FILE and DIR are names of such.
 * - `args_doc` names the arguments: TRACE is a trace, TRACE|PID also the process that writes it, FINDING the name of
 * one in it, PROGRAM a program, FILE and DIR as above; "a|b" is one of the words.
 * - `doc` is a paragraph, then after \v paragraphs; lines that begin with two blanks are examples, shown as they
 * are. */
struct xs_interface {
    struct argp argp;
    const char *const *formats; /* the words of --format where a child has that option (XS_ASK_CHILD), else NULL */
};

/* What the file of a command defines, and the table of commands (cli/commands.def) refers to. */
#define XS_DECLARE_COMMAND(name)                                                                                       \
    int xs_command_##name(int argc, char **argv);                                                                      \
    extern const struct xs_interface xs_interface_##name;

/* Help that stands in several commands. */
#define XS_HELP_DOCTOR "whether capture will work on this machine"
#define XS_HELP_INFO "what a trace is and holds"
#define XS_HELP_FORCE "let -o replace an existing file"
#define XS_HELP_ERRORS "1 after an error and 2 after wrong usage" /* of exit statuses */
#define XS_HELP_LIMITS "The exit status is 0 if all limits hold, 3 if one does not, " XS_HELP_ERRORS "."
#define XS_HELP_RANK_TEST "the exact rank test of Mann and Whitney finds it in the order of " /* runs */
#define XS_HELP_JSON "the same as --format=json"

/* -o, --force, --color for a command's argp children; its input is a struct xs_out_options. */
extern const struct argp xs_output_argp;
#define XS_OUTPUT_CHILD                                                                                                \
    { &xs_output_argp, 0, NULL, 0 }

/* What a command takes that shows traces: -o and so on, --json, and the traces' names. Its argp's parser is
 * xs_parse_traces, its options have --json with the key XS_OPTION_JSON, its only child is XS_OUTPUT_CHILD. */
struct xs_traces_arguments {
    struct xs_out_options output;
    bool json, details;
    char **traces;
    int count;
};
enum { XS_OPTION_JSON = 0x100, XS_OPTION_DETAILS };
error_t xs_parse_traces(int key, char *argument, struct argp_state *state);

/* What an argp help_filter of a command makes of a text: behind its last one stands where the page of docs/ is that
 * says more, as it was installed, if it is there. */
char *xs_help_with_page(int key, const char *text, const char *page);

/* The place of a word among `words` (NULL after the last), for an option that takes one of them; a message with all of
 * them, and the end of the program, where it is none. */
int xs_parse_word(const char *option, const char *text, const char *const *words, struct argp_state *state);
/* The argument of --top: a number from 1, else likewise. */
size_t xs_parse_top(const char *text, struct argp_state *state);

/* What a command takes that asks one trace for something: -o and so on, --format, --json, the trace's name and at most
 * one argument after it. In its argp's children XS_ASK_CHILD stands in place of XS_OUTPUT_CHILD; the input is this. It
 * has looked at ARGP_KEY_END before the command's own parser does. */
struct xs_ask_arguments {
    struct xs_out_options output;
    const char *const *formats; /* set before: their names, NULL after the last; the first is the default */
    unsigned format;            /* which of them */
    const char *one_only;       /* set before: the message when there are more arguments */
    char *trace;
    const char *asked; /* NULL: nothing */
};
extern const struct argp xs_ask_argp;
#define XS_ASK_CHILD                                                                                                   \
    { &xs_ask_argp, 0, NULL, 0 }

/* For the help of --format: "text (the default), json or tsv". */
void xs_format_help(struct xs_string *string, const char *const *formats);

/* Opens a trace, printing what went wrong or what was recovered. `quietly` leaves out what is no error. Otherwise the
 * lines that calls came from are put into an own trace that has none (analyzer/trace/lines/lines.h). */
int xs_open(const char *path, struct xs_trace *trace, bool quietly);

/* True, with a message, when -o names one of the inputs: --force must not replace what is being read. */
bool xs_output_is_input(const struct xs_out_options *options, char *const *inputs, int count);

/* Says that a command has to wait: `verb` is what it does to a trace. */
void xs_complain_live(const char *path, const char *verb);

/* Reports on each trace in turn (report/report_command.c); also what `run --report` ends with. */
int xs_report_traces(char *const *paths, int count, bool json, bool details, struct xs_out *out);

#endif
