/* Scratch stacks are mapped when they are needed. A few that are not in use are kept for whoever comes next, so a
 * process with thousands of threads has only as many as do slow work at one time. Each has a page below it that cannot
 * be touched. */
#define _GNU_SOURCE
#include "preload/core/scratch.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/compiler.h"

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

#if HAS_SCRATCH

/* 1 MiB, which costs addresses and no memory: the driver is called there too, and may compile a kernel. The page below
 * is the largest that there is on aarch64. */
enum { STACK_BYTES = 1 << 20, BELOW_BYTES = 1 << 16, KEPT = 8 };

static _Atomic(char *) kept[KEPT];
static XS_TLS char *current; /* the stack that the thread is on; NULL: its own */

/* Switches the stack, calls and switches back. The frame pointer leads back to the caller's stack, and the unwind
 * information says so: debuggers and exceptions find their way. Calls and returns stay in pairs, as shadow stacks
 * demand. */
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
    if (low == MAP_FAILED) {
        return NULL;
    }
    if (mprotect(low + BELOW_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE) != 0) {
        munmap(low, BELOW_BYTES + STACK_BYTES);
        return NULL;
    }
    return low + BELOW_BYTES;
}

static char *take(void) {
    for (unsigned i = 0; i < KEPT; i++) {
        char *stack = atomic_load_explicit(&kept[i], memory_order_relaxed);
        if (stack && (stack = atomic_exchange(&kept[i], NULL)) != NULL) {
            return stack;
        }
    }
    return make();
}

static void give_back(char *stack) {
    for (unsigned i = 0; i < KEPT; i++) {
        char *none = NULL;
        if (atomic_compare_exchange_strong(&kept[i], &none, stack)) {
            return;
        }
    }
    munmap(stack - BELOW_BYTES, BELOW_BYTES + STACK_BYTES);
}

/* The kernel's own set, with the two signals that glibc keeps from its callers: one of them is cancellation. */
static uint64_t all_but_faults(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    uint64_t set = UINT64_MAX;
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        set &= ~(UINT64_C(1) << (faults[i] - 1));
    }
    return set;
}

/* A handler of a fault may come while the thread is on its scratch stack, and gets another one. */
static void switch_and_call(char *stack, void (*function)(void *argument), void *argument) {
    uint64_t signals = all_but_faults(), before = 0;
    char *outer = current;
    int cancel;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    syscall(SYS_rt_sigprocmask, SIG_BLOCK, &signals, &before, sizeof before);
    current = stack;
    xs_call_on(function, argument, stack + STACK_BYTES);
    current = outer;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    pthread_setcancelstate(cancel, NULL);
}

bool xs_on_scratch(void (*function)(void *argument), void *argument) {
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    int before = errno;
    if (current && here - (uintptr_t)current < STACK_BYTES) {
        function(argument);
        errno = before;
        return true;
    }
    char *stack = take();
    if (stack) {
        switch_and_call(stack, function, argument);
        give_back(stack);
    }
    errno = before;
    return stack != NULL;
}

#else

bool xs_on_scratch(void (*function)(void *argument), void *argument) {
    int cancel, before = errno;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
    function(argument);
    pthread_setcancelstate(cancel, NULL);
    errno = before;
    return true;
}

#endif

void xs_on_scratch_or_here(void (*function)(void *argument), void *argument) {
    if (!xs_on_scratch(function, argument)) {
        function(argument);
    }
}
