/* Changes the replay so that managed pages stay where they are used; see managed.h. */
#include "analyzer/savings/plan/managed_internal.h"

#include "schema/format/kinds.h"
#include "schema/format/recording_cost.h"

/* A prefetch that makes new pages takes this long for each block. 12,288 blocks took at most 9.8 us each on an H200
 * (pool_first_touch of tests/truth/cases: the whole repaired loop). */
enum { MAKE_BLOCK_NS = 10000 };

/* Lengths of a kernel that differ by less than this part are equal: a device's clock varies by some percent. */
#define EQUAL_PART 0.05

/* Returns which part of a group's time was spent with pages, stalled or waiting for a fault. As a margin, one more span
 * is added. For the most saving, all of its time is spent with pages; for the least saving, none of its time. The
 * number of spans is computed as if all spans had the same length. If no kernel of the group was recorded, the share is
 * 1 for the most saving, because the detector knows that pages move, and 0 for the least saving. */
static double share_of(const struct xs_managed_seen *seen, double spent_ns, bool of_kernels, enum xs_plan_end end) {
    if (of_kernels && seen->recorded_ns <= 0)
        return end == XS_PLAN_MOST ? 1 : 0;
    if (seen->recorded_ns <= 0 || spent_ns <= 0)
        return 0;
    double spans = seen->recorded_ns * seen->recorded_ns / seen->squares;
    double other = end == XS_PLAN_MOST ? 1 : 0;
    return (spans * spent_ns / seen->recorded_ns + other) / (spans + 1);
}

/* Returns how much of the span's time was spent on pages. This time is known for the recorded part of the span. The
 * rest of the span is assumed to be like the recorded part if nearly all was recorded, and else like the group. */
static double spent_ns(const struct xs_managed *m, const struct xs_managed_spans *spans,
                       const struct xs_managed_span *span, bool only_waits, enum xs_plan_end end) {
    double length = (double)(span->end_ns - span->start_ns);
    double recorded = (double)(only_waits ? span->waited_ns : span->stalled_ns);
    if (m->windows[spans->way].whole)
        return recorded;
    if (xs_managed_is_recorded(span))
        return recorded * length / (double)span->recorded_ns;
    const struct xs_managed_group *group = &spans->groups[span->group];
    const struct xs_managed_seen *seen = span->is_first ? &group->first : &group->samples;
    double share = share_of(seen, only_waits ? seen->waited_ns : seen->stalled_ns, spans == &m->kernels, end);
    return recorded + (length - (double)span->recorded_ns) * share;
}

/* True if the plan removes the group's waits for pages of this memory, at least in a part of the run. */
static bool is_in_plan(const struct xs_managed_memory *memory, const struct xs_managed_group *group, bool of_kernels) {
    bool are_new = group->bytes <= 0;
    return memory->way == XS_MANAGED_STAYS || (memory->way == XS_MANAGED_PREFETCHED && of_kernels) ||
           (memory->way == XS_MANAGED_IS_THERE && of_kernels && are_new);
}

/* Sums for each group the weight of the pages that belong to memory of the plan. The time that pages took is divided in
 * proportion to this weight. */
static void find_staying(const struct xs_managed *m, struct xs_managed_spans *spans) {
    for (size_t i = 0; i < spans->group_count; i++)
        spans->groups[i].staying = 0;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&spans->moved, entry));)
        if (is_in_plan(&m->memories[entry->high], &spans->groups[entry->low], spans == &m->kernels))
            spans->groups[entry->low].staying += (double)(entry->value - 1);
}

static double staying_part(const struct xs_managed_group *group) {
    return group->weight > 0 ? (group->staying < group->weight ? group->staying / group->weight : 1) : 0;
}

/* Returns the duration of a prefetch. */
static double prefetch_ns(const struct xs_managed *m, const struct xs_plan *plan, bool up, double bytes) {
    uint64_t whole = bytes < (double)INT64_MAX ? (uint64_t)bytes : INT64_MAX;
    uint64_t ns = xs_link_ns(&plan->findings->link, up ? XS_LINK_H2D_PINNED : XS_LINK_D2H_PINNED, whole);
    return ns ? (double)ns : bytes * m->ns_per_byte;
}

/* --- kernels --- */

/* This describes the memory that a kernel was given. */
struct given {
    bool is_kept;   /* some of its memory is in the plan */
    bool stays;     /* the pages of some of this memory stay on the device */
    bool is_remote; /* some of this memory is used across the link */
    double bytes;   /* bytes of all its managed memory */
    double staying; /* bytes of the memory whose pages have to be sent to the device, or made there */
    double first;   /* bytes of the memory in `staying` that no earlier kernel used */
};

static struct given look_at_given(const struct xs_managed *m, const struct xs_managed_span *kernel) {
    struct given given = {0};
    for (uint32_t i = 0; i < kernel->given; i++) {
        const struct xs_managed_memory *memory = &m->memories[m->given[kernel->first_given + i]];
        given.bytes += (double)memory->bytes;
        if (!is_in_plan(memory, &m->kernels.groups[kernel->group], true) ||
            (memory->way == XS_MANAGED_PREFETCHED && kernel->start_ns >= memory->went_ns))
            continue;
        given.is_kept = true;
        given.stays |= memory->way == XS_MANAGED_STAYS;
        given.is_remote |= memory->way == XS_MANAGED_STAYS && memory->remote_ns <= kernel->start_ns;
        if (memory->way == XS_MANAGED_IS_THERE)
            continue;
        given.staying += (double)memory->bytes;
        given.first += memory->first_kernel == kernel->call ? (double)memory->bytes : 0;
    }
    return given;
}

/* Returns how many bytes came to the device, or were made there, while a kernel stalled for this time; at most
 * `bytes`. */
static double came_bytes(const struct xs_managed_group *group, double stalled, double bytes) {
    double seen = group->bytes > 0 ? group->bytes : group->faults * (double)XS_BLOCK_BYTES;
    double came = group->stalled_ns > 0 ? seen / group->stalled_ns * stalled : bytes;
    return came < bytes ? came : bytes;
}

/* Returns the time for pages that must still be sent to the device, or made there, before the kernel. For the most
 * saving, each memory is sent once, before the first kernel that uses it, and new pages take no time. For the least
 * saving, the pages that the host had taken back are sent each time. */
static double sent_ns(const struct xs_managed *m, const struct xs_plan *plan, const struct xs_managed_span *kernel,
                      const struct given *given, double stalled, enum xs_plan_end end) {
    const struct xs_managed_group *group = &m->kernels.groups[kernel->group];
    bool are_new = group->bytes <= 0 && group->faults > 0;
    double sent = end == XS_PLAN_MOST ? given->first : given->staying;
    if (end == XS_PLAN_LEAST || xs_managed_is_recorded(kernel))
        sent = came_bytes(group, stalled, sent);
    if (are_new)
        return end == XS_PLAN_MOST ? 0 : sent / (double)XS_BLOCK_BYTES * MAKE_BLOCK_NS;
    return sent > 0 ? prefetch_ns(m, plan, true, sent) : 0;
}

/* Returns how long a kernel would take with its pages on the device, as a part of its time with pages across the link.
 * The time on the device is measured with kernels of its group that ran before the driver put the pages on the host. */
static double local_part(const struct xs_managed_group *group, enum xs_plan_end end) {
    const struct xs_managed_lengths *local = &group->unfaulted, *remote = &group->remote;
    if (local->count <= 0 || remote->count <= 0)
        return end == XS_PLAN_MOST ? 0 : 1;
    double ns = end == XS_PLAN_MOST ? (double)local->shortest_ns : local->sum_ns / local->count;
    double part = ns * remote->count / remote->sum_ns;
    return part > 1 - EQUAL_PART ? 1 : part;
}

/* Returns the least time that the kernel can take. This is the time of the shortest kernel of its group without faults.
 * If no such kernel was recorded, it is the time to read once the bytes that came to the device, but at most the time
 * of the group's shortest kernel. */
static double least_ns(const struct xs_plan *plan, const struct xs_managed_group *group, double stalled, double bytes) {
    if (group->unfaulted.count > 0)
        return (double)group->unfaulted.shortest_ns;
    double came = came_bytes(group, stalled, bytes);
    double ns = (double)xs_link_ns(&plan->findings->link, XS_LINK_D2D, came < 0x1p62 ? (uint64_t)came : 1ull << 62);
    return ns < (double)group->all.shortest_ns ? ns : (double)group->all.shortest_ns;
}

/* Returns the most time that the recording can have added to a kernel's recorded stalls. Without xferspy the program
 * does not lose this time, so no repair saves it. */
static double recording_ns(const struct xs_managed_group *group, const struct xs_managed_span *kernel) {
    double stalled = (double)kernel->stalled_ns;
    double ns = group->stalled_ns > 0 ? group->faults * XS_RECORD_FAULT_NS / group->stalled_ns * stalled : 0;
    return ns < stalled ? ns : stalled;
}

/* Finds how long kernels can have stalled, while nothing was recorded, for first uses of pages that the plan sends or
 * keeps. Each page has only one first use. Without this limit, a pool of managed memory that all kernels are given
 * would count as the reason for all of their time. */
static void find_room(struct xs_managed *m) {
    m->room_ns = 0;
    for (size_t i = 0; i < m->memory_count; i++) {
        const struct xs_managed_memory *memory = &m->memories[i];
        uint64_t unseen = xs_managed_blocks(memory->bytes) - xs_managed_blocks_seen(memory);
        if (memory->way == XS_MANAGED_PREFETCHED || memory->way == XS_MANAGED_IS_THERE)
            m->room_ns += (double)unseen * m->ns_per_block;
    }
}

/* Returns how long a kernel stalls, as far as pages of the plan are the cause. */
static double kernel_stalls_ns(struct xs_managed *m, const struct xs_managed_span *kernel, const struct given *given,
                               enum xs_plan_end end) {
    double part = staying_part(&m->kernels.groups[kernel->group]), seen = (double)kernel->stalled_ns * part;
    double unseen = spent_ns(m, &m->kernels, kernel, false, end) * part - seen;
    if (given->stays)
        return seen + unseen;
    unseen = unseen < m->room_ns ? unseen : m->room_ns;
    m->room_ns -= unseen;
    return seen + unseen;
}

static bool change_kernel(struct xs_managed *m, struct xs_plan *plan, const struct xs_managed_span *kernel,
                          enum xs_plan_end end) {
    const struct xs_managed_group *group = &m->kernels.groups[kernel->group];
    struct given given = look_at_given(m, kernel);
    if (!given.is_kept)
        return false;
    double stalled = kernel_stalls_ns(m, kernel, &given, end);
    double length = (double)(kernel->end_ns - kernel->start_ns), left = length - stalled;
    double local = given.is_remote ? length * local_part(group, end) : length;
    double least = least_ns(plan, group, stalled, given.bytes);
    left = local < left ? local : left;
    left = least > left ? least : left;
    if (end == XS_PLAN_LEAST)
        left += recording_ns(group, kernel) * staying_part(group);
    left += sent_ns(m, plan, kernel, &given, stalled, end);
    if (left >= length)
        return false;
    struct xs_call_change *change = xs_plan_alter(plan, kernel->call);
    if (!change)
        return false;
    change->lasts = true;
    change->operation_ns = (int64_t)left;
    return true;
}

/* --- gaps --- */

/* Returns how much shorter the gap is if the host fetches its data by a copy, and does not wait for faults. 0: the
 * faults are faster, so they stay. If the driver has put the pages on the host, the recorded run finds them there, but
 * the repaired run needs the copies, so the result can be negative. The host is assumed to use the pages as often as
 * before. */
static double saved_by_copies_ns(const struct xs_managed *m, const struct xs_plan *plan,
                                 const struct xs_managed_span *gap) {
    const struct xs_managed_group *group = &m->gaps.groups[gap->group];
    if (group->fetching <= 0)
        return 0;
    double bytes = group->bytes / group->fetching, fetches = group->fetching / group->looked;
    if (!gap->is_remote && xs_managed_is_recorded(gap))
        fetches = gap->waited_ns > 0;
    double copies = XS_ASYNC_CALL_NS + prefetch_ns(m, plan, false, bytes);
    if (gap->is_remote) /* else the memory is sent before the kernel */
        copies += XS_ASYNC_CALL_NS + prefetch_ns(m, plan, true, bytes);
    double less = spent_ns(m, &m->gaps, gap, true, XS_PLAN_LEAST) - fetches * copies;
    return less > 0 || gap->is_remote ? less : 0;
}

static bool change_gap(const struct xs_managed *m, struct xs_plan *plan, struct xs_managed_span *gap, double back_ns,
                       enum xs_plan_end end) {
    double part = staying_part(&m->gaps.groups[gap->group]), less = 0;
    if (part > 0 && end == XS_PLAN_MOST)
        less = spent_ns(m, &m->gaps, gap, false, end) * part - back_ns;
    else if (part > 0)
        less = saved_by_copies_ns(m, plan, gap) * part;
    struct xs_call_change *change =
        less > 0 || (less < 0 && end == XS_PLAN_LEAST) ? xs_plan_alter(plan, gap->call) : NULL;
    if (!change)
        return false;
    int64_t before_ns = -(less < (double)XS_MODEL_LATEST_NS ? (int64_t)less : XS_MODEL_LATEST_NS);
    change->before_ns = xs_model_ns(change->before_ns + before_ns - gap->before_ns);
    gap->before_ns = before_ns;
    return true;
}

/* Changes all gaps. For the most saving, the host fetches all memory that stayed on the device only once, in the last
 * gap that is changed. */
static size_t change_gaps(struct xs_managed *m, struct xs_plan *plan, enum xs_plan_end end) {
    size_t changed = 0;
    double back = 0;
    for (size_t i = 0; i < m->memory_count; i++) {
        const struct xs_managed_memory *memory = &m->memories[i];
        bool went_less = m->windows[XS_MIGRATIONS_DOWN].whole && memory->went_bytes < memory->bytes;
        if (memory->way == XS_MANAGED_STAYS)
            back += (double)(went_less ? memory->went_bytes : memory->bytes);
    }
    for (size_t i = m->gaps.count; i-- > 0;)
        changed += change_gap(m, plan, &m->gaps.items[i], changed ? 0 : prefetch_ns(m, plan, false, back), end);
    return changed;
}

/* --- all --- */

void xs_managed_set(struct xs_managed *m, int64_t allocation, enum xs_managed_way way) {
    const uint64_t *index = m ? xs_hash_find(&m->memory_of, (uint64_t)allocation, 0) : NULL;
    if (!index || m->memories[*index - 1].way >= way)
        return;
    m->memories[*index - 1].way = way;
    m->is_to_change = true;
}

size_t xs_managed_change(struct xs_managed *m, struct xs_plan *plan, enum xs_plan_end end) {
    size_t changed = 0;
    if (!m || !m->is_to_change)
        return 0;
    m->is_to_change = false;
    find_staying(m, &m->kernels);
    find_staying(m, &m->gaps);
    find_room(m);
    for (size_t i = 0; i < m->kernels.count; i++)
        changed += change_kernel(m, plan, &m->kernels.items[i], end);
    return changed + change_gaps(m, plan, end);
}

void xs_managed_clear(struct xs_managed *m) {
    if (m)
        m->is_to_change = false;
    for (size_t i = 0; m && i < m->memory_count; i++)
        m->memories[i].way = XS_MANAGED_MOVES;
    for (size_t i = 0; m && i < m->gaps.count; i++)
        m->gaps.items[i].before_ns = 0;
}
