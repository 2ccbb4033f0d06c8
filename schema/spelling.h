/* Finds the known name whose spelling is nearest to that of an unknown name. */
#ifndef XFERSPY_SCHEMA_SPELLING_H
#define XFERSPY_SCHEMA_SPELLING_H

#include <stddef.h>

struct xs_nearest {
    const char *word; /* the unknown word, of `bytes` bytes; memory of the caller */
    size_t bytes, edits;
    char name[64]; /* the nearest name so far */
};

void xs_nearest_begin(struct xs_nearest *nearest, const char *word, size_t bytes);
/* Compares a known name with the word. A name of more than 63 bytes is never near. If several names are equally near,
 * the first of them is kept. */
void xs_nearest_try(struct xs_nearest *nearest, const char *name);
/* Returns the nearest name; the text is in `nearest`. A name is near if it begins with the word, and the word has at
 * least two letters. A name is also near if a few edits (insert, remove, replace or swap letters) change the word into
 * the name. At most five edits are permitted, and at most half as many as the name has letters; the word and the name
 * must then have at most 40 letters. NULL: no name is near. */
const char *xs_nearest_name(const struct xs_nearest *nearest);

#endif
