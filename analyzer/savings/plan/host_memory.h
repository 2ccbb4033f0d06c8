/* Tracks the program's page-locked and registered memory, and whether page-locked memory is still needed once copies
 * that used it are gone. Memory that a library allocates for a copy, as CuPy does, goes with the copies, unless the
 * remaining copies are worth its price. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_HOST_MEMORY_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_plan;

/* An allocation of page-locked memory, or a registration. */
struct xs_locked_memory {
    uint64_t bytes;
    int64_t price_ns;          /* of the calls that allocate and free it */
    uint32_t allocation, free; /* its calls; free: XS_PLAN_NONE if it lives to the end */
    int64_t worth_ns;          /* extra time of all its copies from pageable memory */
    int64_t left_ns;           /* worth_ns of the copies that a plan leaves */
    uint64_t copies, left;     /* how many copies use it, and how many a plan leaves */
    uint32_t first_copy;       /* XS_PLAN_NONE: no copy */
    uint32_t last_copy;
    bool is_registered; /* exists anyway: a plan that drops its copies leaves the registration */
    bool is_touched;    /* a plan drops one of its copies */
    bool is_to_judge;   /* a plan has dropped a copy since the last judgement */
    bool is_of_copy;    /* a dropped copy's statement allocated it */
    bool is_useless;    /* the plan leaves no copy; or, if is_of_copy, one that is not worth the price */
    int64_t instead_ns; /* of useless memory: its share of xs_host_memory.instead_ns */
};

/* A copy's number is its call's number. A copy of a batch call (xs_model_copy) has the number of all calls plus its own
 * index. */
struct xs_host_memory {
    struct xs_locked_memory *items; /* in the order of the allocating calls */
    size_t count;
    uint32_t *of;        /* by copy: the item that it uses plus 1, 0: none; by call of an allocation: its item plus 1 */
    uint32_t *next;      /* by copy: the next copy of its item; XS_PLAN_NONE: none */
    bool is_used_unseen; /* by copies that the trace lacks: no item is ever useless */
    int64_t instead_ns;  /* extra time of the copies that still use useless memory */
    uint32_t *touched;   /* items that a plan touches; those from `judged` on wait for a judgement */
    size_t touched_count, touched_capacity, judged;
};

/* Requires `plan` with its model, findings and links between calls. Always end it. */
void xs_host_memory_begin(struct xs_host_memory *memory, const struct xs_plan *plan);
void xs_host_memory_end(struct xs_host_memory *memory);

/* Returns the memory that this call allocates or registers; NULL: not known. */
const struct xs_locked_memory *xs_host_memory_of(const struct xs_host_memory *memory, const struct xs_plan *plan,
                                                 uint32_t allocation);

/* Returns how much longer a copy from or to page-locked memory would take with pageable memory. */
int64_t xs_host_memory_worth(const struct xs_plan *plan, uint32_t copy);

/* Records that the plan drops this copy, or that the copy no longer uses host memory. Call it once per copy. */
void xs_host_memory_leave(struct xs_host_memory *memory, const struct xs_plan *plan, uint32_t copy);

/* Returns the next memory that became useless by the copies recorded since the last return; NULL: none. */
const struct xs_locked_memory *xs_host_memory_next_useless(struct xs_host_memory *memory);

/* Resets: the plan makes every copy again. */
void xs_host_memory_clear(struct xs_host_memory *memory);

#endif
