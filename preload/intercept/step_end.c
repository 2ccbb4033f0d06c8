/* Reports waits that may end steps; see step_end.h. */
#include "preload/intercept/step_end.h"

#include "preload/core/asked_window.h"
#include "schema/clock.h"

/* Describes a wait. The address of the thread's slot at the gate identifies the thread. Unlike the thread's id, the
 * slot exists before the thread's first event. */
struct xs_step_end xs_step_end_of(const struct xs_event *e, unsigned row, uint32_t stack, uint32_t recorded) {
    return (struct xs_step_end){.is_wait = true,
                                .wait = {.row = row,
                                         .stack = stack,
                                         .recorded = recorded,
                                         .object = e->sync.object,
                                         .thread = (uint64_t)(uintptr_t)xs_gate_slot}};
}

void xs_step_end_tell(const struct xs_step_end *step) {
    if (xs_step_waited(&step->wait, xs_monotonic_ns()))
        xs_asked_window_changed();
}
