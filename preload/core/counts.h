/* Counts the copies and waits of the calling thread in its slot at the gate. The application can ask for the sums while
 * it runs (preload/application). Part of the hot path. */
#ifndef XFERSPY_PRELOAD_CORE_COUNTS_H
#define XFERSPY_PRELOAD_CORE_COUNTS_H

#include "preload/core/quiescence.h"
#include "schema/format/event.h"

/* Counts a copy that has succeeded. A copy that was captured into a graph has moved nothing. */
XS_HOT void xs_count_copy(const struct xs_event *e) {
    if (e->flags & XS_FLAG_CAPTURED || e->transfer.direction >= XS_DIRECTION_COUNT)
        return;
    xs_gate_count(&xs_gate_slot->moved[e->transfer.direction]);
    xs_gate_add(&xs_gate_slot->moved_bytes[e->transfer.direction], e->transfer.bytes);
}

XS_HOT void xs_count_wait(void) { xs_gate_count(&xs_gate_slot->waits); }

#endif
