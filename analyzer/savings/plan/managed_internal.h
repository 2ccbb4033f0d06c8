/* Holds what managed_read.c reads of managed memory, for its repair in managed.c. */
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
    int64_t first_kernel_ns; /* start of the first kernel that was given it; INT64_MAX: none */
    uint32_t first_kernel;   /* call of that kernel */
    bool is_prefetched;      /* by a call: its pages also move without faults; all_prefetched covers all memory */
    bool stays;              /* the plan keeps its pages */
};

/* A span is a kernel's run, or the host's time between two calls of a thread. */
struct xs_managed_span {
    uint32_t call; /* index in the model: the launch, or the call behind the gap */
    uint32_t group;
    uint32_t first_given, given; /* of a kernel: the managed memory among its arguments, in xs_managed.given */
    int64_t start_ns, end_ns;
    uint64_t recorded_ns; /* the part inside windows */
    uint64_t stalled_ns;  /* the part of recorded_ns in which pages came */
    int64_t before_ns;    /* what the plan has added to the gap */
};

/* A group holds spans that are assumed alike: kernels of one function with equally much managed memory, or gaps behind
 * calls of one place. */
struct xs_managed_group {
    double recorded_ns, squares; /* of the sampled parts of its spans: their sum, and the sum of their squares */
    double stalled_ns;           /* stalled time in the sampled parts */
    double bytes;                /* bytes that were seen to move in the sampled parts */
    double staying;              /* the share of `bytes` in memory that stays; managed.c */
    int64_t unfaulted_ns;        /* of kernels: duration of one without faults */
};

struct xs_managed_spans {
    enum xs_migration_way way;     /* direction of the pages */
    struct xs_managed_span *items; /* by start */
    size_t count, capacity;
    struct xs_managed_group *groups;
    size_t group_count, group_capacity;
    struct xs_hash group_of;     /* what makes spans alike, to the group's index plus 1 */
    struct xs_hash moved;        /* group and memory, to the bytes that moved, plus 1 */
    struct xs_intervals streaks; /* times in which pages came one after another */
};

struct xs_managed {
    struct xs_migration_windows windows[XS_MIGRATION_WAYS];
    struct xs_managed_memory *memories; /* by address */
    size_t memory_count, memory_capacity;
    struct xs_hash memory_of; /* allocation.id to the index plus 1 */
    uint32_t *given;
    size_t given_count, given_capacity;
    struct xs_managed_spans kernels, gaps;
    double ns_per_byte;  /* of the migrations themselves, both ways */
    bool is_to_change;   /* some memory stays without changes in the plan yet */
    bool all_prefetched; /* a call prefetched ranges that are not all known */
};

/* Returns the length of the part of [start, end) that lies in a united set. */
uint64_t xs_managed_covered(const struct xs_intervals *set, int64_t start_ns, int64_t end_ns);

#endif
