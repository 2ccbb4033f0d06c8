/* mostly-unchanged: an upload that changed some, but less than a quarter, of the bytes that the device held. */
#include "analyzer/findings/engine/detector.h"

enum { SHARE = 4 }; /* less than one in this many leaves has changed */

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_transfer_view *t = &event->u.transfer;
    if (!xs_is_upload(event) || t->pre == XS_PRE_NONE)
        return;
    bool decided = t->state != XS_CONTENT_KNOWN || t->pre == XS_PRE_MEASURED;
    xs_sample(detection, event, 0, decided ? xs_drawn_alone(t) : XS_DRAWN_UNKNOWN);
    if (t->state != XS_CONTENT_KNOWN || t->pre != XS_PRE_MEASURED || t->changed_leaves <= 0)
        return;
    if ((uint64_t)t->changed_leaves > UINT32_MAX || (uint64_t)t->changed_leaves * SHARE >= t->leaves)
        return;
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this upload");
    double unchanged = 1 - (double)t->changed_leaves / (double)t->leaves;
    instance.removable = xs_times_share(instance.removable, unchanged);
    if (t->region)
        xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, t->region->last_upload, XS_ROLE_LAST_UPLOAD);
    xs_report_and_claim(detection, event, &instance);
}

const struct xs_detector xs_detector_mostly_unchanged = {
    .id = "mostly-unchanged",
    .title = "uploads that changed under a quarter of what the device held",
    .definition = "Fewer than a quarter of the uploaded 4 KiB pieces differed from what was there before.",
    .remedy = "Upload only the part that changed.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_SHORTEN,
    .needs = XS_NEEDS_CONTENTS,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .on_event = on_event,
};
