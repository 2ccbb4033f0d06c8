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
    int64_t remote_ns;       /* from this time on the driver let the device use pages across the link, because the pages
                              * went back and forth; INT64_MAX: it never did */
    int64_t went_ns;         /* start of the first migration to the host; INT64_MAX: none was recorded */
    uint64_t went_bytes;     /* bytes of the recorded migrations to the host */
    uint64_t came_bytes;     /* bytes of the recorded migrations to the device */
    uint64_t faults;         /* recorded faults of the device */
    bool is_prefetched;      /* a call prefetched it, so its pages also move without faults; see all_prefetched, too */
    enum xs_managed_way way; /* what the plan does with it */
};

/* A span is the time of a kernel, or a gap, which is the host's time between two calls of a thread. */
struct xs_managed_span {
    uint32_t call; /* index, in the model, of the kernel's launch or of the call after the gap */
    uint32_t group;
    uint32_t first_given, given; /* for a kernel: index of the first item, and number of items, in xs_managed.given;
                                  * these items are the managed memory among the kernel's arguments */
    bool is_first;               /* for a kernel: it is the first kernel that uses some of this memory */
    bool is_remote; /* for a kernel: the driver lets it use pages of some of this memory across the link; for a gap: it
                       begins after xs_managed.remote_ns */
    bool has_pages; /* pages moved during the span, and the kernel or the host waited for them */
    int64_t start_ns, end_ns;
    uint64_t recorded_ns; /* the part of the span inside windows */
    uint64_t stalled_ns;  /* the part of recorded_ns in which pages moved */
    uint64_t waited_ns;   /* for a gap: the part of stalled_ns from a fault to the arrival of its pages */
    int64_t before_ns;    /* the time that the plan has added to the gap */
};

/* Sums over the recorded parts of spans: the lengths of these parts, the squares of the lengths, and stalled_ns and
 * waited_ns of struct xs_managed_span. */
struct xs_managed_seen {
    double recorded_ns, squares, stalled_ns, waited_ns;
};

/* The mean and the least length of several kernels. */
struct xs_managed_lengths {
    double sum_ns, count;
    int64_t shortest_ns;
};

/* A group has spans that are assumed to be similar: kernels of one function with the same amount of managed memory, or
 * gaps after calls of one place. */
struct xs_managed_group {
    struct xs_managed_seen samples; /* sums over the parts of spans in windows that are samples, without the kernels in
                                     * `first`. Other windows do not represent spans that were not recorded: the first
                                     * window, for example, lasted until many pages had moved */
    struct xs_managed_seen first; /* sums over the kernels with is_first in all windows. Each such kernel has new pages,
                                   * so any window represents the ones that were not recorded */
    double stalled_ns;            /* stalled time in all windows */
    double bytes;                 /* bytes that were seen to move in all windows */
    double faults;                /* faults of the device in all windows */
    double weight, staying;       /* weight: the sum of `bytes` and `faults`; staying: the part of the weight that
                                   * belongs to memory whose waits for pages the plan removes (managed.c) */
    double looked, fetching;      /* for gaps: the number of recorded gaps, and the number of recorded gaps in which
                                   * pages came to the host */
    /* For kernels: all kernels; the kernels recorded whole without faults; and the kernels without faults that used
     * pages across the link. */
    struct xs_managed_lengths all, unfaulted, remote;
};

struct xs_managed_spans {
    enum xs_migration_way way;     /* direction in which the pages move */
    struct xs_managed_span *items; /* by start */
    size_t count, capacity;
    struct xs_managed_group *groups;
    size_t group_count, group_capacity;
    struct xs_hash group_of;     /* maps what similar spans have in common to their group's index plus 1 */
    struct xs_hash moved;        /* maps a group and a memory to this memory's part of the group's weight, plus 1 */
    struct xs_intervals streaks; /* times in which pages moved one after another */
    struct xs_intervals waits;   /* for gaps: times from a fault of the host to the arrival of its pages */
};

struct xs_managed {
    struct xs_migration_windows windows[XS_MIGRATION_WAYS];
    struct xs_managed_memory *memories; /* by address */
    size_t memory_count, memory_capacity;
    struct xs_hash memory_of; /* maps allocation.id to the index plus 1 */
    uint32_t *given;
    size_t given_count, given_capacity;
    struct xs_managed_spans kernels, gaps;
    int64_t remote_ns;   /* the earliest remote_ns of all memories */
    double ns_per_block; /* time that kernels stalled for each XS_BLOCK_BYTES of pages that came or were made */
    double room_ns;      /* time that kernels can still stall for first uses of pages; managed.c */
    double ns_per_byte;  /* time per byte that the migrations of both directions took */
    bool is_to_change;   /* the plan does not yet have the changes for all memory whose pages stay */
    bool all_prefetched; /* a call prefetched several ranges, but the trace has only one of them, so all memory counts
                          * as prefetched */
};

/* Finds how much of each recorded span's time was spent on moving or making pages, and what this shows about the other
 * spans of its group. */
void xs_managed_measure(struct xs_managed *managed);

/* A device makes new pages in blocks of this size. */
#define XS_BLOCK_BYTES (UINT64_C(2) << 20)

/* Returns how many blocks of the memory came to the device, or were made there, for the first time in a recorded
 * window. */
uint64_t xs_managed_blocks_seen(const struct xs_managed_memory *memory);

/* Returns the number of blocks that the bytes take. */
uint64_t xs_managed_blocks(uint64_t bytes);

/* True if so much of the span was recorded that the rest is assumed to be like it. */
bool xs_managed_is_recorded(const struct xs_managed_span *span);

#endif
