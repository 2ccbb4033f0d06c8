/* A wait that may end a step of the program (core/step_waits.h), while its wrapper is in the middle of it. Only
 * wrappers of waits have anything of this. */
#ifndef XFERSPY_PRELOAD_INTERCEPT_STEP_END_H
#define XFERSPY_PRELOAD_INTERCEPT_STEP_END_H

#include "preload/core/step_waits.h"
#include "preload/intercept/call.h"

struct xs_step_end {
    bool is_wait; /* else the call is none that has to be told */
    struct xs_step_wait wait;
};

/* Before the real call: which wait it is. `stack`: the number of its stack, 0 where none is known. */
struct xs_step_end xs_step_end_of(const struct xs_event *e, unsigned row, uint32_t stack);

/* The slow part of what follows. */
void xs_step_end_tell(const struct xs_step_end *step);

/* At the end of the wrapper, where the thread is outside of everything: if the step is one at which recording begins or
 * ends, then it does so here. */
XS_HOT void xs_step_end(const struct xs_step_end *step, CUresult result) {
    if (XS_UNLIKELY(step->is_wait) && result == CUDA_SUCCESS) {
        xs_step_end_tell(step);
    }
}

#endif
