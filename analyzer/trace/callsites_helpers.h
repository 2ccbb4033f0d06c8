/* Finds helpers, which are functions through which a program makes its copies: a method of a wrapper class, a template,
 * a function to_device(). The place of a copy that a helper makes is the line that calls the helper. */
#ifndef XFERSPY_ANALYZER_TRACE_CALLSITES_HELPERS_H
#define XFERSPY_ANALYZER_TRACE_CALLSITES_HELPERS_H

#include <stddef.h>
#include <stdint.h>

struct xs_callsites;

enum { XS_CHAIN_FRAMES_MAX = 16 };

/* Holds, for each stack, the program's frames from the innermost outwards, up to the first frame of a library. */
struct xs_callsite_chains {
    uint32_t *frames; /* numbers of frames, stack by stack */
    size_t count, capacity;
    size_t *first; /* for each stack, the index of its first frame in `frames`; one more entry holds the end */
};

/* Writes to `passed`, for each stack, how many frames at the beginning of its chain are helpers. The frame after these
 * helpers is the stack's place. A frame is a helper if its callers copy different data. Whether data differ is decided
 * by sizes, and in native code also by device addresses. A header of helpers is a header file that has a helper which
 * other files call. In such a header, a function that copies for only one line of another file is also a helper. A
 * frame for which the trace does not decide this counts as no helper. */
void xs_callsites_helpers(const struct xs_callsites *callsites, const struct xs_callsite_chains *chains,
                          uint8_t *passed);

#endif
