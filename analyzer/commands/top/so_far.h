/* Keeps sums over the rows of a trace that were read so far. Each call of xs_so_far_read reads only the rows that were
 * added since the previous call. The result is the same as if all rows had been read at once. */
#ifndef XFERSPY_ANALYZER_COMMANDS_TOP_SO_FAR_H
#define XFERSPY_ANALYZER_COMMANDS_TOP_SO_FAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/intervals.h"
#include "analyzer/trace/kind_words.h"
#include "schema/read/trace.h"

enum xs_table_read {
    XS_READ_TRANSFER,
    XS_READ_LAUNCH,
    XS_READ_MEMSET,
    XS_READ_SYNC,
    XS_READ_ALLOCATION,
    XS_READ_DEVICE_COPY,
    XS_READ_DEVICE_KERNEL,
    XS_READ_TABLES
};

/* Has the times after `known_ns` at which copies and kernels ran on a device. Streams run at the same time, so the
 * intervals of one list may overlap. */
struct xs_busy_device {
    int64_t id;
    struct xs_intervals copies, kernels;
};

struct xs_so_far {
    int64_t last[XS_READ_TABLES]; /* for each table, the largest id that was read */
    bool has_begun;
    int64_t start_unix_ns;        /* tells whether the file is still the trace of the same run */
    uint64_t run_ns;              /* duration of the run so far */
    int64_t called_ns, newest_ns; /* start of the latest call that may have device times; latest time of any row */
    int64_t recorded_ns;          /* end of the latest device time */
    uint64_t bytes[XS_DIRECTION_COUNT]; /* of copies that ran */
    struct xs_busy_device *devices;
    size_t device_count;

    /* All device times up to this time are known. CUPTI delivers device times late and in large batches. If none is
     * late, this is the present end of the run. If CUPTI records device times in windows, it is the end of the latest
     * window that has ended. */
    uint64_t known_ns;
    bool late; /* calls after known_ns started work whose times are not known yet; always false if CUPTI records
                * in windows */
    /* The next fields are about the time from the known_ns of the previous call to that of this call: for how long
     * device times were recorded, and how long the devices copied and ran kernels then, added up over all devices. */
    uint64_t looked_at_ns, copy_ns, kernel_ns;
};

/* Reads the rows that were added since the previous call. The caller must zero `so_far` before the first call. If rows
 * that this function has not read were removed (the trace reached its largest size), or the file is of another run, it
 * forgets everything and begins anew. Must be called before device times are modelled (xs_modelled_add_to), because the
 * rows of modelled times must not be taken for new rows. Negative status: the message is set. */
int xs_so_far_read(struct xs_so_far *so_far, const struct xs_trace *trace, char *message);
void xs_so_far_free(struct xs_so_far *so_far);

#endif
