/* Writes a new trace for a command, under a temporary name in the folder of the final file. A command that fails
 * therefore leaves no incomplete trace, and does not damage an older trace. */
#ifndef XFERSPY_ANALYZER_COMMANDS_COMMON_NEW_TRACE_H
#define XFERSPY_ANALYZER_COMMANDS_COMMON_NEW_TRACE_H

#include <argp.h>
#include <stdbool.h>

#include "analyzer/commands/common/command.h"

struct sqlite3;

/* Declares the options and the argument of a command that makes one file from another: rows for its argp options, and a
 * struct for their values. `output` is the help of -o. The option -o has two rows, because otherwise argp adds a long
 * note on the arguments of short options to every help text. */
enum { XS_OPTION_NEW_TRACE = 0x3000, XS_OPTION_NEW_TRACE_FORCE };
#define XS_NEW_TRACE_OPTIONS(output)                                                                                   \
    {NULL, 0, NULL, 0, "Output:", 9}, {"output", XS_OPTION_NEW_TRACE, "FILE", 0, output "; short: -o FILE", 9},        \
        {NULL, 'o', "FILE", OPTION_HIDDEN, NULL, 9}, {                                                                 \
        "force", XS_OPTION_NEW_TRACE_FORCE, NULL, 0, XS_HELP_FORCE, 9                                                  \
    }
struct xs_new_trace_arguments {
    const char *input_is, *output_is; /* words for messages, such as "trace" and "COPY.db"; set before parsing */
    const char *input, *output;
    bool force;
};
/* The default case of the command's parser must call this function. */
error_t xs_parse_new_trace(int key, char *argument, struct xs_new_trace_arguments *arguments, struct argp_state *state);

struct xs_new_trace {
    struct sqlite3 *db; /* a transaction is open in it */
    char *path, *temporary;
    bool force;
};

/* Creates the trace, with the tables and views of the current schema, the rows that name the values of columns, and the
 * row of meta with the schema's version. If it fails, prints a message and returns a negative status. */
int xs_new_trace_begin(struct xs_new_trace *trace, const char *path, bool force);

/* If `keep` is true, commits the transaction and renames the file to `path`; else removes the file. Returns 0, or a
 * negative status after a message. */
int xs_new_trace_end(struct xs_new_trace *trace, bool keep);

/* Renames a complete file to its final name. If `force` is true, replaces a file or a symbolic link of this name;
 * otherwise, does not replace a file, even if the file was made after the command began. (Where the file system has
 * neither RENAME_NOREPLACE nor hard links, a file that is made at the moment of the renaming is replaced.) Returns 0,
 * or a negative status after a message. */
int xs_put_in_place(const char *temporary, const char *path, bool force);

#endif
