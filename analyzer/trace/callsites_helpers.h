/* Helpers of a program that its copies go through: a wrapper class, a template, a function to_device(). The place of
 * such a call is its caller's line. */
#ifndef XFERSPY_ANALYZER_TRACE_CALLSITES_HELPERS_H
#define XFERSPY_ANALYZER_TRACE_CALLSITES_HELPERS_H

#include <stddef.h>
#include <stdint.h>

struct xs_callsites;

enum { XS_CHAIN_FRAMES_MAX = 16 };

/* For each stack the program's frames from the innermost outwards, up to the first frame of a library. */
struct xs_callsite_chains {
    uint32_t *frames; /* numbers of frames, one stack's after the other's */
    size_t count, capacity;
    size_t *first; /* by stack: index in `frames`; one more entry is the end */
};

/* Writes for each stack how many frames of its chain are helpers; the frame after them is its place. A frame is a
 * helper if its callers move different things, which is decided by sizes, and in native code also by device
 * addresses. In a header of helpers, a function that copies for only one line of another file is a helper too. A
 * frame is no helper where this is not clear. */
void xs_callsites_helpers(const struct xs_callsites *callsites, const struct xs_callsite_chains *chains,
                          uint8_t *passed);

#endif
