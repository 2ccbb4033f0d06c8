/* The program whose repairs are tried: its command, folder and environment. It can be recorded first. */
#ifndef XFERSPY_ANALYZER_COMMANDS_TRY_PROGRAM_H
#define XFERSPY_ANALYZER_COMMANDS_TRY_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_program {
    char **argv;         /* NULL after the last word */
    char *folder;        /* folder to run it in; NULL: the current one */
    char *library;       /* libxferspy.so */
    char *preload;       /* "LD_PRELOAD=" with the library before other ones */
    int64_t deadline_ns; /* of CLOCK_MONOTONIC: when recording ends; 0: no limit */
};

/* Finds the library. Returns an exit status; if it is not XS_EXIT_OK, a message was printed. Call xs_program_end
 * even then. */
int xs_program_begin(struct xs_program *program);
void xs_program_end(struct xs_program *program);

/* Takes the command that was typed. */
void xs_program_set(struct xs_program *program, char *const *argv);
/* Takes the command of a trace, with its folder. Anybody can write a command into a trace, and nothing in a file shows
 * who did. So the user has to agree: `is_agreed` says that they did on the command line, else they are asked on the
 * terminal. Returns an exit status. */
int xs_program_of_trace(struct xs_program *program, const struct xs_trace *trace, bool is_agreed);

/* Splits a command into words as a shell does, with plain characters, '...' and \'. NULL: it has other syntax. To be
 * freed with each word. */
char **xs_program_words(const char *command);

/* The names of the traces of two runs of one program. */
struct xs_recorded {
    char *predicts; /* a normal trace, with what a report of the program says */
    char *whole;    /* with the contents of all copies, which takes longer; a plan can be made from it */
};

/* Records both traces in a new folder below the current one. Returns an exit status; `recorded` must always be
 * freed. */
int xs_program_record(const struct xs_program *program, struct xs_recorded *recorded);
/* Records only the second trace, in the program's folder, for the plan of an existing trace. It lies in a new folder
 * of TMPDIR or /tmp, and xs_program_forget must delete it. If this fails, nothing is left, and a message says why
 * unless the user interrupted it. `recorded` must always be freed. */
bool xs_program_record_whole(const struct xs_program *program, struct xs_recorded *recorded, bool *is_interrupted);
/* Deletes that trace with its folder. */
void xs_program_forget(const struct xs_recorded *recorded);
void xs_recorded_free(struct xs_recorded *recorded);

/* Changes to the program's folder; `back` is for xs_program_leave. False: a message was printed. */
bool xs_program_enter(const struct xs_program *program, int *back);
void xs_program_leave(int back);

/* Makes a new folder in TMPDIR or /tmp. False: a message was printed, and its path is "". */
bool xs_make_folder(char *folder, size_t bytes);
/* Deletes a folder of files with its contents: a program that was interrupted may have left some. */
void xs_remove_folder(const char *path);

#endif
