/* Holds live allocations in the order in which they will be freed. It is needed because an allocation's row has both
 * its begin and its free, but rows are in the order of the begins. */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_FREES_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_FREES_H

#include <stddef.h>

#include "analyzer/findings/engine/residency.h"

struct xs_frees {                 /* zeroed: empty */
    struct xs_allocation **items; /* a heap */
    size_t count, capacity;
};

void xs_frees_add(struct xs_frees *frees,
                  struct xs_allocation *allocation);                /* an allocation that is never freed is not added */
struct xs_allocation *xs_frees_first(const struct xs_frees *frees); /* NULL: none */
void xs_frees_pop(struct xs_frees *frees);
void xs_frees_free(struct xs_frees *frees);

#endif
