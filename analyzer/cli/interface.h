/* The options and arguments of a command, read from its argp structures. Completion and man pages are generated from
 * these two lists. argp prints the help from the same structures, so the three cannot differ. */
#ifndef XFERSPY_ANALYZER_CLI_INTERFACE_H
#define XFERSPY_ANALYZER_CLI_INTERFACE_H

#include "analyzer/base/text.h"
#include "analyzer/cli/commands.h"

/* What stands for an argument: of an option, or of the command. */
enum xs_argument_kind {
    XS_ARGUMENT_OTHER = 0, /* a number, SQL, what no shell can guess */
    XS_ARGUMENT_WORDS,     /* "a|b|c": one of these */
    XS_ARGUMENT_FILE,
    XS_ARGUMENT_DIR,
    XS_ARGUMENT_TRACE,
    XS_ARGUMENT_FINDING, /* of the trace before it */
    XS_ARGUMENT_PROGRAM, /* with arguments of its own after it */
    XS_ARGUMENT_COMMAND, /* one of xferspy's */
};
enum xs_argument_kind xs_argument_kind(const char *text);

/* A row of the help. Texts belong to the argp, or to the list. */
struct xs_option {
    const char *name;     /* without hyphens; NULL: a heading, or an option of one letter only */
    char letter;          /* 0: none */
    const char *argument; /* NULL: none */
    bool optional;        /* the argument may be left out, and otherwise follows `=' */
    bool hidden;          /* understood, but not shown */
    bool documentation;   /* no option: a row of the help, for its text */
    const char *help;     /* of a heading: the heading */
    int group;
};

struct xs_interface_list {
    struct xs_option *options; /* in the order of their groups, --help last; a heading stands before its group */
    size_t option_count;
    struct xs_interface_argument {
        char *text; /* TRACE, without brackets and dots */
        enum xs_argument_kind kind;
        bool repeats;
    } * arguments;
    size_t argument_count;
    struct xs_string format_words, format_help;
};

/* NULL reads xferspy itself, without a command. */
void xs_interface_read(const struct xs_command *command, struct xs_interface_list *list);
void xs_interface_free(struct xs_interface_list *list);

/* A heading has neither name nor letter. */
bool xs_option_is_heading(const struct xs_option *option);

#endif
