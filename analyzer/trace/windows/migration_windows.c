/* Reads the windows, and cuts off the end of each, because its records are lost; see migration_windows.h. */
#include "analyzer/trace/windows/migration_windows.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/window_list.h"

/* A window that is more than this many times as long as usual is no sample, because it lasted until there were enough
 * migrations. */
enum { LONG = 3 };
/* If a window has at least this many records, migrations are assumed to continue to the end of the window. */
enum { GOING_ON = 16 };

static void add(void *windows, int64_t start_ns, int64_t end_ns) {
    struct xs_migration_windows *w = windows;
    if (w->count && start_ns < w->items[w->count - 1].end_ns)
        start_ns = w->items[w->count - 1].end_ns;
    if (end_ns <= start_ns)
        return;
    xs_grow(&w->items, w->count, &w->capacity, sizeof *w->items);
    w->items[w->count++] =
        (struct xs_recorded_window){.start_ns = start_ns, .end_ns = end_ns, .weight = 1, .is_sample = true};
}

/* --- the records --- */

static void take_record(struct xs_migration_windows *w, size_t *at, int64_t start_ns, int64_t end_ns,
                        bool is_this_way) {
    while (*at < w->count && w->items[*at].end_ns <= start_ns)
        ++*at;
    if (*at == w->count || start_ns < w->items[*at].start_ns)
        return;
    struct xs_recorded_window *window = &w->items[*at];
    window->records += is_this_way;
    window->ends_so = is_this_way;
    window->last_ns = end_ns > window->last_ns ? end_ns : window->last_ns;
}

static int read_records(struct xs_migration_windows *w, enum xs_migration_way way, const struct xs_trace *trace,
                        char *message, uint64_t *damaged) {
    struct xs_scan scan;
    size_t at = 0;
    xs_scan_begin(&scan, trace,
                  "SELECT start_ns, end_ns, kind IN (1, 4) FROM device_migration WHERE start_ns IS NOT NULL"
                  " AND kind BETWEEN 1 AND 4 ORDER BY start_ns",
                  message, damaged);
    while (xs_scan_row(&scan)) {
        uint64_t ns;
        int64_t start_ns = xs_scan_int(&scan, 0);
        int64_t end_ns = xs_scan_span(&scan, 0, 1, &ns) ? xs_scan_int(&scan, 1) : start_ns;
        take_record(w, &at, start_ns, end_ns, (xs_scan_int(&scan, 2) != 0) == (way == XS_MIGRATIONS_UP));
    }
    return xs_scan_end(&scan);
}

/* --- samples --- */

static int64_t median(int64_t *values, size_t count) {
    xs_sort(values, count, sizeof *values, xs_ascending_int64);
    return count ? values[count / 2] : 0;
}

/* Finds the windows that are no samples. The first window began with the capture and ended at the first migrations, and
 * other long windows ended at migrations, too. */
static void find_samples(struct xs_migration_windows *w) {
    XS_SCOPED int64_t *lengths = xs_realloc(NULL, (w->count + 1) * sizeof *lengths);
    for (size_t i = 0; i < w->count; i++)
        lengths[i] = w->items[i].end_ns - w->items[i].start_ns;
    int64_t usual = median(lengths, w->count);
    for (size_t i = 0; i < w->count; i++)
        w->items[i].is_sample = i > 0 && w->items[i].end_ns - w->items[i].start_ns <= LONG * usual;
}

/* Cuts the end off every window, because the records that CUPTI had not delivered when recording was switched off are
 * lost. The length of this end is the median time from the last record to the window's end, in windows in which
 * migrations continue to the end. Windows without migrations are cut, too; otherwise windows with migrations would have
 * a larger weight. */
static void cut_ends(struct xs_migration_windows *w) {
    int64_t *lost = xs_realloc(NULL, (w->count + 1) * sizeof *lost), cut;
    size_t count = 0;
    for (size_t i = 0; i < w->count; i++)
        if (w->items[i].records >= GOING_ON && w->items[i].ends_so && w->items[i].is_sample)
            lost[count++] = w->items[i].last_ns < w->items[i].end_ns ? w->items[i].end_ns - w->items[i].last_ns : 0;
    cut = median(lost, count);
    for (size_t i = 0; i < w->count; i++) {
        struct xs_recorded_window *window = &w->items[i];
        window->end_ns = window->end_ns - cut > window->start_ns ? window->end_ns - cut : window->start_ns;
    }
    free(lost);
}

/* Sets the weights of the samples. A window represents itself and the time since the window before it. This time is
 * longer after many migrations, because the budget had to recover from their cost. */
static void weigh(struct xs_migration_windows *w) {
    double stood_for = 0, length = 0;
    for (size_t i = 1; i < w->count; i++) {
        struct xs_recorded_window *window = &w->items[i];
        if (!window->is_sample || window->end_ns <= window->start_ns)
            continue;
        double own = (double)(window->end_ns - window->start_ns);
        window->weight = (double)(window->end_ns - w->items[i - 1].end_ns) / own;
        stood_for += window->weight * own;
        length += own;
    }
    for (size_t i = 1; i < w->count && stood_for > 0; i++)
        w->items[i].weight *= length / stood_for;
}

int xs_migration_windows_read(struct xs_migration_windows *w, enum xs_migration_way way, const struct xs_trace *trace,
                              char *message, uint64_t *damaged) {
    *w = (struct xs_migration_windows){0};
    if (!xs_trace_meta_int(trace, "cupti.migration_rests", 0)) {
        w->whole = true;
        return XS_OK;
    }
    xs_window_list_read(trace, "cupti.migration_windows", add, w);
    int status = read_records(w, way, trace, message, damaged);
    find_samples(w);
    cut_ends(w);
    weigh(w);
    return status;
}

void xs_migration_windows_free(struct xs_migration_windows *w) {
    free(w->items);
    *w = (struct xs_migration_windows){0};
}

/* --- asking --- */

static bool has_ended(const void *window, const void *ns) {
    return ((const struct xs_recorded_window *)window)->end_ns <= *(const int64_t *)ns;
}

/* Returns the index of the first window that ends after `ns`. */
static size_t seek(const struct xs_migration_windows *w, int64_t ns) {
    return xs_search(w->items, w->count, sizeof *w->items, has_ended, &ns);
}

const struct xs_recorded_window *xs_migration_window_at(const struct xs_migration_windows *w, int64_t ns) {
    size_t i = seek(w, ns);
    return i < w->count && w->items[i].start_ns <= ns ? &w->items[i] : NULL;
}

/* Returns how much of the window lies between start_ns and end_ns. */
static uint64_t part_within(const struct xs_recorded_window *window, int64_t start_ns, int64_t end_ns) {
    int64_t start = window->start_ns > start_ns ? window->start_ns : start_ns;
    int64_t end = window->end_ns < end_ns ? window->end_ns : end_ns;
    return end > start ? (uint64_t)(end - start) : 0;
}

uint64_t xs_migration_windows_within(const struct xs_migration_windows *w, int64_t start_ns, int64_t end_ns,
                                     bool samples) {
    uint64_t within = 0;
    if (end_ns <= start_ns || w->whole)
        return end_ns > start_ns ? (uint64_t)end_ns - (uint64_t)start_ns : 0;
    for (size_t i = seek(w, start_ns); i < w->count && w->items[i].start_ns < end_ns; i++)
        if (w->items[i].is_sample || !samples)
            within += part_within(&w->items[i], start_ns, end_ns);
    return within;
}

double xs_migration_windows_weighed(const struct xs_migration_windows *w, int64_t start_ns, int64_t end_ns) {
    double within = 0;
    if (end_ns <= start_ns || w->whole)
        return end_ns > start_ns ? (double)(end_ns - start_ns) : 0;
    for (size_t i = seek(w, start_ns); i < w->count && w->items[i].start_ns < end_ns; i++)
        if (w->items[i].is_sample)
            within += w->items[i].weight * (double)part_within(&w->items[i], start_ns, end_ns);
    return within;
}
