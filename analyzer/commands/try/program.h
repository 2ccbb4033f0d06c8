/* The program whose repairs are tried: its command, folder and environment; and recording it first. */
#ifndef XFERSPY_ANALYZER_TRY_PROGRAM_H
#define XFERSPY_ANALYZER_TRY_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/read/trace.h"

struct xs_program {
    char **argv;         /* NULL after the last word */
    char *folder;        /* to run it in; NULL: this one */
    char *library;       /* libxferspy.so */
    char *preload;       /* "LD_PRELOAD=" with the library before what is there already */
    int64_t deadline_ns; /* of CLOCK_MONOTONIC: recording ends then; 0: no limit */
};

/* Finds the library. Returns an exit status, after a message where it is none of XS_EXIT_OK. To be ended either way. */
int xs_program_begin(struct xs_program *program);
void xs_program_end(struct xs_program *program);

/* The command that was typed. */
void xs_program_set(struct xs_program *program, char *const *argv);
/* That of a trace, with its folder. Anybody can write a command into a trace, so only that of a trace which this user
 * recorded here is taken. Returns an exit status. */
int xs_program_of_trace(struct xs_program *program, const struct xs_trace *trace);

/* Words as a shell takes them: plain ones, those between '...', and \'. NULL where it is none of these; to be freed
 * with each word. */
char **xs_program_words(const char *command);

/* Names of traces of two runs of one program. */
struct xs_recorded {
    char *predicts; /* as it comes: what a report of the program says */
    char *whole;    /* with the contents of all copies, which takes longer: what a plan can be made of */
};

/* Records both in a new folder below this one. Returns an exit status; `recorded` is to be freed either way. */
int xs_program_record(const struct xs_program *program, struct xs_recorded *recorded);
/* Records the second alone, in the program's folder, into a new folder of TMPDIR or /tmp, for the plan of a trace that
 * is there: what it says has to go with xs_program_forget. Where it fails nothing is left, and a message says why, but
 * not where the user ended it. `recorded` is to be freed either way. */
bool xs_program_record_whole(const struct xs_program *program, struct xs_recorded *recorded, bool *is_interrupted);
/* Deletes that trace, with its folder. */
void xs_program_forget(const struct xs_recorded *recorded);
void xs_recorded_free(struct xs_recorded *recorded);

/* Changes to the program's folder; `back` is for xs_program_leave. False after a message. */
bool xs_program_enter(const struct xs_program *program, int *back);
void xs_program_leave(int back);

/* Makes a new folder in TMPDIR or /tmp; its path is "" after a message and false. */
bool xs_make_folder(char *folder, size_t bytes);
/* Deletes a folder of files with all that is in it: a program that was ended can have left half of one. */
void xs_remove_folder(const char *path);

#endif
