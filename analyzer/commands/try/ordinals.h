/* Which call of the program a transfer of the trace is, in a way that holds in another run of it: the number of its
 * thread among those that copy, and of the call of a copying function within that thread. */
#ifndef XFERSPY_ANALYZER_TRY_ORDINALS_H
#define XFERSPY_ANALYZER_TRY_ORDINALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/trace/site.h"
#include "schema/read/trace.h"

struct xs_ordinal {
    int64_t row;      /* transfer.id */
    uint64_t bytes;   /* of this copy */
    uint64_t device;  /* the address on the device's side; 0: it is no copy between host and device */
    uint32_t thread;  /* from 0, in the order of the threads' first calls */
    uint32_t ordinal; /* from 0, among the thread's calls; the copies of a batch are one call */
    uint32_t site;
    bool is_of_batch;
    bool is_plain; /* in one dimension, between host memory that is not managed and device memory: repairs take no other
                    */
};

struct xs_ordinals {
    struct xs_ordinal *items; /* by row */
    size_t count, capacity;
    char *uncertain; /* why the numbers do not hold in another run, within a sentence; NULL: they do */
};

/* Why the numbers would not hold, by what the trace says of itself, without a look at its copies; NULL: nothing says
 * so. To be freed. */
char *xs_ordinals_doubt(const struct xs_trace *trace);

/* Memory use grows with the number of transfers. Negative status: the message is set. To be freed either way. */
int xs_ordinals_read(struct xs_ordinals *ordinals, const struct xs_trace *trace, struct xs_sites *sites, char *message);
void xs_ordinals_free(struct xs_ordinals *ordinals);

/* NULL: there is no such row. */
const struct xs_ordinal *xs_ordinals_find(const struct xs_ordinals *ordinals, int64_t row);

#endif
