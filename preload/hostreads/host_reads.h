/* Finds out which pages of a region of host memory the program has read or written since a certain moment, by the
 * processor's accessed bits. This costs the program no fault and no signal, and needs no privilege.
 *
 * A region is watched from the beginning of its first page to the end of its last page; these are huge pages where the
 * mapping has huge pages. All bytes of these pages count as part of the region: an access to any of them counts as a
 * read. So a program that reads only the first value of an array is not missed.
 *
 * The program may also read the neighbours of an array, such as other blocks of the heap. So the first and the last
 * page are pieces of their own if they may have other data, and the caller learns how much was read in them.
 *
 * A region is watched in pieces. Each piece becomes a mapping of its own by advice that concerns files and swapping
 * only: MADV_SEQUENTIAL and MADV_RANDOM by turns. MADV_NORMAL takes the advice back, and the mappings merge again.
 * MADV_COLD clears the accessed bits of the region, and `Referenced` in smaps says later how much of each piece was
 * accessed.
 *
 * MADV_COLD is used, and not "1" written to /proc/self/clear_refs. The latter clears the bits of the whole process, so
 * it takes longer in a larger process. It also loses pages that the program did read, up to 1.3 MiB of 64 MiB on a
 * machine with an H200, most likely because TLBs keep their entries. With MADV_COLD no page was lost there, and 64 MiB
 * took 0.5 to 0.9 ms for malloc, cudaHostAlloc and cudaHostRegister alike. MADV_COLD does not clear pages that other
 * processes map as well, so these count as read. Its only effect on the program is that the pages are the first to be
 * swapped out if memory is short. It clears nothing in locked and managed memory. Names of mappings
 * (PR_SET_VMA_ANON_NAME) would change even less than advice does, but many kernels are built without them.
 *
 * Only accesses by this process's own code, or by the kernel on its behalf, set the bits. DMA sets none: neither that
 * of the GPU (uploads from the region, and kernels that read mapped memory), nor that of a network card, nor that of
 * io_uring into registered buffers. The caller knows what the GPU reads; for the others there is the doubt
 * XS_HOST_READS_OTHERS. The kernel marks a page as referenced at the first read by process_vm_readv, ptrace or
 * /proc/PID/mem, and replaces this mark by "active" at the second. Each processor keeps up to 31 pages back before they
 * become active. So if one page of a region is active, the whole region counts as read. One gap remains: pages that are
 * kept back, and that were read in this way an even number of times and in no other way, look unread. For the same
 * reason, a few pages that the program wrote on another processor right before the bits were cleared may keep their
 * bits; these pages count as read.
 *
 * A child process that was made by the system call itself, and not by fork(), is noticed while it lives, and not
 * afterwards.
 *
 * Only one thread at a time may be in these functions: the watcher calls them with its lock held. In a forked child
 * nothing is watched any more, and the functions change nothing. */
#ifndef XFERSPY_PRELOAD_HOSTREADS_HOST_READS_H
#define XFERSPY_PRELOAD_HOSTREADS_HOST_READS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/format/kinds.h"

#define XS_HOST_READS_PIECES 16
/* Regions whose pages have less than XS_HOST_READS_LEAST_BYTES are not watched, because of the gap that the first
 * comment of this file describes. This number, and the doubts of struct xs_host_reads_region, are in
 * schema/format/kinds.h. */

struct xs_host_reads_piece {
    uintptr_t begin, end;
    uint64_t read_bytes; /* the pages that were read, in bytes; the program may have read less of them */
    bool is_found;       /* private: the last reading found the mapping as xs_host_reads_watch had made it */
    bool is_told;        /* private: the last reading could tell the number of active pages */
};

/* A region of memory that may be watched. The caller sets `address` and `bytes`; the functions below set the other
 * fields, which the caller only reads. */
struct xs_host_reads_region {
    uintptr_t address;
    uint64_t bytes;
    bool is_watched;
    bool is_active; /* private: the last reading found active pages */
    /* Says why the region is not watched, or why nobody can say whether it was read; XS_HOST_READS_NO_DOUBT:
     * neither. */
    enum xs_host_reads_doubt doubt;
    uint64_t watched_bytes, read_bytes; /* size of all pages of the region, and of those that were read; read_bytes is
                                         * valid only if there is no doubt */
    uint64_t edge_read_bytes;           /* the part of read_bytes in the first and the last piece, if these are edges */
    bool has_edge[2];                   /* the first, or the last, piece is a page that may have other data, too */
    unsigned n_pieces;
    unsigned forks;       /* private: number of forks of this process when the bits were cleared */
    uintptr_t begin, end; /* private: what is watched */
    struct xs_host_reads_piece pieces[XS_HOST_READS_PIECES];
};

/* Must be called once, before the functions below. False: nothing can be watched. */
bool xs_host_reads_start(void);

/* Divides the regions into pieces, and clears their accessed bits. If this is not possible for a region, `is_watched`
 * is false, and `doubt` says why. A region that shares a page with a watched region is not watched
 * (XS_HOST_READS_FOREIGN). */
void xs_host_reads_watch(struct xs_host_reads_region *regions, size_t count);

/* Clears the accessed bits of a watched region again. The caller does this as soon as the copy is done, because the
 * driver itself writes pageable memory. An earlier doubt about the region is dropped. */
void xs_host_reads_clear(struct xs_host_reads_region *region);

/* Sets `read_bytes` of the watched regions and of their pieces, or sets `doubt`. Does not clear the bits, so the
 * function may be called again. */
void xs_host_reads_read(struct xs_host_reads_region *regions, size_t count);

/* Ends the watch of these regions. The pieces that the latest xs_host_reads_read found become one mapping again. Other
 * pieces are not touched, because the program has put something else there. */
void xs_host_reads_release(struct xs_host_reads_region *regions, size_t count);

#endif
