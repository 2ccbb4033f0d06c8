/* Lanes: streams in which work is placed in time. A lane's work is pending if it was added after the last moment at
 * which the lane's end was known. Pending times can still change, so that the work ends when a wait says that it
 * did. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_LANES_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_LANES_H

#include "analyzer/trace/modelled/learned.h"

/* Work of a lane whose times are modelled. */
struct xs_pending {
    int64_t start_ns, end_ns;
    int64_t enter_ns;                      /* when its call was entered */
    int64_t behind_ns;                     /* end of the work in other lanes that it waits for */
    struct xs_length latency;              /* from its call to its start if no other work is in the way */
    struct xs_length gap;                  /* from the end of the work before it to its start */
    struct xs_length lasts;                /* how long it runs; the only one of the three with a least length */
    const struct xs_launched_graph *graph; /* NULL: one row */
    uint32_t first[XS_MODELLED_TABLES];    /* index of its first row in each table */
    uint8_t table;
    bool is_kernel; /* a kernel's time is less sure than a copy's */
};

struct xs_lane;

/* A piece of work in a lane that others may wait for, even if its times change. */
struct xs_lane_place {
    struct xs_lane *lane; /* NULL: no work */
    uint64_t place;       /* number of the piece in its lane, counted from the beginning */
    int64_t end_ns;       /* its end when this was made */
};

struct xs_lane {
    struct xs_pending *items;
    size_t first, count, capacity; /* items from `first` on are pending */
    uint64_t base;                 /* number in the lane of the first pending item */
    int64_t done_ns;               /* the end of the last work that is no longer pending */
    struct xs_lane_place behind;   /* the event that the lane's next work waits for */
    int64_t device;                /* ordinal plus 1; 0: not known */
    bool is_legacy, is_apart, is_listed;
};

/* When the lane's work ends, by its times so far. */
int64_t xs_lane_end(const struct xs_lane *lane);
struct xs_lane_place xs_lane_latest(struct xs_lane *lane);
int64_t xs_lane_place_end(const struct xs_lane_place *moment);

/* Adds work at the lane's end and gives it times. The pointer is valid until the next call. */
struct xs_pending *xs_lane_add(struct xs_lane *lane, const struct xs_pending *work, struct xs_modelled_tables *tables);

/* Moves the end of the first `count` pending items to `end_ns`. An end that is later than that is always moved; an
 * earlier one only with `longer`, and only as far as is plausible. Less sure times change more. */
void xs_lane_fit(struct xs_lane *lane, size_t count, int64_t end_ns, bool longer);

/* Fixes the times of the first `count` pending items and writes them into their rows. */
void xs_lane_settle(struct xs_lane *lane, size_t count, struct xs_modelled_tables *tables);

static inline size_t xs_lane_pending(const struct xs_lane *lane) { return lane->count - lane->first; }

#endif
