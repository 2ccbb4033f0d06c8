/* A lane is a stream whose work gets modelled times. Some calls in the trace, such as waits, show when all earlier work
 * of the lane had ended. Work that was added to the lane after such a call is pending: the times of this work can
 * change until a later call shows when the work ended. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_LANES_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_MODELLED_LANES_H

#include "analyzer/trace/modelled/learned.h"

/* A piece of work in a lane. The times of the work are modelled. */
struct xs_pending {
    int64_t start_ns, end_ns;
    int64_t enter_ns;                      /* enter time of its call */
    int64_t behind_ns;                     /* end of the work in other lanes that it waits for */
    struct xs_length latency;              /* from its call's enter to its start if it waits for no other work */
    struct xs_length gap;                  /* from the end of the previous work to its start */
    struct xs_length lasts;                /* how long it runs; least_ns of `latency` and of `gap` is 0 */
    const struct xs_launched_graph *graph; /* the recorded launch that gives the rows; NULL: the work has one row */
    uint32_t first[XS_MODELLED_TABLES];    /* index of its first row in each table */
    uint8_t table;
    bool is_kernel; /* the work is a kernel, whose time is less sure than a copy's */
};

struct xs_lane;

/* Refers to a piece of work in a lane. Other work can wait for this piece of work even while its times can still
 * change. */
struct xs_lane_work {
    struct xs_lane *lane; /* NULL: no work */
    uint64_t number;      /* number of the piece in its lane, counted from the lane's first piece */
    int64_t end_ns;       /* its end when this reference was made */
};

struct xs_lane {
    struct xs_pending *items;
    size_t first, count, capacity; /* items from `first` on are pending */
    uint64_t base;                 /* number of the first pending item, counted from the lane's first piece of work */
    int64_t done_ns;               /* the end of the last work that is no longer pending */
    struct xs_lane_work behind;    /* the work that the lane's next work waits for, because of an event */
    int64_t device;                /* ordinal plus 1; 0: not known */
    bool is_legacy, is_apart, is_listed;
};

/* Returns when the lane's work ends, according to the present times of that work. */
int64_t xs_lane_end(const struct xs_lane *lane);
struct xs_lane_work xs_lane_latest(struct xs_lane *lane);
int64_t xs_lane_work_end(const struct xs_lane_work *moment);

/* Adds work at the end of the lane, and sets the work's times. The result is valid until the next call of this
 * function. */
struct xs_pending *xs_lane_add(struct xs_lane *lane, const struct xs_pending *work, struct xs_modelled_tables *tables);

/* Changes the times of the first `count` pending items so that the last of them ends at `end_ns`. If the present end is
 * later than `end_ns`, the times are always changed. If it is earlier, they are changed only if `longer` is true and
 * the longer times are plausible. The less sure a time is, the more it is changed. */
void xs_lane_fit(struct xs_lane *lane, size_t count, int64_t end_ns, bool longer);

/* Makes the times of the first `count` pending items final, and writes them into the rows of these items. */
void xs_lane_settle(struct xs_lane *lane, size_t count, struct xs_modelled_tables *tables);

static inline size_t xs_lane_pending(const struct xs_lane *lane) { return lane->count - lane->first; }

#endif
