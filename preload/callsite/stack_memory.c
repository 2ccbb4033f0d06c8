/* Reads a stack without a fault. Only the stack that the thread was started with is certain to be readable
 * (core/own_stack.h). All other memory, such as the stacks of coroutines and of sigaltstack, is copied by the kernel,
 * which returns an error where a load would crash. */
#define _GNU_SOURCE
#include "preload/callsite/stack_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/core/own_stack.h"

/* System calls are made directly in this file, because libc's functions are cancellation points, and the application
 * may have replaced them. */
enum { PAGE_BYTES = 4096 };

void xs_stack_open(struct xs_stack *stack, uint64_t sp, enum xs_thread_part buffer) {
    stack->buffer = buffer;
    stack->reads = NULL;
    xs_stack_move(stack, sp);
}

void xs_stack_move(struct xs_stack *stack, uint64_t sp) {
    xs_own_stack_learn(sp);
    stack->low = xs_own_stack.low;
    stack->span = xs_own_stack.high ? xs_own_stack.high - xs_own_stack.low - (sizeof(uint64_t) - 1) : 0;
    stack->copied_bytes = 0;
    stack->may_copy = true;
}

/* Copies the memory from `address` on. The remote memory is given as two parts that are split at a page boundary,
 * because the kernel may copy only whole parts. */
static bool copy_here(struct xs_stack *stack, uint64_t address) {
    uint64_t split = (address | (PAGE_BYTES - 1)) + 1;
    uint64_t first = split - address < XS_STACK_COPY_BYTES ? split - address : XS_STACK_COPY_BYTES;
    void *copy = xs_thread_memory_of(stack->buffer, XS_STACK_COPY_BYTES);
    struct iovec local = {copy, XS_STACK_COPY_BYTES};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what a walk is about
    struct iovec remote[2] = {{(void *)address, first}, {(void *)split, XS_STACK_COPY_BYTES - first}};
    int kept = errno;
    stack->copy = copy;
    if (!copy) {
        stack->copied_bytes = 0;
        return false;
    }
    long bytes = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1UL, remote, 2UL, 0UL);
    if (bytes < 0 && errno != EFAULT)
        stack->may_copy = false; /* a sandbox forbids the call, and would forbid it again */
    errno = kept;
    stack->copied_at = address;
    stack->copied_bytes = bytes > 0 ? (uint64_t)bytes : 0;
    return bytes >= (long)sizeof(uint64_t);
}

bool xs_stack_copy(struct xs_stack *stack, uint64_t address, uint64_t *value) {
    if (stack->reads)
        stack->reads->is_whole = false; /* other memory may be unmapped the next time */
    if (address - stack->copied_at >= stack->copied_bytes ||
        stack->copied_bytes - (address - stack->copied_at) < sizeof *value) {
        /* The kernel also refuses noncanonical addresses and addresses of its own memory. */
        if (!stack->may_copy || address > UINT64_MAX - 2 * PAGE_BYTES || !copy_here(stack, address))
            return false;
    }
    memcpy(value, (const char *)stack->copy + (address - stack->copied_at), sizeof *value);
    return true;
}
