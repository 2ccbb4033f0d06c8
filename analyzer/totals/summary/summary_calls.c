/* Reads the host's other calls: memsets, launches, synchronisation, and the lifetimes of allocations. */
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/hash.h"
#include "analyzer/base/search.h"
#include "analyzer/totals/summary/summary_internal.h"
#include "analyzer/trace/ran.h"

/* Reads memset, launch or sync: a kind, two times and the bytes of each row. */
static void read_kinds(struct xs_summary_work *work, const char *sql, struct xs_count_time *totals, unsigned kinds) {
    enum { KIND, ENTER, RETURN, BYTES };
    struct xs_scan scan;
    xs_work_begin(work, &scan, "%s", sql);
    while (xs_scan_row(&scan)) {
        uint64_t ns = 0;
        unsigned kind = xs_scan_kind(&scan, KIND, kinds);
        xs_scan_span(&scan, ENTER, RETURN, &ns);
        xs_work_saw(work, xs_scan_int(&scan, RETURN));
        xs_count_time_add(&totals[kind], 1, xs_scan_count(&scan, BYTES), ns);
    }
    xs_work_end(work, &scan);
}

/* A change of the allocated bytes of one kind of memory, for finding the peak. */
struct change {
    int64_t at_ns;
    int64_t bytes; /* negative: bytes that were freed */
    unsigned kind;
};

struct changes {
    struct change *items;
    size_t count, capacity;
};

static void add_change(struct changes *changes, int64_t at_ns, int64_t bytes, unsigned kind) {
    xs_grow(&changes->items, changes->count, &changes->capacity, sizeof *changes->items);
    changes->items[changes->count++] = (struct change){at_ns, bytes, kind};
}

static int by_time(const void *a, const void *b) {
    const struct change *x = a, *y = b;
    /* at equal times, frees come first: memory that is freed and allocated again at the same time makes no peak */
    return x->at_ns != y->at_ns ? xs_compare(x->at_ns, y->at_ns) : xs_compare(x->bytes, y->bytes);
}

static void find_peaks(struct xs_summary *s, struct changes *changes) {
    uint64_t live[XS_MEMORY_KIND_COUNT] = {0};
    xs_sort(changes->items, changes->count, sizeof *changes->items, by_time);
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *c = &changes->items[i];
        struct xs_allocation_totals *totals = &s->allocations[c->kind];
        if (c->bytes >= 0) {
            live[c->kind] = xs_sum(live[c->kind], (uint64_t)c->bytes);
        } else {
            uint64_t freed = (uint64_t)-c->bytes;
            live[c->kind] = freed > live[c->kind] ? 0 : live[c->kind] - freed;
        }
        totals->peak_bytes = live[c->kind] > totals->peak_bytes ? live[c->kind] : totals->peak_bytes;
    }
}

static void take_allocation(struct xs_summary_work *work, struct xs_scan *scan, struct changes *changes) {
    enum { KIND, BYTES, ENTER, RETURN, FREE_ENTER, FREE_RETURN };
    unsigned kind = xs_scan_kind(scan, KIND, XS_MEMORY_KIND_COUNT);
    struct xs_allocation_totals *totals = &work->summary->allocations[kind];
    uint64_t bytes = xs_scan_count_or_null(scan, BYTES), ns = 0;
    bool freed = !xs_scan_null(scan, FREE_RETURN);
    totals->count++;
    totals->bytes = xs_sum(totals->bytes, bytes);
    if (xs_scan_span(scan, ENTER, RETURN, &ns))
        totals->host_ns = xs_sum(totals->host_ns, ns);
    xs_work_saw(work, xs_scan_int(scan, RETURN));
    if (xs_scan_span(scan, FREE_ENTER, FREE_RETURN, &ns))
        totals->free_host_ns = xs_sum(totals->free_host_ns, ns);
    if (freed) {
        totals->frees++;
        xs_work_saw(work, xs_scan_int(scan, FREE_RETURN));
    } else {
        totals->live_count++;
        totals->live_bytes = xs_sum(totals->live_bytes, bytes);
    }
    add_change(changes, xs_scan_int(scan, RETURN), (int64_t)bytes, kind);
    if (freed)
        add_change(changes, xs_scan_int(scan, FREE_ENTER), -(int64_t)bytes, kind);
}

static void read_allocations(struct xs_summary_work *work) {
    struct xs_scan scan;
    struct changes changes = {0};
    xs_work_begin(work, &scan,
                  "SELECT kind, bytes, enter_ns, return_ns, free_enter_ns, free_return_ns FROM allocation");
    while (xs_scan_row(&scan))
        take_allocation(work, &scan, &changes);
    xs_work_end(work, &scan);
    find_peaks(work->summary, &changes);
    free(changes.items);
}

/* Counts cooperative launches by a join, because a kernel's record does not say how it was launched. Skips the join if
 * its result is not needed. */
static void split_cooperative(struct xs_summary_work *work) {
    enum { START, END, CORRELATION };
    struct xs_count_time *plain = &work->summary->launches[XS_LAUNCH_KERNEL];
    struct xs_count_time *cooperative = &work->summary->launches[XS_LAUNCH_COOPERATIVE];
    struct xs_scan scan;
    if (!cooperative->count || !plain->device_ns)
        return;
    xs_work_begin(work, &scan,
                  "SELECT start_ns, end_ns, correlation FROM device_kernel WHERE graph_node IS NULL AND correlation IN"
                  " (SELECT correlation FROM launch WHERE kind = %d)",
                  XS_LAUNCH_COOPERATIVE);
    scan.damaged = NULL; /* the first pass has counted damaged rows */
    while (xs_scan_row(&scan)) {
        uint64_t ns = 0;
        xs_scan_span(&scan, START, END, &ns);
        ns = ns < plain->device_ns ? ns : plain->device_ns;
        plain->device_ns -= ns;
        cooperative->device_ns += ns;
        if (xs_is_modelled(work->trace, xs_scan_correlation(&scan, CORRELATION))) {
            plain->modelled--;
            cooperative->modelled++;
        }
    }
    xs_work_end(work, &scan);
}

enum { GIVEN_PINNED = 1, GIVEN_MANAGED = 2 };

/* Finds the sets of arguments that contain host memory. */
static void read_given_sets(struct xs_summary_work *work, struct xs_hash *sets) {
    struct xs_scan scan;
    xs_work_begin(work, &scan,
                  "SELECT DISTINCT g.argument_set, a.kind FROM argument g JOIN allocation a ON a.id = g.allocation"
                  " WHERE a.kind IN (%d, %d, %d)",
                  XS_MEM_PINNED, XS_MEM_REGISTERED, XS_MEM_MANAGED);
    while (xs_scan_row(&scan)) {
        uint64_t *given = xs_hash_put(sets, (uint64_t)xs_scan_int(&scan, 0), 0);
        *given |= xs_scan_int(&scan, 1) == XS_MEM_MANAGED ? GIVEN_MANAGED : GIVEN_PINNED;
    }
    xs_work_end(work, &scan);
}

/* Counts kernels that got a pointer to host memory as an argument. They read this memory across the link, or move its
 * pages, without a copy. */
static void count_given(struct xs_summary_work *work) {
    XS_SCOPED_HASH sets = {0};
    struct xs_scan scan;
    read_given_sets(work, &sets);
    if (sets.count) {
        xs_work_begin(work, &scan, "SELECT arguments FROM launch WHERE " XS_RAN " AND kind IN (%d, %d)",
                      XS_LAUNCH_KERNEL, XS_LAUNCH_COOPERATIVE);
        while (xs_scan_row(&scan)) {
            const uint64_t *given = xs_hash_find(&sets, (uint64_t)xs_scan_int(&scan, 0), 0);
            work->summary->given_pinned += given && *given & GIVEN_PINNED;
            work->summary->given_managed += given && *given & GIVEN_MANAGED;
        }
        xs_work_end(work, &scan);
    }
}

void xs_summary_calls(struct xs_summary_work *work) {
    struct xs_summary *s = work->summary;
    read_kinds(work, "SELECT 0, enter_ns, return_ns, bytes FROM memset WHERE " XS_RAN, &s->memsets, 1);
    s->memsets.device_ns = s->memsets_device.ns;
    s->memsets.modelled = s->memsets_device.modelled;
    read_kinds(work, "SELECT kind, enter_ns, return_ns, 0 FROM launch WHERE " XS_RAN, s->launches,
               XS_LAUNCH_KIND_COUNT);
    split_cooperative(work);
    read_kinds(work, "SELECT scope, enter_ns, return_ns, 0 FROM sync", s->syncs, XS_SYNC_SCOPE_COUNT);
    count_given(work);
    xs_summary_thinned_calls(work);
    read_allocations(work);
}
