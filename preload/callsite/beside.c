/* Chooses the thread whose stack is read, and keeps to the share; see beside.h. A call site that makes calls all the
 * time does not take the turns of other call sites. While the share is used up, each call site is read again only after
 * a pause. The pause is a multiple of the time of the site's latest reading. With this multiple, all call sites
 * together stay near the share.
 */
#define _GNU_SOURCE
#include "preload/callsite/beside.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/notes.h"
#include "preload/core/quiescence.h"
#include "preload/core/thread_memory.h"
#include "schema/clock.h"

#define MS INT64_C(1000000)
#define ALLOWANCE_NS (2 * MS)                /* readings may take this time beyond their share */
#define MOST_SAVED_NS (20 * MS)              /* the most unused time that is kept for later readings */
#define MOST_OWED_NS (5 * MS)                /* the most future time that call sites whose turn has come may use */
#define LONGEST_REST_NS UINT64_C(1000000000) /* the longest pause of a call site */
#define HOPELESS_REST_NS UINT64_C(10000000000)

enum {
    SITES = 16,     /* call sites that a thread remembers */
    IN_TURN = 16,   /* number of call sites for which the share must suffice when it is used up */
    UNREADABLE = 8, /* a site's pause is this many times longer if the other thread did not pause */
    HOPELESS = 200, /* after this many failures in a row nothing is read for HOPELESS_REST_NS */
    FOR_GOOD = 1000 /* after this many failures without one success nothing is read any more; a sandbox may forbid it */
};

static struct {
    unsigned permille; /* 0: off */
    pid_t pid;
    _Atomic uint64_t shared_ns; /* time up to which the share was added to left_ns */
    _Atomic int64_t left_ns;
    _Atomic uint32_t main_slot;
    _Atomic uint32_t failures; /* number of failures in a row */
    _Atomic bool has_read;     /* at least one reading succeeded */
    _Atomic uint64_t rests_until_ns;
} beside;

void xs_beside_start(unsigned permille) {
    beside.permille = permille;
    beside.pid = getpid();
    atomic_store(&beside.shared_ns, xs_monotonic_ns());
    atomic_store(&beside.left_ns, ALLOWANCE_NS);
    atomic_store(&beside.main_slot, 0);
    atomic_store(&beside.failures, 0);
    atomic_store(&beside.has_read, false);
    atomic_store(&beside.rests_until_ns, 0);
}

/* Adds the time by which the share has grown, and returns the time that is left. If two threads do this at once, only
 * one of them adds the time. */
static int64_t left_now(uint64_t now_ns) {
    uint64_t since_ns = atomic_load_explicit(&beside.shared_ns, memory_order_relaxed);
    int64_t left_ns = atomic_load_explicit(&beside.left_ns, memory_order_relaxed);
    if (now_ns < since_ns + (uint64_t)MS || !atomic_compare_exchange_strong(&beside.shared_ns, &since_ns, now_ns))
        return left_ns;
    uint64_t passed_ns = now_ns - since_ns, most_ns = (uint64_t)MOST_SAVED_NS * 1000;
    int64_t more_ns = (int64_t)((passed_ns < most_ns ? passed_ns : most_ns) * beside.permille / 1000);
    more_ns = left_ns + more_ns > MOST_SAVED_NS ? MOST_SAVED_NS - left_ns : more_ns;
    return atomic_fetch_add(&beside.left_ns, more_ns) + more_ns;
}

/* True if this is the process's main thread. The main thread works for no other thread, so no other thread's line
 * belongs to its calls. */
static bool is_main_thread(void) {
    return xs_gate_slot && atomic_load_explicit(&xs_gate_slot->owner, memory_order_relaxed) == beside.pid;
}

struct xs_beside_site *xs_beside_begin(struct xs_stack_key key, uint64_t *now_ns) {
    if (!beside.permille || !xs_python_is_ready() || is_main_thread())
        return NULL;
    struct xs_beside_site *sites = xs_thread_memory_of(XS_PART_BESIDE, SITES * sizeof *sites);
    if (!sites)
        return NULL;
    struct xs_beside_site *site = &sites[key.high % SITES];
    if (site->key.low != key.low || site->key.high != key.high) {
        site->next_ns = site->noted.count = 0;
        atomic_signal_fence(memory_order_seq_cst); /* a signal handler may jump away at any time */
        site->key = key;
    }
    *now_ns = xs_monotonic_ns();
    int64_t left_ns = left_now(*now_ns);
    if (*now_ns < atomic_load_explicit(&beside.rests_until_ns, memory_order_relaxed) ||
        (left_ns <= 0 && (left_ns <= -MOST_OWED_NS || *now_ns < site->next_ns)))
        return NULL;
    site->began_cpu_ns = xs_thread_cpu_ns();
    return site;
}

/* Fills in the thread of a slot. False: it runs no Python code, or it is the calling thread. */
static bool take(const struct xs_gate_slot *slot, struct xs_beside_thread *thread) {
    *thread = (struct xs_beside_thread){atomic_load_explicit(&slot->python, memory_order_relaxed),
                                        atomic_load_explicit(&slot->pthread, memory_order_relaxed),
                                        atomic_load_explicit(&slot->thread, memory_order_relaxed),
                                        atomic_load_explicit(&slot->owner, memory_order_relaxed)};
    return slot != xs_gate_slot && thread->python && thread->number;
}

bool xs_beside_find(struct xs_beside_thread *thread) {
    uint32_t main_slot = atomic_load_explicit(&beside.main_slot, memory_order_relaxed), others = 0;
    const struct xs_gate_slot *slot = xs_gate_slot_at(main_slot);
    struct xs_beside_thread other;
    if (slot && atomic_load_explicit(&slot->owner, memory_order_relaxed) == beside.pid && take(slot, thread))
        return true;
    for (uint32_t i = 0; (slot = xs_gate_slot_at(i)); i++) {
        int32_t owner = atomic_load_explicit(&slot->owner, memory_order_relaxed);
        if (owner <= 0 || !take(slot, &other))
            continue;
        *thread = other;
        others++;
        if (owner == beside.pid) {
            atomic_store_explicit(&beside.main_slot, i, memory_order_relaxed);
            return true;
        }
    }
    return others == 1;
}

enum xs_sleep xs_beside_sleep(int32_t tid) {
    char path[64], text[64];
    int before = errno;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)tid);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC); /* libc's are cancellation points */
    long bytes = fd < 0 ? 0 : syscall(SYS_pread64, fd, text, sizeof text - 1, (off_t)0);
    if (fd >= 0)
        syscall(SYS_close, fd);
    errno = before;
    text[bytes > 0 ? bytes : 0] = '\0';
    const char *state = strrchr(text, ')'); /* the thread's name before it may be any text of 15 bytes */
    if (!state || state[1] != ' ')
        return XS_SLEEP_UNKNOWN;
    return state[2] == 'S' || state[2] == 'D' ? XS_ASLEEP : XS_AWAKE;
}

/* Counts a failure. Readings also fail if the other thread never pauses. They therefore end for good only if no reading
 * has succeeded. */
static void count_failure(uint64_t now_ns) {
    uint32_t failures = atomic_fetch_add_explicit(&beside.failures, 1, memory_order_relaxed) + 1;
    bool is_for_good = failures >= FOR_GOOD && !atomic_load_explicit(&beside.has_read, memory_order_relaxed);
    if (failures % HOPELESS == 0)
        atomic_store(&beside.rests_until_ns, is_for_good ? UINT64_MAX : now_ns + HOPELESS_REST_NS);
    if (is_for_good && failures % HOPELESS == 0)
        xs_note("python", "the frames of other threads cannot be read: calls of threads without Python frames have no"
                          " Python line");
}

void xs_beside_end(struct xs_beside_site *site, uint64_t now_ns, enum xs_beside_outcome outcome) {
    uint64_t took_ns = xs_thread_cpu_ns() - site->began_cpu_ns;
    uint64_t rest_ns = took_ns * 1000 / beside.permille * IN_TURN * (outcome == XS_BESIDE_READ ? 1 : UNREADABLE);
    site->next_ns = now_ns + (rest_ns < LONGEST_REST_NS ? rest_ns : LONGEST_REST_NS);
    atomic_fetch_sub_explicit(&beside.left_ns, (int64_t)took_ns, memory_order_relaxed);
    if (outcome == XS_BESIDE_READ) {
        atomic_store_explicit(&beside.failures, 0, memory_order_relaxed);
        atomic_store_explicit(&beside.has_read, true, memory_order_relaxed);
    } else if (outcome == XS_BESIDE_FAILED) {
        count_failure(now_ns);
    }
}
