/* Reads the rows of a trace that are new; see so_far.h. */
#include "analyzer/commands/top/so_far.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/trace/ran.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/windows/device_windows.h"
#include "schema/write/store_thin.h"

enum { DEVICES = 256 }; /* no machine has more; a damaged trace may claim more */

static int64_t later(int64_t a, int64_t b) { return a > b ? a : b; }

static struct xs_busy_device *device_of(struct xs_so_far *s, int64_t id) {
    for (size_t i = 0; i < s->device_count; i++)
        if (s->devices[i].id == id)
            return &s->devices[i];
    if (s->device_count == DEVICES)
        return &s->devices[DEVICES - 1];
    s->devices = xs_realloc(s->devices, (s->device_count + 1) * sizeof *s->devices);
    s->devices[s->device_count] = (struct xs_busy_device){.id = id};
    return &s->devices[s->device_count++];
}

static int read_devices(struct xs_so_far *s, const struct xs_trace *trace, char *message) {
    struct xs_scan scan;
    xs_scan_begin(&scan, trace, "SELECT id FROM device", message, NULL);
    while (xs_scan_row(&scan))
        device_of(s, xs_scan_int(&scan, 0));
    return xs_scan_end(&scan);
}

/* Appends a sum of bytes for each direction that the trace has. SQLite adds up faster than its rows can be fetched, but
 * each sum costs time in each row. */
static int append_sums(const struct xs_trace *trace, struct xs_string *sql, unsigned *directions, char *message) {
    struct xs_scan scan;
    unsigned found = 0;
    xs_scan_begin(&scan, trace, "SELECT DISTINCT direction FROM transfer_shape", message, NULL);
    while (xs_scan_row(&scan))
        found |= 1u << xs_scan_kind(&scan, 0, XS_DIRECTION_COUNT);
    for (int i = 0; i < XS_DIRECTION_COUNT; i++)
        if (found >> i & 1)
            xs_string_format(sql, ", sum(CASE WHEN direction = %d AND " XS_RAN " THEN bytes END)", i);
    *directions = found;
    return xs_scan_end(&scan);
}

/* The largest row number is read from the last row, because an aggregate would cost time in each row. */
#define LAST_ID(table) "(SELECT id FROM " table " ORDER BY id DESC LIMIT 1)"

static int read_transfers(struct xs_so_far *s, const struct xs_trace *trace, char *message) {
    enum { LAST, ENTER, RETURN, BYTES };
    XS_SCOPED_STRING sums = {0};
    struct xs_scan scan;
    unsigned directions = 0;
    int status = append_sums(trace, &sums, &directions, message);
    if (status < 0)
        return status;
    xs_scan_format(&scan, trace, message, NULL,
                   "SELECT " LAST_ID("transfer") ", max(enter_ns), max(return_ns)%s FROM transfer WHERE id > %lld",
                   sums.data ? sums.data : "", (long long)s->last[XS_READ_TRANSFER]);
    if (xs_scan_row(&scan)) {
        s->last[XS_READ_TRANSFER] = later(s->last[XS_READ_TRANSFER], xs_scan_int(&scan, LAST));
        s->called_ns = later(s->called_ns, xs_scan_int(&scan, ENTER));
        s->newest_ns = later(s->newest_ns, xs_scan_int(&scan, RETURN));
        for (int i = 0, column = BYTES; i < XS_DIRECTION_COUNT; i++)
            if (directions >> i & 1)
                s->bytes[i] = xs_sum(s->bytes[i], xs_scan_count_or_null(&scan, column++));
    }
    return xs_scan_end(&scan);
}

/* Reads only times: the latest start and end. Launches of kernels have no end. */
static int read_calls(struct xs_so_far *s, const struct xs_trace *trace, enum xs_table_read table, char *message) {
    static const char *const columns[XS_READ_TABLES] = {
        [XS_READ_LAUNCH] = "max(enter_ns), NULL FROM launch",
        [XS_READ_MEMSET] = LAST_ID("memset") ", max(enter_ns), max(return_ns) FROM memset",
        [XS_READ_SYNC] = LAST_ID("sync") ", NULL, max(return_ns) FROM sync",
        [XS_READ_ALLOCATION] = LAST_ID("allocation") ", NULL, max(return_ns) FROM allocation"};
    struct xs_scan scan;
    xs_scan_format(&scan, trace, message, NULL, "SELECT %s WHERE id > %lld", columns[table], (long long)s->last[table]);
    if (xs_scan_row(&scan)) {
        s->last[table] = later(s->last[table], xs_scan_int(&scan, 0));
        s->called_ns = later(s->called_ns, xs_scan_int(&scan, 1));
        s->newest_ns = later(s->newest_ns, later(xs_scan_int(&scan, 1), xs_scan_int(&scan, 2)));
    }
    return xs_scan_end(&scan);
}

static int read_records(struct xs_so_far *s, const struct xs_trace *trace, enum xs_table_read table, char *message) {
    bool copies = table == XS_READ_DEVICE_COPY;
    int64_t from = (int64_t)s->known_ns;
    struct xs_scan scan;
    xs_scan_format(&scan, trace, message, NULL, "SELECT id, start_ns, end_ns, %s WHERE id > %lld",
                   copies ? "coalesce(device, dst_device, src_device) FROM device_copy" : "device FROM device_kernel",
                   (long long)s->last[table]);
    while (xs_scan_row(&scan)) {
        int64_t start, end;
        s->last[table] = later(s->last[table], xs_scan_int(&scan, 0));
        if (xs_scan_null(&scan, 2) || !xs_scan_times(&scan, 1, 2, &start, &end))
            continue;
        s->recorded_ns = later(s->recorded_ns, end);
        struct xs_busy_device *device = device_of(s, xs_scan_null(&scan, 3) ? -1 : xs_scan_int(&scan, 3));
        xs_intervals_add(copies ? &device->copies : &device->kernels, later(start, from), end);
    }
    return xs_scan_end(&scan);
}

/* Adds the copies whose rows were removed before the first reading. */
static int read_thinned(struct xs_so_far *s, const struct xs_trace *trace, char *message) {
    struct xs_scan scan;
    xs_scan_begin(&scan, trace,
                  "SELECT s.direction, t.bytes FROM thinned t JOIN transfer_shape s ON s.id = t.shape"
                  " WHERE t.source = 'transfer' AND s." XS_RAN,
                  message, NULL);
    while (xs_scan_row(&scan)) {
        uint64_t *bytes = &s->bytes[xs_scan_kind(&scan, 0, XS_DIRECTION_COUNT)];
        *bytes = xs_sum(*bytes, xs_scan_count_or_null(&scan, 1));
    }
    return xs_scan_end(&scan);
}

/* Removes the part of the intervals before `to`, and returns how long it is. */
static uint64_t take_until(struct xs_intervals *set, int64_t to) {
    struct xs_intervals rest = {0};
    uint64_t ns = 0;
    xs_intervals_unite(set);
    for (size_t i = 0; i < set->count; i++) {
        const struct xs_interval *item = &set->items[i];
        if (item->start < to)
            ns = xs_sum(ns, (uint64_t)((item->end < to ? item->end : to) - item->start));
        xs_intervals_add(&rest, later(item->start, to), item->end);
    }
    xs_intervals_free(set);
    *set = rest;
    return ns;
}

/* Decides up to which time device times are known, and for how long since `from` they were recorded. If CUPTI records
 * in windows, the times of a window are known when the window has ended. */
static void find_known(struct xs_so_far *s, const struct xs_trace *trace, uint64_t from) {
    char status[16];
    struct xs_device_windows *windows = xs_device_windows_read(trace);
    const char *cupti = xs_trace_meta_text(trace, "cupti.status", status, sizeof status, "");
    s->known_ns = s->run_ns;
    s->late = false;
    if (windows) {
        struct xs_intervals span = {0};
        size_t count = windows->items.count;
        uint64_t end = count ? (uint64_t)windows->items.items[count - 1].end : 0;
        s->known_ns = end < s->run_ns ? end : s->run_ns;
        xs_intervals_add(&span, (int64_t)from, (int64_t)s->known_ns);
        s->looked_at_ns = xs_intervals_common(&windows->items, &span, NULL);
        xs_intervals_free(&span);
        xs_device_windows_free(windows);
    } else {
        s->late = trace->is_live && strcmp(cupti, "active") == 0 && s->called_ns > s->recorded_ns &&
                  (uint64_t)s->recorded_ns < s->run_ns;
        s->known_ns = s->late ? (uint64_t)s->recorded_ns : s->run_ns;
        s->looked_at_ns = s->known_ns > from ? s->known_ns - from : 0;
    }
    if (s->known_ns < from)
        s->known_ns = from;
}

static int read_new(struct xs_so_far *s, const struct xs_trace *trace, char *message) {
    int status = s->has_begun ? XS_OK : read_thinned(s, trace, message);
    status = status < 0 ? status : read_devices(s, trace, message);
    status = status < 0 ? status : read_transfers(s, trace, message);
    for (unsigned table = XS_READ_LAUNCH; status >= 0 && table < XS_READ_TABLES; table++)
        status =
            table < XS_READ_DEVICE_COPY ? read_calls(s, trace, table, message) : read_records(s, trace, table, message);
    return status;
}

/* False: rows that were not read are gone, or the trace is of another run. */
static bool goes_on(const struct xs_so_far *s, const struct xs_trace *trace) {
    return xs_trace_meta_int(trace, "start_unix_ns", 0) == s->start_unix_ns &&
           xs_trace_meta_int(trace, XS_META_THINNED_TO_NS, 0) <= s->called_ns;
}

int xs_so_far_read(struct xs_so_far *s, const struct xs_trace *trace, char *message) {
    xs_snapshot_begin(trace);
    if (s->has_begun && !goes_on(s, trace))
        xs_so_far_free(s);
    s->start_unix_ns = xs_trace_meta_int(trace, "start_unix_ns", 0);
    uint64_t from = s->known_ns;
    int status = read_new(s, trace, message);
    s->has_begun = true;
    uint64_t whole_ns = xs_trace_meta_count(trace, "duration_ns");
    s->run_ns = whole_ns ? whole_ns : (uint64_t)later(s->newest_ns, s->recorded_ns);
    s->run_ns = s->run_ns < XS_SCAN_LATEST_NS ? s->run_ns : XS_SCAN_LATEST_NS;
    find_known(s, trace, from);
    s->copy_ns = s->kernel_ns = 0;
    for (size_t i = 0; i < s->device_count; i++) {
        s->copy_ns = xs_sum(s->copy_ns, take_until(&s->devices[i].copies, (int64_t)s->known_ns));
        s->kernel_ns = xs_sum(s->kernel_ns, take_until(&s->devices[i].kernels, (int64_t)s->known_ns));
    }
    xs_snapshot_end(trace);
    return status;
}

void xs_so_far_free(struct xs_so_far *s) {
    for (size_t i = 0; i < s->device_count; i++) {
        xs_intervals_free(&s->devices[i].copies);
        xs_intervals_free(&s->devices[i].kernels);
    }
    free(s->devices);
    *s = (struct xs_so_far){0};
}
