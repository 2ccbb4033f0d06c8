/* Prints the report of a job: how its processes differ. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/table.h"
#include "analyzer/base/units.h"
#include "analyzer/commands/job/job_words.h"
#include "analyzer/trace/windows/device_windows.h"

enum {
    ROWS = 16,
    NAME_COLUMNS = 60,
    NARROW = 75 /* columns of a terminal; on a narrower one, more columns than host and device are left out */
};

static void value_cell(struct xs_table *table, unsigned column, const struct xs_metric_value *value, bool outlier,
                       bool modelled) {
    if (!value->known)
        xs_table_cell(table, "-");
    else
        xs_table_format(table, "%s%s%s", outlier ? "*" : "",
                        xs_modelled_mark(modelled && (column == XS_JOB_DEVICE || column == XS_JOB_EXPOSED)),
                        column == XS_JOB_COPIED ? XS_BYTES_TEXT(value->value) : XS_NS_TEXT(value->value));
}

static void device_cell(struct xs_table *table, const struct xs_job *job, size_t process) {
    XS_SCOPED_STRING text = {0};
    for (size_t i = 0; i < job->device_count; i++)
        for (size_t k = 0; k < job->devices[i].process_count; k++)
            if (job->devices[i].processes[k] == process)
                xs_string_format(&text, "%s%" PRId64, text.length ? "," : "", job->devices[i].id);
    xs_table_cell(table, text.data);
}

static void process_row(struct xs_table *table, const struct xs_job *job, size_t index) {
    const struct xs_job_process *p = &job->processes[index];
    XS_SCOPED_STRING name = {0}, host = {0};
    xs_string_add_cut(&name, p->label, NAME_COLUMNS);
    xs_table_cell(table, name.data);
    xs_string_add_cut(&host, p->host, NAME_COLUMNS / 2);
    xs_table_cell(table, job->host_count > 1 ? host.data : NULL);
    device_cell(table, job, index);
    for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++)
        value_cell(table, column, &p->columns[column], p->outlier[column], p->modelled);
    xs_table_cell(table, XS_SHARE_TEXT(p->columns[XS_JOB_SAVES].value, p->recorded.ns));
}

/* Adds two rows: the mean of each column, and how far the largest value is from it. */
static void spread_rows(struct xs_table *table, const struct xs_job *job) {
    static const char *const labels[] = {"mean", "max / mean"};
    bool modelled = false;
    for (size_t i = 0; i < job->process_count; i++)
        modelled |= job->processes[i].modelled;
    for (unsigned row = 0; row < 2; row++) {
        xs_table_cell(table, labels[row]);
        xs_table_cell(table, NULL);
        xs_table_cell(table, NULL);
        for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++) {
            const struct xs_job_spread *s = &job->columns[column];
            const struct xs_metric_value mean = {.value = s->mean, .known = s->count > 0};
            if (!row || !s->count)
                value_cell(table, column, &mean, false, modelled);
            else if (!s->mean)
                xs_table_cell(table, "-");
            else
                xs_table_format(table, "%.2f", (double)s->max / (double)s->mean);
        }
        xs_table_cell(table, NULL);
    }
}

/* Chooses the rows. If not all fit on a screen, chooses those with the smallest and the largest value of each column,
 * then outliers. */
static bool *choose_rows(const struct xs_job *job, bool all) {
    bool *chosen = xs_realloc(NULL, job->process_count * sizeof *chosen);
    size_t count = 0;
    for (size_t i = 0; i < job->process_count; i++)
        chosen[i] = all || job->process_count <= ROWS;
    for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++)
        if (job->columns[column].count)
            chosen[job->columns[column].least] = chosen[job->columns[column].most] = true;
    for (size_t i = 0; i < job->process_count; i++)
        count += chosen[i];
    for (size_t i = 0; i < job->process_count && count < ROWS; i++) {
        bool outlier = false;
        for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++)
            outlier = outlier || job->processes[i].outlier[column];
        count += outlier && !chosen[i];
        chosen[i] = chosen[i] || outlier;
    }
    return chosen;
}

void xs_job_text_processes(const struct xs_job *job, bool all, struct xs_out *out) {
    bool *chosen = choose_rows(job, all), marked = false, ranked = true;
    size_t left_out = 0;
    for (size_t i = 0; i < job->process_count; i++)
        ranked = ranked && job->processes[i].is_ranked;
    xs_out_heading(out, ranked ? "Ranks" : "Processes");
    XS_SCOPED_TABLE *table = xs_table_new(2);
    xs_table_column(table, ranked ? "rank" : "process", false);
    xs_table_column(table, "host", false);
    xs_table_optional(table);
    xs_table_column(table, "device", true);
    xs_table_optional(table);
    for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++) {
        xs_table_column(table, xs_job_columns[column].title, true);
        if (out->columns && out->columns < NARROW && column != XS_JOB_WALL && column != XS_JOB_SAVES)
            xs_table_optional(table);
    }
    xs_table_column(table, xs_share_column(xs_job_recorded(job)), true);
    for (size_t i = 0; i < job->process_count; i++) {
        left_out += !chosen[i];
        if (!chosen[i])
            continue;
        process_row(table, job, i);
        for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++)
            marked = marked || job->processes[i].outlier[column];
    }
    if (job->process_count > 1)
        spread_rows(table, job);
    xs_table_print(table, out);
    if (marked)
        xs_out_line(out, XS_STYLE_WARN, "* This value is far from those of the other processes.");
    if (left_out)
        xs_out_line(out, XS_STYLE_DIM, "%zu more between these: --details shows all.", left_out);
    free(chosen);
}
