/* Blocks signals, so that no handler of the application runs and none jumps away. */
#ifndef XFERSPY_PRELOAD_CORE_SIGNALS_H
#define XFERSPY_PRELOAD_CORE_SIGNALS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns all signals except those that report a fault and the first two that glibc reserves for itself. glibc cancels
 * threads with 32, which xs_on_scratch forbids by other means. glibc makes all threads change their user with 33:
 * setuid waits until each thread has answered, while it holds a lock that pthread_create takes. */
static inline uint64_t xs_signals_to_hold(void) {
    static const int open[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, 32, 33};
    uint64_t set = UINT64_MAX;
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        set &= ~(UINT64_C(1) << (open[i] - 1));
    return set;
}

/* Blocks signals; xs_signals_let restores *before. Two system calls in all; errno is kept. Any thread, signal handlers
 * too; pairs may nest. glibc's own functions would take a set of 128 bytes from the caller's stack. */
static inline void xs_signals_hold(uint64_t *before) {
    uint64_t set = xs_signals_to_hold();
    *before = 0;
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, before, sizeof set);
}

static inline void xs_signals_let(const uint64_t *before) {
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, before, NULL, sizeof *before);
}

#endif
