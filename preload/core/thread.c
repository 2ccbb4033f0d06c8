/* Takes chunks from the spool, and gives them back when they are full and when the thread ends. If the spool is full,
 * waits for a chunk. */
#include "preload/core/thread.h"

#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/drain_bell.h"
#include "preload/core/hooks.h"
#include "preload/core/notes.h"
#include "preload/core/thread_memory.h"

struct xs_state_page xs_state_page __attribute__((aligned(XS_STATE_PAGE_BYTES)));
struct xs_spool xs_spool;
enum xs_clock_source xs_clock_source;
XS_TLS struct xs_thread xs_thread;
XS_TLS struct xs_event xs_scratch_event __attribute__((aligned(16)));
XS_TLS struct xs_guard xs_guard;
const struct xs_guard_note xs_guard_unleft;
XS_TLS uint32_t xs_cupti_correlation;

#define PATIENCE_NS UINT64_C(2000000000)
#define RETRY_NS UINT64_C(50000000)
#define GROW_AT_ONCE 16u /* chunks */
#define LOOK_EVERY_NS UINT64_C(1000000)
#define DRAIN_IS_STUCK_NS UINT64_C(20000000)
#define STANDSTILL_NS UINT64_C(20000000)
#define SHORTEST_PAUSE_NS UINT64_C(50000)
#define LONGEST_PAUSE_NS UINT64_C(2000000)

static _Atomic uint32_t thread_count;
static pthread_key_t thread_end_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void give_back_chunk(struct xs_thread *t) {
    struct xs_chunk *chunk = t->chunk;
    if (chunk) {
        xs_chunk_commit(chunk, t->next); /* an abandoned last call may not have committed */
        t->next = t->end = NULL;         /* done first: a signal handler may make a call in between, or jump away */
        t->chunk = NULL;
        atomic_signal_fence(memory_order_seq_cst);
        xs_chunk_finish(&xs_spool, chunk);
    }
}

static void on_thread_end(void *arg) {
    (void)arg;
    int state = atomic_load_explicit(&xs_state, memory_order_relaxed);
    if (state == XS_STATE_ACTIVE || state == XS_STATE_CLOSED)
        give_back_chunk(&xs_thread);
    xs_gate_thread_ends();
    xs_thread_memory_end();
}

static void make_key(void) { pthread_key_create(&thread_end_key, on_thread_end); }

/* The state that a waiting thread has seen unchanged since `since_ns`. */
struct standstill {
    uint64_t since_ns, taken; /* chunks taken so far */
    uint32_t chunks, rings;   /* chunks of the spool; rings of the drain thread's bell */
};

/* Time at which a thread last found waiting hopeless; 0: never. Other threads need not repeat its scan of all chunks,
 * unless a chunk was taken since then, which means that a chunk had become free. */
static _Atomic uint64_t hopeless_ns, hopeless_taken;

static bool was_hopeless(const struct xs_spool *spool, uint64_t now) {
    uint64_t then = atomic_load_explicit(&hopeless_ns, memory_order_relaxed);
    return then && now - then < RETRY_NS && atomic_load(&spool->growing) == 0 && atomic_load(&spool->free) == 0 &&
           atomic_load(&spool->header->next_sequence) == atomic_load_explicit(&hopeless_taken, memory_order_relaxed);
}

static bool all_are_held(const struct xs_spool *spool, uint32_t chunks) {
    for (uint32_t i = 0; i < chunks; i++)
        if (atomic_load(&xs_spool_chunk(spool, i)->header.state) != XS_CHUNK_ACTIVE)
            return false;
    return true;
}

/* Waiting is hopeless if every chunk belongs to a living thread, and the drain thread, which has done all its work in
 * the meantime, could make no further chunks. Time in which another thread makes the spool larger does not count,
 * because the drain thread cannot make chunks during that time, which can be long on a busy machine. */
static bool is_hopeless(const struct xs_spool *spool, struct standstill *seen, uint64_t now) {
    bool growing = atomic_load(&spool->growing) != 0; /* read before the count, which is set before this ends */
    uint32_t chunks = atomic_load(&spool->header->chunk_count);
    uint64_t taken = atomic_load(&spool->header->next_sequence);
    bool same = !growing && chunks == seen->chunks && taken == seen->taken && atomic_load(&spool->free) == 0;
    bool is_long = same && now - seen->since_ns > STANDSTILL_NS && xs_drain_has_answered(seen->rings);
    if (!same || (is_long && !was_hopeless(spool, now) && !all_are_held(spool, chunks))) {
        *seen = (struct standstill){now, taken, chunks, xs_drain_rings() + 1};
        return false;
    }
    if (is_long) {
        atomic_store_explicit(&hopeless_taken, taken, memory_order_relaxed);
        atomic_store_explicit(&hopeless_ns, now, memory_order_relaxed);
    }
    return is_long;
}

/* Pauses grow with the time waited: a hundred threads that check every 50 us leave no processor to the thread that they
 * wait for. */
static void pause_after(uint64_t waited_ns) {
    uint64_t pause = waited_ns / 16;
    pause = pause < SHORTEST_PAUSE_NS ? SHORTEST_PAUSE_NS : pause < LONGEST_PAUSE_NS ? pause : LONGEST_PAUSE_NS;
    nanosleep(&(struct timespec){0, (long)pause}, NULL);
}

/* Only one thread at a time computes how many chunks are needed, and makes them. */
static bool may_look(uint64_t now) {
    static _Atomic uint64_t latest;
    uint64_t then = atomic_load_explicit(&latest, memory_order_relaxed);
    return now - then > LOOK_EVERY_NS && atomic_compare_exchange_strong(&latest, &then, now);
}

/* A copy of the count in the spool's header. The copy can be read when the header is unmapped. */
static _Atomic uint64_t stalled_ns;
uint64_t xs_thread_stalled_ns(void) { return atomic_load_explicit(&stalled_ns, memory_order_relaxed); }

/* Waits until the drain thread has freed a chunk or made new ones. The time is counted, because it delays the
 * application. If the drain thread itself waits for a file system that does not answer, this thread makes the spool
 * larger, up to its limit. If there is still no chunk, for example on a full disk, the thread continues unrecorded and
 * tries again later. The time limit starts anew each time the spool has grown, because more chunks will follow for the
 * threads that got none. If waiting is hopeless, the thread hardly waits. */
static struct xs_chunk *wait_for_chunk(struct xs_thread *t, struct xs_spool *spool, const char *name, pid_t tid) {
    uint64_t start = xs_monotonic_ns(), now = start, grown = start;
    uint32_t chunks = atomic_load(&spool->header->chunk_count);
    struct xs_chunk *chunk = NULL;
    struct standstill seen = {0};
    while (!chunk && now - grown < PATIENCE_NS && !is_hopeless(spool, &seen, now) &&
           atomic_load(&xs_state) == XS_STATE_ACTIVE) {
        xs_drain_wake();
        pause_after(now - start);
        if (now - start > DRAIN_IS_STUCK_NS && may_look(now)) {
            unsigned more = xs_spool_wanted(spool);
            xs_spool_grow_without_file(spool, more < GROW_AT_ONCE ? more : GROW_AT_ONCE);
        }
        chunk = xs_spool_take(spool, &t->chunk_index, t->id, tid, name);
        now = xs_monotonic_ns();
        if (atomic_load(&spool->header->chunk_count) != chunks) {
            chunks = atomic_load(&spool->header->chunk_count);
            grown = now;
        }
    }
    atomic_fetch_add_explicit(&spool->header->stalls, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&spool->header->stall_ns, now - start, memory_order_relaxed);
    atomic_fetch_add_explicit(&stalled_ns, now - start, memory_order_relaxed);
    t->stalled_ns += now - start;
    if (!chunk && atomic_load(&xs_state) == XS_STATE_ACTIVE) {
        t->retry_ns = now + RETRY_NS;
        xs_note("spool", "calls were not recorded: the spool was full and could not grow");
    }
    return chunk;
}

static bool refill(struct xs_thread *t, struct xs_spool *spool) {
    if (!t->id) {
        t->id = atomic_fetch_add_explicit(&thread_count, 1, memory_order_relaxed) + 1;
        t->chunk_index = t->id;
        pthread_once(&thread_once, make_key);
    }
    /* The key is set each time. The destructor of another key may call CUDA after this key's destructor has run; this
     * key's destructor must then run again. */
    pthread_setspecific(thread_end_key, t);
    give_back_chunk(t);
    char name[16] = "";
    prctl(PR_GET_NAME, name);
    pid_t tid = (pid_t)syscall(SYS_gettid);
    struct xs_chunk *chunk = xs_spool_take(spool, &t->chunk_index, t->id, tid, name);
    uint64_t now = chunk ? 0 : xs_monotonic_ns();
    if (!chunk && (t->retry_ns ||
                   was_hopeless(spool, now))) { /* a thread has waited in vain; until retry_ns this one does not try */
        t->retry_ns = now + RETRY_NS;
        if (!was_hopeless(spool, now))
            xs_drain_wake();
    } else if (!chunk) {
        chunk = wait_for_chunk(t, spool, name, tid);
    }
    if (!chunk)
        return false;
    xs_drain_chunk_taken(xs_spool_ring_every(atomic_load_explicit(&spool->header->chunk_count, memory_order_relaxed)));
    t->retry_ns = 0;
    if (xs_gate_slot)
        atomic_store_explicit(&xs_gate_slot->thread, t->id, memory_order_relaxed);
    t->chunk = chunk;
    t->next = chunk->events;
    t->end = chunk->events + XS_SPOOL_CHUNK_EVENTS;
    return true;
}

static void refill_on_scratch(void *filled) { *(bool *)filled = refill(&xs_thread, &xs_spool); }

/* After a failure the thread has no chunk. If there is no memory for a scratch stack, xs_on_scratch does not even call
 * `refill`. */
bool xs_thread_refill(void) {
    bool filled = false;
    if (xs_thread.is_first)
        return false;
    if (!xs_thread.retry_ns || xs_monotonic_ns() >= xs_thread.retry_ns)
        xs_on_scratch(refill_on_scratch, &filled);
    if (!filled) {
        give_back_chunk(&xs_thread);
        atomic_fetch_add_explicit(&xs_spool.header->dropped, 1, memory_order_relaxed);
    }
    return filled;
}

void xs_thread_commit_first(void) {
    xs_thread.is_first = false;
    if (xs_hooks.finish_session() && xs_thread_refill()) {
        *xs_thread.next = xs_scratch_event;
        xs_commit();
    }
}

/* There may be no slot for the row: the call that begins the session gets none until it has returned, and a full spool
 * has none for a while. */
void xs_thread_tell_contents_unknown(void) {
    struct xs_thread *t = &xs_thread;
    if (t->is_first || (t->next == t->end && (t->retry_ns || !xs_thread_refill())))
        return;
    int what = atomic_exchange_explicit(&xs_state_page.contents_unknown, XS_CONTENTS_ARE_KNOWN, memory_order_relaxed);
    if (what == XS_CONTENTS_ARE_KNOWN) /* another thread has recorded it */
        return;
    struct xs_event *e = t->next;
    xs_clear_slot(e);
    e->kind = XS_EVENT_API;
    e->entry = XS_ENTRY_UNKNOWN;
    e->api.argument = (uint64_t)what;
    e->enter_tick = e->return_tick = xs_now();
    xs_commit();
}

bool xs_thread_is_guarded(uintptr_t frame) {
    if (xs_guard.raised && xs_guard_has_lost(&xs_guard, frame)) {
        xs_guard_lower();
        if (atomic_load(&xs_state) == XS_STATE_ACTIVE)
            atomic_fetch_add_explicit(&xs_spool.header->left, 1, memory_order_relaxed);
    }
    return xs_guard.raised != NULL;
}

bool xs_thread_has_outer(uintptr_t frame) {
    if (xs_gate_outer.raised && xs_guard_has_lost(&xs_gate_outer, frame))
        xs_guard_lower_this(&xs_gate_outer);
    return xs_gate_outer.raised != NULL;
}

bool xs_thread_may_record(unsigned row, uintptr_t frame) {
    int state = atomic_load(&xs_state);
    xs_thread_has_outer(frame);
    if (xs_thread_is_guarded(frame)) {
        if (state == XS_STATE_ACTIVE)
            atomic_fetch_add_explicit(&xs_spool.header->nested, 1, memory_order_relaxed);
        return false;
    }
    if (state != XS_STATE_IDLE)
        return state == XS_STATE_ACTIVE;
    bool is_started = xs_hooks.start_session(row);
    state = atomic_load(&xs_state); /* another thread may have finished the start meanwhile, or given it up */
    xs_thread.is_first = is_started && state == XS_STATE_IDLE;
    if (is_started && state == XS_STATE_DISABLED)
        xs_hooks.finish_session();
    return is_started && (state == XS_STATE_IDLE || state == XS_STATE_ACTIVE);
}

bool xs_thread_room(struct xs_event **e, unsigned count) {
    struct xs_thread *t = &xs_thread;
    if (t->next != t->end && t->end - t->next <= (ptrdiff_t)count) {
        struct xs_event begun = **e;
        *e = xs_thread_refill() ? t->next : &xs_scratch_event;
        **e = begun;
    }
    return *e != &xs_scratch_event;
}

bool xs_define(struct xs_event **e, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    struct xs_thread *t = &xs_thread;
    unsigned parts = bytes ? (unsigned)((bytes + XS_DEFINITION_PART_BYTES - 1) / XS_DEFINITION_PART_BYTES) : 1;
    struct xs_event begun = e ? **e : (struct xs_event){0};
    bool room = t->end - t->next > (ptrdiff_t)parts;
    if (bytes > XS_DEFINITION_BYTES_MAX || (e && *e == &xs_scratch_event))
        return false;
    if (!room && !xs_thread_refill()) {
        if (e) { /* the event's chunk was given back, and may now belong to another thread */
            *e = &xs_scratch_event;
            **e = begun;
        }
        return false;
    }
    const uint8_t *from = data;
    for (unsigned i = 0; i < parts; i++) {
        size_t now = bytes < XS_DEFINITION_PART_BYTES ? bytes : XS_DEFINITION_PART_BYTES;
        struct xs_definition_part part = {
            XS_EVENT_DEFINITION, (uint8_t)what, (uint8_t)now, i == 0, i + 1 == parts, id, {0}};
        memcpy(part.data, from, now);
        memcpy(&t->next[i], &part, sizeof part);
        from += now;
        bytes -= now;
    }
    t->next += parts;
    xs_chunk_commit(t->chunk, t->next);
    if (e) {
        *e = t->next;
        **e = begun;
    }
    return true;
}

void xs_stop(const char *why) {
    int active = XS_STATE_ACTIVE;
    if (atomic_compare_exchange_strong(&xs_state, &active, XS_STATE_CLOSED)) {
        size_t most = sizeof xs_spool.header->stopped - 1; /* the last byte is always zero */
        memcpy(xs_spool.header->stopped, why, strnlen(why, most));
        xs_note("stopped", "capture stopped: %s", why);
        xs_drain_wake();
    }
}

struct xs_event *xs_another(struct xs_event *e) {
    struct xs_event header = *e;
    xs_commit();
    struct xs_thread *t = &xs_thread;
    struct xs_event *next = t->next != t->end || xs_thread_refill() ? t->next : &xs_scratch_event;
    memset(&header.transfer, 0, sizeof header.transfer);
    *next = header;
    return next;
}

void xs_thread_forget(void) {
    xs_thread = (struct xs_thread){0};
    atomic_store(&hopeless_ns, 0);
    xs_guard_lower();
}
