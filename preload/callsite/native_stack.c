/* Finds out which memory of a stack can be read without a fault. Only the stack that the thread itself stands on is
 * certain. The main thread's stack is, from its low end up, because it never shrinks. Another thread's is, from its
 * guard page to the thread's own control block, which glibc keeps on top of it. All other memory, above all the
 * stacks of coroutines and of sigaltstack, is copied by the kernel, which returns an error where a load of ours
 * would crash. */
#define _GNU_SOURCE
#include "preload/callsite/native_stack.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

/* System calls of our own: libc's are cancellation points, and the application may have others in their place. */
struct bounds {
    uint64_t low, high;
    uint64_t unknown; /* walks that began outside of them */
};
static XS_TLS struct bounds bounds;

enum { LINE_BYTES = 128, READ_BYTES = 1024, PAGE_BYTES = 4096 };

struct mapping {
    uint64_t start, end;
    bool is_accessible, is_main_stack;
};

static uint64_t hexadecimal(const char **text) {
    uint64_t value = 0;
    for (;; (*text)++) {
        unsigned c = (unsigned char)**text, digit = c - '0';
        if (digit > 9) {
            digit = c - 'a' + 10;
            if (c < 'a' || c > 'f') {
                return value;
            }
        }
        value = value << 4 | digit;
    }
}

/* "7ffd1000-7ffd3000 rw-p 00000000 00:00 0   [stack]", without what did not fit */
static struct mapping parse(const char *line) {
    struct mapping m = {0};
    m.start = hexadecimal(&line);
    m.end = *line == '-' ? (line++, hexadecimal(&line)) : 0;
    m.is_accessible = strncmp(line, " rw", 3) == 0;
    m.is_main_stack = strstr(line, " [stack]") != NULL;
    return m;
}

/* Is this mapping the stack that `sp` is on, and from where to where? The guard page below is what tells a thread's
 * stack from memory that was merged with other mappings, of which parts may go any time. */
static bool is_own_stack(const struct mapping *m, const struct mapping *below, uint64_t sp) {
    uint64_t control_block = (uint64_t)pthread_self();
    if (!m->is_accessible || sp < m->start || sp >= m->end) {
        return false;
    }
    if (m->is_main_stack) {
        bounds.low = m->start;
        bounds.high = m->end;
        return true;
    }
    /* The main thread's control block is anywhere, and a coroutine's stack may have been merged with what it lies
     * in. */
    if (control_block < sp || control_block >= m->end || below->end != m->start || below->is_accessible ||
        syscall(SYS_gettid) == syscall(SYS_getpid)) {
        return false;
    }
    bounds.low = m->start;
    bounds.high = control_block;
    return true;
}

static void learn(uint64_t sp) {
    char buffer[READ_BYTES], line[LINE_BYTES];
    size_t length = 0;
    struct mapping below = {0};
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    long bytes = 0;
    bool is_found = false;
    while (fd >= 0 && !is_found && (bytes = syscall(SYS_read, fd, buffer, sizeof buffer)) > 0) {
        for (long i = 0; i < bytes && !is_found; i++) {
            if (buffer[i] != '\n') {
                if (length + 1 < sizeof line) {
                    line[length++] = buffer[i];
                }
                continue;
            }
            line[length] = '\0';
            length = 0;
            struct mapping m = parse(line);
            is_found = is_own_stack(&m, &below, sp);
            below = m;
        }
    }
    if (fd >= 0) {
        syscall(SYS_close, fd);
    }
}

/* The list is read again less and less often: a thread that lives on coroutines' stacks would read it at every call,
 * and the main thread's stack grows. */
void xs_stack_open(struct xs_stack *stack, uint64_t sp) {
    if (XS_UNLIKELY(sp < bounds.low || sp >= bounds.high)) {
        bounds.unknown++;
        if ((bounds.unknown & (bounds.unknown - 1)) == 0) {
            int kept = errno;
            learn(sp);
            errno = kept;
        }
    }
    stack->low = bounds.low;
    stack->span = bounds.high ? bounds.high - bounds.low - (sizeof(uint64_t) - 1) : 0;
    stack->window_bytes = 0;
    stack->is_window_open = true;
}

/* A remote part a page, since the kernel need not copy part of a part. */
static bool move_window(struct xs_stack *stack, uint64_t address) {
    uint64_t split = (address | (PAGE_BYTES - 1)) + 1;
    uint64_t first = split - address < XS_STACK_WINDOW_BYTES ? split - address : XS_STACK_WINDOW_BYTES;
    struct iovec local = {stack->copy, XS_STACK_WINDOW_BYTES};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are what a walk is about
    struct iovec remote[2] = {{(void *)address, first}, {(void *)split, XS_STACK_WINDOW_BYTES - first}};
    int kept = errno;
    long bytes = syscall(SYS_process_vm_readv, syscall(SYS_getpid), &local, 1UL, remote, 2UL, 0UL);
    if (bytes < 0 && errno != EFAULT) {
        stack->is_window_open = false; /* a sandbox forbids it, which it will the next time */
    }
    errno = kept;
    stack->window = address;
    stack->window_bytes = bytes > 0 ? (uint64_t)bytes : 0;
    return bytes >= (long)sizeof(uint64_t);
}

bool xs_stack_copy(struct xs_stack *stack, uint64_t address, uint64_t *value) {
    if (address - stack->window >= stack->window_bytes ||
        stack->window_bytes - (address - stack->window) < sizeof *value) {
        /* A noncanonical or a kernel's address is refused like any other. */
        if (!stack->is_window_open || address > UINT64_MAX - 2 * PAGE_BYTES || !move_window(stack, address)) {
            return false;
        }
    }
    memcpy(value, (const char *)stack->copy + (address - stack->window), sizeof *value);
    return true;
}
