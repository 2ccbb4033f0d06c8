/* Reads the windows of device times; see device_windows.h. */
#include "analyzer/trace/windows/device_windows.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/windows/window_list.h"

static void add(void *items, int64_t start_ns, int64_t end_ns) { xs_intervals_add(items, start_ns, end_ns); }

struct xs_device_windows *xs_device_windows_read(const struct xs_trace *trace) {
    char first[2];
    if (!*xs_trace_meta_text(trace, "cupti.windows", first, sizeof first, ""))
        return NULL;
    struct xs_device_windows *windows = xs_realloc(NULL, sizeof *windows);
    *windows = (struct xs_device_windows){.overlap = -1};
    xs_window_list_read(trace, "cupti.windows", add, &windows->items);
    windows->recorded_ns = xs_intervals_unite(&windows->items);
    windows->detachments = xs_trace_meta_count(trace, "cupti.detachments");
    return windows;
}

void xs_device_windows_free(struct xs_device_windows *windows) {
    if (!windows)
        return;
    xs_intervals_free(&windows->items);
    for (unsigned i = 0; i < XS_NUMBERED; i++)
        free(windows->calls[i].of_row);
    free(windows->modelled);
    free(windows);
}

static bool has_ended(const void *window, const void *ns) {
    return ((const struct xs_interval *)window)->end <= *(const int64_t *)ns;
}

int64_t xs_device_window_at(const struct xs_device_windows *windows, int64_t ns) {
    const struct xs_interval *items = windows->items.items;
    size_t i = xs_search(items, windows->items.count, sizeof *items, has_ended, &ns);
    return i < windows->items.count && items[i].start <= ns ? (int64_t)i : -1;
}
