/* Declares two kinds of locks for data that application threads share. A signal handler may jump out of any code that
 * it interrupts (siglongjmp). A lock that the interrupted code holds is then never released: every thread that waits
 * for it would hang, and so would the program.
 *
 * - struct xs_lock blocks signals while it is held. Blocking takes two system calls, so this lock is for rare
 *   operations.
 * - struct xs_open_lock costs no more than a mutex, and signals are not blocked while it is held. If a thread has
 *   waited for two seconds and no other thread has got the lock in this time either, the lock counts as abandoned. Then
 *   capture ends, and the program continues.
 *
 * On a scratch stack signals are already blocked, so a plain mutex suffices there. The handler of a fault, however,
 * runs even while signals are blocked. If the driver or CUPTI causes a fault while a struct xs_lock is held, and the
 * handler jumps away, the lock stays locked. */
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

/* Takes a mutex if it becomes free within `ns` nanoseconds; `ns` must be less than a second. Returns the status of
 * pthread_mutex_timedlock. */
static inline int xs_mutex_lock_within(pthread_mutex_t *mutex, long ns) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ns;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(mutex, &until);
}

/* Reinitializes a mutex in a forked child, because the thread that held it does not exist in the child. A race detector
 * that did not notice the fork believes that the parent's threads run in the child, so the detector is switched off for
 * this operation. */
static inline void xs_mutex_forget(pthread_mutex_t *mutex) {
    xs_race_detector_ignore();
    pthread_mutex_init(mutex, NULL);
    xs_race_detector_watch();
}

struct xs_lock {
    pthread_mutex_t mutex;
    uint64_t signals; /* the signal mask to restore; belongs to the holder of the lock */
};
#define XS_LOCK_INITIALIZER                                                                                            \
    { PTHREAD_MUTEX_INITIALIZER, 0 }

static inline void xs_lock(struct xs_lock *lock) {
    uint64_t signals;
    xs_signals_hold(&signals);
    pthread_mutex_lock(&lock->mutex);
    lock->signals = signals;
}

/* Takes the lock if it is free. False: the lock is held, and nothing has changed. */
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

/* Signals that became pending while the lock was held are delivered here, after the lock is released. */
static inline void xs_unlock(struct xs_lock *lock) {
    uint64_t signals = lock->signals;
    pthread_mutex_unlock(&lock->mutex);
    xs_signals_let(&signals);
}

/* Reinitializes the lock in a forked child. */
static inline void xs_lock_forget(struct xs_lock *lock) { xs_mutex_forget(&lock->mutex); }

/* The mutex is an error-checking mutex. If a signal handler jumped away while its thread held the lock, the same
 * thread's next attempt to take the lock therefore fails and does not deadlock. */
struct xs_open_lock {
    pthread_mutex_t mutex;
    _Atomic uint32_t acquisitions; /* number of acquisitions so far; a mutex is not fair, so a waiting thread uses this
                                      number to see whether other threads still get the lock */
};
#define XS_OPEN_LOCK_INITIALIZER                                                                                       \
    { PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, 0 }

bool xs_open_lock_wait(struct xs_open_lock *lock);

/* False: the lock was abandoned, capture has ended, and the data that the lock protects must not be touched. */
static inline bool xs_open_lock(struct xs_open_lock *lock) {
    if (XS_UNLIKELY(pthread_mutex_trylock(&lock->mutex) != 0) && !xs_open_lock_wait(lock))
        return false;
    uint32_t acquisitions = atomic_load_explicit(&lock->acquisitions, memory_order_relaxed);
    atomic_store_explicit(&lock->acquisitions, acquisitions + 1, memory_order_relaxed);
    return true;
}

static inline void xs_open_unlock(struct xs_open_lock *lock) { pthread_mutex_unlock(&lock->mutex); }

/* Initializes a lock in zeroed memory, or reinitializes a lock in a forked child. */
void xs_open_lock_make(struct xs_open_lock *lock);

#endif
