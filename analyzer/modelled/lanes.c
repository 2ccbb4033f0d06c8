/* Placing work in a lane; see lanes.h. */
#include "analyzer/modelled/lanes.h"

#include "analyzer/base/grow.h"

enum { MOST_PENDING = 1 << 16, STEPS = 16 };
/* A kernel that took so many times as long as the others of its function is not believed: something else was waited
 * for. */
#define LONGEST 4.0

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t earlier(int64_t a, int64_t b) { return a < b ? a : b; }

int64_t xs_lane_end(const struct xs_lane *lane) {
    return xs_lane_pending(lane) ? later(lane->done_ns, lane->items[lane->count - 1].end_ns) : lane->done_ns;
}

struct xs_moment xs_lane_moment(struct xs_lane *lane) {
    return (struct xs_moment){lane, lane->base + xs_lane_pending(lane) - 1, xs_lane_end(lane)};
}

int64_t xs_moment_end(const struct xs_moment *moment) {
    const struct xs_lane *lane = moment->lane;
    if (!lane)
        return 0;
    uint64_t pending = moment->place - lane->base; /* wraps around where it is done, or nothing was there */
    if (pending < xs_lane_pending(lane))
        return lane->items[lane->first + pending].end_ns;
    return earlier(moment->end_ns, lane->done_ns);
}

/* --- times --- */

/* How long some of the work takes, as a factor: of kernels, or of all. */
struct pace {
    double factor;
    bool of_all;
};

/* The end of the first `count` at that pace; `write`: they get their times. */
static int64_t lay(struct xs_lane *lane, size_t from, size_t count, struct pace pace, bool write) {
    int64_t end_ns = from ? lane->items[lane->first + from - 1].end_ns : lane->done_ns;
    for (size_t i = from; i < count; i++) {
        struct xs_pending *work = &lane->items[lane->first + i];
        int64_t start_ns = later(work->earliest_ns, end_ns + work->gap_ns);
        double ns = (double)work->ns * (pace.of_all || work->is_kernel ? pace.factor : 1);
        end_ns = start_ns + (int64_t)ns;
        if (write) {
            work->start_ns = start_ns;
            work->end_ns = end_ns;
        }
    }
    return end_ns;
}

/* The pace between two at which they end nearest to, and not after, that moment. */
static struct pace find_pace(struct xs_lane *lane, size_t count, double low, double high, bool of_all,
                             int64_t end_ns) {
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        if (lay(lane, 0, count, (struct pace){middle, of_all}, false) <= end_ns)
            low = middle;
        else
            high = middle;
    }
    return (struct pace){low, of_all};
}

/* What cannot be had by any pace: work that was given to the lane just before it ended. */
static void cut(struct xs_lane *lane, size_t count, int64_t end_ns) {
    for (size_t i = count; i-- > 0 && lane->items[lane->first + i].end_ns > end_ns;) {
        struct xs_pending *work = &lane->items[lane->first + i];
        work->end_ns = end_ns;
        work->start_ns = end_ns = earlier(work->start_ns, end_ns);
    }
}

/* Work begins sooner behind its call than is usual where it has to end by then. */
static void hurry(struct xs_lane *lane, size_t count, int64_t end_ns) {
    for (size_t i = count; i-- > 0;) {
        struct xs_pending *work = &lane->items[lane->first + i];
        if (work->earliest_ns <= end_ns - work->ns)
            return;
        work->earliest_ns = later(work->enter_ns, end_ns - work->ns);
        end_ns = work->earliest_ns;
    }
}

void xs_lane_fit(struct xs_lane *lane, size_t count, int64_t end_ns, bool longer) {
    static const struct pace none = {0, false}, nothing = {0, true}, longest = {LONGEST, false};
    if (!count)
        return;
    int64_t ends = lane->items[lane->first + count - 1].end_ns;
    struct pace pace = {1, false};
    if (ends > end_ns)
        hurry(lane, count, end_ns);
    if (ends > end_ns && lay(lane, 0, count, none, false) <= end_ns)
        pace = find_pace(lane, count, 0, 1, false, end_ns);
    else if (ends > end_ns)
        pace = lay(lane, 0, count, nothing, false) <= end_ns ? find_pace(lane, count, 0, 1, true, end_ns) : nothing;
    else if (longer && lay(lane, 0, count, longest, false) >= end_ns)
        pace = find_pace(lane, count, 1, LONGEST, false, end_ns);
    lay(lane, 0, count, pace, true);
    if (ends > end_ns)
        cut(lane, count, end_ns);
    lay(lane, count, xs_lane_pending(lane), (struct pace){1, false}, true);
}

/* --- rows --- */

static void set_times(struct xs_modelled_tables *tables, unsigned table, uint32_t row, int64_t start_ns,
                      int64_t end_ns) {
    struct xs_modelled_row *r = &tables->of[table].items[row];
    r->start_ns = start_ns;
    r->end_ns = end_ns;
}

/* The nodes of a graph lie as they lay when it was recorded, closer together or wider apart. */
static void set_graph(struct xs_modelled_tables *tables, const struct xs_pending *work) {
    const struct xs_launched_graph *graph = work->graph;
    uint32_t next[XS_MODELLED_TABLES];
    double factor = graph->span_ns > 0 ? (double)(work->end_ns - work->start_ns) / (double)graph->span_ns : 0;
    memcpy(next, work->first, sizeof next);
    for (size_t i = 0; i < graph->rows; i++) {
        const struct xs_recorded *node = &graph->first[i];
        double start = (double)(node->row.start_ns - graph->start_ns) * factor;
        double end = (double)(node->row.end_ns - graph->start_ns) * factor;
        set_times(tables, node->table, next[node->table]++, work->start_ns + (int64_t)start,
                  work->start_ns + (int64_t)end);
    }
}

void xs_lane_settle(struct xs_lane *lane, size_t count, struct xs_modelled_tables *tables) {
    for (size_t i = 0; i < count; i++) {
        const struct xs_pending *work = &lane->items[lane->first + i];
        if (work->graph)
            set_graph(tables, work);
        else
            set_times(tables, work->table, work->first[work->table], work->start_ns, work->end_ns);
        lane->done_ns = later(lane->done_ns, work->end_ns);
    }
    lane->first += count;
    lane->base += count;
    if (lane->first == lane->count)
        lane->first = lane->count = 0;
}

struct xs_pending *xs_lane_add(struct xs_lane *lane, const struct xs_pending *work,
                               struct xs_modelled_tables *tables) {
    if (xs_lane_pending(lane) >= MOST_PENDING)
        xs_lane_settle(lane, MOST_PENDING / 2, tables);
    if (lane->first > MOST_PENDING / 2) {
        lane->count -= lane->first;
        memmove(lane->items, lane->items + lane->first, lane->count * sizeof *lane->items);
        lane->first = 0;
    }
    xs_grow(&lane->items, lane->count, &lane->capacity, sizeof *lane->items);
    lane->items[lane->count++] = *work;
    lay(lane, xs_lane_pending(lane) - 1, xs_lane_pending(lane), (struct pace){1, false}, true);
    return &lane->items[lane->count - 1];
}
