/* Keeps track of the program's page-locked and registered memory, and decides if page-locked memory is still needed
 * after copies that used it have been dropped. Memory that a library allocates for a copy, as CuPy does, is dropped
 * with the copies, unless the remaining copies are worth its price. */
#ifndef XFERSPY_ANALYZER_SAVINGS_PLAN_HOST_MEMORY_H
#define XFERSPY_ANALYZER_SAVINGS_PLAN_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_plan;

/* An allocation of page-locked memory, or a registration. */
struct xs_locked_memory {
    uint64_t bytes;
    int64_t price_ns;          /* time of the calls that allocate and free it */
    uint32_t allocation, free; /* the call that allocates it, and the call that frees it; XS_PLAN_NONE: it is never
                                * freed */
    int64_t worth_ns;          /* extra time that all its copies would take with pageable memory */
    int64_t left_ns;           /* worth_ns of the copies that the plan does not drop */
    uint64_t copies, left;     /* number of copies that use it; number of these copies that the plan does not drop */
    uint32_t first_copy;       /* XS_PLAN_NONE: no copy */
    uint32_t last_copy;
    bool is_registered; /* it is registered memory, which exists anyway; a plan that drops its copies does not drop the
                         * registration */
    bool is_touched;    /* the plan has dropped one of its copies */
    bool is_to_judge;   /* the plan has dropped one of its copies since it was last judged */
    bool is_of_copy;    /* the statement of a dropped copy allocated it */
    bool is_useless; /* it is no longer needed: no copy remains; or, if is_of_copy, the remaining copies are not worth
                      * the price */
    int64_t instead_ns; /* if it is useless: its share of xs_host_memory.instead_ns */
};

/* Copies have numbers as in xs_model_copy_at. */
struct xs_host_memory {
    struct xs_locked_memory *items; /* in the order of the allocating calls */
    size_t count;
    uint32_t *of;        /* by number of a copy: index of the item that the copy uses, plus 1; by number of an
                          * allocating call: index of the item that it allocates, plus 1; 0: none */
    uint32_t *next;      /* by copy: the next copy of its item; XS_PLAN_NONE: none */
    bool is_used_unseen; /* copies that the trace lacks may use the memory, so no item is ever useless */
    int64_t instead_ns;  /* extra time of the copies that still use useless memory */
    uint32_t *touched;   /* items with copies that the plan has dropped; the items from index `judged` on still
                          * have to be judged */
    size_t touched_count, touched_capacity, judged;
};

/* Requires `plan` with its model, findings and links between calls. Always call xs_host_memory_end. */
void xs_host_memory_begin(struct xs_host_memory *memory, const struct xs_plan *plan);
void xs_host_memory_end(struct xs_host_memory *memory);

/* Returns the memory that this call allocates or registers; NULL: not known. */
const struct xs_locked_memory *xs_host_memory_of(const struct xs_host_memory *memory, const struct xs_plan *plan,
                                                 uint32_t allocation);

/* Returns how much longer a copy would take with pageable memory than with page-locked memory. */
int64_t xs_host_memory_worth(const struct xs_plan *plan, uint32_t copy);

/* Records that the plan drops this copy, or that the copy no longer uses host memory. Call it once per copy. */
void xs_host_memory_leave(struct xs_host_memory *memory, const struct xs_plan *plan, uint32_t copy);

/* Judges the items that have lost copies to the plan since they were last judged, and returns the next item that is
 * useless; NULL: none. */
const struct xs_locked_memory *xs_host_memory_next_useless(struct xs_host_memory *memory);

/* Must be called when the plan is cleared, because a cleared plan drops no copy. */
void xs_host_memory_clear(struct xs_host_memory *memory);

#endif
