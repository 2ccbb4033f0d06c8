/* Reads what the timeline shows: calls of the host, then the device's records, each joined with the call that asked for it. */
#include <stdlib.h>

#include "analyzer/html/grow.h"
#include "analyzer/html/lanes_internal.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/scan.h"

enum { FINDINGS_OF_A_ROW = 8, KERNEL_NAMES = 400 };

/* A transfer or memset of the host, as far as its device record needs it. */
struct call {
    int64_t row;
    uint32_t correlation, site;
    int32_t index, stream;
    uint8_t direction, host_kind;
};

struct work {
    struct xs_html_lanes *lanes;
    const struct xs_trace *trace;
    struct xs_html_sites *sites;
    const struct xs_html_marks *marks;
    struct xs_html_scatter *scatter;
    struct call *calls; /* by correlation */
    size_t count, capacity;
    bool unordered;
    char *message;
    uint64_t damaged;
};

static void mark(struct work *w, uint32_t segment, enum xs_evidence_table table, int64_t row, uint32_t site) {
    uint32_t findings[FINDINGS_OF_A_ROW];
    size_t count = xs_html_marks_of(w->marks, table, row, site, findings, FINDINGS_OF_A_ROW);
    for (size_t i = 0; i < count; i++)
        ++*xs_hash_put(&w->lanes->marked, segment, findings[i]);
}

/* --- the host --- */

/* Columns of every query of the host's calls. */
enum {
    ID,
    THREAD,
    ENTER,
    RETURN,
    ENTRY,
    STACK,
    BYTES,
    CORRELATION,
    STREAM,
    DIRECTION,
    SOURCE,
    DESTINATION,
    BATCH,
    ASYNC
};

static void put_call(struct work *w, enum xs_html_kind kind, enum xs_evidence_table table, struct xs_scan *scan,
                     uint64_t bytes, struct call *call) {
    uint64_t ns = 0;
    int64_t key[3] = {xs_scan_int(scan, THREAD), 0, 0};
    call->row = xs_scan_int(scan, ID);
    call->index = xs_html_site_index(w->sites, xs_scan_int(scan, ENTRY), xs_scan_int(scan, STACK), &call->site);
    if (!xs_scan_span(scan, ENTER, RETURN, &ns))
        return;
    struct xs_html_segment one = {.start_ns = xs_scan_int(scan, ENTER),
                                  .end_ns = xs_scan_int(scan, RETURN),
                                  .busy_ns = ns,
                                  .bytes = bytes,
                                  .row = call->row,
                                  .count = 1,
                                  .what = call->index,
                                  .kind = (uint8_t)kind};
    uint32_t segment = xs_html_lane_add(w->lanes, xs_html_lane_of(w->lanes, XS_HTML_THREADS, key), &one);
    mark(w, segment, table, call->row, call->site);
}

static void keep_call(struct work *w, const struct xs_scan *scan, struct call *call) {
    int64_t correlation = xs_scan_int(scan, CORRELATION), stream = xs_scan_int(scan, STREAM);
    if (correlation <= 0 || correlation > UINT32_MAX)
        return;
    call->correlation = (uint32_t)correlation;
    call->stream = stream > 0 && stream <= INT32_MAX ? (int32_t)stream : 0;
    xs_html_grow(&w->calls, w->count, &w->capacity, sizeof *w->calls);
    w->unordered |= w->count && w->calls[w->count - 1].correlation > call->correlation;
    w->calls[w->count++] = *call;
}

static void take_transfer(struct work *w, struct xs_scan *scan) {
    struct call call = {.direction = (uint8_t)xs_scan_kind(scan, DIRECTION, XS_DIRECTION_COUNT)};
    unsigned source = xs_scan_kind(scan, SOURCE, XS_MEMORY_KIND_COUNT),
             destination = xs_scan_kind(scan, DESTINATION, XS_MEMORY_KIND_COUNT);
    uint64_t bytes = xs_scan_count(scan, BYTES), ns = 0;
    call.host_kind = (uint8_t)(call.direction == XS_DIR_H2D   ? source
                               : call.direction == XS_DIR_D2H ? destination
                                                              : XS_MEM_UNKNOWN);
    if (xs_scan_int(scan, BATCH) > 0) { /* the first of its batch stands for the call */
        call.row = xs_scan_int(scan, ID);
        call.index = xs_html_site_index(w->sites, xs_scan_int(scan, ENTRY), xs_scan_int(scan, STACK), &call.site);
    } else {
        put_call(w, (enum xs_html_kind)call.direction, XS_EVIDENCE_TRANSFER, scan, bytes, &call);
        keep_call(w, scan, &call);
    }
    if (w->scatter->host_times && !xs_scan_int(scan, ASYNC) && xs_scan_null(scan, BATCH) &&
        xs_scan_span(scan, ENTER, RETURN, &ns)) {
        struct xs_html_point point = {bytes, ns, 1, call.row, call.index, call.direction, call.host_kind};
        xs_html_scatter_add(w->scatter, &point);
    }
}

static int read_transfers(struct work *w) {
    struct xs_scan scan;
    xs_scan_begin(&scan, w->trace,
                  "SELECT id, thread, enter_ns, return_ns, entry_point, stack, bytes, correlation, stream, direction, "
                  "src_kind, dst_kind, batch_index, is_async FROM transfer WHERE " XS_RAN,
                  w->message, &w->damaged);
    while (xs_scan_row(&scan))
        take_transfer(w, &scan);
    return xs_scan_end(&scan);
}

static const struct {
    enum xs_evidence_table table;
    enum xs_html_kind kind;
    const char *sql;
} others[] = {
    {XS_EVIDENCE_MEMSET, XS_HTML_MEMSET,
     "SELECT id, thread, enter_ns, return_ns, entry_point, stack, bytes, correlation, stream FROM memset "
     "WHERE " XS_RAN},
    {XS_EVIDENCE_SYNC, XS_HTML_WAIT,
     "SELECT id, thread, enter_ns, return_ns, entry_point, stack, 0, NULL, stream FROM sync WHERE result = 0"},
    {XS_EVIDENCE_ALLOCATION, XS_HTML_ALLOCATE,
     "SELECT id, thread, enter_ns, return_ns, entry_point, stack, bytes, NULL, stream FROM allocation "
     "WHERE thread IS NOT NULL AND enter_ns IS NOT NULL"},
    {XS_EVIDENCE_ALLOCATION, XS_HTML_ALLOCATE,
     "SELECT id, free_thread, free_enter_ns, free_return_ns, free_entry_point, free_stack, bytes, NULL, stream "
     "FROM allocation WHERE free_thread IS NOT NULL AND free_return_ns IS NOT NULL"},
};

static int read_others(struct work *w) {
    int status = XS_OK;
    for (size_t i = 0; i < sizeof others / sizeof *others && status >= 0; i++) {
        struct xs_scan scan;
        xs_scan_begin(&scan, w->trace, others[i].sql, w->message, &w->damaged);
        while (xs_scan_row(&scan)) {
            struct call call = {.direction = UINT8_MAX};
            put_call(w, others[i].kind, others[i].table, &scan, xs_scan_count_or_null(&scan, BYTES), &call);
            if (others[i].table == XS_EVIDENCE_MEMSET)
                keep_call(w, &scan, &call);
        }
        status = xs_scan_end(&scan);
    }
    return status;
}

/* --- the device --- */

static int compare_calls(const void *a, const void *b) {
    const struct call *x = a, *y = b;
    return (x->correlation > y->correlation) - (x->correlation < y->correlation);
}

static const struct call *call_of(const struct work *w, int64_t correlation) {
    if (!w->count || correlation <= 0 || correlation > UINT32_MAX)
        return NULL;
    struct call key = {.correlation = (uint32_t)correlation};
    return bsearch(&key, w->calls, w->count, sizeof key, compare_calls);
}

/* Columns of every query of the device's records. */
enum { START = 0, END, SIZE, OF, DEVICE, CONTEXT, QUEUE, NODE, KIND, COPIES, KERNEL = COPIES };

static void put_work(struct work *w, struct xs_scan *scan, unsigned kind, int32_t what, const struct call *call,
                     enum xs_evidence_table table) {
    uint64_t ns = 0;
    if (!xs_scan_span(scan, START, END, &ns))
        return;
    int64_t device = xs_scan_null(scan, DEVICE) ? -1 : xs_scan_int(scan, DEVICE);
    int64_t stream_key[3] = {device, xs_scan_int(scan, CONTEXT), xs_scan_int(scan, QUEUE)};
    int64_t engine_key[3] = {device, kind, 0};
    struct xs_html_segment one = {.start_ns = xs_scan_int(scan, START),
                                  .end_ns = xs_scan_int(scan, END),
                                  .busy_ns = ns,
                                  .bytes = kind == XS_HTML_KERNEL ? 0 : xs_scan_count_or_null(scan, SIZE),
                                  .row = call ? call->row : 0,
                                  .count = 1,
                                  .what = what,
                                  .kind = (uint8_t)kind};
    struct xs_html_lane *lane = xs_html_lane_of(w->lanes, XS_HTML_STREAMS, stream_key);
    if (call && call->stream && !lane->stream)
        lane->stream = call->stream;
    uint32_t segments[2] = {xs_html_lane_add(w->lanes, lane, &one), 0};
    lane = xs_html_lane_of(w->lanes, XS_HTML_ENGINES, engine_key);
    segments[1] = xs_html_lane_add(w->lanes, lane, &one);
    for (int i = 0; i < 2 && call; i++)
        mark(w, segments[i], table, call->row, call->site);
}

static unsigned direction_of_copy(unsigned kind) {
    static const uint8_t directions[XS_COPY_KIND_COUNT] = {XS_DIR_UNKNOWN, XS_DIR_H2D, XS_DIR_D2H, XS_DIR_H2D,
                                                           XS_DIR_D2H,     XS_DIR_D2D, XS_DIR_D2D, XS_DIR_D2D,
                                                           XS_DIR_D2D,     XS_DIR_H2H, XS_DIR_PEER};
    return directions[kind];
}

static int read_copies(struct work *w) {
    struct xs_scan scan;
    xs_scan_begin(&scan, w->trace,
                  "SELECT start_ns, end_ns, bytes, correlation, coalesce(device, dst_device, src_device), "
                  "cupti_context, cupti_stream, graph_node, kind, copies FROM device_copy",
                  w->message, &w->damaged);
    while (xs_scan_row(&scan)) {
        uint64_t ns = 0;
        bool of_graph = !xs_scan_null(&scan, NODE);
        const struct call *call = of_graph ? NULL : call_of(w, xs_scan_int(&scan, OF));
        put_work(w, &scan, direction_of_copy(xs_scan_kind(&scan, KIND, XS_COPY_KIND_COUNT)), call ? call->index : -1,
                 call, XS_EVIDENCE_TRANSFER);
        if (w->scatter->host_times || !call || call->direction == UINT8_MAX || xs_scan_int(&scan, COPIES) != 1 ||
            !xs_scan_span(&scan, START, END, &ns))
            continue;
        struct xs_html_point point = {
            xs_scan_count(&scan, SIZE), ns, 1, call->row, call->index, call->direction, call->host_kind};
        xs_html_scatter_add(w->scatter, &point);
    }
    return xs_scan_end(&scan);
}

static int read_memsets(struct work *w) {
    struct xs_scan scan;
    xs_scan_begin(&scan, w->trace,
                  "SELECT start_ns, end_ns, bytes, correlation, device, cupti_context, cupti_stream, graph_node "
                  "FROM device_memset",
                  w->message, &w->damaged);
    while (xs_scan_row(&scan)) {
        const struct call *call = xs_scan_null(&scan, NODE) ? call_of(w, xs_scan_int(&scan, OF)) : NULL;
        put_work(w, &scan, XS_HTML_MEMSET, call ? call->index : -1, call, XS_EVIDENCE_MEMSET);
    }
    return xs_scan_end(&scan);
}

static int32_t kernel_of(const struct work *w, int64_t name) {
    const uint64_t *index = xs_hash_find(&w->lanes->kernel_index, (uint64_t)name, 0);
    return index ? (int32_t)*index - 1 : -1;
}

static int read_kernels(struct work *w) {
    struct xs_html_lanes *lanes = w->lanes;
    struct xs_scan scan;
    size_t capacity = 0;
    xs_scan_begin(&scan, w->trace, "SELECT id, name FROM kernel_name LIMIT 400", w->message, &w->damaged);
    while (xs_scan_row(&scan) && lanes->kernel_count < KERNEL_NAMES) {
        xs_html_grow(&lanes->kernels, lanes->kernel_count, &capacity, sizeof *lanes->kernels);
        lanes->kernels[lanes->kernel_count++] = xs_strdup(xs_scan_text(&scan, 1));
        *xs_hash_put(&lanes->kernel_index, (uint64_t)xs_scan_int(&scan, 0), 0) = lanes->kernel_count;
    }
    int status = xs_scan_end(&scan);
    if (status < 0)
        return status;
    xs_scan_begin(&scan, w->trace,
                  "SELECT start_ns, end_ns, 0, correlation, device, cupti_context, cupti_stream, graph_node, 0, name "
                  "FROM device_kernel",
                  w->message, &w->damaged);
    while (xs_scan_row(&scan))
        put_work(w, &scan, XS_HTML_KERNEL, kernel_of(w, xs_scan_int(&scan, KERNEL)), NULL, XS_EVIDENCE_LAUNCH);
    return xs_scan_end(&scan);
}

/* --- all of it --- */

/* So fine that the busiest trace stays within what the page can hold, were every lane busy all the time. */
static int64_t step_of(const struct xs_summary *summary) {
    uint64_t calls = summary->all.count, work = summary->coverage.device_copies;
    calls = xs_sum(calls, xs_sum(summary->memsets.count, summary->memsets_device.count));
    for (size_t i = 0; i < XS_SYNC_SCOPE_COUNT; i++)
        calls = xs_sum(calls, summary->syncs[i].count);
    for (size_t i = 0; i < XS_MEMORY_KIND_COUNT; i++)
        calls = xs_sum(calls, xs_sum(summary->allocations[i].count, summary->allocations[i].frees));
    for (size_t i = 0; i < summary->device_count; i++)
        work = xs_sum(work, summary->devices[i].kernels);
    if (xs_sum(calls, xs_sum(work, work)) <= XS_HTML_EXACT_SEGMENTS)
        return 0;
    /* each lane has about three kinds, and a kind's segments may touch two steps each */
    int64_t step = (int64_t)(summary->run.duration_ns / (XS_HTML_SEGMENTS / 12));
    return step > 0 ? step : 1;
}

/* Lanes that are many get a coarser step: what was read is read again. */
static int read_all(struct work *w) {
    int status = read_transfers(w);
    if (status >= 0)
        status = read_others(w);
    if (w->unordered)
        qsort(w->calls, w->count, sizeof *w->calls, compare_calls);
    if (status >= 0)
        status = read_copies(w);
    if (status >= 0)
        status = read_memsets(w);
    return status < 0 ? status : read_kernels(w);
}

int xs_html_lanes_read(struct xs_html_lanes *lanes, const struct xs_summary *summary, struct xs_html_sites *sites,
                       const struct xs_html_marks *marks, struct xs_html_scatter *scatter, char *message) {
    int64_t step = step_of(summary);
    int status = XS_OK;
    for (int attempt = 0; attempt < 4; attempt++) {
        struct work w = {.lanes = lanes,
                         .trace = summary->trace,
                         .sites = sites,
                         .marks = marks,
                         .scatter = scatter,
                         .message = message};
        xs_html_lanes_free(lanes);
        xs_html_scatter_free(scatter);
        scatter->host_times = !summary->coverage.device_copies;
        lanes->step_ns = step;
        lanes->last_ns = (int64_t)(summary->run.duration_ns & INT64_MAX);
        status = read_all(&w);
        free(w.calls);
        if (status < 0 || lanes->segments <= XS_HTML_SEGMENTS)
            break;
        /* by how much it is over, and some more: lanes do not shrink evenly */
        double factor = (double)lanes->segments / XS_HTML_SEGMENTS * 1.5;
        step =
            step ? (int64_t)((double)step * factor) : (int64_t)(summary->run.duration_ns / XS_HTML_SEGMENTS * 12) + 1;
    }
    return status;
}
