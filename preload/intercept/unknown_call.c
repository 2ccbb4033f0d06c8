/* Does the work before and after a call of a function that is in no table: the thread enters and leaves the gate, the
 * repairs are told, and the contents of device memory become unknown for good unless the function is known to do less.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/core/own_stack.h"
#include "preload/core/thread.h"
#include "preload/driver/unknown.h"
#include "preload/fingerprint/fingerprint.h"
#include "preload/intercept/unknown_stubs.h"
#include "preload/repair/around.h"

enum { PAGE_BYTES = 4096 }; /* the smallest page size */

/* The function is not instrumented, because it also reads words that are not arguments. */
__attribute__((no_sanitize("address"), no_sanitize("thread"), no_sanitize("undefined"))) static void
copy_words(uint64_t *to, uintptr_t from, unsigned words) {
    for (unsigned i = 0; i < words; i++) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address on the stack
        to[i] = ((const volatile uint64_t *)from)[i];
    }
}

/* Returns the number of words above the return address that are certainly mapped. A coroutine's stack may end right
 * after it. */
static unsigned words_at(uintptr_t from) {
    uintptr_t end = (from | (PAGE_BYTES - 1)) + 1;
    if (xs_own_stack_has(from))
        end = xs_own_stack.high;
    return end - from < sizeof(uint64_t) * XS_UNKNOWN_STACK_WORDS ? (unsigned)((end - from) / sizeof(uint64_t))
                                                                  : XS_UNKNOWN_STACK_WORDS;
}

/* Copies the remaining words by a system call, which stops at unmapped memory. There can be no arguments in unmapped
 * memory. */
static void copy_beyond(uint64_t *to, uintptr_t from, unsigned words) {
    int before = errno;
    struct iovec local = {to, words * sizeof *to};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address on the stack
    struct iovec remote = {(void *)from, words * sizeof *to};
    syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1UL, &remote, 1UL, 0UL);
    errno = before;
}

static void copy_arguments(struct xs_unknown_call *call) {
    uintptr_t from = call->frame + sizeof(uintptr_t);
    unsigned words = words_at(from);
    copy_words(call->stack, from, words);
    if (XS_UNLIKELY(words < XS_UNKNOWN_STACK_WORDS))
        copy_beyond(call->stack + words, from + words * sizeof(uint64_t), XS_UNKNOWN_STACK_WORDS - words);
}

/* Notes the effect of the call on device memory, in the same way as for other calls that may write memory or let others
 * write it. */
static void note_contents(const struct xs_unknown *function, enum xs_unknown_effect effect) {
    if (effect >= XS_HERE) {
        xs_contents_unknown_from_here(effect == XS_FOR_GOOD ? XS_CONTENTS_UNKNOWN_FOR_GOOD : XS_CONTENTS_UNKNOWN_ONCE);
        xs_fingerprint_never_holds();
        if (function->launches)
            atomic_store_explicit(&xs_fingerprint_held, UINTPTR_MAX, memory_order_relaxed);
    }
}

void xs_unknown_enter(struct xs_unknown_call *call) {
    struct xs_unknown *function = &xs_unknown[call->index];
    call->real = atomic_load_explicit(&function->real, memory_order_acquire);
    enum xs_unknown_effect effect = function->effect;
    copy_arguments(call);
    if (!atomic_load_explicit(&function->was_called, memory_order_relaxed))
        atomic_store_explicit(&function->was_called, true, memory_order_relaxed);
    call->is_gated = xs_passes_the_gate(call->frame);
    if (call->is_gated)
        xs_gate_enter_outer(&call->of_gate, call->frame);
    if (effect >= XS_HERE)
        xs_fingerprint_not_recorded();
    note_contents(function, effect);
    call->is_around = xs_around_unknown_begin(effect >= XS_HERE, &call->of_repairs, call->frame);
}

/* Notes the effect a second time, because other threads may have recorded events while the function ran. */
void xs_unknown_leave(struct xs_unknown_call *call) {
    const struct xs_unknown *function = &xs_unknown[call->index];
    if (call->is_around)
        xs_around_unknown_end(function->effect >= XS_HERE);
    note_contents(function, function->effect);
    if (call->is_gated)
        xs_gate_leave_outer();
}
