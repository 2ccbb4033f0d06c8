/* Finds out which part of a watched download was read before it ended: before a copy overwrote it, its memory was
 * freed, or the program ended. The trace says what the host read (table host_read). What the device read, by an upload
 * from this memory or by a kernel that was given it, follows from the calls in between. Memory use grows with the
 * number of downloads that are watched at the same time; the library watches 48 at most. */
#ifndef XFERSPY_ANALYZER_FINDINGS_DETECTORS_WATCHED_DOWNLOADS_H
#define XFERSPY_ANALYZER_FINDINGS_DETECTORS_WATCHED_DOWNLOADS_H

#include "analyzer/findings/engine/detector.h"

enum { XS_WATCHED_DOWNLOADS = 64 };

struct xs_watched_download {
    struct xs_trace_event event; /* the download, without its region; its account is kept */
    int64_t overwritten_by;      /* transfer.id of the copy that overwrote it; 0: none did */
    int64_t uploaded_by;         /* transfer.id of the upload that read it as a whole; 0: none did */
};

struct xs_watched_downloads {
    struct xs_watched_download open[XS_WATCHED_DOWNLOADS];
    unsigned count;
    bool any;      /* the trace has a watched download */
    bool is_blind; /* an unknown function may read memory at any time */
};

/* The state of the detection is a struct xs_watched_downloads.
 *
 * Handles an event. For each watched download that has ended and was not read by the device, adds it to the sample and
 * calls `ended`. */
void xs_watched_downloads_event(struct xs_detection *detection, const struct xs_trace_event *event,
                                void (*ended)(struct xs_detection *, const struct xs_watched_download *));

/* Runs after the last event: all downloads have ended. */
void xs_watched_downloads_finish(struct xs_detection *detection,
                                 void (*ended)(struct xs_detection *, const struct xs_watched_download *));

/* Runs at a gap: nobody knows what happened to the downloads. */
void xs_watched_downloads_gap(struct xs_detection *detection);

/* Frees what is kept, also if the analysis ended early. */
void xs_watched_downloads_end(struct xs_detection *detection);

#define XS_WATCHED_DOWNLOADS_WANTS                                                                                     \
    (XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_API))

#endif
