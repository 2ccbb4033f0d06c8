/* pageable: a large copy whose host memory is not page-locked. */
#include "analyzer/base/numbers.h"
#include "analyzer/findings/engine/detector.h"

static const uint64_t large_bytes = 65536;

/* Returns the time that pinning removes. For a 2D or 3D copy that is slow because of its shape, this is not more than
 * for a plain copy of its size, because the speed of such a shape from pinned memory is not known. */
static struct xs_times removable(const struct xs_link_model *link, const struct xs_transfer_view *t,
                                 struct xs_times times) {
    unsigned direction = t->direction;
    enum xs_link_class pinned = xs_link_class_of(direction, XS_MEM_PINNED);
    uint64_t pinned_ns = xs_link_ns(link, pinned, t->bytes), host_ns = times.host_ns;
    if (!link->lines[pinned].known)
        return xs_times_share(times, 0);
    if (t->box.height) {
        uint64_t plain_ns = xs_link_ns(link, xs_link_class_of(direction, XS_MEM_PAGEABLE), t->bytes);
        uint64_t own_ns = times.device_known ? times.device_ns : times.host_ns;
        times = xs_times_less(times, own_ns - xs_least(own_ns, plain_ns));
        host_ns = xs_least(host_ns, plain_ns);
    }
    times = xs_times_less(times, pinned_ns);
    /* the host is blocked for longer than the device works, because it fills the driver's staging memory */
    times.host_ns = host_ns - xs_least(host_ns, pinned_ns);
    return times;
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_transfer_view *t = &event->u.transfer;
    if ((!xs_is_upload(event) && !xs_is_download(event)) || t->host_kind != XS_MEM_PAGEABLE || t->bytes < large_bytes)
        return;
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this copy");
    instance.removable = removable(detection->link, t, instance.cost);
    xs_report_and_claim(detection, event, &instance);
}

const struct xs_detector xs_detector_pageable = {
    .id = "pageable",
    .title = "large copies with pageable host memory",
    .definition = "A copy of 64 KiB or more whose host memory is not page-locked: it goes through a staging buffer.",
    .remedy = "Pin the host buffer, or copy through a pinned one that is kept.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_PIN,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .on_event = on_event,
};
