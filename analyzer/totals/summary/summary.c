/* Computes a summary: calls the passes over the tables in order, and computes the data about the whole run. */
#include "analyzer/totals/summary/summary.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/totals/summary/summary_internal.h"
#include "schema/read/merged.h"
#include "schema/write/store_thin.h"

#define DEVICE_LIMIT 256 /* no machine has more; a damaged trace may claim more */
#define NOTE_LIMIT 1000

static char *meta_text(const struct xs_trace *trace, const char *key, const char *fallback) {
    char buffer[65536]; /* for a command line; longer ones are cut */
    return xs_strdup(xs_trace_meta_text(trace, key, buffer, sizeof buffer, fallback));
}

static bool are_stacks_recorded(const struct xs_trace *trace) {
    char how[16];
    return strcmp(xs_trace_meta_text(trace, "option.stack", how, sizeof how, "none"), "none") != 0;
}

static void read_budget(const struct xs_trace *trace, struct xs_cost *cost) {
    XS_SCOPED char *percent = meta_text(trace, "option.budget", "off");
    cost->budgeted = xs_trace_meta_int(trace, "cost.wrappers_ns", -1) >= 0;
    cost->begin_ns = cost->budgeted ? xs_trace_meta_count(trace, "cost.begin_ns")
                                    : xs_sum(cost->start_ns, cost->cupti_start_ns); /* in this case they ran one after
                                                                                       the other */
    cost->wrappers_ns = xs_trace_meta_count(trace, "cost.wrappers_ns");
    cost->device_times_ns = xs_trace_meta_count(trace, "cost.cupti_ns");
    cost->held_ns = xs_trace_meta_count(trace, "cost.cupti_switches_ns");
    cost->detachments = xs_trace_meta_count(trace, "cupti.detachments");
    cost->budget_percent = strcmp(percent, "off") == 0 ? 0 : strtoull(percent, NULL, 10);
    cost->migrations_ns = xs_trace_meta_count(trace, "cost.migrations_ns");
    cost->exit_ns = xs_trace_meta_count(trace, "cost.exit_ns");
    cost->contention_ns = xs_trace_meta_count(trace, "cost.contention_ns");
}

static void read_recorded_steps(const struct xs_trace *trace, struct xs_recorded_steps *steps) {
    char text[16], start[16];
    const char *by = xs_trace_meta_text(trace, "range.steps_by", text, sizeof text, "");
    if (!*by) {
        bool by_command = strcmp(xs_trace_meta_text(trace, "option.start", start, sizeof start, ""), "off") == 0;
        xs_trace_meta_text(trace, "option.window", steps->name, sizeof steps->name, "");
        if (by_command)
            memcpy(steps->name, XS_RECORDED_BY_COMMAND, sizeof XS_RECORDED_BY_COMMAND);
        return;
    }
    bool by_range = strcmp(by, "range") == 0;
    steps->by = by_range ? XS_RECORDED_BY_RANGE : strcmp(by, "wait") == 0 ? XS_RECORDED_BY_WAIT : XS_RECORDED_NONE;
    steps->first = xs_trace_meta_count(trace, "range.steps_first");
    steps->count = xs_trace_meta_count(trace, "range.steps");
    steps->passed = xs_trace_meta_count(trace, "range.steps_passed");
    steps->skipped = xs_trace_meta_count(trace, "option.skip_steps");
    steps->wanted = xs_trace_meta_count(trace, "option.steps");
    xs_trace_meta_text(trace, by_range ? "option.step" : "range.steps_wait", steps->name, sizeof steps->name, "");
}

static void read_meta(struct xs_summary_work *work) {
    const struct xs_trace *trace = work->trace;
    struct xs_run *run = &work->summary->run;
    struct xs_cost *cost = &work->summary->cost;
    struct xs_coverage *coverage = &work->summary->coverage;
    run->command = meta_text(trace, "command", "");
    run->executable = meta_text(trace, "executable", "");
    run->cwd = meta_text(trace, "cwd", "");
    run->host = meta_text(trace, "host", "");
    run->status = meta_text(trace, "status", trace->is_live ? "running" : "unknown");
    run->is_snapshot = xs_trace_meta_int(trace, XS_META_SNAPSHOT, 0) != 0;
    run->xferspy_version = meta_text(trace, "xferspy_version", "");
    run->clock = meta_text(trace, "clock", "");
    run->importer = meta_text(trace, "importer", "");
    run->import_version = meta_text(trace, "import.nsys_version", "");
    run->os = meta_text(trace, "os", "");
    run->cpu_model = meta_text(trace, "cpu_model", "");
    run->pid = xs_trace_meta_int(trace, "pid", 0);
    run->rank = xs_trace_meta_int(trace, "rank", -1);
    run->world_size = xs_trace_meta_int(trace, "world_size", 0);
    run->start_unix_ns = xs_trace_meta_int(trace, "start_unix_ns", 0);
    run->driver_version = xs_trace_meta_int(trace, "driver_version", 0);
    run->duration_ns = xs_trace_meta_count(trace, "duration_ns");
    run->simulated = xs_trace_meta_int(trace, "simulated", 0) != 0;
    run->cupti_status = meta_text(trace, "cupti.status", "unknown");
    run->cupti_text = meta_text(trace, "cupti.text", "");
    run->cupti_path = meta_text(trace, "cupti.path", "");
    run->cupti_version = xs_trace_meta_int(trace, "cupti.version", 0);
    run->kernels_recorded = xs_trace_meta_int(trace, "cupti.kernels", 0) != 0;
    xs_labels_read(trace, &run->labels);
    work->summary->thinned = (struct xs_thinned){.rows = xs_trace_meta_count(trace, XS_META_THINNED_ROWS),
                                                 .one_in = xs_trace_meta_count(trace, XS_META_THINNED_ONE_IN),
                                                 .from_ns = xs_trace_meta_int(trace, XS_META_THINNED_FROM_NS, 0),
                                                 .to_ns = xs_trace_meta_int(trace, XS_META_THINNED_TO_NS, 0)};
    xs_capture_ranges_read(&work->summary->looked_at, trace);
    read_recorded_steps(trace, &work->summary->recorded_steps);
    xs_repaired_read(&work->summary->repaired, trace);
    cost->known = xs_trace_meta_int(trace, "cost.events", -1) >= 0;
    cost->start_ns = xs_trace_meta_count(trace, "cost.start_ns");
    cost->cupti_start_ns = xs_trace_meta_count(trace, "cost.cupti_start_ns");
    cost->close_ns = xs_trace_meta_count(trace, "cost.close_ns");
    cost->drain_cpu_ns = xs_trace_meta_count(trace, "cost.drain_cpu_ns");
    cost->samples = xs_trace_meta_count(trace, "cost.samples");
    cost->samples_ns = xs_trace_meta_count(trace, "cost.samples_ns");
    cost->watched_downloads = xs_trace_meta_int(trace, "cost.host_reads_ns", -1) >= 0;
    cost->host_reads_ns = xs_trace_meta_count(trace, "cost.host_reads_ns");
    cost->spool_stalls = xs_trace_meta_count(trace, "cost.spool_stalls");
    cost->spool_stall_ns = xs_trace_meta_count(trace, "cost.spool_stall_ns");
    cost->spool_bytes = xs_trace_meta_count(trace, "cost.spool_bytes");
    cost->events = xs_trace_meta_count(trace, "cost.events");
    cost->fingerprint_start_ns = xs_trace_meta_count(trace, "cost.fingerprint_start_ns");
    cost->fingerprint_call_ns = xs_trace_meta_count(trace, "cost.fingerprint_call_ns");
    cost->fingerprint_kernel_ns = xs_trace_meta_count(trace, "cost.fingerprint_kernel_ns");
    cost->fingerprint_device_bytes = xs_trace_meta_count(trace, "cost.fingerprint_device_bytes");
    cost->fingerprint_launches = xs_trace_meta_count(trace, "cost.fingerprint_launches");
    read_budget(trace, cost);
    coverage->nested = xs_trace_meta_count(trace, "coverage.nested");
    coverage->stacks_recorded = are_stacks_recorded(trace);
    coverage->left = xs_trace_meta_count(trace, "coverage.left");
    coverage->skipped_events = xs_trace_meta_count(trace, "skipped_events");
    coverage->dropped = xs_trace_meta_count(trace, "coverage.dropped");
    coverage->migration_rests = xs_trace_meta_count(trace, "cupti.migration_rests");
    coverage->migrations_ns = xs_trace_meta_count(trace, "cupti.migrations_ns");
    coverage->dropped_records = xs_trace_meta_count(trace, "cupti.dropped_records");
}

void xs_work_begin(struct xs_summary_work *work, struct xs_scan *scan, const char *format, ...) {
    va_list arguments;
    *scan = (struct xs_scan){.status = work->status};
    if (work->status < 0)
        return;
    va_start(arguments, format);
    xs_scan_vformat(scan, work->trace, work->message, &work->summary->damaged_rows, format, arguments);
    va_end(arguments);
}

void xs_work_columns(struct xs_summary_work *work, struct xs_scan *scan, const char *table, const char *columns) {
    *scan = (struct xs_scan){.status = work->status};
    if (work->status >= 0)
        xs_scan_columns(scan, work->trace, table, columns, work->message, &work->summary->damaged_rows);
}

static size_t add_device(struct xs_summary_work *work, int64_t ordinal) {
    struct xs_summary *s = work->summary;
    size_t i = s->device_count++;
    s->devices = xs_realloc(s->devices, s->device_count * sizeof *s->devices);
    s->devices[i] = (struct xs_device_summary){.id = ordinal};
    return i;
}

size_t xs_work_device(struct xs_summary_work *work, int64_t ordinal) {
    struct xs_summary *s = work->summary;
    for (size_t i = 0; i < s->device_count; i++)
        if (s->devices[i].id == ordinal)
            return i;
    return s->device_count < DEVICE_LIMIT ? add_device(work, ordinal) : DEVICE_LIMIT - 1;
}

static void read_devices(struct xs_summary_work *work) {
    struct xs_scan scan;
    xs_work_begin(work, &scan,
                  "SELECT id, name, pci_bus_id, compute_capability, memory_bytes, link_generation, link_width,"
                  " link_peak_bytes_per_s, simulated FROM device ORDER BY id LIMIT 255");
    while (xs_scan_row(&scan)) {
        size_t index = add_device(work, xs_scan_int(&scan, 0)); /* this may move the array */
        struct xs_device_summary *d = &work->summary->devices[index];
        d->known = true;
        d->name = xs_scan_name(&scan, 1);
        d->pci_bus_id = xs_strdup(xs_scan_text(&scan, 2));
        d->compute_capability = xs_strdup(xs_scan_text(&scan, 3));
        d->memory_bytes = xs_scan_count_or_null(&scan, 4);
        d->link_generation = xs_scan_count_or_null(&scan, 5);
        d->link_width = xs_scan_count_or_null(&scan, 6);
        d->link_peak_bytes_per_s = xs_scan_count_or_null(&scan, 7);
        d->simulated = xs_scan_int(&scan, 8) != 0;
        work->summary->run.simulated |= d->simulated; /* one of the two marks is enough, so that simulated numbers are
                                                         never taken for measured ones */
    }
    xs_work_end(work, &scan);
}

/* Reads how many calls each thread made; not needed if there is only one thread. */
static void read_threads(struct xs_summary_work *work) {
    struct xs_cost *cost = &work->summary->cost;
    struct xs_scan scan;
    int64_t threads = 0;
    if (work->status >= 0)
        work->status = xs_scan_one(work->trace, "SELECT count(*) FROM thread", &threads, work->message);
    if (threads < 2)
        return;
    xs_work_begin(
        work, &scan,
        "SELECT sum(n), max(n) FROM (SELECT thread, count(*) AS n FROM (SELECT thread FROM transfer UNION ALL "
        "SELECT thread FROM launch UNION ALL SELECT thread FROM sync UNION ALL SELECT thread FROM memset "
        "UNION ALL SELECT thread FROM allocation) GROUP BY thread)");
    if (xs_scan_row(&scan)) {
        cost->calls = xs_scan_count_or_null(&scan, 0);
        cost->busiest_calls = xs_scan_count_or_null(&scan, 1);
    }
    xs_work_end(work, &scan);
}

static void read_notes(struct xs_summary_work *work) {
    struct xs_summary *s = work->summary;
    struct xs_scan scan;
    xs_work_begin(work, &scan,
                  "SELECT topic, text, count(*), min(at_ns) FROM note GROUP BY topic, text ORDER BY min(id) LIMIT %d",
                  NOTE_LIMIT);
    while (xs_scan_row(&scan)) {
        s->notes = xs_realloc(s->notes, (s->note_count + 1) * sizeof *s->notes);
        s->notes[s->note_count++] =
            (struct xs_note){.topic = xs_strdup(xs_scan_text(&scan, 0)),
                             .text = xs_strdup(xs_scan_text(&scan, 1)),
                             .count = xs_scan_count(&scan, 2),
                             .at_ns = xs_scan_null(&scan, 3) ? INT64_MIN : xs_scan_int(&scan, 3)};
    }
    xs_work_end(work, &scan);
}

/* Decides whether kernels are known. cupti.kernels is also 0 if CUPTI ended before the program; kernels that were
 * recorded until then count. */
static void judge_kernels(struct xs_summary *s) {
    char asked[16];
    bool any = false;
    for (size_t i = 0; i < s->device_count; i++)
        any |= s->devices[i].kernels > 0;
    xs_trace_meta_text(s->trace, "option.kernels", asked, sizeof asked, "");
    bool ended = strcmp(s->run.cupti_status, "active") != 0 && s->coverage.device_copies > 0;
    s->run.kernels_recorded |= any || (ended && !strcmp(asked, "on"));
}

/* Returns the part of all threads' time in their calls that belongs to the thread with most calls. */
static uint64_t of_busiest_ns(const struct xs_cost *c, uint64_t ns) {
    return c->calls ? (uint64_t)((double)ns * ((double)c->busiest_calls / (double)c->calls)) : ns;
}

/* Returns the cost of device times while all threads were stopped at the same time. This time is not divided among
 * threads. */
static uint64_t held_ns(const struct xs_cost *c) {
    return c->held_ns < c->device_times_ns ? c->held_ns : c->device_times_ns;
}

static uint64_t own_of_busiest_ns(const struct xs_cost *c) {
    const uint64_t parts[] = {c->wrappers_ns, c->device_times_ns - held_ns(c), c->spool_stall_ns,
                              c->fingerprint_call_ns};
    uint64_t ns = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        ns = xs_sum(ns, parts[i]);
    return of_busiest_ns(c, ns);
}

/* Returns the library's time between calls after the start. The cost of page migrations is not included, because it
 * makes faults and kernels longer, and not the time between calls. */
static uint64_t own_between_calls_ns(const struct xs_cost *c) {
    uint64_t once_ns = xs_sum(c->fingerprint_start_ns, c->exit_ns);
    return xs_sum(xs_sum(own_of_busiest_ns(c), held_ns(c)), xs_sum(once_ns, c->contention_ns));
}

uint64_t xs_own_ns(const struct xs_summary *s) {
    uint64_t own_ns = xs_sum(xs_sum(s->cost.begin_ns, own_between_calls_ns(&s->cost)), s->cost.migrations_ns);
    return own_ns < s->run.duration_ns ? own_ns : s->run.duration_ns;
}

uint64_t xs_spent_ns(const struct xs_summary *s) { return xs_sum(xs_own_ns(s), s->cost.close_ns); }

void xs_cost_parts(const struct xs_summary *s, uint64_t ns[XS_COST_PARTS]) {
    const struct xs_cost *c = &s->cost;
    ns[XS_COST_PROCESS] = xs_sum(c->begin_ns, xs_sum(c->exit_ns, c->close_ns));
    ns[XS_COST_CALLS] = of_busiest_ns(c, c->wrappers_ns);
    ns[XS_COST_DEVICE_TIMES] = xs_sum(held_ns(c), of_busiest_ns(c, c->device_times_ns - held_ns(c)));
    ns[XS_COST_FINGERPRINTS] = xs_sum(c->fingerprint_start_ns, of_busiest_ns(c, c->fingerprint_call_ns));
    ns[XS_COST_MIGRATIONS] = c->migrations_ns;
    ns[XS_COST_FULL_SPOOL] = of_busiest_ns(c, c->spool_stall_ns);
    ns[XS_COST_CONTENTION] = c->contention_ns;
}

uint64_t xs_bare_ns(const struct xs_summary *s) { return s->run.duration_ns - xs_own_ns(s); }

bool xs_bare_is_known(const struct xs_summary *s) {
    return s->cost.known && own_of_busiest_ns(&s->cost) <= s->run.duration_ns / 2 && xs_bare_ns(s) > 0;
}

/* Computes how long the devices were busy, and what the run's time was spent on. The parts of the time are not known if
 * calls of the line are missing. */
static void compute_busy(struct xs_summary_work *work) {
    struct xs_summary *s = work->summary;
    const struct xs_where_own own = {.start_ns = s->cost.begin_ns, .later_ns = own_between_calls_ns(&s->cost)};
    s->recorded = xs_recorded_time(s->trace, s->run.duration_ns);
    s->totals = xs_totals_time(&s->looked_at, s->recorded);
    xs_summary_where(work, !s->thinned.rows && !s->looked_at.has_gaps, &own);
    xs_summary_thinned_busy(work);
    s->where.faults_in_part = s->coverage.migration_rests > 0;
    s->where.faults_recorded_ns = s->coverage.migrations_ns;
    for (size_t i = 0; i < s->device_count; i++)
        s->where.copy_beside_kernels_ns = xs_sum(s->where.copy_beside_kernels_ns, s->devices[i].both_busy_ns);
}

int xs_summary_compute(const struct xs_trace *trace, const struct xs_selection *selection, struct xs_summary *summary,
                       char *message) {
    *summary = (struct xs_summary){.trace = trace, .selected = selection && !selection->all_rows};
    message[0] = '\0';
    struct xs_summary_work work = {.summary = summary, .trace = trace, .selection = selection, .message = message};
    read_meta(&work);
    read_devices(&work);
    read_threads(&work);
    read_notes(&work);
    xs_summary_device(&work);
    xs_summary_transfers(&work);
    xs_summary_calls(&work);
    if (work.status >= 0)
        work.status = xs_failures_read(trace, &summary->failures, message);
    judge_kernels(summary);
    if (!summary->run.duration_ns && work.last_ns > 0) {
        summary->run.duration_ns = (uint64_t)work.last_ns;
        summary->run.duration_estimated = true;
    }
    if (work.status >= 0)
        compute_busy(&work);
    if (work.status < 0)
        xs_summary_free(summary);
    return work.status;
}

void xs_summary_free(struct xs_summary *s) {
    struct xs_run *run = &s->run;
    char *texts[] = {run->command,         run->executable, run->cwd,      run->host,          run->status,
                     run->xferspy_version, run->clock,      run->os,       run->cpu_model,     run->cupti_status,
                     run->cupti_text,      run->cupti_path, run->importer, run->import_version};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    for (size_t i = 0; i < s->device_count; i++) {
        free(s->devices[i].name);
        free(s->devices[i].pci_bus_id);
        free(s->devices[i].compute_capability);
    }
    for (size_t i = 0; i < s->note_count; i++) {
        free(s->notes[i].topic);
        free(s->notes[i].text);
    }
    for (size_t i = 0; i < s->largest_count; i++)
        free(s->largest[i].entry_point);
    for (size_t i = 0; i < s->slowest_count; i++)
        free(s->slowest[i].entry_point);
    xs_labels_free(&run->labels);
    xs_failures_free(&s->failures);
    xs_capture_ranges_free(&s->looked_at);
    free(s->devices);
    free(s->notes);
    free(s->groups);
    *s = (struct xs_summary){0};
}

uint64_t xs_summary_link_peak(const struct xs_summary *summary) {
    uint64_t peak = 0;
    for (size_t i = 0; i < summary->device_count; i++)
        if (summary->devices[i].link_peak_bytes_per_s > peak)
            peak = summary->devices[i].link_peak_bytes_per_s;
    return peak;
}
