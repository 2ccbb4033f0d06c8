/* What the windows say of work: how long it takes, how soon it begins, and when its call returns. Work alike is a
 * group: first what has the same function and grid, or the same kinds and bytes; then copies of the same kinds and a
 * similar size; then the same function, or the same kinds; then all of a kind. Who asks gets the narrowest group that
 * says something. */
#ifndef XFERSPY_ANALYZER_MODELLED_LEARNED_H
#define XFERSPY_ANALYZER_MODELLED_LEARNED_H

#include "analyzer/trace/link.h"
#include "analyzer/trace/modelled/calls.h"
#include "analyzer/trace/modelled/rows.h"

/* Values of which the median counts: a reservoir, the same on every run. */
struct xs_values {
    int64_t *items;
    uint32_t kept, capacity;
    uint64_t seen;
    int64_t median; /* of those kept, after xs_learned_finish */
    int64_t spread; /* half of them are so near to each other; likewise */
    int64_t least;  /* a tenth of them are shorter */
    int64_t most;
};

enum xs_learned_what {
    XS_LEARNED_NS,      /* how long it took on the device */
    XS_LEARNED_RATIO,   /* the same in thousandths of what the link model says of it; not of kernels */
    XS_LEARNED_LATENCY, /* from its call's enter to its start, where nothing was in the way */
    XS_LEARNED_AFTER,   /* from its call's return, where it began behind it; such work has no latency */
    XS_LEARNED_GAP,     /* from the end of what was in the way to its start */
    XS_LEARNED_NOTICE,  /* from its end to its call's return */
    XS_LEARNED_STAGED,  /* from the end of what was in its stream to its call's return */
    XS_LEARNED_SHARE,   /* how long it took, in thousandths of its call; of copies with pageable memory */
    XS_LEARNED_WHAT
};

struct xs_group {
    struct xs_values values[XS_LEARNED_WHAT];
    uint64_t returned_early; /* so often the call returned before the end */
    uint64_t began_within;   /* so often it began before the call returned */
    uint32_t shape;          /* of the first one's row */
};

/* A graph that was launched in a window: its rows, as they were recorded then. */
struct xs_launched_graph {
    const struct xs_recorded *first;
    size_t rows;
    int64_t start_ns, span_ns, sum_ns;
};

enum xs_learned_level {
    XS_ALIKE_EXACT, /* of a kernel its function and grid, of a copy its entry point, kinds and bytes */
    XS_ALIKE_SIZE,  /* of a copy its kinds and size, by factors of two; no kernels */
    XS_ALIKE_KINDS, /* of a kernel its function */
    XS_ALIKE_ALL,
    XS_LEARNED_LEVELS
};

struct xs_learned {
    struct xs_hash group_of, graph_of; /* to an index plus 1 */
    struct xs_group *groups;
    size_t group_count, group_capacity;
    struct graphs {
        struct xs_launched_graph items[32]; /* the first launches; after xs_learned_finish the usual one is the first */
        unsigned count;
    } * graphs;
    size_t graph_count, graph_capacity;
    struct xs_hash queue_of;      /* a stream to the shape that has CUPTI's numbers of it, plus 1 */
    struct xs_hash device_of;     /* context.id to ordinal plus 1 */
    struct xs_hash apart;         /* streams that are not ordered with the legacy default stream */
    struct xs_hash returns_first; /* entry points of frees that do not wait for the device */
    struct xs_values wait_notice; /* from the end of what a wait waited for to its return */
    struct xs_link_model link;    /* fitted to the windows */
    const struct xs_streams *streams;
};

/* A stream, or one for each context where it is not known; 0 is none. */
static inline int64_t xs_lane_of(const struct xs_learned *learned, const struct xs_call *call) {
    int64_t stream = xs_stream_identity(learned->streams, call->stream);
    return stream ? stream : INT64_MAX - call->context;
}

/* The group of a call at a level, from 0, the narrowest; made if it is not there. Valid until the next one is made. */
struct xs_group *xs_learned_group(struct xs_learned *learned, const struct xs_call *call, unsigned level);

void xs_values_add(struct xs_values *values, int64_t value);

/* Sets the medians, and chooses each graph's usual launch. */
void xs_learned_finish(struct xs_learned *learned);
void xs_learned_free(struct xs_learned *learned);

/* A length of time, by how much it is usually off, and what it hardly ever is less than. */
struct xs_length {
    int64_t ns, unsure_ns, least_ns;
};

/* The groups of a call, the narrowest first; NULL: there is none. */
struct xs_alike {
    const struct xs_group *levels[XS_LEARNED_LEVELS];
    bool is_pageable; /* a copy that the driver stages: how depends on its size */
};
struct xs_alike xs_learned_alike(const struct xs_learned *learned, const struct xs_call *call);

/* Whether something is known of calls like this one. */
bool xs_learned_find(const struct xs_alike *alike, enum xs_learned_what what, struct xs_length *length);

/* The narrowest group of a call that has durations; NULL: none. */
const struct xs_group *xs_learned_of(const struct xs_alike *alike);

/* Whether work of the same kinds was recorded: else what is known of a copy is that of another memory. */
bool xs_learned_has_kind(const struct xs_alike *alike);

/* Whether the driver stages copies of that size during their calls, so that what a call takes is nearly what its copy
 * takes, and the copy ends with it. `notice`: from the copy's end to the call's return. */
bool xs_learned_fills_call(const struct xs_alike *alike, const struct xs_call *call, struct xs_length *notice);

/* From the call's enter to the start of its work where nothing is in the way. */
struct xs_length xs_learned_latency(const struct xs_alike *alike, const struct xs_call *call);

/* How long a call's work takes; of a kernel 0 where nothing at all is known. */
struct xs_length xs_learned_ns(const struct xs_learned *learned, const struct xs_alike *alike,
                               const struct xs_call *call);

/* What the link model says of a copy or memset of that size; never 0. */
int64_t xs_learned_link_ns(const struct xs_learned *learned, const struct xs_call *call, uint64_t bytes);

/* The usual launch of a graph; NULL: none was recorded. */
const struct xs_launched_graph *xs_learned_graph(const struct xs_learned *learned, uint64_t function);

#endif
