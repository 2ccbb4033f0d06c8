/* Reads CUPTI's records of the device: kernels, memsets and migrations, and a row of a copy. */
#include "analyzer/totals/summary/summary_internal.h"

static int64_t device_of(const struct xs_scan *scan, int column) {
    int64_t device = xs_scan_int(scan, column);
    return device == 0 && xs_scan_null(scan, column) ? -1 : device;
}

/* Returns the first of three columns that has a device. */
static int64_t first_device_of(const struct xs_scan *scan, int column) {
    int last = column + 2;
    while (column < last && xs_scan_null(scan, column))
        column++;
    return device_of(scan, column);
}

bool xs_copy_row_read(struct xs_scan *scan, void *item) {
    enum { RECORD = 1, DEVICE = RECORD + XS_RECORD_NEXT, DESTINATION, SOURCE, COPIES, NODE };
    struct xs_copy_row *row = item;
    row->record = xs_record_read(scan, RECORD);
    row->device = first_device_of(scan, DEVICE);
    row->end_ns = xs_scan_int(scan, RECORD + XS_RECORD_END);
    row->is_modelled = xs_is_modelled(scan->trace, row->record.correlation);
    row->is_of_graph = !xs_scan_null(scan, NODE);
    row->has_no_call = !row->is_of_graph && !row->record.correlation;
    if (row->is_of_graph) {
        row->copies = xs_scan_count(scan, COPIES);
        row->kind = xs_record_kind(scan, RECORD);
        row->record.correlation = 0;
    }
    return true;
}

void xs_copy_row_take(struct xs_summary_work *work, const struct xs_copy_row *row) {
    struct xs_summary *s = work->summary;
    s->coverage.device_copies += !row->is_modelled;
    if (!row->record.untimed) {
        xs_work_device(work, row->device);
        xs_work_saw(work, row->end_ns);
    }
    s->coverage.without_event += row->has_no_call;
    if (!row->is_of_graph)
        return;
    s->coverage.device_copies_graph += !row->is_modelled;
    xs_count_time_add(&s->graph_copies[row->kind], row->copies, row->record.bytes, row->record.ns);
    xs_count_time_add(&s->graph_total, row->copies, row->record.bytes, row->record.ns);
}

static void read_kernels(struct xs_summary_work *work) {
    enum { START, END, DEVICE, NODE, CORRELATION };
    struct xs_scan scan;
    xs_work_columns(work, &scan, "device_kernel", "start_ns, end_ns, device, graph_node, correlation");
    while (xs_scan_row(&scan)) {
        uint64_t ns = 0;
        size_t device = xs_work_device(work, device_of(&scan, DEVICE));
        struct xs_device_summary *d = &work->summary->devices[device];
        bool is_modelled = xs_is_modelled(work->trace, xs_scan_correlation(&scan, CORRELATION));
        d->kernels++;
        d->kernels_modelled += is_modelled;
        if (!xs_scan_span(&scan, START, END, &ns))
            continue;
        d->kernel_ns = xs_sum(d->kernel_ns, ns);
        struct xs_count_time *launches = work->summary->launches;
        launches += xs_scan_null(&scan, NODE) ? XS_LAUNCH_KERNEL : XS_LAUNCH_GRAPH;
        launches->device_ns = xs_sum(launches->device_ns, ns);
        launches->modelled += is_modelled;
        xs_work_saw(work, xs_scan_int(&scan, END));
    }
    xs_work_end(work, &scan);
}

static void read_migrations(struct xs_summary_work *work) {
    enum { KIND, BYTES, START, END };
    struct xs_scan scan;
    xs_work_begin(work, &scan, "SELECT kind, bytes, start_ns, end_ns FROM device_migration");
    while (xs_scan_row(&scan)) {
        uint64_t ns = 0;
        xs_scan_span(&scan, START, END, &ns);
        xs_count_time_add(&work->summary->migrations[xs_scan_kind(&scan, KIND, XS_MIGRATION_KIND_COUNT)], 1,
                          xs_scan_count_or_null(&scan, BYTES), ns);
    }
    xs_work_end(work, &scan);
}

static void read_memsets(struct xs_summary_work *work) {
    enum { BYTES, START, END, CORRELATION };
    struct xs_scan scan;
    xs_work_begin(work, &scan,
                  "SELECT bytes, start_ns, end_ns, correlation FROM device_memset WHERE graph_node IS NULL");
    while (xs_scan_row(&scan)) {
        uint64_t ns = 0;
        if (xs_scan_span(&scan, START, END, &ns))
            xs_count_time_add(&work->summary->memsets_device, 1, xs_scan_count(&scan, BYTES), ns);
        work->summary->memsets_device.modelled += xs_is_modelled(work->trace, xs_scan_correlation(&scan, CORRELATION));
    }
    xs_work_end(work, &scan);
}

void xs_summary_device(struct xs_summary_work *work) {
    read_kernels(work);
    read_migrations(work);
    read_memsets(work);
}
