/* Computes the price of page-locked memory; see pinning.h. */
#include "analyzer/savings/plan/pinning.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/link.h"
#include "analyzer/trace/scan.h"
#include "schema/format/kinds.h"

/* Times per byte on the host of an H100 (docs/develop/measurements.md). Page-locked memory takes 0.31 to 0.55 ns to
 * allocate and 0.08 to 0.16 ns to free. Pageable memory takes 0.03 ns to free, and 0.35 to 0.48 ns at the first touch;
 * page-locked memory needs no time for the first touch. So the difference between the two is small, and so is the time
 * to register existing memory, 0.05 to 0.11 ns. Smaller pieces are not measured, because their fixed cost would be
 * counted as a cost per byte. */
#define ASSUMED_NS_PER_BYTE 0.08
#define ASSUMED_FREE_NS_PER_BYTE 0.10
enum { LEAST_BYTES = 1 << 20 };

int xs_pinning_begin(struct xs_pinning *pinning, const struct xs_trace *trace, char *message) {
    struct xs_scan scan;
    *pinning = (struct xs_pinning){.ns_per_byte = ASSUMED_NS_PER_BYTE, .assumed = true};
    double ns = 0, bytes = 0, free_ns = 0, free_bytes = 0;
    xs_scan_begin(&scan, trace,
                  "SELECT kind, bytes, enter_ns, return_ns, free_enter_ns, free_return_ns FROM allocation"
                  " WHERE enter_ns IS NOT NULL AND return_ns IS NOT NULL",
                  message, NULL);
    while (xs_scan_row(&scan)) {
        int64_t kind = xs_scan_int(&scan, 0), size = xs_scan_int(&scan, 1);
        uint64_t took = 0, freeing = 0;
        if ((kind != XS_MEM_PINNED && kind != XS_MEM_REGISTERED) || size < LEAST_BYTES ||
            !xs_scan_span(&scan, 2, 3, &took) || !took)
            continue;
        ns += (double)took;
        bytes += (double)size;
        if (xs_scan_span(&scan, 4, 5, &freeing) && freeing) {
            free_ns += (double)freeing;
            free_bytes += (double)size;
        }
    }
    if (bytes > 0) {
        double more = ns / bytes + (free_bytes > 0 ? free_ns / free_bytes : ASSUMED_FREE_NS_PER_BYTE) -
                      XS_FIRST_TOUCH_NS_PER_BYTE;
        bool is_measured = more >= ASSUMED_NS_PER_BYTE;
        pinning->ns_per_byte = is_measured ? more : ASSUMED_NS_PER_BYTE;
        pinning->assumed = !is_measured || free_bytes <= 0;
    }
    return xs_scan_end(&scan);
}

void xs_pinning_end(struct xs_pinning *pinning) {
    free(pinning->ranges);
    *pinning = (struct xs_pinning){0};
}

void xs_pinning_add(struct xs_pinning *pinning, uint64_t address, uint64_t bytes) {
    xs_grow(&pinning->ranges, pinning->count, &pinning->capacity, sizeof *pinning->ranges);
    uint64_t end = bytes < UINT64_MAX - address ? address + bytes : UINT64_MAX;
    pinning->ranges[pinning->count++] = (struct xs_pinned_range){address, end};
}

static int by_begin(const void *a, const void *b) {
    const struct xs_pinned_range *x = a, *y = b;
    return xs_compare_uint64(x->begin, y->begin);
}

/* Returns the size of the first `count` ranges together. */
static uint64_t bytes_of(const struct xs_pinning *pinning, size_t count) {
    XS_SCOPED struct xs_pinned_range *ranges = xs_realloc(NULL, (count + 1) * sizeof *ranges);
    uint64_t bytes = 0, end = 0;
    for (size_t i = 0; i < count; i++)
        ranges[i] = pinning->ranges[i];
    xs_sort(ranges, count, sizeof *ranges, by_begin);
    for (size_t i = 0; i < count; i++) {
        const struct xs_pinned_range *range = &ranges[i];
        uint64_t begin = range->begin > end ? range->begin : end;
        if (range->end > begin)
            bytes = xs_sum(bytes, range->end - begin);
        end = range->end > end ? range->end : end;
    }
    return bytes;
}

uint64_t xs_pinning_ns(const struct xs_pinning *pinning) {
    double bytes = (double)bytes_of(pinning, pinning->count);
    if (pinning->scale > 1)
        bytes += 2 * (pinning->scale - 1) * (bytes - (double)bytes_of(pinning, pinning->count / 2));
    double ns = bytes * pinning->ns_per_byte;
    return ns < (double)INT64_MAX ? (uint64_t)ns : INT64_MAX;
}
