/* repeat-download: a download of the same bytes as the previous download of the same region. */
#include "analyzer/findings/engine/detector.h"

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_transfer_view *t = &event->u.transfer;
    const struct xs_region *region = t->region;
    if (!xs_is_download(event) || !region || !region->last_download)
        return;
    xs_sample(detection, event, 0, xs_drawn_pair(t, region->download_look));
    if (t->state != XS_CONTENT_KNOWN) {
        xs_undecided(detection, xs_missing_content(t));
    } else if (!region->download_known) {
        xs_undecided(detection, "the download before has no fingerprint");
    } else if (xs_fingerprint_equal(&region->download, &t->content) && region->download_bytes == t->bytes) {
        struct xs_instance instance;
        xs_instance_of(&instance, event, "this download");
        xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, region->last_download, "the download before");
        xs_report_and_claim(detection, event, &instance);
    }
}

const struct xs_detector xs_detector_repeat_download = {
    .id = "repeat-download",
    .title = "downloads of the same bytes from the same address again",
    .definition = "The previous download from the same address on the device had brought the same bytes.",
    .remedy = "Keep the result on the host, or download only after a kernel has changed it.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_DROP,
    .needs = XS_NEEDS_CONTENTS,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .on_event = on_event,
};
