/* Takes the lock of loader_list.h, and walks through the loader's list. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "preload/core/loader_list.h"

#include <errno.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/compiler.h"
#include "preload/core/race_detector.h"
#include "preload/core/signals.h"

#define LOCK_YIELDS 100
#define LOCK_PAUSES 1000

static atomic_bool is_locked;
static XS_TLS bool is_held_for_fork;

bool xs_loader_lock(void) {
    static const struct timespec pause = {0, 100000};
    int kept = errno;
    for (unsigned i = 0; i < LOCK_YIELDS + LOCK_PAUSES; i++) {
        if (!atomic_exchange_explicit(&is_locked, true, memory_order_acquire)) {
            errno = kept;
            return true;
        }
        if (i < LOCK_YIELDS)
            sched_yield();
        else
            syscall(SYS_nanosleep, &pause, NULL); /* libc's nanosleep is a cancellation point */
    }
    errno = kept;
    return false;
}

void xs_loader_unlock(void) { atomic_store_explicit(&is_locked, false, memory_order_release); }

bool xs_loader_walk(int (*visit)(struct dl_phdr_info *, size_t, void *), void *argument) {
    uint64_t signals;
    int kept = errno;
    xs_signals_hold(&signals);
    bool is_ours = xs_loader_lock();
    if (is_ours) {
        xs_race_detector_ignore(); /* the loader's lock protects the names, but a detector does not see that lock */
        dl_iterate_phdr(visit, argument);
        xs_race_detector_watch();
        xs_loader_unlock();
    }
    xs_signals_let(&signals);
    errno = kept;
    return is_ours;
}

void xs_loader_before_fork(void) { is_held_for_fork = xs_loader_lock(); }

void xs_loader_after_fork(void) {
    if (is_held_for_fork) {
        is_held_for_fork = false;
        xs_loader_unlock();
    }
}

void xs_loader_forget(void) {
    is_held_for_fork = false;
    xs_loader_unlock();
}
