/* Finds steps: collects the times of each kind of range, wait or copy, and chooses one whose rhythm covers most of the
 * run. The rules are in docs/rules/analysis.md, "Steps". */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/findings/steps/asked.h"
#include "analyzer/findings/steps/step_ranges.h"
#include "analyzer/findings/steps/steps.h"
#include "analyzer/trace/events.h"
#include "analyzer/trace/ran.h"
#include "schema/rhythm.h"
#include "schema/write/store_thin.h"

enum { MOST_MOMENTS = 1 << 20 }; /* if events occur more often, nobody would look at them as steps */

struct call {
    int64_t begin_ns, end_ns;
    int64_t entry_point, stack, range, thread;
};

/* What recurs on one thread: a kind of range, or a call from one place. */
struct recurring {
    int64_t entry_point, stack; /* entry point and stack of its first call */
    uint32_t kind;              /* kind of range */
    int64_t *moments;           /* its times */
    size_t count, capacity;
};

struct work {
    const struct xs_trace *trace;
    const struct xs_sites *sites;
    char *message;
    enum xs_step_mark mark;
    struct xs_step_ranges ranges;
    struct xs_hash threads;   /* by thread: the range of its last call */
    struct xs_hash recurring; /* struct recurring */
    size_t most_moments;      /* the most times that one struct recurring has */
    uint64_t span_ns;         /* time from the first transfer or wait to the last one */
};

static bool read_call(struct xs_scan *scan, void *item) {
    enum { BEGIN = 1, END, ENTRY, THREAD, STACK, RANGE };
    struct call *call = item;
    call->entry_point = xs_scan_int(scan, ENTRY);
    call->thread = xs_scan_int(scan, THREAD);
    call->stack = xs_scan_int(scan, STACK);
    call->range = xs_scan_int(scan, RANGE);
    return xs_scan_times(scan, BEGIN, END, &call->begin_ns, &call->end_ns);
}

#define COLUMNS "return_ns, entry_point, thread, stack, nvtx_range"
#define TABLE(of, chosen)                                                                                              \
    {                                                                                                                  \
        .table = of, .time = "enter_ns", .where = chosen, .columns = COLUMNS, .item_bytes = sizeof(struct call),       \
        .read = read_call                                                                                              \
    }
static const struct xs_source_kind tables[] = {TABLE("transfer", XS_RAN " AND coalesce(batch_index, 0) = 0"),
                                               TABLE("sync", "result = 0"), TABLE("memset", XS_RAN),
                                               TABLE("allocation", "enter_ns IS NOT NULL")};
enum { TRANSFER, SYNC, TABLES = sizeof tables / sizeof *tables };

/* Adds a moment of something that recurs; `as` describes it. */
static void add_moment(struct work *w, uint64_t key_low, uint64_t key_high, struct recurring as, int64_t ns) {
    struct recurring *recurring = xs_hash_item(&w->recurring, key_low, key_high, sizeof *recurring);
    if (!recurring->count)
        *recurring = as;
    if (recurring->count > MOST_MOMENTS)
        return;
    xs_grow_from(4, &recurring->moments, recurring->count, &recurring->capacity, sizeof *recurring->moments);
    recurring->moments[recurring->count++] = ns;
    w->most_moments = recurring->count > w->most_moments ? recurring->count : w->most_moments;
}

/* Records the ranges that a call enters, which are those that contain this call but not the thread's previous call. */
static void take_in_ranges(struct work *w, const struct call *call) {
    uint64_t *last = xs_hash_put(&w->threads, (uint64_t)call->thread, 0);
    uint32_t before = *last ? (uint32_t)(*last - 1) : 0, now = xs_step_range_of(&w->ranges, call->range);
    *last = now + UINT64_C(1);
    if (now == before)
        return;
    uint32_t open = xs_step_ranges_common(&w->ranges, before, now);
    for (; now != open; now = w->ranges.items[now].parent) {
        uint32_t kind = w->ranges.items[now].kind;
        add_moment(w, (uint64_t)call->thread, kind, (struct recurring){.kind = kind}, call->begin_ns);
    }
}

static void take(struct work *w, const struct call *call) {
    if (w->mark == XS_STEP_RANGE) {
        take_in_ranges(w, call);
        return;
    }
    uint64_t place = (uint64_t)xs_sites_place(w->sites, call->stack) << 32 | (uint32_t)call->thread;
    add_moment(w, (uint64_t)call->entry_point, place,
               (struct recurring){.entry_point = call->entry_point, .stack = call->stack},
               w->mark == XS_STEP_WAIT ? call->end_ns : call->begin_ns);
}

/* Reads all calls of `count` tables from `first` on, in order of time. */
static int read_calls(struct work *w, unsigned first, unsigned count) {
    struct xs_merge merge;
    int64_t ns;
    unsigned source;
    int status = xs_merge_begin(&merge, &tables[first], count, w->trace, NULL, 0, w->message, NULL);
    while (status >= 0 && (status = xs_merge_peek(&merge, &ns, &source)) > 0)
        take(w, xs_merge_take(&merge, source));
    xs_merge_end(&merge);
    return status;
}

/* True if candidate `one` is better than `best`. Ranges of the default domain are better, because programs mark their
 * steps there; then outer ranges are better than inner ones, then more frequent candidates, then earlier ones. A
 * library's own ranges are no steps of the program. */
static bool is_better(const struct work *w, const struct recurring *one, const struct recurring *best) {
    if (w->mark == XS_STEP_RANGE) {
        const struct xs_step_range_kind *kind = &w->ranges.kinds[one->kind];
        const struct xs_step_range_kind *other = best ? &w->ranges.kinds[best->kind] : NULL;
        if (kind->of_library)
            return false;
        if (other && kind->in_domain != other->in_domain)
            return other->in_domain;
        if (other && kind->depth != other->depth)
            return kind->depth < other->depth;
    }
    return !best || one->count > best->count;
}

static void keep(struct xs_steps *steps, const struct work *w, const char *range, const struct recurring *best,
                 const struct xs_rhythm *rhythm) {
    *steps = (struct xs_steps){.mark = w->mark,
                               .range = range ? xs_strdup(range) : NULL,
                               .entry_point = best->entry_point,
                               .stack = best->stack,
                               .items = xs_realloc(NULL, best->count * sizeof *steps->items),
                               .count = best->count - 1,
                               .warm_up = rhythm->warm_up,
                               .spread = rhythm->spread};
    for (size_t i = 0; i < best->count; i++)
        steps->items[i] = (struct xs_step){.begin_ns = best->moments[i]};
}

/* True if the steps cover most of the run. For ranges the warm-up counts, too, because compiling may take longer than
 * all that comes after it. */
static bool covers_run(const struct work *w, const struct xs_rhythm *rhythm) {
    uint64_t ns = rhythm->regular_ns + (w->mark == XS_STEP_RANGE ? rhythm->warm_up_ns : 0);
    return xs_rhythm_covers(ns, w->span_ns);
}

static void choose(struct xs_steps *steps, struct work *w) {
    const struct recurring *best = NULL;
    struct xs_rhythm best_rhythm = {0}, rhythm;
    double largest_spread = w->mark == XS_STEP_RANGE ? XS_RHYTHM_SPREAD_OF_STEPS : XS_RHYTHM_SPREAD;
    uint64_t *room = xs_realloc(NULL, w->most_moments * sizeof *room);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&w->recurring, entry));) {
        const struct recurring *one = (const struct recurring *)(uintptr_t)entry->value;
        if (one->count <= MOST_MOMENTS && is_better(w, one, best) &&
            xs_rhythm_of(one->moments, one->count, largest_spread, room, &rhythm) && covers_run(w, &rhythm)) {
            best = one;
            best_rhythm = rhythm;
        }
    }
    free(room);
    if (best)
        keep(steps, w, w->mark == XS_STEP_RANGE ? w->ranges.kinds[best->kind].name : NULL, best, &best_rhythm);
}

/* Finds steps by one kind of mark, in the calls of `count` tables from `first` on. */
static int find_by(struct xs_steps *steps, struct work *w, enum xs_step_mark mark, unsigned first, unsigned count) {
    w->mark = mark;
    int status = read_calls(w, first, count);
    if (status >= 0)
        choose(steps, w);
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&w->recurring, entry));)
        free(((struct recurring *)(uintptr_t)entry->value)->moments);
    xs_hash_free(&w->recurring);
    return status;
}

/* Reads the time from the first to the last row. Rows are nearly in order of time, which is enough here. */
static int read_span(struct work *w) {
    struct xs_scan scan;
    int64_t first = INT64_MAX, last = 0;
    xs_scan_begin(&scan, w->trace,
                  "SELECT * FROM (SELECT enter_ns, return_ns FROM transfer ORDER BY id LIMIT 1) UNION ALL"
                  " SELECT * FROM (SELECT enter_ns, return_ns FROM transfer ORDER BY id DESC LIMIT 1) UNION ALL"
                  " SELECT * FROM (SELECT enter_ns, return_ns FROM sync ORDER BY id LIMIT 1) UNION ALL"
                  " SELECT * FROM (SELECT enter_ns, return_ns FROM sync ORDER BY id DESC LIMIT 1)",
                  w->message, NULL);
    while (xs_scan_row(&scan)) {
        int64_t begin, end;
        if (!xs_scan_times(&scan, 0, 1, &begin, &end))
            continue;
        first = begin < first ? begin : first;
        last = end > last ? end : last;
    }
    w->span_ns = last > first ? (uint64_t)last - (uint64_t)first : 0;
    return xs_scan_end(&scan);
}

/* Uses the steps of the range that the user named before the run, without checking that they have a rhythm. */
static void find_asked(struct xs_steps *steps, struct work *w) {
    struct xs_asked_steps asked;
    struct xs_rhythm rhythm;
    xs_asked_steps_read(&asked, w->trace);
    uint64_t *room = xs_realloc(NULL, asked.count * sizeof *room);
    if (xs_rhythm_of(asked.moments, asked.count, INFINITY, room, &rhythm)) {
        w->mark = XS_STEP_RANGE;
        keep(steps, w, asked.name, &(struct recurring){.moments = asked.moments, .count = asked.count}, &rhythm);
        steps->of = asked.of > steps->count ? asked.of : 0;
    }
    free(room);
    xs_asked_steps_free(&asked);
}

int xs_steps_find(struct xs_steps *steps, const struct xs_trace *trace, const struct xs_sites *sites, char *message) {
    struct work w = {.trace = trace, .sites = sites, .message = message};
    *steps = (struct xs_steps){0};
    if (xs_trace_meta_int(trace, XS_META_THINNED_ROWS, 0) >
        0) /* calls are missing, so distances in time prove nothing */
        return XS_OK;
    int status = read_span(&w);
    if (status >= 0)
        status = xs_step_ranges_read(&w.ranges, trace, message);
    if (status >= 0)
        find_asked(steps, &w);
    if (status >= 0 && !steps->count && w.ranges.count)
        status = find_by(steps, &w, XS_STEP_RANGE, 0, TABLES);
    if (status >= 0 && !steps->count)
        status = find_by(steps, &w, XS_STEP_WAIT, SYNC, 1);
    if (status >= 0 && !steps->count)
        status = find_by(steps, &w, XS_STEP_COPY, TRANSFER, 1);
    xs_step_ranges_free(&w.ranges);
    xs_hash_free(&w.threads);
    return status;
}
