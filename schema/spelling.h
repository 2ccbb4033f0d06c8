/* This search finds the name nearest in spelling to an unknown one. */
#ifndef XFERSPY_SCHEMA_SPELLING_H
#define XFERSPY_SCHEMA_SPELLING_H

#include <stddef.h>

struct xs_nearest {
    const char *word; /* the word as written, `bytes` long; the caller's */
    size_t bytes, edits;
    char name[64]; /* the nearest so far */
};

void xs_nearest_begin(struct xs_nearest *nearest, const char *word, size_t bytes);
/* Offers a known name. A name of more than 63 bytes is never near. The first of equally near names wins. */
void xs_nearest_try(struct xs_nearest *nearest, const char *name);
/* Returns the nearest name, owned by the struct: at most five edits (insert, remove, replace, swap neighbours) and half
 * of the name's letters away, or beginning with the word. NULL: none is near. */
const char *xs_nearest_name(const struct xs_nearest *nearest);

#endif
