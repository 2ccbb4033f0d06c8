/* Two kinds of locks for what threads of the application share. A signal handler may jump out of anything that it
 * interrupts (siglongjmp), and a lock that is held then is never given back: every thread that wants it would stand
 * still, and with it the program.
 *
 * - struct xs_lock makes signals wait as long as it is held. That takes two system calls, so it is for what happens
 *   seldom.
 * - An open lock costs no more than a mutex, and signals come while it is held. Whoever waits for two seconds in
 *   which nobody else gets it either takes it for left. Then capture ends, and the program goes on.
 *
 * On a scratch stack signals wait already, so a plain mutex does there. The handler of a fault comes in any case: if
 * the driver or CUPTI faults under a lock of the first kind, and the handler jumps away, the lock stays locked. */
#ifndef XFERSPY_PRELOAD_CORE_LOCK_H
#define XFERSPY_PRELOAD_CORE_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "preload/core/compiler.h"
#include "preload/core/race_detector.h"
#include "preload/core/signals.h"

/* Takes a mutex if it comes free within so many nanoseconds, less than a second. The status is that of
 * pthread_mutex_timedlock. */
static inline int xs_mutex_lock_within(pthread_mutex_t *mutex, long ns) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ns;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(mutex, &until);
}

/* In a forked child, where the thread that held it is not there. A detector of races that did not see the fork takes
 * the parent's threads for ones of the child. */
static inline void xs_mutex_forget(pthread_mutex_t *mutex) {
    xs_race_detector_ignore();
    pthread_mutex_init(mutex, NULL);
    xs_race_detector_watch();
}

struct xs_lock {
    pthread_mutex_t mutex;
    uint64_t signals; /* what waited before; the holder's */
};
#define XS_LOCK_INITIALIZER                                                                                            \
    { PTHREAD_MUTEX_INITIALIZER, 0 }

static inline void xs_lock(struct xs_lock *lock) {
    uint64_t signals;
    xs_signals_hold(&signals);
    pthread_mutex_lock(&lock->mutex);
    lock->signals = signals;
}

/* False: another thread holds it, and nothing has changed. */
static inline bool xs_try_lock(struct xs_lock *lock) {
    uint64_t signals;
    xs_signals_hold(&signals);
    if (pthread_mutex_trylock(&lock->mutex) != 0) {
        xs_signals_let(&signals);
        return false;
    }
    lock->signals = signals;
    return true;
}

/* The signals that waited come here, after the lock was given back. */
static inline void xs_unlock(struct xs_lock *lock) {
    uint64_t signals = lock->signals;
    pthread_mutex_unlock(&lock->mutex);
    xs_signals_let(&signals);
}

/* In a forked child, too. */
static inline void xs_lock_forget(struct xs_lock *lock) { xs_mutex_forget(&lock->mutex); }

/* A thread that waits for itself is told so at once: it jumped away while it held the lock. */
struct xs_open_lock {
    pthread_mutex_t mutex;
    _Atomic uint32_t turns; /* of those who got it; a mutex is not fair, so on a busy machine others may for long */
};
#define XS_OPEN_LOCK_INITIALIZER                                                                                       \
    { PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, 0 }

bool xs_open_lock_wait(struct xs_open_lock *lock);

/* False: the lock was left, capture has ended, and what the lock protects must not be touched. */
static inline bool xs_open_lock(struct xs_open_lock *lock) {
    if (XS_UNLIKELY(pthread_mutex_trylock(&lock->mutex) != 0) && !xs_open_lock_wait(lock)) {
        return false;
    }
    uint32_t turns = atomic_load_explicit(&lock->turns, memory_order_relaxed);
    atomic_store_explicit(&lock->turns, turns + 1, memory_order_relaxed);
    return true;
}

static inline void xs_open_unlock(struct xs_open_lock *lock) { pthread_mutex_unlock(&lock->mutex); }

/* For a lock in memory that is zero, and in a forked child. */
void xs_open_lock_make(struct xs_open_lock *lock);

#endif
