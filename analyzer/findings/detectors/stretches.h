/* Finds stretches of time in which one device ran copies but no kernel, or kernels but no copy. Then finds the copies
 * that could have run at the same time as the kernels of the neighbouring stretch (docs/rules/analysis.md,
 * `no-overlap`). Each device takes a fixed amount of memory, plus memory for the allocations that a stretch of kernels
 * used. */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETECTORS_STRETCHES_H
#define XFERSPY_ANALYZER_FINDINGS_DETECTORS_STRETCHES_H

#include "analyzer/base/hash.h"
#include "analyzer/trace/trace_event.h"

/* What has to be known about the launch of a kernel. */
struct xs_stretch_launch {
    int64_t id, enter_ns; /* 0: not known */
    const int64_t *arguments;
    unsigned argument_count;
    bool arguments_seen;
};

/* A pair is a stretch of kernels and the neighbouring stretch of copies, or of the copies in one direction. */
struct xs_stretch_pair {
    uint64_t ns;  /* how long the copies and the kernels could have run at the same time */
    bool decided; /* false: the copies are independent of the kernels only if the launches with unseen arguments do not
                   * use the memory of the copies */
    uint64_t copy_ns; /* time of the copies in which no kernel ran */
    unsigned copies;  /* number of copies that could have run at the same time as the kernels */
    uint64_t bytes;
    int64_t transfer; /* transfer.id of the copy that the host requested first */
    int64_t call_ns;
    uint32_t site;
    int64_t launch; /* launch of the kernel next to the copies; 0: not known */
};

typedef void xs_stretch_found(void *context, const struct xs_stretch_pair *pair);

enum { XS_STRETCH_COPIES = 64, XS_STRETCH_KERNELS = 128 };

struct xs_stretch_copy {
    int64_t start_ns, end_ns, call_ns;
    int64_t transfer, allocation;
    uint64_t bytes;
    uint64_t ns;      /* time in which the copy ran and no kernel did */
    uint64_t idle_ns; /* idle time of the device between an upload and the kernels before it, or between a download and
                       * the kernels after it */
    uint32_t site;
    bool is_upload, runs;
    bool blocked; /* the copy cannot be moved, because later work depends on the copy, the copy depends on earlier work,
                   * or this is not known */
    bool after_download; /* the stretch's download had ended before the host requested this copy */
};

/* An allocation that kernels of a stretch used. first_ns and last_ns count only the stretch's busy time, in which
 * kernels ran and no copy did. */
struct xs_stretch_touch {
    int64_t allocation;
    uint64_t first_ns, last_ns; /* begin of the first of these kernels, and end of the last one */
};

struct xs_stretches { /* state of one device */
    int64_t now_ns;
    uint64_t idle_ns; /* total idle time so far */
    enum { XS_STRETCH_NONE, XS_STRETCH_OF_KERNELS, XS_STRETCH_OF_COPIES } current;

    struct xs_stretch_kernel {
        struct xs_stretch_launch launch;
        int64_t end_ns;
        uint64_t begin_ns; /* the stretch's busy time when the kernel began */
    } running[XS_STRETCH_KERNELS];
    unsigned running_count;
    int64_t copies_end_ns, download_end_ns; /* copies_end_ns: end of the last copy that is running; download_end_ns: end
                                             * of the stretch's first download */

    /* The next fields describe the latest stretch of kernels. */
    uint64_t busy_ns, idle_at_end_ns;
    struct xs_hash touched; /* maps an allocation to its index in `touches` + 1 */
    struct xs_stretch_touch *touches;
    uint32_t touch_count;
    size_t touch_capacity;
    struct xs_stretch_touch unseen; /* busy time of the launches with unseen arguments; allocation 0: there are none */
    int64_t first_launch_ns;        /* when the host requested the stretch's first kernel */
    int64_t first_launch, last_launch;
    bool used;

    /* `copies` holds the copies of the current or next stretch. `waiting` holds the downloads of the previous stretch,
     * which may be paired with the current kernels. */
    struct xs_stretch_copy copies[XS_STRETCH_COPIES], waiting[XS_STRETCH_COPIES];
    unsigned copy_count, waiting_count;
    uint64_t copies_ns, waiting_ns; /* time in which copies ran and no kernel did */

    xs_stretch_found *found;
    void *context;
};

void xs_stretches_begin(struct xs_stretches *stretches, xs_stretch_found *found, void *context);
void xs_stretches_free(struct xs_stretches *stretches);

/* These functions must be called for each interval, in the order of start times. `follows` is true if it is known which
 * work the copy depends on. */
void xs_stretches_kernel(struct xs_stretches *stretches, int64_t start_ns, int64_t end_ns,
                         const struct xs_stretch_launch *launch);
void xs_stretches_copy(struct xs_stretches *stretches, const struct xs_trace_event *interval, bool follows);

/* Must be called after the last interval, so that stretches that have not ended count, too. */
void xs_stretches_finish(struct xs_stretches *stretches);

#endif
