/* Two kinds of locks for data that application threads share. A signal handler may jump out of any code that it
 * interrupts (siglongjmp). A lock held there is never released: every thread that wants it would hang, and the program
 * with it.
 *
 * - struct xs_lock blocks signals while it is held. That takes two system calls, so it is for rare operations.
 * - struct xs_open_lock costs no more than a mutex, and signals come while it is held. A thread that waits for two
 *   seconds in which no other thread gets the lock either takes the lock for abandoned. Then capture ends, and the
 *   program goes on.
 *
 * On a scratch stack signals are already blocked, so a plain mutex suffices there. The handler of a fault comes in any
 * case: if the driver or CUPTI faults under a struct xs_lock, and the handler jumps away, the lock stays locked. */
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

/* Takes a mutex if it becomes free within `ns` nanoseconds, less than a second. Returns the status of
 * pthread_mutex_timedlock. */
static inline int xs_mutex_lock_within(pthread_mutex_t *mutex, long ns) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += ns;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    return pthread_mutex_timedlock(mutex, &until);
}

/* Reinitializes a mutex in a forked child, which does not have the thread that held it. A race detector that missed the
 * fork takes the parent's threads for threads of the child. */
static inline void xs_mutex_forget(pthread_mutex_t *mutex) {
    xs_race_detector_ignore();
    pthread_mutex_init(mutex, NULL);
    xs_race_detector_watch();
}

struct xs_lock {
    pthread_mutex_t mutex;
    uint64_t signals; /* signals blocked before; owned by the holder */
};
#define XS_LOCK_INITIALIZER                                                                                            \
    { PTHREAD_MUTEX_INITIALIZER, 0 }

static inline void xs_lock(struct xs_lock *lock) {
    uint64_t signals;
    xs_signals_hold(&signals);
    pthread_mutex_lock(&lock->mutex);
    lock->signals = signals;
}

/* False: another thread holds the lock, and nothing has changed. */
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

/* Pending signals arrive here, after the lock was released. */
static inline void xs_unlock(struct xs_lock *lock) {
    uint64_t signals = lock->signals;
    pthread_mutex_unlock(&lock->mutex);
    xs_signals_let(&signals);
}

/* Reinitializes the lock in a forked child. */
static inline void xs_lock_forget(struct xs_lock *lock) { xs_mutex_forget(&lock->mutex); }

/* The mutex checks for errors, so a thread that waits for itself learns so at once: it jumped away while it held the
 * lock. */
struct xs_open_lock {
    pthread_mutex_t mutex;
    _Atomic uint32_t turns; /* acquisitions so far; a mutex is not fair, so others may keep it busy for long */
};
#define XS_OPEN_LOCK_INITIALIZER                                                                                       \
    { PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP, 0 }

bool xs_open_lock_wait(struct xs_open_lock *lock);

/* False: the lock was abandoned, capture has ended, and the data that the lock protects must not be touched. */
static inline bool xs_open_lock(struct xs_open_lock *lock) {
    if (XS_UNLIKELY(pthread_mutex_trylock(&lock->mutex) != 0) && !xs_open_lock_wait(lock))
        return false;
    uint32_t turns = atomic_load_explicit(&lock->turns, memory_order_relaxed);
    atomic_store_explicit(&lock->turns, turns + 1, memory_order_relaxed);
    return true;
}

static inline void xs_open_unlock(struct xs_open_lock *lock) { pthread_mutex_unlock(&lock->mutex); }

/* Initializes a lock in zeroed memory, and reinitializes one in a forked child. */
void xs_open_lock_make(struct xs_open_lock *lock);

#endif
