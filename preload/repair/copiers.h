/* A copy from host memory to host memory by several threads. The calling thread copies pieces itself, and threads of
 * the library's own take some of them: nobody waits for a thread that has not begun, so a busy machine costs no more
 * than a copy by one thread would.
 *
 * A job has parts, as many as there are buffers to copy from or to; a part has pieces. Parts are added while others are
 * copied, and their places are used again. */
#ifndef XFERSPY_PRELOAD_REPAIR_COPIERS_H
#define XFERSPY_PRELOAD_REPAIR_COPIERS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define XS_COPY_PARTS 8u
#define XS_PIECE_BYTES ((size_t)65536)      /* 5 us of one core */
#define XS_JOB_BYTES_MAX ((size_t)32 << 30) /* of all parts together: pieces are counted in 20 bits */

struct xs_copy_job {
    _Atomic uint64_t tickets;  /* the job's number, the next piece that nobody took, and how many pieces there are */
    _Atomic uint32_t finished; /* pieces */
    _Atomic bool is_taken;
    bool is_streaming;
    unsigned pieces; /* of each part */
    unsigned added;  /* parts */
    struct xs_copy_part {
        char *to;
        const char *from;
        size_t bytes;
        _Atomic uint32_t left; /* pieces */
    } parts[XS_COPY_PARTS];
};

/* Begins a job whose parts have at most `part_bytes`. `alone` is a job of the caller's, all zeros, that is used where
 * nobody can help: because too many jobs are under way, or because the program handles faults itself. Its handler would
 * have to run on a thread that it does not know, and might jump out of it. `is_streaming`: what is written is not going
 * to be read by this processor soon. Any thread, on a scratch stack: no signal may end the job half-way. */
struct xs_copy_job *xs_copy_begin(struct xs_copy_job *alone, size_t part_bytes, bool is_streaming);

/* Adds the next part; at most XS_COPY_PARTS that are not done. Its memory stays as it is until the part is done. */
void xs_copy_add(struct xs_copy_job *job, void *to, const void *from, size_t bytes);

/* Is the `i`th part (from 0) done? One of the last XS_COPY_PARTS. What it wrote is visible then. */
bool xs_copy_is_done(struct xs_copy_job *job, unsigned i);

/* Copies a piece. False: there is none that nobody took. */
bool xs_copy_help(struct xs_copy_job *job);

/* A short rest, while others copy. `rests` counts them from 0. */
void xs_copy_rest(unsigned rests);

/* Ends the job: pieces that nobody took are left out, the others are waited for. */
void xs_copy_end(struct xs_copy_job *job);

/* How many threads of the library help; starts them. */
unsigned xs_copy_helpers(void);

#endif
