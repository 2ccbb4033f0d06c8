/* What the windows say about work: how long it runs, how soon it begins, and when its call returns. Similar work is
 * one group, at four levels: by function and grid, or by kinds and bytes; copies by kinds and size class; by
 * function, or by kinds; all of one kind of call. A question is answered from the narrowest group that knows. */
#ifndef XFERSPY_ANALYZER_TRACE_MODELLED_LEARNED_H
#define XFERSPY_ANALYZER_TRACE_MODELLED_LEARNED_H

#include "analyzer/trace/link.h"
#include "analyzer/trace/modelled/modelled_calls.h"
#include "analyzer/trace/modelled/modelled_rows.h"

/* A reservoir of values for their median. Equal traces give equal reservoirs. */
struct xs_values {
    int64_t *items;
    uint32_t kept, capacity;
    uint64_t seen;
    int64_t median; /* of the kept values, after xs_learned_finish */
    int64_t spread; /* half of the values are this near to the median, after xs_learned_finish */
    int64_t least;  /* a tenth of the values is smaller */
    int64_t most;
};

enum xs_learned_what {
    XS_LEARNED_NS,      /* how long it took on the device */
    XS_LEARNED_RATIO,   /* how long it took, in thousandths of the link model's time; not of kernels */
    XS_LEARNED_LATENCY, /* from its call's enter to its start, if no other work was in the way */
    XS_LEARNED_AFTER,   /* from its call's return to its start, if it began after the return; such work has no
                         * latency */
    XS_LEARNED_GAP,     /* from the end of the work in its way to its start */
    XS_LEARNED_NOTICE,  /* from its end to its call's return */
    XS_LEARNED_STAGED,  /* from the end of the work before it in its stream to its call's return */
    XS_LEARNED_SHARE,   /* how long it took, in thousandths of its call; of copies with pageable memory */
    XS_LEARNED_WHAT
};

struct xs_group {
    struct xs_values values[XS_LEARNED_WHAT];
    uint64_t returned_early; /* how often the call returned before the work's end */
    uint64_t began_within;   /* how often the work began before the call returned */
    uint32_t shape;          /* of the group's first row */
};

/* A graph that was launched in a window: its rows as they were recorded. */
struct xs_launched_graph {
    const struct xs_recorded *first;
    size_t rows;
    int64_t start_ns, span_ns, sum_ns;
};

enum xs_learned_level {
    XS_ALIKE_EXACT, /* a kernel's function and grid; a copy's entry point, kinds and bytes */
    XS_ALIKE_SIZE,  /* a copy's kinds and size, by factors of two; no kernels */
    XS_ALIKE_KINDS, /* a kernel's function; a copy's kinds */
    XS_ALIKE_ALL,
    XS_LEARNED_LEVELS
};

struct xs_learned {
    struct xs_hash group_of, graph_of; /* to an index plus 1 */
    struct xs_group *groups;
    size_t group_count, group_capacity;
    struct graphs {
        struct xs_launched_graph items[32]; /* the first launches; xs_learned_finish moves the usual one to the front */
        unsigned count;
    } * graphs;
    size_t graph_count, graph_capacity;
    struct xs_hash queue_of;      /* a stream to its shape (with CUPTI's number of the stream) plus 1 */
    struct xs_hash device_of;     /* context.id to ordinal plus 1 */
    struct xs_hash apart;         /* streams that are not ordered with the legacy default stream */
    struct xs_hash returns_first; /* entry points of frees that do not wait for the device */
    struct xs_values wait_notice; /* from the end of the work that a wait waited for to the wait's return */
    struct xs_link_model link;    /* fitted to the windows */
    const struct xs_streams *streams;
};

/* The number of a call's lane: its stream, or one per context if the stream is not known; never 0. */
static inline int64_t xs_lane_of(const struct xs_learned *learned, const struct xs_call *call) {
    int64_t stream = xs_stream_identity(learned->streams, call->stream);
    return stream ? stream : INT64_MAX - call->context;
}

/* The group of a call at a level from 0, the narrowest; made if it is missing. Valid until the next one is made. */
struct xs_group *xs_learned_group(struct xs_learned *learned, const struct xs_call *call, unsigned level);

void xs_values_add(struct xs_values *values, int64_t value);

/* Sets the medians, and chooses each graph's usual launch. */
void xs_learned_finish(struct xs_learned *learned);
void xs_learned_free(struct xs_learned *learned);

/* A length of time, its usual error, and a value that it is hardly ever below. */
struct xs_length {
    int64_t ns, unsure_ns, least_ns;
};

/* A call's groups, the narrowest first; NULL: there is none at that level. */
struct xs_alike {
    const struct xs_group *levels[XS_LEARNED_LEVELS];
    bool is_pageable; /* a copy that the driver stages; how it does that depends on the size */
};
struct xs_alike xs_learned_alike(const struct xs_learned *learned, const struct xs_call *call);

/* Whether something is known about calls like this one. Fills in *length. */
bool xs_learned_find(const struct xs_alike *alike, enum xs_learned_what what, struct xs_length *length);

/* The call's narrowest group with durations; NULL: none. */
const struct xs_group *xs_learned_of(const struct xs_alike *alike);

/* Whether work of the same kinds was recorded. If not, what is known about a copy comes from copies of other memory. */
bool xs_learned_has_kind(const struct xs_alike *alike);

/* Whether the driver stages copies of that size during their calls, so that the copy takes nearly the whole call and
 * ends with it. `notice`: from the copy's end to the call's return. */
bool xs_learned_fills_call(const struct xs_alike *alike, const struct xs_call *call, struct xs_length *notice);

/* From the call's enter to the start of its work if no other work is in the way. */
struct xs_length xs_learned_latency(const struct xs_alike *alike, const struct xs_call *call);

/* How long a call's work runs; 0 for a kernel about which nothing is known. */
struct xs_length xs_learned_ns(const struct xs_learned *learned, const struct xs_alike *alike,
                               const struct xs_call *call);

/* The link model's time for a copy or memset of that size; never 0. */
int64_t xs_learned_link_ns(const struct xs_learned *learned, const struct xs_call *call, uint64_t bytes);

/* The usual launch of a graph; NULL: none was recorded. */
const struct xs_launched_graph *xs_learned_graph(const struct xs_learned *learned, uint64_t function);

#endif
