/* host-copy: a call of CUDA copies from host memory to host memory again and again. Memory use grows with the number of
 * call sites. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/findings/detectors/repeats.h"

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct xs_instance instance;
    if (event->u.transfer.direction != XS_DIR_H2H)
        return;
    xs_instance_of(&instance, event, "this copy");
    instance.removable = instance.cost = (struct xs_times){.host_ns = xs_event_host_ns(event)};
    xs_repeats_add(detection->state, detection, &instance, event->account);
}

static void end(struct xs_detection *detection) { xs_repeats_end(detection->state, detection); }

const struct xs_detector xs_detector_host_copy = {
    .id = "host-copy",
    .title = "copies within host memory by CUDA",
    .definition = "At least 10 copies from host memory to host memory by calls of CUDA at one place. Such a call waits "
                  "for the device's earlier work in its stream.",
    .remedy = "Copy with `memcpy()`, which does not wait for the device.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_HOST_COPY,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .state_bytes = sizeof(struct xs_repeats),
    .on_event = on_event,
    .end = end,
};
