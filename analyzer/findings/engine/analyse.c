/* Makes the pass over a trace: starts all parts of the analysis, handles the events in host order one after the other
 * (analyse_events.c), and ends all parts. See analyse.h. */
#include "analyzer/findings/engine/analyse.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/progress.h"
#include "analyzer/findings/engine/analysis.h"
#include "analyzer/findings/engine/pools.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/trace/ahead.h"
#include "schema/write/store_thin.h"

static int run_events(struct xs_analysis *a) {
    for (;;) {
        int64_t ns = 0, free_ns = xs_heap_next(&a->frees);
        unsigned source = 0;
        int status = xs_merge_peek(&a->events, &ns, &source);
        if (status < 0)
            return status;
        /* an allocation that begins at the same time as a free may get the same memory, so the free comes first */
        bool free_first = a->frees.count && (!status || free_ns <= ns);
        if (!status && !free_first)
            return xs_show_intervals(a, INT64_MAX);
        int shown = xs_show_intervals(a, free_first ? free_ns : ns);
        if (shown < 0)
            return shown;
        if (free_first) {
            xs_take_free(a, (struct xs_allocation *)(uintptr_t)xs_heap_pop(&a->frees));
            continue;
        }
        status = xs_take_event(a, xs_merge_take(&a->events, source));
        if (status < 0)
            return status;
    }
}

/* --- beginning and end --- */

static bool is_asked_for(const struct xs_analysis *a, const struct xs_detector *detector) {
    return !a->options->only_detector || strcmp(a->options->only_detector, detector->id) == 0;
}

static void add_wanting(struct wanting **list, unsigned *count, struct xs_detection *detection,
                        void (*on_event)(struct xs_detection *detection, const struct xs_trace_event *event)) {
    bool not_run = (xs_detectors[detection->index]->wants & XS_WANT_NOT_RUN) != 0;
    *list = xs_realloc(*list, (*count + 1) * sizeof **list);
    (*list)[(*count)++] = (struct wanting){detection, on_event, not_run};
}

static void begin_detectors(struct xs_analysis *a) {
    size_t most = a->options->kept_contents ? a->options->kept_contents : XS_KEPT_CONTENTS;
    a->detections = xs_zeroed(xs_detector_count, sizeof *a->detections);
    for (unsigned i = 0; i < xs_detector_count; i++) {
        const struct xs_detector *detector = xs_detectors[i];
        struct xs_detection *d = &a->detections[i];
        *d = (struct xs_detection){.residency = &a->residency,
                                   .link = &a->findings->link,
                                   .run_ns = a->findings->recorded.ns,
                                   .kernels_recorded = a->kernels_recorded,
                                   .calls_recorded = a->calls_recorded,
                                   .ended = a->ended,
                                   .addresses_recorded = a->addresses_recorded,
                                   .most_contents = most,
                                   .most_pairs = most * 2,
                                   .windows = a->windows,
                                   .analysis = a,
                                   .index = i};
        if (!is_asked_for(a, detector))
            continue;
        d->state = xs_zeroed(1, detector->state_bytes);
        for (unsigned on = 0; on < XS_ON_COUNT; on++)
            if (detector->wants & XS_WANT(on))
                add_wanting(&a->wanting[on], &a->wanting_count[on], d, detector->on_event);
        if (detector->before_transfer)
            add_wanting(&a->early, &a->early_count, d, detector->before_transfer);
    }
}

static void end_detectors(struct xs_analysis *a) {
    for (unsigned i = 0; a->detections && i < xs_detector_count; i++) {
        if (a->detections[i].state && xs_detectors[i]->end)
            xs_detectors[i]->end(&a->detections[i]);
        free(a->detections[i].state);
    }
    for (unsigned on = 0; on < XS_ON_COUNT; on++)
        free(a->wanting[on]);
    free(a->early);
    free(a->detections);
}

static void finish_detectors(struct xs_analysis *a) {
    size_t count;
    struct xs_allocation **live = xs_residency_live(&a->residency, &count);
    for (size_t i = 0; i < count; i++)
        xs_residency_sum_up(&a->residency, live[i]);
    xs_pools_mark(live, count);
    for (size_t i = 0; i < count; i++) {
        struct xs_trace_event event = {.on = XS_ON_LIVE,
                                       .ran = true,
                                       .id = live[i]->id,
                                       .enter_ns = a->last_ns,
                                       .return_ns = a->last_ns,
                                       .context = live[i]->context,
                                       .device = live[i]->device,
                                       .site = live[i]->site,
                                       .account = live[i]->account,
                                       .u.allocation = live[i]};
        xs_show(a, &event);
    }
    free(live);
    if (!a->findings->recorded.run_ns && a->last_ns > 0)
        a->findings->recorded = xs_recorded_time(a->trace, (uint64_t)a->last_ns);
    for (unsigned i = 0; i < xs_detector_count; i++) {
        a->detections[i].run_ns = a->findings->recorded.ns;
        if (a->detections[i].state && xs_detectors[i]->finish)
            xs_detectors[i]->finish(&a->detections[i]);
    }
}

static int read_contexts(struct xs_analysis *a) {
    struct xs_scan scan;
    xs_scan_begin(&scan, a->trace, "SELECT id, device FROM context WHERE device IS NOT NULL AND id > 0", a->message,
                  &a->findings->damaged_rows);
    while (xs_scan_row(&scan)) {
        int64_t device = xs_scan_int(&scan, 1);
        if (device >= 0 && device < 4096)
            *xs_hash_put(&a->context_devices, (uint64_t)xs_scan_int(&scan, 0), 0) = (uint64_t)device + 1;
    }
    return xs_scan_end(&scan);
}

static int read_devices(struct xs_analysis *a) {
    struct xs_scan scan;
    xs_scan_begin(&scan, a->trace, "SELECT id, memory_bytes FROM device WHERE memory_bytes > 0", a->message,
                  &a->findings->damaged_rows);
    while (xs_scan_row(&scan))
        *xs_hash_put(&a->device_memory, (uint64_t)(uint32_t)xs_scan_int(&scan, 0), 0) = xs_scan_count(&scan, 1);
    return xs_scan_end(&scan);
}

/* True if kernels were recorded. If not, it is not known that none ran. */
static bool kernels_were_recorded(const struct xs_analysis *a) {
    int64_t recorded = xs_trace_meta_int(a->trace, "cupti.kernels", -1);
    if (recorded >= 0)
        return recorded != 0;
    struct xs_scan scan;
    xs_scan_begin(&scan, a->trace, "SELECT 1 FROM device_kernel LIMIT 1", a->message, NULL);
    bool any = xs_scan_row(&scan);
    xs_scan_end(&scan);
    return any;
}

static void read_completeness(struct xs_analysis *a) {
    char status[16], importer[16];
    xs_capture_ranges_read(&a->ranges, a->trace);
    a->findings->has_gaps = a->ranges.has_gaps;
    a->findings->pinning_refused = xs_trace_meta_int(a->trace, "pinning_refused", 0) > 0;
    a->range = a->ranges.count && a->ranges.items[0].start_ns <= 0 ? 0 : -1;
    a->calls_recorded = xs_trace_meta_int(a->trace, "coverage.dropped", 0) == 0 &&
                        xs_trace_meta_int(a->trace, "coverage.left", 0) == 0 &&
                        xs_trace_meta_int(a->trace, "skipped_events", 0) == 0 &&
                        (xs_trace_meta_int(a->trace, XS_META_THINNED_ROWS, 0) == 0 || a->ranges.is_ledger);
    a->calls_missing = !a->calls_recorded;
    a->calls_recorded = a->calls_recorded && !a->ranges.has_gaps;
    a->findings->calls_recorded = a->calls_recorded;
    a->thinned_from_ns = a->thinned_to_ns = INT64_MAX;
    if (xs_trace_meta_int(a->trace, XS_META_THINNED_ROWS, 0) > 0 && !a->ranges.is_ledger) {
        a->thinned_from_ns = xs_trace_meta_int(a->trace, XS_META_THINNED_FROM_NS, 0);
        a->thinned_to_ns = xs_trace_meta_int(a->trace, XS_META_THINNED_TO_NS, INT64_MAX - 1);
    }
    /* an imported profile may end before its program did, and has no addresses of copies */
    a->addresses_recorded = !*xs_trace_meta_text(a->trace, "importer", importer, sizeof importer, "");
    a->ended = a->addresses_recorded &&
               strcmp(xs_trace_meta_text(a->trace, "status", status, sizeof status, ""), "complete") == 0;
}

static int begin(struct xs_analysis *a) {
    uint64_t *damaged = &a->findings->damaged_rows;
    unsigned most_rows = a->options->sorted_rows;
    a->kernels_recorded = a->findings->exposed_known = kernels_were_recorded(a);
    read_completeness(a);
    xs_accounts_begin(&a->accounts);
    xs_residency_begin(&a->residency, &a->accounts, xs_show_write_end, a);
    begin_detectors(a);
    a->ahead = xs_ahead_begin(a->trace);
    xs_device_records_begin(&a->copies, a->trace, true, a->message, damaged);
    xs_device_records_begin(&a->memsets, a->trace, false, a->message, damaged);
    a->copies.on_graph_copy = xs_take_graph_copy;
    a->copies.context = a;
    xs_exposure_begin(&a->exposure, a->trace, a->ahead, &a->streams, most_rows,
                      a->wanting_count[XS_ON_DEVICE_INTERVAL] != 0, a->message, damaged);
    int status = xs_contents_begin(&a->contents, a->trace, a->message, damaged);
    if (status >= 0)
        status = read_contexts(a);
    if (status >= 0)
        status = read_devices(a);
    if (status >= 0)
        status = xs_streams_read(&a->streams, a->trace, a->message, damaged);
    if (status >= 0)
        status = xs_waits_begin(&a->waits, a->trace, &a->accounts, &a->streams, a->wanting_count[XS_ON_SYNC] != 0,
                                a->message, damaged);
    if (status >= 0)
        status = xs_main_waits_read(&a->main_waits, a->trace, a->message, damaged);
    for (enum xs_migration_way way = 0; way < XS_MIGRATION_WAYS && status >= 0; way++)
        status = xs_migration_windows_read(&a->windows[way], way, a->trace, a->message, damaged);
    if (status >= 0)
        status = xs_arguments_read(&a->arguments, a->trace, a->message, damaged);
    int begun = xs_events_begin(&a->events, a->trace, a->ahead, most_rows, a->message, damaged);
    return status < 0 ? status : begun;
}

static void end(struct xs_analysis *a) {
    end_detectors(a);
    xs_merge_end(&a->events);
    xs_contents_end(&a->contents);
    xs_arguments_free(&a->arguments);
    for (unsigned way = 0; way < XS_MIGRATION_WAYS; way++)
        xs_migration_windows_free(&a->windows[way]);
    xs_device_records_end(&a->copies);
    xs_device_records_end(&a->memsets);
    xs_exposure_end(&a->exposure);
    xs_ahead_end(a->ahead);
    xs_waits_end(&a->waits);
    xs_main_waits_free(&a->main_waits);
    xs_streams_free(&a->streams);
    xs_residency_end(&a->residency);
    xs_accounts_end(&a->accounts);
    xs_heap_free(&a->frees);
    xs_heap_free(&a->coming);
    xs_pool_free(&a->coming_pool);
    xs_capture_ranges_free(&a->ranges);
    xs_findings_discard(&a->builder);
    xs_samples_free(&a->samples);
    xs_in_run_free(&a->in_run);
    xs_hash_free(&a->context_devices);
    xs_hash_free(&a->device_memory);
}

static int pass(const struct xs_trace *trace, const struct xs_analysis_options *options, struct xs_findings *findings,
                char *message) {
    struct xs_analysis a = {.trace = trace, .options = options, .message = message, .findings = findings};
    int status = begin(&a);
    if (status >= 0)
        status = run_events(&a);
    if (status >= 0 && xs_trace_meta_count(trace, XS_META_THINNED_ROWS))
        status = xs_site_totals_add_thinned(&a.accounts.sites, findings->sites, trace, message);
    if (status >= 0)
        status = a.copies.scan.status < 0 ? a.copies.scan.status : a.memsets.scan.status;
    if (status >= 0) {
        finish_detectors(&a);
        xs_downloads_read_finish(&findings->reads);
        findings->total = a.accounts.total;
        findings->at_sites = a.accounts.sites;
        xs_steps_finish(&findings->steps, &a.ranges, findings->sites);
        a.accounts.sites = (struct xs_site_totals){0};
        xs_samples_finish(&a.samples, &a.builder);
        xs_findings_finish(&a.builder, findings, options->fold_nothing);
        if (a.ranges.is_ledger)
            xs_in_run_estimate(findings, &a.in_run, &a.ranges, findings->recorded.run_ns);
    }
    end(&a);
    return status;
}

int xs_analyse(const struct xs_trace *trace, const struct xs_analysis_options *options, struct xs_findings **out,
               char *message) {
    static const struct xs_analysis_options defaults;
    struct xs_findings *findings = xs_zeroed(1, sizeof *findings);
    *out = NULL;
    findings->sites = xs_realloc(NULL, sizeof *findings->sites);
    options = options ? options : &defaults;
    int64_t duration = xs_trace_meta_int(trace, "duration_ns", 0);
    findings->recorded = xs_recorded_time(trace, duration > 0 ? (uint64_t)duration : 0);
    xs_snapshot_begin(trace);
    int status = xs_sites_read(findings->sites, trace, message, &findings->damaged_rows);
    if (status >= 0)
        status = xs_steps_find(&findings->steps, trace, findings->sites, message);
    if (status >= 0 && options->filter && !xs_filter_is_empty(options->filter))
        status = xs_selection_make(trace, options->filter, findings, &findings->selection, message);
    if (status >= 0)
        status = xs_link_fit(&findings->link, trace, message);
    xs_progress_at(XS_PROGRESS_FINDINGS);
    if (status >= 0)
        status = pass(trace, options, findings, message);
    xs_snapshot_end(trace);
    xs_repairables_sort(&findings->repairables); /* sorting needs memory, which the pass has freed by now */
    if (status < 0) {
        xs_findings_free(findings);
        return status;
    }
    *out = findings;
    return XS_OK;
}
