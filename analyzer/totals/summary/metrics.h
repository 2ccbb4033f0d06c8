/* Names the numbers of a run (metrics.def): `diff` lists them, `check` compares them with limits, and `export` writes
 * them. */
#ifndef XFERSPY_ANALYZER_TOTALS_SUMMARY_METRICS_H
#define XFERSPY_ANALYZER_TOTALS_SUMMARY_METRICS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzer/base/spread.h"
#include "analyzer/savings/causes/diagnosis.h"
#include "analyzer/totals/summary/summary.h"

enum xs_metric {
#define XS_METRIC(id, name, unit, title, value, known) XS_METRIC_##id,
#include "analyzer/totals/summary/metrics.def"
#undef XS_METRIC
    XS_METRICS,
};

enum xs_metric_unit { XS_METRIC_NS, XS_METRIC_BYTES, XS_METRIC_COUNT, XS_METRIC_UNITS };
extern const char *const xs_metric_unit_names[]; /* "ns", "bytes", "count" */
/* Writes "12.3 ms", "1.20 GiB" or "12,345" into `buffer` of XS_UNIT_BYTES and returns it. */
const char *xs_metric_format(char *buffer, enum xs_metric_unit unit, uint64_t value);

struct xs_metric_info {
    const char *name, *title; /* static */
    enum xs_metric_unit unit;
};
extern const struct xs_metric_info xs_metric_infos[XS_METRICS];

struct xs_metric_values {
    struct xs_metric_value of[XS_METRICS];
};

void xs_metrics_compute(const struct xs_summary *summary, const struct xs_diagnosis *diagnosis,
                        struct xs_metric_values *values);

/* Returns the metric with this name; -1: none. */
int xs_metric_find(const char *name);

#endif
