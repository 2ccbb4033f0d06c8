/* Runs a program once: starts it, waits for its end, and measures its time. */
#ifndef XFERSPY_ANALYZER_COMMANDS_BENCH_START_H
#define XFERSPY_ANALYZER_COMMANDS_BENCH_START_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>

/* The signals that a measurement waits for. They are blocked between xs_watch_begin and xs_watch_end. */
struct xs_watch {
    sigset_t signals; /* SIGCHLD, and the signals that end a measurement, unless they are ignored */
    sigset_t before;  /* the signals that were blocked before */
};
void xs_watch_begin(struct xs_watch *watch);
void xs_watch_end(const struct xs_watch *watch);
/* If a signal that ends the measurement is pending, consumes it and returns it; else returns 0. */
int xs_watch_poll(const struct xs_watch *watch);

/* Returns the environment without the settings of capture. These are libxferspy.so in LD_PRELOAD and in the variable by
 * which NVTX finds this library, and all variables XFERSPY_* except XFERSPY_SIM_*, which describe the simulated GPU.
 * Adds `settings` (NULL: none). The caller frees it with xs_environment_free. */
char **xs_environment_bare(char *const *environment, char *const *settings);
void xs_environment_free(char **environment);

enum xs_ran { XS_RAN_TO_END, XS_RAN_TOO_LONG, XS_RAN_INTERRUPTED, XS_RAN_NOT };

/* Runs a program to its end; its standard output and standard error are written to the two files. `deadline_ns` is a
 * time of CLOCK_MONOTONIC; 0: none. At the deadline, or at a signal of `watch` other than SIGCHLD, the program is
 * ended. XS_RAN_NOT: the program could not be started, and a message was printed. `wall_ns` and `status` (as from
 * waitpid) are set if the program ended by itself. Before the function returns, it ends all processes of the program's
 * process group that still run. It waits for their end for up to two seconds after SIGTERM, and for up to two seconds
 * after SIGKILL; `wall_ns` does not contain this time. */
enum xs_ran xs_run_once(char *const *argv, char **environment, FILE *output, FILE *errors, const struct xs_watch *watch,
                        int64_t deadline_ns, uint64_t *wall_ns, int *status);

#endif
