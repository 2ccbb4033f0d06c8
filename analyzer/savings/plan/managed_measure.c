/* Finds how much time of each kernel, and of each gap between calls, was spent with pages, and sums this up for each
 * group of similar spans. */
#include "analyzer/savings/plan/managed_internal.h"

#include "analyzer/base/numbers.h"
#include "analyzer/base/search.h"

/* If at least this part of a span was recorded, the rest is assumed to be like it. */
#define NEARLY_ALL 0.9

/* This is how late recording may begin in a window. 0.3 ms were seen on an H200. */
#define LATE_NS INT64_C(1000000)

bool xs_managed_is_recorded(const struct xs_managed_span *span) {
    return (double)span->recorded_ns >= NEARLY_ALL * (double)(span->end_ns - span->start_ns);
}

static bool has_ended(const void *item, const void *ns) {
    return ((const struct xs_interval *)item)->end <= *(const int64_t *)ns;
}

static uint64_t covered(const struct xs_intervals *set, int64_t start_ns, int64_t end_ns) {
    uint64_t covered = 0;
    for (size_t i = xs_search(set->items, set->count, sizeof *set->items, has_ended, &start_ns);
         i < set->count && set->items[i].start < end_ns; i++) {
        int64_t start = xs_later(set->items[i].start, start_ns), end = xs_earlier(set->items[i].end, end_ns);
        covered += end > start ? (uint64_t)(end - start) : 0;
    }
    return covered;
}

/* Adds `recorded` of the span's recorded time to the sums. If the span also lies in other windows, the time spent with
 * pages is divided in proportion to the lengths. */
static void add(struct xs_managed_seen *seen, const struct xs_managed_span *span, double recorded) {
    if (recorded <= 0 || !span->recorded_ns)
        return;
    seen->recorded_ns += recorded;
    seen->squares += recorded * recorded;
    seen->stalled_ns += (double)span->stalled_ns * recorded / (double)span->recorded_ns;
    seen->waited_ns += (double)span->waited_ns * recorded / (double)span->recorded_ns;
}

static void add_length(struct xs_managed_lengths *lengths, int64_t ns) {
    lengths->shortest_ns = lengths->count > 0 && lengths->shortest_ns < ns ? lengths->shortest_ns : ns;
    lengths->sum_ns += (double)ns;
    lengths->count++;
}

/* True if the kernel was recorded whole, and had no faults. A window's first moments do not show this, because
 * recording may begin late. A kernel with new memory does not show it either, because pages of this memory must have
 * been made. */
static bool had_no_faults(const struct xs_managed *m, const struct xs_managed_span *kernel) {
    int64_t since = kernel->start_ns - LATE_NS;
    uint64_t recorded = xs_migration_windows_within(&m->windows[m->kernels.way], since, kernel->end_ns, false);
    return !kernel->stalled_ns && !kernel->is_first &&
           (double)recorded >= NEARLY_ALL * (double)(kernel->end_ns - since);
}

/* Adds the kernel's length to its group. A kernel without faults shows how long the others would take, unless it used
 * pages across the link. */
static void note_kernel(struct xs_managed *m, struct xs_managed_span *kernel, struct xs_managed_group *group) {
    int64_t length = kernel->end_ns - kernel->start_ns;
    for (uint32_t i = 0; i < kernel->given; i++)
        kernel->is_remote |= m->memories[m->given[kernel->first_given + i]].remote_ns <= kernel->start_ns;
    add_length(&group->all, length);
    if (had_no_faults(m, kernel))
        add_length(kernel->is_remote ? &group->remote : &group->unfaulted, length);
}

static void note_gap(const struct xs_managed *m, struct xs_managed_span *gap, struct xs_managed_group *group) {
    gap->is_remote = m->remote_ns <= gap->start_ns;
    if (gap->is_remote || !xs_managed_is_recorded(gap))
        return;
    group->looked++;
    group->fetching += gap->waited_ns > 0;
}

static void measure(struct xs_managed *m, struct xs_managed_spans *spans) {
    const struct xs_migration_windows *windows = &m->windows[spans->way];
    for (size_t i = 0; i < spans->count; i++) {
        struct xs_managed_span *span = &spans->items[i];
        struct xs_managed_group *group = &spans->groups[span->group];
        span->recorded_ns = xs_migration_windows_within(windows, span->start_ns, span->end_ns, false);
        span->stalled_ns =
            span->recorded_ns && span->has_pages ? covered(&spans->streaks, span->start_ns, span->end_ns) : 0;
        if (span->stalled_ns > span->recorded_ns)
            span->stalled_ns = span->recorded_ns;
        span->waited_ns = covered(&spans->waits, span->start_ns, span->end_ns);
        if (span->waited_ns > span->stalled_ns)
            span->waited_ns = span->stalled_ns;
        group->stalled_ns += (double)span->stalled_ns;
        if (span->is_first)
            add(&group->first, span, (double)span->recorded_ns);
        else
            add(&group->samples, span, xs_migration_windows_weighed(windows, span->start_ns, span->end_ns));
        if (spans == &m->kernels)
            note_kernel(m, span, group);
        else
            note_gap(m, span, group);
    }
}

uint64_t xs_managed_blocks(uint64_t bytes) { return bytes / XS_BLOCK_BYTES + (bytes % XS_BLOCK_BYTES != 0); }

uint64_t xs_managed_blocks_seen(const struct xs_managed_memory *memory) {
    uint64_t all = xs_managed_blocks(memory->bytes);
    uint64_t seen = memory->came_bytes ? xs_managed_blocks(memory->came_bytes) : memory->faults;
    return seen < all ? seen : all;
}

void xs_managed_measure(struct xs_managed *m) {
    double stalled = 0, blocks = 0;
    measure(m, &m->kernels);
    measure(m, &m->gaps);
    for (size_t i = 0; i < m->kernels.group_count; i++)
        stalled += m->kernels.groups[i].stalled_ns;
    for (size_t i = 0; i < m->memory_count; i++)
        blocks += (double)xs_managed_blocks_seen(&m->memories[i]);
    m->ns_per_block = blocks > 0 ? stalled / blocks : 0;
}
