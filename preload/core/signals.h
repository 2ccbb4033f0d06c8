/* Blocks signals, so that no signal handler of the application runs or jumps away. */
#ifndef XFERSPY_PRELOAD_CORE_SIGNALS_H
#define XFERSPY_PRELOAD_CORE_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns the set of all signals except those that report a fault and the two that glibc reserves for itself: 32, by
 * which it cancels threads, and 33. xs_on_scratch prevents cancellation by other means. By signal 33, glibc makes all
 * threads change their user: setuid waits until each thread has handled the signal, and meanwhile holds a lock that
 * pthread_create needs. */
static inline uint64_t xs_signals_to_hold(void) {
    static const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, 32, 33};
    uint64_t set = UINT64_MAX;
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        set &= ~(UINT64_C(1) << (open[i] - 1));
    return set;
}

/* xs_signals_hold blocks signals; xs_signals_let restores the signal mask *before. Each makes one system call; errno is
 * kept. Any thread, signal handlers too; pairs may nest. glibc's functions are not used, because their sets take 128
 * bytes of the caller's stack. */
static inline void xs_signals_hold(uint64_t *before) {
    uint64_t set = xs_signals_to_hold();
    *before = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, before, sizeof set);
}

static inline void xs_signals_let(const uint64_t *before) {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof *before);
}

#endif
