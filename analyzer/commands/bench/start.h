/* Runs a program once: starts it, waits for it, takes its time. */
#ifndef XFERSPY_ANALYZER_COMMANDS_BENCH_START_H
#define XFERSPY_ANALYZER_COMMANDS_BENCH_START_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>

/* The signals that a measurement waits for. They are blocked from xs_watch_begin to xs_watch_end. */
struct xs_watch {
    sigset_t signals; /* SIGCHLD, and those that end a measurement, unless they are ignored */
    sigset_t before;  /* the signals that were blocked before */
};
void xs_watch_begin(struct xs_watch *watch);
void xs_watch_end(const struct xs_watch *watch);
/* Returns a pending signal that ends the measurement, and takes it; else 0. */
int xs_watch_poll(const struct xs_watch *watch);

/* Returns the environment without what belongs to capture: libxferspy.so in LD_PRELOAD and where NVTX finds it, and
 * variables XFERSPY_* except XFERSPY_SIM_*, which describe the simulated GPU. Adds `settings` (NULL: none). Free it by
 * xs_environment_free. */
char **xs_environment_bare(char *const *environment, char *const *settings);
void xs_environment_free(char **environment);

enum xs_ran { XS_RAN, XS_RAN_TOO_LONG, XS_RAN_INTERRUPTED, XS_RAN_NOT };

/* Runs a program to its end; its standard output and error go to the two files. `deadline_ns` is of CLOCK_MONOTONIC, 0:
 * none. The deadline, or a signal of `watch`, ends the program. XS_RAN_NOT: it could not be started, and a message says
 * why. `wall_ns` and `status` (as from waitpid) are set for a program that ended by itself. Before this returns, it
 * ends everything that the program left running in its process group; that takes up to two seconds, which `wall_ns`
 * excludes. */
enum xs_ran xs_run_once(char *const *argv, char **environment, FILE *output, FILE *errors, const struct xs_watch *watch,
                        int64_t deadline_ns, uint64_t *wall_ns, int *status);

int64_t xs_monotonic_ns(void);

#endif
