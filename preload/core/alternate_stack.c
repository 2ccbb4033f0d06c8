/* Scratch stacks are mapped on demand. A few unused ones are kept for the next callers, so even a process with
 * thousands of threads has only as many stacks as threads that do slow work at the same time. Below each stack lies an
 * inaccessible guard area. */
#define _GNU_SOURCE
#include "preload/core/alternate_stack.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "preload/core/compiler.h"
#include "preload/core/race_detector.h"
#include "preload/core/signals.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SCRATCH 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SCRATCH 0
#endif
#endif
#ifndef HAS_SCRATCH
#define HAS_SCRATCH 1
#endif

/* Calls the function on the present stack, with signals and cancellation blocked as on a scratch stack. */
static void call_here(void (*function)(void *argument), void *argument) {
    int cancel, before = errno;
    uint64_t signals;
    xs_signals_hold(&signals);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    function(argument);
    pthread_setcancelstate(cancel, NULL);
    xs_signals_let(&signals);
    errno = before;
}

#if HAS_SCRATCH

/* The stacks are large because the driver is called on them, too, and may compile a kernel there; 1 MiB uses address
 * space, but hardly any memory. The guard area is as large as the largest page of aarch64. */
enum { STACK_BYTES = 1 << 20, BELOW_BYTES = 1 << 16, KEPT = 8 };

static _Atomic(char *) kept[KEPT];
static XS_TLS char *current; /* the thread's present scratch stack; NULL: its own stack */

/* Switches the stack, calls and switches back. The frame pointer leads back to the caller's stack, and the CFI
 * describes this for debuggers and exceptions. Each return matches its call, as shadow stacks demand. */
void xs_call_on(void (*function)(void *argument), void *argument, char *top) __attribute__((visibility("hidden")));
#if defined(__x86_64__)
__asm__(".text\n"
        ".globl xs_call_on\n"
        ".hidden xs_call_on\n"
        ".type xs_call_on, @function\n"
        "xs_call_on:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    movq %rdi, %rax\n"
        "    movq %rsi, %rdi\n"
        "    movq %rdx, %rsp\n"
        "    call *%rax\n"
        "    movq %rbp, %rsp\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size xs_call_on, .-xs_call_on\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".globl xs_call_on\n"
        ".hidden xs_call_on\n"
        ".type xs_call_on, %function\n"
        "xs_call_on:\n"
        "    .cfi_startproc\n"
        "    hint #34\n" /* bti c */
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset 29, -16\n"
        "    .cfi_offset 30, -8\n"
        "    mov x29, sp\n"
        "    .cfi_def_cfa_register 29\n"
        "    mov x9, x0\n"
        "    mov x0, x1\n"
        "    mov sp, x2\n"
        "    blr x9\n"
        "    mov sp, x29\n"
        "    .cfi_def_cfa_register 31\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_restore 29\n"
        "    .cfi_restore 30\n"
        "    .cfi_def_cfa_offset 0\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size xs_call_on, .-xs_call_on\n");
#else
#error "no switch to a scratch stack for this processor"
#endif

static char *make(void) {
    char *low = mmap(NULL, BELOW_BYTES + STACK_BYTES, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (low == MAP_FAILED)
        return NULL;
    if (mprotect(low + BELOW_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE) != 0) {
        munmap(low, BELOW_BYTES + STACK_BYTES);
        return NULL;
    }
    return low + BELOW_BYTES;
}

static char *take(void) {
    for (unsigned i = 0; i < KEPT; i++) {
        char *stack = atomic_load_explicit(&kept[i], memory_order_relaxed);
        if (stack && (stack = atomic_exchange(&kept[i], NULL)) != NULL)
            return stack;
    }
    return make();
}

static void give_back(char *stack) {
    for (unsigned i = 0; i < KEPT; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&kept[i], &none, stack))
            return;
    }
    munmap(stack - BELOW_BYTES, BELOW_BYTES + STACK_BYTES);
}

/* The state to restore when the work on a stack is over. It lies at the top of that stack. */
struct outside {
    char *stack; /* the previous scratch stack, or NULL */
    int cancel;
};

static struct outside *outside_of(char *stack) { return (struct outside *)(stack + STACK_BYTES) - 1; }

static void put_back(char *stack) {
    struct outside outside = *outside_of(stack);
    current = outside.stack;
    give_back(stack);
    pthread_setcancelstate(outside.cancel, NULL);
    xs_race_detector_watch();
}

/* Calls the function on a scratch stack. A fault handler that interrupts this work, and comes here, too, gets another
 * stack. */
static void switch_and_call(char *stack, void (*function)(void *argument), void *argument) {
    struct outside *outside = outside_of(stack);
    xs_race_detector_ignore(); /* the detector does not know that another thread may use the stack later */
    outside->stack = current;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &outside->cancel);
    current = stack;
    xs_call_on(function, argument, (char *)outside);
    put_back(stack);
}

/* Restores the state if a fault handler jumped out of the work. A handler did so if the thread is neither on one of
 * these stacks nor on an alternate signal stack, because no function that the work calls switches to another stack. */
static void put_back_what_was_left(void) {
    stack_t alternate = {.ss_flags = SS_DISABLE};
    if (sigaltstack(NULL, &alternate) != 0 || alternate.ss_flags & SS_ONSTACK)
        return;
    while (current)
        put_back(current);
}

bool xs_is_scratch(uintptr_t address) { return current && address - (uintptr_t)current < STACK_BYTES; }

bool xs_on_scratch(void (*function)(void *argument), void *argument) {
    int before = errno;
    if (xs_is_scratch((uintptr_t)__builtin_frame_address(0))) {
        function(argument);
        errno = before;
        return true;
    }
    uint64_t signals; /* unblocked last, because the handlers of pending signals may jump away */
    xs_signals_hold(&signals);
    if (XS_UNLIKELY(current != NULL))
        put_back_what_was_left();
    char *stack = take();
    if (stack)
        switch_and_call(stack, function, argument);
    xs_signals_let(&signals);
    errno = before;
    return stack != NULL;
}

#else

bool xs_is_scratch(uintptr_t address) {
    (void)address;
    return false;
}

bool xs_on_scratch(void (*function)(void *argument), void *argument) {
    call_here(function, argument);
    return true;
}

#endif

void xs_on_scratch_or_here(void (*function)(void *argument), void *argument) {
    if (!xs_on_scratch(function, argument))
        call_here(function, argument);
}
