/* Adds traces to a job; see job.h. */
#include "analyzer/commands/job/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/base/text.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/place.h"
#include "analyzer/words/remedies.h"

const struct xs_job_column_names xs_job_columns[XS_JOB_COLUMN_COUNT] = {
    [XS_JOB_WALL] = {XS_METRIC_WALL_TIME, "run_ns", "run"},
    [XS_JOB_COPIED] = {XS_METRIC_TRANSFER_BYTES, "transfer_bytes", "copied"},
    [XS_JOB_DEVICE] = {XS_METRIC_DEVICE_TIME, "device_ns", "device time"},
    [XS_JOB_EXPOSED] = {XS_METRIC_EXPOSED_TIME, "exposed_ns", "exposed"},
    [XS_JOB_SAVES] = {XS_METRIC_SAVED_TIME, "saves_ns", "saves"},
};

static char *copy_or_null(const char *text) { return text ? xs_strdup(text) : NULL; }

const char *xs_job_known(const struct xs_job *job, const char *identity) {
    for (size_t i = 0; i < job->process_count && identity; i++)
        if (job->processes[i].identity && !strcmp(job->processes[i].identity, identity))
            return job->processes[i].path;
    return NULL;
}

static char *bounds_of(const struct xs_diagnosis *diagnosis) {
    struct xs_string text = {0};
    xs_say_bounds(&text, diagnosis);
    return text.data ? text.data : xs_strdup("");
}

static void add_process(struct xs_job *job, const char *path, const char *identity, const struct xs_summary *s,
                        const struct xs_diagnosis *diagnosis) {
    struct xs_metric_values values;
    const struct xs_run *run = &s->run;
    bool is_live = s->trace && s->trace->is_live;
    xs_metrics_compute(s, diagnosis, &values);
    job->processes = xs_realloc(job->processes, (job->process_count + 1) * sizeof *job->processes);
    struct xs_job_process *p = &job->processes[job->process_count++];
    *p = (struct xs_job_process){.path = xs_strdup(path),
                                 .host = xs_strdup(run->host),
                                 .command = xs_strdup(run->command),
                                 .executable = xs_strdup(run->executable),
                                 .cwd = xs_strdup(run->cwd),
                                 .status = xs_strdup(run->status),
                                 .identity = copy_or_null(identity),
                                 .rank = run->rank < 0 ? -1 : run->rank,
                                 .world_size = run->world_size,
                                 .pid = run->pid,
                                 .start_unix_ns = run->start_unix_ns,
                                 .is_live = is_live,
                                 .is_snapshot = run->is_snapshot,
                                 .is_cut = !is_live && !run->is_snapshot && strcmp(run->status, "complete") != 0,
                                 .simulated = run->simulated,
                                 .modelled = s->trace && s->trace->windows,
                                 .in_part = s->looked_at.has_gaps,
                                 .recorded = s->recorded,
                                 .repaired = xs_repaired_any(&s->repaired),
                                 .together = diagnosis->together,
                                 .bounds = bounds_of(diagnosis)};
    for (unsigned i = 0; i < XS_JOB_COLUMN_COUNT; i++)
        p->columns[i] = values.of[xs_job_columns[i].metric];
    p->columns[XS_JOB_WALL] = (struct xs_metric_value){.value = run->duration_ns, .known = true};
    if (s->selected) /* exposed time is known for all copies together only, not for the selected ones */
        p->columns[XS_JOB_EXPOSED] = (struct xs_metric_value){0};
}

static void add_filter(struct xs_job_filter *filter, const struct xs_selection *selection) {
    struct xs_string text = {0};
    if (!selection)
        return;
    if (!filter->text) {
        xs_filter_text(&text, selection->filter);
        filter->text = text.data;
    }
    filter->all_rows = selection->all_rows;
    filter->transfers += selection->transfers;
    filter->passing += selection->passing;
    filter->left_out += selection->left_out;
}

static struct xs_job_device *find_device(struct xs_job *job, const char *host, const struct xs_device_summary *d) {
    for (size_t i = 0; i < job->device_count; i++) {
        struct xs_job_device *known = &job->devices[i];
        bool same =
            *known->pci_bus_id && d->pci_bus_id ? !strcmp(known->pci_bus_id, d->pci_bus_id) : known->id == d->id;
        if (same && !strcmp(known->host, host))
            return known;
    }
    job->devices = xs_realloc(job->devices, (job->device_count + 1) * sizeof *job->devices);
    struct xs_job_device *device = &job->devices[job->device_count++];
    *device = (struct xs_job_device){.host = xs_strdup(host),
                                     .name = xs_strdup(d->name ? d->name : ""),
                                     .pci_bus_id = xs_strdup(d->pci_bus_id ? d->pci_bus_id : ""),
                                     .id = d->id};
    return device;
}

/* Adds the devices that copied or ran kernels. If there are no device times, adds all devices that the trace names. */
static void add_devices(struct xs_job *job, const struct xs_summary *s) {
    bool any = false;
    for (size_t i = 0; i < s->device_count; i++)
        any = any || s->devices[i].copy_busy_ns || s->devices[i].kernel_busy_ns;
    for (size_t i = 0; i < s->device_count; i++) {
        const struct xs_device_summary *d = &s->devices[i];
        if (any ? !d->copy_busy_ns && !d->kernel_busy_ns : !d->known)
            continue;
        struct xs_job_device *device = find_device(job, s->run.host, d);
        device->processes = xs_realloc(device->processes, (device->process_count + 1) * sizeof *device->processes);
        device->processes[device->process_count++] = job->process_count - 1;
    }
}

/* Adds the part of a frame that is equal in all processes. As in one trace, a frame with a source line is identified by
 * its function, file and line, and not by the binary. Without a source line, each call in a function is a separate
 * place. It is identified by its address in the file, which does not depend on where the file was mapped. */
static void add_frame_key(struct xs_string *key, const struct xs_frame *frame) {
    if (frame && (frame->python || frame->line))
        xs_string_format(key, "\x1f%s\x1f%s\x1f%" PRIu32, frame->function ? frame->function : "",
                         frame->file ? frame->file : "", frame->line);
    else if (frame)
        xs_string_format(key, "\x1f%s\x1f%s\x1f+%" PRIx64, frame->function ? frame->function : "",
                         frame->module ? xs_base_name(frame->module) : "", frame->address);
}

static char *key_of(const struct xs_findings *findings, const struct xs_finding *f) {
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    struct xs_string key = {0};
    xs_string_format(&key, "%u\x1f%u\x1f%s", f->detector, xs_finding_compared_verdict(f->detector, f->verdict),
                     xs_site_name(findings, f->site));
    xs_string_format(&key, "\x1f%u", frame ? frame->of : 0u);
    add_frame_key(&key, frame);
    add_frame_key(&key, frame ? frame->through : NULL);
    return key.data;
}

static int compare_keys(const void *left, const void *right) {
    const struct xs_job_finding *a = left, *b = right;
    return strcmp(a->key, b->key);
}

static struct xs_frame copy_of(const struct xs_frame *frame) {
    struct xs_frame copy = *frame;
    copy.function = copy_or_null(frame->function);
    copy.file = copy_or_null(frame->file);
    copy.module = copy_or_null(frame->module);
    return copy;
}

static void free_texts(const struct xs_frame *frame) {
    free((char *)(uintptr_t)frame->function);
    free((char *)(uintptr_t)frame->file);
    free((char *)(uintptr_t)frame->module);
}

static struct xs_job_finding new_finding(const struct xs_job *job, const struct xs_findings *findings,
                                         const struct xs_diagnosed *d, char *key) {
    const struct xs_finding *f = d->finding;
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    struct xs_job_finding finding = {.detector = f->detector,
                                     .verdict = f->verdict,
                                     .remedy = xs_remedy_of(findings, d),
                                     .entry_point = xs_strdup(xs_site_name(findings, f->site)),
                                     .has_frame = frame != NULL,
                                     .key = key,
                                     .home = job->process_count - 1,
                                     .folded = true};
    if (frame) {
        finding.frame = copy_of(frame);
        if (frame->through) {
            struct xs_frame *helper = xs_realloc(NULL, sizeof *helper);
            *helper = copy_of(frame->through);
            finding.frame.through = helper;
        }
        finding.text = xs_place_source(findings->sites, frame);
    }
    return finding;
}

static void add_sample(struct xs_sample *sum, const struct xs_sample *more) {
    sum->is_of_contents |= more->is_of_contents;
    sum->checked = xs_sum(sum->checked, more->checked);
    sum->of = xs_sum(sum->of, more->of);
    sum->hits = xs_sum(sum->hits, more->hits);
    sum->unknown = xs_sum(sum->unknown, more->unknown);
    sum->estimate += more->estimate;
    sum->low += more->low;
    sum->high += more->high;
    sum->ns += more->ns;
    sum->low_ns += more->low_ns;
    sum->high_ns += more->high_ns;
}

static void add_saving(struct xs_saving *sum, const struct xs_saving *more) {
    sum->known |= more->known;
    sum->bounds |= more->bounds;
    sum->least_ns = xs_sum(sum->least_ns, more->least_ns);
    sum->most_ns = xs_sum(sum->most_ns, more->most_ns);
    sum->scaled_least_ns = xs_sum(sum->scaled_least_ns, more->scaled_least_ns);
    sum->scaled_most_ns = xs_sum(sum->scaled_most_ns, more->scaled_most_ns);
}

/* Joins two different verdicts of a finding. The remedy is then the one for all verdicts. */
static void join_verdicts(struct xs_job_finding *finding, const struct xs_findings *findings,
                          const struct xs_diagnosed *d) {
    const struct xs_finding *f = d->finding;
    struct xs_finding joined = *f;
    struct xs_diagnosed of_joined = *d;
    of_joined.finding = &joined;
    joined.verdict = XS_SEVERAL_VERDICTS;
    if (finding->verdict == f->verdict)
        return;
    finding->verdict = joined.verdict;
    finding->remedy = xs_remedy_of(findings, &of_joined);
}

/* Adds the finding to the share of the present process; this is the last share, if it exists. `cause` is the cause of
 * which this finding is the first; NULL: none. */
static void add_share(struct xs_job *job, struct xs_job_finding *finding, const struct xs_findings *findings,
                      const struct xs_diagnosed *d, const struct xs_cause *cause) {
    const struct xs_finding *f = d->finding;
    size_t process = job->process_count - 1;
    struct xs_job_share *share = finding->share_count ? &finding->shares[finding->share_count - 1] : NULL;
    if (!share || share->process != process) {
        finding->shares = xs_realloc(finding->shares, (finding->share_count + 1) * sizeof *finding->shares);
        share = &finding->shares[finding->share_count++];
        *share = (struct xs_job_share){.process = process, .cost = f->cost};
    } else {
        xs_times_add(&share->cost, &f->cost);
    }
    share->instances += f->instances;
    share->transfers += f->transfers;
    share->bytes = xs_sum(share->bytes, f->bytes);
    share->saves_ns = xs_sum(share->saves_ns, d->saves.most_ns);
    add_saving(&share->saves, &d->saves);
    add_sample(&share->sample, &f->sample);
    add_sample(&finding->sample, &f->sample);
    finding->instances += f->instances;
    finding->transfers += f->transfers;
    finding->bytes = xs_sum(finding->bytes, f->bytes);
    finding->folded = finding->folded && (cause ? cause->folded : d->folded);
    finding->advice = f->advice;
    finding->leads = finding->leads || cause;
    join_verdicts(finding, findings, d);
}

/* Adds the findings of a trace. The job's findings are sorted by key. New findings are appended, and sorted only after
 * all findings of the trace were looked up. That is possible because two findings of one trace do not have the same
 * key, unless their names are unusual. */
static void add_findings(struct xs_job *job, const struct xs_diagnosis *diagnosis) {
    size_t known = job->finding_count;
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct xs_diagnosed *d = &diagnosis->items[i];
        const struct xs_finding *f = d->finding;
        struct xs_job_finding wanted = {.key = key_of(diagnosis->findings, f)};
        struct xs_job_finding *found =
            known ? bsearch(&wanted, job->findings, known, sizeof wanted, compare_keys) : NULL;
        if (!found) {
            job->findings = xs_realloc(job->findings, (job->finding_count + 1) * sizeof *job->findings);
            found = &job->findings[job->finding_count++];
            *found = new_finding(job, diagnosis->findings, d, wanted.key);
        } else {
            free(wanted.key);
        }
        /* finding k is the first one of cause k */
        add_share(job, found, diagnosis->findings, d, i < diagnosis->cause_count ? &diagnosis->causes[i] : NULL);
    }
    if (job->finding_count > known)
        xs_sort(job->findings, job->finding_count, sizeof *job->findings, compare_keys);
}

void xs_job_add(struct xs_job *job, const char *path, const char *identity, const struct xs_summary *summary,
                const struct xs_diagnosis *diagnosis, const char *contents_unknown) {
    add_process(job, path, identity, summary, diagnosis);
    job->processes[job->process_count - 1].contents_unknown = xs_strdup(contents_unknown);
    add_filter(&job->filter, diagnosis->findings->selection);
    add_devices(job, summary);
    add_findings(job, diagnosis);
}

const char *xs_job_program(const struct xs_job_process *process) {
    return *process->executable ? process->executable : process->command;
}

bool xs_job_is_concurrent(const struct xs_job *job) {
    return job->process_count < 2 || job->wall_ns <= job->columns[XS_JOB_WALL].sum;
}

bool xs_job_missing_ranks(const struct xs_job *job, struct xs_job_ranks *ranks) {
    if (!job->process_count || job->processes[0].rank < 0 || job->processes[0].rank >= job->world_size)
        return false;
    ranks->first = ranks->next;
    ranks->last = job->world_size - 1;
    for (size_t i = 0; i < job->process_count && ranks->last == job->world_size - 1; i++) {
        int64_t rank = job->processes[i].rank;
        if (rank == ranks->first)
            ranks->first++;
        else if (rank > ranks->first && rank < job->world_size)
            ranks->last = rank - 1;
    }
    ranks->next = ranks->last + 1;
    return ranks->first < job->world_size;
}

static void free_process(struct xs_job_process *p) {
    free(p->path);
    free(p->label);
    free(p->host);
    free(p->command);
    free(p->executable);
    free(p->cwd);
    free(p->status);
    free(p->contents_unknown);
    free(p->bounds);
    free(p->identity);
}

static void free_finding(struct xs_job_finding *f) {
    free(f->entry_point);
    free(f->key);
    free(f->text);
    free_texts(&f->frame);
    if (f->frame.through)
        free_texts(f->frame.through);
    free((struct xs_frame *)(uintptr_t)f->frame.through);
    free(f->shares);
}

void xs_job_free(struct xs_job *job) {
    for (size_t i = 0; i < job->process_count; i++)
        free_process(&job->processes[i]);
    for (size_t i = 0; i < job->finding_count; i++)
        free_finding(&job->findings[i]);
    for (size_t i = 0; i < job->device_count; i++) {
        free(job->devices[i].host);
        free(job->devices[i].name);
        free(job->devices[i].pci_bus_id);
        free(job->devices[i].processes);
    }
    free(job->filter.text);
    free(job->processes);
    free(job->findings);
    free(job->devices);
    *job = (struct xs_job){0};
}
