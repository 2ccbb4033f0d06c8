/* What was meant by a name that there is not: the one nearest in spelling. */
#ifndef XFERSPY_SCHEMA_SPELLING_H
#define XFERSPY_SCHEMA_SPELLING_H

#include <stddef.h>

struct xs_nearest {
    const char *word; /* that somebody wrote, `bytes` of it; the caller's */
    size_t bytes, edits;
    char name[64]; /* the nearest so far */
};

void xs_nearest_begin(struct xs_nearest *nearest, const char *word, size_t bytes);
/* A name that there is; one of more than 63 bytes is near nothing. The first of those that are equally near counts. */
void xs_nearest_try(struct xs_nearest *nearest, const char *name);
/* The nearest of them: at most five edits (insert, remove, replace, swap neighbours) and half of its letters, or it
 * begins with the word. NULL: none is near. The struct's. */
const char *xs_nearest_name(const struct xs_nearest *nearest);

#endif
