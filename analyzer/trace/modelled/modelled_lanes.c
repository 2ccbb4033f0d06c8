/* Gives the work of a lane its times; see modelled_lanes.h. */
#include "analyzer/trace/modelled/modelled_lanes.h"

#include "analyzer/base/grow.h"
#include "analyzer/base/numbers.h"

enum { MOST_PENDING = 1 << 16, STEPS = 14 };
int64_t xs_lane_end(const struct xs_lane *lane) {
    return xs_lane_pending(lane) ? xs_later(lane->done_ns, lane->items[lane->count - 1].end_ns) : lane->done_ns;
}

struct xs_lane_work xs_lane_latest(struct xs_lane *lane) {
    return (struct xs_lane_work){lane, lane->base + xs_lane_pending(lane) - 1, xs_lane_end(lane)};
}

int64_t xs_lane_work_end(const struct xs_lane_work *moment) {
    const struct xs_lane *lane = moment->lane;
    if (!lane)
        return 0;
    uint64_t pending = moment->number - lane->base; /* becomes a huge number if the work is no longer pending, or there
                                                     * was none */
    if (pending < xs_lane_pending(lane))
        return lane->items[lane->first + pending].end_ns;
    return xs_earlier(moment->end_ns, lane->done_ns);
}

/* --- times --- */

/* Says how the learned lengths are changed to fit a known end: `off` times its usual error is added to each length, and
 * the result is multiplied by the factor of its kind. */
struct pace {
    double off;
    double latencies, kernels, copies; /* latencies: for gaps, too */
};
static const struct pace as_usual = {0, 1, 1, 1};
/* Paces that make work shorter; they are tried in this order. */
static const struct pace shorter[] = {{-3, 1, 1, 1}, {-3, 0.3, 1, 1}, {-3, 0.3, 0, 1}, {-3, 0, 0, 1}, {-3, 0, 0, 0}};
/* Longer times are not plausible; if they were needed, the wait was for something else. */
static const struct pace longest = {4, 1, 1, 1};

static int64_t scaled(const struct xs_length *length, double off, double factor) {
    double ns = ((double)length->ns + off * (double)length->unsure_ns) * factor;
    double least_ns = (double)length->least_ns * factor;
    ns = ns > least_ns ? ns : least_ns;
    return ns > 0 ? ns < 0x1p60 ? (int64_t)ns : XS_SCAN_LATEST_NS : 0;
}

/* Returns the end of the first `count` pending items at a pace. With `write`, the items from `from` on get these
 * times. */
static int64_t lay(struct xs_lane *lane, size_t from, size_t count, const struct pace *pace, bool write) {
    int64_t end_ns = from ? lane->items[lane->first + from - 1].end_ns : lane->done_ns;
    for (size_t i = from; i < count; i++) {
        struct xs_pending *work = &lane->items[lane->first + i];
        int64_t start_ns =
            xs_later(work->behind_ns, work->enter_ns + scaled(&work->latency, pace->off, pace->latencies));
        start_ns = xs_later(start_ns, end_ns + scaled(&work->gap, pace->off, pace->latencies));
        end_ns = start_ns + scaled(&work->lasts, pace->off, work->is_kernel ? pace->kernels : pace->copies);
        if (write) {
            work->start_ns = start_ns;
            work->end_ns = end_ns;
        }
    }
    return end_ns;
}

static struct pace between(const struct pace *a, const struct pace *b, double share) {
    return (struct pace){a->off + (b->off - a->off) * share, a->latencies + (b->latencies - a->latencies) * share,
                         a->kernels + (b->kernels - a->kernels) * share, a->copies + (b->copies - a->copies) * share};
}

/* Returns the pace between `slow` and `fast` at which the items end nearest to `end_ns` but not after it. At `slow`
 * they end after `end_ns`, at `fast` not. */
static struct pace find_pace(struct xs_lane *lane, size_t count, const struct pace *slow, const struct pace *fast,
                             int64_t end_ns) {
    double low = 0, high = 1;
    for (int i = 0; i < STEPS; i++) {
        double middle = (low + high) / 2;
        struct pace pace = between(slow, fast, middle);
        if (lay(lane, 0, count, &pace, false) <= end_ns)
            high = middle;
        else
            low = middle;
    }
    return between(slow, fast, high);
}

static struct pace find_shorter(struct xs_lane *lane, size_t count, int64_t end_ns) {
    const struct pace *slow = &as_usual;
    for (size_t i = 0; i < sizeof shorter / sizeof *shorter; i++) {
        if (lay(lane, 0, count, &shorter[i], false) <= end_ns)
            return find_pace(lane, count, slow, &shorter[i], end_ns);
        slow = &shorter[i];
    }
    return *slow;
}

/* Cuts off what no pace can shorten, which is work that was added to the lane just before the lane's known end. */
static void cut(struct xs_lane *lane, size_t count, int64_t end_ns) {
    for (size_t i = count; i-- > 0 && lane->items[lane->first + i].end_ns > end_ns;) {
        struct xs_pending *work = &lane->items[lane->first + i];
        work->end_ns = end_ns;
        work->start_ns = end_ns = xs_earlier(work->start_ns, end_ns);
    }
}

void xs_lane_fit(struct xs_lane *lane, size_t count, int64_t end_ns, bool longer) {
    if (!count)
        return;
    int64_t ends = lane->items[lane->first + count - 1].end_ns;
    struct pace pace = as_usual;
    if (ends > end_ns)
        pace = find_shorter(lane, count, end_ns);
    else if (longer && lay(lane, 0, count, &longest, false) >= end_ns)
        pace = find_pace(lane, count, &longest, &as_usual, end_ns);
    lay(lane, 0, count, &pace, true);
    if (ends > end_ns)
        cut(lane, count, end_ns);
    lay(lane, count, xs_lane_pending(lane), &as_usual, true);
}

/* --- rows --- */

static void set_times(struct xs_modelled_tables *tables, unsigned table, uint32_t row, int64_t start_ns,
                      int64_t end_ns) {
    struct xs_modelled_row *r = &tables->of[table].items[row];
    r->start_ns = start_ns;
    r->end_ns = end_ns;
}

/* Gives the nodes of a graph their recorded times, scaled to the length that the graph has here. */
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
        lane->done_ns = xs_later(lane->done_ns, work->end_ns);
    }
    lane->first += count;
    lane->base += count;
    if (lane->first == lane->count)
        lane->first = lane->count = 0;
}

struct xs_pending *xs_lane_add(struct xs_lane *lane, const struct xs_pending *work, struct xs_modelled_tables *tables) {
    if (xs_lane_pending(lane) >= MOST_PENDING)
        xs_lane_settle(lane, MOST_PENDING / 2, tables);
    if (lane->first > MOST_PENDING / 2) {
        lane->count -= lane->first;
        memmove(lane->items, lane->items + lane->first, lane->count * sizeof *lane->items);
        lane->first = 0;
    }
    xs_grow(&lane->items, lane->count, &lane->capacity, sizeof *lane->items);
    lane->items[lane->count++] = *work;
    lay(lane, xs_lane_pending(lane) - 1, xs_lane_pending(lane), &as_usual, true);
    return &lane->items[lane->count - 1];
}
