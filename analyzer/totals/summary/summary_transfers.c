/* Reads the host's transfers, joined with their device records: totals by direction and kinds of memory, the largest
 * and the slowest transfers, coverage. Both tables are read in the order of correlation numbers, so that the records of
 * a call come right before its transfers, and only those of one call are kept. */
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/totals/summary/summary_internal.h"
#include "analyzer/trace/events.h"

enum { ID, CORRELATION, ENTRY, DIRECTION, BYTES, SRC, DST, ASYNC, CAPTURED, RESULT, ENTER, RETURN, BATCH, STACK };
static const char transfer_columns[] = "entry_point, direction, bytes, src_kind, dst_kind, is_async, is_captured,"
                                       " result, enter_ns, return_ns, batch_index, stack";

/* A row of `transfer`. */
struct transfer {
    struct xs_slow_transfer t;
    uint32_t correlation;
    int64_t return_ns;
    bool is_failed, is_captured, is_later_of_batch, has_stack;
};

/* The slowest transfers by one measure. */
struct slowest {
    struct xs_slow_transfer items[XS_TOP];
    size_t count;
};

struct join {
    struct xs_summary_work *work;
    struct xs_record record; /* of the call whose rows are read */
    struct slowest by_host, by_device;
};

/* Returns the totals of a single transfer. */
static struct xs_totals totals_of(const struct xs_slow_transfer *t, uint64_t host_ns) {
    struct xs_totals totals = {.count = 1,
                               .bytes = t->bytes,
                               .async_count = t->is_async,
                               .empty_count = !t->bytes && !t->timed,
                               .host_ns = host_ns};
    if (t->timed) {
        totals.timed_count = 1;
        totals.timed_bytes = t->bytes;
        totals.device_ns = t->device_ns;
        totals.modelled_count = t->modelled;
        totals.modelled_ns = t->modelled ? t->device_ns : 0;
    }
    if (!t->is_async) {
        totals.blocking_count = 1;
        totals.blocking_bytes = t->bytes;
        totals.blocking_host_ns = host_ns;
    }
    return totals;
}

/* Sorts shapes by size, then by values that make the order the same in every run. */
static int compare_shape(const struct xs_transfer_shape *shape, const struct xs_slow_transfer *t) {
    return xs_compare_uint64(shape->bytes, t->bytes) ?: xs_compare(t->direction, shape->direction)
        ?: xs_compare(t->src_kind, shape->src_kind) ?: xs_compare(t->dst_kind, shape->dst_kind)
        ?: xs_compare(t->entry_point_id, shape->entry_point_id);
}

/* Keeps the five largest shapes. A shape that is dropped never comes back, because five larger shapes exist. The counts
 * of the five are therefore exact. */
static void keep_largest(struct xs_summary *s, const struct xs_slow_transfer *t, const struct xs_totals *totals) {
    size_t i = 0;
    while (i < s->largest_count && compare_shape(&s->largest[i], t) > 0)
        i++;
    if (i == XS_TOP)
        return;
    if (i == s->largest_count || compare_shape(&s->largest[i], t) != 0) {
        size_t moved = s->largest_count < XS_TOP ? s->largest_count - i : XS_TOP - 1 - i;
        memmove(&s->largest[i + 1], &s->largest[i], moved * sizeof s->largest[0]);
        s->largest_count += s->largest_count < XS_TOP;
        s->largest[i] = (struct xs_transfer_shape){.direction = t->direction,
                                                   .src_kind = t->src_kind,
                                                   .dst_kind = t->dst_kind,
                                                   .entry_point_id = t->entry_point_id,
                                                   .first_transfer = t->id,
                                                   .bytes = t->bytes};
    }
    s->largest[i].first_transfer = xs_earlier(s->largest[i].first_transfer, t->id);
    xs_totals_add(&s->largest[i].totals, totals);
}

/* Of two transfers that took equally long, the earlier one comes first. */
static bool is_slower(const struct xs_slow_transfer *a, const struct xs_slow_transfer *b, bool by_device) {
    int order = by_device ? xs_compare_uint64(a->device_ns, b->device_ns) : xs_compare_uint64(a->host_ns, b->host_ns);
    return order > 0 || (order == 0 && a->id < b->id);
}

static void keep_slowest(struct slowest *slowest, const struct xs_slow_transfer *t, bool by_device) {
    size_t i = slowest->count;
    while (i > 0 && is_slower(t, &slowest->items[i - 1], by_device))
        i--;
    if (i == XS_TOP)
        return;
    size_t moved = slowest->count < XS_TOP ? slowest->count - i : XS_TOP - 1 - i;
    memmove(&slowest->items[i + 1], &slowest->items[i], moved * sizeof slowest->items[0]);
    slowest->items[i] = *t;
    slowest->count += slowest->count < XS_TOP;
}

static void count_coverage(struct xs_coverage *coverage, const struct xs_slow_transfer *t, struct xs_record *record) {
    if (record) {
        record->matched = 1;
        *(t->modelled ? &coverage->modelled : &coverage->matched) += 1;
    } else if (!t->bytes) {
        coverage->host_empty++;
    } else {
        coverage->without_record++;
    }
}

/* Adds the totals of transfers of a group to that group, to those of all transfers, and, for uploads and downloads, to
 * those of the host's kind of memory. */
static void add(struct xs_summary *s, struct xs_transfer_group *group, const struct xs_totals *totals) {
    xs_totals_add(&group->totals, totals);
    xs_totals_add(&s->all, totals);
    if (group->direction != XS_DIR_H2D && group->direction != XS_DIR_D2H)
        return;
    enum xs_memory_kind host = group->direction == XS_DIR_H2D ? group->src_kind : group->dst_kind;
    if (host == XS_MEM_PAGEABLE)
        xs_totals_add(&s->pageable, totals);
    if (host == XS_MEM_PINNED || host == XS_MEM_REGISTERED)
        xs_totals_add(&s->pinned, totals);
}

static bool read_transfer(struct xs_scan *scan, void *item) {
    struct transfer *row = item;
    row->t = (struct xs_slow_transfer){
        .direction = xs_scan_kind(scan, DIRECTION, XS_DIRECTION_COUNT),
        .src_kind = xs_scan_kind(scan, SRC, XS_MEMORY_KIND_COUNT),
        .dst_kind = xs_scan_kind(scan, DST, XS_MEMORY_KIND_COUNT),
        .id = xs_scan_int(scan, ID),
        .entry_point_id = xs_scan_int(scan, ENTRY),
        .enter_ns = xs_scan_int(scan, ENTER),
        .bytes = xs_scan_count(scan, BYTES),
        .is_async = xs_scan_int(scan, ASYNC) != 0,
    };
    xs_scan_span(scan, ENTER, RETURN, &row->t.host_ns);
    row->correlation = xs_scan_correlation(scan, CORRELATION);
    row->return_ns = xs_scan_int(scan, RETURN);
    row->is_failed = xs_scan_int(scan, RESULT) != 0;
    row->is_captured = xs_scan_int(scan, CAPTURED) != 0;
    row->is_later_of_batch = !xs_scan_null(scan, BATCH) && xs_scan_int(scan, BATCH) != 0;
    row->has_stack = !xs_scan_null(scan, STACK);
    return true;
}

static void take_transfer(struct join *join, const struct transfer *row) {
    struct xs_summary_work *work = join->work;
    struct xs_summary *s = work->summary;
    struct xs_slow_transfer t = row->t;
    struct xs_record *record = row->correlation && row->correlation == join->record.correlation ? &join->record : NULL;
    xs_work_saw(work, row->return_ns);
    s->coverage.host_transfers++;
    if (row->is_failed) {
        s->coverage.host_failed++;
        return;
    }
    if (row->is_captured) {
        s->coverage.host_captured++;
        return;
    }
    t.timed = xs_record_share(record, t.bytes, &t.device_ns);
    t.modelled = record && xs_is_modelled(work->trace, record->correlation);
    count_coverage(&s->coverage, &t, record);
    s->coverage.without_stack += s->coverage.stacks_recorded && !row->has_stack;
    if (!xs_selection_has(work->selection, XS_EVIDENCE_TRANSFER, t.id))
        return;
    /* all copies of a batch call have the whole call's host time */
    const struct xs_totals totals = totals_of(&t, row->is_later_of_batch ? 0 : t.host_ns);
    add(s, xs_group_at(s->groups, t.direction, t.src_kind, t.dst_kind), &totals);
    keep_largest(s, &t, &totals);
    keep_slowest(&join->by_host, &t, false);
    if (t.timed)
        keep_slowest(&join->by_device, &t, true);
}

/* Ends a call, whose rows were all read. */
static void end_call(struct join *join) {
    const struct xs_record *record = &join->record;
    struct xs_summary_work *work = join->work;
    if (!record->correlation)
        return;
    work->any_timed |= !record->untimed;
    if (record->matched)
        return;
    if (record->untimed) {
        work->untimed_orphans = xs_sum(work->untimed_orphans, record->records);
        return;
    }
    work->orphans = xs_sum(work->orphans, record->records);
    work->orphan_bytes = xs_sum(work->orphan_bytes, record->bytes);
    work->orphan_ns = xs_sum(work->orphan_ns, record->ns);
}

static void take_copy(struct join *join, const struct xs_copy_row *row) {
    xs_copy_row_take(join->work, row);
    if (!row->record.correlation)
        return;
    if (row->record.correlation == join->record.correlation) {
        xs_record_fold(&join->record, &row->record);
        return;
    }
    end_call(join);
    join->record = row->record;
}

static int read_rows(struct join *join) {
    enum { COPY, TRANSFER, TABLES };
    static const struct xs_source_kind kinds[TABLES] = {
        [COPY] = {"device_copy", "correlation", "1", XS_COPY_ROW_COLUMNS, sizeof(struct xs_copy_row), xs_copy_row_read,
                  true},
        [TRANSFER] = {"transfer", "correlation", "1", transfer_columns, sizeof(struct transfer), read_transfer, true}};
    struct xs_summary_work *work = join->work;
    struct xs_merge merge;
    int64_t correlation;
    unsigned source;
    int status =
        xs_merge_begin(&merge, kinds, TABLES, work->trace, NULL, 0, work->message, &work->summary->damaged_rows);
    while (status >= 0 && (status = xs_merge_peek(&merge, &correlation, &source)) > 0) {
        void *row = xs_merge_take(&merge, source);
        if (source == COPY)
            take_copy(join, row);
        else
            take_transfer(join, row);
    }
    end_call(join);
    xs_merge_end(&merge);
    return status;
}

static int by_cost(const void *a, const void *b) {
    const struct xs_transfer_group *x = a, *y = b;
    return xs_compare_uint64(y->totals.device_ns, x->totals.device_ns)
        ?: xs_compare_uint64(y->totals.bytes, x->totals.bytes) ?: xs_compare_uint64(y->totals.count, x->totals.count)
        ?: xs_compare(x->direction, y->direction) ?: xs_compare(x->src_kind, y->src_kind);
}

static struct xs_transfer_group *make_groups(void) {
    enum { KINDS = XS_MEMORY_KIND_COUNT };
    struct xs_transfer_group *groups = xs_zeroed(XS_GROUPS, sizeof *groups);
    for (unsigned i = 0; i < XS_GROUPS; i++)
        groups[i] = (struct xs_transfer_group){
            .direction = i / (KINDS * KINDS), .src_kind = i / KINDS % KINDS, .dst_kind = i % KINDS};
    return groups;
}

/* Keeps only the groups that have transfers. */
static void sort_groups(struct xs_summary *s) {
    for (unsigned i = 0; i < XS_GROUPS; i++)
        if (s->groups[i].totals.count)
            s->groups[s->group_count++] = s->groups[i];
    xs_sort(s->groups, s->group_count, sizeof *s->groups, by_cost);
}

/* Reads names of only the few entry points that are shown. */
static void name_entry_points(struct xs_summary_work *work) {
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
    xs_work_end(work, &scan);
}

/* Adds rows that were thinned out. They cannot be filtered, and are in none of the lists. */
static void add_thinned(struct xs_summary_work *work) {
    struct xs_transfer_group *thinned = make_groups();
    xs_summary_thinned_transfers(work, thinned);
    for (unsigned i = 0; i < XS_GROUPS; i++)
        add(work->summary, &work->summary->groups[i], &thinned[i].totals);
    free(thinned);
}

static void set_slowest(struct xs_summary *s, const struct slowest *slowest) {
    memcpy(s->slowest, slowest->items, slowest->count * sizeof s->slowest[0]);
    s->slowest_count = slowest->count;
}

void xs_summary_transfers(struct xs_summary_work *work) {
    struct xs_summary *s = work->summary;
    struct join join = {.work = work};
    s->groups = make_groups();
    if (work->status >= 0)
        work->status = read_rows(&join);
    s->slowest_by_device = work->any_timed;
    set_slowest(s, s->slowest_by_device ? &join.by_device : &join.by_host);
    if (!s->selected)
        add_thinned(work);
    sort_groups(s);
    name_entry_points(work);
    s->coverage.without_event += work->untimed_orphans;
    if (s->selected || !s->thinned.rows) /* otherwise they count as copies whose call was thinned out */
        s->coverage.without_event += work->orphans;
}
