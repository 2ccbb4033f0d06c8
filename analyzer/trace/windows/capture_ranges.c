/* Reads the ranges; see capture_ranges.h. */
#include "analyzer/trace/windows/capture_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/window_list.h"
#include "schema/write/store.h"
#include "schema/write/store_ledger.h"
#include "schema/write/store_thin.h"

/* Adds a range. A range that is out of order is damage and is left out. */
static void add(void *context, int64_t start_ns, int64_t end_ns) {
    struct xs_capture_ranges *r = context;
    if (end_ns <= start_ns || (r->count && start_ns < r->items[r->count - 1].start_ns))
        return;
    xs_grow(&r->items, r->count, &r->capacity, sizeof *r->items);
    r->items[r->count++] = (struct xs_capture_range){start_ns, end_ns};
}

/* Ignores errors, because the analysis reads the whole table and reports them. */
static int64_t one_time(const struct xs_trace *trace, const char *sql) {
    char message[XS_TRACE_MESSAGE_BYTES];
    int64_t ns;
    xs_scan_one(trace, sql, &ns, message);
    return ns;
}

/* Adds what was recorded after the list was written, for a process that was killed or still runs. Copies outside of
 * ranges are not in the trace. So if the trace has copies that are later than the list, the last range continued, or
 * new ranges began. Gaps between ranges are not known there, so all time to the last copy counts as recorded. Threads
 * write their calls in chunks, so the latest calls are among the last rows of the table. */
static void add_since_list(struct xs_capture_ranges *r, const struct xs_trace *trace) {
    int64_t last = one_time(trace, "SELECT max(return_ns) FROM"
                                   " (SELECT return_ns FROM transfer ORDER BY id DESC LIMIT 256)");
    int64_t known =
        r->count ? r->items[r->count - 1].end_ns : one_time(trace, "SELECT enter_ns FROM transfer ORDER BY id LIMIT 1");
    bool is_cut = r->count < r->parts; /* the list ended because there were too many ranges */
    if (is_cut || known < 0 || last <= known)
        return;
    r->recorded_ns += (uint64_t)last - (uint64_t)known;
    r->parts = r->parts ? r->parts : 1;
    r->is_at_most = true;
}

void xs_capture_ranges_read(struct xs_capture_ranges *r, const struct xs_trace *trace) {
    char text[16], status[16];
    *r = (struct xs_capture_ranges){.limited =
                                        *xs_trace_meta_text(trace, "range.windows", text, sizeof text, "") != '\0',
                                    .parts = xs_trace_meta_count(trace, "range.count"),
                                    .recorded_ns = xs_trace_meta_count(trace, "range.recorded_ns"),
                                    .transfers = xs_trace_meta_count(trace, "range.left_out_transfers"),
                                    .memsets = xs_trace_meta_count(trace, "range.left_out_memsets"),
                                    .launches = xs_trace_meta_count(trace, "range.left_out_launches"),
                                    .others = xs_trace_meta_count(trace, "range.left_out_others"),
                                    .is_ledger = xs_trace_meta_int(trace, XS_META_LEDGER_ROLLED_UP_NS, -1) >= 0,
                                    .summed_ns = xs_trace_meta_count(trace, "ledger.summed_ns")};
    if (!r->limited)
        return;
    /* if the process was killed, the counts are those of an earlier time */
    r->is_complete = strcmp(xs_trace_meta_text(trace, "status", status, sizeof status, ""), XS_STATUS_COMPLETE) == 0;
    r->has_gaps = !r->is_complete || r->transfers || r->memsets || r->launches || r->others ||
                  (r->is_ledger && xs_trace_meta_count(trace, XS_META_THINNED_ROWS));
    xs_window_list_read(trace, "range.windows", add, r);
    if (!r->is_complete && !r->is_ledger) /* rows and list of a ledger are of one moment */
        add_since_list(r, trace);
}

void xs_capture_ranges_free(struct xs_capture_ranges *ranges) {
    free(ranges->items);
    *ranges = (struct xs_capture_ranges){0};
}

/* If nothing was recorded in ranges, percentages are shares of the run. */
struct xs_recorded_time xs_recorded_time(const struct xs_trace *trace, uint64_t run_ns) {
    struct xs_capture_ranges ranges;
    xs_capture_ranges_read(&ranges, trace);
    bool in_part = ranges.has_gaps && ranges.recorded_ns && ranges.recorded_ns < run_ns;
    struct xs_recorded_time time = {.ns = in_part ? ranges.recorded_ns : run_ns, .run_ns = run_ns, .in_part = in_part};
    xs_capture_ranges_free(&ranges);
    return time;
}

struct xs_recorded_time xs_totals_time(const struct xs_capture_ranges *ranges, struct xs_recorded_time recorded) {
    if (!ranges->is_ledger || !recorded.in_part)
        return recorded;
    bool in_part = ranges->summed_ns < recorded.run_ns - recorded.run_ns / 1000;
    return (struct xs_recorded_time){
        .ns = in_part ? ranges->summed_ns : recorded.run_ns, .run_ns = recorded.run_ns, .in_part = in_part};
}

static bool has_begun(const void *range, const void *ns) {
    return ((const struct xs_capture_range *)range)->start_ns <= *(const int64_t *)ns;
}

/* Returns the number of ranges that begin at or before `ns`. */
static size_t begun_at(const struct xs_capture_ranges *ranges, int64_t ns) {
    return xs_search(ranges->items, ranges->count, sizeof *ranges->items, has_begun, &ns);
}

int64_t xs_capture_range_at(const struct xs_capture_ranges *ranges, int64_t ns) {
    size_t begun = begun_at(ranges, ns);
    return begun && ns <= ranges->items[begun - 1].end_ns ? (int64_t)(begun - 1) : -1;
}

uint64_t xs_recorded_between(const struct xs_capture_ranges *ranges, int64_t start_ns, int64_t end_ns) {
    bool is_cut = (ranges->count < ranges->parts || !ranges->is_complete) &&
                  (!ranges->count || ranges->items[ranges->count - 1].end_ns < end_ns);
    size_t begun = begun_at(ranges, start_ns);
    uint64_t ns = 0;
    if (!ranges->has_gaps || is_cut)
        return end_ns > start_ns ? (uint64_t)end_ns - (uint64_t)start_ns : 0;
    for (size_t i = begun ? begun - 1 : 0; i < ranges->count && ranges->items[i].start_ns < end_ns; i++) {
        int64_t start = ranges->items[i].start_ns > start_ns ? ranges->items[i].start_ns : start_ns;
        int64_t end = ranges->items[i].end_ns < end_ns ? ranges->items[i].end_ns : end_ns;
        ns += end > start ? (uint64_t)(end - start) : 0;
    }
    return ns;
}
