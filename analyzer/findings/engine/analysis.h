/* Declares the state of one analysis, for analyse.c, analyse_events.c, and the functions that detectors call
 * (detection.c). */
#ifndef XFERSPY_ANALYZER_FINDINGS_ENGINE_ANALYSIS_H
#define XFERSPY_ANALYZER_FINDINGS_ENGINE_ANALYSIS_H

#include "analyzer/base/heap.h"
#include "analyzer/findings/engine/account.h"
#include "analyzer/findings/engine/analyse.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/findings/engine/exposure.h"
#include "analyzer/findings/engine/findings_build.h"
#include "analyzer/findings/engine/in_run.h"
#include "analyzer/findings/engine/residency_change.h"
#include "analyzer/findings/engine/sample.h"
#include "analyzer/findings/engine/waits.h"
#include "analyzer/trace/contents.h"
#include "analyzer/trace/device_records.h"
#include "analyzer/trace/events.h"
#include "analyzer/trace/main_waits.h"
#include "analyzer/trace/site.h"
#include "analyzer/trace/streams.h"
#include "analyzer/trace/windows/capture_ranges.h"

struct xs_analysis {
    const struct xs_trace *trace;
    const struct xs_analysis_options *options;
    char *message;
    struct xs_findings *findings; /* counters, link model, run time, sites */

    struct xs_ahead *ahead; /* reads the rows in another thread; NULL: there is none */
    struct xs_merge events;
    struct xs_contents contents;
    struct xs_arguments arguments;
    struct xs_migration_windows windows[XS_MIGRATION_WAYS];
    struct xs_device_records copies, memsets;
    struct xs_streams streams;
    struct xs_exposure exposure;
    struct xs_waits waits;
    struct xs_main_waits main_waits;
    struct xs_residency residency;
    struct xs_accounts accounts;
    struct xs_findings_builder builder;
    struct xs_samples samples;
    struct xs_in_run_counts in_run; /* only if the trace is a ledger */
    struct xs_hash context_devices; /* maps context.id to the device's ordinal plus 1 */
    struct xs_hash device_memory;   /* maps the device's ordinal to the size of its memory in bytes */

    int64_t thinned_from_ns, thinned_to_ns; /* the trace is thinned between these times; INT64_MAX: it is not thinned */
    bool calls_missing; /* calls are missing at unknown times, or between thinned_from_ns and thinned_to_ns; calls
                         * outside of recorded ranges do not count */
    struct xs_capture_ranges ranges;
    int64_t range;        /* if the ranges have gaps: index of the latest event's range; -1: none */
    bool is_behind_gap;   /* the model has forgotten what was before a gap, and no event in a range has come since */
    struct xs_heap frees; /* live allocations that will be freed, by the time of the free. This is needed because an
                           * allocation's row has both its begin and its free, but rows are in the order of the
                           * begins */
    int64_t last_ns;      /* the latest time seen */

    struct xs_heap coming; /* events about host-device copies, which are shown when the analysis reaches their start */
    struct xs_pool coming_pool;
    struct xs_trace_event kernel_event; /* used to show kernels */

    struct xs_detection *detections; /* one per detector */
    struct wanting {
        struct xs_detection *detection;
        void (*on_event)(struct xs_detection *detection, const struct xs_trace_event *event);
        bool not_run;
    } * wanting[XS_ON_COUNT]; /* for each kind of event, the detectors that want it, in the order of xs_detectors */
    unsigned wanting_count[XS_ON_COUNT];
    struct wanting *early; /* the detectors that have before_transfer */
    unsigned early_count;
    bool kernels_recorded, calls_recorded, ended, addresses_recorded; /* as in struct xs_detection */
};

/* --- analyse_events.c --- */

/* Shows an event to the detectors that want it. */
void xs_show(struct xs_analysis *analysis, const struct xs_trace_event *event);

/* Shows the intervals of kernels and copies on devices that begin up to `ns`, in the order of their starts. Returns 0
 * or a negative status. */
int xs_show_intervals(struct xs_analysis *analysis, int64_t ns);

/* These functions join the event of a row, or the end of an allocation, with its records, show it to the detectors and
 * update the model. */
int xs_take_event(struct xs_analysis *analysis, struct xs_row_event *row);
void xs_take_free(struct xs_analysis *analysis, struct xs_allocation *allocation);

/* Callbacks of the residency model and of the device records; `context` is the analysis. */
void xs_show_write_end(void *context, const struct xs_write *write, bool freed, enum xs_write_certainty certainty,
                       const struct xs_trace_event *by);
void xs_take_graph_copy(void *context, const struct xs_graph_copy *copy);

#endif
