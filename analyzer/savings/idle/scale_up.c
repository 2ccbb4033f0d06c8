/* Scales accounts of parts of a run; see scale_up.h. */
#include "analyzer/savings/idle/scale_up.h"

static void multiply(uint64_t *value, double by) { *value = (uint64_t)((double)*value * by + 0.5); }

/* The idle time is summed up again, so that the rows of a device still add up to it. */
void xs_idle_scale_up(struct xs_idle *idle, const struct xs_parts *parts, int64_t start_ns, int64_t end_ns) {
    int64_t in_parts_ns = idle->end_ns - idle->start_ns;
    double by = in_parts_ns > 0 ? (double)(end_ns - start_ns) / (double)in_parts_ns : 0;
    if (!parts || !parts->count)
        return;
    idle->start_ns = start_ns;
    idle->end_ns = end_ns;
    idle->ns = (uint64_t)(end_ns - start_ns);
    for (size_t k = 0; k < idle->device_count; k++)
        idle->devices[k].idle_ns = 0;
    for (size_t i = 0; i < idle->count; i++) {
        struct xs_idle_row *row = &idle->rows[i];
        uint64_t *scaled[] = {&row->count, &row->ns, &row->launches, &row->apart_ns, &row->sampled_ns, &row->most_ns};
        for (size_t k = 0; k < sizeof scaled / sizeof *scaled; k++)
            multiply(scaled[k], by);
        row->longest_at_ns = xs_parts_trace_ns(parts, row->longest_at_ns);
        for (size_t k = 0; k < idle->device_count; k++)
            if (idle->devices[k].device == row->device)
                idle->devices[k].idle_ns += row->ns;
    }
    for (size_t k = 0; k < idle->device_count; k++) {
        uint64_t all_ns = (uint64_t)(end_ns - start_ns), idle_ns = idle->devices[k].idle_ns;
        idle->devices[k].busy_ns = all_ns > idle_ns ? all_ns - idle_ns : 0;
    }
}

void xs_waits_paid_scale_up(struct xs_waits_paid *waits, const struct xs_parts *parts) {
    double by = xs_parts_scale(parts);
    if (!parts || !parts->count)
        return;
    multiply(&waits->left_out_ns, by);
    for (size_t i = 0; i < waits->count; i++) {
        struct xs_wait_row *row = &waits->rows[i];
        uint64_t *scaled[] = {&row->count,    &row->waited_ns,   &row->busy_ns, &row->idle_ns,
                              &row->saves_ns, &row->together_ns, &row->work_ns};
        for (size_t k = 0; k < sizeof scaled / sizeof *scaled; k++)
            multiply(scaled[k], by);
        for (size_t k = 0; k < row->work_count; k++)
            multiply(&row->work[k].ns, by);
    }
}
