/* Finds out which pages of a region of host memory the program has read or written since a certain moment, by the
 * processor's accessed bits. This costs the program no fault and no signal, and needs no privilege.
 *
 * A region is watched from the beginning of its first page to the end of its last one. What lies beside it in these
 * pages counts as part of it: an access there counts as a read, and a program that reads only the first value of an
 * array is not missed.
 *
 * The program may also read the neighbours of an array, such as other blocks of the heap. So the first and the last
 * page are pieces of their own if they may have other data, and the caller learns how much was read in them.
 *
 * A region is watched in pieces. Each piece becomes a mapping of its own by advice that concerns files and swapping
 * only: MADV_SEQUENTIAL and MADV_RANDOM by turns. MADV_NORMAL takes the advice back, and the mappings merge again.
 * MADV_COLD clears the accessed bits of the region, and `Referenced` in smaps says later how much of each piece was
 * accessed.
 *
 * Why MADV_COLD, and not "1" written to /proc/self/clear_refs: that clears the bits of the whole process, so that its
 * time grows with the process. It also loses pages that the program did read, up to 1.3 MiB of 64 MiB on a machine with
 * an H200, most likely because TLBs keep their entries. With MADV_COLD no page was lost there, and 64 MiB took 0.5 to
 * 0.9 ms for malloc, cudaHostAlloc and cudaHostRegister alike. It leaves alone what other processes map too, so that
 * this counts as read. Its one effect is that the pages are the first to be swapped out if memory is short. It clears
 * nothing in locked and managed memory. Names of mappings (PR_SET_VMA_ANON_NAME) would change even less than advice
 * does, but many kernels are built without them.
 *
 * What is not an access by this process's own code or by the kernel on its behalf sets no bit: DMA of the GPU (also
 * uploads from the region, and kernels that read mapped memory), of a network card, or of io_uring into registered
 * buffers. The caller knows the GPU's part; for the others there is XS_HOST_READS_OTHERS. The kernel marks a page as
 * referenced at the first read by process_vm_readv, ptrace or /proc/PID/mem, and replaces this mark by "active" at the
 * second. So active pages count as read. One gap remains: each processor keeps up to 31 pages back before they become
 * active. So fewer pages than that, read in this way an even number of times and in no other way, look unread. For the
 * same reason a few pages that the program wrote right before, on another processor, may not be cleared; these count as
 * read.
 *
 * A child that is not made by fork(), but by the system call itself, is seen while it lives, and not afterwards.
 *
 * Only one thread uses these functions, and a forked child must not; there they do nothing. */
#ifndef XFERSPY_PRELOAD_HOSTREADS_HOST_READS_H
#define XFERSPY_PRELOAD_HOSTREADS_HOST_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/format/kinds.h"

#define XS_HOST_READS_PIECES 16
/* Regions of less than XS_HOST_READS_LEAST_BYTES are not watched, because of the gap above. `doubt` says why a region
 * is not watched, or why nobody can say whether it was read. schema/format/kinds.h has both. */

struct xs_host_reads_piece {
    uintptr_t begin, end;
    uint64_t read_bytes; /* at most this much was read; pages are counted as a whole */
    bool is_found;       /* private: the last reading found the mapping as it was made */
    bool is_told;        /* private: the last reading knows the number of active pages */
};

/* The caller sets `address` and `bytes`; all the rest belongs to the functions below. */
struct xs_host_reads_region {
    uintptr_t address;
    uint64_t bytes;
    bool is_watched;
    bool is_active; /* private: the last reading found active pages */
    enum xs_host_reads_doubt doubt;
    uint64_t watched_bytes, read_bytes; /* read_bytes counts only if there is no doubt */
    uint64_t edge_read_bytes;           /* the part of read_bytes in the first and the last piece, if these are edges */
    bool has_edge[2];                   /* the first, or the last, piece is a page that may have other data, too */
    unsigned n_pieces;
    unsigned forks;       /* private: number of forks when the bits were cleared */
    uintptr_t begin, end; /* private: what is watched */
    struct xs_host_reads_piece pieces[XS_HOST_READS_PIECES];
};

/* Must be called once, before the functions below. False: nothing can be watched. */
bool xs_host_reads_start(void);

/* Makes pieces of the regions and clears their accessed bits. Where that is not possible, `doubt` says why. The regions
 * must not overlap. */
void xs_host_reads_watch(struct xs_host_reads_region *regions, size_t count);

/* Clears the accessed bits of a watched region again; called as soon as its copy is done, because the driver itself
 * writes pageable memory. */
void xs_host_reads_clear(struct xs_host_reads_region *region);

/* Sets `read_bytes` of watched regions and of their pieces, or `doubt`. */
void xs_host_reads_read(struct xs_host_reads_region *regions, size_t count);

/* Ends watching after xs_host_reads_read: the pieces that it found become one mapping again. Others are not touched,
 * because the program has put something else there. */
void xs_host_reads_release(struct xs_host_reads_region *regions, size_t count);

#endif
