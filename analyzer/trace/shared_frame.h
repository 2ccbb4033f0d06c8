/* Finds the function in which two calls were made, where each of them was made by another function that it called. */
#ifndef XFERSPY_ANALYZER_TRACE_SHARED_FRAME_H
#define XFERSPY_ANALYZER_TRACE_SHARED_FRAME_H

#include "analyzer/trace/callsites.h"

/* Returns the innermost frame of the program's own code whose function is on both stacks, called from the same lines,
 * with the line that it had reached in stack `a`. NULL: there is none, outer frames are missing, or this line is the
 * place of stack `a` itself. */
const struct xs_frame *xs_shared_frame(const struct xs_callsites *callsites, int64_t a, int64_t b);

/* True if both frames are at one line of one function. A function without a line counts as one line. */
bool xs_is_same_place(const struct xs_frame *a, const struct xs_frame *b);

#endif
