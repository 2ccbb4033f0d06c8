/* Handles traces that lack rows, because they reached their size limit, or because they are ledgers. Adds the sums of
 * the table `thinned` to the counts of the rows that the trace has. */
#include "analyzer/totals/summary/summary_internal.h"

struct sums {
    uint64_t copies, bytes, ns;
};

/* Sums of device records for one kind of calls. */
struct pool {
    enum xs_direction direction; /* UNKNOWN: any direction */
    int pageable;                /* whether the host's memory was pageable; -1: not known */
    struct sums sums;
};

/* Returns `whole` times `part` divided by `all`; 0 if `all` is 0. */
static uint64_t share(uint64_t whole, uint64_t part, uint64_t all) {
    return all ? (uint64_t)((long double)whole * (long double)part / (long double)all) : 0;
}

/* Sets the times of a group. A copy can have several records. */
static void take_times(struct xs_totals *t, uint64_t records, uint64_t device_ns, struct sums *told) {
    t->timed_count = records < t->count ? records : t->count;
    t->timed_bytes = share(t->bytes, t->timed_count, t->count);
    t->device_ns = device_ns;
    xs_sum_all(told, &(struct sums){records, t->timed_bytes, device_ns}, sizeof *told);
}

/* Reads sums of calls. `told` gets, by direction, the device times that are known per call. */
static void read_calls(struct xs_summary_work *work, struct xs_transfer_group *groups,
                       struct sums told[XS_DIRECTION_COUNT]) {
    enum { DIRECTION, SRC, DST, ASYNC, CAPTURED, SIZE, ROWS, BYTES, HOST, TIMED, DEVICE };
    struct xs_coverage *coverage = &work->summary->coverage;
    struct xs_scan scan;
    xs_work_begin(work, &scan,
                  "SELECT s.direction, s.src_kind, s.dst_kind, s.is_async, s.is_captured, s.bytes, t.rows, t.bytes,"
                  " t.host_ns, t.timed, t.device_ns FROM thinned t JOIN transfer_shape s ON s.id = t.shape WHERE "
                  "t.source = 'transfer'");
    while (xs_scan_row(&scan)) {
        struct xs_totals t = {.count = xs_scan_count(&scan, ROWS), .bytes = xs_scan_count(&scan, BYTES)};
        t.host_ns = xs_scan_count(&scan, HOST);
        coverage->host_transfers = xs_sum(coverage->host_transfers, t.count);
        if (xs_scan_int(&scan, CAPTURED) != 0) {
            coverage->host_captured = xs_sum(coverage->host_captured, t.count);
            continue;
        }
        bool is_empty = !xs_scan_null(&scan, SIZE) && xs_scan_int(&scan, SIZE) == 0;
        t.empty_count = is_empty ? t.count : 0;
        coverage->host_empty = xs_sum(coverage->host_empty, t.empty_count);
        if (xs_scan_int(&scan, ASYNC) != 0) {
            t.async_count = t.count;
        } else {
            t.blocking_count = t.count;
            t.blocking_bytes = t.bytes;
            t.blocking_host_ns = t.host_ns;
        }
        unsigned direction = xs_scan_kind(&scan, DIRECTION, XS_DIRECTION_COUNT);
        take_times(&t, xs_scan_count(&scan, TIMED), xs_scan_count(&scan, DEVICE), &told[direction]);
        coverage->matched = xs_sum(coverage->matched, t.timed_count);
        unsigned src = xs_scan_kind(&scan, SRC, XS_MEMORY_KIND_COUNT);
        unsigned dst = xs_scan_kind(&scan, DST, XS_MEMORY_KIND_COUNT);
        xs_totals_add(&xs_group_at(groups, direction, src, dst)->totals, &t);
    }
    xs_work_end(work, &scan);
}

static bool belongs(const struct pool *pool, const struct xs_transfer_group *group) {
    bool pageable = group->src_kind == XS_MEM_PAGEABLE || group->dst_kind == XS_MEM_PAGEABLE;
    return group->totals.count > group->totals.empty_count &&
           (pool->direction == XS_DIR_UNKNOWN || pool->direction == group->direction) &&
           (pool->pageable < 0 || (pool->pageable != 0) == pageable);
}

static void take_away(uint64_t *from, uint64_t *what) {
    uint64_t part = *what < *from ? *what : *from;
    *from -= part;
    *what -= part;
}

/* Subtracts the amounts that are known per call. */
static void settle(struct sums *sums, struct sums *told) {
    take_away(&sums->copies, &told->copies);
    take_away(&sums->bytes, &told->bytes);
    take_away(&sums->ns, &told->ns);
}

/* Divides a pool among the groups that it may belong to, in proportion to their bytes; the last one gets the rounding
 * error. */
static bool give(struct xs_transfer_group *groups, const struct pool *pool) {
    uint64_t bytes = 0;
    const struct xs_transfer_group *last = NULL;
    struct sums left = pool->sums;
    for (struct xs_transfer_group *group = groups; group < groups + XS_GROUPS; group++) {
        if (belongs(pool, group)) {
            bytes = xs_sum(bytes, group->totals.bytes);
            last = group;
        }
    }
    for (struct xs_transfer_group *group = groups; group < groups + XS_GROUPS; group++) {
        struct xs_totals *t = &group->totals;
        if (!belongs(pool, group))
            continue;
        struct sums part = {share(pool->sums.copies, t->bytes, bytes), share(pool->sums.bytes, t->bytes, bytes),
                            share(pool->sums.ns, t->bytes, bytes)};
        if (group == last)
            part = left;
        t->timed_count = xs_sum(t->timed_count, part.copies);
        t->timed_bytes = xs_sum(t->timed_bytes, part.bytes);
        t->device_ns = xs_sum(t->device_ns, part.ns);
        settle(&left, &part);
    }
    return last != NULL;
}

static struct pool pool_of(unsigned kind, unsigned src, unsigned dst) {
    static const enum xs_direction directions[XS_COPY_KIND_COUNT] = {
        [1] = XS_DIR_H2D, [2] = XS_DIR_D2H, [3] = XS_DIR_H2D, [4] = XS_DIR_D2H, [5] = XS_DIR_D2D,
        [6] = XS_DIR_D2D, [7] = XS_DIR_D2D, [8] = XS_DIR_D2D, [9] = XS_DIR_H2H, [10] = XS_DIR_PEER};
    enum { PAGEABLE = 1, PINNED = 2 }; /* CUPTI's numbers */
    bool told = src == PAGEABLE || dst == PAGEABLE || src == PINNED || dst == PINNED;
    return (struct pool){.direction = directions[kind], .pageable = told ? src == PAGEABLE || dst == PAGEABLE : -1};
}

static void take_records(struct xs_summary_work *work, struct xs_transfer_group *groups, const struct pool *pool) {
    struct pool any = *pool;
    any.pageable = -1;
    if (!give(groups, pool) && !give(groups, &any)) {
        any.direction = XS_DIR_UNKNOWN;
        give(groups, &any);
    }
    work->summary->coverage.matched = xs_sum(work->summary->coverage.matched, pool->sums.copies);
}

typedef struct pool pools[XS_DIRECTION_COUNT][3]; /* by `pageable` + 1 */

/* Returns the sums of device records whose call is missing, because thinning dropped the call and was then interrupted
 * by the program's end. Records that came after their call was dropped are already counted with the call. */
static struct pool orphans_of(const struct xs_summary_work *work) {
    return (struct pool){
        .direction = XS_DIR_UNKNOWN, .pageable = -1, .sums = {work->orphans, work->orphan_bytes, work->orphan_ns}};
}

/* Divides the amounts that are only known by kind among the groups. The direction that the host recorded may be another
 * one, for example for copies between two devices. */
static void take_pools(struct xs_summary_work *work, struct xs_transfer_group *groups, pools *all,
                       struct sums told[XS_DIRECTION_COUNT]) {
    struct pool orphans = orphans_of(work);
    for (unsigned d = 0; d < XS_DIRECTION_COUNT; d++)
        for (unsigned i = 0; i < 3; i++)
            settle(&(*all)[d][i].sums, &told[d]);
    for (unsigned d = 0; d < XS_DIRECTION_COUNT; d++)
        settle(&orphans.sums, &told[d]);
    for (unsigned d = 0; d < XS_DIRECTION_COUNT; d++) {
        for (unsigned i = 0; i < 3; i++) {
            struct pool *pool = &(*all)[d][i];
            for (unsigned other = 0; other < XS_DIRECTION_COUNT; other++)
                settle(&pool->sums, &told[other]);
            if (pool->sums.copies || pool->sums.ns)
                take_records(work, groups, pool);
        }
    }
    if (orphans.sums.copies || orphans.sums.ns)
        take_records(work, groups, &orphans);
}

static void read_records(struct xs_summary_work *work, struct xs_transfer_group *groups,
                         struct sums told[XS_DIRECTION_COUNT]) {
    enum { KIND, SRC, DST, NODE, ROWS, COPIES, BYTES, NS };
    struct xs_summary *s = work->summary;
    struct xs_scan scan;
    pools all = {0};
    xs_work_begin(work, &scan,
                  "SELECT " XS_KIND_OF_COPY("s.") ", s.src_kind, s.dst_kind, s.graph_node IS NOT NULL, sum(t.rows),"
                                                  " sum(CASE WHEN " XS_IS_SECOND_LEG(
                                                      "s.") " THEN 0 ELSE t.timed * max(coalesce(s.copies, 1), 1) END),"
                                                            " sum(CASE WHEN " XS_IS_SECOND_LEG(
                                                                "s.") " THEN 0 ELSE t.bytes END), sum(t.device_ns)"
                                                                      " FROM thinned t JOIN device_copy_shape s ON "
                                                                      "s.id = t.shape WHERE t.source = 'device_copy'"
                                                                      " GROUP BY 1, 2, 3, 4");
    while (xs_scan_row(&scan)) {
        unsigned kind = xs_scan_kind(&scan, KIND, XS_COPY_KIND_COUNT);
        struct pool pool = pool_of(kind, (unsigned)xs_scan_int(&scan, SRC), (unsigned)xs_scan_int(&scan, DST));
        const struct sums sums = {xs_scan_count(&scan, COPIES), xs_scan_count(&scan, BYTES), xs_scan_count(&scan, NS)};
        s->coverage.device_copies = xs_sum(s->coverage.device_copies, xs_scan_count(&scan, ROWS));
        if (xs_scan_int(&scan, NODE) == 0) {
            struct pool *of = &all[pool.direction][pool.pageable + 1];
            pool.sums = of->sums;
            xs_sum_all(&pool.sums, &sums, sizeof sums);
            *of = pool;
            continue;
        }
        s->coverage.device_copies_graph = xs_sum(s->coverage.device_copies_graph, xs_scan_count(&scan, ROWS));
        xs_count_time_add(&s->graph_copies[kind], sums.copies, sums.bytes, sums.ns);
        xs_count_time_add(&s->graph_total, sums.copies, sums.bytes, sums.ns);
    }
    take_pools(work, groups, &all, told);
    xs_work_end(work, &scan);
}

void xs_summary_thinned_transfers(struct xs_summary_work *work, struct xs_transfer_group *groups) {
    if (!work->summary->thinned.rows)
        return;
    struct sums told[XS_DIRECTION_COUNT] = {0};
    read_calls(work, groups, told);
    read_records(work, groups, told);
}

static void read_kernels(struct xs_summary_work *work) {
    enum { DEVICE, NODE, ROWS, NS };
    struct xs_scan scan;
    xs_work_begin(work, &scan,
                  "SELECT coalesce(s.device, -1), s.graph_node IS NOT NULL, sum(t.rows), sum(t.device_ns)"
                  " FROM thinned t JOIN device_kernel_shape s ON s.id = t.shape WHERE t.source = 'device_kernel'"
                  " GROUP BY 1, 2");
    while (xs_scan_row(&scan)) {
        struct xs_device_summary *d = &work->summary->devices[xs_work_device(work, xs_scan_int(&scan, DEVICE))];
        struct xs_count_time *launches = work->summary->launches;
        launches += xs_scan_int(&scan, NODE) == 0 ? XS_LAUNCH_KERNEL : XS_LAUNCH_GRAPH;
        d->kernels = xs_sum(d->kernels, xs_scan_count(&scan, ROWS));
        d->kernel_ns = xs_sum(d->kernel_ns, xs_scan_count(&scan, NS));
        launches->device_ns = xs_sum(launches->device_ns, xs_scan_count(&scan, NS));
    }
    xs_work_end(work, &scan);
}

void xs_summary_thinned_calls(struct xs_summary_work *work) {
    enum { TOTALS, KIND, ROWS, BYTES, NS };
    struct xs_summary *s = work->summary;
    struct xs_scan scan;
    const struct {
        struct xs_count_time *of_kind;
        unsigned kinds;
    } totals[] = {{s->launches, XS_LAUNCH_KIND_COUNT},
                  {s->syncs, XS_SYNC_SCOPE_COUNT},
                  {&s->memsets, 1},
                  {&s->memsets_device, 1}};
    if (!s->thinned.rows)
        return;
    xs_work_begin(work, &scan,
                  "SELECT 0, s.kind, t.rows, 0, t.host_ns FROM thinned t JOIN launch_shape s ON s.id = t.shape"
                  " WHERE t.source = 'launch' AND s.is_captured = 0 UNION ALL"
                  " SELECT 1, kind, rows, 0, host_ns FROM thinned WHERE source = 'sync' UNION ALL"
                  " SELECT 2, 0, rows, bytes, host_ns FROM thinned WHERE source = 'memset' AND kind = 0 UNION ALL"
                  " SELECT 3, 0, rows, bytes, device_ns FROM thinned WHERE source = 'device_memset' AND kind = 0");
    while (xs_scan_row(&scan)) {
        int64_t i = xs_scan_int(&scan, TOTALS);
        xs_count_time_add(&totals[i].of_kind[xs_scan_kind(&scan, KIND, totals[i].kinds)], xs_scan_count(&scan, ROWS),
                          xs_scan_count(&scan, BYTES), xs_scan_count(&scan, NS));
    }
    xs_work_end(work, &scan);
    s->memsets.device_ns = s->memsets_device.ns;
    read_kernels(work);
}

/* Adds the busy time of rows that were thinned out: their sum, as if they did not overlap. The share of it in which
 * copies and kernels ran at the same time is assumed to be the same as for the remaining rows. */
void xs_summary_thinned_busy(struct xs_summary_work *work) {
    enum { DEVICE, IS_COPY, NS };
    struct xs_scan scan;
    if (!work->summary->thinned.rows)
        return;
    xs_work_begin(work, &scan,
                  "SELECT coalesce(s.device, s.dst_device, s.src_device, -1), 1, sum(t.device_ns) FROM thinned t"
                  " JOIN device_copy_shape s ON s.id = t.shape WHERE t.source = 'device_copy' GROUP BY 1 UNION ALL"
                  " SELECT coalesce(s.device, -1), 0, sum(t.device_ns) FROM thinned t"
                  " JOIN device_kernel_shape s ON s.id = t.shape WHERE t.source = 'device_kernel' GROUP BY 1");
    while (xs_scan_row(&scan)) {
        int64_t ordinal = xs_scan_int(&scan, DEVICE);
        uint64_t ns = xs_scan_count(&scan, NS);
        /* an estimated duration may end before rows that were thinned out */
        uint64_t most = work->summary->run.duration_estimated ? 0 : work->summary->run.duration_ns;
        for (size_t i = 0; i < work->summary->device_count; i++) {
            struct xs_device_summary *d = &work->summary->devices[i];
            if (d->id != ordinal)
                continue;
            bool is_copy = xs_scan_int(&scan, IS_COPY) != 0;
            uint64_t *busy = is_copy ? &d->copy_busy_ns : &d->kernel_busy_ns;
            if (is_copy)
                d->both_busy_ns = xs_sum(d->both_busy_ns, share(ns, d->both_busy_ns, d->copy_busy_ns));
            *busy = xs_sum(*busy, ns);
            *busy = most && *busy > most ? most : *busy;
        }
    }
    xs_work_end(work, &scan);
}
