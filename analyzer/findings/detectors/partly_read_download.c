/* partly-read-download: a download of which the host read a small part only, or perhaps nothing. */
#include "analyzer/findings/detectors/watched_downloads.h"

enum verdict { INSIDE, EDGES };
enum { PART = 4 }; /* the host read less than this part of the download: 1 / PART */

/* Removable is the time of the pages that nobody read. Whoever read the pages at both ends may have read what lies
 * beside the download in them, so that it is not known whether the program needs anything of it. */
static void ended(struct xs_detection *detection, const struct xs_watched_download *download) {
    const struct xs_host_read_view *read = &download->event.u.transfer.host_read;
    bool is_edge = read->read_bytes == read->edge_read_bytes;
    if (!read->read_bytes || (!is_edge && read->read_bytes >= read->watched_bytes / PART))
        return;
    struct xs_instance instance;
    xs_instance_of(&instance, &download->event, "this download");
    instance.verdict = is_edge ? EDGES : INSIDE;
    double part = (double)(read->watched_bytes - read->read_bytes) / (double)read->watched_bytes;
    instance.removable = xs_times_share(instance.cost, part);
    xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, download->overwritten_by, XS_ROLE_OVERWRITING_COPY);
    xs_report_and_claim(detection, &download->event, &instance);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    xs_watched_downloads_event(detection, event, ended);
}

static void finish(struct xs_detection *detection) { xs_watched_downloads_finish(detection, ended); }

const struct xs_detector xs_detector_partly_read_download = {
    .id = "partly-read-download",
    .title = "downloads of which the host read little",
    .definition = "The host read less than a quarter of the downloaded pages, and the device none, before they were "
                  "overwritten or freed, or the program ended.",
    .remedy = "Download only the part that is used, or compute on the device what it is needed for.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_SHORTEN,
    .needs = XS_NEEDS_HOST_READS,
    .wants = XS_WATCHED_DOWNLOADS_WANTS,
    .state_bytes = sizeof(struct xs_watched_downloads),
    .verdicts =
        {[INSIDE] = {"inside", NULL, XS_REPAIR_OF_DETECTOR},
         [EDGES] = {"edges",
                    "Drop the copy, unless the program reads its first or last bytes; then download only these.",
                    XS_REPAIR_OF_DETECTOR}},
    .on_event = on_event,
    .on_gap = xs_watched_downloads_gap,
    .finish = finish,
    .end = xs_watched_downloads_end,
};
