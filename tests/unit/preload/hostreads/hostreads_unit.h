/* What the tests of preload/hostreads share: memory of several kinds, and ways to read it. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_HOSTREADS_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_HOSTREADS_UNIT_H

#include "unit.h"

#include "preload/hostreads/host_reads.h"

#define PAGE UINT64_C(4096) /* on machines with larger pages, the tests are skipped */

enum memory_kind { MEMORY_PRIVATE, MEMORY_SHARED, MEMORY_KINDS };

/* Keeps this thread, and those that it starts, on one processor. Otherwise another processor may still keep some pages
 * back that were just written, and these would count as read. */
void stay_on_one_processor(void);

/* Maps memory without huge pages, writes all of it, and unmaps it. */
char *make_memory(enum memory_kind kind, size_t bytes);
void drop_memory(char *memory, size_t bytes);

enum way {
    WAY_LOAD,
    WAY_MEMCPY,
    WAY_WRITE,      /* into a file */
    WAY_WRITE_PIPE, /* into a pipe */
    WAY_SPLICE,     /* vmsplice into a pipe, sent on into a file */
    WAY_DIRECT,     /* into a file with O_DIRECT, where the file system has that */
    WAY_THREAD,     /* a load in another thread */
    WAY_STORE,      /* the program overwrites it; that is an access, too */
    WAYS
};

/* Reads whole pages. */
void read_pages(enum way way, char *memory, size_t bytes);

#endif
