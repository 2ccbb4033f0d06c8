/* One run of a program: started, waited for, timed. */
#ifndef XFERSPY_ANALYZER_BENCH_START_H
#define XFERSPY_ANALYZER_BENCH_START_H

#include <signal.h>
#include <stdint.h>
#include <stdio.h>

/* The signals that a measurement waits for; they are blocked from xs_watch_begin to xs_watch_end. */
struct xs_watch {
    sigset_t signals; /* SIGCHLD, and those that end a measurement, unless they are ignored */
    sigset_t before;  /* what was blocked */
};
void xs_watch_begin(struct xs_watch *watch);
void xs_watch_end(const struct xs_watch *watch);
/* A signal that ends the measurement came; it is taken. */
int xs_watch_poll(const struct xs_watch *watch);

/* The environment without what belongs to capture: libxferspy.so in LD_PRELOAD and where NVTX finds it, and variables
 * XFERSPY_* except XFERSPY_SIM_*, which say what the simulated GPU is like; with `settings` (NULL: none) besides. To be
 * freed by xs_environment_free. */
char **xs_environment_bare(char *const *environment, char *const *settings);
void xs_environment_free(char **environment);

enum xs_ran { XS_RAN, XS_RAN_TOO_LONG, XS_RAN_INTERRUPTED, XS_RAN_NOT };

/* Runs a program to its end, its standard output and error going to the two files. `deadline_ns` of CLOCK_MONOTONIC, 0:
 * none: past it the program is ended, as it is by a signal of `watch`. XS_RAN_NOT: it could not be started, and a
 * message says why. `wall_ns` and `status` (as of waitpid) are of a program that ended by itself. Whatever the program
 * left running in its process group is ended before this returns; that takes up to two seconds, which are not in
 * `wall_ns`. */
enum xs_ran xs_run_once(char *const *argv, char **environment, FILE *output, FILE *errors, const struct xs_watch *watch,
                        int64_t deadline_ns, uint64_t *wall_ns, int *status);

int64_t xs_monotonic_ns(void);

#endif
