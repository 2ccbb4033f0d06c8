/* Virtual time (virtual.c). If the virtual clock is preloaded, nothing sleeps and no stream has a worker thread. The
 * thread that calls CUDA runs the operations itself, in the order of their simulated times. Its own clock advances by
 * the time that its calls take, and to the end of the operations for which they wait. */
#ifndef XS_SIM_VIRTUAL_H
#define XS_SIM_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;
struct xs_op;
struct xs_sim_call;

/* The data of one stream for virtual time. */
struct xs_virtual_stream {
    uint64_t *ends; /* end of each operation, indexed by its sequence number, from 0 */
    uint64_t capacity;
    bool is_pending; /* the stream is in the list of streams that have operations */
    struct CUstream_st *next_pending;
};

bool xs_is_virtual(void);

/* Begins a driver call: advances the host's clock by the time that the call takes. */
void xs_virtual_call(const char *name);
/* Ends a driver call: if the call waited, advances the host's clock by the time that the host takes to notice the
 * end. */
void xs_virtual_return(void);

/* These advance the host's clock by the time for work that depends on the size. */
void xs_virtual_stage(uint64_t bytes);     /* copying pageable memory into the driver's memory */
void xs_virtual_page_lock(uint64_t bytes); /* page-locking */

/* The time of the operation that the calling thread runs now; 0: it runs none. xs_wait_until_ns advances this time. */
uint64_t xs_virtual_operation_now(void);
void xs_virtual_operation_reach(uint64_t ns);

/* The following functions are called under the queue lock. This one is called when an operation was appended to its
 * stream's queue. */
void xs_virtual_append_locked(struct CUstream_st *stream, struct xs_op *op);
/* Makes the operation start after the end of an operation of another stream. */
void xs_virtual_depend_locked(struct xs_op *op, const struct CUstream_st *stream, uint64_t sequence);
/* True if the operation has ended at the present time. */
bool xs_virtual_done_locked(const struct CUstream_st *stream, uint64_t sequence);
/* Advances the clock to the operation's end. */
void xs_virtual_wait_locked(struct CUstream_st *stream, uint64_t sequence);
/* Runs all operations that are queued in the stream, without advancing the clock. */
void xs_virtual_finish_locked(struct CUstream_st *stream);

#endif
