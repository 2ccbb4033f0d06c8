/* Finds the bounds of the thread's own stack. All of the main thread's stack above its present low end stays mapped,
 * because it never shrinks. The stack of another thread is mapped from its guard page to the thread's control block,
 * which glibc keeps at the top of the stack. */
#define _GNU_SOURCE
#include "preload/core/own_stack.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/alternate_stack.h"
#include "schema/clock.h"

/* Direct system calls are used here: libc's are cancellation points, and the application may have replaced them. */
XS_TLS struct xs_own_stack xs_own_stack;

enum { LINE_BYTES = 128, READ_BYTES = 1024 };

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
            if (c < 'a' || c > 'f')
                return value;
        }
        value = value << 4 | digit;
    }
}

/* Parses "7ffd1000-7ffd3000 rw-p 00000000 00:00 0 [stack]". The end of a long line may be missing. */
static struct mapping parse(const char *line) {
    struct mapping m = {0};
    m.start = hexadecimal(&line);
    m.end = *line == '-' ? (line++, hexadecimal(&line)) : 0;
    m.is_accessible = strncmp(line, " rw", 3) == 0;
    m.is_main_stack = strstr(line, " [stack]") != NULL;
    return m;
}

/* Returns true and sets the bounds if this mapping is the stack that contains `sp`. A thread's stack is recognised only
 * by the guard page below it. Without one, the memory may have been merged with other mappings, and parts of it may be
 * unmapped at any time. */
static bool is_own_stack(const struct mapping *m, const struct mapping *below, uint64_t sp) {
    uint64_t control_block = (uint64_t)pthread_self();
    if (!m->is_accessible || sp < m->start || sp >= m->end)
        return false;
    if (m->is_main_stack) {
        xs_own_stack.low = m->start;
        xs_own_stack.high = m->end;
        return true;
    }
    /* The main thread's control block may lie anywhere, and a coroutine's stack may have been merged with its
     * surroundings. */
    if (control_block < sp || control_block >= m->end || below->end != m->start || below->is_accessible ||
        syscall(SYS_gettid) == syscall(SYS_getpid))
        return false;
    xs_own_stack.low = m->start;
    xs_own_stack.high = control_block;
    return true;
}

static void learn(void *arg) {
    uint64_t sp = *(const uint64_t *)arg;
    char buffer[READ_BYTES], line[LINE_BYTES];
    size_t length = 0;
    struct mapping below = {0};
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
    long bytes = 0;
    bool is_found = false;
    while (fd >= 0 && !is_found && (bytes = syscall(SYS_read, fd, buffer, sizeof buffer)) > 0) {
        for (long i = 0; i < bytes && !is_found; i++) {
            if (buffer[i] != '\n') {
                if (length + 1 < sizeof line)
                    line[length++] = buffer[i];
                continue;
            }
            line[length] = '\0';
            length = 0;
            struct mapping m = parse(line);
            is_found = is_own_stack(&m, &below, sp);
            below = m;
        }
    }
    if (fd >= 0)
        syscall(SYS_close, fd);
}

/* The list has two lines for each thread, so with thousands of threads each read is long. All threads together may
 * spend 1/PART_OF_RUN of the run's time on reading it, and AT_ONCE_NS more. A thread that may not read it now reads
 * each word of the stack by a system call, and tries again later. */
#define AT_ONCE_NS UINT64_C(100000000)
#define PART_OF_RUN 64u

static _Atomic uint64_t first_ns, spent_ns;

static bool may_spend(uint64_t now_ns) {
    uint64_t none = 0;
    atomic_compare_exchange_strong(&first_ns, &none, now_ns);
    return atomic_load(&spent_ns) < AT_ONCE_NS + (now_ns - atomic_load(&first_ns)) / PART_OF_RUN;
}

void xs_own_stack_look(uint64_t sp) {
    xs_own_stack.unknown++;
    if ((xs_own_stack.unknown & (xs_own_stack.unknown - 1)) == 0) {
        uint64_t begun_ns = xs_monotonic_ns();
        if (may_spend(begun_ns)) {
            xs_on_scratch(learn, &sp);
            atomic_fetch_add(&spent_ns, xs_monotonic_ns() - begun_ns);
        }
    }
}
