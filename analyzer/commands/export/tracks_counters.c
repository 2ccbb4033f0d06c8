/* Makes the counters of a timeline: the rate of copies while they run, and the memory that is allocated. */
#include <inttypes.h>
#include <sqlite3.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/commands/export/tracks_internal.h"

/* --- rates --- */

static void sift_down(struct xs_rate *rate) {
    for (size_t i = 0;;) {
        size_t least = i, left = 2 * i + 1;
        for (size_t child = left; child < left + 2 && child < rate->count; child++)
            if (rate->under_way[child].end_ns < rate->under_way[least].end_ns)
                least = child;
        if (least == i)
            return;
        struct xs_rate_copy swap = rate->under_way[i];
        rate->under_way[i] = rate->under_way[least];
        rate->under_way[least] = swap;
        i = least;
    }
}

static void push(struct xs_rate *rate, struct xs_rate_copy copy) {
    xs_grow(&rate->under_way, rate->count, &rate->capacity, sizeof *rate->under_way);
    size_t i = rate->count++;
    for (; i && rate->under_way[(i - 1) / 2].end_ns > copy.end_ns; i = (i - 1) / 2)
        rate->under_way[i] = rate->under_way[(i - 1) / 2];
    rate->under_way[i] = copy;
}

/* Removes copies that ended until `ns`, and writes a counter value for each change before `ns`. The caller writes the
 * value at `ns`. */
static void end_until(struct xs_tracks *t, struct xs_rate *rate, int64_t ns) {
    while (rate->count && rate->under_way->end_ns <= ns) {
        int64_t at_ns = rate->under_way->end_ns;
        while (rate->count && rate->under_way->end_ns == at_ns) {
            rate->sum -= rate->under_way->rate;
            rate->under_way[0] = rate->under_way[--rate->count];
            sift_down(rate);
        }
        if (!rate->count)
            rate->sum = 0; /* removes rounding errors */
        if (at_ns < ns)
            t->sink->counter(t->sink->data, rate->track, at_ns, rate->sum);
    }
}

void xs_rate_add(struct xs_tracks *t, struct xs_rate *rate, int64_t start_ns, int64_t end_ns, uint64_t bytes) {
    end_until(t, rate, start_ns);
    if (end_ns > start_ns) {
        struct xs_rate_copy copy = {end_ns, (double)bytes * 1e9 / (double)(end_ns - start_ns)};
        push(rate, copy);
        rate->sum += copy.rate;
    }
    t->sink->counter(t->sink->data, rate->track, start_ns, rate->sum);
}

void xs_rate_end(struct xs_tracks *t, struct xs_rate *rate) {
    if (rate->count)
        end_until(t, rate, INT64_MAX);
    free(rate->under_way);
}

/* --- memory --- */

struct live {
    const struct xs_track *track;
    uint64_t bytes;
};

struct memory {
    struct xs_tracks *t;
    const struct xs_track *group;
    struct xs_hash live; /* maps kind and device to struct live * */
};

static struct live *live_of(struct memory *m, unsigned kind, int64_t device) {
    uint64_t *known = xs_hash_put(&m->live, kind, (uint64_t)device);
    if (*known)
        return (struct live *)(uintptr_t)*known;
    struct live *live = xs_realloc(NULL, sizeof *live);
    *known = (uint64_t)(uintptr_t)live;
    if (!m->group)
        m->group = xs_tracks_add(m->t, XS_TRACK_GROUP, NULL, 0, "allocated memory");
    const char *name = xs_memory_kind_names[kind];
    *live = (struct live){.track = device >= 0
                                       ? xs_tracks_add(m->t, XS_TRACK_BYTES, m->group, 0, "%s %" PRId64, name, device)
                                       : xs_tracks_add(m->t, XS_TRACK_BYTES, m->group, 0, "%s", name)};
    return live;
}

int xs_tracks_memory(struct xs_tracks *t) {
    enum { AT, KIND, DEVICE, BYTES, FREED };
    static const char sql[] = /* at equal times, frees come first: memory that is freed and allocated again at the same
                                 time makes no peak */
        "SELECT return_ns, kind, coalesce(device, -1), bytes, 0 AS freed FROM allocation UNION ALL"
        " SELECT free_enter_ns, kind, coalesce(device, -1), bytes, 1 FROM allocation WHERE free_return_ns IS NOT NULL"
        " ORDER BY 1, 5 DESC";
    struct memory m = {.t = t};
    sqlite3_stmt *row;
    int code = SQLITE_OK, status = xs_export_prepare(t->e, sql, &row);
    while (status >= 0 && xs_export_step(row, &code)) {
        int64_t at_ns = sqlite3_column_int64(row, AT), kind = sqlite3_column_int64(row, KIND);
        int64_t bytes = sqlite3_column_int64(row, BYTES);
        if (kind < 0 || kind >= XS_MEMORY_KIND_COUNT || bytes < 0)
            continue;
        bool on_device = kind == XS_MEM_DEVICE || kind == XS_MEM_ARRAY;
        struct live *live = live_of(&m, (unsigned)kind, on_device ? sqlite3_column_int64(row, DEVICE) : -1);
        uint64_t change = (uint64_t)bytes;
        if (sqlite3_column_int64(row, FREED))
            live->bytes -= change < live->bytes ? change : live->bytes;
        else if (__builtin_add_overflow(live->bytes, change, &live->bytes))
            live->bytes = UINT64_MAX;
        t->sink->counter(t->sink->data, live->track, at_ns > 0 ? at_ns : 0, (double)live->bytes);
    }
    if (status >= 0)
        status = xs_export_finish(t->e, row, code);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&m.live, entry));)
        free((struct live *)(uintptr_t)entry->value);
    xs_hash_free(&m.live);
    return status;
}
