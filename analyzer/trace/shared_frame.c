/* Finds the function that two stacks share; see shared_frame.h. */
#include "analyzer/trace/shared_frame.h"

#include <string.h>

static bool is_same_text(const char *a, const char *b) { return a == b || (a && b && !strcmp(a, b)); }

static bool is_same_function(const struct xs_frame *a, const struct xs_frame *b) {
    return (a->function || a->file) && is_same_text(a->function, b->function) && is_same_text(a->file, b->file) &&
           is_same_text(a->module, b->module);
}

bool xs_is_same_place(const struct xs_frame *a, const struct xs_frame *b) {
    return is_same_function(a, b) && a->line == b->line;
}

const struct xs_frame *xs_shared_frame(const struct xs_callsites *callsites, int64_t a, int64_t b) {
    size_t of_a, of_b;
    const struct xs_frame *frames_a = xs_callsites_frames(callsites, a, &of_a);
    const struct xs_frame *frames_b = xs_callsites_frames(callsites, b, &of_b);
    const struct xs_frame *place = xs_callsites_user_frame(callsites, a), *shared = NULL;
    if (!of_a || !of_b || xs_callsites_cut(callsites, a) || xs_callsites_cut(callsites, b))
        return NULL;
    while (of_a && of_b) { /* from the outermost frames inwards */
        const struct xs_frame *x = &frames_a[--of_a], *y = &frames_b[--of_b];
        if (!is_same_function(x, y))
            break;
        shared = xs_frame_is_users(x) ? x : shared;
        if (!xs_is_same_place(x, y) || x->address != y->address)
            break;
    }
    return shared && place && !xs_is_same_place(shared, place) ? shared : NULL;
}
