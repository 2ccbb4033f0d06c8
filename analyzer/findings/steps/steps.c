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

static uint64_t *field_of(struct xs_step_sums *sums, size_t offset) {
    return (uint64_t *)(void *)((char *)sums + offset);
}

void xs_steps_finish(struct xs_steps *steps, const struct xs_capture_ranges *ranges, struct xs_sites *sites) {
    if (!steps->count)
        return;
    static const size_t fields[] = {offsetof(struct xs_step_sums, ns), offsetof(struct xs_step_sums, transfers),
                                    offsetof(struct xs_step_sums, bytes), offsetof(struct xs_step_sums, recorded_ns)};
    size_t rest = steps->count - steps->warm_up;
    uint64_t *values = xs_realloc(NULL, rest * sizeof *values);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) {
        uint64_t *warm = field_of(&steps->warm, fields[f]);
        for (size_t i = 0; i < steps->count; i++) {
            struct xs_step_sums step = sums_of(steps, ranges, i);
            uint64_t value = *field_of(&step, fields[f]);
            if (i < steps->warm_up)
                *warm = xs_sum(*warm, value);
            else
                values[i - steps->warm_up] = value;
        }
        *field_of(&steps->median, fields[f]) = xs_rhythm_median(values, rest);
    }
    free(values);
    if (steps->mark != XS_STEP_RANGE)
        steps->site = xs_site_of(sites, steps->entry_point, steps->stack);
}

static double away(uint64_t value, uint64_t median) {
    double of = (double)median;
    return median ? (value > median ? (double)value - of : of - (double)value) / of : 0;
}

size_t xs_steps_typical(const struct xs_steps *steps) {
    size_t typical = steps->warm_up;
    double least = -1;
    for (size_t i = steps->warm_up; i < steps->count; i++) {
        uint64_t ns = (uint64_t)steps->items[i + 1].begin_ns - (uint64_t)steps->items[i].begin_ns;
        double differs = away(ns, steps->median.ns) + away(steps->items[i].transfers, steps->median.transfers);
        if (least < 0 || differs < least) {
            least = differs;
            typical = i;
        }
    }
    return typical;
}

void xs_steps_free(struct xs_steps *steps) {
    free(steps->range);
    free(steps->items);
    *steps = (struct xs_steps){0};
}
