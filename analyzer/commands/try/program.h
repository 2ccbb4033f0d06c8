/* Describes the program with which repairs are tried: its command, folder and environment. Other functions record the
 * program before repairs are tried, if traces are needed for this. */
#ifndef XFERSPY_ANALYZER_COMMANDS_TRY_PROGRAM_H
#define XFERSPY_ANALYZER_COMMANDS_TRY_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_program {
    char **argv;         /* NULL after the last word */
    char *folder;        /* the folder in which it runs; NULL: the current folder */
    char *library;       /* the path of libxferspy.so */
    char *preload;       /* "LD_PRELOAD=" with this library before other libraries */
    bool watches_all;    /* the trace `whole` says of all downloads what the host read of them */
    int64_t deadline_ns; /* time of CLOCK_MONOTONIC at which recording must end; 0: no limit */
};

/* Finds the library. Returns an exit status; if it is not XS_EXIT_OK, a message was printed. xs_program_end must be
 * called even then. */
int xs_program_begin(struct xs_program *program);
void xs_program_end(struct xs_program *program);

/* Sets the command to the words that the user typed. */
void xs_program_set(struct xs_program *program, char *const *argv);
/* Sets the command and the folder to those of a trace. Anybody can write a command into a trace, and a file does not
 * show who wrote it. The user must therefore agree that this command is run. If `is_agreed` is true, the user agreed on
 * the command line; otherwise, the function asks the user on the terminal. Returns an exit status. */
int xs_program_of_trace(struct xs_program *program, const struct xs_trace *trace, bool is_agreed);

/* Splits a command into words at blanks. As in a shell, a part in '...' is taken literally, and so is a character after
 * a backslash. All other characters are plain. NULL: the command has no word, or a ' is not closed. The caller frees
 * each word and the array. */
char **xs_program_words(const char *command);

/* The names of the traces of two runs of one program. */
struct xs_program_traces {
    char *predicts; /* a normal trace, from which the report computes what repairs would save */
    char *whole;    /* a trace with the contents of all copies, from which a plan can be made; recording it takes
                       longer */
};

/* Records both traces in a new folder below the current one. Returns an exit status; `recorded` must be freed in any
 * case. */
int xs_program_record(const struct xs_program *program, struct xs_program_traces *recorded);
/* Runs the program in its folder and records only the trace `whole`, for the plan of an existing trace. The trace is in
 * a new folder of TMPDIR or /tmp; xs_program_forget must be called to delete it. If this fails, no file is left; a
 * message says why, unless the user interrupted the program. `recorded` must always be freed. */
bool xs_program_record_whole(const struct xs_program *program, struct xs_program_traces *recorded,
                             bool *is_interrupted);
/* Deletes the trace of xs_program_record_whole and its folder. */
void xs_program_forget(const struct xs_program_traces *recorded);
void xs_recorded_free(struct xs_program_traces *recorded);

/* Changes the current folder to the program's. Sets `*back` to the value that xs_program_leave needs, so that it can
 * return to the present folder. False: a message was printed. */
bool xs_program_enter(const struct xs_program *program, int *back);
void xs_program_leave(int back);

/* Makes a new folder in TMPDIR or /tmp. False: a message was printed, and `folder` is "". */
bool xs_make_folder(char *folder, size_t bytes);
/* Deletes a folder and the files in it, because an interrupted program may have left files there. */
void xs_remove_folder(const char *path);

#endif
