/* Finds out whether a function that raised a guard no longer exists. Only calls that find the guard raised need this,
 * and such calls are rare. */
#define _GNU_SOURCE
#include "preload/core/guard.h"

#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/hooks.h"
#include "preload/core/own_stack.h"

/* The function is not instrumented, because sanitizers poison dead parts of the stack. */
__attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"))) static uintptr_t
load(uintptr_t address) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address on the thread's own stack
    return *(const volatile uintptr_t *)address;
}

enum found { COPIED, UNMAPPED, FORBIDDEN /* a sandbox forbids reading */ };

/* Copies words from a stack. If it is not the thread's own, it may have been unmapped. */
static enum found copy(uintptr_t address, uintptr_t *words, size_t count) {
    bool is_own = xs_own_stack_has(address) && xs_own_stack_has(address + (count - 1) * sizeof *words);
    for (size_t i = 0; i < count && is_own; i++)
        words[i] = load(address + i * sizeof *words);
    if (is_own)
        return COPIED;
    int before = errno;
    struct iovec local = {words, count * sizeof *words};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address on any stack
    struct iovec remote = {(void *)address, count * sizeof *words};
    long bytes = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1UL, &remote, 1UL, 0UL);
    bool is_unmapped = bytes < 0 ? errno == EFAULT : bytes != (long)remote.iov_len;
    errno = before;
    return is_unmapped ? UNMAPPED : bytes < 0 ? FORBIDDEN : COPIED;
}

static bool is_on(const stack_t *stack, uintptr_t address) {
    return address - (uintptr_t)stack->ss_sp < stack->ss_size;
}

/* True if the note, or the stack frame that it describes, was overwritten or unmapped. If reading is forbidden, both
 * count as intact. Sets *address to the frame's address, or to an address close to it. */
static bool is_overwritten(const struct xs_guard_note *note, uintptr_t *address) {
    uintptr_t noted[sizeof *note / sizeof(uintptr_t)], there = 0;
    *address = (uintptr_t)note;
    xs_own_stack_learn(*address);
    enum found found = copy(*address, noted, sizeof noted / sizeof *noted);
    if (found != COPIED)
        return found == UNMAPPED;
    if (noted[0] % sizeof(uintptr_t) != 0)
        return true;
    *address = noted[0];
    found = copy(*address, &there, 1);
    return found == UNMAPPED || (found == COPIED && there != noted[1]);
}

bool xs_guard_has_lost(const struct xs_guard *guard, uintptr_t frame) {
    const struct xs_guard_note *note = guard->raised;
    stack_t alternate = {.ss_flags = SS_DISABLE};
    uintptr_t raised;
    if (!note || note == &xs_guard_unleft || xs_is_scratch(frame))
        return false;
    xs_own_stack_learn(frame);
    if (is_overwritten(note, &raised))
        return true;
    bool was_own = xs_own_stack_has(raised);
    if (xs_own_stack_has(frame) && (!was_own || frame >= raised) && sigaltstack(NULL, &alternate) == 0 &&
        !(alternate.ss_flags & SS_ONSTACK))
        return was_own || (!(alternate.ss_flags & SS_DISABLE) && is_on(&alternate, raised));
    return was_own && xs_hooks.is_gone && xs_hooks.is_gone(raised);
}
