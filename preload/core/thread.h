/* Writes a thread's events into the spool chunk that the thread holds at present. All state declared here belongs to
 * the calling thread. This is the hot path: writing an event takes no lock, allocates nothing, and makes system calls
 * only when the thread needs another chunk. */
#ifndef XFERSPY_PRELOAD_CORE_THREAD_H
#define XFERSPY_PRELOAD_CORE_THREAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/guard.h"
#include "preload/core/quiescence.h"
#include "preload/core/state.h"
#include "schema/spool/spool.h"

struct xs_thread {
    struct xs_event *next, *end; /* bounds of the chunk's free slots; if they are equal, another chunk is needed */
    struct xs_chunk *chunk;
    unsigned chunk_index;
    uint32_t id;         /* id in the trace's table `thread`; 0 until the first event */
    uint64_t stalled_ns; /* total time for which this thread has waited for chunks */
    uint64_t retry_ns;   /* if the thread got no chunk: CLOCK_MONOTONIC time from which it tries again; otherwise 0 */
    bool is_first; /* the thread is in the call that began the session; until this call ends there are no chunks */
};
extern XS_TLS struct xs_thread xs_thread;

/* The scratch event is for a call that cannot be recorded, because there was no chunk. Such a call is decoded into the
 * scratch event, because decoding also updates lasting state, such as the map of memory ranges. The call that began the
 * session also keeps its event here until the call is over. */
extern XS_TLS struct xs_event xs_scratch_event
    __attribute__((aligned(16))); /* xs_clear_slot stores 16 bytes at a time */

/* The correlation id that CUPTI's driver callback (cupti/cupti_attachment.c) has given to the calling thread's latest
 * copy, memset or launch. xs_begin sets this variable to 0 before the real call, and xs_end stores its value in the
 * event after the call. During a left-out call (core/call_windows.h) the variable is XS_CORRELATION_LEFT_OUT, so that
 * the callback knows that the call is left out. */
extern XS_TLS uint32_t xs_cupti_correlation;
#define XS_CORRELATION_LEFT_OUT UINT32_MAX

/* The following functions are slow paths of xs_begin and xs_commit. */
/* Takes another chunk for the calling thread. False: the thread has no chunk now, so the caller uses the scratch
 * event. */
bool xs_thread_refill(void);
/* Runs at the end of the call that began the session. Finishes the session's start, and then records the call, whose
 * event is the scratch event. */
void xs_thread_commit_first(void);
/* Decides whether to record a call if the thread's guard is raised or the state is not active. True: the call must be
 * recorded, because it started a session, or because the call that raised the guard was abandoned. `frame` is
 * XS_GUARD_HERE() of the wrapper. */
bool xs_thread_may_record(unsigned row, uintptr_t frame);
/* True if the guard is raised for a call that still exists. If the wrapper that raised the guard no longer exists, this
 * function lowers the guard, counts the abandoned call, and returns false. */
bool xs_thread_is_guarded(uintptr_t frame);
/* True if the thread is inside a call that is not recorded (xs_gate_outer). False if a jump abandoned that call. */
bool xs_thread_has_outer(uintptr_t frame);

/* Runs before the next event begins. Records in the trace that something unknown ran (enum xs_contents_unknown). If
 * there is no free slot, this is recorded before a later event. */
void xs_thread_tell_contents_unknown(void);

/* Prefetches the cache lines of the next slot, because they may be in the cache of another core, on which the drain
 * thread has read them. After the chunk's last slot this prefetches memory beyond the chunk, which is harmless. */
XS_HOT void xs_prefetch_slot(const struct xs_event *e) {
#if defined(__x86_64__)
    __asm__ volatile("prefetchw %0\n\tprefetchw %1" : : "m"(*(const char *)e), "m"(*((const char *)e + 64)));
#else
    __builtin_prefetch(e, 1);
    __builtin_prefetch((const char *)e + 64, 1);
#endif
}

/* Sets all bytes of the event to 0. The compiler would translate a memset of this size into `rep stos`, whose start
 * takes longer than these eight stores. */
XS_HOT void xs_clear_slot(struct xs_event *e) {
    typedef long long pair __attribute__((vector_size(16), may_alias));
    pair *p = (pair *)e;
    p[0] = p[1] = p[2] = p[3] = p[4] = p[5] = p[6] = p[7] = (pair){0, 0};
}

/* Publishes the event at xs_thread.next, so that the drain thread may read it. Does nothing for the scratch event,
 * unless that event holds the session's first call. */
XS_HOT void xs_commit(void) {
    struct xs_thread *t = &xs_thread;
    if (XS_UNLIKELY(t->next == t->end)) {
        if (t->is_first)
            xs_thread_commit_first();
        return;
    }
    t->next++; /* done before xs_chunk_commit: if a signal handler jumps away between the two steps, the next commit
                  also publishes this event */
    xs_chunk_commit(t->chunk, t->next);
    xs_prefetch_slot(t->next);
}

/* Starts the event of a call. NULL: do not record the call. Otherwise the thread's guard is raised and the thread is
 * inside the gate until xs_end, and the event is zero except for `entry`. `note` is a variable of the wrapper. */
XS_HOT struct xs_event *xs_begin(unsigned row, struct xs_guard_note *note) {
    if (XS_UNLIKELY(atomic_load_explicit(&xs_state, memory_order_acquire) != XS_STATE_ACTIVE || xs_guard.raised ||
                    xs_gate_outer.raised) &&
        !xs_thread_may_record(row, XS_GUARD_HERE()))
        return NULL;
    struct xs_thread *t = &xs_thread;
    xs_guard_raise(note, XS_GUARD_HERE()); /* done before the slot is chosen, so that a signal handler's call cannot
                                              choose the same slot */
    atomic_signal_fence(memory_order_seq_cst);
    xs_gate_enter();
    if (XS_UNLIKELY(atomic_load_explicit(&xs_state_page.contents_unknown, memory_order_relaxed) !=
                    XS_CONTENTS_ARE_KNOWN))
        xs_thread_tell_contents_unknown();
    struct xs_event *e = t->next;
    if (XS_UNLIKELY(e == t->end))
        e = xs_thread_refill() ? t->next : &xs_scratch_event;
    xs_cupti_correlation = 0;
    xs_clear_slot(e);
    e->entry = (uint16_t)row;
    return e;
}

/* Makes sure that the chunk has space for `count` events before the begun event `*e`, and moves `*e` to another chunk
 * if necessary. False: there was no chunk, so `*e` will not be recorded. */
bool xs_thread_room(struct xs_event **e, unsigned count);

/* Writes a definition, which says what the number `id` means. `data` is a struct xs_define_* and the data after it,
 * `bytes` in total, at most XS_DEFINITION_BYTES_MAX. If the caller is inside a wrapper, `*e` is the begun event, which
 * is moved so that it follows the definition. Otherwise `e` is NULL, and the caller has raised the thread's guard.
 * False: nothing was written, because there was no chunk or `data` is too long. A later call may define the number. */
bool xs_define(struct xs_event **e, enum xs_definition what, uint32_t id, const void *data, size_t bytes);

/* Commits `e` and begins another event of the same call, with a copy of the header of `e`. Returns the new event, which
 * is the scratch event if there was no chunk. Never returns NULL. */
struct xs_event *xs_another(struct xs_event *e);

/* Ends the call that xs_begin started: commits the event, leaves the gate and lowers the guard. `e` is NULL if there is
 * nothing to record. `result` is the real call's result. */
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

/* Runs in a forked child: takes the chunk from the calling thread and lowers its guard. */
void xs_thread_forget(void);

/* Returns the time that all threads together have waited for a chunk. Any thread. */
uint64_t xs_thread_stalled_ns(void);

/* True if a call that is not recorded has to enter the gate. This is so if the call is not inside another wrapper or
 * one of the library's own calls, and if there is or was a session. (CUPTI may be detached even after the session's
 * end.) `frame` is XS_GUARD_HERE() of the wrapper. */
XS_HOT bool xs_passes_the_gate(uintptr_t frame) {
    int state = atomic_load_explicit(&xs_state, memory_order_relaxed);
    return (state == XS_STATE_ACTIVE || state == XS_STATE_CLOSED) && !xs_guard.raised &&
           !(XS_UNLIKELY(xs_gate_outer.raised) && xs_thread_has_outer(frame));
}

/* Returns the time of the capture clock in its own ticks (schema/clock.h). */
XS_HOT uint64_t xs_now(void) { return xs_clock_tick(xs_clock_source); }

#endif
