/* A run with managed memory, for tests that play traces. Each step of such a run has a kernel, the wait for the kernel,
 * and then work of the host. The test says when pages move. If there are windows, the trace contains only what happened
 * in them. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_MANAGED_RUN_H
#define XFERSPY_TESTS_UNIT_ANALYZER_MANAGED_RUN_H

#include "played.h"

enum { MANAGED_UP = 1, MANAGED_DOWN = 2, MANAGED_CPU_FAULT = 3, MANAGED_GPU_FAULT = 4, MANAGED_REMOTE_MAP = 7 };

struct managed_window {
    uint64_t start_ns, length_ns;
};

struct managed_run {
    struct played *p;
    const struct managed_window *windows; /* NULL: the whole run was recorded */
    unsigned window_count;
    uint64_t lost_ns; /* in each window except the first, this time at the end is not recorded */
};

/* Records `count` migrations or faults of this kind, one after the other from `from_ns` to `to_ns`, with a pause of
 * `pause_ns` after each. Their addresses go through the memory once, in ascending order. */
static inline void managed_pages(struct managed_run *run, unsigned kind, uint64_t from_ns, uint64_t to_ns,
                                 unsigned count, uint64_t pause_ns, uint64_t address, uint64_t bytes) {
    for (unsigned i = 0; i < count; i++) {
        uint64_t start = from_ns + (to_ns - from_ns) * i / count, end = from_ns + (to_ns - from_ns) * (i + 1) / count;
        bool is_recorded = !run->windows;
        for (unsigned k = 0; k < run->window_count && run->windows; k++)
            is_recorded =
                is_recorded || (start >= run->windows[k].start_ns &&
                                start < run->windows[k].start_ns + run->windows[k].length_ns - (k ? run->lost_ns : 0));
        struct xs_device_migration row = {.kind = (uint8_t)kind,
                                          .address = address + bytes / count * i,
                                          .bytes = kind <= MANAGED_DOWN ? bytes / count : 0,
                                          .src_device = kind == MANAGED_UP ? -1 : 0,
                                          .dst_device = kind == MANAGED_UP ? 0 : -1,
                                          .start_ns = (int64_t)start,
                                          .end_ns = (int64_t)(end - pause_ns)};
        if (is_recorded)
            assert_int_equal(xs_store_device_migration(run->p->store, &row), 0);
    }
}

/* Writes the windows into the trace's table meta. */
static inline void managed_windows(const struct managed_run *run) {
    char text[8192];
    size_t length = 0;
    for (unsigned i = 0; i < run->window_count && run->windows; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%llu+%llu", i ? "," : "",
                                   (unsigned long long)run->windows[i].start_ns / 1000,
                                   (unsigned long long)run->windows[i].length_ns / 1000);
    xs_store_meta_int(run->p->store, "cupti.migration_rests", run->windows ? (int64_t)run->window_count : 0);
    if (run->windows)
        xs_store_meta_text(run->p->store, "cupti.migration_windows", text);
}

#endif
