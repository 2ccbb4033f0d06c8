/* noop-upload: an upload of exactly the bytes that its destination already held. */
#include "analyzer/findings/engine/detector.h"

/* Returns how the sample treated an upload. The earlier content was either measured together with the upload, or is
 * known from the copy that brought it. */
static enum xs_drawn drawn(const struct xs_transfer_view *t) {
    if (t->state != XS_CONTENT_KNOWN || t->pre == XS_PRE_MEASURED)
        return xs_drawn_alone(t);
    if (t->pre == XS_PRE_INFERRED)
        return xs_drawn_pair(t, t->region->look);
    bool by_chance = t->region && !t->region->has_content && t->region->look == XS_LOOK_LEFT_OUT;
    return by_chance ? XS_DRAWN_LEFT_OUT : XS_DRAWN_UNKNOWN;
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_transfer_view *t = &event->u.transfer;
    if (!xs_is_upload(event) || t->pre == XS_PRE_NONE)
        return;
    xs_sample(detection, event, 0, drawn(t));
    if (t->state != XS_CONTENT_KNOWN) {
        xs_undecided(detection, xs_missing_content(t));
    } else if (t->pre == XS_PRE_UNKNOWN) {
        xs_undecided(detection, XS_UNDECIDED_BEFORE);
    } else if (xs_fingerprint_equal(&t->before, &t->content)) {
        struct xs_instance instance;
        xs_instance_of(&instance, event, "this upload");
        /* kernels may write memory through pointers that are stored in device memory, which the trace does not show; so
         * the role must say that nothing was measured */
        const char *role = t->pre == XS_PRE_INFERRED
                               ? "the last upload to this place (inferred: no kernel was given it since)"
                               : XS_ROLE_LAST_UPLOAD;
        if (t->region)
            xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, t->region->last_upload, role);
        xs_report_and_claim(detection, event, &instance);
    }
}

const struct xs_detector xs_detector_noop_upload = {
    .id = "noop-upload",
    .title = "uploads of the same bytes to the same address again",
    .definition = "The destination held exactly these bytes before the copy, so the copy changed nothing.",
    .remedy = "Drop the upload, or do it only when the host's data has changed.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_DROP,
    .needs = XS_NEEDS_CONTENTS,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .on_event = on_event,
};
