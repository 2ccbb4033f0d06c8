/* Finds out whether a wrapper that raised the guard is gone. Only calls come here that find the guard raised, which are
 * few. */
#define _GNU_SOURCE
#include "preload/core/guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/core/hooks.h"
#include "preload/core/own_stack.h"

/* The sanitizers do not look at it: they poison dead parts of the stack. */
__attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"))) static uintptr_t
load(uintptr_t address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address on the thread's own stack
    return *(const volatile uintptr_t *)address;
}

/* On a stack that may be unmapped by now. Where a sandbox forbids to look, the word counts as still there. */
static bool is_still_there(uintptr_t address, uintptr_t word) {
    uintptr_t there = 0;
    int before = errno;
    struct iovec local = {&there, sizeof there};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address on any stack
    struct iovec remote = {(void *)address, sizeof there};
    long bytes = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1UL, &remote, 1UL, 0UL);
    bool is_unmapped = bytes < 0 && errno == EFAULT;
    errno = before;
    return !is_unmapped && (bytes != (long)sizeof there || there == word);
}

static bool is_on(const stack_t *stack, uintptr_t address) {
    return address - (uintptr_t)stack->ss_sp < stack->ss_size;
}

bool xs_guard_is_stale(uintptr_t frame) { return xs_guard_has_lost(&xs_guard, frame); }

bool xs_guard_has_lost(const struct xs_guard *guard, uintptr_t frame) {
    uintptr_t raised = guard->frame;
    stack_t alternate = {.ss_flags = SS_DISABLE};
    if (raised == 0) {
        return false;
    }
    xs_own_stack_learn(raised);
    xs_own_stack_learn(frame);
    bool was_own = xs_own_stack_has(raised);
    if (was_own ? load(raised) != guard->return_address : !is_still_there(raised, guard->return_address)) {
        return true;
    }
    if (xs_own_stack_has(frame) && (!was_own || frame >= raised) && sigaltstack(NULL, &alternate) == 0 &&
        !(alternate.ss_flags & SS_ONSTACK)) {
        return was_own || (!(alternate.ss_flags & SS_DISABLE) && is_on(&alternate, raised));
    }
    return was_own && xs_hooks.is_gone && xs_hooks.is_gone(raised);
}
