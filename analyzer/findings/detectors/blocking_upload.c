/* blocking-upload: an upload that makes the host wait for the device's earlier work, again and again. Memory use grows
 * with the number of call sites. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/findings/detectors/repeats.h"
#include "analyzer/findings/engine/blocked.h"

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_trace_event *upload = xs_event_or_its_copy(event);
    struct xs_instance instance;
    if (!upload || !xs_is_upload(upload) || !upload->timed || (event == upload && upload->is_async))
        return;
    uint64_t host_ns = xs_event_host_ns(event), copy_ns = upload->device_ns;
    if (!xs_is_mostly_wait(host_ns, copy_ns))
        return;
    xs_instance_of(&instance, upload, "this upload");
    if (event != upload)
        xs_add_evidence(&instance, XS_EVIDENCE_SYNC, event->id, XS_ROLE_WAIT);
    instance.cost = (struct xs_times){.host_ns = host_ns};
    instance.removable = (struct xs_times){.host_ns = host_ns - copy_ns};
    xs_repeats_add_host(detection->state, detection, &instance, upload->account);
}

static void end(struct xs_detection *detection) { xs_repeats_end(detection->state, detection); }

const struct xs_detector xs_detector_blocking_upload = {
    .id = "blocking-upload",
    .title = "uploads that hold up the host until earlier work has ended",
    .definition = "At least 10 uploads from one place, each of which made the host wait, in its own call or in a wait "
                  "directly after it, for at least twice the copy's own time, together for at least 5 % of the run.",
    .remedy = "Upload from pinned memory by an asynchronous copy, and do not wait for it.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_NOT_WAIT,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_SYNC),
    .state_bytes = sizeof(struct xs_repeats),
    .on_event = on_event,
    .end = end,
};
