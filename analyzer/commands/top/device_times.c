/* Reads the device times that are known so far; see device_times.h. */
#include "analyzer/commands/top/device_times.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/intervals.h"
#include "analyzer/base/memory.h"
#include "analyzer/trace/scan.h"

/* Finds known_ns. If a trace has no device times because CUPTI did not run, no device times are late. */
static int find_known(const struct xs_summary *s, struct xs_device_times *times, char *message) {
    uint64_t recorded = 0, called = 0;
    struct xs_scan scan;
    times->known_ns = s->run.duration_ns;
    if (!s->trace->is_live || strcmp(s->run.cupti_status, "active") != 0)
        return XS_OK;
    xs_scan_begin(&scan, s->trace,
                  "SELECT (SELECT max(ns) FROM (SELECT max(end_ns) AS ns FROM device_copy"
                  " UNION ALL SELECT max(end_ns) FROM device_kernel)),"
                  " (SELECT max(ns) FROM (SELECT max(enter_ns) AS ns FROM transfer"
                  " UNION ALL SELECT max(enter_ns) FROM memset UNION ALL SELECT max(enter_ns) FROM launch))",
                  message, NULL);
    if (xs_scan_row(&scan)) {
        recorded = xs_scan_count_or_null(&scan, 0);
        called = xs_scan_count_or_null(&scan, 1);
    }
    int status = xs_scan_end(&scan);
    if (status >= 0 && called > recorded && recorded < times->known_ns) {
        times->late = true;
        times->known_ns = recorded;
    }
    return status;
}

static size_t device_at(const struct xs_summary *s, const struct xs_scan *scan, int column) {
    size_t i = 0;
    while (i + 1 < s->device_count && (xs_scan_null(scan, column) || s->devices[i].id != xs_scan_int(scan, column)))
        i++;
    return i;
}

/* Computes how long devices were busy between two times, summed over devices; time in which several streams of a device
 * work counts once. */
static int read_busy(const struct xs_summary *s, const char *sql, int64_t from, int64_t to, uint64_t *ns,
                     char *message) {
    size_t count = s->device_count ? s->device_count : 1;
    struct xs_intervals *busy = xs_realloc(NULL, count * sizeof *busy);
    struct xs_scan scan;
    for (size_t i = 0; i < count; i++)
        busy[i] = (struct xs_intervals){0};
    xs_scan_begin(&scan, s->trace, sql, message, NULL);
    while (xs_scan_row(&scan)) {
        int64_t start, end;
        if (!xs_scan_times(&scan, 0, 1, &start, &end))
            continue;
        start = start > from ? start : from;
        end = end < to ? end : to;
        xs_intervals_add(&busy[device_at(s, &scan, 2)], start, end);
    }
    int ended = xs_scan_end(&scan);
    *ns = 0;
    for (size_t i = 0; i < count; i++) {
        *ns = xs_sum(*ns, xs_intervals_unite(&busy[i]));
        xs_intervals_free(&busy[i]);
    }
    free(busy);
    return ended;
}

int xs_device_times_read(const struct xs_summary *summary, uint64_t from_ns, struct xs_device_times *times,
                         char *message) {
    *times = (struct xs_device_times){0};
    int status = find_known(summary, times, message);
    if (status < 0 || times->known_ns <= from_ns || times->known_ns > XS_SCAN_LATEST_NS)
        return status;
    int64_t from = (int64_t)from_ns, to = (int64_t)times->known_ns;
    status = read_busy(summary,
                       "SELECT start_ns, end_ns, coalesce(device, dst_device, src_device) FROM device_copy"
                       " WHERE start_ns IS NOT NULL AND end_ns IS NOT NULL",
                       from, to, &times->copy_ns, message);
    return status < 0 ? status
                      : read_busy(summary,
                                  "SELECT start_ns, end_ns, device FROM device_kernel"
                                  " WHERE start_ns IS NOT NULL AND end_ns IS NOT NULL",
                                  from, to, &times->kernel_ns, message);
}
