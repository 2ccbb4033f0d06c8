/* Finds the context of findings in a framework; see contexts.h. */
#include "analyzer/savings/causes/contexts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"
#include "analyzer/savings/plan/statement.h"
#include "analyzer/savings/replay/durations.h"
#include "analyzer/trace/scan.h"
#include "analyzer/trace/site.h"
#include "schema/format/kinds.h"

/* --- the context of a row --- */

enum { STACK, RANGE, THREAD_NAME, DIRECTION, SOURCE_KIND, SOURCE_STACK };
#define OF_TRANSFER "t.direction, t.src_kind, (SELECT stack FROM allocation WHERE id = t.src_allocation)"

static void add_stack(struct xs_framework_context *context, const struct xs_callsites *callsites, int64_t stack) {
    size_t count = 0;
    const struct xs_frame *frames = xs_callsites_frames(callsites, stack, &count);
    xs_framework_add_stack(context, frames, count);
}

/* Returns which library filled an upload's source buffer. CuPy fills its own buffers only for uploads by its own
 * code. */
static enum xs_host_copy host_copy(const struct xs_callsites *callsites, int64_t source_stack,
                                   enum xs_framework framework) {
    size_t count = 0;
    const struct xs_frame *frames = xs_callsites_frames(callsites, source_stack, &count);
    enum xs_host_copy by = xs_framework_host_copy(frames, count);
    return by == XS_HOST_COPY_CUPY && framework != XS_FRAMEWORK_CUPY ? XS_HOST_COPY_NONE : by;
}

static int read_row(const struct xs_trace *trace, const struct xs_callsites *callsites,
                    const struct xs_evidence *evidence, struct xs_framework_context *context, char *message) {
    static const unsigned without_stacks =
        1u << XS_EVIDENCE_LAUNCH | 1u << XS_EVIDENCE_API_CALL | 1u << XS_EVIDENCE_MIGRATION;
    char sql[320];
    struct xs_scan scan;
    *context = (struct xs_framework_context){0};
    if (without_stacks >> evidence->table & 1)
        return XS_OK;
    snprintf(sql, sizeof sql,
             "SELECT t.stack, t.nvtx_range, (SELECT name FROM thread WHERE id = t.thread), %s FROM %s t"
             " WHERE t.id = %lld",
             evidence->table == XS_EVIDENCE_TRANSFER ? OF_TRANSFER : "0, 0, 0",
             xs_evidence_table_names[evidence->table], (long long)evidence->row);
    xs_scan_begin(&scan, trace, sql, message, NULL);
    if (xs_scan_row(&scan)) {
        const char *range = xs_callsites_range(callsites, xs_scan_int(&scan, RANGE));
        add_stack(context, callsites, xs_scan_int(&scan, STACK));
        if (range)
            xs_framework_add_range(context, range);
        xs_framework_add_thread(context, xs_scan_text(&scan, THREAD_NAME));
        if (xs_scan_int(&scan, DIRECTION) == XS_DIR_H2D && xs_scan_int(&scan, SOURCE_KIND) == XS_MEM_PINNED)
            context->host_copy = host_copy(callsites, xs_scan_int(&scan, SOURCE_STACK), context->framework);
    }
    return xs_scan_end(&scan);
}

/* --- the context of findings --- */

static int read_finding(const struct xs_trace *trace, const struct xs_callsites *callsites, struct xs_diagnosed *d,
                        char *message) {
    const struct xs_finding *f = d->finding;
    struct xs_framework_context context = {0}, other;
    int status = XS_OK;
    if (f->first_count && f->first[0].evidence_count)
        status = read_row(trace, callsites, &f->first[0].evidence[0], &context, message);
    for (size_t i = 1; i < f->first_count && *context.sizes && !context.sizes_vary && status >= 0; i++) {
        status = read_row(trace, callsites, &f->first[i].evidence[0], &other, message);
        context.sizes_vary = strcmp(context.sizes, other.sizes) != 0;
    }
    if (status >= 0 && xs_framework_is_known(&context)) {
        d->context = xs_realloc(NULL, sizeof *d->context);
        *d->context = context;
    }
    return status;
}

int xs_contexts_read(const struct xs_trace *trace, struct xs_diagnosis *diagnosis, char *message) {
    const struct xs_sites *sites = diagnosis->findings->sites;
    const struct xs_callsites *callsites = sites ? sites->callsites : NULL;
    int status = XS_OK;
    for (size_t i = 0; i < diagnosis->count && callsites && status >= 0; i++)
        status = read_finding(trace, callsites, &diagnosis->items[i], message);
    return status;
}

/* --- the time before uploads --- */

/* No host copies faster than 100 GB/s with one thread, so a shorter time cannot include a copy. */
#define FASTEST_NS_PER_BYTE 0.01

static bool is_upload_of(const struct xs_model_call *call, uint32_t site) {
    return call->site == site && call->kind == XS_MODEL_TRANSFER && call->direction == XS_DIR_H2D &&
           call->memory_kind == XS_MEM_PINNED;
}

static void time_uploads(struct xs_framework_context *context, const struct xs_plan *plan, uint32_t site) {
    enum { SAMPLED = 1024 };
    struct xs_durations gaps = {0};
    double bytes = 0;
    for (uint32_t i = 0; i < plan->model->call_count && gaps.count < SAMPLED; i++)
        if (is_upload_of(&plan->model->calls[i], site) && plan->model->calls[i].previous != XS_PLAN_NONE) {
            xs_durations_add(&gaps, xs_statement_gap(plan, i));
            bytes += (double)plan->model->calls[i].bytes;
        }
    size_t count = gaps.count;
    int64_t median = xs_durations_usual(&gaps, 0);
    if (median < XS_STATEMENT_LIMIT_NS || (double)median < bytes / (double)count * FASTEST_NS_PER_BYTE) {
        context->host_copy = XS_HOST_COPY_NONE;
        return;
    }
    context->before_ns = (uint64_t)median;
    context->uploads = count;
}

/* The most findings that are timed, because each of them needs a pass over all calls. */
enum { TIMED_FINDINGS = 64 };

void xs_contexts_time(struct xs_diagnosis *diagnosis, const struct xs_plan *plan) {
    size_t timed = 0;
    for (size_t i = 0; i < diagnosis->count; i++) {
        struct xs_framework_context *context = diagnosis->items[i].context;
        bool in_thread =
            context && (context->host_copy == XS_HOST_COPY_CUPY || context->host_copy == XS_HOST_COPY_LOADER);
        if (in_thread && timed++ < TIMED_FINDINGS)
            time_uploads(context, plan, diagnosis->items[i].finding->site);
        else if (in_thread)
            context->host_copy = XS_HOST_COPY_NONE;
        if (in_thread && !xs_framework_is_known(context)) {
            free(context);
            diagnosis->items[i].context = NULL;
        }
    }
}
