/* The host's transfers, joined with their device records: totals by direction and kinds of memory, the largest and the
 * slowest transfers, coverage. Reads the table once, in the order of its rows. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/totals/summary/summary_internal.h"

enum { ENTRY, DIRECTION, BYTES, SRC, DST, ASYNC, CAPTURED, RESULT, ENTER, RETURN, CORRELATION, BATCH, ID, STACK };
static const char transfers_sql[] = "SELECT entry_point, direction, bytes, src_kind, dst_kind, is_async, is_captured,"
                                    " result, enter_ns, return_ns, correlation, batch_index, id, stack FROM transfer";

static void add(struct xs_totals *totals, const struct xs_slow_transfer *t, uint64_t host_ns) {
    totals->count++;
    totals->bytes = xs_sum(totals->bytes, t->bytes);
    totals->host_ns = xs_sum(totals->host_ns, host_ns);
    totals->async_count += t->is_async;
    totals->empty_count += !t->bytes && !t->timed;
    if (t->timed) {
        totals->timed_count++;
        totals->timed_bytes = xs_sum(totals->timed_bytes, t->bytes);
        totals->device_ns = xs_sum(totals->device_ns, t->device_ns);
        totals->modelled_count += t->modelled;
        totals->modelled_ns = xs_sum(totals->modelled_ns, t->modelled ? t->device_ns : 0);
    }
    if (!t->is_async) {
        totals->blocking_count++;
        totals->blocking_bytes = xs_sum(totals->blocking_bytes, t->bytes);
        totals->blocking_host_ns = xs_sum(totals->blocking_host_ns, host_ns);
    }
}

/* Sorts shapes by size, then by values that make the order the same in every run. */
static int compare_shape(const struct xs_shape *shape, const struct xs_slow_transfer *t) {
    if (shape->bytes != t->bytes)
        return shape->bytes < t->bytes ? -1 : 1;
    int64_t a[] = {shape->direction, shape->src_kind, shape->dst_kind, shape->entry_point_id};
    int64_t b[] = {t->direction, t->src_kind, t->dst_kind, t->entry_point_id};
    for (int i = 0; i < 4; i++)
        if (a[i] != b[i])
            return a[i] < b[i] ? 1 : -1;
    return 0;
}

/* Keeps the five largest shapes. A shape that is dropped never comes back, because five larger shapes exist. The counts
 * of the five are therefore exact. */
static void keep_largest(struct xs_summary *s, const struct xs_slow_transfer *t, uint64_t host_ns) {
    size_t i = 0;
    while (i < s->largest_count && compare_shape(&s->largest[i], t) > 0)
        i++;
    if (i == XS_TOP)
        return;
    if (i == s->largest_count || compare_shape(&s->largest[i], t) != 0) {
        size_t moved = s->largest_count < XS_TOP ? s->largest_count - i : XS_TOP - 1 - i;
        memmove(&s->largest[i + 1], &s->largest[i], moved * sizeof s->largest[0]);
        s->largest_count += s->largest_count < XS_TOP;
        s->largest[i] = (struct xs_shape){.direction = t->direction,
                                          .src_kind = t->src_kind,
                                          .dst_kind = t->dst_kind,
                                          .entry_point_id = t->entry_point_id,
                                          .first_transfer = t->id,
                                          .bytes = t->bytes};
    }
    add(&s->largest[i].totals, t, host_ns);
}

static bool slower(const struct xs_slow_transfer *a, const struct xs_slow_transfer *b, bool by_device) {
    return by_device ? a->device_ns > b->device_ns : a->host_ns > b->host_ns;
}

static void keep_slowest(struct xs_summary *s, const struct xs_slow_transfer *t) {
    size_t i = s->slowest_count;
    if (s->slowest_by_device && !t->timed)
        return;
    while (i > 0 && slower(t, &s->slowest[i - 1], s->slowest_by_device))
        i--;
    if (i == XS_TOP)
        return;
    size_t moved = s->slowest_count < XS_TOP ? s->slowest_count - i : XS_TOP - 1 - i;
    memmove(&s->slowest[i + 1], &s->slowest[i], moved * sizeof s->slowest[0]);
    s->slowest[i] = *t;
    s->slowest_count += s->slowest_count < XS_TOP;
}

static void count_coverage(struct xs_coverage *coverage, const struct xs_slow_transfer *t, struct xs_record *record) {
    if (record) {
        record->matched = 1;
        *(t->modelled ? &coverage->modelled : &coverage->matched) += 1;
    } else if (!t->bytes) {
        coverage->host_empty++;
    } else {
        coverage->without_record++;
        coverage->peers += t->direction == XS_DIR_PEER;
    }
}

/* Returns the totals of uploads or downloads by the host's memory; NULL: the copy is neither. */
static struct xs_totals *host_memory_totals(struct xs_summary *s, unsigned direction, unsigned src, unsigned dst) {
    if (direction != XS_DIR_H2D && direction != XS_DIR_D2H)
        return NULL;
    unsigned host = direction == XS_DIR_H2D ? src : dst;
    if (host == XS_MEM_PAGEABLE)
        return &s->pageable;
    return host == XS_MEM_PINNED || host == XS_MEM_REGISTERED ? &s->pinned : NULL;
}

static void take_row(struct xs_summary_work *work, struct xs_scan *scan, xs_totals_grid *totals) {
    struct xs_summary *s = work->summary;
    struct xs_slow_transfer t = {
        .direction = xs_scan_kind(scan, DIRECTION, XS_DIRECTION_COUNT),
        .src_kind = xs_scan_kind(scan, SRC, XS_MEMORY_KIND_COUNT),
        .dst_kind = xs_scan_kind(scan, DST, XS_MEMORY_KIND_COUNT),
        .id = xs_scan_int(scan, ID),
        .entry_point_id = xs_scan_int(scan, ENTRY),
        .enter_ns = xs_scan_int(scan, ENTER),
        .bytes = xs_scan_count(scan, BYTES),
        .is_async = xs_scan_int(scan, ASYNC) != 0,
    };
    xs_scan_span(scan, ENTER, RETURN, &t.host_ns);
    xs_work_saw(work, xs_scan_int(scan, RETURN));
    s->coverage.host_transfers++;
    struct xs_record *record = xs_records_find(&work->records, xs_scan_correlation(scan, CORRELATION));
    if (xs_scan_int(scan, RESULT) != 0) {
        s->coverage.host_failed++;
        return;
    }
    if (xs_scan_int(scan, CAPTURED) != 0) {
        s->coverage.host_captured++;
        return;
    }
    t.timed = xs_record_share(record, t.bytes, &t.device_ns);
    t.modelled = record && xs_is_modelled(work->trace, record->correlation);
    count_coverage(&s->coverage, &t, record);
    s->coverage.without_stack += s->coverage.stacks_recorded && xs_scan_null(scan, STACK);
    if (!xs_selection_has(work->selection, XS_EVIDENCE_TRANSFER, t.id))
        return;
    /* all copies of a batch call have the whole call's host time */
    uint64_t host_ns = xs_scan_null(scan, BATCH) || xs_scan_int(scan, BATCH) == 0 ? t.host_ns : 0;
    add(&(*totals)[t.direction][t.src_kind][t.dst_kind], &t, host_ns);
    add(&s->all, &t, host_ns);
    struct xs_totals *of_host = host_memory_totals(s, t.direction, t.src_kind, t.dst_kind);
    if (of_host)
        add(of_host, &t, host_ns);
    keep_largest(s, &t, host_ns);
    keep_slowest(s, &t);
}

static int by_cost(const void *a, const void *b) {
    const struct xs_group *x = a, *y = b;
    const uint64_t keys[][2] = {{x->totals.device_ns, y->totals.device_ns},
                                {x->totals.bytes, y->totals.bytes},
                                {x->totals.count, y->totals.count}};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (keys[i][0] != keys[i][1])
            return keys[i][0] < keys[i][1] ? 1 : -1;
    return x->direction != y->direction ? (x->direction > y->direction) - (x->direction < y->direction)
                                        : (x->src_kind > y->src_kind) - (x->src_kind < y->src_kind);
}

static void collect_groups(struct xs_summary *s, xs_totals_grid *totals) {
    for (unsigned d = 0; d < XS_DIRECTION_COUNT; d++) {
        for (unsigned src = 0; src < XS_MEMORY_KIND_COUNT; src++) {
            for (unsigned dst = 0; dst < XS_MEMORY_KIND_COUNT; dst++) {
                if (!(*totals)[d][src][dst].count)
                    continue;
                s->groups = xs_realloc(s->groups, (s->group_count + 1) * sizeof *s->groups);
                s->groups[s->group_count++] = (struct xs_group){d, src, dst, (*totals)[d][src][dst]};
            }
        }
    }
    if (s->group_count)
        qsort(s->groups, s->group_count, sizeof *s->groups, by_cost);
}

/* Reads names of only the few entry points that are shown. */
static int name_entry_points(struct xs_summary_work *work) {
    struct xs_summary *s = work->summary;
    struct xs_scan scan;
    xs_work_begin(work, &scan, "SELECT id, name FROM entry_point");
    while (xs_scan_row(&scan)) {
        int64_t id = xs_scan_int(&scan, 0);
        for (size_t i = 0; i < s->largest_count; i++)
            if (s->largest[i].entry_point_id == id && !s->largest[i].entry_point)
                s->largest[i].entry_point = xs_scan_name(&scan, 1);
        for (size_t i = 0; i < s->slowest_count; i++)
            if (s->slowest[i].entry_point_id == id && !s->slowest[i].entry_point)
                s->slowest[i].entry_point = xs_scan_name(&scan, 1);
    }
    return xs_scan_end(&scan);
}

/* Adds rows that were thinned out. They cannot be filtered, and are in none of the lists. */
static int add_thinned(struct xs_summary_work *work, xs_totals_grid *totals) {
    struct xs_summary *s = work->summary;
    xs_totals_grid *thinned = xs_realloc(NULL, sizeof *thinned);
    memset(thinned, 0, sizeof *thinned);
    int status = xs_summary_thinned_transfers(work, thinned);
    for (unsigned d = 0; d < XS_DIRECTION_COUNT; d++) {
        for (unsigned src = 0; src < XS_MEMORY_KIND_COUNT; src++) {
            for (unsigned dst = 0; dst < XS_MEMORY_KIND_COUNT; dst++) {
                const struct xs_totals *t = &(*thinned)[d][src][dst];
                struct xs_totals *of_host = host_memory_totals(s, d, src, dst);
                xs_totals_add(&(*totals)[d][src][dst], t);
                xs_totals_add(&s->all, t);
                if (of_host)
                    xs_totals_add(of_host, t);
            }
        }
    }
    free(thinned);
    return status;
}

int xs_summary_transfers(struct xs_summary_work *work) {
    struct xs_summary *s = work->summary;
    xs_totals_grid *totals = xs_realloc(NULL, sizeof *totals);
    memset(totals, 0, sizeof *totals);
    struct xs_scan scan;
    for (size_t i = 0; i < work->records.count && !s->slowest_by_device; i++)
        s->slowest_by_device = !work->records.items[i].untimed;
    xs_work_begin(work, &scan, transfers_sql);
    while (xs_scan_row(&scan))
        take_row(work, &scan, totals);
    int status = xs_scan_end(&scan);
    if (status >= 0 && !s->selected)
        status = add_thinned(work, totals);
    if (status >= 0) {
        collect_groups(s, totals);
        status = name_entry_points(work);
    }
    for (size_t i = 0; i < work->records.count; i++)
        if (!work->records.items[i].matched)
            s->coverage.without_event += work->records.items[i].records;
    free(totals);
    xs_records_free(&work->records);
    return status;
}
