/* Changes the replay so that managed pages stay where they are used; see managed.h. */
#include "analyzer/savings/plan/managed_internal.h"

#include "schema/format/kinds.h"

/* If at least this part of a span was recorded, the rest is assumed to be like it. */
#define NEARLY_ALL 0.9

/* Returns the share of a group's time in which pages moved. As a margin, one more span is added whose whole time (for
 * the most saving), or no time (for the least saving), is spent with pages. The number of spans is computed as if all
 * had equal length. If no kernel of the group was recorded, the share is 1 for the most saving, because the detector
 * knows that pages move to the device and back, and 0 for the least saving. */
static double share_of(const struct xs_managed_group *group, bool of_kernels, enum xs_plan_end end) {
    if (of_kernels && group->recorded_ns <= 0)
        return end == XS_PLAN_MOST ? 1 : 0;
    if (group->recorded_ns <= 0 || group->stalled_ns <= 0)
        return 0;
    double seen = group->recorded_ns * group->recorded_ns / group->squares;
    double other = end == XS_PLAN_MOST ? 1 : 0;
    return (seen * group->stalled_ns / group->recorded_ns + other) / (seen + 1);
}

/* Returns how much of the span's time was spent with pages, as far as that is known or can be estimated. */
static double stalled_ns(const struct xs_managed *m, const struct xs_managed_spans *spans,
                         const struct xs_managed_span *span, enum xs_plan_end end) {
    double length = (double)(span->end_ns - span->start_ns), seen = (double)span->stalled_ns;
    if (m->windows[spans->way].whole)
        return seen;
    if ((double)span->recorded_ns >= NEARLY_ALL * length)
        return seen * length / (double)span->recorded_ns;
    double unseen = length - (double)span->recorded_ns;
    return seen + unseen * share_of(&spans->groups[span->group], spans == &m->kernels, end);
}

/* Finds how much of each group's pages belongs to memory that stays. */
static void find_staying(const struct xs_managed *m, struct xs_managed_spans *spans) {
    for (size_t i = 0; i < spans->group_count; i++)
        spans->groups[i].staying = 0;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&spans->moved, entry));)
        if (m->memories[entry->high].stays)
            spans->groups[entry->low].staying += (double)(entry->value - 1);
}

static double staying_part(const struct xs_managed_spans *spans, uint32_t group) {
    double stays = spans->groups[group].staying, all = spans->groups[group].bytes;
    return all > 0 ? (stays < all ? stays / all : 1) : 0;
}

/* Returns the duration of a prefetch. */
static double prefetch_ns(const struct xs_managed *m, const struct xs_plan *plan, bool up, double bytes) {
    uint64_t whole = bytes < (double)INT64_MAX ? (uint64_t)bytes : INT64_MAX;
    uint64_t ns = xs_link_ns(&plan->findings->link, up ? XS_LINK_H2D_PINNED : XS_LINK_D2H_PINNED, whole);
    return ns ? (double)ns : bytes * m->ns_per_byte;
}

/* --- kernels --- */

static bool is_given_one_that_stays(const struct xs_managed *m, const struct xs_managed_span *kernel) {
    for (uint32_t i = 0; i < kernel->given; i++)
        if (m->memories[m->given[kernel->first_given + i]].stays)
            return true;
    return false;
}

/* Returns the time for pages that must still be sent to the device before the kernel. For the most saving, each memory
 * is sent once, before the first kernel that uses it. For the least saving, the pages that the host had taken back are
 * sent each time. */
static double sent_ns(const struct xs_managed *m, const struct xs_plan *plan, const struct xs_managed_span *kernel,
                      double stalled, enum xs_plan_end end) {
    const struct xs_managed_group *group = &m->kernels.groups[kernel->group];
    double bytes = 0, first = 0;
    for (uint32_t i = 0; i < kernel->given; i++) {
        const struct xs_managed_memory *memory = &m->memories[m->given[kernel->first_given + i]];
        bytes += memory->stays ? (double)memory->bytes : 0;
        first += memory->stays && memory->first_kernel == kernel->call ? (double)memory->bytes : 0;
    }
    if (end == XS_PLAN_MOST)
        return first > 0 ? prefetch_ns(m, plan, true, first) : 0;
    double moved = group->stalled_ns > 0 ? group->bytes / group->stalled_ns * stalled : bytes;
    return prefetch_ns(m, plan, true, moved < bytes ? moved : bytes);
}

static bool change_kernel(const struct xs_managed *m, struct xs_plan *plan, const struct xs_managed_span *kernel,
                          enum xs_plan_end end) {
    double stalled = stalled_ns(m, &m->kernels, kernel, end) * staying_part(&m->kernels, kernel->group);
    double length = (double)(kernel->end_ns - kernel->start_ns), left = length - stalled;
    double unfaulted = (double)m->kernels.groups[kernel->group].unfaulted_ns;
    if (left < unfaulted)
        left = unfaulted;
    left += sent_ns(m, plan, kernel, stalled, end);
    if (left >= length)
        return false;
    struct xs_change *change = xs_plan_alter(plan, kernel->call);
    if (!change)
        return false;
    change->lasts = true;
    change->operation_ns = (int64_t)left;
    return true;
}

/* --- gaps --- */

static bool change_gap(const struct xs_managed *m, struct xs_plan *plan, struct xs_managed_span *gap, double back_ns) {
    double part = staying_part(&m->gaps, gap->group);
    double less = part > 0 ? stalled_ns(m, &m->gaps, gap, XS_PLAN_MOST) * part - back_ns : 0;
    struct xs_change *change = less > 0 ? xs_plan_alter(plan, gap->call) : NULL;
    if (!change)
        return false;
    int64_t before_ns = -(less < (double)XS_MODEL_LATEST_NS ? (int64_t)less : XS_MODEL_LATEST_NS);
    change->before_ns = xs_model_ns(change->before_ns + before_ns - gap->before_ns);
    gap->before_ns = before_ns;
    return true;
}

/* Changes all gaps. In the last one that is changed, the host fetches all memory that stayed on the device. */
static size_t change_gaps(struct xs_managed *m, struct xs_plan *plan) {
    size_t changed = 0;
    double back = 0;
    for (size_t i = 0; i < m->memory_count; i++)
        back += m->memories[i].stays ? (double)m->memories[i].bytes : 0;
    for (size_t i = m->gaps.count; i-- > 0;) {
        bool was_changed = change_gap(m, plan, &m->gaps.items[i], changed ? 0 : prefetch_ns(m, plan, false, back));
        changed += was_changed;
    }
    return changed;
}

/* --- all --- */

void xs_managed_keep(struct xs_managed *m, int64_t allocation) {
    const uint64_t *index = m ? xs_hash_find(&m->memory_of, (uint64_t)allocation, 0) : NULL;
    if (!index)
        return;
    m->memories[*index - 1].stays = true;
    m->is_to_change = true;
}

size_t xs_managed_change(struct xs_managed *m, struct xs_plan *plan, enum xs_plan_end end) {
    size_t changed = 0;
    if (!m || !m->is_to_change)
        return 0;
    m->is_to_change = false;
    find_staying(m, &m->kernels);
    find_staying(m, &m->gaps);
    for (size_t i = 0; i < m->kernels.count; i++)
        if (is_given_one_that_stays(m, &m->kernels.items[i]))
            changed += change_kernel(m, plan, &m->kernels.items[i], end);
    if (end == XS_PLAN_MOST)
        changed += change_gaps(m, plan);
    return changed;
}

void xs_managed_clear(struct xs_managed *m) {
    if (m)
        m->is_to_change = false;
    for (size_t i = 0; m && i < m->memory_count; i++)
        m->memories[i].stays = false;
    for (size_t i = 0; m && i < m->gaps.count; i++)
        m->gaps.items[i].before_ns = 0;
}
