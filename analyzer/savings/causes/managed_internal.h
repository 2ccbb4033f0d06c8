/* What was read of managed memory (managed_read.c), for its repair (managed.c). */
#ifndef XFERSPY_ANALYZER_CAUSES_MANAGED_INTERNAL_H
#define XFERSPY_ANALYZER_CAUSES_MANAGED_INTERNAL_H

#include "analyzer/base/hash.h"
#include "analyzer/base/intervals.h"
#include "analyzer/savings/causes/managed.h"
#include "analyzer/trace/windows/migration_windows.h"

/* A managed allocation. */
struct xs_managed_memory {
    int64_t id;
    uint64_t address, bytes;
    int64_t start_ns, end_ns;
    int64_t first_kernel_ns; /* when the first kernel began that was given it; INT64_MAX: there was none */
    uint32_t first_kernel;   /* its call */
    bool is_prefetched;      /* by a call: its pages move without faults, too; all_prefetched says it of all */
    bool stays;              /* the plan keeps its pages */
};

/* A kernel's run, or the host's time between two calls of a thread. */
struct xs_managed_span {
    uint32_t call; /* of the model: the launch, or the call behind the gap */
    uint32_t group;
    uint32_t first_given, given; /* of a kernel: the managed memory among its arguments, in xs_managed.given */
    int64_t start_ns, end_ns;
    uint64_t recorded_ns; /* in windows */
    uint64_t stalled_ns;  /* of recorded_ns: while pages came */
    int64_t before_ns;    /* what the plan has added to the gap */
};

/* Spans that are taken to be alike: kernels of one function that were given as much managed memory, gaps behind calls
 * of one place. */
struct xs_managed_group {
    double recorded_ns, squares; /* of the sampled parts of its spans: their sum, and the sum of their squares */
    double stalled_ns;           /* of these parts */
    double bytes;                /* that were seen to move in them */
    double staying;              /* the part of them of memory that stays; managed.c */
    int64_t unfaulted_ns;        /* of kernels: how long one lasts without faults */
};

struct xs_managed_spans {
    enum xs_migration_way way;     /* that pages go in them */
    struct xs_managed_span *items; /* by start */
    size_t count, capacity;
    struct xs_managed_group *groups;
    size_t group_count, group_capacity;
    struct xs_hash group_of;     /* what makes them alike, to the group's index plus 1 */
    struct xs_hash moved;        /* group and memory, to the bytes that moved, plus 1 */
    struct xs_intervals streaks; /* times in which pages came one after the other */
};

struct xs_managed {
    struct xs_migration_windows windows[XS_MIGRATION_WAYS];
    struct xs_managed_memory *memories; /* by address */
    size_t memory_count, memory_capacity;
    struct xs_hash memory_of; /* allocation.id to the index plus 1 */
    uint32_t *given;
    size_t given_count, given_capacity;
    struct xs_managed_spans kernels, gaps;
    double ns_per_byte;  /* of the migrations themselves, up or down */
    bool is_to_change;   /* memory stays that the plan has no changes for yet */
    bool all_prefetched; /* a call prefetched ranges of which not all are known */
};

/* The length of the part of [start, end) that lies in a united set. */
uint64_t xs_managed_covered(const struct xs_intervals *set, int64_t start_ns, int64_t end_ns);

#endif
