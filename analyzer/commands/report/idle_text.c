/* The report as text: why the devices were idle, and whether waits pay. */

#include "analyzer/base/table.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/words/idle_words.h"

enum { MOST_ROWS = 5, LEAST_SHARE = 100 /* rows below this part of the time are left out */ };

/* Prints "Device 0 was idle for 528 us of a step's 905 us (58 %), because:" for each device. */
static void idle_line(const struct xs_diagnosis *diagnosis, const struct xs_idle_device *device, struct xs_out *out) {
    const struct xs_idle *idle = &diagnosis->idle;
    uint64_t steps = diagnosis->idle_steps ? diagnosis->idle_steps : 1;
    uint64_t all_ns = (uint64_t)(idle->end_ns - idle->start_ns);
    char ns[XS_UNIT_BYTES], of[XS_UNIT_BYTES], share[XS_UNIT_BYTES], count[XS_UNIT_BYTES];
    if (diagnosis->idle_steps)
        xs_out_line(out, XS_STYLE_PLAIN, "Device %lld was idle for %s of a step's %s (%s), on average over %s steps.",
                    (long long)device->device, xs_format_ns(ns, device->idle_ns / steps),
                    xs_format_ns(of, all_ns / steps), xs_format_share(share, device->idle_ns, all_ns),
                    xs_format_count(count, steps));
    else
        xs_out_line(out, XS_STYLE_PLAIN, "Device %lld was idle for %s of the run's %s (%s).", (long long)device->device,
                    xs_format_ns(ns, device->idle_ns), xs_format_ns(of, all_ns),
                    xs_format_share(share, device->idle_ns, all_ns));
}

static void idle_row(struct xs_table *table, const struct xs_diagnosis *diagnosis, const struct xs_idle_row *row) {
    const struct xs_idle *idle = &diagnosis->idle;
    char buffer[XS_UNIT_BYTES];
    struct xs_string text = {0};
    xs_idle_say(&text, diagnosis->findings, row);
    xs_table_cell(table, xs_format_ns(buffer, row->ns));
    xs_table_cell(table, xs_format_share(buffer, row->ns, (uint64_t)(idle->end_ns - idle->start_ns)));
    xs_table_cell(table, diagnosis->idle_steps ? xs_format_ns(buffer, row->ns / diagnosis->idle_steps) : NULL);
    xs_table_cell(table, xs_format_count(buffer, row->count));
    xs_table_cell(table, text.data);
    xs_string_free(&text);
}

void xs_report_idle(const struct xs_report *report, bool all, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    const struct xs_idle *idle = &diagnosis->idle;
    uint64_t all_ns = (uint64_t)(idle->end_ns - idle->start_ns);
    size_t shown = 0;
    if (!idle->count)
        return;
    xs_out_heading(out, "Where the GPU waited");
    for (size_t i = 0; i < idle->device_count; i++)
        idle_line(diagnosis, &idle->devices[i], out);
    struct xs_table *table = xs_table_new(2);
    const char *const headers[] = {"idle", diagnosis->idle_steps ? "of steps" : "of run", "a step", "times",
                                   "while the program"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        xs_table_column(table, headers[i], i < 4);
        if (i == 2)
            xs_table_optional(table);
    }
    for (size_t i = 0; i < idle->count && (all || shown < MOST_ROWS); i++)
        if (all || idle->rows[i].ns >= all_ns / LEAST_SHARE) {
            idle_row(table, diagnosis, &idle->rows[i]);
            shown++;
        }
    xs_table_print(table, out);
    xs_table_free(table);
    if (shown < idle->count)
        xs_out_line(out, XS_STYLE_DIM, "%zu more rows: xferspy report --sections=idle", idle->count - shown);
}

static void wait_row(struct xs_table *table, const struct xs_diagnosis *diagnosis, const struct xs_wait_row *row) {
    char buffer[XS_UNIT_BYTES];
    uint64_t run_ns = diagnosis->replay_fit.measured_ns;
    struct xs_string text = {0};
    xs_wait_say(&text, diagnosis->findings, row);
    if (row->saves_ns > run_ns / 1000)
        xs_table_cell(table, xs_format_ns(buffer, row->saves_ns));
    else
        xs_table_cell(table, "nothing");
    xs_table_cell(table, xs_format_ns(buffer, row->together_ns));
    xs_table_cell(table, xs_format_count(buffer, row->count));
    xs_table_cell(table, xs_format_ns(buffer, row->waited_ns));
    xs_table_cell(table, text.data);
    xs_string_free(&text);
}

void xs_report_waits(const struct xs_report *report, struct xs_out *out) {
    const struct xs_diagnosis *diagnosis = report->diagnosis;
    const struct xs_waits_paid *waits = &diagnosis->waits;
    char count[XS_UNIT_BYTES], ns[XS_UNIT_BYTES];
    if (!waits->count)
        return;
    xs_out_heading(out, "Will it pay not to wait?");
    struct xs_table *table = xs_table_new(2);
    const char *const headers[] = {"saves up to", "with those above", "times", "waited",
                                   "if the program does not wait in"};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        xs_table_column(table, headers[i], i < 4);
    for (size_t i = 0; i < waits->count; i++)
        wait_row(table, diagnosis, &waits->rows[i]);
    xs_table_print(table, out);
    xs_table_free(table);
    if (waits->left_out)
        xs_out_line(out, XS_STYLE_DIM, "%s more places waited for %s together; they were not replayed.",
                    xs_format_count(count, waits->left_out), xs_format_ns(ns, waits->left_out_ns));
}
