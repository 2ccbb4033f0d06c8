/* Numbers for the program's copies that hold in another run: the number of the thread among the copying threads, and
 * the number of the copying call within the thread. */
#ifndef XFERSPY_ANALYZER_COMMANDS_TRY_ORDINALS_H
#define XFERSPY_ANALYZER_COMMANDS_TRY_ORDINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/site.h"
#include "schema/read/trace.h"

struct xs_ordinal {
    int64_t row;      /* transfer.id */
    uint64_t bytes;   /* bytes of this copy */
    uint64_t device;  /* the address on the device; 0: not between host and device */
    uint32_t thread;  /* from 0, in the order of the threads' first calls */
    uint32_t ordinal; /* from 0, among the thread's calls; a batch call counts as one */
    uint32_t site;
    bool is_of_batch;
    bool is_plain; /* one-dimensional, between device memory and host memory that is not managed: repairs take no
                    * other copies */
};

struct xs_ordinals {
    struct xs_ordinal *items; /* by row */
    size_t count, capacity;
    char *uncertain; /* why the numbers do not hold in another run, as a part of a sentence; NULL: they do */
};

/* Why the numbers would not hold, by what the trace says without a look at its copies; NULL: no reason. To be freed. */
char *xs_ordinals_doubt(const struct xs_trace *trace);

/* Numbers the copies. Memory use grows with the number of transfers. Negative status: the message is set. To be
 * freed even then. */
int xs_ordinals_read(struct xs_ordinals *ordinals, const struct xs_trace *trace, struct xs_sites *sites, char *message);
void xs_ordinals_free(struct xs_ordinals *ordinals);

/* NULL: there is no such row. */
const struct xs_ordinal *xs_ordinals_find(const struct xs_ordinals *ordinals, int64_t row);

#endif
