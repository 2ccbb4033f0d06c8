/* Writes the report of a job as JSON. Keys are stable, and docs/use/report.md lists them; null: not known. */
#include <math.h>

#include "analyzer/commands/job/job_words.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"

/* Writes a spread. Keys that end in "process" are indices of the array "processes". */
static void put_spread(struct xs_json *json, const char *key, const struct xs_job_spread *s) {
    if (!s->count) {
        xs_json_null(json, key);
        return;
    }
    xs_json_object(json, key);
    xs_json_count(json, "count", s->count);
    xs_json_count(json, "min", s->min);
    xs_json_count(json, "median", s->median);
    xs_json_count(json, "mean", s->mean);
    xs_json_count(json, "max", s->max);
    xs_json_count(json, "min_process", s->least);
    xs_json_count(json, "max_process", s->most);
    xs_json_number(json, "max_over_mean", s->mean ? (double)s->max / (double)s->mean : NAN);
    xs_json_end(json, '}');
}

static void put_processes(const struct xs_job *job, struct xs_json *json) {
    xs_json_array(json, "processes");
    for (size_t i = 0; i < job->process_count; i++) {
        const struct xs_job_process *p = &job->processes[i];
        xs_json_object(json, NULL);
        xs_json_text(json, "trace", p->path);
        xs_json_text(json, "name", p->label);
        xs_json_known_int(json, "rank", p->rank >= 0, p->rank);
        xs_json_text(json, "host", p->host);
        xs_json_int(json, "pid", p->pid);
        xs_json_text(json, "executable", p->executable);
        xs_json_known_int(json, "start_unix_ns", p->start_unix_ns > 0, p->start_unix_ns);
        xs_json_bool(json, "simulated", p->simulated);
        xs_json_text(json, "status", p->status);
        xs_json_bool(json, "still_running", p->is_live);
        xs_json_bool(json, "snapshot", p->is_snapshot);
        xs_json_bool(json, "repaired", p->repaired);
        xs_json_bool(json, "recorded_in_part", p->in_part);
        if (p->modelled)
            xs_json_bool(json, "modelled", true);
        for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++)
            xs_json_known_count(json, xs_job_columns[column].key, p->columns[column].known, p->columns[column].value);
        xs_json_count(json, "recorded_ns", p->recorded.ns);
        xs_saving_json(json, "together", &p->together);
        xs_json_array(json, "outlier_in");
        for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++)
            if (p->outlier[column])
                xs_json_text(json, NULL, xs_job_columns[column].key);
        xs_json_end(json, ']');
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_object(json, "spread");
    for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++)
        put_spread(json, xs_job_columns[column].key, &job->columns[column]);
    xs_json_end(json, '}');
}

static void put_saves(const struct xs_job *job, struct xs_json *json) {
    const struct xs_job_spread *back = &job->columns[XS_JOB_SAVES];
    xs_json_object(json, "saves");
    xs_json_count(json, "largest_ns", back->max);
    xs_json_count(json, "largest_process", back->most);
    xs_json_count(json, "slowest_ns", job->processes[job->slowest].columns[XS_JOB_SAVES].value);
    xs_json_count(json, "slowest_process", job->slowest);
    xs_json_count(json, "median_ns", back->median);
    xs_json_count(json, "mean_ns", back->mean);
    xs_json_count(json, "process_sum_ns", back->sum);
    xs_json_end(json, '}');
}

static void put_shares(const struct xs_job_finding *f, struct xs_json *json) {
    xs_json_array(json, "by_process");
    for (size_t i = 0; i < f->share_count; i++) {
        const struct xs_job_share *s = &f->shares[i];
        xs_json_object(json, NULL);
        xs_json_count(json, "process", s->process);
        xs_json_count(json, "instances", s->instances);
        xs_json_count(json, "transfers", s->transfers);
        xs_json_count(json, "bytes", s->bytes);
        xs_times_json(json, "cost", &s->cost, s->cost.device_known, s->cost.exposed_known);
        xs_saving_json(json, "saves", &s->saves);
        xs_sample_json(json, &s->sample);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static void put_finding(const struct xs_job_finding *f, struct xs_json *json) {
    xs_json_object(json, NULL);
    xs_kind_json(json, f->detector, f->verdict, f->remedy);
    xs_json_text(json, "site", f->entry_point);
    xs_place_json_object(json, f->has_frame ? &f->frame : NULL, true);
    xs_json_text(json, "source_line", f->text);
    xs_json_count(json, "process_count", f->share_count);
    xs_json_count(json, "instances", f->instances);
    xs_json_count(json, "transfers", f->transfers);
    xs_json_count(json, "bytes", f->bytes);
    put_spread(json, "saves_ns", &f->saves_ns);
    xs_saving_json(json, "saves", &f->saves);
    xs_sample_json(json, &f->sample);
    xs_json_bool(json, "leads_cause", f->leads);
    xs_json_bool(json, "advice", f->advice);
    xs_json_bool(json, "folded", f->folded);
    put_shares(f, json);
    xs_json_end(json, '}');
}

static void put_devices(const struct xs_job *job, struct xs_json *json) {
    xs_json_array(json, "devices");
    for (size_t i = 0; i < job->device_count; i++) {
        const struct xs_job_device *d = &job->devices[i];
        xs_json_object(json, NULL);
        xs_json_text(json, "host", d->host);
        xs_json_int(json, "id", d->id);
        xs_json_text(json, "pci_bus_id", *d->pci_bus_id ? d->pci_bus_id : NULL);
        xs_json_text(json, "name", d->name);
        xs_json_array(json, "processes");
        for (size_t k = 0; k < d->process_count; k++)
            xs_json_count(json, NULL, d->processes[k]);
        xs_json_end(json, ']');
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

/* Writes how much the filter let through, over all processes. The times and other details are in the filter of each
 * trace. */
static void put_filter(const struct xs_job_filter *filter, struct xs_json *json) {
    if (!filter->text) {
        xs_json_null(json, "filter");
        return;
    }
    xs_json_object(json, "filter");
    xs_json_text(json, "text", filter->text);
    xs_json_count(json, "transfers", filter->transfers);
    xs_json_count(json, "transfers_passing", filter->passing);
    xs_json_count(json, "instances_left_out", filter->left_out);
    xs_json_end(json, '}');
}

void xs_job_json(const struct xs_job *job, struct xs_json *json) {
    xs_json_object(json, "job");
    xs_json_count(json, "process_count", job->process_count);
    xs_json_count(json, "host_count", job->host_count);
    xs_json_count(json, "program_count", job->program_count);
    xs_json_known_int(json, "world_size", job->world_size > 0, job->world_size);
    xs_json_known_int(json, "start_unix_ns", job->start_unix_ns > 0, job->start_unix_ns);
    xs_json_known_count(json, "wall_ns", job->wall_ns > 0, job->wall_ns);
    xs_json_bool(json, "ran_at_the_same_time", xs_job_is_concurrent(job));
    xs_json_array(json, "missing_ranks");
    for (struct xs_job_ranks missing = {0}; xs_job_missing_ranks(job, &missing);) {
        xs_json_object(json, NULL);
        xs_json_int(json, "first", missing.first);
        xs_json_int(json, "last", missing.last);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    put_filter(&job->filter, json);
    if (job->process_count) {
        put_saves(job, json);
        put_processes(job, json);
        put_devices(job, json);
    }
    xs_json_array(json, "findings");
    for (size_t i = 0; i < job->finding_count; i++)
        put_finding(&job->findings[i], json);
    xs_json_end(json, ']');
    xs_json_end(json, '}');
}
