/* pinned-churn: host memory that was page-locked, released, and page-locked again. */
#include "analyzer/findings/detectors/churn.h"

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    xs_churn_take(detection, event, XS_CHURN_PAGE_LOCKED);
}

const struct xs_detector xs_detector_pinned_churn = {
    .id = "pinned-churn",
    .title = "host memory page-locked again and again",
    .definition = "The memory has the size of a page-locked buffer that the same place had released before.",
    .remedy = "Page-lock one buffer and keep it.",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_KEEP,
    .wants = XS_CHURN_WANTS,
    .state_bytes = sizeof(struct xs_churn),
    .on_event = on_event,
    .end = xs_churn_end,
};
