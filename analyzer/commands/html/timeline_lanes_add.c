/* Adds lanes and their segments; see timeline_lanes.h. */
#include "analyzer/commands/html/timeline_lanes.h"

#include <stdlib.h>

#include "analyzer/base/grow.h"
#include "analyzer/commands/html/timeline_lanes_internal.h"
#include "analyzer/trace/scan.h"

static const int64_t others[3] = {INT64_MIN, INT64_MIN, INT64_MIN};

struct xs_html_lane *xs_html_lane_of(struct xs_html_lanes *lanes, enum xs_html_group group, const int64_t key[3]) {
    uint64_t low = (uint64_t)key[0];
    uint64_t high = (uint64_t)group << 60 ^ xs_mix(xs_mix((uint64_t)key[1]) + (uint64_t)key[2]);
    const uint64_t *known = xs_hash_find(&lanes->by_key, low, high);
    if (known)
        return &lanes->lanes[*known - 1];
    size_t index = lanes->count;
    if (key != others && lanes->of_group[group] >= XS_HTML_LANES_A_GROUP) {
        index = (size_t)(xs_html_lane_of(lanes, group, others) - lanes->lanes);
    } else {
        xs_grow(&lanes->lanes, lanes->count, &lanes->capacity, sizeof *lanes->lanes);
        lanes->lanes[lanes->count++] =
            (struct xs_html_lane){.group = group, .others = key == others, .key = {key[0], key[1], key[2]}};
        lanes->of_group[group]++;
    }
    *xs_hash_put(&lanes->by_key, low, high) = index + 1;
    return &lanes->lanes[index];
}

static bool fits(const struct xs_html_lanes *lanes, const struct xs_html_segment *into,
                 const struct xs_html_segment *one) {
    int64_t start = one->start_ns < into->start_ns ? one->start_ns : into->start_ns;
    int64_t end = one->end_ns > into->end_ns ? one->end_ns : into->end_ns;
    return lanes->step_ns && (uint64_t)end - (uint64_t)start <= (uint64_t)lanes->step_ns;
}

uint32_t xs_html_lane_add(struct xs_html_lanes *lanes, struct xs_html_lane *lane, const struct xs_html_segment *one) {
    size_t latest = lane->latest[one->kind];
    if (one->start_ns < lanes->first_ns)
        lanes->first_ns = one->start_ns;
    if (one->end_ns > lanes->last_ns)
        lanes->last_ns = one->end_ns;
    if (latest && fits(lanes, &lane->items[latest - 1], one)) {
        struct xs_html_segment *into = &lane->items[latest - 1];
        into->start_ns = one->start_ns < into->start_ns ? one->start_ns : into->start_ns;
        into->end_ns = one->end_ns > into->end_ns ? one->end_ns : into->end_ns;
        into->what = into->what == one->what ? into->what : -1;
        into->count++;
        into->modelled += one->modelled;
        into->busy_ns = xs_sum(into->busy_ns, one->busy_ns);
        into->bytes = xs_sum(into->bytes, one->bytes);
        return into->number;
    }
    xs_grow(&lane->items, lane->count, &lane->capacity, sizeof *lane->items);
    lane->items[lane->count] = *one;
    lane->items[lane->count].number = lanes->segments++;
    lane->latest[one->kind] = ++lane->count;
    return lane->items[lane->count - 1].number;
}

void xs_html_lanes_free(struct xs_html_lanes *lanes) {
    for (size_t i = 0; i < lanes->count; i++)
        free(lanes->lanes[i].items);
    for (size_t i = 0; i < lanes->kernel_count; i++)
        free(lanes->kernels[i]);
    free(lanes->kernels);
    free(lanes->lanes);
    xs_hash_free(&lanes->by_key);
    xs_hash_free(&lanes->marked);
    xs_hash_free(&lanes->unchecked);
    xs_hash_free(&lanes->kernel_index);
    *lanes = (struct xs_html_lanes){0};
}
