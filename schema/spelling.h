/* Finds the known name that is spelled most like an unknown one. */
#ifndef XFERSPY_SCHEMA_SPELLING_H
#define XFERSPY_SCHEMA_SPELLING_H

#include <stddef.h>

struct xs_nearest {
    const char *word; /* the unknown word, of `bytes` bytes; memory of the caller */
    size_t bytes, edits;
    char name[64]; /* the nearest name so far */
};

void xs_nearest_begin(struct xs_nearest *nearest, const char *word, size_t bytes);
/* Compares a known name with the word. A name of more than 63 bytes is never near. Of equally near names, the first is
 * kept. */
void xs_nearest_try(struct xs_nearest *nearest, const char *name);
/* Returns the nearest name; it is in the struct. A name is near if it begins with the word. It is also near if a few
 * edits (insert, remove, replace, swap neighbours) make the word equal to it: at most five, and at most half the number
 * of the name's letters. NULL: no name is near. */
const char *xs_nearest_name(const struct xs_nearest *nearest);

#endif
