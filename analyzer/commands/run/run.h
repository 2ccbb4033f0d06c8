/* Shared by the files of xferspy run. */
#ifndef XFERSPY_ANALYZER_COMMANDS_RUN_RUN_H
#define XFERSPY_ANALYZER_COMMANDS_RUN_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "analyzer/base/out.h"
#include "schema/option_value.h"

enum { XS_EXIT_NOT_EXECUTABLE = 126, XS_EXIT_NOT_FOUND = 127 };

#define XS_CANNOT_PRELOAD                                                                                              \
    "%s: LD_PRELOAD cannot name a file whose path has a blank or a colon; copy it elsewhere and set XFERSPY_LIBRARY"
#define XS_CANNOT_START "cannot start a process: %s"
#define XS_LIBRARY_NOT_FOUND_AT "libxferspy.so not found (tried %s); XFERSPY_LIBRARY=FILE names it"

/* Prints that a program could not be started, and why. */
void xs_complain_cannot_start(const char *name, int error);

/* Finds the preloaded library: $XFERSPY_LIBRARY, then beside this program, ../lib, ../lib64, ../lib/xferspy, and
 * ../preload of a build tree. Returns a new string, or NULL with the tried paths in `tried` (to be freed). */
char *xs_find_library(char **tried);

/* The file that execvp would start, as a new string; NULL: there is none. */
char *xs_find_program(const char *name);

/* Prints a line on standard error if preloading has no effect on this program (static, setuid, other class). Returns
 * whether it did. */
bool xs_warn_about_program(const char *path);

/* Puts the library before other libraries in LD_PRELOAD. 0, or -1 after a message. */
int xs_set_preload(const char *library);

/* Why a value of XFERSPY_REDACT is not accepted, as a part of a sentence; NULL: it is accepted. */
const char *xs_pattern_refused(const char *pattern);

/* Replaces this process by the program; returns 126 or 127 after a message. */
int xs_exec_program(char **argv);

/* Runs the program as a child and ends as it ended: with its exit status or signal. Prints the report of its traces
 * (to standard error, or to -o); if `report` is NULL, only why there are none. `warned`: that was said before. */
int xs_run_program(char **argv, const struct xs_out_options *report, bool warned);

/* If steps were asked for (--skip-steps, --steps): waits until the program ends, or until one of its traces shows
 * that no step is found, and then prints a line. `before`: older traces. Does not affect the program: waitpid must
 * still be called. */
struct xs_run_files;
void xs_watch_steps(pid_t program, const struct xs_run_files *before);

/* The folder of the traces, as far as XFERSPY_OUTPUT has no % in it. A new string. */
char *xs_output_folder(void);
#define XS_NO_WAY_INTO "%s: %s; give another place with --output"

/* Prepares for the trace of XFERSPY_OUTPUT before the program starts: makes its folder, and refuses a name that is
 * taken, or with `force` deletes the trace of that name. `program`: the file that will be started. Without
 * `is_typed` the template comes from the environment; it may belong to an xferspy run around this one, whose other
 * traces stay. Returns XS_EXIT_OK, or another status after a message. */
int xs_output_prepare(const char *program, bool is_typed, bool force);

/* Reserves the name of a trace for this process until it ends. False: another xferspy run of this user has reserved
 * it. True also if nothing can be reserved. */
bool xs_output_reserve(const char *path);

/* Whether this process is a rank of a job with several ranks. */
bool xs_is_rank_of_many(void);

/* Whether this process is a rank of a job, and the file belongs to another rank: it was made after the job's
 * launcher started. */
bool xs_is_of_this_job(const char *path);

/* The files with names that the template of XFERSPY_OUTPUT can become; to be freed. */
struct xs_file_number {
    dev_t device;
    ino_t inode;
};
struct xs_run_files {
    char **paths; /* absolute */
    struct xs_file_number *numbers;
    size_t count;
};
struct xs_run_files xs_run_files(void);

/* The files that are not in `before`; to be freed. */
struct xs_run_files xs_run_files_since(const struct xs_run_files *before);
void xs_run_files_free(struct xs_run_files *files);

/* Puts the lines that calls came from into the closed traces of the run that began at `since_ns` (Unix time), before
 * the next build replaces the program's binary. Takes five seconds at most, shows a line on a terminal meanwhile, and
 * says so if it was ended. Says nothing if `is_silent`. */
void xs_run_keep_lines(const struct xs_run_files *files, int64_t since_ns, bool is_silent);

/* Whether the trace's process ended without closing it. Opening such a trace would recover the process's spool, but
 * the process may live on. */
bool xs_run_is_unclosed(const char *path);

/* For a program that failed: if one of its closed traces says that the device failed while CUPTI was attached,
 * prints the command that records it without CUPTI. */
void xs_offer_without_cupti(char **argv, const struct xs_run_files *files);

/* Prints why the program left no trace, and what to check. */
void xs_say_no_trace(const char *program);

#endif
