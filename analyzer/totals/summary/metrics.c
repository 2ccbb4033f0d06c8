/* Gives the run's numbers by name; see metrics.h. */
#include "analyzer/totals/summary/metrics.h"

#include <string.h>

#include "analyzer/base/units.h"
#include "analyzer/trace/scan.h"

const char *const xs_metric_unit_names[] = {
    [XS_METRIC_NS] = "ns", [XS_METRIC_BYTES] = "bytes", [XS_METRIC_COUNT] = "count"};

const char *xs_metric_format(char *buffer, enum xs_metric_unit unit, uint64_t value) {
    return unit == XS_METRIC_NS      ? xs_format_ns(buffer, value)
           : unit == XS_METRIC_BYTES ? xs_format_bytes(buffer, value)
                                     : xs_format_count(buffer, value);
}

struct sums {
    uint64_t count, bytes, ns;
};

static uint64_t exposed(const struct xs_summary *s) {
    uint64_t ns = 0;
    for (size_t i = 0; i < s->device_count; i++)
        ns = xs_sum(ns, s->devices[i].copy_busy_ns - s->devices[i].both_busy_ns);
    return ns;
}

static uint64_t kernels(const struct xs_summary *s) {
    uint64_t ns = 0;
    for (size_t i = 0; i < s->device_count; i++)
        ns = xs_sum(ns, s->devices[i].kernel_busy_ns);
    return ns;
}

static uint64_t waits(const struct xs_summary *s) {
    uint64_t ns = 0;
    for (unsigned i = 0; i < XS_SYNC_SCOPE_COUNT; i++)
        ns = xs_sum(ns, s->syncs[i].ns);
    return ns;
}

static struct sums direction(const struct xs_summary *s, enum xs_direction direction) {
    struct sums sums = {0};
    for (size_t i = 0; i < s->group_count; i++) {
        if (s->groups[i].direction != direction)
            continue;
        sums.count = xs_sum(sums.count, s->groups[i].totals.count);
        sums.bytes = xs_sum(sums.bytes, s->groups[i].totals.bytes);
    }
    return sums;
}

static struct sums allocations(const struct xs_summary *s) {
    struct sums sums = {0};
    for (unsigned i = 0; i < XS_MEMORY_KIND_COUNT; i++) {
        sums.count = xs_sum(sums.count, s->allocations[i].count);
        sums.ns = xs_sum(sums.ns, xs_sum(s->allocations[i].host_ns, s->allocations[i].free_host_ns));
    }
    return sums;
}

const struct xs_metric_info xs_metric_infos[XS_METRICS] = {
#define XS_METRIC(id, name, unit, title, value, known) {name, title, XS_METRIC_##unit},
#include "analyzer/totals/summary/metrics.def"
#undef XS_METRIC
};

void xs_metrics_compute(const struct xs_summary *s, const struct xs_diagnosis *d, struct xs_metric_values *values) {
    const struct xs_findings *f = d->findings;
    *values = (struct xs_metric_values){0};
    struct xs_metric_value *next = values->of;
#define XS_METRIC(id, name, unit, title, number, is_known)                                                             \
    *next++ = (is_known) ? (struct xs_metric_value){.value = (number), .known = true} : (struct xs_metric_value){0};
#include "analyzer/totals/summary/metrics.def"
#undef XS_METRIC
}

int xs_metric_find(const char *name) {
    for (int i = 0; i < XS_METRICS; i++)
        if (!strcmp(xs_metric_infos[i].name, name))
            return i;
    return -1;
}
