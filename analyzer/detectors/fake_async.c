/* fake-async: an asynchronous copy that blocked the host until it ended, because its host memory is pageable. */
#include "analyzer/engine/detector.h"

#include "analyzer/engine/blocked.h"

/* What waits for so little wants the value, pinned or not: scalar-readback. */
enum { SCALAR_BYTES = 64 };

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    if (!event->is_async || (!xs_is_upload(event) && !xs_is_download(event)))
        return;
    if (xs_is_download(event) && event->u.transfer.bytes <= SCALAR_BYTES)
        return;
    enum xs_blocked blocked = xs_copy_blocked(event, detection->link);
    if (blocked == XS_BLOCKED_UNKNOWN)
        xs_undecided(detection, "no device times");
    if (blocked != XS_BLOCKED)
        return;
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this copy");
    instance.cost = instance.removable = (struct xs_times){.host_ns = xs_event_host_ns(event)};
    xs_report_and_claim(detection, event, &instance);
}

const struct xs_detector xs_detector_fake_async = {
    .id = "fake-async",
    .title = "asynchronous copies that blocked the host until they ended",
    .definition = "The call of an asynchronous copy with pageable host memory returned only when the copy had ended.",
    .remedy = "Pin the host buffer: only then does the call return at once.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_PIN,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .on_event = on_event,
};
