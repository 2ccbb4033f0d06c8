/* Folding traces into a job; see job.h. */
#include "analyzer/job/job.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/text.h"
#include "analyzer/engine/selection.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"

enum { LEAST_FOR_OUTLIERS = 4 };

static char *copy_or_null(const char *text) { return text ? xs_strdup(text) : NULL; }

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int compare_numbers(const void *left, const void *right) {
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Of values in order. */
static uint64_t median_of(const uint64_t *sorted, size_t count) {
    uint64_t low = sorted[(count - 1) / 2], high = sorted[count / 2];
    return low + (high - low) / 2;
}

struct xs_job_spread xs_job_spread_of(const uint64_t *values, const size_t *processes, size_t count) {
    struct xs_job_spread spread = {.count = count};
    size_t least = 0, most = 0;
    long double sum = 0; /* a sum of 64-bit numbers may not fit; their mean does */
    if (!count)
        return spread;
    for (size_t i = 0; i < count; i++) {
        sum += (long double)values[i];
        spread.sum = xs_sum(spread.sum, values[i]);
        least = values[i] < values[least] ? i : least;
        most = values[i] > values[most] ? i : most;
    }
    uint64_t *sorted = xs_realloc(NULL, count * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    spread.median = median_of(sorted, count);
    free(sorted);
    spread.min = values[least];
    spread.max = values[most];
    spread.mean = (uint64_t)(sum / (long double)count);
    spread.least = processes ? processes[least] : least;
    spread.most = processes ? processes[most] : most;
    return spread;
}

/* --- taking one trace --- */

const char *xs_job_known(const struct xs_job *job, const char *identity) {
    for (size_t i = 0; i < job->process_count && identity; i++)
        if (job->processes[i].identity && !strcmp(job->processes[i].identity, identity))
            return job->processes[i].path;
    return NULL;
}

static void add_process(struct xs_job *job, const char *path, const char *identity, const struct xs_summary *s,
                        const struct xs_findings *findings) {
    static const enum xs_metric metrics[] = {
#define X(id, metric, key, title) XS_METRIC_##metric,
        XS_JOB_COLUMNS(X)
#undef X
    };
    struct xs_metric_values values;
    const struct xs_run *run = &s->run;
    xs_metrics_compute(s, findings, &values);
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
                                 .is_live = s->trace && s->trace->is_live,
                                 .simulated = run->simulated,
                                 .run_estimated = run->duration_estimated,
                                 .upper_bound_ns = findings->upper_bound_ns};
    for (unsigned i = 0; i < XS_JOB_COLUMN_COUNT; i++)
        p->columns[i] = values.of[metrics[i]];
    p->columns[XS_JOB_WALL] = (struct xs_metric_value){.value = run->duration_ns, .known = true};
    if (s->selected) /* it is known of all copies together, not of some */
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

/* Those that copied or ran kernels; where device times are not known, those that the trace names. */
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

/* What is the same in all processes. Addresses count within their file, so where it was mapped does not matter; a line is told
 * by its function and file, wherever they were compiled into, as in one trace. Without a line calls in one function are places
 * of their own. */
static char *key_of(const struct xs_findings *findings, const struct xs_finding *f) {
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    struct xs_string key = {0};
    xs_string_format(&key, "%u\x1f%u\x1f%s", f->detector, f->verdict, xs_site_name(findings, f->site));
    if (frame && (frame->python || frame->line))
        xs_string_format(&key, "\x1f%s\x1f%s\x1f%" PRIu32, frame->function ? frame->function : "",
                         frame->file ? frame->file : "", frame->line);
    else if (frame)
        xs_string_format(&key, "\x1f%s\x1f%s\x1f+%" PRIx64, frame->function ? frame->function : "",
                         frame->module ? base_name(frame->module) : "", frame->address);
    return key.data;
}

static int compare_keys(const void *left, const void *right) {
    const struct xs_job_finding *a = left, *b = right;
    return strcmp(a->key, b->key);
}

static struct xs_job_finding new_finding(const struct xs_job *job, const struct xs_findings *findings,
                                         const struct xs_finding *f, char *key) {
    const struct xs_frame *frame = xs_site_frame(findings, f->site);
    struct xs_job_finding finding = {.detector = f->detector,
                                     .verdict = f->verdict,
                                     .entry_point = xs_strdup(xs_site_name(findings, f->site)),
                                     .has_frame = frame != NULL,
                                     .key = key,
                                     .home = job->process_count - 1,
                                     .folded = true};
    if (frame) {
        finding.frame = *frame;
        finding.frame.function = copy_or_null(frame->function);
        finding.frame.file = copy_or_null(frame->file);
        finding.frame.module = copy_or_null(frame->module);
    }
    return finding;
}

/* True where removing it gives back at most what it says (findings/findings_words.h says when). */
static bool is_at_most(const struct xs_finding *f) { return f->upper_bound || (!f->advice && !f->timed_instances); }

/* The share of the process that is being added: the last one, if it is there. */
static void add_share(struct xs_job *job, struct xs_job_finding *finding, const struct xs_finding *f) {
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
    share->gives_back_ns = xs_sum(share->gives_back_ns, f->gives_back_ns);
    finding->instances += f->instances;
    finding->transfers += f->transfers;
    finding->bytes = xs_sum(finding->bytes, f->bytes);
    finding->folded = finding->folded && f->folded;
    finding->advice = f->advice;
    finding->upper_bound = f->upper_bound;
    finding->at_most = finding->at_most || is_at_most(f);
}

/* The findings are in the order of their keys while traces are added; new ones come behind until all of a trace's were looked
 * up, of which no two have the same key but by odd names. */
static void add_findings(struct xs_job *job, const struct xs_findings *findings) {
    size_t known = job->finding_count;
    for (size_t i = 0; i < findings->count; i++) {
        const struct xs_finding *f = &findings->items[i];
        struct xs_job_finding wanted = {.key = key_of(findings, f)};
        struct xs_job_finding *found =
            known ? bsearch(&wanted, job->findings, known, sizeof wanted, compare_keys) : NULL;
        if (!found) {
            job->findings = xs_realloc(job->findings, (job->finding_count + 1) * sizeof *job->findings);
            found = &job->findings[job->finding_count++];
            *found = new_finding(job, findings, f, wanted.key);
        } else {
            free(wanted.key);
        }
        add_share(job, found, f);
    }
    if (job->finding_count > known)
        qsort(job->findings, job->finding_count, sizeof *job->findings, compare_keys);
}

void xs_job_add(struct xs_job *job, const char *path, const char *identity, const struct xs_summary *summary,
                const struct xs_findings *findings, const char *contents_unknown) {
    add_process(job, path, identity, summary, findings);
    job->processes[job->process_count - 1].contents_unknown = xs_strdup(contents_unknown);
    add_filter(&job->filter, findings->selection);
    add_devices(job, summary);
    add_findings(job, findings);
}

/* --- the end --- */

static int by_number(int64_t a, int64_t b) { return (a > b) - (a < b); }

static int compare_processes(const struct xs_job_process *a, const struct xs_job_process *b) {
    int order = by_number(a->rank < 0, b->rank < 0);
    order = order ? order : by_number(a->rank, b->rank);
    order = order ? order : strcmp(a->host, b->host);
    order = order ? order : by_number(a->start_unix_ns, b->start_unix_ns);
    order = order ? order : by_number(a->pid, b->pid);
    return order ? order : strcmp(a->path, b->path);
}

struct place {
    struct xs_job_process process;
    size_t before;
};

static int compare_places(const void *left, const void *right) {
    const struct place *a = left, *b = right;
    return compare_processes(&a->process, &b->process);
}

static int compare_shares(const void *left, const void *right) {
    const struct xs_job_share *a = left, *b = right;
    return (a->process > b->process) - (a->process < b->process);
}

static int compare_indices(const void *left, const void *right) {
    size_t a = *(const size_t *)left, b = *(const size_t *)right;
    return (a > b) - (a < b);
}

/* Puts the processes in order, and whatever names them by their place. */
static void order_processes(struct xs_job *job) {
    struct place *places = xs_realloc(NULL, job->process_count * sizeof *places);
    size_t *after = xs_realloc(NULL, job->process_count * sizeof *after);
    for (size_t i = 0; i < job->process_count; i++)
        places[i] = (struct place){.process = job->processes[i], .before = i};
    qsort(places, job->process_count, sizeof *places, compare_places);
    for (size_t i = 0; i < job->process_count; i++) {
        job->processes[i] = places[i].process;
        after[places[i].before] = i;
    }
    for (size_t i = 0; i < job->finding_count; i++) {
        struct xs_job_finding *f = &job->findings[i];
        f->home = after[f->home];
        for (size_t k = 0; k < f->share_count; k++)
            f->shares[k].process = after[f->shares[k].process];
        qsort(f->shares, f->share_count, sizeof *f->shares, compare_shares);
    }
    for (size_t i = 0; i < job->device_count; i++) {
        struct xs_job_device *d = &job->devices[i];
        for (size_t k = 0; k < d->process_count; k++)
            d->processes[k] = after[d->processes[k]];
        qsort(d->processes, d->process_count, sizeof *d->processes, compare_indices);
    }
    free(places);
    free(after);
}

static void label_processes(struct xs_job *job) {
    for (size_t i = 0; i < job->process_count; i++) {
        struct xs_job_process *p = &job->processes[i];
        size_t same_rank = 0, same_name = 0;
        struct xs_string label = {0};
        for (size_t k = 0; k < job->process_count; k++) {
            same_rank += job->processes[k].rank == p->rank;
            same_name += !strcmp(base_name(job->processes[k].path), base_name(p->path));
        }
        p->is_ranked = p->rank >= 0 && same_rank == 1;
        if (p->is_ranked)
            xs_string_format(&label, "%" PRId64, p->rank);
        else
            xs_string_format(&label, "%s", same_name == 1 ? base_name(p->path) : p->path);
        p->label = label.data;
    }
}

static void mark_outliers(struct xs_job *job, enum xs_job_column column, const uint64_t *values,
                          const size_t *processes, size_t count) {
    if (count < LEAST_FOR_OUTLIERS)
        return;
    uint64_t median = job->columns[column].median, *distances = xs_realloc(NULL, count * sizeof *distances);
    for (size_t i = 0; i < count; i++)
        distances[i] = values[i] > median ? values[i] - median : median - values[i];
    uint64_t *sorted = xs_realloc(NULL, count * sizeof *sorted);
    memcpy(sorted, distances, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_numbers);
    long double usual = 4.5L * (long double)median_of(sorted, count), tenth = (long double)median / 10;
    for (size_t i = 0; i < count; i++)
        job->processes[processes[i]].outlier[column] =
            (long double)distances[i] > usual && (long double)distances[i] > tenth;
    free(sorted);
    free(distances);
}

static void compute_columns(struct xs_job *job) {
    uint64_t *values = xs_realloc(NULL, job->process_count * sizeof *values);
    size_t *processes = xs_realloc(NULL, job->process_count * sizeof *processes);
    for (unsigned column = 0; column < XS_JOB_COLUMN_COUNT; column++) {
        size_t count = 0;
        for (size_t i = 0; i < job->process_count; i++) {
            if (!job->processes[i].columns[column].known)
                continue;
            values[count] = job->processes[i].columns[column].value;
            processes[count++] = i;
        }
        job->columns[column] = xs_job_spread_of(values, processes, count);
        mark_outliers(job, (enum xs_job_column)column, values, processes, count);
    }
    job->slowest = job->columns[XS_JOB_WALL].most;
    free(values);
    free(processes);
}

static void compute_findings(struct xs_job *job) {
    uint64_t *values = xs_realloc(NULL, job->process_count * sizeof *values);
    size_t *processes = xs_realloc(NULL, job->process_count * sizeof *processes);
    for (size_t i = 0; i < job->finding_count; i++) {
        struct xs_job_finding *f = &job->findings[i];
        for (size_t k = 0; k < f->share_count; k++) {
            values[k] = f->shares[k].gives_back_ns;
            processes[k] = f->shares[k].process;
        }
        f->gives_back = xs_job_spread_of(values, processes, f->share_count);
    }
    free(values);
    free(processes);
}

static int compare_findings(const void *left, const void *right) {
    const struct xs_job_finding *a = left, *b = right;
    int order = by_number(a->advice, b->advice);
    order = order ? order : by_number(a->upper_bound, b->upper_bound);
    order = order ? order : compare_numbers(&b->gives_back.max, &a->gives_back.max);
    order = order ? order : compare_numbers(&b->gives_back.sum, &a->gives_back.sum);
    return order ? order : strcmp(a->key, b->key);
}

const char *xs_job_program(const struct xs_job_process *process) {
    return *process->executable ? process->executable : process->command;
}

bool xs_job_is_concurrent(const struct xs_job *job) {
    return job->process_count < 2 || job->wall_ns <= job->columns[XS_JOB_WALL].sum;
}

/* Counts the distinct texts that `of` gives, without "": not known. */
static size_t count_distinct(const struct xs_job *job, const char *(*of)(const struct xs_job_process *)) {
    size_t distinct = 0;
    for (size_t i = 0; i < job->process_count; i++) {
        size_t k = 0;
        while (k < i && strcmp(of(&job->processes[k]), of(&job->processes[i])) != 0)
            k++;
        distinct += k == i && *of(&job->processes[i]);
    }
    return distinct;
}
static const char *host_of(const struct xs_job_process *p) { return p->host; }

static void compute_wall(struct xs_job *job) {
    int64_t first = INT64_MAX, last = 0;
    for (size_t i = 0; i < job->process_count; i++) {
        const struct xs_job_process *p = &job->processes[i];
        int64_t end = 0;
        uint64_t run_ns = p->columns[XS_JOB_WALL].value;
        job->world_size = p->world_size > job->world_size ? p->world_size : job->world_size;
        job->upper_bound_ns = p->upper_bound_ns > job->upper_bound_ns ? p->upper_bound_ns : job->upper_bound_ns;
        if (p->start_unix_ns <= 0 || run_ns > INT64_MAX ||
            __builtin_add_overflow(p->start_unix_ns, (int64_t)run_ns, &end))
            first = -1;
        else if (p->start_unix_ns < first)
            first = p->start_unix_ns;
        if (first > 0 && end > last)
            last = end;
    }
    if (first > 0 && first < last) {
        job->start_unix_ns = first;
        job->wall_ns = (uint64_t)(last - first);
    }
}

void xs_job_finish(struct xs_job *job) {
    if (!job->process_count)
        return;
    order_processes(job);
    label_processes(job);
    compute_columns(job);
    compute_findings(job);
    if (job->finding_count)
        qsort(job->findings, job->finding_count, sizeof *job->findings, compare_findings);
    compute_wall(job);
    job->host_count = count_distinct(job, host_of);
    job->program_count = count_distinct(job, xs_job_program);
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
    free(p->identity);
}

static void free_finding(struct xs_job_finding *f) {
    free(f->entry_point);
    free(f->key);
    free((char *)(uintptr_t)f->frame.function);
    free((char *)(uintptr_t)f->frame.file);
    free((char *)(uintptr_t)f->frame.module);
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
