/* Finds the legacy default streams of a trace; see streams.h. */
#include "analyzer/trace/streams.h"

#include "analyzer/trace/scan.h"

int xs_streams_read(struct xs_streams *streams, const struct xs_trace *trace, char *message, uint64_t *damaged) {
    struct xs_scan scan;
    *streams = (struct xs_streams){0};
    xs_scan_begin(&scan, trace, "SELECT id, context FROM stream WHERE handle IN (0, 1)", message, damaged);
    while (xs_scan_row(&scan))
        if (xs_scan_int(&scan, 0) > 0 && xs_scan_int(&scan, 1) > 0)
            *xs_hash_put(&streams->legacy, (uint64_t)xs_scan_int(&scan, 0), 0) = (uint64_t)xs_scan_int(&scan, 1);
    return xs_scan_end(&scan);
}

void xs_streams_free(struct xs_streams *streams) { xs_hash_free(&streams->legacy); }
