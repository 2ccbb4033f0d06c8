/* The host's side of a timeline: a track for each thread's calls, and one for the NVTX ranges around them. A trace says in which range a call
 * was made, not when the range began: a range is drawn from the first to the last call that was made in it without one
 * outside in between. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/export/timeline_internal.h"
#include "analyzer/trace/ran.h"

enum { OWN_THREAD = XS_COLUMN_OWN, OWN_RANGE, OWN_ARGUMENTS };
enum { RANGE_DEPTH = 64, RANGE_NOT_RECORDED = -1 };

struct thread {
    const struct xs_track *track, *ranges; /* ranges NULL: none so far */
    int64_t open[RANGE_DEPTH], last_ns;    /* outermost first; the end of the last call in them */
    unsigned depth;
};

struct host {
    struct xs_timeline *t;
    struct xs_hash threads; /* thread.id to struct thread * */
    sqlite3_stmt *name, *range;
};

static struct thread *thread_of(struct host *h, int64_t id) {
    uint64_t *known = xs_hash_put(&h->threads, (uint64_t)id, 0);
    if (*known)
        return (struct thread *)(uintptr_t)*known;
    struct thread *thread = xs_realloc(NULL, sizeof *thread);
    *thread = (struct thread){0};
    *known = (uint64_t)(uintptr_t)thread;
    struct xs_string name = {0};
    int64_t tid = 0;
    sqlite3_bind_int64(h->name, 1, id);
    if (sqlite3_step(h->name) == SQLITE_ROW) {
        const char *text = (const char *)sqlite3_column_text(h->name, 1);
        tid = sqlite3_column_int64(h->name, 0);
        if (text)
            xs_string_add(&name, text, strlen(text));
    }
    sqlite3_reset(h->name);
    if (!name.length)
        xs_string_format(&name, "thread %" PRId64, tid ? tid : id);
    tid = tid > 0 && tid < XS_NO_PROCESS ? tid : 0;
    thread->track = xs_timeline_track(h->t, XS_TRACK_THREAD, h->t->process, name.data, h->t->process->pid, tid);
    xs_string_free(&name);
    return thread;
}

/* The ranges around a call, outermost first. Returns how many; of a circle in a damaged trace as many as fit. */
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
    if (!thread->ranges) {
        struct xs_string name = {0};
        xs_string_format(&name, "NVTX ranges of %s", thread->track->name);
        thread->ranges = xs_timeline_track(h->t, XS_TRACK_LANE, h->t->process, name.data, h->t->process->pid, 0);
        xs_string_free(&name);
    }
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

static void take(void *data, sqlite3_stmt *row) {
    struct host *h = data;
    struct xs_slice slice;
    struct thread *thread = thread_of(h, sqlite3_column_int64(row, OWN_THREAD));
    int64_t range = sqlite3_column_int64(row, OWN_RANGE);
    xs_timeline_slice(h->t, row, OWN_ARGUMENTS, &slice);
    slice.track = thread->track;
    slice.flow_begins = true;
    h->t->sink->slice(h->t->sink->data, &slice);
    if (range != RANGE_NOT_RECORDED)
        take_range(h, thread, range, &slice);
}

int xs_timeline_host(struct xs_timeline *t) {
    static const char *const sources[] = {
#define XS_HOST_SOURCE(sql) sql,
#include "analyzer/export/timeline_sources.def"
#undef XS_HOST_SOURCE
    };
    struct host h = {.t = t};
    int status = xs_export_prepare(t->e, "SELECT tid, name FROM thread WHERE id = ?", &h.name);
    if (status >= 0)
        status = xs_export_prepare(t->e, "SELECT parent, name FROM nvtx_range WHERE id = ?", &h.range);
    if (status >= 0)
        status = xs_timeline_merge(t, sources, sizeof sources / sizeof *sources, take, &h);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&h.threads, entry));) {
        struct thread *thread = (struct thread *)(uintptr_t)entry->value;
        close_ranges(&h, thread, 0);
        free(thread);
    }
    xs_hash_free(&h.threads);
    sqlite3_finalize(h.name);
    sqlite3_finalize(h.range);
    return status;
}
