/* constant-content: an upload of one repeated value. A memset on the device does the same without using the link. */
#include "analyzer/findings/engine/detector.h"

enum { LEAST_BYTES = 64 };

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_transfer_view *t = &event->u.transfer;
    if (!xs_is_upload(event) || t->bytes < LEAST_BYTES)
        return;
    xs_sample(detection, event, 0, xs_drawn_alone(t));
    if (t->state != XS_CONTENT_KNOWN) {
        xs_undecided(detection, xs_missing_content(t));
    } else if (t->is_constant) {
        struct xs_instance instance;
        xs_instance_of(&instance, event, "this upload");
        instance.removable = xs_times_less(instance.removable, xs_link_ns(detection->link, XS_LINK_MEMSET, t->bytes));
        xs_report_and_claim(detection, event, &instance);
    }
}

const struct xs_detector xs_detector_constant_content = {
    .id = "constant-content",
    .title = "uploads of one repeated value",
    .definition = "The uploaded bytes are one value repeated, at least 64 bytes of it.",
    .remedy = "Use a memset on the device (cudaMemsetAsync, cuMemsetD32Async) instead of the upload.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_MEMSET,
    .needs = XS_NEEDS_CONTENTS,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .on_event = on_event,
};
