/* The gate is a quiescence lock in front of the driver. CUPTI may be attached or detached only while no other thread
 * is inside the driver; otherwise graph launches end in illegal addresses and the program crashes. So every wrapper
 * enters the gate before it calls the driver and leaves it afterwards, and a thread that wants to attach or detach
 * CUPTI closes the gate first.
 *
 * A thread that enters or leaves writes only a word of its own slot; a thread that enters also reads a shared word that
 * hardly ever changes. Entering and leaving need no write to a shared word and no fence, because the thread that closes
 * the gate orders the memory accesses of all threads (membarrier, Linux 4.14). If the kernel has no membarrier, the
 * gate has the state XS_GATE_FENCED while it is not closed, and each thread that enters executes a fence.
 *
 * Closing waits a few ms until the threads that are inside have left. If a thread stays inside, for example because it
 * waits for the device, closing fails, and the gate opens again.
 *
 * Inside a recorded call the guard is raised, so nested calls do not touch the gate. A call that is not recorded raises
 * no guard, because a callback or signal handler may make recorded calls inside it. Such nested calls find the thread
 * inside the gate, and leave it inside. */
#ifndef XFERSPY_PRELOAD_CORE_QUIESCENCE_H
#define XFERSPY_PRELOAD_CORE_QUIESCENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/guard.h"

/* Kinds of calls that are counted when they are left out (core/outside.h): copies, memsets and launches; OTHER means
 * waits and all remaining calls. */
enum xs_left_out_kind {
    XS_LEFT_OUT_TRANSFER,
    XS_LEFT_OUT_MEMSET,
    XS_LEFT_OUT_LAUNCH,
    XS_LEFT_OUT_OTHER,
    XS_LEFT_OUT_KINDS
};

/* A thread's slot at the gate. It shares no cache line with other slots. Only the thread itself adds to the counts. */
struct xs_gate_slot {
    _Atomic uint32_t inside;                /* 1: the thread is inside the driver, or about to be */
    _Atomic int32_t owner;                  /* tid of the thread; 0: free */
    _Atomic uint64_t launches;              /* kernel launches that CUPTI recorded */
    _Atomic uint64_t graphs;                /* graph launches that CUPTI recorded */
    _Atomic uint64_t copies;                /* copies and memsets that CUPTI recorded */
    _Atomic uint32_t correlation;           /* CUPTI's id of the latest recorded launch or copy */
    _Atomic uint32_t until_measured;        /* calls until the next measured one (core/own_cost.h); changes at every
                                             * recorded call */
    uint64_t elsewhere_at, elsewhere_ticks; /* ticks that own_cost.h excludes from the call at elsewhere_at */
    _Atomic uint64_t exact_ticks;           /* ticks of the measured call that own_cost.h counts exactly */
    _Atomic uint64_t measured, measured_ticks;
    _Atomic uint64_t left_out[XS_LEFT_OUT_KINDS]; /* left-out calls by kind (core/outside.h) */
    /* What another thread needs to read this thread's Python stack (session/host_samples.h): its pthread_self(), the
     * address of its PyThreadState at its latest call, and its number in the trace; 0: not known. */
    _Atomic uint64_t pthread, python;
    _Atomic uint32_t thread;
} __attribute__((aligned(64)));

extern XS_TLS struct xs_gate_slot *xs_gate_slot; /* NULL until the thread's first call */
enum { XS_GATE_OPEN, XS_GATE_CLOSED, XS_GATE_FENCED /* open to threads that make a fence */ };
extern _Atomic uint32_t xs_gate_closed;      /* a futex: XS_GATE_OPEN, _CLOSED or _FENCED */
extern XS_TLS struct xs_guard xs_gate_outer; /* raised while the thread is in a call that is not recorded */

/* Slow paths of xs_gate_go_in. xs_gate_join finds a slot for the calling thread and returns it. */
struct xs_gate_slot *xs_gate_join(void);
void xs_gate_wait(struct xs_gate_slot *slot);

XS_HOT void xs_gate_go_in(bool is_nested) {
    struct xs_gate_slot *slot = xs_gate_slot;
    if (XS_UNLIKELY(!slot))
        slot = xs_gate_join();
    atomic_store_explicit(&slot->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* xs_gate_close makes this a processor fence when it needs one */
    if (XS_UNLIKELY(atomic_load_explicit(&xs_gate_closed, memory_order_acquire)) && !is_nested)
        xs_gate_wait(slot);
}

/* Waits while the gate is closed. Any thread; a thread that is already inside does not wait and stays inside. */
XS_HOT void xs_gate_enter(void) { xs_gate_go_in(xs_gate_outer.raised != NULL); }

/* Leaves the gate. If there was no free slot for the thread, it uses the shared one, so xs_gate_slot is not NULL. */
XS_HOT void xs_gate_leave(void) {
    atomic_store_explicit(&xs_gate_slot->inside, xs_gate_outer.raised != NULL, memory_order_release);
}

/* Enters for a call that is not recorded and is not nested in another such call (xs_passes_the_gate). `note` is a
 * variable of the wrapper, and `frame` is XS_GUARD_HERE() in the wrapper. Until xs_gate_leave_outer, calls by a signal
 * handler find that the thread is inside the gate, or is about to enter it. */
XS_HOT void xs_gate_enter_outer(struct xs_guard_note *note, uintptr_t frame) {
    xs_guard_raise_this(&xs_gate_outer, note, frame);
    atomic_signal_fence(memory_order_seq_cst);
    xs_gate_go_in(false);
}
XS_HOT void xs_gate_leave_outer(void) {
    xs_guard_lower_this(&xs_gate_outer);
    atomic_signal_fence(memory_order_seq_cst);
    xs_gate_leave();
}

XS_HOT bool xs_gate_is_inside(void) {
    return xs_gate_slot && atomic_load_explicit(&xs_gate_slot->inside, memory_order_relaxed);
}

/* Counts one more call that CUPTI recorded. */
XS_HOT void xs_gate_count(_Atomic uint64_t *count) {
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* Called when the calling thread ends: frees its slot for another thread. */
void xs_gate_thread_ends(void);

/* Must be called once before the first xs_gate_close. If there are several threads, this may take some ms, so a thread
 * of the library calls it. */
void xs_gate_prepare(void);
/* For tests: pretends that the kernel has no membarrier. Must be called before all other functions of the gate. */
void xs_gate_without_membarrier(void);

/* Closes the gate: until xs_gate_open only the calling thread may be inside the driver. False: the gate is as it was
 * before the call, because a thread stayed inside for `patience_ns`, the gate was already closed, xs_gate_prepare was
 * not called, there are more threads than slots, or membarrier failed during this call. The caller must not be inside
 * the gate, must have raised its guard, and must keep signals blocked until it has opened the gate again. */
bool xs_gate_close(uint64_t patience_ns);
void xs_gate_open(void);

/* True while no thread except the calling one is inside the closed gate. A thread that has waited ten seconds at the
 * gate enters although the gate is closed; after that no thread waits any more, until the gate is opened. */
bool xs_gate_is_empty(void);

/* Returns the slot of a thread; NULL: fewer slots were ever taken. A slot whose owner is not positive has no thread at
 * present. Any thread may read the atomic fields. */
const struct xs_gate_slot *xs_gate_slot_at(uint32_t i);

/* Sums over all threads, including those that have ended. */
struct xs_gate_counts {
    uint64_t launches, graphs, copies, measured, measured_ticks;
    uint64_t left_out[XS_LEFT_OUT_KINDS];
};
struct xs_gate_counts xs_gate_counts(void);

/* Returns the latest correlation id among all threads and `latest`. The ids increase, and wrap to 0 after the largest
 * value. */
uint32_t xs_gate_latest_correlation(uint32_t latest);

/* In a forked child: opens the gate and drops all threads but the calling one. */
void xs_gate_forget(void);

#endif
