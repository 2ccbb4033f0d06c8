/* Declarations shared by the files of `xferspy run`. */
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

/* Finds the library to be preloaded: $XFERSPY_LIBRARY, or in the folder of this program, or in ../lib, ../lib64,
 * ../lib/xferspy, or ../preload (in a build tree). Returns a new string. If it is not found, returns NULL, and `*tried`
 * is a new string with the paths that were tried. */
char *xs_find_library(char **tried);

/* Returns the file that execvp would start, as a new string; NULL: there is none. */
char *xs_find_program(const char *name);

/* Prints a line on standard error if preloading has no effect on this program, because it is statically linked, is for
 * another kind of machine, or runs with raised privileges. Returns true if it printed a line. */
bool xs_warn_about_program(const char *path);

/* Puts the library before other libraries in LD_PRELOAD. Returns 0, or -1 after a message. */
int xs_set_preload(const char *library);

/* Returns why a value of XFERSPY_REDACT is not accepted, as a part of a sentence; NULL: it is accepted. */
const char *xs_pattern_refused(const char *pattern);

/* Replaces this process by the program. If that fails, prints a message and returns 126 or 127. */
int xs_exec_program(char **argv);

/* Runs the program as a child, and ends as the child ended: with its exit status or signal. Prints the report of the
 * program's traces to standard error, or to the file of -o. If `report` is NULL, prints no report; then, if there are
 * no traces, prints the reason. `warned` is true if this reason was printed before. */
int xs_run_program(char **argv, const struct xs_out_options *report, bool warned);

/* If the user requested steps (--skip-steps, --steps), waits until the program ends, or until one of its traces shows
 * that no step is found. If no step is found, prints a line. `before` has the traces that existed before the program
 * started. The caller must still call waitpid for the program. */
struct xs_run_files;
void xs_watch_steps(pid_t program, const struct xs_run_files *before);

/* Returns the folder of the traces, as a new string. The folder ends before the last slash of the text that precedes
 * the first field (such as %p) of XFERSPY_OUTPUT. If there is no slash, the folder is ".". */
char *xs_output_folder(void);
/* Inserts `number` before the suffix of `template`, for example "%n" into "run.db", which gives "run.%n.db". `template`
 * may also be a pattern for glob. */
char *xs_output_numbered(const char *template, const char *number);
#define XS_NO_WAY_INTO "%s: %s; give another place with --output"

/* Must be called before the program starts. Makes the folder of the trace that XFERSPY_OUTPUT names. If a trace with
 * this name exists, deletes the trace if `force` is true, and fails if `force` is false. `program` is the file that
 * will be started. If `is_typed` is false, the template comes from the environment, and may belong to an xferspy run
 * that started this one; in this case, an existing trace is not deleted, and is no reason to fail. Returns XS_EXIT_OK,
 * or another status after a message. */
int xs_output_prepare(const char *program, bool is_typed, bool force);

/* Reserves the name of a trace for this process until it ends. False: another xferspy run of this user has reserved it.
 * If reserving is not possible, returns true. */
bool xs_output_reserve(const char *path);

/* True if this process is a rank of a job with several ranks. */
bool xs_is_rank_of_many(void);

/* True if this process is a rank of a job, and the file belongs to another rank of the job, because it was made after
 * the job's launcher started. */
bool xs_is_of_this_job(const char *path);

/* Returns the files whose names the template of XFERSPY_OUTPUT can produce. The caller frees them. */
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

/* Returns the files that xs_run_files would return now and that are not in `before`. The caller frees them. */
struct xs_run_files xs_run_files_since(const struct xs_run_files *before);
void xs_run_files_free(struct xs_run_files *files);

/* Stores the source lines of calls in the closed traces of the run that began at `since_ns` (Unix time), because the
 * next build may replace the program's binary. Takes at most five seconds, shows a line on a terminal during this time,
 * and prints a message if it had to stop early. Prints nothing if `is_silent` is true. */
void xs_run_keep_lines(const struct xs_run_files *files, int64_t since_ns, bool is_silent);

/* Adds the closed traces of the run that began at `since_ns` to the fleet files of the folder that XS_FLEET_DIR names
 * (fleet_files.h). Does nothing if the variable is not set. Prints a message for a trace that cannot be added. */
#define XS_FLEET_DIR "XFERSPY_FLEET_DIR"
void xs_run_add_to_fleet(const struct xs_run_files *files, int64_t since_ns);

/* True if a trace was left without being closed. Opening such a trace recovers the spool of its process, which must not
 * happen here, because the process may still run. */
bool xs_run_is_unclosed(const char *path);

/* Must be called if the program failed. If one of its closed traces says that the device failed while CUPTI was
 * attached, prints the command that records the program without CUPTI. */
void xs_offer_without_cupti(char **argv, const struct xs_run_files *files);

/* Prints why the program left no trace, and what to check. */
void xs_say_no_trace(const char *program);

#endif
