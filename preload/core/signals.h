/* Blocks signals, so that no signal handler of the application runs or jumps away. */
#ifndef XFERSPY_PRELOAD_CORE_SIGNALS_H
#define XFERSPY_PRELOAD_CORE_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns the set of signals to block. These are all signals except two groups: the signals that report a fault, and
 * signals 32 and 33, which glibc reserves for itself. By signal 32 glibc cancels threads; xs_on_scratch prevents this
 * by another method. By signal 33 glibc makes each thread change its user id. setuid waits until every thread has
 * handled this signal, and holds a lock during this time that pthread_create needs. If a thread blocked the signal,
 * setuid and pthread_create could therefore wait for a long time. */
static inline uint64_t xs_signals_to_hold(void) {
    static const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, 32, 33};
    uint64_t set = UINT64_MAX;
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        set &= ~(UINT64_C(1) << (open[i] - 1));
    return set;
}

/* xs_signals_hold blocks signals and stores the previous signal mask in *before. xs_signals_let restores this mask.
 * Each function makes one system call. Any thread, and also signal handlers. Pairs of calls may nest. glibc's functions
 * are not used, because their sets take 128 bytes of the caller's stack. */
static inline void xs_signals_hold(uint64_t *before) {
    uint64_t set = xs_signals_to_hold();
    *before = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, before, sizeof set);
}

static inline void xs_signals_let(const uint64_t *before) {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof *before);
}

#endif
