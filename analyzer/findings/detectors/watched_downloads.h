/* Follows each watched download to its end, and finds out whether it was read before. A download ends when a copy
 * overwrites it, its memory is freed, or the program ends. The trace says what the host read (table host_read). Whether
 * the device read it, by an upload from this memory or by a kernel that got a pointer to it, follows from the calls in
 * between. At most XS_WATCHED_DOWNLOADS downloads are followed at the same time, so memory use does not grow; the
 * library watches at most 48 regions at a time. */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETECTORS_WATCHED_DOWNLOADS_H
#define XFERSPY_ANALYZER_FINDINGS_DETECTORS_WATCHED_DOWNLOADS_H

#include "analyzer/findings/engine/detector.h"

enum { XS_WATCHED_DOWNLOADS = 64 };

struct xs_watched_download {
    struct xs_trace_event event; /* the download; its `region` is NULL, and its account is kept (xs_account_keep) */
    int64_t overwritten_by;      /* transfer.id of the copy that overwrote the download; 0: no copy did, so far */
    int64_t uploaded_by;         /* transfer.id of the upload that read the download as a whole; 0: no upload did */
};

struct xs_watched_downloads {
    struct xs_watched_download open[XS_WATCHED_DOWNLOADS];
    unsigned count;
    bool any;      /* a watched download has come */
    bool is_blind; /* from now on, an unknown function may read any memory at any time */
};

/* The state of the detection (xs_detection.state) must be a struct xs_watched_downloads.
 *
 * Handles an event. From the first watched download on, adds every download that could have been watched to the sample
 * (xs_sample), also those that were not watched and those that the device read. Calls `ended` for each watched download
 * that has ended without a read by the device; what the host read of it is in its event (host_read). */
void xs_watched_downloads_event(struct xs_detection *detection, const struct xs_trace_event *event,
                                void (*ended)(struct xs_detection *, const struct xs_watched_download *));

/* Runs after the last event. The downloads that are left have ended if the process ended by itself; otherwise they are
 * counted as undecided. */
void xs_watched_downloads_finish(struct xs_detection *detection,
                                 void (*ended)(struct xs_detection *, const struct xs_watched_download *));

/* Runs at a gap. Nobody knows what happens to the downloads there, so they are counted as undecided. */
void xs_watched_downloads_gap(struct xs_detection *detection);

/* Frees what is kept, also if the analysis ended early. */
void xs_watched_downloads_end(struct xs_detection *detection);

/* The events that xs_watched_downloads_event must get (xs_detector.wants). */
#define XS_WATCHED_DOWNLOADS_WANTS                                                                                     \
    (XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_API))

#endif
