/* Moves events from the spool into the trace. The drain thread does this in every batch, and recovery does it once
 * after the process has ended.
 *
 * Order: a thread fills one chunk after another, so the order of the chunks' sequence numbers is the order of the
 * thread's events. Threads continue to write while events are moved. To get all events of a thread up to some point
 * without gaps, three steps are needed. First, the spool's counter is read. Second, the chunks with numbers up to the
 * counter are collected; they include all earlier chunks of each thread that has a chunk among them. Third, the
 * committed bytes of each chunk are read, from the latest chunk to the first. So if an event in a later chunk is seen,
 * the thread's earlier chunks are seen completely.
 *
 * Kills: events and spool_progress are written in one transaction. A chunk is recycled only after that: the committed
 * bytes are set to 0, then the generation is increased, then the state becomes free. If the process is killed between
 * these steps, recovery finds either the generation that is in spool_progress, and no new events, or a newer generation
 * whose events were not moved yet. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/error.h"
#include "schema/spool/spool.h"
#include "schema/write/store_internal.h"

struct part {
    unsigned index;
    uint64_t sequence;
    uint32_t from_bytes, to_bytes;
};

static int by_sequence(const void *a, const void *b) {
    const struct part *x = a, *y = b;
    if (x->sequence != y->sequence)
        return x->sequence < y->sequence ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool is_opened(const struct xs_spool *spool) { return spool->source >= 0; }

/* Returns a chunk with at least its first `bytes` bytes. NULL: the file became shorter meanwhile. */
static const struct xs_chunk *chunk_at(const struct xs_spool *spool, unsigned i, size_t bytes) {
    return is_opened(spool) ? xs_spool_read_chunk(spool, i, bytes) : xs_spool_chunk(spool, i);
}

/* Returns the number of chunks to examine. */
static unsigned chunks_of(const struct xs_spool *spool) {
    if (is_opened(spool))
        return spool->present_count; /* number of chunks that are present in the file */
    size_t room = (spool->map_bytes - XS_SPOOL_HEADER_BYTES) / XS_SPOOL_CHUNK_BYTES;
    uint32_t count = atomic_load_explicit(&spool->header->chunk_count, memory_order_acquire);
    return count < room ? count : (unsigned)room;
}

/* Returns the committed bytes, limited to whole events that fit into a chunk, because the file may be damaged. */
static uint32_t committed_of(const struct xs_chunk *chunk) {
    uint32_t bytes = atomic_load_explicit(&chunk->header.committed_bytes, memory_order_acquire);
    uint32_t limit = (uint32_t)(XS_SPOOL_CHUNK_EVENTS * sizeof(struct xs_event));
    if (bytes > limit)
        bytes = limit;
    return bytes - bytes % (uint32_t)sizeof(struct xs_event);
}

/* Returns how many of the committed bytes are really in the file of an opened spool. In a damaged file there may be a
 * hole, which contains no events. */
static uint32_t written_of(const struct xs_spool *spool, unsigned i, uint32_t committed) {
    off_t from = (off_t)XS_SPOOL_HEADER_BYTES + (off_t)i * (off_t)XS_SPOOL_CHUNK_BYTES;
    off_t hole = is_opened(spool) && committed ? lseek(spool->source, from, SEEK_HOLE) : -1;
    off_t bytes = hole - from - (off_t)sizeof(struct xs_chunk_header);
    if (hole < 0 || bytes >= (off_t)committed)
        return committed;
    return bytes > 0 ? (uint32_t)bytes - (uint32_t)bytes % (uint32_t)sizeof(struct xs_event) : 0;
}

/* Finds the position at which draining must continue. The chunk's header has the position; in recovery it is taken from
 * the trace, because after a kill only the trace is certain to be right. */
static int drained_of(const struct xs_chunk_header *header, struct xs_store *recovering, unsigned index,
                      uint32_t *drained) {
    if (!recovering) {
        *drained = atomic_load_explicit(&header->drained_bytes, memory_order_relaxed);
        return XS_OK;
    }
    uint32_t generation;
    int status = xs_store_progress_get(recovering, index, &generation, drained);
    bool same = generation == atomic_load_explicit(&header->generation, memory_order_relaxed);
    *drained = same ? *drained - *drained % (uint32_t)sizeof(struct xs_event) : 0;
    return status;
}

/* Collects the parts to be drained, in order. `recovering`: the store during recovery, else NULL. */
static int collect(const struct xs_spool *spool, struct part *parts, unsigned chunks, struct xs_store *recovering,
                   unsigned *count) {
    uint64_t newest = atomic_load_explicit(&spool->header->next_sequence, memory_order_acquire);
    *count = 0;
    for (unsigned n = 0; n < chunks; n++) {
        unsigned i = is_opened(spool) ? spool->present[n] : n;
        const struct xs_chunk *chunk = chunk_at(spool, i, sizeof chunk->header);
        if (!chunk)
            return XS_ERROR_CORRUPT;
        uint64_t sequence = atomic_load_explicit(&chunk->header.sequence, memory_order_acquire);
        uint32_t drained;
        if (!recovering && (sequence == 0 || sequence > newest))
            continue;
        int status = drained_of(&chunk->header, recovering, i, &drained);
        if (status)
            return status;
        parts[(*count)++] = (struct part){i, sequence, drained, drained};
    }
    qsort(parts, *count, sizeof *parts, by_sequence);
    for (unsigned i = *count; i-- > 0;) {
        const struct xs_chunk *chunk = chunk_at(spool, parts[i].index, sizeof chunk->header);
        uint32_t committed = chunk ? written_of(spool, parts[i].index, committed_of(chunk)) : 0;
        if (committed > parts[i].from_bytes)
            parts[i].to_bytes = committed;
    }
    return XS_OK;
}

/* Copies a thread's name as text: bytes that are neither printable ASCII nor well-formed UTF-8 become '?'. Names are
 * cut at 15 bytes, even in the middle of a character. */
static void clean_name(char *to, const char *from, size_t bytes) {
    size_t i = 0;
    while (i < bytes && from[i]) {
        unsigned char c = (unsigned char)from[i];
        size_t more = c >= 0xc2 && c < 0xe0 ? 1 : c >= 0xe0 && c < 0xf0 ? 2 : c >= 0xf0 && c < 0xf5 ? 3 : 0;
        bool good = c >= 0x20 && c < 0x7f;
        if (more) {
            good = i + more < bytes;
            for (size_t k = 1; good && k <= more; k++)
                good = ((unsigned char)from[i + k] & 0xc0) == 0x80;
        }
        if (!good)
            more = 0;
        for (size_t k = 0; k <= more; k++)
            to[i + k] = good ? from[i + k] : '?';
        i += more + 1;
    }
    to[i] = 0;
}

static bool continues(const struct xs_chunk *chunk, unsigned i) {
    const struct xs_definition_part *part = (const struct xs_definition_part *)&chunk->events[i];
    return part->kind == XS_EVENT_DEFINITION && !part->is_first;
}

/* Joins the parts of a definition, which begin at *i and are before `to`, in `bytes`, and stores the definition. Sets
 * *i to its last part. XS_ERROR_INVALID: the parts are no complete definition. */
static int feed_definition(struct xs_store *store, const struct xs_chunk *chunk, unsigned *i, unsigned to,
                           uint8_t bytes[XS_DEFINITION_BYTES_MAX]) {
    const struct xs_definition_part *first = (const struct xs_definition_part *)&chunk->events[*i], *part = first;
    size_t length = 0;
    bool whole = first->is_first;
    for (;; part = (const struct xs_definition_part *)&chunk->events[++*i]) {
        whole = whole && part->id == first->id && part->what == first->what && part->bytes <= sizeof part->data &&
                length + part->bytes <= XS_DEFINITION_BYTES_MAX;
        if (whole) {
            memcpy(bytes + length, part->data, part->bytes);
            length += part->bytes;
        }
        if (part->is_last || *i + 1 >= to || !continues(chunk, *i + 1))
            break;
    }
    return whole && part->is_last ? xs_store_definition(store, first->what, first->id, bytes, length)
                                  : XS_ERROR_INVALID;
}

/* Stores the events of a part. Returns their number, or an error. A definition counts as one event. Skipped events are
 * included, and are also counted in *skipped. */
static int64_t feed(const struct xs_spool *spool, struct xs_store *store, const struct part *part, int64_t *skipped) {
    const struct xs_chunk *chunk = chunk_at(spool, part->index, XS_SPOOL_CHUNK_BYTES);
    if (!chunk)
        return XS_ERROR_CORRUPT;
    char name[sizeof chunk->header.thread_name + 1];
    clean_name(name, chunk->header.thread_name, sizeof chunk->header.thread_name);
    int status = xs_store_thread(store, chunk->header.thread, chunk->header.tid, name);
    if (status)
        return status;
    unsigned from = part->from_bytes / (unsigned)sizeof(struct xs_event);
    unsigned to = part->to_bytes / (unsigned)sizeof(struct xs_event);
    uint8_t definition[XS_DEFINITION_BYTES_MAX];
    int64_t events = 0;
    for (unsigned i = from; i < to; i++, events++) {
        if (chunk->events[i].kind == XS_EVENT_DEFINITION)
            status = feed_definition(store, chunk, &i, to, definition);
        else
            status = xs_store_event(store, &chunk->events[i], chunk->header.thread, &spool->header->clock);
        if (status == XS_ERROR_INVALID)
            ++*skipped;
        else if (status)
            return status;
    }
    uint32_t generation = atomic_load_explicit(&chunk->header.generation, memory_order_relaxed);
    status = xs_store_progress_set(store, part->index, generation, part->to_bytes);
    return status ? status : events;
}

/* Cuts a part to `pending` events, and adds the remaining parts of a definition that would be cut. */
static void cut(const struct xs_spool *spool, struct part *part, int64_t pending) {
    const struct xs_chunk *chunk = chunk_at(spool, part->index, XS_SPOOL_CHUNK_BYTES);
    uint32_t to = part->from_bytes + (uint32_t)pending * (uint32_t)sizeof(struct xs_event);
    while (chunk && to < part->to_bytes && pending > 0 && continues(chunk, to / (unsigned)sizeof(struct xs_event)))
        to += (uint32_t)sizeof(struct xs_event);
    part->to_bytes = to;
}

static int64_t feed_all(const struct xs_spool *spool, struct xs_store *store, struct part *parts, unsigned count,
                        int64_t limit_events) {
    int64_t total = 0, skipped = 0;
    for (unsigned i = 0; i < count; i++) {
        struct part *part = &parts[i];
        int64_t pending = (part->to_bytes - part->from_bytes) / (int64_t)sizeof(struct xs_event);
        if (limit_events > 0 && pending > limit_events - total) {
            pending = limit_events - total;
            cut(spool, part, pending);
        }
        if (pending <= 0)
            continue;
        int64_t fed = feed(spool, store, part, &skipped);
        if (fed < 0)
            return fed;
        total += fed;
    }
    int status = skipped ? xs_store_meta_add(store, "skipped_events", skipped) : XS_OK;
    return status ? status : is_opened(spool) ? total - skipped : total; /* the writer needs all that was freed */
}

static void recycle(struct xs_spool *spool, const struct part *part) {
    struct xs_chunk_header *header = &xs_spool_chunk(spool, part->index)->header;
    atomic_store_explicit(&header->drained_bytes, part->to_bytes, memory_order_relaxed);
    /* The state must be read before the committed bytes, which do not change any more when the state is FULL. */
    if (atomic_load_explicit(&header->state, memory_order_acquire) != XS_CHUNK_FULL)
        return;
    if (atomic_load_explicit(&header->committed_bytes, memory_order_relaxed) != part->to_bytes)
        return;
    uint32_t generation = atomic_load_explicit(&header->generation, memory_order_relaxed);
    atomic_store_explicit(&header->sequence, 0, memory_order_relaxed);
    atomic_store_explicit(&header->committed_bytes, 0, memory_order_release);
    atomic_store_explicit(&header->generation, generation + 1, memory_order_release);
    atomic_store_explicit(&header->drained_bytes, 0, memory_order_relaxed);
    atomic_fetch_sub_explicit(&spool->full, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&spool->free, 1, memory_order_relaxed); /* first, so that the count is never too low */
    atomic_store_explicit(&header->state, XS_CHUNK_FREE, memory_order_release);
}

static int64_t drain_parts(struct xs_spool *spool, struct xs_store *store, struct part *parts, unsigned count,
                           int64_t limit_events) {
    bool pending = false;
    for (unsigned i = 0; i < count && !pending; i++)
        pending = parts[i].to_bytes > parts[i].from_bytes;
    if (!pending) {
        for (unsigned i = 0; i < count; i++)
            recycle(spool, &parts[i]);
        return 0;
    }
    int status = xs_store_begin(store);
    if (status)
        return status;
    int64_t fed = feed_all(spool, store, parts, count, limit_events);
    if (fed < 0) {
        xs_store_rollback(store);
        return fed;
    }
    status = xs_store_commit(store);
    if (status)
        return status;
    xs_clock_hold(&spool->header->clock);
    for (unsigned i = 0; i < count; i++)
        recycle(spool, &parts[i]);
    return fed;
}

int64_t xs_spool_drain(struct xs_spool *spool, struct xs_store *store, int64_t limit_events, bool recovering) {
    unsigned chunks = chunks_of(spool);
    struct part *parts = calloc(chunks ? chunks : 1, sizeof *parts);
    if (!parts)
        return XS_ERROR_MEMORY;
    unsigned count;
    int64_t result = collect(spool, parts, chunks, recovering ? store : NULL, &count);
    if (result == 0) {
        result = recovering ? feed_all(spool, store, parts, count, limit_events)
                            : drain_parts(spool, store, parts, count, limit_events);
    }
    free(parts);
    return result;
}

int xs_spool_store_failure(const struct xs_spool *spool, struct xs_store *store) {
    const struct xs_spool_failure *failure = &spool->header->failure;
    int32_t result = atomic_load_explicit(&failure->result, memory_order_acquire);
    if (result == 0)
        return 0;
    int status = xs_store_meta_int(store, "failure.result", result);
    if (!status)
        status = xs_store_meta_text(store, "failure.entry_point", failure->entry_point);
    if (!status)
        status = xs_store_meta_text(store, "failure.cupti", failure->cupti);
    if (!status)
        status =
            xs_store_meta_int(store, "failure.at_ns", xs_clock_from_monotonic(&spool->header->clock, failure->at_ns));
    return status;
}

int xs_spool_store_counters(const struct xs_spool *spool, struct xs_store *store) {
    const struct xs_spool_header *header = spool->header;
    int status = xs_store_meta_int(store, "cost.spool_stalls", (int64_t)atomic_load(&header->stalls));
    if (!status)
        status = xs_store_meta_int(store, "cost.spool_stall_ns", (int64_t)atomic_load(&header->stall_ns));
    if (!status)
        status = xs_store_meta_int(store, "coverage.nested", (int64_t)atomic_load(&header->nested));
    if (!status)
        status = xs_store_meta_int(store, "coverage.dropped", (int64_t)atomic_load(&header->dropped));
    if (!status)
        status = xs_store_meta_int(store, "coverage.left", (int64_t)atomic_load(&header->left));
    return status;
}
