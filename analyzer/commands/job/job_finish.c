/* Finishes a job after its last trace: sorts and names the processes, and computes the numbers over all of them; see
 * job.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/search.h"
#include "analyzer/base/text.h"
#include "analyzer/commands/job/job.h"
#include "analyzer/trace/scan.h"

enum { LEAST_FOR_OUTLIERS = 4 };

/* --- numbers over processes --- */

/* Returns the median of sorted values. */
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
    XS_SCOPED uint64_t *sorted = xs_realloc(NULL, count * sizeof *sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    xs_sort(sorted, count, sizeof *sorted, xs_ascending_uint64);
    spread.median = median_of(sorted, count);
    spread.min = values[least];
    spread.max = values[most];
    spread.mean = (uint64_t)(sum / (long double)count);
    spread.least = processes ? processes[least] : least;
    spread.most = processes ? processes[most] : most;
    return spread;
}

/* --- the order --- */

static int compare_processes(const struct xs_job_process *a, const struct xs_job_process *b) {
    int order = xs_compare(a->rank < 0, b->rank < 0);
    order = order ? order : xs_compare(a->rank, b->rank);
    order = order ? order : strcmp(a->host, b->host);
    order = order ? order : xs_compare(a->start_unix_ns, b->start_unix_ns);
    order = order ? order : xs_compare(a->pid, b->pid);
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

/* Sorts the processes, and renumbers all that refers to them. */
static void order_processes(struct xs_job *job) {
    XS_SCOPED struct place *places = xs_realloc(NULL, job->process_count * sizeof *places);
    XS_SCOPED size_t *after = xs_realloc(NULL, job->process_count * sizeof *after);
    for (size_t i = 0; i < job->process_count; i++)
        places[i] = (struct place){.process = job->processes[i], .before = i};
    xs_sort(places, job->process_count, sizeof *places, compare_places);
    for (size_t i = 0; i < job->process_count; i++) {
        job->processes[i] = places[i].process;
        after[places[i].before] = i;
    }
    for (size_t i = 0; i < job->finding_count; i++) {
        struct xs_job_finding *f = &job->findings[i];
        f->home = after[f->home];
        for (size_t k = 0; k < f->share_count; k++)
            f->shares[k].process = after[f->shares[k].process];
        xs_sort(f->shares, f->share_count, sizeof *f->shares, compare_shares);
    }
    for (size_t i = 0; i < job->device_count; i++) {
        struct xs_job_device *d = &job->devices[i];
        for (size_t k = 0; k < d->process_count; k++)
            d->processes[k] = after[d->processes[k]];
        xs_sort(d->processes, d->process_count, sizeof *d->processes, xs_ascending_uint64);
    }
}

static void label_processes(struct xs_job *job) {
    for (size_t i = 0; i < job->process_count; i++) {
        struct xs_job_process *p = &job->processes[i];
        size_t same_rank = 0, same_name = 0;
        struct xs_string label = {0};
        for (size_t k = 0; k < job->process_count; k++) {
            same_rank += job->processes[k].rank == p->rank;
            same_name += !strcmp(xs_base_name(job->processes[k].path), xs_base_name(p->path));
        }
        p->is_ranked = p->rank >= 0 && same_rank == 1;
        if (p->is_ranked)
            xs_string_format(&label, "%" PRId64, p->rank);
        else
            xs_string_format(&label, "%s", same_name == 1 ? xs_base_name(p->path) : p->path);
        p->label = label.data;
    }
}

/* --- numbers over processes --- */

static void mark_outliers(struct xs_job *job, enum xs_job_column column, const uint64_t *values,
                          const size_t *processes, size_t count) {
    if (count < LEAST_FOR_OUTLIERS)
        return;
    uint64_t median = job->columns[column].median, *distances = xs_realloc(NULL, count * sizeof *distances);
    for (size_t i = 0; i < count; i++)
        distances[i] = values[i] > median ? values[i] - median : median - values[i];
    XS_SCOPED uint64_t *sorted = xs_realloc(NULL, count * sizeof *sorted);
    memcpy(sorted, distances, count * sizeof *sorted);
    xs_sort(sorted, count, sizeof *sorted, xs_ascending_uint64);
    long double usual = 4.5L * (long double)median_of(sorted, count), tenth = (long double)median / 10;
    for (size_t i = 0; i < count; i++)
        job->processes[processes[i]].outlier[column] =
            (long double)distances[i] > usual && (long double)distances[i] > tenth;
    free(distances);
}

static void compute_columns(struct xs_job *job) {
    XS_SCOPED uint64_t *values = xs_realloc(NULL, job->process_count * sizeof *values);
    XS_SCOPED size_t *processes = xs_realloc(NULL, job->process_count * sizeof *processes);
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
}

static void compute_findings(struct xs_job *job) {
    XS_SCOPED uint64_t *values = xs_realloc(NULL, job->process_count * sizeof *values);
    XS_SCOPED size_t *processes = xs_realloc(NULL, job->process_count * sizeof *processes);
    for (size_t i = 0; i < job->finding_count; i++) {
        struct xs_job_finding *f = &job->findings[i];
        for (size_t k = 0; k < f->share_count; k++) {
            values[k] = f->shares[k].saves_ns;
            processes[k] = f->shares[k].process;
        }
        f->saves_ns = xs_job_spread_of(values, processes, f->share_count);
        for (size_t k = 0; k < f->share_count; k++)
            if (f->shares[k].process == f->saves_ns.most)
                f->saves = f->shares[k].saves;
    }
}

static int compare_findings(const void *left, const void *right) {
    const struct xs_job_finding *a = left, *b = right;
    int order = xs_compare(a->advice, b->advice);
    order = order ? order : xs_compare(b->leads, a->leads);
    order = order ? order : xs_ascending_uint64(&b->saves_ns.max, &a->saves_ns.max);
    order = order ? order : xs_ascending_uint64(&b->saves_ns.sum, &a->saves_ns.sum);
    return order ? order : strcmp(a->key, b->key);
}

/* Counts the distinct texts that `of` returns; "" means not known and does not count. */
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
    xs_sort(job->findings, job->finding_count, sizeof *job->findings, compare_findings);
    compute_wall(job);
    job->host_count = count_distinct(job, host_of);
    job->program_count = count_distinct(job, xs_job_program);
}
