/* Streams in which work is placed. The work of a lane since the last moment at which its end was known is pending: its
 * times can still change, so that it ends when a wait says that it did. */
#ifndef XFERSPY_ANALYZER_MODELLED_LANES_H
#define XFERSPY_ANALYZER_MODELLED_LANES_H

#include "analyzer/trace/modelled/learned.h"

/* Work of a lane whose times are modelled. */
struct xs_pending {
    int64_t start_ns, end_ns;
    int64_t enter_ns;                      /* of its call */
    int64_t behind_ns;                     /* the end of what it waits for in other lanes */
    struct xs_length latency;              /* from its call to its start, where nothing is in the way */
    struct xs_length gap;                  /* from the end of the work before it to its start */
    struct xs_length lasts;                /* alone of these it has a least length */
    const struct xs_launched_graph *graph; /* NULL: one row */
    uint32_t first[XS_MODELLED_TABLES];    /* its rows in the tables */
    uint8_t table;
    bool is_kernel; /* its time is less sure than that of a copy */
};

struct xs_lane;

/* A piece of work that others may wait for, whatever becomes of its times. */
struct xs_lane_place {
    struct xs_lane *lane; /* NULL: there is none */
    uint64_t place;       /* in the lane since the beginning */
    int64_t end_ns;       /* as it was */
};

struct xs_lane {
    struct xs_pending *items;
    size_t first, count, capacity; /* pending are those from first on */
    uint64_t base;                 /* how many were pending before the first one, since the beginning */
    int64_t done_ns;               /* the end of all that is not pending any more */
    struct xs_lane_place behind;   /* an event that its next work waits for */
    int64_t device;                /* ordinal plus 1; 0: not known */
    bool is_legacy, is_apart, is_listed;
};

/* When the lane's work ends, as things are. */
int64_t xs_lane_end(const struct xs_lane *lane);
struct xs_lane_place xs_lane_latest(struct xs_lane *lane);
int64_t xs_lane_place_end(const struct xs_lane_place *moment);

/* Adds work behind the others, and gives it its times. Valid until the next one. */
struct xs_pending *xs_lane_add(struct xs_lane *lane, const struct xs_pending *work, struct xs_modelled_tables *tables);

/* Changes the times of the first `count` pending ones so that they end then: if they end later, always; if earlier only
 * where `longer`, and where it is plausible. What is less sure changes more. */
void xs_lane_fit(struct xs_lane *lane, size_t count, int64_t end_ns, bool longer);

/* The first `count` keep their times, and are written into their rows. */
void xs_lane_settle(struct xs_lane *lane, size_t count, struct xs_modelled_tables *tables);

static inline size_t xs_lane_pending(const struct xs_lane *lane) { return lane->count - lane->first; }

#endif
