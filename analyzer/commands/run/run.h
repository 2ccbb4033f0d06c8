/* Between the files of xferspy run. */
#ifndef XFERSPY_ANALYZER_RUN_RUN_H
#define XFERSPY_ANALYZER_RUN_RUN_H

#include <sys/types.h>

#include "analyzer/base/out.h"

enum { XS_EXIT_NOT_EXECUTABLE = 126, XS_EXIT_NOT_FOUND = 127 };

#define XS_CANNOT_PRELOAD                                                                                              \
    "%s: LD_PRELOAD cannot name a file whose path has a blank or a colon; copy it elsewhere and set XFERSPY_LIBRARY"
#define XS_CANNOT_START "cannot start a process: %s"
#define XS_LIBRARY_NOT_FOUND_AT "libxferspy.so not found (tried %s); XFERSPY_LIBRARY=FILE names it"

/* Says that a program could not be started, and why. */
void xs_complain_cannot_start(const char *name, int error);

/* Finds the preloaded library: $XFERSPY_LIBRARY, then beside this program, ../lib, ../lib64, ../lib/xferspy, and
 * ../preload of a build tree. A new string, or NULL with the places that were tried in `tried` (to be freed). */
char *xs_find_library(char **tried);

/* The file that execvp would start, as a new string; NULL where there is none. */
char *xs_find_program(const char *name);

/* One line on standard error where preloading will have no effect on this program (static, setuid, other class);
 * whether there was one. */
bool xs_warn_about_program(const char *path);

/* LD_PRELOAD with the library before what is there already. 0, or -1 after a message. */
int xs_set_preload(const char *library);

/* Whether a text means no, as the library reads a switch. */
bool xs_means_off(const char *value);

/* Why a value of XFERSPY_REDACT is not accepted, within a sentence; NULL where it is. */
const char *xs_pattern_refused(const char *pattern);

/* Whether a text means yes. */
bool xs_means_on(const char *value);

/* Replaces this process by the program; returns 126 or 127 after a message. */
int xs_exec_program(char **argv);

/* Runs the program as a child and ends as it ended: same exit status, same signal. Prints the report of the traces that
 * it left (to standard error, or to -o), or, where `report` is NULL, only why it left none. `warned`: why was said
 * before. */
int xs_run_program(char **argv, const struct xs_out_options *report, bool warned);

/* While the program runs, where steps were asked for (--skip-steps, --steps): waits until it ends, or until a trace of
 * it, which is none of `before`, shows that no step is found, and says that in one line. Nothing is done with the
 * program: waitpid is still to be called. */
struct xs_run_files;
void xs_watch_steps(pid_t program, const struct xs_run_files *before);

/* The folder that traces go to, as far as XFERSPY_OUTPUT has no % in it. A new string. */
char *xs_output_folder(void);
#define XS_NO_WAY_INTO "%s: %s; give another place with --output"

/* Sees to it, before the program starts, that the trace of XFERSPY_OUTPUT can be made under its name: makes its folder,
 * and refuses a name that is taken, or, with `force`, deletes the trace that has it. `program` is the file that is
 * going to be started. Not `is_typed`: the template comes from the environment, and may be that of an xferspy run
 * around this one, whose other traces stay. XS_EXIT_OK, or another status after a message. */
int xs_output_prepare(const char *program, bool is_typed, bool force);

/* Reserves the name of a trace for this process until it ends. False: another xferspy run of this user has reserved it.
 * True as well where nothing can be reserved. */
bool xs_output_reserve(const char *path);

/* Whether this process is a rank of a job that has several. */
bool xs_is_rank_of_many(void);

/* Whether this process is a rank of a job, and the file was made since the job's launcher started: another rank's. */
bool xs_is_of_this_job(const char *path);

/* Files under names that the template of XFERSPY_OUTPUT can become; to be freed. */
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

/* Those that were not there before. */
struct xs_run_files xs_run_files_since(const struct xs_run_files *before);
void xs_run_files_free(struct xs_run_files *files);

/* Did the trace's process not come to close it? To open such a trace takes over what the process left, and that may
 * live on. */
bool xs_run_is_unclosed(const char *path);

/* Of a program that failed: where one of its closed traces says that the device failed while CUPTI was attached, says
 * with which command to record it without CUPTI. */
void xs_offer_without_cupti(char **argv, const struct xs_run_files *files);

/* Says why the program left no trace, and what to look at. */
void xs_say_no_trace(const char *program);

#endif
