/* Counts what is known of contents; see checked.h. */
#include "analyzer/output/checked.h"

#include <stdio.h>
#include <string.h>

#include "analyzer/model/scan.h"

#define NAME_ROW(n, id, name) [n] = name,
const char *const xs_skip_names[] = {XS_FINGERPRINT_SKIPS(NAME_ROW)};

static int read_transfers(const struct xs_trace *trace, struct xs_checked *c, char *message) {
    struct xs_scan scan;
    uint64_t damaged = 0;
    xs_scan_begin(&scan, trace,
                  "SELECT t.skip, count(*), t.fingerprint IS NOT NULL,"
                  " t.fingerprint IS NOT NULL AND NOT EXISTS (SELECT 1 FROM fingerprint f WHERE f.id = t.fingerprint)"
                  " FROM transfer t WHERE t.direction IN (1, 2) AND t.result = 0 AND t.is_captured = 0 AND t.bytes > 0"
                  " GROUP BY 1, 3, 4",
                  message, &damaged);
    while (xs_scan_row(&scan)) {
        uint64_t count = xs_scan_count(&scan, 1);
        c->eligible = xs_sum(c->eligible, count);
        if (xs_scan_int(&scan, 3))
            c->lost = xs_sum(c->lost, count);
        else if (xs_scan_int(&scan, 2))
            c->taken = xs_sum(c->taken, count);
        else
            c->skipped[xs_scan_kind(&scan, 0, XS_SKIP_COUNT)] += count; /* of one row each, so no more than rows */
    }
    return xs_scan_end(&scan);
}

static int read_launches(const struct xs_trace *trace, struct xs_checked *c, char *message) {
    struct xs_scan scan;
    uint64_t damaged = 0;
    xs_scan_begin(
        &scan, trace,
        "SELECT kind, arguments IS NULL, count(*) FROM launch WHERE result = 0 AND is_captured = 0 GROUP BY 1, 2",
        message, &damaged);
    while (xs_scan_row(&scan)) {
        uint64_t count = xs_scan_count(&scan, 2);
        int64_t kind = xs_scan_int(&scan, 0);
        if (kind == XS_LAUNCH_GRAPH) {
            c->graphs = xs_sum(c->graphs, count);
        } else if (kind == XS_LAUNCH_KERNEL || kind == XS_LAUNCH_COOPERATIVE) {
            c->kernels = xs_sum(c->kernels, count);
            if (xs_scan_int(&scan, 1))
                c->kernels_unseen = xs_sum(c->kernels_unseen, count);
        }
    }
    return xs_scan_end(&scan);
}

int xs_checked_read(const struct xs_trace *trace, struct xs_checked *checked, char *message) {
    *checked = (struct xs_checked){.recorded = xs_trace_meta_int(trace, "schema_version", 0) >= 2};
    xs_trace_meta_text(trace, "option.fingerprint", checked->mode, sizeof checked->mode, "");
    int status = read_transfers(trace, checked, message);
    return status < 0 ? status : read_launches(trace, checked, message);
}

void xs_checked_why_none(const struct xs_checked *c, char *buffer, size_t bytes) {
    unsigned most = 0;
    buffer[0] = '\0';
    if (!c->eligible || c->taken)
        return;
    for (unsigned i = 1; i < XS_SKIP_COUNT; i++)
        if (c->skipped[i] > c->skipped[most])
            most = i;
    if (!c->recorded)
        snprintf(buffer, bytes,
                 "Contents were not checked: the trace is of an older xferspy that took no fingerprints. "
                 "Record it again to see what was copied in vain.");
    else if (most == XS_SKIP_OFF || !strcmp(c->mode, "off"))
        snprintf(buffer, bytes,
                 "Contents were not checked: fingerprints were off, so copies made in vain are not found. "
                 "Record with XFERSPY_FINGERPRINT=auto.");
    else if (c->lost > c->skipped[most])
        snprintf(buffer, bytes, "Contents were not checked: the fingerprints were lost with the process.");
    else
        snprintf(buffer, bytes, "Contents were not checked: no transfer has a fingerprint (%s).",
                 most ? xs_skip_names[most] : "no reason is given");
}
