/* Manages the threads' slots, and closes the gate, which is a quiescence lock (quiescence.h). The array of slots is
 * never freed, so the closing thread may read the slot of a thread that ends meanwhile.
 *
 * Without membarrier the gate's word is never XS_GATE_OPEN, so every entering thread takes the slow path. There it
 * stores that it is inside and then reads the gate again, both sequentially consistent. Before its first call a thread
 * finds out whether membarrier works, if no thread has done so yet (xs_gate_join). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syscall */
#endif
#include "preload/core/quiescence.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/futex.h"
#include "preload/core/signals.h"
#include "schema/clock.h"

#if defined(__has_include)
#if __has_include(<linux/membarrier.h>)
#include <linux/membarrier.h>
#define HAS_MEMBARRIER 1
#endif
#endif

/* The most threads alive at one time. Slots of dead threads are searched for when FEW_SLOTS slots are in use, and again
 * each time this number has doubled. The search asks the kernel about each slot, which would take too long at every
 * thread start of a program with thousands of threads. */
#define SLOTS 32768u
#define FEW_SLOTS 2048u
#define LOOK_NS 20000 /* between two checks of the threads that are inside */
/* After this time the thread that closed the gate has ended or hangs for good, so that it is better to enter. */
#define WAIT_AT_MOST_NS UINT64_C(10000000000)

XS_TLS struct xs_gate_slot *xs_gate_slot;
XS_TLS struct xs_guard xs_gate_outer;
_Atomic uint32_t xs_gate_closed;

static struct xs_gate_slot slots[SLOTS];
static _Atomic uint32_t used; /* number of slots that were ever taken; they come first in the array */
static _Atomic uint32_t few = FEW_SLOTS;
/* The search for a free slot begins here, because all slots before this one have an owner, as far as is known. */
static _Atomic uint32_t first_free;
/* All threads that find no free slot share this one. Once it is in use, the gate is never closed. */
static struct xs_gate_slot crowd;
static _Atomic bool crowded;
static _Atomic bool prepared;
/* The number of the latest closing, and of the closing during which a thread entered anyway. */
static _Atomic uint32_t closing = 1, broken;

/* Says whether membarrier works; UNKNOWN until the first thread has tried it. */
enum { UNKNOWN, MEMBARRIER, NO_MEMBARRIER };
static _Atomic int kernel;
static bool pretends_to_have_none;
/* Time to wait if membarrier stops working while threads run, for example because of a new filter of system calls.
 * After this time all stores that were made without a fence are visible to all threads. */
#define SETTLED_NS UINT64_C(20000000)
static _Atomic uint64_t settled_ns;

enum { LOOKING = -1 }; /* the owner while a thread checks the slot */

static pid_t own_tid(void) { return (pid_t)syscall(SYS_gettid); }

static bool is_alive(int32_t tid) { return syscall(SYS_tgkill, getpid(), tid, 0) == 0 || errno != ESRCH; }

static bool take(struct xs_gate_slot *slot, int32_t from, int32_t tid) {
    return atomic_compare_exchange_strong(&slot->owner, &from, tid);
}

static bool kernel_has_membarrier(void) {
#ifdef HAS_MEMBARRIER
    long commands = pretends_to_have_none ? -1 : syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
    return commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED);
#else
    return false;
#endif
}

static uint32_t at_rest(void) { return atomic_load(&kernel) == NO_MEMBARRIER ? XS_GATE_FENCED : XS_GATE_OPEN; }

/* From now on every thread makes its own fence. */
static void fence_ourselves(void) {
    uint32_t open = XS_GATE_OPEN;
    atomic_store(&kernel, NO_MEMBARRIER);
    atomic_compare_exchange_strong(&xs_gate_closed, &open, XS_GATE_FENCED);
}

static void look_at_kernel(void) {
    if (atomic_load(&kernel) == UNKNOWN) {
        if (kernel_has_membarrier()) {
            int unknown = UNKNOWN;
            atomic_compare_exchange_strong(&kernel, &unknown, MEMBARRIER);
        } else {
            fence_ourselves();
        }
    }
}

/* Finds a slot that has no owner, or that belonged to a dead thread with the same id, because the kernel reuses thread
 * ids. */
static struct xs_gate_slot *find_free(uint32_t count, int32_t tid) {
    uint32_t from = atomic_load(&first_free), first = count <= FEW_SLOTS ? 0 : from;
    for (uint32_t i = first; i < count && i < SLOTS; i++) {
        int32_t owner = atomic_load_explicit(&slots[i].owner, memory_order_relaxed);
        if (owner == tid || (owner == 0 && take(&slots[i], 0, tid)))
            return &slots[i];
    }
    if (count > from)
        atomic_compare_exchange_strong(&first_free, &from, count);
    return NULL;
}

/* Frees a slot. The next search for a free slot then begins at it, if it is the first free one. */
static void give_back(struct xs_gate_slot *slot) {
    uint32_t i = (uint32_t)(slot - slots), first = atomic_load(&first_free);
    atomic_store(&slot->owner, 0);
    while (i < first && !atomic_compare_exchange_weak(&first_free, &first, i)) {
    }
}

/* Takes one of the first `limit` slots, if one of them was never taken. */
static struct xs_gate_slot *find_new(uint32_t limit, int32_t tid) {
    uint32_t count = atomic_load(&used);
    while (count < limit) {
        if (atomic_compare_exchange_strong(&used, &count, count + 1)) {
            if (take(&slots[count], 0, tid))
                return &slots[count];
            count = atomic_load(&used);
        }
    }
    return NULL;
}

/* Scans every slot once, frees the slots of dead threads, and sets how many new slots may be taken before the next
 * scan. */
static void look_for_left(uint32_t limit) {
    uint32_t count = atomic_load(&used), more = count > SLOTS / 2 ? SLOTS : 2 * count;
    if (!atomic_compare_exchange_strong(&few, &limit, more))
        return; /* another thread looks */
    for (uint32_t i = 0; i < SLOTS && i < count; i++) {
        int32_t owner = atomic_load(&slots[i].owner);
        if (owner && !is_alive(owner) && take(&slots[i], owner, LOOKING)) {
            atomic_store(&slots[i].inside, 0);
            give_back(&slots[i]);
        }
    }
}

static struct xs_gate_slot *find_slot(int32_t tid) {
    uint32_t limit = atomic_load(&few);
    struct xs_gate_slot *slot = find_free(atomic_load(&used), tid);
    slot = slot ? slot : find_new(limit, tid);
    if (!slot && !atomic_load(&crowded)) {
        look_for_left(limit);
        slot = find_free(atomic_load(&used), tid);
    }
    return slot ? slot : find_new(SLOTS, tid);
}

struct xs_gate_slot *xs_gate_join(void) {
    int saved = errno;
    look_at_kernel();
    struct xs_gate_slot *slot = find_slot((int32_t)own_tid());
    if (!slot) {
        atomic_store(&crowded, true);
        slot = &crowd;
    }
    atomic_store_explicit(&slot->python, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->thread, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->pthread, (uint64_t)pthread_self(), memory_order_relaxed);
    errno = saved;
    xs_gate_slot = slot;
    return slot;
}

/* Signals are blocked meanwhile, because a call by a handler would count as nested in the call that waits here. */
static void wait_while_closed(struct xs_gate_slot *slot) {
    int saved = errno;
    uint64_t signals;
    xs_signals_hold(&signals);
    uint64_t until = xs_monotonic_ns() + WAIT_AT_MOST_NS;
    for (;;) {
        uint32_t present = atomic_load(&closing); /* read before the gate: the gate may be opened and closed again */
        if (atomic_load(&xs_gate_closed) != XS_GATE_CLOSED || atomic_load(&broken) == present)
            break;
        if (xs_monotonic_ns() >= until) {
            atomic_store(&broken, present);
            break;
        }
        atomic_store(&slot->inside, 0);
        xs_futex_wait(&xs_gate_closed, XS_GATE_CLOSED, 100);
        atomic_store(&slot->inside, 1); /* set before the gate is read again; both are sequentially consistent */
    }
    xs_signals_let(&signals);
    errno = saved;
}

/* If the thread makes a further call after this, for example from a later destructor, it takes a slot again. */
void xs_gate_thread_ends(void) {
    struct xs_gate_slot *slot = xs_gate_slot;
    xs_gate_slot = NULL;
    atomic_signal_fence(memory_order_seq_cst);
    if (slot && slot != &crowd) {
        atomic_store(&slot->inside, 0); /* the thread may have ended inside a call */
        give_back(slot);
    }
}

void xs_gate_wait(struct xs_gate_slot *slot) {
    atomic_store(&slot->inside, 1); /* now with the fence */
    if (atomic_load(&xs_gate_closed) == XS_GATE_CLOSED)
        wait_while_closed(slot);
}

/* Returns true after all running threads of the process have passed a full fence, or will make one before they read the
 * gate. */
static bool fence_everywhere(void) {
    if (atomic_load(&kernel) == NO_MEMBARRIER)
        return xs_monotonic_ns() >= atomic_load(&settled_ns);
#ifdef HAS_MEMBARRIER
    if (!pretends_to_have_none && syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0)
        return true;
#endif
    atomic_store(&settled_ns, xs_monotonic_ns() + SETTLED_NS);
    atomic_store(&kernel, NO_MEMBARRIER); /* the gate opens in that state */
    return false;
}

void xs_gate_prepare(void) {
    look_at_kernel();
#ifdef HAS_MEMBARRIER
    if (!atomic_load(&prepared) && atomic_load(&kernel) == MEMBARRIER)
        (void)syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
#endif
    atomic_store(&prepared, true);
}

void xs_gate_without_membarrier(void) { pretends_to_have_none = true; }

/* True if the slot's thread is inside and is not the calling one. Frees the slot of a thread that was cancelled or
 * ended inside the driver. */
static bool is_inside(struct xs_gate_slot *slot) {
    if (!atomic_load(&slot->inside) || slot == xs_gate_slot)
        return false;
    int32_t owner = atomic_load(&slot->owner);
    if (owner && !is_alive(owner) && take(slot, owner, LOOKING)) {
        atomic_store(&slot->inside, 0);
        give_back(slot);
        return false;
    }
    return true;
}

static bool wait_for_all(uint64_t until) {
    uint32_t i = 0;
    while (i < atomic_load(&used)) {
        if (!is_inside(&slots[i])) {
            i++;
        } else if (xs_monotonic_ns() >= until) {
            return false;
        } else {
            struct timespec pause = {0, LOOK_NS};
            nanosleep(&pause, NULL);
        }
    }
    return !atomic_load(&crowded);
}

bool xs_gate_close(uint64_t patience_ns) {
    uint32_t open = at_rest();
    uint64_t until = xs_monotonic_ns() + patience_ns;
    if (!atomic_load(&prepared) || atomic_load(&crowded) ||
        !atomic_compare_exchange_strong(&xs_gate_closed, &open, XS_GATE_CLOSED))
        return false;
    atomic_fetch_add(&closing, 1); /* if a thread still sees the previous number, wait_for_all waits for it */
    if (fence_everywhere() && wait_for_all(until))
        return true;
    xs_gate_open();
    return false;
}

bool xs_gate_is_empty(void) { return atomic_load(&broken) != atomic_load(&closing) && wait_for_all(0); }

void xs_gate_open(void) {
    atomic_store(&xs_gate_closed, at_rest());
    xs_futex_wake(&xs_gate_closed);
}

const struct xs_gate_slot *xs_gate_slot_at(uint32_t i) { return i < atomic_load(&used) ? &slots[i] : NULL; }

static void add_counts(struct xs_gate_counts *sum, const struct xs_gate_slot *slot) {
    sum->launches += atomic_load_explicit(&slot->launches, memory_order_relaxed);
    sum->graphs += atomic_load_explicit(&slot->graphs, memory_order_relaxed);
    sum->copies += atomic_load_explicit(&slot->copies, memory_order_relaxed);
    sum->measured += atomic_load_explicit(&slot->measured, memory_order_relaxed);
    sum->measured_ticks += atomic_load_explicit(&slot->measured_ticks, memory_order_relaxed);
    for (unsigned i = 0; i < XS_LEFT_OUT_KINDS; i++)
        sum->left_out[i] += atomic_load_explicit(&slot->left_out[i], memory_order_relaxed);
    for (unsigned i = 0; i < XS_DIRECTION_COUNT; i++) {
        sum->moved[i] += atomic_load_explicit(&slot->moved[i], memory_order_relaxed);
        sum->moved_bytes[i] += atomic_load_explicit(&slot->moved_bytes[i], memory_order_relaxed);
    }
    sum->waits += atomic_load_explicit(&slot->waits, memory_order_relaxed);
}

struct xs_gate_counts xs_gate_counts(void) {
    struct xs_gate_counts sum = {0};
    uint32_t count = atomic_load(&used);
    add_counts(&sum, &crowd);
    for (uint32_t i = 0; i < count; i++)
        add_counts(&sum, &slots[i]);
    return sum;
}

uint32_t xs_gate_latest_correlation(uint32_t latest) {
    uint32_t count = atomic_load(&used), others = atomic_load(&crowd.correlation);
    latest = (int32_t)(others - latest) > 0 ? others : latest;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = atomic_load_explicit(&slots[i].correlation, memory_order_relaxed);
        latest = (int32_t)(other - latest) > 0 ? other : latest;
    }
    return latest;
}

/* A signal handler may have forked inside a call, which then returns in the child, too. */
void xs_gate_forget(void) {
    bool has_slot = xs_gate_slot != NULL;
    uint32_t inside = has_slot ? atomic_load(&xs_gate_slot->inside) : 0;
    for (uint32_t i = 0; i < SLOTS && i < atomic_load(&used); i++) {
        atomic_store(&slots[i].owner, 0);
        atomic_store(&slots[i].inside, 0);
    }
    atomic_store(&used, 0);
    atomic_store(&few, FEW_SLOTS);
    atomic_store(&first_free, 0);
    atomic_store(&crowded, false);
    atomic_store(&prepared, false);
    atomic_store(&xs_gate_closed, at_rest());
    if (has_slot) {
        xs_gate_slot = &slots[0];
        atomic_store(&slots[0].owner, (int32_t)own_tid());
        atomic_store(&slots[0].inside, inside);
        atomic_store(&slots[0].pthread, (uint64_t)pthread_self());
        atomic_store(&slots[0].python, 0);
        atomic_store(&slots[0].thread, 0);
        atomic_store(&used, 1);
    }
}
