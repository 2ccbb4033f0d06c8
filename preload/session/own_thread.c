/* The library's own threads, and the futex they wait on. */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/session/session.h"

/* The default stack: glibc takes the program's static thread-local storage from it, which may be large. */
int xs_own_thread(void *(*body)(void *)) {
    pthread_attr_t attributes;
    pthread_t thread;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sigfillset(&all); /* the application's signals are for the application's threads */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int status = pthread_create(&thread, &attributes, body, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return status;
}

void xs_futex_wait(_Atomic uint32_t *word, uint32_t while_it_is, unsigned timeout_ms) {
    struct timespec timeout = {timeout_ms / 1000, (long)(timeout_ms % 1000) * 1000000};
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, while_it_is, &timeout, NULL, 0);
}

void xs_futex_wake(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1 << 30, NULL, NULL, 0); }
