/* Virtual time (virtual.c): with the virtual clock preloaded, nothing sleeps and no stream has a worker thread. The
 * thread that calls CUDA runs the operations itself, in the order in which their simulated times come, and its own
 * clock goes on by what its calls cost and by what they wait for. */
#ifndef XS_SIM_VIRTUAL_H
#define XS_SIM_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

struct CUstream_st;
struct xs_op;
struct xs_call;

/* A stream's part of it. */
struct xs_virtual_stream {
    uint64_t *ends; /* by sequence number, from 0: when it ended */
    uint64_t capacity;
    bool is_pending; /* is in the list of streams that have operations */
    struct CUstream_st *next_pending;
};

bool xs_is_virtual(void);

/* Begins a driver call: the host's time for it passes. */
void xs_virtual_call(const char *name);
/* Ends it: where it waited, the host's time to notice passes. */
void xs_virtual_return(void);

/* The host works on something whose size says how long. */
void xs_virtual_stage(uint64_t bytes);     /* copies pageable memory into the driver's own */
void xs_virtual_page_lock(uint64_t bytes); /* pins pages */

/* The time of the operation that the calling thread runs now, 0 when it runs none. xs_wait_until_ns moves it on. */
uint64_t xs_virtual_operation_now(void);
void xs_virtual_operation_reach(uint64_t ns);

/* All of these under the queue lock. An operation was appended to its stream's queue. */
void xs_virtual_append_locked(struct CUstream_st *stream, struct xs_op *op);
/* The operation has to start behind the end of another stream's. */
void xs_virtual_depend_locked(struct xs_op *op, const struct CUstream_st *stream, uint64_t sequence);
/* Has it ended, at the present time? */
bool xs_virtual_done_locked(const struct CUstream_st *stream, uint64_t sequence);
/* Moves the clock to its end. */
void xs_virtual_wait_locked(struct CUstream_st *stream, uint64_t sequence);
/* Runs what is queued in the stream and moves no clock. */
void xs_virtual_finish_locked(struct CUstream_st *stream);

#endif
