/* Declares what modelled_place.c and modelled_place_rows.c share; no other file includes this header. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_PLACE_INTERNAL_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_PLACE_INTERNAL_H

#include "analyzer/trace/modelled/modelled_lanes.h"
#include "analyzer/trace/modelled/modelled_place.h"

struct device {
    struct xs_lane_work legacy, engines[XS_COPY_ENGINES];
    struct xs_lane_work ordered; /* the latest work that the legacy default stream waits for */
    struct xs_lane **lanes;      /* lanes with pending work */
    size_t lane_count, lane_capacity;
};

struct xs_placing {
    struct xs_placed *placed;
    const struct xs_learned *learned;
    struct xs_recordings *recordings;
    struct xs_device_windows *windows;
    int64_t file_bytes;                          /* size of the trace's file, an upper bound for its number of rows */
    struct xs_hash lane_of, device_of, event_of; /* their values are pointers */
    uint32_t number;
    size_t numbers_capacity;
    int64_t batch_ns; /* enter time of the current batch call */
    int32_t batch_entry;
    size_t *strays, stray_count, stray_capacity, next_stray; /* indexes of recorded work without a call, by start */
};

/* --- modelled_place_rows.c --- */

/* These functions add the rows of the call's work. The functions set no times; the other values are those of recorded
 * rows of similar work. `work` gets the indexes of the rows. */
void xs_placing_add_graph(struct xs_placing *placing, struct xs_pending *work, uint32_t number);
void xs_placing_add_row(struct xs_placing *placing, const struct xs_alike *alike, const struct xs_modelled_call *call,
                        struct xs_pending *work, uint32_t number);

/* Adds the times of all rows to the sums in `windows`. */
void xs_placing_add_up(struct xs_placing *placing);

#endif
