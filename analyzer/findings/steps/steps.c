/* Counts what each step transfers; see steps.h. */
#include "analyzer/findings/steps/steps.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/capture_ranges.h"
#include "schema/rhythm.h"

const char *const xs_step_mark_names[] = {[XS_STEP_RANGE] = "range", [XS_STEP_WAIT] = "wait", [XS_STEP_COPY] = "copy"};

void xs_steps_count(struct xs_steps *steps, int64_t enter_ns, uint64_t bytes) {
    if (!steps->count || enter_ns < steps->items[0].begin_ns)
        return;
    while (steps->current < steps->count && steps->items[steps->current + 1].begin_ns <= enter_ns)
        steps->current++;
    if (steps->current == steps->count)
        return;
    steps->items[steps->current].transfers++;
    steps->items[steps->current].bytes = xs_sum(steps->items[steps->current].bytes, bytes);
}

static struct xs_step_sums sums_of(const struct xs_steps *steps, const struct xs_capture_ranges *ranges, size_t i) {
    return (struct xs_step_sums){
        .ns = (uint64_t)steps->items[i + 1].begin_ns - (uint64_t)steps->items[i].begin_ns,
        .transfers = steps->items[i].transfers,
        .bytes = steps->items[i].bytes,
        .recorded_ns = xs_recorded_between(ranges, steps->items[i].begin_ns, steps->items[i + 1].begin_ns),
    };
}

void xs_steps_finish(struct xs_steps *steps, const struct xs_capture_ranges *ranges, struct xs_sites *sites) {
    if (!steps->count)
        return;
    size_t rest = steps->count - steps->warm_up;
    uint64_t *values = xs_realloc(NULL, 4 * rest * sizeof *values);
    for (size_t i = 0; i < steps->count; i++) {
        struct xs_step_sums step = sums_of(steps, ranges, i);
        if (i < steps->warm_up) {
            steps->warm.ns += step.ns;
            steps->warm.recorded_ns += step.recorded_ns;
            steps->warm.transfers += step.transfers;
            steps->warm.bytes = xs_sum(steps->warm.bytes, step.bytes);
        } else {
            values[i - steps->warm_up] = step.ns;
            values[i - steps->warm_up + rest] = step.transfers;
            values[i - steps->warm_up + 2 * rest] = step.bytes;
            values[i - steps->warm_up + 3 * rest] = step.recorded_ns;
        }
    }
    steps->median = (struct xs_step_sums){.ns = xs_rhythm_median(values, rest),
                                          .transfers = xs_rhythm_median(values + rest, rest),
                                          .bytes = xs_rhythm_median(values + 2 * rest, rest),
                                          .recorded_ns = xs_rhythm_median(values + 3 * rest, rest)};
    free(values);
    if (steps->mark != XS_STEP_RANGE)
        steps->site = xs_site_of(sites, steps->entry_point, steps->stack);
}

void xs_steps_free(struct xs_steps *steps) {
    free(steps->range);
    free(steps->items);
    *steps = (struct xs_steps){0};
}
