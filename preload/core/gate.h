/* The gate in front of the driver. CUPTI may be attached to the driver or detached from it only while no other thread
 * is inside of the driver; else graph launches end in illegal addresses and the program crashes. So every wrapper
 * enters the gate before it calls the driver and leaves it afterwards, and whoever wants to change CUPTI closes the
 * gate first.
 *
 * Entering and leaving write a word of the thread's own and read one that hardly ever changes: no shared write and no
 * fence, because the closing thread orders both sides (membarrier, Linux 4.14). Where the kernel cannot do that the
 * gate is never quite open: it stands at XS_GATE_FENCED, and whoever comes makes the fence himself.
 *
 * A thread that is inside when the gate is closed is waited for a few ms; if it stays inside, as in a long wait, the
 * gate opens again and closing it has failed.
 *
 * Inside of a call that is recorded the guard keeps all others from the gate. A call that is not recorded raises no
 * guard: a callback or a signal handler may make calls inside of it, which are recorded. These find the thread inside
 * and leave it inside. */
#ifndef XFERSPY_PRELOAD_CORE_GATE_H
#define XFERSPY_PRELOAD_CORE_GATE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/guard.h"

/* What is counted of calls that are left out (core/outside.h): copies, memsets, launches, and waits with what else is
 * neither of these. */
enum xs_left_out_kind {
    XS_LEFT_OUT_TRANSFER,
    XS_LEFT_OUT_MEMSET,
    XS_LEFT_OUT_LAUNCH,
    XS_LEFT_OUT_OTHER,
    XS_LEFT_OUT_KINDS
};

/* A thread's place at the gate, on cache lines of its own. The counts are only added to by the thread itself. */
struct xs_gate_slot {
    _Atomic uint32_t inside;                /* 1: the thread is inside of the driver, or about to be */
    _Atomic int32_t owner;                  /* its tid; 0: nobody's */
    _Atomic uint64_t launches;              /* that CUPTI recorded, of kernels */
    _Atomic uint64_t graphs;                /* the same, of graphs */
    _Atomic uint64_t copies;                /* the same, and memsets */
    _Atomic uint32_t correlation;           /* CUPTI's id of the latest of them */
    uint32_t until_measured;                /* calls until one is measured (core/own_cost.h) */
    uint64_t elsewhere_at, elsewhere_ticks; /* what has an account of its own, of the call that was entered then */
    _Atomic uint64_t measured, measured_ticks;
    _Atomic uint64_t left_out[XS_LEFT_OUT_KINDS]; /* calls (core/outside.h) */
} __attribute__((aligned(64)));

extern XS_TLS struct xs_gate_slot *xs_gate_slot; /* NULL until the thread's first call */
enum { XS_GATE_OPEN, XS_GATE_CLOSED, XS_GATE_FENCED /* open to who makes a fence */ };
extern _Atomic uint32_t xs_gate_closed;      /* a futex: one of these */
extern XS_TLS struct xs_guard xs_gate_outer; /* raised by the call that is not recorded and that the thread is in */

/* The slow paths of entering. The first returns the thread's place. */
struct xs_gate_slot *xs_gate_join(void);
void xs_gate_wait(struct xs_gate_slot *slot);

XS_HOT void xs_gate_go_in(bool is_nested) {
    struct xs_gate_slot *slot = xs_gate_slot;
    if (XS_UNLIKELY(!slot)) {
        slot = xs_gate_join();
    }
    atomic_store_explicit(&slot->inside, 1, memory_order_relaxed);
    atomic_signal_fence(memory_order_seq_cst); /* xs_gate_close makes it a fence of the processor, when it needs one */
    if (XS_UNLIKELY(atomic_load_explicit(&xs_gate_closed, memory_order_acquire)) && !is_nested) {
        xs_gate_wait(slot);
    }
}

/* Waits while the gate is closed. Any thread; a thread that is inside already does not wait, and stays inside. */
XS_HOT void xs_gate_enter(void) { xs_gate_go_in(xs_gate_outer.raised != NULL); }

/* A thread of which a slot could not be had does not come here with one of its own. */
XS_HOT void xs_gate_leave(void) {
    atomic_store_explicit(&xs_gate_slot->inside, xs_gate_outer.raised != NULL, memory_order_release);
}

/* The same for a call that is not recorded, where none of these is around it (xs_passes_the_gate). `note` is its
 * wrapper's, and `frame` is XS_GUARD_HERE() there. In between the calls of a signal handler find the thread inside, or
 * about to be. */
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

/* One more call that CUPTI recorded. */
XS_HOT void xs_gate_count(_Atomic uint64_t *count) {
    atomic_store_explicit(count, atomic_load_explicit(count, memory_order_relaxed) + 1, memory_order_relaxed);
}

/* The calling thread ends, and gives its place to another one. */
void xs_gate_thread_ends(void);

/* Prepares closing. In a process with several threads this may take some ms, so it is done once, by a thread of the
 * library's own. */
void xs_gate_prepare(void);
/* For tests: the kernel is asked for no membarrier, as if it had none. Before the first call. */
void xs_gate_without_membarrier(void);

/* Closes the gate, so that no thread but the calling one is inside of the driver until xs_gate_open. False: the gate is
 * open, because a thread stayed inside for `patience_ns`, because it is closed already, or because it was not prepared.
 * The calling thread is not inside, has raised the guard, and takes no signal until it opens the gate. */
bool xs_gate_close(uint64_t patience_ns);
void xs_gate_open(void);

/* The gate is closed: is still nobody inside but the calling thread? A thread goes in all the same that stood at the
 * gate for ten seconds; from then on nobody waits until it is opened. */
bool xs_gate_is_empty(void);

/* The sums over all threads, those that ended included. */
struct xs_gate_counts {
    uint64_t launches, graphs, copies, measured, measured_ticks;
    uint64_t left_out[XS_LEFT_OUT_KINDS];
};
struct xs_gate_counts xs_gate_counts(void);

/* The latest correlation id of all threads and `latest`. Ids count up, and begin again at 0 behind the largest. */
uint32_t xs_gate_latest_correlation(uint32_t latest);

/* In a forked child: the gate is open, and no thread but the calling one is there. */
void xs_gate_forget(void);

#endif
