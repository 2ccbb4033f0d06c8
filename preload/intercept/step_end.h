/* Defines how the wrappers of waits report a wait that may end a step of the program (core/step_waits.h). */
#ifndef XFERSPY_PRELOAD_INTERCEPT_STEP_END_H
#define XFERSPY_PRELOAD_INTERCEPT_STEP_END_H

#include "preload/core/step_waits.h"
#include "preload/intercept/capture_call.h"

struct xs_step_end {
    bool is_wait; /* false: the call need not be reported */
    struct xs_step_wait wait;
};

/* Runs before the real call: returns the data that identifies the wait. The parameters `stack` and `recorded` have
 * the same meaning as the members of struct xs_step_wait. */
struct xs_step_end xs_step_end_of(const struct xs_event *e, unsigned row, uint32_t stack, uint32_t recorded);

/* Reports the wait. Only xs_step_end calls this function. */
void xs_step_end_tell(const struct xs_step_end *step);

/* Runs at the end of the wrapper, after the wrapper has left the gate and lowered the guard. If recording begins or
 * ends with this step, calls xs_asked_window_changed. */
XS_HOT void xs_step_end(const struct xs_step_end *step, CUresult result) {
    if (XS_UNLIKELY(step->is_wait) && result == CUDA_SUCCESS)
        xs_step_end_tell(step);
}

#endif
