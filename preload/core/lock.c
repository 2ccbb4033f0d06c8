/* Waits for a lock that may never be released. */
#define _GNU_SOURCE
#include "preload/core/lock.h"

#include <errno.h>
#include <stdatomic.h>

#include "preload/core/state.h"

#define LOOK_NS 50000000 /* a stop in a debugger shortens the total wait by no more than this */
#define LOOKS 40

static _Atomic bool was_left; /* a lock was abandoned; after that no thread waits for any lock */

bool xs_open_lock_wait(struct xs_open_lock *lock) {
    int status = ETIMEDOUT;
    uint32_t acquisitions = atomic_load(&lock->acquisitions);
    for (unsigned i = 0; i < LOOKS && status == ETIMEDOUT && !atomic_load(&was_left); i++) {
        status = xs_mutex_lock_within(&lock->mutex, LOOK_NS);
        uint32_t acquisitions_now = atomic_load(&lock->acquisitions);
        if (acquisitions_now !=
            acquisitions) { /* other threads have taken and released the lock since the last check */
            acquisitions = acquisitions_now;
            i = 0;
        }
    }
    if (status != 0) {
        atomic_store(&was_left, true);
        xs_stop("a signal handler jumped out of a call of xferspy's own, with a lock held");
    }
    return status == 0;
}

void xs_open_lock_make(struct xs_open_lock *lock) {
    lock->mutex = (pthread_mutex_t)PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
}
