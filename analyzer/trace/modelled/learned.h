/* Holds what the model has learned about work from the windows: how long work runs, how soon it begins, and when its
 * call returns. Similar work forms a group. There are four levels of similarity (enum xs_learned_level), from narrow
 * groups to wide groups. A look-up uses the narrowest group that has enough values. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_LEARNED_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_LEARNED_H

#include "analyzer/trace/link.h"
#include "analyzer/trace/modelled/modelled_calls.h"
#include "analyzer/trace/modelled/modelled_rows.h"

/* A random sample of values (a reservoir), from which their median is computed. Equal traces give equal samples. */
struct xs_values {
    int64_t *items;
    uint32_t kept, capacity;
    uint64_t seen;
    int64_t median; /* the median of the kept values; set by xs_learned_finish, as the next three fields are */
    int64_t spread; /* half of the values differ from the median by at most this value */
    int64_t least;  /* a tenth of the values are smaller than this value */
    int64_t most;
};

enum xs_learned_what {
    XS_LEARNED_NS,      /* how long the work took on the device */
    XS_LEARNED_RATIO,   /* how long the work took, in thousandths of the link model's time; not for kernels */
    XS_LEARNED_LATENCY, /* from the call's enter to the work's start, if the work waited for no other work */
    XS_LEARNED_AFTER,  /* from the call's return to the work's start, if the work began after the return; such work adds
                        * no value to XS_LEARNED_LATENCY */
    XS_LEARNED_GAP,    /* the pause between the end of the preceding work, for which this work waited, and the start of
                        * this work */
    XS_LEARNED_NOTICE, /* from the work's end to the call's return */
    XS_LEARNED_STAGED, /* from the end of the previous work in the stream to the call's return */
    XS_LEARNED_SHARE,  /* how long the work took, in thousandths of its call's time; for copies with pageable memory */
    XS_LEARNED_WHAT
};

struct xs_group {
    struct xs_values values[XS_LEARNED_WHAT];
    uint64_t returned_early; /* how often the call returned before the work's end */
    uint64_t began_within;   /* how often the work began before the call returned */
    uint32_t shape;          /* shape of the group's first row */
};

/* A launch of a graph in a window, with its recorded rows. */
struct xs_launched_graph {
    const struct xs_recorded *first;
    size_t rows;
    int64_t start_ns, span_ns, sum_ns;
};

enum xs_learned_level {
    XS_ALIKE_EXACT, /* kernels with the same function and grid; copies with the same entry point, kinds and bytes */
    XS_ALIKE_SIZE,  /* copies with the same kinds and size class (a factor of two); no groups of kernels */
    XS_ALIKE_KINDS, /* kernels with the same function; copies with the same kinds */
    XS_ALIKE_ALL,
    XS_LEARNED_LEVELS
};

struct xs_learned {
    struct xs_hash group_of, graph_of; /* the values are indexes plus 1, in `groups` and in `graphs` */
    struct xs_group *groups;
    size_t group_count, group_capacity;
    struct graphs {
        struct xs_launched_graph items[32]; /* the first launches; xs_learned_finish moves the most typical one to the
                                             * front */
        unsigned count;
    } * graphs;
    size_t graph_count, graph_capacity;
    struct xs_hash queue_of;  /* maps a stream to the number of a shape that has CUPTI's number of the stream, plus 1 */
    struct xs_hash device_of; /* maps context.id to the device's ordinal plus 1 */
    struct xs_hash apart;     /* lanes whose streams are not ordered with the legacy default stream */
    struct xs_hash returns_first; /* entry points of frees that do not wait for the device */
    struct xs_values wait_notice; /* times from the end of the work that a wait waited for to the wait's return */
    struct xs_link_model link;    /* the link model, fitted to the copies in the windows */
    const struct xs_streams *streams;
};

/* Returns the number of a call's lane. Each stream is a lane; if the stream is not known, the call's context has one
 * lane for all such calls. The number is never 0. */
static inline int64_t xs_lane_of(const struct xs_learned *learned, const struct xs_modelled_call *call) {
    int64_t stream = xs_stream_identity(learned->streams, call->stream);
    return stream ? stream : INT64_MAX - call->context;
}

/* Returns the number of a call's device: its ordinal plus 1; 0: not known. */
static inline uint64_t xs_device_of(const struct xs_learned *learned, const struct xs_modelled_call *call) {
    const uint64_t *device = xs_hash_find(&learned->device_of, (uint64_t)call->context, 0);
    return device ? *device : 0;
}

/* Returns the group of a call at a level (0 is the narrowest), and makes the group if it is missing. NULL: such calls
 * have no group at this level. The result is valid until the next group is made. */
struct xs_group *xs_learned_group(struct xs_learned *learned, const struct xs_modelled_call *call, unsigned level);

void xs_values_add(struct xs_values *values, int64_t value);

/* Sets the medians, and chooses the most typical launch of each graph. */
void xs_learned_finish(struct xs_learned *learned);
void xs_learned_free(struct xs_learned *learned);

/* A duration, its usual error, and a lower bound: durations below least_ns are very rare. */
struct xs_length {
    int64_t ns, unsure_ns, least_ns;
};

/* The groups of a call, the narrowest first; NULL: there is none at that level. For a copy that the driver stages, the
 * group at XS_ALIKE_SIZE may be one of smaller copies. */
struct xs_alike {
    const struct xs_group *levels[XS_LEARNED_LEVELS];
    bool is_pageable; /* the call is a copy that the driver stages; how the driver does that depends on the size */
};
struct xs_alike xs_learned_alike(const struct xs_learned *learned, const struct xs_modelled_call *call);

/* True if the value `what` is known for similar calls; *length is then set. */
bool xs_learned_find(const struct xs_alike *alike, enum xs_learned_what what, struct xs_length *length);

/* Returns the call's narrowest group with durations; NULL: none. */
const struct xs_group *xs_learned_of(const struct xs_alike *alike);

/* True if work of the same kinds was recorded. If not, what is known about a copy comes from copies with other kinds of
 * memory. */
bool xs_learned_has_kind(const struct xs_alike *alike);

/* True if the driver stages copies of this size during their calls, so that the copy takes most of the call's time and
 * ends shortly before the call returns. `notice` gets the time from the copy's end to the call's return. */
bool xs_learned_fills_call(const struct xs_alike *alike, const struct xs_modelled_call *call, struct xs_length *notice);

/* Returns the time from the call's enter to the start of its work if the work waits for no other work. */
struct xs_length xs_learned_latency(const struct xs_alike *alike, const struct xs_modelled_call *call);

/* Returns how long a call's work runs; 0 for a kernel about which nothing is known. */
struct xs_length xs_learned_ns(const struct xs_learned *learned, const struct xs_alike *alike,
                               const struct xs_modelled_call *call);

/* Returns the link model's time for a copy or memset of `bytes` bytes; never 0. */
int64_t xs_learned_link_ns(const struct xs_learned *learned, const struct xs_modelled_call *call, uint64_t bytes);

/* Returns the most typical launch of a graph; NULL: none was recorded. */
const struct xs_launched_graph *xs_learned_graph(const struct xs_learned *learned, uint64_t function);

#endif
