/* Reads the table host_sample; see pause_samples.h. */
#include "analyzer/savings/idle/pause_samples.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"
#include "analyzer/savings/replay/parts.h"
#include "analyzer/trace/scan.h"

static int read_main_thread(struct xs_pause_samples *samples, const struct xs_trace *trace, char *message) {
    return xs_scan_one(trace, "SELECT min(id) FROM thread WHERE tid = (SELECT value FROM meta WHERE key = 'pid')",
                       &samples->main_thread, message);
}

int xs_pause_samples_read(struct xs_pause_samples *samples, const struct xs_trace *trace, const struct xs_sites *sites,
                          char *message, uint64_t *damaged) {
    struct xs_scan scan;
    size_t capacity = 0;
    *samples = (struct xs_pause_samples){0};
    xs_scan_begin(&scan, trace,
                  "SELECT thread, at_ns, at_ns, ns, stack, is_asleep FROM host_sample"
                  " ORDER BY thread, at_ns, id",
                  message, damaged);
    while (xs_scan_row(&scan)) {
        struct xs_pause_sample sample = {.thread = xs_scan_int(&scan, 0),
                                         .ns = xs_scan_count(&scan, 3),
                                         .stack = xs_scan_int(&scan, 4),
                                         .is_awake = !xs_scan_null(&scan, 5) && xs_scan_int(&scan, 5) == 0};
        sample.place = xs_sites_place(sites, sample.stack);
        int64_t end_ns;
        if (!xs_scan_times(&scan, 1, 2, &sample.at_ns, &end_ns))
            continue;
        xs_grow(&samples->items, samples->count, &capacity, sizeof *samples->items);
        samples->items[samples->count++] = sample;
    }
    int status = xs_scan_end(&scan);
    return status < 0 || !samples->count ? status : read_main_thread(samples, trace, message);
}

void xs_pause_samples_move(struct xs_pause_samples *samples, const struct xs_parts *parts) {
    size_t kept = 0;
    for (size_t i = 0; i < samples->count; i++) {
        struct xs_pause_sample sample = samples->items[i];
        bool is_in_part;
        sample.at_ns = xs_parts_model_ns(parts, sample.at_ns, &is_in_part);
        if (is_in_part)
            samples->items[kept++] = sample;
    }
    samples->count = kept;
}

void xs_pause_samples_free(struct xs_pause_samples *samples) {
    free(samples->items);
    *samples = (struct xs_pause_samples){0};
}

static bool comes_before(const void *item, const void *key) {
    const struct xs_pause_sample *x = item, *y = key;
    return (xs_compare(x->thread, y->thread) ?: xs_compare(x->at_ns, y->at_ns)) < 0;
}

size_t xs_pause_samples_from(const struct xs_pause_samples *samples, int64_t thread, int64_t at_ns) {
    return xs_search(samples->items, samples->count, sizeof *samples->items, comes_before,
                     &(struct xs_pause_sample){.thread = thread, .at_ns = at_ns});
}
