/* Makes the rows of a run for fleet files; see fleet_files.h. All numbers come from the functions that a report's JSON
 * takes them from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/commands/common/program_name.h"
#include "analyzer/commands/fleet_files/fleet_files.h"
#include "analyzer/commands/fleet_files/fleet_internal.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/idle_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/remedies.h"
#include "analyzer/words/wait_words.h"

static const struct xs_column findings_columns[] = {
#define XS_FLEET_COMMON(column, type) {#column, XS_COLUMN_##type},
#define XS_FLEET_FINDINGS(column, type) {#column, XS_COLUMN_##type},
#include "analyzer/commands/fleet_files/fleet_columns.def"
};
static const struct xs_column sites_columns[] = {
#define XS_FLEET_COMMON(column, type) {#column, XS_COLUMN_##type},
#define XS_FLEET_SITES(column, type) {#column, XS_COLUMN_##type},
#include "analyzer/commands/fleet_files/fleet_columns.def"
};
static const struct xs_column waits_columns[] = {
#define XS_FLEET_COMMON(column, type) {#column, XS_COLUMN_##type},
#define XS_FLEET_WAITS(column, type) {#column, XS_COLUMN_##type},
#include "analyzer/commands/fleet_files/fleet_columns.def"
};
static const struct xs_column idle_columns[] = {
#define XS_FLEET_COMMON(column, type) {#column, XS_COLUMN_##type},
#define XS_FLEET_IDLE(column, type) {#column, XS_COLUMN_##type},
#include "analyzer/commands/fleet_files/fleet_columns.def"
};
static const struct xs_column runs_columns[] = {
#define XS_FLEET_COMMON(column, type) {#column, XS_COLUMN_##type},
#define XS_FLEET_RUNS(column, type) {#column, XS_COLUMN_##type},
#include "analyzer/commands/fleet_files/fleet_columns.def"
};

const struct xs_fleet_table_info xs_fleet_tables[XS_FLEET_TABLES] = {
#define XS_FLEET_TABLE(name) {#name, name##_columns, sizeof name##_columns / sizeof *name##_columns},
#include "analyzer/commands/fleet_files/fleet_columns.def"
};

const struct xs_analysis_options xs_fleet_analysis = {.accounts_idle = true, .judged_waits = XS_JUDGES_WAITS};

void xs_fleet_rows_begin(struct xs_fleet_rows *rows) {
    for (unsigned i = 0; i < XS_FLEET_TABLES; i++)
        xs_rows_begin(&rows->of[i], xs_fleet_tables[i].columns, xs_fleet_tables[i].column_count);
}

void xs_fleet_rows_free(struct xs_fleet_rows *rows) {
    for (unsigned i = 0; i < XS_FLEET_TABLES; i++)
        xs_rows_free(&rows->of[i]);
}

/* --- cells --- */

/* The row that is being filled, and what all rows of the run have in common. */
struct filler {
    const struct xs_reading *reading;
    const struct xs_findings *findings;
    struct xs_rows *rows;
    size_t row;
    int64_t start_us, gpus;
    char *run_id, *program;
    struct xs_fleet_labels labels;
};

static void put(struct filler *f, unsigned column, uint64_t value) {
    xs_rows_set(f->rows, column, f->row, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static void put_known(struct filler *f, unsigned column, bool is_known, uint64_t value) {
    if (is_known)
        put(f, column, value);
}

enum { TEXT_BYTES = 4090 /* fewer than the rows keep, so that no character is cut */ };

/* A text of a trace may have any bytes, and Parquet's texts are UTF-8. */
static void put_text(struct filler *f, unsigned column, const char *text) {
    XS_SCOPED_STRING clean = {0};
    for (const char *c = text; c && *c && clean.length < TEXT_BYTES;) {
        uint32_t code;
        size_t bytes = xs_utf8_decode(c, strlen(c), &code);
        xs_string_add(&clean, bytes ? c : "\xef\xbf\xbd", bytes ? bytes : 3);
        c += bytes ? bytes : 1;
    }
    if (clean.length)
        xs_rows_set_text(f->rows, column, f->row, clean.data);
}

static void put_string(struct filler *f, unsigned column, const struct xs_string *text) {
    put_text(f, column, text->length ? text->data : NULL);
}

/* Begins a row of a table, with the columns that all tables have. */
static void begin_row(struct filler *f, struct xs_fleet_rows *tables, enum xs_fleet_table table) {
    const struct xs_run *run = &f->reading->summary.run;
    f->rows = &tables->of[table];
    f->row = xs_rows_add(f->rows, 1);
    put_text(f, XS_COMMON_run_id, f->run_id);
    xs_rows_set(f->rows, XS_COMMON_start_time, f->row, f->start_us);
    put_text(f, XS_COMMON_program, f->program);
    put_text(f, XS_COMMON_cluster_name, f->labels.cluster);
    put_text(f, XS_COMMON_job_id, f->labels.job);
    put_text(f, XS_COMMON_host, run->host);
    if (run->rank >= 0)
        xs_rows_set(f->rows, XS_COMMON_rank, f->row, run->rank);
    xs_rows_set(f->rows, XS_COMMON_gpus, f->row, f->gpus);
    put_text(f, XS_COMMON_labels, f->labels.json);
}

/* The columns of a place, in a table that has them. */
struct place_columns {
    unsigned place, entry_point, function, file, line, module;
};
#define PLACE_COLUMNS(TABLE)                                                                                           \
    {                                                                                                                  \
        XS_##TABLE##_place, XS_##TABLE##_entry_point, XS_##TABLE##_function, XS_##TABLE##_file, XS_##TABLE##_line,     \
            XS_##TABLE##_module                                                                                        \
    }

static void say_place(struct xs_string *text, const struct xs_findings *findings, uint32_t site) {
    xs_place_text(text, findings->sites, xs_site_frame(findings, site));
    if (!text->length)
        xs_string_format(text, "%s", xs_site_name(findings, site));
}

static void put_place(struct filler *f, const struct place_columns *columns, uint32_t site) {
    const struct xs_frame *frame = xs_site_frame(f->findings, site);
    XS_SCOPED_STRING place = {0};
    say_place(&place, f->findings, site);
    put_string(f, columns->place, &place);
    put_text(f, columns->entry_point, xs_site_name(f->findings, site));
    if (!frame)
        return;
    put_text(f, columns->function, frame->function);
    put_text(f, columns->file, frame->file);
    put_known(f, columns->line, frame->line, frame->line);
    put_text(f, columns->module, frame->module);
}

/* --- tables --- */

static void add_finding(struct filler *f, struct xs_fleet_rows *tables, size_t index) {
    static const struct place_columns columns = PLACE_COLUMNS(FINDINGS);
    const struct xs_diagnosis *diagnosis = f->reading->diagnosis;
    const struct xs_diagnosed *d = &diagnosis->items[index];
    const struct xs_finding *found = d->finding;
    const struct xs_amount all = xs_finding_in_all(found);
    XS_SCOPED_STRING name = {0}, kind = {0};
    begin_row(f, tables, XS_FLEET_TABLE_findings);
    xs_finding_name(&name, diagnosis, index);
    xs_finding_kind(&kind, found->detector, found->verdict);
    put(f, XS_FINDINGS_finding_rank, index + 1);
    put_string(f, XS_FINDINGS_name, &name);
    put_string(f, XS_FINDINGS_finding, &kind);
    put_text(f, XS_FINDINGS_title, xs_detectors[found->detector]->title);
    put_text(f, XS_FINDINGS_remedy, xs_remedy_of(diagnosis->findings, d));
    put(f, XS_FINDINGS_leads_cause, xs_finding_leads(diagnosis, index));
    put(f, XS_FINDINGS_is_advice, found->advice);
    put(f, XS_FINDINGS_instances, all.instances);
    put(f, XS_FINDINGS_is_estimate, all.about);
    put(f, XS_FINDINGS_transfers, all.transfers);
    put(f, XS_FINDINGS_bytes, all.bytes);
    put_known(f, XS_FINDINGS_device_ns, found->timed_instances > 0,
              xs_finding_ns_in_all(found, found->timed_instances, found->cost.device_ns));
    put_known(f, XS_FINDINGS_exposed_ns, found->exposed_instances > 0,
              xs_finding_ns_in_all(found, found->exposed_instances, found->cost.exposed_ns));
    put_known(f, XS_FINDINGS_host_ns, !all.about, found->cost.host_ns);
    put_known(f, XS_FINDINGS_saves_least_ns, d->saves.known, d->saves.least_ns);
    put_known(f, XS_FINDINGS_saves_most_ns, d->saves.known, d->saves.most_ns);
    put_place(f, &columns, found->site);
}

static void add_sites(struct filler *f, struct xs_fleet_rows *tables) {
    static const struct place_columns columns = PLACE_COLUMNS(SITES);
    const struct xs_site_totals *totals = &f->findings->at_sites;
    for (size_t site = 0; site < totals->count; site++) {
        const struct xs_site_total *total = &totals->of[site];
        if (!total->transfers)
            continue;
        begin_row(f, tables, XS_FLEET_TABLE_sites);
        put(f, XS_SITES_transfers, total->transfers);
        put(f, XS_SITES_bytes, total->bytes);
        put(f, XS_SITES_timed, total->timed);
        put_known(f, XS_SITES_device_ns, total->timed > 0, total->device_ns);
        put(f, XS_SITES_host_ns, total->host_ns);
        put_place(f, &columns, (uint32_t)site);
    }
}

static void add_waits(struct filler *f, struct xs_fleet_rows *tables) {
    static const struct place_columns columns = PLACE_COLUMNS(WAITS);
    const struct xs_diagnosis *diagnosis = f->reading->diagnosis;
    for (size_t i = 0; i < diagnosis->waits.count; i++) {
        const struct xs_wait_row *wait = &diagnosis->waits.rows[i];
        XS_SCOPED_STRING work = {0};
        begin_row(f, tables, XS_FLEET_TABLE_waits);
        put_text(f, XS_WAITS_kind, xs_idle_call_kind(f->findings, &wait->call));
        put(f, XS_WAITS_times, wait->count);
        put(f, XS_WAITS_waited_ns, wait->waited_ns);
        put(f, XS_WAITS_busy_ns, wait->busy_ns);
        put(f, XS_WAITS_idle_ns, wait->idle_ns);
        put(f, XS_WAITS_saves_ns, wait->saves_ns);
        put(f, XS_WAITS_pays, xs_wait_pays(wait, diagnosis->replay_fit.measured_ns));
        xs_wait_say_work(&work, f->findings, wait);
        put_string(f, XS_WAITS_waited_for, &work);
        put_place(f, &columns, wait->call.site);
    }
}

static void put_idle_call(struct filler *f, unsigned kind, unsigned place, const struct xs_idle_call *call) {
    XS_SCOPED_STRING text = {0};
    if (!call->known)
        return;
    put_text(f, kind, xs_idle_call_kind(f->findings, call));
    say_place(&text, f->findings, call->site);
    put_string(f, place, &text);
}

static void add_idle(struct filler *f, struct xs_fleet_rows *tables) {
    const struct xs_diagnosis *diagnosis = f->reading->diagnosis;
    for (size_t i = 0; i < diagnosis->idle.count; i++) {
        const struct xs_idle_row *idle = &diagnosis->idle.rows[i];
        XS_SCOPED_STRING did = {0};
        begin_row(f, tables, XS_FLEET_TABLE_idle);
        put_known(f, XS_IDLE_device, idle->device >= 0, (uint64_t)idle->device);
        put_text(f, XS_IDLE_reason, xs_idle_reason_names[idle->reason]);
        xs_idle_say(&did, f->findings, idle, diagnosis->idle_steps);
        put_string(f, XS_IDLE_did, &did);
        put(f, XS_IDLE_ns, idle->ns);
        put(f, XS_IDLE_times, idle->count);
        put(f, XS_IDLE_longest_ns, idle->longest_ns);
        put(f, XS_IDLE_steps, diagnosis->idle_steps);
        put_idle_call(f, XS_IDLE_after_kind, XS_IDLE_after_place, &idle->before);
        put_idle_call(f, XS_IDLE_before_kind, XS_IDLE_before_place, &idle->after);
    }
}

static void put_devices(struct filler *f, const struct xs_summary *s) {
    const struct xs_idle *idle = &f->reading->diagnosis->idle;
    uint64_t kernels = 0, kernel_ns = 0, copy_ns = 0, idle_ns = 0;
    for (size_t i = 0; i < s->device_count; i++) {
        kernels = xs_sum(kernels, s->devices[i].kernels);
        kernel_ns = xs_sum(kernel_ns, s->devices[i].kernel_busy_ns);
        copy_ns = xs_sum(copy_ns, s->devices[i].copy_busy_ns);
    }
    for (size_t i = 0; i < idle->device_count; i++)
        idle_ns = xs_sum(idle_ns, idle->devices[i].idle_ns);
    put_text(f, XS_RUNS_gpu, s->device_count ? s->devices[0].name : NULL);
    put(f, XS_RUNS_kernels, kernels);
    put(f, XS_RUNS_kernel_busy_ns, kernel_ns);
    put(f, XS_RUNS_copy_busy_ns, copy_ns);
    put_known(f, XS_RUNS_idle_account_ns, idle->device_count > 0, idle->ns);
    put_known(f, XS_RUNS_idle_ns, idle->device_count > 0, idle_ns);
}

static void add_run(struct filler *f, struct xs_fleet_rows *tables) {
    const struct xs_summary *s = &f->reading->summary;
    const struct xs_diagnosis *diagnosis = f->reading->diagnosis;
    XS_SCOPED char *path = realpath(f->reading->path, NULL);
    begin_row(f, tables, XS_FLEET_TABLE_runs);
    xs_rows_set(f->rows, XS_RUNS_pid, f->row, s->run.pid);
    put_known(f, XS_RUNS_world_size, s->run.rank >= 0, (uint64_t)s->run.world_size);
    put_text(f, XS_RUNS_executable, s->run.executable);
    put(f, XS_RUNS_is_simulated, s->run.simulated);
    put_text(f, XS_RUNS_status, s->run.status);
    put(f, XS_RUNS_duration_ns, s->run.duration_ns);
    put(f, XS_RUNS_recorded_ns, s->recorded.ns);
    put(f, XS_RUNS_transfers, s->all.count);
    put(f, XS_RUNS_transfer_bytes, s->all.bytes);
    put(f, XS_RUNS_transfer_host_ns, s->all.host_ns);
    put_known(f, XS_RUNS_transfer_device_ns, s->all.timed_count > 0, s->all.device_ns);
    put_devices(f, s);
    put(f, XS_RUNS_findings, diagnosis->count);
    put(f, XS_RUNS_causes, diagnosis->cause_count);
    put_known(f, XS_RUNS_saves_least_ns, diagnosis->together.known, diagnosis->together.least_ns);
    put_known(f, XS_RUNS_saves_most_ns, diagnosis->together.known, diagnosis->together.most_ns);
    put_text(f, XS_RUNS_xferspy_version, s->run.xferspy_version);
    put_text(f, XS_RUNS_trace, path ? path : f->reading->path);
}

void xs_fleet_rows_of(struct xs_fleet_rows *rows, const struct xs_reading *reading) {
    const struct xs_summary *s = &reading->summary;
    XS_SCOPED_STRING program = {0};
    struct filler f = {.reading = reading,
                       .findings = reading->diagnosis->findings,
                       .start_us = s->run.start_unix_ns / 1000,
                       .run_id = xs_fleet_run_id(reading)};
    xs_program_name(&program, s->run.executable, s->run.command);
    f.program = program.data;
    for (size_t i = 0; i < s->device_count; i++)
        f.gpus += s->devices[i].kernels || s->devices[i].copy_busy_ns;
    f.gpus = f.gpus ? f.gpus : 1;
    xs_fleet_labels_of(&f.labels, &s->run.labels);
    for (size_t i = 0; i < reading->diagnosis->count; i++)
        add_finding(&f, rows, i);
    add_sites(&f, rows);
    add_waits(&f, rows);
    add_idle(&f, rows);
    add_run(&f, rows);
    free(f.labels.json);
    free(f.run_id);
}
