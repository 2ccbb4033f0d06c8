/* Makes the host's side of a timeline: a track for each thread's calls, and one for the NVTX ranges around them. A
 * trace says which range a call was made in, but not when the range began. A range is therefore drawn from its first
 * call to its last; a call outside of the range ends it. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/commands/export/tracks_internal.h"

enum { RANGE_DEPTH = 64 };

struct thread {
    const struct xs_track *track, *ranges; /* ranges: NULL until the first range */
    int64_t open[RANGE_DEPTH], last_ns;    /* open: the open ranges, outermost first; last_ns: end of the last call in
                                              them */
    unsigned depth;
};

struct host {
    struct xs_tracks *t;
    struct xs_hash threads; /* thread.id to struct thread * */
    sqlite3_stmt *range;
};

static struct thread *thread_of(struct host *h, int64_t id) {
    uint64_t *known = xs_hash_put(&h->threads, (uint64_t)id, 0);
    if (*known)
        return (struct thread *)(uintptr_t)*known;
    struct thread *thread = xs_realloc(NULL, sizeof *thread);
    *thread = (struct thread){0};
    *known = (uint64_t)(uintptr_t)thread;
    struct xs_timeline_thread system;
    xs_timeline_thread(&h->t->e->reading->trace, id, &system, h->t->e->message); /* a thread without a name still has
                                                                                  * calls */
    int64_t tid = system.tid > 0 && system.tid < XS_NO_PROCESS ? system.tid : 0;
    if (system.name && *system.name)
        thread->track = xs_tracks_add(h->t, XS_TRACK_THREAD, h->t->process, tid, "%s", system.name);
    else
        thread->track =
            xs_tracks_add(h->t, XS_TRACK_THREAD, h->t->process, tid, "thread %" PRId64, system.tid ? system.tid : id);
    free(system.name);
    return thread;
}

/* Writes the ranges around a call into `chain`, outermost first. Returns their number. If a damaged trace has a cycle,
 * writes as many as fit. */
static unsigned chain_of(struct host *h, int64_t range, int64_t *chain) {
    unsigned depth = 0;
    while (range > 0 && depth < RANGE_DEPTH) {
        chain[depth++] = range;
        sqlite3_bind_int64(h->range, 1, range);
        range = sqlite3_step(h->range) == SQLITE_ROW ? sqlite3_column_int64(h->range, 0) : 0;
        sqlite3_reset(h->range);
    }
    for (unsigned i = 0; i < depth / 2; i++) {
        int64_t swap = chain[i];
        chain[i] = chain[depth - 1 - i];
        chain[depth - 1 - i] = swap;
    }
    return depth;
}

static void close_ranges(struct host *h, struct thread *thread, unsigned kept) {
    while (thread->depth > kept) {
        thread->depth--;
        h->t->sink->end(h->t->sink->data, thread->ranges, thread->last_ns);
    }
}

static void open_range(struct host *h, struct thread *thread, int64_t range, int64_t ns) {
    if (!thread->ranges)
        thread->ranges = xs_tracks_add(h->t, XS_TRACK_LANE, h->t->process, 0, "NVTX ranges of %s", thread->track->name);
    sqlite3_bind_int64(h->range, 1, range);
    const char *name =
        sqlite3_step(h->range) == SQLITE_ROW ? (const char *)sqlite3_column_text(h->range, 1) : "unknown range";
    h->t->sink->begin(h->t->sink->data, thread->ranges, ns, name ? name : "", "nvtx");
    sqlite3_reset(h->range);
    thread->open[thread->depth++] = range;
}

static void take_range(struct host *h, struct thread *thread, int64_t range, const struct xs_slice *slice) {
    int64_t chain[RANGE_DEPTH];
    int64_t innermost = thread->depth ? thread->open[thread->depth - 1] : 0;
    if (range != innermost) {
        unsigned depth = chain_of(h, range, chain), same = 0;
        int64_t start_ns = slice->start_ns > thread->last_ns ? slice->start_ns : thread->last_ns;
        while (same < depth && same < thread->depth && chain[same] == thread->open[same])
            same++;
        close_ranges(h, thread, same);
        for (unsigned i = same; i < depth; i++)
            open_range(h, thread, chain[i], start_ns);
    }
    if (slice->end_ns > thread->last_ns)
        thread->last_ns = slice->end_ns;
}

static bool take(void *data, const struct xs_timeline_row *row) {
    struct host *h = data;
    struct xs_slice slice;
    struct thread *thread = thread_of(h, row->thread);
    xs_tracks_slice(h->t, row, &slice);
    slice.track = thread->track;
    h->t->sink->slice(h->t->sink->data, &slice);
    if (row->range != XS_TIMELINE_RANGE_NOT_RECORDED)
        take_range(h, thread, row->range, &slice);
    return xs_tracks_go_on(h->t);
}

int xs_tracks_host(struct xs_tracks *t) {
    struct host h = {.t = t};
    int status = xs_export_prepare(t->e, "SELECT parent, name FROM nvtx_range WHERE id = ?", &h.range);
    if (status >= 0)
        status = xs_timeline_merge(&t->e->reading->trace, false, take, &h, t->e->message);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&h.threads, entry));) {
        struct thread *thread = (struct thread *)(uintptr_t)entry->value;
        if (thread)
            close_ranges(&h, thread, 0);
        free(thread);
    }
    xs_hash_free(&h.threads);
    sqlite3_finalize(h.range);
    return status;
}
