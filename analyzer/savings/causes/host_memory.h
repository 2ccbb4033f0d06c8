/* Page-locked and registered memory of the program, and whether page-locked memory it is still needed when copies that
 * used it are not made any more. What a library allocates for a copy, as CuPy does, goes with the copies, unless those
 * that are left are worth its price. */
#ifndef XFERSPY_ANALYZER_CAUSES_HOST_MEMORY_H
#define XFERSPY_ANALYZER_CAUSES_HOST_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct xs_plan;

/* An allocation of page-locked memory, or a registration. */
struct xs_locked_memory {
    uint64_t bytes;
    int64_t price_ns;          /* of the calls that allocate and free it */
    uint32_t allocation, free; /* these calls; free: XS_PLAN_NONE where it lives to the end */
    int64_t worth_ns;          /* so much longer its copies would take from pageable memory, all together */
    int64_t left_ns;           /* the same of the copies that a plan leaves */
    uint64_t copies, left;     /* how many there are, and how many a plan leaves */
    uint32_t first_copy;       /* XS_PLAN_NONE: there is none */
    uint32_t last_copy;
    bool is_registered; /* memory that there is: a plan that drops its copies leaves the registration */
    bool is_touched;    /* a plan drops a copy of it */
    bool is_to_judge;   /* and has done so since it was judged */
    bool is_of_copy;    /* and that copy's statement allocated it */
    bool is_useless;    /* it leaves none; or, where a copy's statement allocated it, one that is not worth it */
    int64_t instead_ns; /* of useless memory: its part of xs_host_memory.instead_ns */
};

/* A copy's number is that of its call; of a copy of a batch call (xs_model_copy), the number of all calls plus its own
 * index. */
struct xs_host_memory {
    struct xs_locked_memory *items; /* by the allocating calls */
    size_t count;
    uint32_t *of;   /* by copy: the item that it uses plus 1, 0: none; by call, of an allocation: its item plus 1 */
    uint32_t *next; /* by copy: the next one of its item; XS_PLAN_NONE: there is none */
    bool is_used_unseen; /* by copies that are not in the trace: none is ever useless */
    int64_t instead_ns;  /* what the copies of useless memory that are left take longer */
    uint32_t *touched;   /* the items that a plan touches; from `judged` on they are to be judged (again) */
    size_t touched_count, touched_capacity, judged;
};

/* `plan` has its model, findings and links between calls. Always to be ended. */
void xs_host_memory_begin(struct xs_host_memory *memory, const struct xs_plan *plan);
void xs_host_memory_end(struct xs_host_memory *memory);

/* The memory that this call allocates or registers; NULL: not known. */
const struct xs_locked_memory *xs_host_memory_of(const struct xs_host_memory *memory, const struct xs_plan *plan,
                                                 uint32_t allocation);

/* What a copy from or to page-locked memory would take longer with pageable memory. */
int64_t xs_host_memory_worth(const struct xs_plan *plan, uint32_t copy);

/* The plan does not make this copy any more, or it does not use the host's memory any more. To be said once. */
void xs_host_memory_leave(struct xs_host_memory *memory, const struct xs_plan *plan, uint32_t copy);

/* The next memory that has become useless by what was said since the last that was returned; NULL: there is none. */
const struct xs_locked_memory *xs_host_memory_next_useless(struct xs_host_memory *memory);

/* The plan makes every copy again. */
void xs_host_memory_clear(struct xs_host_memory *memory);

#endif
