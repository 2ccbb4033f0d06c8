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
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/race_detector.h"

/* A detached thread that ends may free what glibc keeps of threads that ended before it. Another lock orders that than
 * a detector of races sees, so it would report a race that is none. The process's end does not wait for this one. */
static void never_end(void) {
    while (xs_race_detector_is_there()) {
        syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
    }
}

/* The thread shares memory with the program's threads, by means that a detector of races does not see. */
static void *run_body(void *body) {
    void *(*run)(void *) = (void *(*)(void *))(uintptr_t)body;
    xs_race_detector_ignore();
    run(NULL);
    never_end();
    return NULL;
}

/* The default stack: glibc takes the program's static thread-local storage from it, which may be large. */
int xs_own_thread(void *(*body)(void *)) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all); /* the application's signals are for the application's threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = pthread_create(&thread, &attributes, run_body, (void *)(uintptr_t)body);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return status;
}

void xs_own_thread_stand_back(void) {
    const struct sched_param none = {0};
    if ((sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) == SCHED_IDLE) {
        return; /* as the program itself: that is further back */
    }
    (void)sched_setscheduler(0, SCHED_BATCH, &none);
}
