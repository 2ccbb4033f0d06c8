/* Merging Python's frames into a native stack; see stack_merge.h. */
#include "analyzer/trace/stack_merge.h"

#include <string.h>

struct merge {
    const bool *entry;
    size_t pythons, next; /* the next Python frame to be placed */
    int32_t *merged;
    size_t count, after; /* after: index after the latest Python frames */
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

/* Adds the Python frames that are left when there are fewer native loops. Something must have run them, so they go
 * where the outermost loop was. If the native stack was cut, that is its end. */
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
        /* Without symbols of the interpreter, adjacent frames of it count as one loop. */
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
