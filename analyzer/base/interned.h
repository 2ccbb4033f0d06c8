/* Each interned text is kept only once, so equal texts have equal addresses. */
#ifndef XFERSPY_ANALYZER_BASE_INTERNED_H
#define XFERSPY_ANALYZER_BASE_INTERNED_H

#include "analyzer/base/hash.h"

struct xs_texts { /* zeroed: empty */
    struct xs_hash known;
    char *block; /* the newest block; it begins with a pointer to the block before it */
    size_t used, bytes;
};

/* Returns the stored copy of a text. Only the first 4095 bytes are kept, because no real name is longer. NULL gives
 * NULL. */
const char *xs_texts_keep(struct xs_texts *texts, const char *text);
void xs_texts_free(struct xs_texts *texts);

#endif
