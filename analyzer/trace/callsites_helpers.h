/* Helpers of a program that its copies go through: a wrapper class, a template, a function to_device(). The place of
 * such a call is its caller's line. */
#ifndef XFERSPY_ANALYZER_TRACE_CALLSITES_HELPERS_H
#define XFERSPY_ANALYZER_TRACE_CALLSITES_HELPERS_H

#include <stddef.h>
#include <stdint.h>

struct xs_callsites;

enum { XS_CHAIN_FRAMES_MAX = 16 };

/* Of each stack the frames of the program from the innermost outwards, as long as no library's lies between. */
struct xs_callsite_chains {
    uint32_t *frames; /* numbers of frames */
    size_t count, capacity;
    size_t *first; /* by stack, in `frames`; and one more, the end */
};

/* Gives for each stack how many frames of its chain are helpers, so that the one behind them is its place. A frame is a
 * helper if it has callers that move different things. What are different things is decided by sizes, and in native
 * code by addresses in the device's memory. In a header of helpers a function is one, too, that only one line of
 * another file has copy something. Where that is not clear, the frame is none. */
void xs_callsites_helpers(const struct xs_callsites *callsites, const struct xs_callsite_chains *chains,
                          uint8_t *passed);

#endif
