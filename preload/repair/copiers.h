/* Copies from host memory to host memory with several threads. The calling thread copies pieces itself, and threads of
 * the library copy some of the pieces. The calling thread never waits for a thread that has not begun a piece, so on a
 * busy machine a copy takes no longer than with one thread.
 *
 * A job has one part for each buffer to copy from or to, and each part is divided into pieces. Parts may be added while
 * other parts are copied. The array elements of finished parts are reused. */
#ifndef XFERSPY_PRELOAD_REPAIR_COPIERS_H
#define XFERSPY_PRELOAD_REPAIR_COPIERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_COPY_PARTS 8u
#define XS_PIECE_BYTES ((size_t)65536)      /* one core copies a piece in 5 us */
#define XS_JOB_BYTES_MAX ((size_t)32 << 30) /* limit for all parts together, because pieces are counted in 20 bits */

struct xs_copy_job {
    _Atomic uint64_t tickets;  /* the job's number, the next piece that nobody has taken, and the number of pieces */
    _Atomic uint32_t finished; /* number of finished pieces */
    _Atomic bool is_taken;
    bool is_streaming;
    unsigned pieces; /* number of pieces of each part */
    unsigned added;  /* number of parts added so far */
    struct xs_copy_part {
        char *to;
        const char *from;
        size_t bytes;
        _Atomic uint32_t left; /* number of pieces that are not copied yet */
    } parts[XS_COPY_PARTS];
};

/* Begins a job with parts of at most `part_bytes`. `alone` is a job in the caller's memory, initialized with zeros. It
 * is used, and no other thread helps, if there are no helping threads, if too many jobs are under way, or if the
 * program handles memory faults itself. In the last case, a fault in a helping thread would run the program's handler
 * on a thread that the program does not know, and the handler might jump out of the copy. `is_streaming`: the processor
 * will not read the copied bytes soon. Any thread. The caller runs on a scratch stack, so that no signal handler can
 * end the job half-way. */
struct xs_copy_job *xs_copy_begin(struct xs_copy_job *alone, size_t part_bytes, bool is_streaming);

/* Adds the next part; at most XS_COPY_PARTS parts may be unfinished. Until the part is done, `from` must not change,
 * and `to` and `from` must stay valid. */
void xs_copy_add(struct xs_copy_job *job, void *to, const void *from, size_t bytes);

/* True if the `i`th part (counted from 0) is done; the copied bytes are then visible to the calling thread. Part `i`
 * must be one of the last XS_COPY_PARTS parts. */
bool xs_copy_is_done(struct xs_copy_job *job, unsigned i);

/* Copies one piece. False: there is no piece left to take. */
bool xs_copy_help(struct xs_copy_job *job);

/* Pauses the calling thread for a short time while other threads copy. `rests` is the number of earlier pauses in a
 * row. */
void xs_copy_rest(unsigned rests);

/* Ends the job. Pieces that no thread has taken are not copied. Waits until all taken pieces are copied. */
void xs_copy_end(struct xs_copy_job *job);

/* Returns the number of helping threads. The first call starts them. */
unsigned xs_copy_helpers(void);

#endif
