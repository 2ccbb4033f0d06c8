/* Holds groups of similar work and their medians; see learned.h. */
#include "analyzer/trace/modelled/learned.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"

enum { KEPT = 255, ENOUGH = 3, FEW = 8 };
#define USUAL_LATENCY_NS 5000

void xs_values_add(struct xs_values *values, int64_t value) {
    uint64_t slot = values->seen++;
    if (values->kept == values->capacity && values->capacity < KEPT) {
        values->capacity = values->capacity ? values->capacity * 4 < KEPT ? values->capacity * 4 : KEPT : 4;
        values->items = xs_realloc(values->items, values->capacity * sizeof *values->items);
    }
    if (values->kept < values->capacity) {
        values->items[values->kept++] = value;
        return;
    }
    slot = xs_mix(slot + 0x9e3779b97f4a7c15u) % values->seen; /* each value has the same chance to be kept */
    if (slot < KEPT)
        values->items[slot] = value;
}

static void find_median(struct xs_values *values) {
    if (!values->kept)
        return;
    xs_sort(values->items, values->kept, sizeof *values->items, xs_ascending_int64);
    values->median = values->items[(values->kept - 1) / 2];
    values->spread = values->items[(values->kept - 1) * 3 / 4] - values->items[(values->kept - 1) / 4];
    values->least = values->items[(values->kept - 1) / 10];
    values->most = values->items[values->kept - 1];
}

/* --- groups --- */

static bool key_of(const struct xs_modelled_call *call, unsigned level, uint64_t *low, uint64_t *high) {
    uint64_t kind = (uint64_t)call->kind << 8 | level;
    if (call->kind > XS_CALL_LAUNCH || (call->kind == XS_CALL_LAUNCH && level == XS_ALIKE_SIZE))
        return false;
    if (call->kind == XS_CALL_LAUNCH) {
        bool is_graph = call->detail == XS_LAUNCH_GRAPH;
        *high = kind | (uint64_t)is_graph << 16;
        *low = level == XS_ALIKE_ALL ? 0 : level == XS_ALIKE_KINDS ? call->object : xs_mix(call->object) ^ call->grid;
        return true;
    }
    uint64_t alike = (uint64_t)call->direction << 16 | (uint64_t)call->src_kind << 8 | call->dst_kind;
    alike = alike << 1 | call->is_async;
    alike = alike << 1 | call->is_box;
    *high = kind | (level == XS_ALIKE_ALL ? (uint64_t)call->direction << 16 : alike << 16);
    *low = level == XS_ALIKE_EXACT  ? xs_mix(call->bytes) + (uint64_t)call->entry_point
           : level == XS_ALIKE_SIZE ? xs_size_class(call->bytes)
                                    : 0;
    return true;
}

struct xs_group *xs_learned_group(struct xs_learned *learned, const struct xs_modelled_call *call, unsigned level) {
    uint64_t low, high;
    if (!key_of(call, level, &low, &high))
        return NULL;
    uint64_t *index = xs_hash_put(&learned->group_of, low, high);
    if (!*index) {
        xs_grow(&learned->groups, learned->group_count, &learned->group_capacity, sizeof *learned->groups);
        learned->groups[learned->group_count] = (struct xs_group){.shape = UINT32_MAX};
        *index = ++learned->group_count;
    }
    return &learned->groups[*index - 1];
}

static bool begins_within(const struct xs_group *group) {
    return group->began_within * 10 >= group->values[XS_LEARNED_NOTICE].seen * 9;
}

static bool fills_call(const struct xs_group *group) {
    enum { HALF = 500 };
    const struct xs_values *share = &group->values[XS_LEARNED_SHARE];
    return share->seen >= ENOUGH && share->median >= HALF && begins_within(group);
}

/* Returns the group of the next smaller size whose copies take nearly their whole calls. If copies of a smaller size do
 * so, larger copies do so even more. NULL: there is none. */
static const struct xs_group *smaller_size(const struct xs_learned *learned, const struct xs_modelled_call *call) {
    struct xs_modelled_call smaller = *call;
    uint64_t low, high;
    while ((smaller.bytes /= 2)) {
        const uint64_t *index =
            key_of(&smaller, XS_ALIKE_SIZE, &low, &high) ? xs_hash_find(&learned->group_of, low, high) : NULL;
        if (index && fills_call(&learned->groups[*index - 1]))
            return &learned->groups[*index - 1];
    }
    return NULL;
}

struct xs_alike xs_learned_alike(const struct xs_learned *learned, const struct xs_modelled_call *call) {
    struct xs_alike alike = {.is_pageable = xs_call_is_pageable(call)};
    for (unsigned level = 0; level < XS_LEARNED_LEVELS; level++) {
        uint64_t low, high;
        const uint64_t *index = key_of(call, level, &low, &high) ? xs_hash_find(&learned->group_of, low, high) : NULL;
        alike.levels[level] = index ? &learned->groups[*index - 1] : NULL;
    }
    if (alike.is_pageable && !alike.levels[XS_ALIKE_SIZE])
        alike.levels[XS_ALIKE_SIZE] = smaller_size(learned, call);
    return alike;
}

static int by_sum(const void *a, const void *b) {
    const struct xs_launched_graph *x = a, *y = b;
    return (x->sum_ns > y->sum_ns) - (x->sum_ns < y->sum_ns);
}

void xs_learned_finish(struct xs_learned *learned) {
    for (size_t i = 0; i < learned->group_count; i++)
        for (unsigned what = 0; what < XS_LEARNED_WHAT; what++)
            find_median(&learned->groups[i].values[what]);
    find_median(&learned->wait_notice);
    for (size_t i = 0; i < learned->graph_count; i++) {
        struct graphs *graphs = &learned->graphs[i];
        xs_sort(graphs->items, graphs->count, sizeof *graphs->items, by_sum);
        graphs->items[0] = graphs->items[(graphs->count - 1) / 2];
    }
}

void xs_learned_free(struct xs_learned *learned) {
    for (size_t i = 0; i < learned->group_count; i++)
        for (unsigned what = 0; what < XS_LEARNED_WHAT; what++)
            free(learned->groups[i].values[what].items);
    free(learned->groups);
    free(learned->graphs);
    free(learned->wait_notice.items);
    xs_hash_free(&learned->group_of);
    xs_hash_free(&learned->graph_of);
    xs_hash_free(&learned->queue_of);
    xs_hash_free(&learned->device_of);
    xs_hash_free(&learned->apart);
    xs_hash_free(&learned->returns_first);
    *learned = (struct xs_learned){0};
}

/* --- asking --- */

/* Returns a length from a group's values. A few similar values say little about how much other values differ, so the
 * error is then not taken as small. */
static struct xs_length length_of(const struct xs_values *values, int64_t part) {
    enum { LEAST_PART = 4 };
    bool few = values->seen <= FEW;
    int64_t unsure_ns = values->median / (few ? part : 100), less_ns = few ? values->least / LEAST_PART : 0;
    unsure_ns = values->spread > unsure_ns ? values->spread : unsure_ns;
    less_ns = values->spread > less_ns ? values->spread : less_ns;
    return (struct xs_length){values->median, unsure_ns, values->least > less_ns ? values->least - less_ns : 0};
}

/* One step of a search through the levels: how many levels are searched, and how many values a group must have. */
struct look {
    unsigned levels, enough;
};
enum { LOOKS = 4 };
static const struct look narrow_first[LOOKS] = {{XS_LEARNED_LEVELS, ENOUGH}, {XS_LEARNED_LEVELS, 1}, {0, 0}, {0, 0}};
/* For copies that the driver stages. How the driver does that depends on the size, so one copy of the same size says
 * more than many copies of other sizes. */
static const struct look size_first[LOOKS] = {
    {XS_ALIKE_KINDS, ENOUGH}, {XS_ALIKE_KINDS, 1}, {XS_LEARNED_LEVELS, ENOUGH}, {XS_LEARNED_LEVELS, 1}};

static const struct look *looks_of(const struct xs_alike *alike) {
    return alike->is_pageable ? size_first : narrow_first;
}

bool xs_learned_find(const struct xs_alike *alike, enum xs_learned_what what, struct xs_length *length) {
    const struct look *looks = looks_of(alike);
    for (unsigned i = 0; i < LOOKS; i++) {
        for (unsigned level = 0; level < looks[i].levels; level++) {
            const struct xs_group *group = alike->levels[level];
            if (group && group->values[what].seen >= looks[i].enough) {
                *length = length_of(&group->values[what], 4);
                length->least_ns = what == XS_LEARNED_RATIO ? length->least_ns : 0;
                return true;
            }
        }
    }
    return false;
}

const struct xs_group *xs_learned_of(const struct xs_alike *alike) {
    for (unsigned level = 0; level < XS_LEARNED_LEVELS; level++) {
        const struct xs_group *group = alike->levels[level];
        if (group && group->values[XS_LEARNED_NS].seen)
            return group;
    }
    return NULL;
}

bool xs_learned_has_kind(const struct xs_alike *alike) {
    const struct xs_group *group = alike->levels[XS_ALIKE_KINDS];
    return group && group->values[XS_LEARNED_NS].seen;
}

/* Returns the narrowest group of copies of the call's size with enough values of XS_LEARNED_SHARE; NULL: none. */
static const struct xs_group *shares_of(const struct xs_alike *alike, const struct xs_modelled_call *call) {
    if (!alike->is_pageable || call->return_ns <= call->enter_ns)
        return NULL;
    for (unsigned level = XS_ALIKE_EXACT; level <= XS_ALIKE_SIZE; level++)
        if (alike->levels[level] && alike->levels[level]->values[XS_LEARNED_SHARE].seen >= ENOUGH)
            return alike->levels[level];
    return NULL;
}

bool xs_learned_fills_call(const struct xs_alike *alike, const struct xs_modelled_call *call,
                           struct xs_length *notice) {
    enum { NEAR = 16 };
    const struct xs_group *group = shares_of(alike, call);
    if (!group || !fills_call(group))
        return false;
    *notice = length_of(&group->values[XS_LEARNED_NOTICE], 4);
    return group->values[XS_LEARNED_NOTICE].spread <= (call->return_ns - call->enter_ns) / NEAR;
}

struct xs_length xs_learned_latency(const struct xs_alike *alike, const struct xs_modelled_call *call) {
    const struct xs_group *of_size = shares_of(alike, call);
    bool is_within =
        of_size &&
        begins_within(of_size); /* copies of this size begin within their call, even if copies of other sizes do not */
    const struct look *looks = looks_of(alike);
    for (unsigned i = 0; i < LOOKS; i++) {
        for (unsigned level = 0; level < looks[i].levels; level++) {
            const struct xs_group *group = alike->levels[level];
            const struct xs_values *latency = group ? &group->values[XS_LEARNED_LATENCY] : NULL;
            const struct xs_values *after = group ? &group->values[XS_LEARNED_AFTER] : NULL;
            if (!group || latency->seen + after->seen < looks[i].enough || (is_within && after->seen > latency->seen))
                continue;
            struct xs_length length = length_of(after->seen > latency->seen ? after : latency, 4);
            length.least_ns = 0;
            length.ns += after->seen > latency->seen ? call->return_ns - call->enter_ns : 0;
            return length;
        }
    }
    return (struct xs_length){USUAL_LATENCY_NS, USUAL_LATENCY_NS / 4, 0};
}

static enum xs_link_class class_of(const struct xs_modelled_call *call) {
    if (call->kind == XS_CALL_MEMSET)
        return XS_LINK_MEMSET;
    if (call->direction == XS_DIR_D2D || call->direction == XS_DIR_PEER)
        return XS_LINK_D2D;
    return xs_link_class_of(call->direction, call->direction == XS_DIR_H2D ? call->src_kind : call->dst_kind);
}

int64_t xs_learned_link_ns(const struct xs_learned *learned, const struct xs_modelled_call *call, uint64_t bytes) {
    enum { USUAL_NS = 2000, USUAL_BYTES_PER_NS = 16 }; /* for kinds of memory that the link model does not have */
    uint64_t ns = xs_link_ns(&learned->link, class_of(call), bytes);
    if (!ns)
        ns = USUAL_NS + bytes / USUAL_BYTES_PER_NS;
    return ns < (uint64_t)XS_SCAN_LATEST_NS ? (int64_t)ns : XS_SCAN_LATEST_NS;
}

/* Returns how long a kernel takes. The group with the same grid is used first even if it has few values, because with
 * another grid the kernel may take a very different time. */
static struct xs_length kernel_ns(const struct xs_alike *alike) {
    const struct xs_group *group = xs_learned_of(alike);
    if (!group)
        return (struct xs_length){0, 0, 0};
    bool is_exact = group == alike->levels[XS_ALIKE_EXACT];
    struct xs_length length = length_of(&group->values[XS_LEARNED_NS], is_exact ? 8 : 1);
    length.least_ns = is_exact ? length.least_ns : 0;
    return length;
}

static int64_t whole(double ns) { return ns < 1 ? 1 : ns < 0x1p60 ? (int64_t)ns : XS_SCAN_LATEST_NS; }

/* Converts a length in thousandths of `ns` into ns. */
static struct xs_length part_of(double ns, const struct xs_length *thousandths) {
    return (struct xs_length){whole(ns * (double)thousandths->ns / 1000),
                              whole(ns * (double)thousandths->unsure_ns / 1000),
                              whole(ns * (double)thousandths->least_ns / 1000)};
}

/* Returns how long a copy takes, from the number of its bytes. */
static struct xs_length ns_by_size(const struct xs_learned *learned, const struct xs_alike *alike,
                                   const struct xs_modelled_call *call) {
    const struct xs_group *exact = alike->levels[XS_ALIKE_EXACT];
    struct xs_length ratio = {1000, 250, 250};
    if (exact && exact->values[XS_LEARNED_NS].seen >= ENOUGH)
        return length_of(&exact->values[XS_LEARNED_NS], 30);
    xs_learned_find(alike, XS_LEARNED_RATIO, &ratio);
    return part_of((double)xs_learned_link_ns(learned, call, call->bytes), &ratio);
}

struct xs_length xs_learned_ns(const struct xs_learned *learned, const struct xs_alike *alike,
                               const struct xs_modelled_call *call) {
    if (call->kind == XS_CALL_LAUNCH)
        return kernel_ns(alike);
    struct xs_length by_size = ns_by_size(learned, alike, call);
    const struct xs_group *group = shares_of(alike, call);
    if (!group)
        return by_size;
    struct xs_length share = length_of(&group->values[XS_LEARNED_SHARE], 30);
    struct xs_length by_call = part_of((double)(call->return_ns - call->enter_ns), &share);
    bool is_surer = (double)by_call.unsure_ns * (double)by_size.ns < (double)by_size.unsure_ns * (double)by_call.ns;
    /* a call that took far longer per byte than any other one waited for something else */
    double most_ns =
        (double)xs_learned_link_ns(learned, call, call->bytes) * (double)group->values[XS_LEARNED_RATIO].most / 1000;
    return is_surer && (double)by_call.ns <= 2 * most_ns ? by_call : by_size;
}

const struct xs_launched_graph *xs_learned_graph(const struct xs_learned *learned, uint64_t function) {
    const uint64_t *index = xs_hash_find(&learned->graph_of, function, 0);
    return index ? &learned->graphs[*index - 1].items[0] : NULL;
}
