/* Finds the innermost function of the program that is on the stacks of two calls, if that function did not make the
 * first call itself, but called another function that made it. */
#ifndef XFERSPY_ANALYZER_TRACE_SHARED_FRAME_H
#define XFERSPY_ANALYZER_TRACE_SHARED_FRAME_H

#include "analyzer/trace/callsites.h"

/* Compares the stacks `a` and `b` from the outermost frames inwards, as long as both have the same functions and lines;
 * at the last compared frame the lines may differ. Returns the innermost of these frames that is the program's own
 * code, as it is in stack `a`. NULL: there is no such frame, outer frames are missing, or the frame is the place of
 * stack `a`. */
const struct xs_frame *xs_shared_frame(const struct xs_callsites *callsites, int64_t a, int64_t b);

/* True if both frames are at one line of one function. A function without a line counts as one line. */
bool xs_is_same_place(const struct xs_frame *a, const struct xs_frame *b);

#endif
