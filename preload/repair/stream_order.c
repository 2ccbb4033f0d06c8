/* Remembers which thread gave work to which stream, and when it last did. */
#include "preload/repair/stream_order.h"

#include "preload/driver/driver_context.h"

/* There is one entry per stream and thread, which only that thread writes. If the table is full, work is noted in
 * last_without, and counts as the work of another thread. */
enum { ENTRIES = 256 };
static struct entry {
    _Atomic uintptr_t stream; /* 0: not made yet */
    _Atomic uint32_t thread;
    _Atomic uint64_t last; /* the moment of the latest work */
} entries[ENTRIES];
static _Atomic unsigned entry_count;
static _Atomic uint64_t last_without;

static _Atomic uint64_t moments;
static _Atomic uintptr_t first_stream; /* 0: no work yet */
static _Atomic bool are_several;

static _Atomic uint32_t threads;
static XS_TLS uint32_t own_number; /* from 1; 0: not numbered yet */
static XS_TLS struct entry *latest;

static uint32_t number(void) {
    if (!own_number)
        own_number = atomic_fetch_add(&threads, 1) + 1;
    return own_number;
}

/* Returns a unique key of a stream. The legacy default streams of all contexts have the same handle, and so have the
 * own default streams of all threads; their keys are made from the context or from the thread's number. These keys are
 * odd, which no pointer of the driver is. */
static uintptr_t key_of(CUstream stream, bool is_per_thread) {
    int8_t device;
    if (is_per_thread)
        return (uintptr_t)number() << 1 | 1;
    return stream && stream != CU_STREAM_LEGACY ? (uintptr_t)stream : (uintptr_t)xs_context_ask(&device) | 1;
}

static struct entry *entry_of(uintptr_t key) {
    struct entry *e = latest;
    if (e && atomic_load_explicit(&e->stream, memory_order_relaxed) == key)
        return e;
    unsigned count = atomic_load(&entry_count);
    for (unsigned i = 0; i < count && i < ENTRIES; i++) {
        e = &entries[i];
        if (atomic_load_explicit(&e->thread, memory_order_relaxed) == number() &&
            atomic_load_explicit(&e->stream, memory_order_relaxed) == key) {
            latest = e;
            return e;
        }
    }
    count = count < ENTRIES ? atomic_fetch_add(&entry_count, 1) : ENTRIES;
    if (count >= ENTRIES)
        return NULL;
    latest = &entries[count];
    atomic_store(&latest->thread, number());
    atomic_store(&latest->stream, key);
    return latest;
}

/* Notes work, before the work begins. A thread that queues a copy at the same time checks again afterwards: it either
 * sees this work, or its copy was queued before the work. */
static void work(CUstream stream, bool is_per_thread, bool may_write) {
    uintptr_t key = key_of(stream, is_per_thread), none = 0;
    if (atomic_load_explicit(&first_stream, memory_order_relaxed) != key &&
        !atomic_compare_exchange_strong(&first_stream, &none, key) && none != key)
        atomic_store(&are_several, true);
    if (may_write) {
        struct entry *e = entry_of(key);
        atomic_store(e ? &e->last : &last_without, atomic_fetch_add(&moments, 1) + 1);
    }
}

void xs_streams_saw(const struct xs_repair_call *call) {
    const enum xs_category is = call->category;
    bool always_works = is == XS_CAT_TRANSFER || is == XS_CAT_MEMSET || is == XS_CAT_LAUNCH;
    bool works = always_works || is == XS_CAT_MANAGED || is == XS_CAT_STREAM_MEMOP || is == XS_CAT_FREE;
    if (works && call->has_stream) {
        work(call->stream, call->is_per_thread, !call->copy || call->copy->is_upload);
    } else if (always_works) { /* the call gives work to several devices at once */
        atomic_store(&are_several, true);
        atomic_store(&last_without, atomic_fetch_add(&moments, 1) + 1);
    }
}

void xs_streams_saw_copy(const struct xs_repair_copy *copy) {
    work(copy->stream, copy->is_per_thread, copy->is_upload);
}

void xs_streams_saw_stream(const struct xs_repair_copy *copy) { work(copy->stream, copy->is_per_thread, false); }

bool xs_streams_are_several(void) { return atomic_load(&are_several); }

uint64_t xs_streams_now(void) { return atomic_load(&moments); }

bool xs_streams_others_since(uint64_t moment, const struct xs_repair_copy *copy) {
    uintptr_t key = key_of(copy->stream, copy->is_per_thread);
    unsigned count = atomic_load(&entry_count);
    for (unsigned i = 0; i < count && i < ENTRIES; i++) {
        const struct entry *e = &entries[i];
        if (atomic_load(&e->last) > moment && (atomic_load(&e->stream) != key || atomic_load(&e->thread) != number()))
            return true;
    }
    return atomic_load(&last_without) > moment;
}

bool xs_streams_is_legacy(const struct xs_repair_copy *copy) {
    return !copy->is_per_thread && (!copy->stream || copy->stream == CU_STREAM_LEGACY);
}
