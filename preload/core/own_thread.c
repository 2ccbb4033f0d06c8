/* Starts a thread of the library's own. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* SCHED_BATCH */
#endif
#include "preload/core/own_thread.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/guard.h"
#include "preload/core/race_detector.h"

/* A detached thread that ends may free glibc's data of threads that ended before it. glibc protects this data by a lock
 * that a race detector does not see, so the detector would report a false race. The end of the process does not wait
 * for this thread. */
static void never_end(void) {
    while (xs_race_detector_is_there())
        syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
}

/* This thread shares memory with the program's threads, and a race detector does not see how the accesses are
 * ordered. */
static void *run_body(void *body) {
    void (*run)(void) = (void (*)(void))(uintptr_t)body;
    xs_race_detector_ignore();
    xs_guard.raised = &xs_guard_unleft;
    prctl(PR_SET_NAME, "xferspy");
    run();
    never_end();
    return NULL;
}

/* Uses the default stack size, because glibc puts the program's static thread-local variables, which may be large, on
 * the stack. */
int xs_own_thread(void (*body)(void)) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all); /* application threads handle the application's signals */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = pthread_create(&thread, &attributes, run_body, (void *)(uintptr_t)body);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return status;
}

void xs_own_thread_stand_back(void) {
    const struct sched_param none = {0};
    if ((sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_IDLE)
        return; /* SCHED_IDLE, inherited from the program, has an even lower priority */
    (void)sched_setscheduler(0, SCHED_BATCH, &none);
}
