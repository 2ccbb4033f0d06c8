/* Declares what managed_read.c reads about managed memory, for the repair in managed.c. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_MANAGED_INTERNAL_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_MANAGED_INTERNAL_H

#include "analyzer/base/hash.h"
#include "analyzer/base/intervals.h"
#include "analyzer/savings/plan/managed.h"
#include "analyzer/trace/windows/migration_windows.h"

/* A managed allocation. */
struct xs_managed_memory {
    int64_t id;
    uint64_t address, bytes;
    int64_t start_ns, end_ns;
    int64_t first_kernel_ns; /* start of the first kernel that used it; INT64_MAX: none */
    uint32_t first_kernel;   /* call of that kernel */
    bool is_prefetched;      /* a call prefetched it, so its pages also move without faults; see all_prefetched, too */
    bool stays;              /* the plan keeps its pages */
};

/* A span is the time of a kernel, or a gap, which is the host's time between two calls of a thread. */
struct xs_managed_span {
    uint32_t call; /* index, in the model, of the kernel's launch or of the call after the gap */
    uint32_t group;
    uint32_t first_given, given; /* of a kernel: index of the first item, and number of items, in xs_managed.given;
                                  * they are the managed memory among its arguments */
    int64_t start_ns, end_ns;
    uint64_t recorded_ns; /* the part of the span inside windows */
    uint64_t stalled_ns;  /* the part of recorded_ns in which pages moved */
    int64_t before_ns;    /* the time that the plan has added to the gap */
};

/* A group has spans that are assumed to be similar: kernels of one function with the same amount of managed memory, or
 * gaps after calls of one place. */
struct xs_managed_group {
    double recorded_ns, squares; /* sum of the lengths of its spans' sampled parts, and sum of the squares of these
                                  * lengths */
    double stalled_ns;           /* the stalled time in the sampled parts */
    double bytes;                /* bytes that were seen to move in the sampled parts */
    double staying;              /* the share of `bytes` that belongs to memory whose pages stay; managed.c */
    int64_t unfaulted_ns;        /* of kernels: duration without faults */
};

struct xs_managed_spans {
    enum xs_migration_way way;     /* direction in which the pages move */
    struct xs_managed_span *items; /* by start */
    size_t count, capacity;
    struct xs_managed_group *groups;
    size_t group_count, group_capacity;
    struct xs_hash group_of;     /* maps what similar spans have in common to their group's index plus 1 */
    struct xs_hash moved;        /* maps group and memory to the number of bytes that moved, plus 1 */
    struct xs_intervals streaks; /* times in which pages moved one after another */
};

struct xs_managed {
    struct xs_migration_windows windows[XS_MIGRATION_WAYS];
    struct xs_managed_memory *memories; /* by address */
    size_t memory_count, memory_capacity;
    struct xs_hash memory_of; /* maps allocation.id to the index plus 1 */
    uint32_t *given;
    size_t given_count, given_capacity;
    struct xs_managed_spans kernels, gaps;
    double ns_per_byte;  /* time per byte of the migrations themselves, in both directions */
    bool is_to_change;   /* the plan does not yet have the changes for all memory whose pages stay */
    bool all_prefetched; /* a call prefetched several ranges; only one is known */
};

/* Returns the length of the part of [start, end) that lies in a united set. */
uint64_t xs_managed_covered(const struct xs_intervals *set, int64_t start_ns, int64_t end_ns);

#endif
