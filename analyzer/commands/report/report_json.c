/* Writes the report as JSON: the whole summary and the findings. Keys are never changed or removed, only added. If the
 * meaning of a key changes, the version is increased. */
#include <inttypes.h>
#include <math.h>

#include "analyzer/commands/job/job_words.h"
#include "analyzer/commands/report/report_internal.h"
#include "analyzer/words/failures_words.h"
#include "analyzer/words/findings_words.h"
#include "analyzer/words/idle_words.h"
#include "analyzer/words/left_out.h"
#include "analyzer/words/modelled_words.h"
#include "analyzer/words/steps_words.h"
#include "analyzer/words/wait_words.h"
#include "analyzer/words/where_words.h"

void xs_report_json_begin(struct xs_json *json) {
    xs_json_document(json, "xferspy-report", XS_REPORT_JSON_VERSION);
    xs_json_array(json, "traces");
}

void xs_report_json_end(const struct xs_job *job, struct xs_json *json) {
    xs_json_end(json, ']');
    if (job)
        xs_job_json(job, json);
    xs_json_end(json, '}');
}

static void put_labels(const struct xs_labels *labels, struct xs_json *json) {
    xs_json_object(json, "labels");
    for (size_t i = 0; i < labels->count; i++)
        xs_json_text(json, labels->items[i].key, labels->items[i].value);
    xs_json_end(json, '}');
}

static void put_run(const struct xs_summary *s, struct xs_json *json) {
    const struct xs_run *run = &s->run;
    xs_json_object(json, "run");
    xs_json_text(json, "command", run->command);
    xs_json_text(json, "executable", run->executable);
    xs_json_text(json, "cwd", run->cwd);
    xs_json_text(json, "host", run->host);
    xs_json_text(json, "os", run->os);
    xs_json_text(json, "cpu_model", run->cpu_model);
    xs_json_int(json, "pid", run->pid);
    xs_json_known_int(json, "rank", run->rank >= 0, run->rank);
    xs_json_known_int(json, "world_size", run->rank >= 0, run->world_size);
    xs_json_int(json, "start_unix_ns", run->start_unix_ns);
    xs_json_count(json, "duration_ns", run->duration_ns);
    xs_json_count(json, "recorded_ns", s->recorded.ns);
    xs_json_bool(json, "duration_estimated", run->duration_estimated);
    xs_json_text(json, "status", run->status);
    xs_json_bool(json, "still_running", s->trace->is_live);
    xs_json_bool(json, "snapshot", run->is_snapshot);
    xs_json_bool(json, "last_events_missing", s->trace->is_cut);
    xs_json_bool(json, "simulated", run->simulated);
    xs_json_int(json, "driver_version", run->driver_version);
    xs_json_text(json, "clock", run->clock);
    xs_json_text(json, "captured_by_version", run->xferspy_version);
    put_labels(&run->labels, json);
    if (*run->importer) {
        xs_json_text(json, "imported_from", run->importer);
        xs_json_text(json, "imported_version", run->import_version);
    }
    xs_json_end(json, '}');
}

/* Writes the report's first sentence. */
static void put_headline(const struct xs_report *report, struct xs_json *json) {
    XS_SCOPED_STRING text = {0};
    xs_report_headline(&text, report, true, NULL);
    xs_json_text(json, "headline", text.data);
    xs_json_count(json, "kernels_given_pinned", report->summary->given_pinned);
    xs_json_count(json, "kernels_given_managed", report->summary->given_managed);
}

/* Writes a value that cannot be 0; a 0 means that it is not known. */
static void put_known(struct xs_json *json, const char *key, uint64_t value) {
    xs_json_known_count(json, key, value > 0, value);
}

static void put_devices(const struct xs_summary *s, struct xs_json *json) {
    xs_json_array(json, "devices");
    for (size_t i = 0; i < s->device_count; i++) {
        const struct xs_device_summary *d = &s->devices[i];
        xs_json_object(json, NULL);
        xs_json_int(json, "id", d->id);
        xs_json_text(json, "name", d->name);
        xs_json_text(json, "pci_bus_id", d->pci_bus_id);
        xs_json_text(json, "compute_capability", d->compute_capability);
        xs_json_bool(json, "simulated", d->simulated);
        xs_json_count(json, "memory_bytes", d->memory_bytes);
        put_known(json, "link_generation", d->link_generation);
        put_known(json, "link_width", d->link_width);
        put_known(json, "link_peak_bytes_per_s", d->link_peak_bytes_per_s);
        xs_json_count(json, "kernels", d->kernels);
        if (s->trace->windows)
            xs_json_count(json, "kernels_modelled", d->kernels_modelled);
        xs_json_count(json, "kernel_sum_ns", d->kernel_ns);
        xs_json_count(json, "kernel_busy_ns", d->kernel_busy_ns);
        xs_json_count(json, "copy_busy_ns", d->copy_busy_ns);
        xs_json_count(json, "both_busy_ns", d->both_busy_ns);
        bool compared = d->copy_busy_ns && d->kernels;
        xs_json_number(json, "copy_overlap", compared ? (double)d->both_busy_ns / (double)d->copy_busy_ns : NAN);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static void put_kinds(struct xs_json *json, enum xs_direction direction, enum xs_memory_kind src,
                      enum xs_memory_kind dst) {
    xs_json_text(json, "direction", xs_direction_names[direction]);
    xs_json_text(json, "src_kind", xs_memory_kind_names[src]);
    xs_json_text(json, "dst_kind", xs_memory_kind_names[dst]);
}

static void put_totals(struct xs_json *json, const struct xs_totals *t) {
    xs_json_count(json, "count", t->count);
    xs_json_count(json, "bytes", t->bytes);
    xs_json_count(json, "async_count", t->async_count);
    xs_json_count(json, "host_ns", t->host_ns);
    xs_json_count(json, "timed_count", t->timed_count);
    xs_json_count(json, "timed_bytes", t->timed_bytes);
    xs_json_count(json, "device_ns", t->device_ns);
    if (t->modelled_count) {
        xs_json_count(json, "modelled_count", t->modelled_count);
        xs_json_count(json, "modelled_ns", t->modelled_ns);
    }
    xs_json_number(json, "bytes_per_s", t->device_ns ? (double)t->timed_bytes / (double)t->device_ns * 1e9 : NAN);
    xs_json_count(json, "blocking_count", t->blocking_count);
    xs_json_count(json, "blocking_bytes", t->blocking_bytes);
    xs_json_count(json, "blocking_host_ns", t->blocking_host_ns);
}

static void put_named_totals(struct xs_json *json, const char *key, const struct xs_totals *totals) {
    xs_json_object(json, key);
    put_totals(json, totals);
    xs_json_end(json, '}');
}

static void put_largest(const struct xs_summary *s, struct xs_json *json) {
    xs_json_array(json, "largest");
    for (size_t i = 0; i < s->largest_count; i++) {
        const struct xs_transfer_shape *shape = &s->largest[i];
        xs_json_object(json, NULL);
        xs_json_count(json, "transfer_bytes", shape->bytes);
        put_kinds(json, shape->direction, shape->src_kind, shape->dst_kind);
        xs_json_text(json, "entry_point", shape->entry_point);
        xs_json_int(json, "first_transfer", shape->first_transfer);
        put_totals(json, &shape->totals);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static void put_slowest(const struct xs_summary *s, struct xs_json *json) {
    xs_json_array(json, "slowest");
    for (size_t i = 0; i < s->slowest_count; i++) {
        const struct xs_slow_transfer *t = &s->slowest[i];
        xs_json_object(json, NULL);
        xs_json_int(json, "transfer", t->id);
        xs_json_count(json, "bytes", t->bytes);
        put_kinds(json, t->direction, t->src_kind, t->dst_kind);
        xs_json_text(json, "entry_point", t->entry_point);
        xs_json_bool(json, "is_async", t->is_async);
        xs_json_int(json, "enter_ns", t->enter_ns);
        xs_json_count(json, "host_ns", t->host_ns);
        xs_json_known_count(json, "device_ns", t->timed, t->device_ns);
        if (t->modelled)
            xs_json_bool(json, "modelled", true);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static void put_transfers(const struct xs_summary *s, struct xs_json *json) {
    xs_json_object(json, "transfers");
    put_named_totals(json, "total", &s->all);
    xs_json_array(json, "by_direction");
    for (size_t i = 0; i < s->group_count; i++) {
        const struct xs_transfer_group *g = &s->groups[i];
        xs_json_object(json, NULL);
        put_kinds(json, g->direction, g->src_kind, g->dst_kind);
        put_totals(json, &g->totals);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    put_named_totals(json, "pageable_host", &s->pageable);
    put_named_totals(json, "pinned_host", &s->pinned);
    put_largest(s, json);
    xs_json_text(json, "slowest_by", s->slowest_by_device ? "device_ns" : "host_ns");
    put_slowest(s, json);
    xs_json_end(json, '}');
}

static void put_count_times(const struct xs_summary *s, struct xs_json *json, const char *key, const char *const *names,
                            const struct xs_count_time *rows, unsigned count) {
    xs_json_array(json, key);
    for (unsigned i = 0; i < count; i++) {
        if (!rows[i].count)
            continue;
        xs_json_object(json, NULL);
        xs_json_text(json, "kind", names[i]);
        xs_json_count(json, "count", rows[i].count);
        xs_json_count(json, "bytes", rows[i].bytes);
        put_known(json, "ns", rows[i].ns); /* not measured for kernel launches */
        if (rows == s->launches)
            put_known(json, "device_ns", rows[i].device_ns);
        if (rows[i].modelled)
            xs_json_count(json, "modelled_count", rows[i].modelled);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static void put_memsets(const struct xs_summary *s, struct xs_json *json) {
    xs_json_object(json, "memsets");
    xs_json_count(json, "count", s->memsets.count);
    xs_json_count(json, "bytes", s->memsets.bytes);
    xs_json_count(json, "host_ns", s->memsets.ns);
    xs_json_count(json, "timed_count", s->memsets_device.count);
    xs_json_count(json, "device_ns", s->memsets_device.ns);
    if (s->memsets_device.modelled)
        xs_json_count(json, "modelled_count", s->memsets_device.modelled);
    xs_json_end(json, '}');
}

static void put_allocations(const struct xs_summary *s, struct xs_json *json) {
    xs_json_array(json, "allocations");
    for (unsigned kind = 0; kind < XS_MEMORY_KIND_COUNT; kind++) {
        const struct xs_allocation_totals *a = &s->allocations[kind];
        if (!a->count)
            continue;
        xs_json_object(json, NULL);
        xs_json_text(json, "kind", xs_memory_kind_names[kind]);
        xs_json_count(json, "count", a->count);
        xs_json_count(json, "bytes", a->bytes);
        xs_json_count(json, "peak_bytes", a->peak_bytes);
        xs_json_count(json, "host_ns", a->host_ns);
        xs_json_count(json, "frees", a->frees);
        xs_json_count(json, "free_host_ns", a->free_host_ns);
        xs_json_count(json, "live_count", a->live_count);
        xs_json_count(json, "live_bytes", a->live_bytes);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

/* Writes the sentences about what was left out, as in the text. */
static void put_left_out(const struct xs_summary *s, struct xs_json *json) {
    xs_json_array(json, "left_out");
    for (unsigned kind = 0; kind < XS_LEFT_OUT_COUNT; kind++) {
        XS_SCOPED_STRING text = {0};
        uint64_t count = xs_left_out_say(s, (enum xs_left_out)kind, &text);
        if (count) {
            xs_json_object(json, NULL);
            xs_json_text(json, "kind", xs_left_out_names[kind]);
            xs_json_count(json, "count", count);
            xs_json_text(json, "text", text.data);
            if (kind == XS_LEFT_NEWER)
                xs_newer_functions_json(s->trace, json);
            xs_json_end(json, '}');
        }
    }
    xs_json_end(json, ']');
}

/* Writes the recorded steps or parts, as the user requested them. */
static void put_steps(const struct xs_recorded_steps *steps, struct xs_json *json) {
    static const char *const by[] = {
        [XS_RECORDED_BY_RANGE] = "range", [XS_RECORDED_BY_WAIT] = "wait", [XS_RECORDED_NONE] = "none"};
    if (steps->by == XS_RECORDED_ALL) {
        xs_json_text(json, "window", *steps->name ? steps->name : NULL);
        return;
    }
    xs_json_object(json, "steps");
    xs_json_text(json, "by", by[steps->by]);
    xs_json_text(json, "name", steps->name);
    xs_json_count(json, "first", steps->first);
    xs_json_count(json, "count", steps->count);
    xs_json_count(json, "passed", steps->passed);
    xs_json_count(json, "skipped", steps->skipped);
    xs_json_count(json, "wanted", steps->wanted);
    xs_json_end(json, '}');
}

static void put_thinned(const struct xs_summary *s, struct xs_json *json) {
    if (!s->thinned.rows)
        return;
    xs_json_object(json, "thinned");
    xs_json_count(json, "rows", s->thinned.rows);
    xs_json_count(json, "one_in", s->thinned.one_in);
    xs_json_int(json, "from_ns", s->thinned.from_ns);
    xs_json_int(json, "to_ns", s->thinned.to_ns);
    xs_json_end(json, '}');
}

static void put_looked_at(const struct xs_summary *s, struct xs_json *json) {
    if (!s->looked_at.limited)
        return;
    xs_json_object(json, "looked_at");
    xs_json_count(json, "parts", s->looked_at.parts);
    xs_json_count(json, "recorded_ns", s->looked_at.recorded_ns);
    xs_json_bool(json, "is_at_most", s->looked_at.is_at_most);
    xs_json_count(json, "left_out_transfers", s->looked_at.transfers);
    xs_json_count(json, "left_out_memsets", s->looked_at.memsets);
    xs_json_count(json, "left_out_launches", s->looked_at.launches);
    xs_json_count(json, "left_out_others", s->looked_at.others);
    xs_json_bool(json, "is_ledger", s->looked_at.is_ledger);
    if (s->looked_at.is_ledger)
        xs_json_count(json, "summed_ns", s->looked_at.summed_ns);
    put_steps(&s->recorded_steps, json);
    xs_json_end(json, '}');
}

static void put_cupti(const struct xs_summary *s, struct xs_json *json) {
    xs_json_object(json, "cupti");
    xs_json_text(json, "status", s->run.cupti_status);
    xs_json_text(json, "text", s->run.cupti_text);
    xs_json_text(json, "path", s->run.cupti_path);
    xs_json_int(json, "version", s->run.cupti_version);
    xs_json_bool(json, "kernels", s->run.kernels_recorded);
    xs_json_count(json, "dropped_records", s->coverage.dropped_records);
    if (s->coverage.migration_rests) {
        xs_json_count(json, "migration_rests", s->coverage.migration_rests);
        xs_json_count(json, "migrations_recorded_ns", s->coverage.migrations_ns);
    }
    xs_json_end(json, '}');
}

static void put_notes(const struct xs_summary *s, struct xs_json *json) {
    xs_json_array(json, "notes");
    for (size_t i = 0; i < s->note_count; i++) {
        xs_json_object(json, NULL);
        xs_json_text(json, "topic", s->notes[i].topic);
        xs_json_text(json, "text", s->notes[i].text);
        xs_json_count(json, "count", s->notes[i].count);
        xs_json_known_int(json, "first_at_ns", s->notes[i].at_ns != INT64_MIN, s->notes[i].at_ns);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
}

static void put_coverage(const struct xs_summary *s, struct xs_json *json) {
    const struct xs_coverage *c = &s->coverage;
    xs_json_object(json, "coverage");
    xs_json_count(json, "host_transfers", c->host_transfers);
    xs_json_count(json, "host_captured", c->host_captured);
    xs_json_count(json, "host_failed", c->host_failed);
    xs_json_count(json, "host_empty", c->host_empty);
    xs_json_count(json, "matched", c->matched);
    if (s->trace->windows)
        xs_json_count(json, "modelled", c->modelled);
    xs_json_count(json, "without_record", c->without_record);
    xs_json_count(json, "device_copies", c->device_copies);
    xs_json_count(json, "device_copies_graph", c->device_copies_graph);
    xs_json_count(json, "without_event", c->without_event);
    xs_json_count(json, "nested", c->nested);
    xs_json_count(json, "dropped", c->dropped);
    xs_json_count(json, "damaged_rows", s->damaged_rows);
    put_thinned(s, json);
    put_looked_at(s, json);
    put_left_out(s, json);
    put_cupti(s, json);
    put_notes(s, json);
    xs_json_end(json, '}');
}

static void put_cost_parts(const struct xs_summary *s, struct xs_json *json) {
    static const char *const names[] = {
        [XS_COST_PROCESS] = "process",           [XS_COST_CALLS] = "calls",
        [XS_COST_DEVICE_TIMES] = "device_times", [XS_COST_FINGERPRINTS] = "fingerprints",
        [XS_COST_MIGRATIONS] = "migrations",     [XS_COST_FULL_SPOOL] = "full_spool",
        [XS_COST_CONTENTION] = "contention"};
    _Static_assert(sizeof names / sizeof *names == XS_COST_PARTS, "a name for each part");
    const struct xs_cost_excess excess = xs_report_cost_excess(s);
    uint64_t ns[XS_COST_PARTS];
    xs_cost_parts(s, ns);
    xs_json_array(json, "parts");
    for (unsigned i = 0; i < XS_COST_PARTS; i++) {
        xs_json_object(json, NULL);
        xs_json_text(json, "part", names[i]);
        xs_json_count(json, "ns", ns[i]);
        xs_json_end(json, '}');
    }
    xs_json_end(json, ']');
    xs_json_bool(json, "is_over_budget", excess.is_over);
    xs_json_bool(json, "is_short_run", excess.is_short);
    xs_json_array(json, "mostly_because_of");
    for (unsigned i = 0; i < excess.count && !excess.is_short; i++)
        xs_json_text(json, NULL, names[excess.most[i]]);
    xs_json_end(json, ']');
}

static void put_cost(const struct xs_summary *s, struct xs_json *json) {
    const struct xs_cost *c = &s->cost;
    if (!c->known) {
        xs_json_null(json, "cost");
        return;
    }
    xs_json_object(json, "cost");
    xs_json_count(json, "start_ns", c->start_ns);
    xs_json_count(json, "cupti_start_ns", c->cupti_start_ns);
    xs_json_count(json, "close_ns", c->close_ns);
    xs_json_count(json, "drain_cpu_ns", c->drain_cpu_ns);
    xs_json_count(json, "samples", c->samples);
    xs_json_count(json, "samples_ns", c->samples_ns);
    if (c->watched_downloads)
        xs_json_count(json, "host_reads_ns", c->host_reads_ns);
    xs_json_count(json, "spool_stalls", c->spool_stalls);
    xs_json_count(json, "spool_stall_ns", c->spool_stall_ns);
    xs_json_count(json, "spool_bytes", c->spool_bytes);
    xs_json_count(json, "events", c->events);
    xs_json_count(json, "fingerprint_start_ns", c->fingerprint_start_ns);
    xs_json_count(json, "fingerprint_call_ns", c->fingerprint_call_ns);
    xs_json_count(json, "fingerprint_kernel_ns", c->fingerprint_kernel_ns);
    xs_json_count(json, "fingerprint_launches", c->fingerprint_launches);
    xs_json_count(json, "fingerprint_device_bytes", c->fingerprint_device_bytes);
    if (c->budgeted) {
        xs_json_count(json, "begin_ns", c->begin_ns);
        xs_json_count(json, "wrappers_ns", c->wrappers_ns);
        xs_json_count(json, "device_times_ns", c->device_times_ns);
        xs_json_count(json, "migrations_ns", c->migrations_ns);
        xs_json_count(json, "contention_ns", c->contention_ns);
        xs_json_count(json, "exit_ns", c->exit_ns);
        xs_json_count(json, "spent_ns", xs_spent_ns(s));
        xs_json_known_count(json, "bare_ns", xs_bare_is_known(s), xs_bare_ns(s));
        xs_json_count(json, "budget_percent", c->budget_percent);
        xs_json_bool(json, "is_of_several_threads", c->busiest_calls < c->calls);
        xs_json_count(json, "detachments", c->detachments);
        put_cost_parts(s, json);
    }
    xs_json_end(json, '}');
}

static void put_try_command(const struct xs_report *report, struct xs_json *json) {
    if (!xs_report_can_try(report)) {
        xs_json_null(json, "try_command");
        return;
    }
    xs_json_array(json, "try_command");
    xs_json_text(json, NULL, "xferspy");
    xs_json_text(json, NULL, "try");
    xs_json_text(json, NULL, report->summary->trace->path);
    xs_json_end(json, ']');
}

void xs_report_json(const struct xs_report *report, struct xs_json *json) {
    const struct xs_summary *s = report->summary;
    xs_json_object(json, NULL);
    xs_json_text(json, "trace", s->trace->path);
    put_run(s, json);
    put_headline(report, json);
    xs_where_json(&s->where, json);
    xs_steps_json(json, report->diagnosis->findings);
    xs_idle_json(json, report->diagnosis);
    xs_waits_json(json, report->diagnosis);
    xs_failures_json(&s->failures, report->diagnosis->findings, json);
    xs_repaired_json(&s->repaired, json);
    xs_filter_json(report->diagnosis->findings, json);
    xs_findings_json(report->diagnosis, &report->contents, json);
    if (report->tried)
        xs_tried_json(json, report->tried);
    put_try_command(report, json);
    put_devices(s, json);
    xs_modelled_json(json, s);
    put_transfers(s, json);
    put_count_times(s, json, "graph_copies", xs_copy_kind_names, s->graph_copies, XS_COPY_KIND_COUNT);
    put_count_times(s, json, "migrations", xs_migration_kind_names, s->migrations, XS_MIGRATION_KIND_COUNT);
    put_count_times(s, json, "launches", xs_launch_kind_names, s->launches, XS_LAUNCH_KIND_COUNT);
    put_count_times(s, json, "syncs", xs_sync_scope_names, s->syncs, XS_SYNC_SCOPE_COUNT);
    put_memsets(s, json);
    put_allocations(s, json);
    put_coverage(s, json);
    put_cost(s, json);
    if (report->by)
        xs_by_json(report->by, report->top, json);
    xs_json_end(json, '}');
}
