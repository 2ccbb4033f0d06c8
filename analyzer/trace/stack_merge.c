/* Merges Python frames into a native stack; see stack_merge.h. */
#include "analyzer/trace/stack_merge.h"

#include <string.h>

struct merge {
    const bool *entry;
    size_t pythons, next; /* next: the next Python frame to be added */
    int32_t *merged;
    size_t count, after; /* after: index after the Python frames that were added last */
};

/* Adds the Python frames of one loop. */
static void place_python(struct merge *merge) {
    while (merge->next < merge->pythons) {
        size_t i = merge->next++;
        merge->merged[merge->count++] = -1 - (int32_t)i;
        if (merge->entry[i])
            break;
    }
    merge->after = merge->count;
}

/* Adds the Python frames that remain if there are fewer native loops than Python has. Some loop must have run them, so
 * they are added where the outermost loop was found; if the native stack was cut, at its end. */
static void place_rest(struct merge *merge, bool at_end) {
    size_t rest = merge->pythons - merge->next, at = at_end ? merge->count : merge->after;
    memmove(merge->merged + at + rest, merge->merged + at, (merge->count - at) * sizeof *merge->merged);
    for (size_t i = 0; i < rest; i++)
        merge->merged[at + i] = -1 - (int32_t)(merge->next + i);
    merge->count += rest;
}

size_t xs_stack_merge(const uint8_t *roles, size_t natives, const bool *entry, size_t pythons, bool cut,
                      int32_t *merged) {
    struct merge merge = {.entry = entry, .pythons = pythons, .merged = merged};
    bool loops = natives && memchr(roles, XS_NATIVE_EVAL, natives) != NULL, any = false;
    for (size_t i = 0; i < natives; i++) {
        /* If the interpreter has no symbols, adjacent frames of the interpreter count as one loop. */
        bool place = loops ? roles[i] == XS_NATIVE_EVAL
                           : roles[i] == XS_NATIVE_INTERPRETER && (!i || roles[i - 1] != XS_NATIVE_INTERPRETER);
        if (!pythons || roles[i] == XS_NATIVE_OTHER) {
            merged[merge.count++] = (int32_t)i;
        } else if (place) {
            place_python(&merge);
            any = true;
        }
    }
    place_rest(&merge, cut || !any);
    return merge.count;
}
