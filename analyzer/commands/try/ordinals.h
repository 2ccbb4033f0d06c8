/* Gives each copy that a program makes numbers that are the same in another run of the program: the number of its
 * thread among the threads that copy, and the number of the copying call within this thread. */
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
    uint64_t device;  /* device address that the copy reads or writes; 0: the copy is not between host and device */
    uint32_t thread;  /* counted from 0, in the order of the threads' first calls */
    uint32_t ordinal; /* counted from 0, among the thread's copying calls; a batch call counts once */
    uint32_t site;
    bool is_of_batch;
    bool is_plain; /* the copy is one-dimensional, between device memory and host memory that is not managed; repairs do
                      not change other copies */
};

struct xs_ordinals {
    struct xs_ordinal *items; /* by row */
    size_t count, capacity;
    char *uncertain; /* why the numbers may differ in another run, as a part of a sentence; NULL: they are the same */
};

/* Returns why the numbers may differ in another run. Finds only reasons that can be found without reading the trace's
 * copies. NULL: there is no such reason. The caller frees the text. */
char *xs_ordinals_doubt(const struct xs_trace *trace);

/* Numbers the copies. Memory use grows with the number of transfers. Negative status: the message is set. `ordinals`
 * must be freed even then. */
int xs_ordinals_read(struct xs_ordinals *ordinals, const struct xs_trace *trace, struct xs_sites *sites, char *message);
void xs_ordinals_free(struct xs_ordinals *ordinals);

/* Returns the numbers of a row; NULL: there is no such row. */
const struct xs_ordinal *xs_ordinals_find(const struct xs_ordinals *ordinals, int64_t row);

#endif
