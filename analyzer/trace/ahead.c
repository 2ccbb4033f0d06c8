/* Reads tables in a second thread; see ahead.h. For each table there is a ring of batches: the thread fills them, and
 * the caller takes them. A lock is needed once for each batch only. */
#include "analyzer/trace/ahead.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/thread.h"
#include "schema/rows_read.h"

/* With batches of this size, the lock takes no time that can be measured, and a table takes at most 0.4 MiB. */
enum { BATCHES = 4, BATCH_ITEMS = 256 };

struct batch {
    char *items; /* each is a struct xs_order_key with the item behind it */
    unsigned count;
    uint64_t rows; /* rows that were read since the batch before */
};

/* The thread fills batch number `filled`, and the caller has batch number `taken`. No two threads use a batch at once.
 */
struct ring {
    struct xs_source_kind kind;
    unsigned most_rows;
    size_t step;
    struct batch batches[BATCHES];
    uint64_t filled, taken; /* number of batches; with the lock */
    bool ended, dropped;    /* there is nothing more to be read; the caller needs nothing more; with the lock */

    /* the thread's, and the caller's after the end */
    struct xs_source *source;
    int status;
    char message[XS_TRACE_MESSAGE_BYTES];
    uint64_t damaged;

    /* the caller's */
    bool has_batch;
    unsigned at; /* in its batch */
    char *message_to;
    uint64_t *damaged_to;
};

struct xs_ahead {
    struct xs_trace trace;
    struct ring *rings[XS_MERGED_MOST];
    int count;
    bool ends;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed; /* the two threads never wait at the same time */
};

/* --- the thread --- */

/* Returns the ring with the fewest batches; NULL: all are full or at their ends. */
static struct ring *choose(const struct xs_ahead *ahead) {
    struct ring *best = NULL;
    for (int i = 0; i < ahead->count; i++) {
        struct ring *ring = ahead->rings[i];
        bool has_room = !ring->ended && !ring->dropped && ring->filled - ring->taken < BATCHES;
        if (has_room && (!best || ring->filled - ring->taken < best->filled - best->taken))
            best = ring;
    }
    return best;
}

/* Fills the next batch. False: there is nothing more to be read. */
static bool fill(const struct xs_ahead *ahead, struct ring *ring) {
    struct batch *batch = &ring->batches[ring->filled % BATCHES];
    uint64_t before = xs_rows_read_beside;
    if (!ring->source)
        ring->source =
            xs_source_begin(&ring->kind, &ahead->trace, NULL, ring->most_rows, ring->message, &ring->damaged);
    for (batch->count = 0; batch->count < BATCH_ITEMS; batch->count++) {
        struct xs_order_key key;
        const void *item = xs_source_peek(ring->source, &key, &ring->status);
        if (!item)
            return false;
        if (!batch->items)
            batch->items = xs_realloc(NULL, BATCH_ITEMS * ring->step);
        char *to = batch->items + batch->count * ring->step;
        memcpy(to, &key, sizeof key);
        memcpy(to + sizeof key, item, ring->kind.item_bytes);
        xs_source_pop(ring->source);
        batch->rows = xs_rows_read_beside - before;
    }
    return true;
}

static void *read_tables(void *data) {
    struct xs_ahead *ahead = data;
    xs_rows_uncounted = true;
    xs_snapshot_begin(&ahead->trace);
    pthread_mutex_lock(&ahead->lock);
    while (!ahead->ends) {
        struct ring *ring = choose(ahead);
        if (!ring) {
            pthread_cond_wait(&ahead->changed, &ahead->lock);
            continue;
        }
        pthread_mutex_unlock(&ahead->lock);
        bool goes_on = fill(ahead, ring);
        pthread_mutex_lock(&ahead->lock);
        ring->ended = !goes_on;
        ring->filled += ring->batches[ring->filled % BATCHES].count > 0;
        pthread_cond_signal(&ahead->changed);
    }
    pthread_mutex_unlock(&ahead->lock);
    for (int i = 0; i < ahead->count; i++)
        xs_source_end(ahead->rings[i]->source);
    xs_snapshot_end(&ahead->trace);
    return NULL;
}

/* --- the caller --- */

struct xs_ahead *xs_ahead_begin(const struct xs_trace *trace) {
    if (trace->windows || !xs_thread_is_worth(xs_trace_event_rows(trace)))
        return NULL;
    struct xs_ahead *ahead = xs_zeroed(1, sizeof *ahead);
    if (!xs_trace_open_again(trace, &ahead->trace)) {
        free(ahead);
        return NULL;
    }
    pthread_mutex_init(&ahead->lock, NULL);
    pthread_cond_init(&ahead->changed, NULL);
    if (xs_thread_begin(&ahead->thread, read_tables, ahead))
        return ahead;
    xs_trace_close(&ahead->trace);
    free(ahead);
    return NULL;
}

int xs_ahead_add(struct xs_ahead *ahead, const struct xs_source_kind *kind, unsigned most_rows, char *message,
                 uint64_t *damaged) {
    if (ahead->count == XS_MERGED_MOST)
        return -1;
    struct ring *ring = xs_zeroed(1, sizeof *ring);
    *ring = (struct ring){.kind = *kind,
                          .most_rows = most_rows,
                          .step = sizeof(struct xs_order_key) + ((kind->item_bytes + 7) & ~(size_t)7),
                          .message_to = message,
                          .damaged_to = damaged};
    pthread_mutex_lock(&ahead->lock);
    int table = ahead->count++;
    ahead->rings[table] = ring;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    return table;
}

/* Gives the present batch back, and waits for the next one. */
static void take_batch(struct xs_ahead *ahead, struct ring *ring) {
    pthread_mutex_lock(&ahead->lock);
    ring->taken += ring->has_batch;
    pthread_cond_signal(&ahead->changed);
    while (ring->filled == ring->taken && !ring->ended)
        pthread_cond_wait(&ahead->changed, &ahead->lock);
    ring->has_batch = ring->filled > ring->taken;
    pthread_mutex_unlock(&ahead->lock);
    ring->at = 0;
    if (ring->has_batch)
        xs_rows_add(ring->batches[ring->taken % BATCHES].rows);
}

void *xs_ahead_peek(struct xs_ahead *ahead, int table, struct xs_order_key *key, int *status) {
    struct ring *ring = ahead->rings[table];
    const struct batch *batch = &ring->batches[ring->taken % BATCHES];
    *status = XS_OK;
    if (!ring->has_batch || ring->at == batch->count) {
        take_batch(ahead, ring);
        batch = &ring->batches[ring->taken % BATCHES];
    }
    if (ring->has_batch) {
        char *item = batch->items + ring->at * ring->step;
        memcpy(key, item, sizeof *key);
        return item + sizeof *key;
    }
    *status = ring->status;
    if (ring->status < 0)
        memcpy(ring->message_to, ring->message, sizeof ring->message);
    return NULL;
}

void xs_ahead_pop(struct xs_ahead *ahead, int table) { ahead->rings[table]->at++; }

void xs_ahead_drop(struct xs_ahead *ahead, int table) {
    pthread_mutex_lock(&ahead->lock);
    ahead->rings[table]->dropped = true;
    pthread_mutex_unlock(&ahead->lock);
}

void xs_ahead_end(struct xs_ahead *ahead) {
    if (!ahead)
        return;
    pthread_mutex_lock(&ahead->lock);
    ahead->ends = true;
    pthread_cond_signal(&ahead->changed);
    pthread_mutex_unlock(&ahead->lock);
    sqlite3_interrupt(ahead->trace.db); /* the thread may be in a long statement after an error of the caller */
    pthread_join(ahead->thread, NULL);
    for (int i = 0; i < ahead->count; i++) {
        struct ring *ring = ahead->rings[i];
        if (ring->damaged_to)
            *ring->damaged_to += ring->damaged;
        for (int k = 0; k < BATCHES; k++)
            free(ring->batches[k].items);
        free(ring);
    }
    xs_trace_close(&ahead->trace);
    pthread_cond_destroy(&ahead->changed);
    pthread_mutex_destroy(&ahead->lock);
    free(ahead);
}
