/* Reads what the kernel says about the mappings of this process. The kernel walks the page tables for
 * /proc/self/smaps and /proc/self/numa_maps, from the lowest mapping up to the last one that is read, so one walk
 * serves all regions that somebody asks about. */
#ifndef XFERSPY_PRELOAD_HOSTREADS_MAPPINGS_H
#define XFERSPY_PRELOAD_HOSTREADS_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What VmFlags says. The flags for rights, and the flags that every ordinary mapping may have, are ignored. Every other
 * flag that is not listed here counts as XS_MAPPING_OTHER. */
enum xs_mapping_flags {
    XS_MAPPING_SEQUENTIAL = 1, /* MADV_SEQUENTIAL */
    XS_MAPPING_RANDOM = 2,     /* MADV_RANDOM */
    XS_MAPPING_OTHER = 4,      /* locked, of a device, of huge pages, watched by userfaultfd, not for children, ... */
};

struct xs_mapping {
    uintptr_t begin, end;
    bool is_anonymous; /* no file, no device: the pages can be reached only through this mapping, or after a fork */
    bool is_writable;
    unsigned flags; /* enum xs_mapping_flags */
    uint64_t resident_kib, referenced_kib;
    uint64_t shared_kib; /* these pages are mapped more than once, for example by a forked child */
    uint64_t swapped_kib;
    uint64_t huge_kib; /* these pages are mapped as transparent huge pages */
};

/* Calls `see` for each mapping that begins below `until`, in order of addresses. False: smaps could not be read to
 * that point. */
bool xs_mappings_walk(uintptr_t until, void (*see)(const struct xs_mapping *mapping, void *context), void *context);

/* Calls `see` for each mapping that has pages and begins below `until`. `active` is the number of pages that the
 * kernel has moved to the list of active pages. False: numa_maps could not be read; kernels without NUMA have none. */
bool xs_mappings_active(uintptr_t until, void (*see)(uintptr_t begin, uint64_t active, void *context), void *context);

struct xs_mappings_glance {
    uint64_t count;
    /* A device may read memory for the program without any access of a processor: io_uring with registered buffers, or
     * RDMA. */
    bool have_other_readers;
};

/* Looks at the names of all mappings; no page tables are walked. False: they could not be read. */
bool xs_mappings_glance(struct xs_mappings_glance *glance);

#endif
