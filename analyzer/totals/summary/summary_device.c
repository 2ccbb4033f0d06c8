/* Reads CUPTI's records of the device (copies, kernels, memsets, migrations), and computes how much copies and kernels
 * overlapped. */
#include "analyzer/totals/summary/summary_internal.h"
#include "analyzer/trace/kind_words.h"

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

static unsigned kind_of(struct xs_scan *scan) {
    return (unsigned)xs_kind_of_copy(xs_scan_kind(scan, XS_RECORD_KIND, XS_COPY_KIND_COUNT),
                                     xs_scan_int(scan, XS_RECORD_SRC_KIND), xs_scan_int(scan, XS_RECORD_DST_KIND));
}

static void take_copy(struct xs_summary_work *work, struct xs_scan *scan) {
    enum { DEVICE = XS_RECORD_NEXT, DESTINATION, SOURCE, COPIES, NODE };
    struct xs_summary *s = work->summary;
    struct xs_record record = xs_record_read(scan);
    s->coverage.device_copies += !xs_is_modelled(work->trace, record.correlation);
    if (!record.untimed) {
        size_t device = xs_work_device(work, first_device_of(scan, DEVICE));
        int64_t start = xs_scan_int(scan, XS_RECORD_START), end = xs_scan_int(scan, XS_RECORD_END);
        xs_work_saw(work, end);
        xs_intervals_add(&work->copies[device], start, end);
    }
    if (!xs_scan_null(scan, NODE)) {
        uint64_t copies = xs_scan_count(scan, COPIES);
        s->coverage.device_copies_graph += !xs_is_modelled(work->trace, record.correlation);
        xs_count_time_add(&s->graph_copies[kind_of(scan)], copies, record.bytes, record.ns);
        xs_count_time_add(&s->graph_total, copies, record.bytes, record.ns);
        return;
    }
    s->coverage.without_event += !record.correlation;
    xs_records_add(&work->records, &record);
}

static void read_copies(struct xs_summary_work *work) {
    struct xs_scan scan;
    xs_work_columns(work, &scan, "device_copy",
                    XS_COPY_RECORD_COLUMNS ", device, dst_device, src_device, copies, graph_node");
    while (xs_scan_row(&scan))
        take_copy(work, &scan);
    xs_work_end(work, &scan);
    xs_records_sort(&work->records);
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
        xs_intervals_add(&work->kernels[device], xs_scan_int(&scan, START), xs_scan_int(&scan, END));
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
    read_copies(work);
    read_kernels(work);
    read_migrations(work);
    read_memsets(work);
}

void xs_summary_overlap(struct xs_summary_work *work) {
    for (size_t i = 0; i < work->summary->device_count; i++) {
        struct xs_device_summary *d = &work->summary->devices[i];
        d->copy_busy_ns = xs_intervals_unite(&work->copies[i]);
        d->kernel_busy_ns = xs_intervals_unite(&work->kernels[i]);
        d->both_busy_ns = xs_intervals_common(&work->copies[i], &work->kernels[i], NULL);
    }
}
