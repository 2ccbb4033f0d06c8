/* Starts threads; see thread.h. */
#include "analyzer/base/thread.h"

#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { FEW_ROWS = 100000 }; /* they are read in less time than it takes to open the file again and to start a thread */

static bool has_two_processors(void) {
    cpu_set_t processors;
    return sched_getaffinity(0, sizeof processors, &processors) == 0 && CPU_COUNT(&processors) > 1;
}

bool xs_thread_is_worth(uint64_t rows) {
    const char *threads = getenv("XFERSPY_TEST_THREADS");
    if (threads)
        return strcmp(threads, "2") == 0;
    return has_two_processors() && rows > FEW_ROWS;
}

bool xs_thread_begin(pthread_t *thread, void *(*run)(void *data), void *data) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    bool runs = pthread_create(thread, NULL, run, data) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return runs;
}
