/* Reading the ranges; see capture_ranges.h. */
#include "analyzer/trace/windows/capture_ranges.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/trace/windows/window_list.h"

/* A list whose ranges are not in order is damaged; what is not in order is left out. */
static void add(void *context, int64_t start_ns, int64_t end_ns) {
    struct xs_capture_ranges *r = context;
    if (end_ns <= start_ns || (r->count && start_ns < r->items[r->count - 1].start_ns))
        return;
    xs_grow(&r->items, r->count, &r->capacity, sizeof *r->items);
    r->items[r->count++] = (struct xs_capture_range){start_ns, end_ns};
}

void xs_capture_ranges_read(struct xs_capture_ranges *r, const struct xs_trace *trace) {
    char text[16], status[16];
    *r = (struct xs_capture_ranges){.limited =
                                        *xs_trace_meta_text(trace, "range.windows", text, sizeof text, "") != '\0',
                                    .ranges = xs_trace_meta_count(trace, "range.count"),
                                    .recorded_ns = xs_trace_meta_count(trace, "range.recorded_ns"),
                                    .transfers = xs_trace_meta_count(trace, "range.left_out_transfers"),
                                    .memsets = xs_trace_meta_count(trace, "range.left_out_memsets"),
                                    .launches = xs_trace_meta_count(trace, "range.left_out_launches"),
                                    .others = xs_trace_meta_count(trace, "range.left_out_others")};
    if (!r->limited)
        return;
    /* the counts of a process that was killed are of some time before */
    bool is_complete = strcmp(xs_trace_meta_text(trace, "status", status, sizeof status, ""), "complete") == 0;
    r->has_gaps = !is_complete || r->transfers || r->memsets || r->launches || r->others;
    xs_window_list_read(trace, "range.windows", add, r);
}

void xs_capture_ranges_free(struct xs_capture_ranges *ranges) {
    free(ranges->items);
    *ranges = (struct xs_capture_ranges){0};
}

int64_t xs_capture_range_at(const struct xs_capture_ranges *ranges, int64_t ns) {
    size_t low = 0, high = ranges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges->items[middle].start_ns <= ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low && ns <= ranges->items[low - 1].end_ns ? (int64_t)(low - 1) : -1;
}
