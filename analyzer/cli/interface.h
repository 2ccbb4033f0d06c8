/* Lists the options and the arguments of a command. The lists are read from the argp structures of the command, and the
 * completion scripts and the man pages are generated from the lists. argp prints the help from the same structures, so
 * completion, man pages and help cannot differ. */
#ifndef XFERSPY_ANALYZER_CLI_INTERFACE_H
#define XFERSPY_ANALYZER_CLI_INTERFACE_H

#include "analyzer/base/text.h"
#include "analyzer/cli/commands.h"

/* Says what an argument of an option or of a command means. */
enum xs_argument_kind {
    XS_ARGUMENT_OTHER = 0, /* text that no shell can complete, such as a number or SQL */
    XS_ARGUMENT_WORDS,     /* one of the words of "a|b|c" */
    XS_ARGUMENT_FILE,
    XS_ARGUMENT_DIR,
    XS_ARGUMENT_TRACE,
    XS_ARGUMENT_FINDING, /* a finding of the trace in the previous argument */
    XS_ARGUMENT_PROGRAM, /* the program to run; its arguments follow */
    XS_ARGUMENT_COMMAND, /* the name of a command of xferspy */
};
enum xs_argument_kind xs_argument_kind(const char *text);

/* A row of the help. The texts are valid until the list is freed. */
struct xs_option {
    const char *name;     /* without hyphens; NULL: a heading, or an option that has only a letter */
    char letter;          /* 0: none */
    const char *argument; /* NULL: none */
    bool optional;        /* the argument may be left out; if it is given, it follows `=' */
    bool hidden;          /* accepted, but not shown in the help */
    bool documentation;   /* not an option: a row of the help that only has text */
    const char *help;     /* for a heading: the text of the heading */
    int group;
};

struct xs_interface_list {
    struct xs_option *options; /* in the order of their groups; a heading precedes its group; --help and the other
                                  options that argp itself adds come last */
    size_t option_count;
    struct xs_interface_argument {
        char *text; /* such as "TRACE", without brackets and dots */
        enum xs_argument_kind kind;
        bool repeats;
    } * arguments;
    size_t argument_count;
    struct xs_string format_words, format_help;
};

/* Reads the options and arguments of a command into `list`. `command` NULL: reads the options and arguments of xferspy
 * itself. The caller frees the list. */
void xs_interface_read(const struct xs_command *command, struct xs_interface_list *list);
void xs_interface_free(struct xs_interface_list *list);

/* True if an option is a heading: it has neither a name nor a letter. */
bool xs_option_is_heading(const struct xs_option *option);

#endif
