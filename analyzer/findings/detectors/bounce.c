/* bounce: a download of bytes that were uploaded to the same address and that the device did not change. */
#include "analyzer/findings/engine/detector.h"

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_transfer_view *t = &event->u.transfer;
    const struct xs_region *region = t->region;
    if (!xs_is_download(event) || !region || !xs_region_upload_intact(detection->residency, region))
        return;
    xs_sample(detection, event, 0, xs_drawn_pair(t, region->upload_look));
    if (t->state != XS_CONTENT_KNOWN) {
        xs_undecided(detection, xs_missing_content(t));
    } else if (!region->upload_known) {
        xs_undecided(detection, "the upload has no fingerprint");
    } else if (xs_fingerprint_equal(&region->upload, &t->content)) {
        struct xs_instance instance;
        xs_instance_of(&instance, event, "this download");
        xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, region->last_upload, "the upload that put it there");
        xs_report_and_claim(detection, event, &instance);
    }
}

const struct xs_detector xs_detector_bounce = {
    .id = "bounce",
    .title = "downloads of bytes that were uploaded and not changed since",
    .definition =
        "The downloaded bytes are those that were last uploaded to this address: the device did not change them.",
    .remedy = "Drop the download: the host has these bytes already.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_DROP,
    .needs = XS_NEEDS_CONTENTS,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .on_event = on_event,
};
