/* The gate is a quiescence lock in front of the driver. CUPTI may be attached or detached only while no other thread is
 * inside the driver; otherwise graph launches end in illegal addresses and the program crashes. So every wrapper enters
 * the gate before it calls the driver and leaves it afterwards, and a thread that wants to attach or detach CUPTI
 * closes the gate first.
 *
 * A thread that enters or leaves writes only a word of its own slot; a thread that enters also reads one shared word,
 * which hardly ever changes. Entering and leaving need no write to a shared word and no fence, because the thread that
 * closes the gate orders the memory accesses of all threads (membarrier, Linux 4.14). If the kernel has no membarrier,
 * the gate has the state XS_GATE_FENCED while it is not closed, and each thread that enters executes a fence.
 *
 * To close the gate, a thread waits up to a few ms until the threads that are inside have left. If a thread stays
 * inside, for example because it waits for the device, closing fails, and the gate opens again.
 *
 * Inside a recorded call the guard is raised, so nested calls do not use the gate. A call that is not recorded raises
 * no guard, because a callback or signal handler may make recorded calls inside it. Such a nested call finds that the
 * thread is already inside the gate, and the thread stays inside when the nested call ends. */
#ifndef XFERSPY_PRELOAD_CORE_QUIESCENCE_H
#define XFERSPY_PRELOAD_CORE_QUIESCENCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/guard.h"
#include "schema/format/kinds.h"

/* Kinds of calls that are counted when they are left out (core/call_windows.h): copies, memsets and launches; OTHER
 * means waits and all remaining calls. */
enum xs_left_out_kind {
    XS_LEFT_OUT_TRANSFER,
    XS_LEFT_OUT_MEMSET,
    XS_LEFT_OUT_LAUNCH,
    XS_LEFT_OUT_OTHER,
    XS_LEFT_OUT_KINDS
};

enum { XS_DIRECTION_COUNT = XS_DIR_H2H + 1 };

/* A thread's slot at the gate. A slot shares no cache line with other slots. Only the thread itself increments the
 * counts. */
struct xs_gate_slot {
    _Atomic uint32_t inside;                /* 1: the thread is inside the driver, or about to be */
    _Atomic int32_t owner;                  /* tid of the thread; 0: the slot is free */
    _Atomic uint64_t launches;              /* kernel launches that CUPTI recorded */
    _Atomic uint64_t graphs;                /* graph launches that CUPTI recorded */
    _Atomic uint64_t copies;                /* copies and memsets that CUPTI recorded */
    _Atomic uint32_t correlation;           /* CUPTI's id of the latest recorded launch or copy */
    _Atomic uint32_t until_measured;        /* calls until the next measured call (core/own_cost.h) */
    uint64_t elsewhere_at, elsewhere_ticks; /* xs_own_cost_elsewhere: time of the real call; ticks to exclude */
    _Atomic uint64_t exact_ticks;           /* ticks of the measured call's work that own_cost.h counts exactly */
    _Atomic uint64_t measured, measured_ticks;
    _Atomic uint64_t left_out[XS_LEFT_OUT_KINDS]; /* left-out calls by kind (core/call_windows.h) */
    /* What xferspy_count tells the application (core/counts.h). */
    _Atomic uint64_t moved[XS_DIRECTION_COUNT], moved_bytes[XS_DIRECTION_COUNT]; /* by enum xs_direction */
    _Atomic uint64_t waits;
    /* Another thread needs these values to read the Python stack of the slot's thread (session/host_samples.h): the
     * pthread_self() of the slot's thread, the address of the PyThreadState that it had at its latest call, and its
     * number in the trace. 0: not known. */
    _Atomic uint64_t pthread, python;
    _Atomic uint32_t thread;
} __attribute__((aligned(64)));

extern XS_TLS struct xs_gate_slot *xs_gate_slot; /* NULL before the thread's first call */
enum { XS_GATE_OPEN, XS_GATE_CLOSED, XS_GATE_FENCED /* the gate is open to threads that execute a fence */ };
extern _Atomic uint32_t xs_gate_closed;      /* a futex word: XS_GATE_OPEN, XS_GATE_CLOSED or XS_GATE_FENCED */
extern XS_TLS struct xs_guard xs_gate_outer; /* raised while the thread is in a call that is not recorded */

/* Slow paths of xs_gate_go_in. xs_gate_join finds a slot for the calling thread and returns it. */
struct xs_gate_slot *xs_gate_join(void);
void xs_gate_wait(struct xs_gate_slot *slot);

XS_HOT void xs_gate_go_in(bool is_nested) {
    struct xs_gate_slot *slot = xs_gate_slot;
    if (XS_UNLIKELY(!slot))
        slot = xs_gate_join();
    atomic_store_explicit(&slot->inside, 1, memory_order_relaxed);
    /* No processor fence is needed here: membarrier in xs_gate_close, or xs_gate_wait, executes it. */
    atomic_signal_fence(memory_order_seq_cst);
    if (XS_UNLIKELY(atomic_load_explicit(&xs_gate_closed, memory_order_acquire)) && !is_nested)
        xs_gate_wait(slot);
}

/* Enters the gate, and first waits while the gate is closed. Any thread. A thread that is already inside does not wait
 * and stays inside. */
XS_HOT void xs_gate_enter(void) { xs_gate_go_in(xs_gate_outer.raised != NULL); }

/* Leaves the gate. xs_gate_slot is not NULL here, because a thread for which there was no free slot uses a shared
 * slot. */
XS_HOT void xs_gate_leave(void) {
    atomic_store_explicit(&xs_gate_slot->inside, xs_gate_outer.raised != NULL, memory_order_release);
}

/* Enters the gate for a call that is not recorded and is not nested in another such call (xs_passes_the_gate). `note`
 * is a variable of the wrapper, and `frame` is XS_GUARD_HERE() in the wrapper. Until xs_gate_leave_outer, a call that a
 * signal handler makes finds that the thread is inside the gate or is about to enter it. */
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

/* Adds `more` to a count of the calling thread's slot. */
XS_HOT void xs_gate_add(_Atomic uint64_t *count, uint64_t more) {
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + more, memory_order_relaxed);
}
XS_HOT void xs_gate_count(_Atomic uint64_t *count) { xs_gate_add(count, 1); }

/* Runs when the calling thread ends. Frees the slot for another thread. */
void xs_gate_thread_ends(void);

/* Must be called once before the first xs_gate_close. If the process has several threads, the call may take some ms, so
 * one of the library's own threads makes it. */
void xs_gate_prepare(void);
/* Pretends that the kernel has no membarrier, for tests. Must be called before all other functions of the gate. */
void xs_gate_without_membarrier(void);

/* Closes the gate. Until xs_gate_open only the calling thread may be inside the driver. False: this call has not closed
 * the gate, because a thread stayed inside for `patience_ns`, the gate was already closed, xs_gate_prepare was not
 * called, there were more threads than slots, or membarrier has failed during this call or less than 20 ms before it.
 * The caller must not be inside the gate, must have raised its guard, and must keep signals blocked until it has opened
 * the gate again. */
bool xs_gate_close(uint64_t patience_ns);
void xs_gate_open(void);

/* True while no thread except the calling one is inside the closed gate. A thread that has waited at the gate for ten
 * seconds enters although the gate is closed. From then on no thread waits until the gate is closed the next time, and
 * the result is false. */
bool xs_gate_is_empty(void);

/* Returns slot number `i`; NULL: this slot was never in use. If the slot's owner is not positive, the slot belongs to
 * no thread now. Any thread may read the atomic fields. */
const struct xs_gate_slot *xs_gate_slot_at(uint32_t i);

/* Sums over all threads, including those that have ended. */
struct xs_gate_counts {
    uint64_t launches, graphs, copies, measured, measured_ticks;
    uint64_t left_out[XS_LEFT_OUT_KINDS];
    uint64_t moved[XS_DIRECTION_COUNT], moved_bytes[XS_DIRECTION_COUNT], waits;
};
struct xs_gate_counts xs_gate_counts(void);

/* Returns the latest of the correlation ids of all threads and `latest`. The ids increase, and wrap around to 0 after
 * the largest value. */
uint32_t xs_gate_latest_correlation(uint32_t latest);

/* Runs in a forked child: opens the gate and frees the slots of all threads except the calling one. */
void xs_gate_forget(void);

#endif
