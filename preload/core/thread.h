/* Where a thread's events go: into the chunk of the spool that the thread fills. All of it belongs to the calling
 * thread. Hot path: no lock and no allocation, and a system call only once a chunk. */
#ifndef XFERSPY_PRELOAD_CORE_THREAD_H
#define XFERSPY_PRELOAD_CORE_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/gate.h"
#include "preload/core/guard.h"
#include "preload/core/state.h"
#include "schema/spool/spool.h"

struct xs_thread {
    struct xs_event *next, *end; /* of the chunk's free slots; equal: there is none, another chunk is needed */
    struct xs_chunk *chunk;
    unsigned chunk_index;
    uint32_t id;       /* thread.id, 0 until the first event */
    uint64_t retry_ns; /* CLOCK_MONOTONIC; no chunk could be had, so the thread tries again at that time; 0: try now */
    bool is_first;     /* it is in the call that began the session; there are no chunks before that call is over */
};
extern XS_TLS struct xs_thread xs_thread;

/* The event of a call that cannot be recorded, because no chunk could be had. It is decoded here, because decoding
 * also keeps what lasts longer than the event, such as the map of memory ranges. The event of the call that began the
 * session is here until the call is over. */
extern XS_TLS struct xs_event xs_scratch_event
    __attribute__((aligned(16))); /* xs_clear_slot stores 16 bytes at a time */

/* The correlation id that CUPTI's driver callback (cupti/cupti_session.c) gave to the calling thread's latest copy,
 * memset or launch. xs_begin clears it before the real call, and xs_end stores what it finds afterwards. During a call
 * that is left out (core/outside.h) it has a value that tells the callback so. */
extern XS_TLS uint32_t xs_cupti_correlation;
#define XS_CORRELATION_LEFT_OUT UINT32_MAX

/* The slow paths of xs_begin. */
/* Another chunk for the calling thread. False: it has none any more, and uses the scratch event. */
bool xs_thread_refill(void);
/* The end of the call that began the session: has it recorded from the scratch event. */
void xs_thread_commit_first(void);
/* Not active, or guarded. True: record this call, because it started a session, or because the call that raised the
 * guard will never return. `frame` is XS_GUARD_HERE() of the wrapper. */
bool xs_thread_may_record(unsigned row, uintptr_t frame);
/* If the wrapper that raised the guard is gone, lowers it and counts the call that was left. Is the guard raised? */
bool xs_thread_is_guarded(uintptr_t frame);
/* Is the thread inside of a call that is not recorded (xs_gate_outer)? False where that call was left by a jump. */
bool xs_thread_has_outer(uintptr_t frame);

/* Records that something unknown ran (xs_undecided), before the event that is being begun. Where there is no slot for
 * it, a later event does. */
void xs_thread_tell_undecided(void);

/* Fetches the cache lines of the next slot ahead of time. The drain thread, on another core, read them last. Behind
 * the chunk's last slot this prefetches beyond the chunk, which is harmless. */
XS_HOT void xs_prefetch_slot(const struct xs_event *e) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0\n\tprefetchw %1" : : "m"(*(const char *)e), "m"(*((const char *)e + 64)));
#else
    __builtin_prefetch(e, 1);
    __builtin_prefetch((const char *)e + 64, 1);
#endif
}

/* Makes the event zero. A memset of this size would become `rep stos`, which takes longer to start than these eight
 * stores take altogether. */
XS_HOT void xs_clear_slot(struct xs_event *e) {
    typedef long long pair __attribute__((vector_size(16), may_alias));
    pair *p = (pair *)e;
    p[0] = p[1] = p[2] = p[3] = p[4] = p[5] = p[6] = p[7] = (pair){0, 0};
}

/* Publishes the event that xs_thread.next points at; from now on the drain thread may read it. Does nothing for the
 * scratch event, but for that of the session's first call. */
XS_HOT void xs_commit(void) {
    struct xs_thread *t = &xs_thread;
    if (XS_UNLIKELY(t->next == t->end)) {
        if (t->is_first) {
            xs_thread_commit_first();
        }
        return;
    }
    t->next++; /* first: who is left between the two is published by the next one */
    xs_chunk_commit(t->chunk, t->next);
    xs_prefetch_slot(t->next);
}

/* Starts the event of a call. NULL: the call is not to be recorded. Otherwise the thread is guarded, and inside of the
 * gate, until xs_end, and the event is zero but for its row. `note` is a variable of the wrapper itself. */
XS_HOT struct xs_event *xs_begin(unsigned row, struct xs_guard_note *note) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_state, memory_order_acquire) != XS_STATE_ACTIVE || xs_guard.raised ||
                    xs_gate_outer.raised) &&
        !xs_thread_may_record(row, XS_GUARD_HERE())) {
        return NULL;
    }
    struct xs_thread *t = &xs_thread;
    xs_guard_raise(note,
                   XS_GUARD_HERE()); /* before the slot is chosen: a signal handler's call must not choose it, too */
    atomic_signal_fence(memory_order_seq_cst);
    xs_gate_enter();
    if (XS_UNLIKELY(atomic_load_explicit(&xs_state_page.undecided, memory_order_relaxed) != XS_DECIDED)) {
        xs_thread_tell_undecided();
    }
    struct xs_event *e = t->next;
    if (XS_UNLIKELY(e == t->end)) {
        e = xs_thread_refill() ? t->next : &xs_scratch_event;
    }
    xs_cupti_correlation = 0;
    xs_clear_slot(e);
    e->entry = (uint16_t)row;
    return e;
}

/* Makes sure that `count` events fit into the chunk ahead of the begun event `*e`, which moves to another chunk if
 * need be. False: no chunk could be had, and `*e` will not be recorded. */
bool xs_thread_room(struct xs_event **e, unsigned count);

/* Writes a definition: what the number `id` stands for. `data` is a struct xs_define_* and what follows it, `bytes`
 * in all, at most XS_DEFINITION_BYTES_MAX. Inside a wrapper `*e` is the begun event, which gets a new place behind
 * the definition. Elsewhere `e` is NULL, and the caller has guarded the thread. False: no chunk could be had and
 * nothing was written; the number may be defined another time. */
bool xs_define(struct xs_event **e, enum xs_definition what, uint32_t id, const void *data, size_t bytes);

/* Commits `e` and begins another event of the same call, with a copy of its header. Returns the new event, never
 * NULL; it is the scratch event where no chunk could be had. */
struct xs_event *xs_another(struct xs_event *e);

/* Ends what xs_begin started: commits the event, unless it is NULL because its decoder has nothing to record, and lifts
 * the guard. `result` is what the real call returned. */
XS_HOT void xs_end(struct xs_event *e, int32_t result) {
    if (XS_LIKELY(e != NULL)) {
        e->result = result;
        e->correlation = xs_cupti_correlation;
        xs_commit();
    }
    xs_gate_leave();
    atomic_signal_fence(memory_order_seq_cst);
    xs_guard_lower();
}

/* In a forked child: the calling thread has no chunk any more, and is not guarded. */
void xs_thread_forget(void);

/* How long all threads together have waited for a chunk. Any thread. */
uint64_t xs_thread_stalled_ns(void);

/* May a call that is not recorded pass the gate? Not inside of another wrapper, nor one of the library's own; and there
 * is a session, or there was one: CUPTI is still taken away behind its end. `frame` is XS_GUARD_HERE() of its wrapper.
 */
XS_HOT bool xs_passes_the_gate(uintptr_t frame) {
    int state = atomic_load_explicit(&xs_state, memory_order_relaxed);
    return (state == XS_STATE_ACTIVE || state == XS_STATE_CLOSED) && !xs_guard.raised &&
           !(XS_UNLIKELY(xs_gate_outer.raised) && xs_thread_has_outer(frame));
}

/* The time of the capture clock, in its own ticks (schema/clock.h). */
XS_HOT uint64_t xs_now(void) { return xs_clock_tick(xs_clock_source); }

#endif
