/* immediate-sync: an asynchronous copy for which its thread waits in the next call. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/findings/engine/blocked.h"

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_trace_event *copy = event->u.sync.copy;
    if (!copy)
        return;
    enum xs_blocked blocked = xs_copy_blocked(copy, detection->link);
    if (blocked == XS_BLOCKED_UNKNOWN)
        xs_undecided(detection, "no device times");
    if (blocked != XS_BLOCKED_NOT) /* the copy itself blocked the host, so the wait cost nothing; `pageable` applies */
        return;
    struct xs_instance instance;
    xs_instance_of(&instance, copy, "this copy");
    instance.removable = xs_times_share(instance.removable, 0);
    xs_add_evidence(&instance, XS_EVIDENCE_SYNC, event->id, XS_ROLE_WAIT);
    xs_report_instance(detection, &instance);
}

const struct xs_detector xs_detector_immediate_sync = {
    .id = "immediate-sync",
    .title = "asynchronous copies that are waited for at once",
    .definition = "The thread waited for an asynchronous copy at once, and gave the device no other work in between.",
    .remedy = "Give the device its next work before you wait, or use a synchronous copy to show that it blocks.",
    .kind = XS_ADVICE,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_SYNC),
    .on_event = on_event,
};
