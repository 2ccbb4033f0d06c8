/* unread-download: a download that nobody read. */
#include "analyzer/findings/detectors/watched_downloads.h"

enum verdict { OVERWRITTEN, NEVER_READ };

static void ended(struct xs_detection *detection, const struct xs_watched_download *download) {
    const struct xs_host_read_view *read = &download->event.u.transfer.host_read;
    if (read->read_bytes)
        return;
    struct xs_instance instance;
    xs_instance_of(&instance, &download->event, "this download");
    instance.verdict = download->overwritten_by ? OVERWRITTEN : NEVER_READ;
    xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, download->overwritten_by, XS_ROLE_OVERWRITING_COPY);
    xs_report_and_claim(detection, &download->event, &instance);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    xs_watched_downloads_event(detection, event, ended);
}

static void finish(struct xs_detection *detection) { xs_watched_downloads_finish(detection, ended); }

const struct xs_detector xs_detector_unread_download = {
    .id = "unread-download",
    .title = "downloads that nobody read",
    .definition = "Neither the host nor the device read any of the downloaded bytes before they were overwritten or "
                  "freed, or the program ended.",
    .remedy = "Drop the copy.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_DROP,
    .needs = XS_NEEDS_HOST_READS,
    .wants = XS_WATCHED_DOWNLOADS_WANTS,
    .state_bytes = sizeof(struct xs_watched_downloads),
    .verdicts = {[OVERWRITTEN] = {"overwritten", "Drop the copy, or download only the last version, after the loop.",
                                  XS_REPAIR_OF_DETECTOR},
                 [NEVER_READ] = {"never-read", NULL, XS_REPAIR_OF_DETECTOR}},
    .on_event = on_event,
    .on_gap = xs_watched_downloads_gap,
    .finish = finish,
    .end = xs_watched_downloads_end,
};
