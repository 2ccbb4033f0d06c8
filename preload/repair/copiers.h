/* Copies from host memory to host memory by several threads. The calling thread copies pieces itself, and threads of
 * the library take some of them. Nobody waits for a thread that has not begun, so on a busy machine a copy costs no
 * more than with one thread.
 *
 * A job has one part for each buffer to copy from or to; a part has pieces. Parts are added while others are copied,
 * and their places are reused. */
#ifndef XFERSPY_PRELOAD_REPAIR_COPIERS_H
#define XFERSPY_PRELOAD_REPAIR_COPIERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_COPY_PARTS 8u
#define XS_PIECE_BYTES ((size_t)65536)      /* 5 us of one core */
#define XS_JOB_BYTES_MAX ((size_t)32 << 30) /* limit for all parts together: pieces are counted in 20 bits */

struct xs_copy_job {
    _Atomic uint64_t tickets;  /* the job's number, the next free piece, and the number of pieces */
    _Atomic uint32_t finished; /* finished pieces */
    _Atomic bool is_taken;
    bool is_streaming;
    unsigned pieces; /* pieces of each part */
    unsigned added;  /* parts */
    struct xs_copy_part {
        char *to;
        const char *from;
        size_t bytes;
        _Atomic uint32_t left; /* pieces not copied yet */
    } parts[XS_COPY_PARTS];
};

/* Begins a job with parts of at most `part_bytes`. `alone` is a job of the caller's, all zeros, that is used if nobody
 * can help: because too many jobs are under way, or because the program handles faults itself. Its handler would have
 * to run on a thread that it does not know, and might jump out of it. `is_streaming`: this processor will not read the
 * copy soon. Any thread, on a scratch stack: no signal may end the job half-way. */
struct xs_copy_job *xs_copy_begin(struct xs_copy_job *alone, size_t part_bytes, bool is_streaming);

/* Adds the next part; at most XS_COPY_PARTS may be unfinished. The part's memory must stay unchanged until the part is
 * done. */
void xs_copy_add(struct xs_copy_job *job, void *to, const void *from, size_t bytes);

/* Is the `i`th part (from 0) done? Only for the last XS_COPY_PARTS parts. True: what it wrote is visible. */
bool xs_copy_is_done(struct xs_copy_job *job, unsigned i);

/* Copies a piece. False: there is no free piece. */
bool xs_copy_help(struct xs_copy_job *job);

/* Rests shortly while others copy. `rests` counts the rests from 0. */
void xs_copy_rest(unsigned rests);

/* Ends the job: leaves out pieces that nobody took, and waits for the others. */
void xs_copy_end(struct xs_copy_job *job);

/* Returns the number of helping threads; starts them first. */
unsigned xs_copy_helpers(void);

#endif
