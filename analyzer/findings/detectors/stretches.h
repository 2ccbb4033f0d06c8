/* Stretches in which one device ran copies and no kernel, or kernels and no copy, and which copies of one could have
 * run beside the kernels of the stretch next to it: docs/rules/analysis.md, `no-overlap`. Each device uses a fixed
 * amount of memory, and memory for the list of allocations that a stretch of kernels was given. */
#ifndef XFERSPY_ANALYZER_DETECTORS_STRETCHES_H
#define XFERSPY_ANALYZER_DETECTORS_STRETCHES_H

#include "analyzer/base/hash.h"
#include "analyzer/trace/trace_event.h"

/* A launch, as far as its kernels' intervals need it. */
struct xs_stretch_launch {
    int64_t id, enter_ns; /* 0: not known */
    const int64_t *arguments;
    unsigned argument_count;
    bool arguments_seen;
};

/* A stretch of copies, or the part of it in one direction, beside a stretch of kernels. */
struct xs_stretch_pair {
    uint64_t ns;      /* min(copies, kernels) */
    bool decided;     /* else only if launches whose arguments were not seen leave the copies alone */
    uint64_t copy_ns; /* of the copies, in which no kernel ran */
    unsigned copies;  /* that count */
    uint64_t bytes;
    int64_t transfer; /* the first of them */
    int64_t call_ns;
    uint32_t site;
    int64_t launch; /* of the kernel next to them, 0: not known */
};

typedef void xs_stretch_found(void *context, const struct xs_stretch_pair *pair);

enum { XS_STRETCH_COPIES = 64, XS_STRETCH_KERNELS = 128 };

struct xs_stretch_copy {
    int64_t start_ns, end_ns, call_ns;
    int64_t transfer, allocation;
    uint64_t bytes;
    uint64_t ns;      /* in which it ran and no kernel did */
    uint64_t idle_ns; /* of the device: before an upload, since the kernels; after a download, until the kernels */
    uint32_t site;
    bool is_upload, runs;
    bool blocked;        /* what follows depends on it, or what came before */
    bool after_download; /* the host had the stretch's download before it asked for this */
};

/* What the kernels of a stretch were given, on the clock of its busy time. */
struct xs_stretch_touch {
    int64_t allocation;
    uint64_t first_ns, last_ns; /* when the first of these kernels began, the last ended */
};

struct xs_stretches { /* of one device */
    int64_t now_ns;
    uint64_t idle_ns; /* so far */
    enum { XS_STRETCH_NONE, XS_STRETCH_OF_KERNELS, XS_STRETCH_OF_COPIES } current;

    struct xs_stretch_kernel {
        struct xs_stretch_launch launch;
        int64_t end_ns;
        uint64_t begin_ns; /* the stretch's busy time when it began */
    } running[XS_STRETCH_KERNELS];
    unsigned running_count;
    int64_t copies_end_ns, download_end_ns; /* of the copies under way; of the first download of the stretch */

    /* The latest stretch of kernels. */
    uint64_t busy_ns, idle_at_end_ns;
    struct xs_hash touched; /* allocation to index + 1 */
    struct xs_stretch_touch *touches;
    uint32_t touch_count, touch_capacity;
    struct xs_stretch_touch unseen; /* by launches of unseen arguments; allocation 0: none */
    int64_t first_launch_ns;        /* when the host asked for its first kernel */
    int64_t first_launch, last_launch;
    bool used;

    /* The copies of the stretch at hand, or coming; and the downloads of the one before, beside the kernels at hand. */
    struct xs_stretch_copy copies[XS_STRETCH_COPIES], waiting[XS_STRETCH_COPIES];
    unsigned copy_count, waiting_count;
    uint64_t copies_ns, waiting_ns; /* in which copies ran and no kernel did */

    xs_stretch_found *found;
    void *context;
};

void xs_stretches_begin(struct xs_stretches *stretches, xs_stretch_found *found, void *context);
void xs_stretches_free(struct xs_stretches *stretches);

/* Intervals come ascending by their start. `follows` is false where what the copy depends on cannot be told. */
void xs_stretches_kernel(struct xs_stretches *stretches, int64_t start_ns, int64_t end_ns,
                         const struct xs_stretch_launch *launch);
void xs_stretches_copy(struct xs_stretches *stretches, const struct xs_trace_event *interval, bool follows);

/* After the last one: what is still open counts. */
void xs_stretches_finish(struct xs_stretches *stretches);

#endif
