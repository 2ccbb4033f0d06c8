/* Finds stretches in which one device ran copies and no kernel, or kernels and no copy, and which copies of one could
 * have run beside the kernels of the next: docs/rules/analysis.md, `no-overlap`. Each device uses a fixed amount of
 * memory, and memory for the allocations that a stretch of kernels was given. */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETECTORS_STRETCHES_H
#define XFERSPY_ANALYZER_FINDINGS_DETECTORS_STRETCHES_H

#include "analyzer/base/hash.h"
#include "analyzer/trace/trace_event.h"

/* The part of a launch that its kernels' intervals need. */
struct xs_stretch_launch {
    int64_t id, enter_ns; /* 0: not known */
    const int64_t *arguments;
    unsigned argument_count;
    bool arguments_seen;
};

/* A pair is a stretch of copies, or its part in one direction, beside a stretch of kernels. */
struct xs_stretch_pair {
    uint64_t ns;      /* min(copies, kernels) */
    bool decided;     /* false: only launches with unseen arguments leave the copies alone */
    uint64_t copy_ns; /* time of the copies in which no kernel ran */
    unsigned copies;  /* number of copies that count */
    uint64_t bytes;
    int64_t transfer; /* the first of these copies */
    int64_t call_ns;
    uint32_t site;
    int64_t launch; /* launch of the kernel next to them; 0: not known */
};

typedef void xs_stretch_found(void *context, const struct xs_stretch_pair *pair);

enum { XS_STRETCH_COPIES = 64, XS_STRETCH_KERNELS = 128 };

struct xs_stretch_copy {
    int64_t start_ns, end_ns, call_ns;
    int64_t transfer, allocation;
    uint64_t bytes;
    uint64_t ns; /* time in which it ran and no kernel did */
    uint64_t
        idle_ns; /* idle time of the device: before an upload, since the kernels; after a download, until the kernels */
    uint32_t site;
    bool is_upload, runs;
    bool blocked;        /* what follows depends on it, or it depends on what came before */
    bool after_download; /* the host had the stretch's download before it requested this copy */
};

/* One allocation that the kernels of a stretch were given. Its times count the stretch's busy time only. */
struct xs_stretch_touch {
    int64_t allocation;
    uint64_t first_ns, last_ns; /* begin of the first of these kernels, end of the last */
};

struct xs_stretches { /* state of one device */
    int64_t now_ns;
    uint64_t idle_ns; /* idle time so far */
    enum { XS_STRETCH_NONE, XS_STRETCH_OF_KERNELS, XS_STRETCH_OF_COPIES } current;

    struct xs_stretch_kernel {
        struct xs_stretch_launch launch;
        int64_t end_ns;
        uint64_t begin_ns; /* the stretch's busy time at its begin */
    } running[XS_STRETCH_KERNELS];
    unsigned running_count;
    int64_t copies_end_ns, download_end_ns; /* end of the copies under way; end of the stretch's first download */

    /* The next fields are about the latest stretch of kernels. */
    uint64_t busy_ns, idle_at_end_ns;
    struct xs_hash touched; /* allocation to index + 1 */
    struct xs_stretch_touch *touches;
    uint32_t touch_count;
    size_t touch_capacity;
    struct xs_stretch_touch unseen; /* by launches with unseen arguments; allocation 0: none */
    int64_t first_launch_ns;        /* when the host requested its first kernel */
    int64_t first_launch, last_launch;
    bool used;

    /* `copies` holds the current or next stretch's copies; `waiting` the downloads of the stretch before, beside the
     * current kernels. */
    struct xs_stretch_copy copies[XS_STRETCH_COPIES], waiting[XS_STRETCH_COPIES];
    unsigned copy_count, waiting_count;
    uint64_t copies_ns, waiting_ns; /* time in which copies ran and no kernel did */

    xs_stretch_found *found;
    void *context;
};

void xs_stretches_begin(struct xs_stretches *stretches, xs_stretch_found *found, void *context);
void xs_stretches_free(struct xs_stretches *stretches);

/* Take intervals, ascending by start. `follows` is false if it is not known what the copy depends on. */
void xs_stretches_kernel(struct xs_stretches *stretches, int64_t start_ns, int64_t end_ns,
                         const struct xs_stretch_launch *launch);
void xs_stretches_copy(struct xs_stretches *stretches, const struct xs_trace_event *interval, bool follows);

/* Call it after the last interval: what is still open counts. */
void xs_stretches_finish(struct xs_stretches *stretches);

#endif
