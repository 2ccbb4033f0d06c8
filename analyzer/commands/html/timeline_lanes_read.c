/* Makes the lanes: first those of the host's calls, then those of the device's work. Work is joined with its call. */
#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/commands/html/timeline_lanes_internal.h"
#include "analyzer/symbols/symbols.h"
#include "analyzer/totals/timeline/timeline.h"
#include "analyzer/trace/scan.h"

enum { KERNEL_NAMES = 400, KERNEL_BYTES = 1024, NO_DIRECTION = UINT8_MAX };

/* A transfer or memset call of the host, with the data that its device record needs. */
struct call {
    int64_t row;
    uint32_t correlation, site, leaf;
    int32_t index, stream;
    uint8_t direction, host_kind; /* direction: NO_DIRECTION for a memset */
    bool left_out;                /* the sample left the copy out */
};

/* A thread's latest batch call: its segment, which has the bytes of all its copies. */
struct batch {
    int64_t enter_ns, correlation;
    size_t lane, item; /* indexes */
};

struct work {
    struct xs_html_lanes *lanes;
    const struct xs_trace *trace;
    struct xs_html_sites *sites;
    const struct xs_marks *marks;
    struct xs_html_scatter *scatter;
    struct xs_html_flame *flame;
    struct call *calls; /* sorted by correlation */
    size_t count, capacity;
    bool unordered;
    struct batch *batches;
    size_t batch_count, batch_capacity;
    struct xs_hash batch_of; /* thread.id to index + 1 */
    char *message;
};

static bool is_among(const struct xs_marked *marked, uint64_t finding) {
    for (unsigned i = 0; i < marked->count; i++)
        if (marked->findings[i] == finding)
            return true;
    return false;
}

/* Marks a segment for each finding that the call is about. A copy that the sample left out is marked as not checked for
 * each finding of its site that is an estimate from other copies. */
static void mark(struct work *w, uint32_t segment, enum xs_evidence_table table, const struct call *call) {
    struct xs_marked marked = {0};
    const uint64_t *finding;
    xs_marks_of(w->marks, table, call->row, call->site, &marked);
    for (unsigned i = 0; i < marked.count; i++)
        ++*xs_hash_put(&w->lanes->marked, segment, marked.findings[i]);
    for (uint64_t i = 0; call->left_out && (finding = xs_html_sites_sampled(w->sites, call->site, i)); i++)
        if (!is_among(&marked, *finding))
            ++*xs_hash_put(&w->lanes->unchecked, segment, *finding);
}

/* --- the host --- */

static struct xs_html_segment segment_of(const struct xs_timeline_row *row, unsigned kind, int32_t what, int64_t id) {
    return (struct xs_html_segment){.start_ns = row->start_ns,
                                    .end_ns = row->end_ns,
                                    .busy_ns = xs_timeline_ns(row),
                                    .bytes = row->bytes,
                                    .row = id,
                                    .count = 1,
                                    .what = what,
                                    .kind = (uint8_t)kind};
}

static void add_point(struct work *w, const struct xs_timeline_row *row, const struct call *call) {
    const struct xs_html_point point = {row->bytes,      xs_timeline_ns(row), 1, call->row, call->index,
                                        call->direction, call->host_kind};
    xs_html_scatter_add(w->scatter, &point);
}

static void put_call(struct work *w, enum xs_html_kind kind, const struct xs_timeline_row *row,
                     const struct call *call) {
    int64_t key[3] = {row->thread, 0, 0};
    if (!row->timed)
        return;
    const struct xs_html_segment one = segment_of(row, kind, call->index, row->id);
    uint32_t segment = xs_html_lane_add(w->lanes, xs_html_lane_of(w->lanes, XS_HTML_THREADS, key), &one);
    mark(w, segment, (enum xs_evidence_table)row->evidence, call);
}

/* Begins a batch call. Its first copy is shown for the whole call; the other copies have the same times, and their
 * bytes are added. Rows of other threads may come between them. */
static void begin_batch(struct work *w, const struct xs_timeline_row *row) {
    int64_t key[3] = {row->thread, 0, 0};
    uint64_t *known = xs_hash_put(&w->batch_of, (uint64_t)row->thread, 0);
    if (!*known) {
        xs_grow(&w->batches, w->batch_count, &w->batch_capacity, sizeof *w->batches);
        *known = ++w->batch_count;
    }
    const struct xs_html_lane *lane = xs_html_lane_of(w->lanes, XS_HTML_THREADS, key);
    w->batches[*known - 1] = (struct batch){row->start_ns, row->correlation, (size_t)(lane - w->lanes->lanes),
                                            lane->latest[row->direction] - 1};
}

static void add_to_batch(struct work *w, const struct xs_timeline_row *row) {
    const uint64_t *known = xs_hash_find(&w->batch_of, (uint64_t)row->thread, 0);
    const struct batch *batch = known ? &w->batches[*known - 1] : NULL;
    if (!batch || batch->enter_ns != row->start_ns || batch->correlation != row->correlation)
        return;
    struct xs_html_segment *segment = &w->lanes->lanes[batch->lane].items[batch->item];
    segment->bytes = xs_sum(segment->bytes, row->bytes);
}

static void keep_call(struct work *w, const struct xs_timeline_row *row, struct call *call) {
    if (row->correlation <= 0 || row->correlation > UINT32_MAX)
        return;
    call->correlation = (uint32_t)row->correlation;
    call->stream = row->stream > 0 && row->stream <= INT32_MAX ? (int32_t)row->stream : 0;
    xs_grow(&w->calls, w->count, &w->capacity, sizeof *w->calls);
    w->unordered |= w->count && w->calls[w->count - 1].correlation > call->correlation;
    w->calls[w->count++] = *call;
}

static struct call call_from(struct work *w, const struct xs_timeline_row *row, unsigned direction) {
    struct call call = {.row = row->id, .direction = (uint8_t)direction};
    call.index = xs_html_site_index(w->sites, row->entry_point, row->stack, &call.site);
    call.leaf = xs_html_flame_leaf(w->flame, row->entry_point, row->stack, call.index, call.site);
    struct xs_html_leaf *leaf = &w->flame->leaves[call.leaf];
    if (row->timed && row->batch_index <= 0) /* the copies of a batch call all have the call's times */
        leaf->calls_ns = xs_sum(leaf->calls_ns, xs_timeline_ns(row));
    return call;
}

static bool take_transfer(void *data, const struct xs_timeline_row *row) {
    struct work *w = data;
    struct call call = call_from(w, row, row->direction);
    call.left_out = row->left_out;
    call.host_kind = (uint8_t)(row->direction == XS_DIR_H2D   ? row->src_kind
                               : row->direction == XS_DIR_D2H ? row->dst_kind
                                                              : XS_MEM_UNKNOWN);
    struct xs_html_leaf *leaf = &w->flame->leaves[call.leaf];
    leaf->transfers++;
    leaf->bytes = xs_sum(leaf->bytes, row->bytes);
    if (row->timed && row->batch_index <= 0)
        leaf->host_ns = xs_sum(leaf->host_ns, xs_timeline_ns(row));
    if (row->batch_index <= 0) {
        put_call(w, (enum xs_html_kind)row->direction, row, &call);
        keep_call(w, row, &call);
        if (row->batch_index == 0 && row->timed)
            begin_batch(w, row);
    } else if (row->timed) {
        add_to_batch(w, row);
    }
    if (w->scatter->host_times && !row->is_async && row->batch_index < 0 && row->timed)
        add_point(w, row, &call);
    return true;
}

static bool take_other_call(void *data, const struct xs_timeline_row *row) {
    struct work *w = data;
    struct call call = call_from(w, row, NO_DIRECTION);
    put_call(w,
             row->kind == XS_TIMELINE_MEMSET ? XS_HTML_MEMSET
             : row->kind == XS_TIMELINE_SYNC ? XS_HTML_WAIT
                                             : XS_HTML_ALLOCATE,
             row, &call);
    if (row->kind == XS_TIMELINE_MEMSET)
        keep_call(w, row, &call);
    return true;
}

/* --- the device --- */

static int compare_calls(const void *a, const void *b) {
    const struct call *x = a, *y = b;
    return xs_compare(x->correlation, y->correlation);
}

/* Returns the call that requested the work; NULL: not known, for example for work of a graph. */
static const struct call *call_of(struct work *w, const struct xs_timeline_row *row) {
    if (w->unordered)
        xs_sort(w->calls, w->count, sizeof *w->calls, compare_calls);
    w->unordered = false;
    if (!w->count || row->of_graph || row->correlation <= 0 || row->correlation > UINT32_MAX)
        return NULL;
    struct call key = {.correlation = (uint32_t)row->correlation};
    return bsearch(&key, w->calls, w->count, sizeof key, compare_calls);
}

static void put_work(struct work *w, const struct xs_timeline_row *row, unsigned kind, int32_t what,
                     const struct call *call) {
    int64_t stream_key[3] = {row->device, row->context, row->queue};
    int64_t engine_key[3] = {row->device, kind, 0};
    struct xs_html_segment one = segment_of(row, kind, what, call ? call->row : 0);
    one.modelled = row->modelled;
    struct xs_html_lane *lane = xs_html_lane_of(w->lanes, XS_HTML_STREAMS, stream_key);
    if (call && call->stream && !lane->stream)
        lane->stream = call->stream;
    uint32_t segments[2] = {xs_html_lane_add(w->lanes, lane, &one), 0};
    lane = xs_html_lane_of(w->lanes, XS_HTML_ENGINES, engine_key);
    segments[1] = xs_html_lane_add(w->lanes, lane, &one);
    for (int i = 0; i < 2 && call; i++)
        mark(w, segments[i], (enum xs_evidence_table)row->evidence, call);
}

static bool take_copy(void *data, const struct xs_timeline_row *row) {
    struct work *w = data;
    const struct call *call = call_of(w, row);
    put_work(w, row, row->direction, call ? call->index : -1, call);
    if (call) {
        struct xs_html_leaf *leaf = &w->flame->leaves[call->leaf];
        leaf->device_ns = xs_sum(leaf->device_ns, xs_timeline_ns(row));
    }
    if (!w->scatter->host_times && !row->modelled && call && call->direction != NO_DIRECTION && row->copies == 1)
        add_point(w, row, call);
    return true;
}

static bool take_memset(void *data, const struct xs_timeline_row *row) {
    struct work *w = data;
    const struct call *call = call_of(w, row);
    put_work(w, row, XS_HTML_MEMSET, call ? call->index : -1, call);
    return true;
}

static bool take_kernel(void *data, const struct xs_timeline_row *row) {
    struct work *w = data;
    const uint64_t *name = xs_hash_find(&w->lanes->kernel_index, (uint64_t)row->kernel, 0);
    put_work(w, row, XS_HTML_KERNEL, name ? (int32_t)*name - 1 : -1, NULL);
    return true;
}

static int read_kernel_names(struct work *w) {
    struct xs_html_lanes *lanes = w->lanes;
    struct xs_scan scan;
    size_t capacity = 0;
    xs_scan_begin(&scan, w->trace, "SELECT id, name FROM kernel_name LIMIT 400", w->message, NULL);
    while (xs_scan_row(&scan) && lanes->kernel_count < KERNEL_NAMES) {
        xs_grow(&lanes->kernels, lanes->kernel_count, &capacity, sizeof *lanes->kernels);
        char *name = xs_scan_name(&scan, 1), readable[KERNEL_BYTES];
        lanes->kernels[lanes->kernel_count++] = xs_strdup(xs_demangle(name, readable, sizeof readable));
        free(name);
        *xs_hash_put(&lanes->kernel_index, (uint64_t)xs_scan_int(&scan, 0), 0) = lanes->kernel_count;
    }
    return xs_scan_end(&scan);
}

/* --- all of it --- */

/* Returns a step of time with which the page can hold the trace even if every lane is busy all the time. */
static int64_t step_of(const struct xs_summary *summary) {
    uint64_t calls = summary->all.count, work = xs_sum(summary->coverage.device_copies, summary->coverage.modelled);
    calls = xs_sum(calls, xs_sum(summary->memsets.count, summary->memsets_device.count));
    for (size_t i = 0; i < XS_SYNC_SCOPE_COUNT; i++)
        calls = xs_sum(calls, summary->syncs[i].count);
    for (size_t i = 0; i < XS_MEMORY_KIND_COUNT; i++)
        calls = xs_sum(calls, xs_sum(summary->allocations[i].count, summary->allocations[i].frees));
    for (size_t i = 0; i < summary->device_count; i++)
        work = xs_sum(work, summary->devices[i].kernels);
    if (xs_sum(calls, xs_sum(work, work)) <= XS_HTML_EXACT_SEGMENTS)
        return 0;
    /* each lane has about three kinds, and each segment may overlap two steps */
    int64_t step = (int64_t)(summary->run.duration_ns / (XS_HTML_SEGMENTS / 12));
    return step > 0 ? step : 1;
}

/* Reads the calls, then the work. The page does not show launches, nor the kinds that only the export shows. */
static int read_all(struct work *w) {
    static const struct {
        enum xs_timeline_kind kind;
        xs_timeline_take take;
    } sources[] = {
        {XS_TIMELINE_TRANSFER, take_transfer},    {XS_TIMELINE_MEMSET, take_other_call},
        {XS_TIMELINE_SYNC, take_other_call},      {XS_TIMELINE_ALLOCATION, take_other_call},
        {XS_TIMELINE_FREE, take_other_call},      {XS_TIMELINE_COPY, take_copy},
        {XS_TIMELINE_DEVICE_MEMSET, take_memset}, {XS_TIMELINE_KERNEL, take_kernel},
    };
    int status = read_kernel_names(w);
    for (size_t i = 0; i < sizeof sources / sizeof *sources && status >= 0; i++)
        status = xs_timeline_scan(w->trace, sources[i].kind, sources[i].take, w, w->message);
    return status;
}

/* Makes the lanes. If there are too many segments, reads everything again with a longer step of time. */
int xs_html_lanes_read(struct xs_html_lanes *lanes, const struct xs_summary *summary, struct xs_html_sites *sites,
                       const struct xs_marks *marks, struct xs_html_scatter *scatter, struct xs_html_flame *flame,
                       char *message) {
    int64_t step = step_of(summary);
    int status = XS_OK;
    for (int attempt = 0; attempt < 4; attempt++) {
        struct work w = {.lanes = lanes,
                         .trace = summary->trace,
                         .sites = sites,
                         .marks = marks,
                         .scatter = scatter,
                         .flame = flame,
                         .message = message};
        xs_html_lanes_free(lanes);
        xs_html_scatter_free(scatter);
        xs_html_flame_free(flame);
        scatter->host_times = !summary->coverage.device_copies;
        lanes->step_ns = step;
        lanes->last_ns = (int64_t)(summary->run.duration_ns & INT64_MAX);
        status = read_all(&w);
        free(w.calls);
        free(w.batches);
        xs_hash_free(&w.batch_of);
        if (status < 0 || lanes->segments <= XS_HTML_SEGMENTS)
            break;
        /* the step grows in proportion to the excess, and a little more, because not all lanes get fewer segments */
        double factor = (double)lanes->segments / XS_HTML_SEGMENTS * 1.5;
        step =
            step ? (int64_t)((double)step * factor) : (int64_t)(summary->run.duration_ns / XS_HTML_SEGMENTS * 12) + 1;
    }
    return status;
}
