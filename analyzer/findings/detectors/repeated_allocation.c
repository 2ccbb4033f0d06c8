/* repeated-allocation: device or managed memory that was freed and allocated again, although it could have been
 * kept. */
#include "analyzer/findings/detectors/churn.h"

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    xs_churn_take(detection, event, XS_CHURN_DEVICE_OR_MANAGED);
}

const struct xs_detector xs_detector_repeated_allocation = {
    .id = "repeated-allocation",
    .title = "memory that was freed and allocated again",
    .definition = "The allocation has the size and kind of one that the same place had freed before.",
    .remedy = "Allocate once and keep it, or take it from a pool (cudaMallocAsync).",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_KEEP,
    .wants = XS_CHURN_WANTS,
    .state_bytes = sizeof(struct xs_churn),
    .on_event = on_event,
    .end = xs_churn_end,
};
