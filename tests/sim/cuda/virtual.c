/* Virtual time; see virtual.h. The costs of the host's calls are constants in this file; the costs of the device come
 * from the link model, as without virtual time. */
#include "clock/virtual_clock.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

/* These times are about as long as those of driver 580 on an H100. The link's speed comes from the configuration. */
#define NOTICE_NS 2000   /* from the end of what a call waited for to its return */
#define GAP_NS 1000      /* from the end of an operation to the start of the next in its stream */
#define LAUNCH_NS 3000   /* from the call to the start on an idle device */
#define COPY_NS 4000     /* time of a call for a copy or a memory set */
#define STAGING_GBPS 8.0 /* the host's own copying */
#define PAGE_LOCK_GBPS 6.0

static const struct {
    const char *prefix;
    uint64_t ns;
} costs[] = {
    {"cuMemcpy", 2500},     {"cuMemset", 2200},     {"cuLaunchKernel", 2800},  {"cuGraphLaunch", 5000},
    {"cuEventRecord", 700}, {"cuStreamWait", 500},  {"cuStreamSync", 1000},    {"cuEventSync", 900},
    {"cuCtxSync", 1200},    {"cuMemAllocH", 30000}, {"cuMemHostAlloc", 30000}, {"cuMemAlloc", 9000},
    {"cuMemFree", 7000},
};

static __thread uint64_t operation_ns;
static __thread bool waited;
static struct CUstream_st *pending; /* all that is static here is under the queue lock */
static uint64_t orders;

bool xs_is_virtual(void) { return xs_virtual_clock_now != NULL; }

/* ---- the host ---- */

void xs_virtual_call(const char *name) {
    waited = false;
    for (size_t i = 0; i < XS_COUNT(costs); i++)
        if (strncmp(name, costs[i].prefix, strlen(costs[i].prefix)) == 0) {
            xs_virtual_clock_advance(costs[i].ns);
            return;
        }
}

void xs_virtual_return(void) {
    if (waited)
        xs_virtual_clock_advance(NOTICE_NS);
    waited = false;
}

void xs_virtual_stage(uint64_t bytes) { xs_virtual_clock_advance((uint64_t)((double)bytes / STAGING_GBPS)); }

void xs_virtual_page_lock(uint64_t bytes) { xs_virtual_clock_advance((uint64_t)((double)bytes / PAGE_LOCK_GBPS)); }

/* ---- the device ---- */

uint64_t xs_virtual_operation_now(void) { return operation_ns; }

void xs_virtual_operation_reach(uint64_t ns) {
    if (operation_ns != 0 && operation_ns < ns)
        operation_ns = ns;
}

static bool is_work(const struct xs_op *op) {
    return op->kind == XS_OP_COPY || op->kind == XS_OP_SET || op->kind == XS_OP_KERNEL;
}

static void start_behind(struct xs_op *op, uint64_t end_ns) {
    uint64_t ready_ns = end_ns + (is_work(op) ? GAP_NS : 0);
    if (end_ns != 0 && op->ready_ns < ready_ns)
        op->ready_ns = ready_ns;
}

static uint64_t end_of(const struct CUstream_st *stream, uint64_t sequence) {
    return sequence < stream->virtual_time.capacity ? stream->virtual_time.ends[sequence] : 0;
}

/* When the operation at the stream's head can start; false while that depends on what has not run yet. */
static bool ready_at(const struct CUstream_st *stream, uint64_t *ready_ns) {
    struct xs_op *op = stream->head;
    if (stream->running)
        return false;
    for (size_t i = 0; i < op->dependency_count; i++) {
        const struct xs_dependency *d = &op->dependencies[i];
        if (d->stream->completed < d->sequence)
            return false;
        start_behind(op, end_of(d->stream, d->sequence));
    }
    start_behind(op, end_of(stream, stream->completed));
    *ready_ns = op->ready_ns;
    return true;
}

static void keep_end(struct CUstream_st *stream, uint64_t sequence, uint64_t end_ns) {
    struct xs_virtual_stream *v = &stream->virtual_time;
    if (sequence >= v->capacity) {
        uint64_t capacity = (sequence + 1) * 2;
        uint64_t *grown = realloc(v->ends, capacity * sizeof(*grown));
        if (grown == NULL)
            abort();
        memset(grown + v->capacity, 0, (capacity - v->capacity) * sizeof(*grown));
        v->ends = grown;
        v->capacity = capacity;
    }
    v->ends[sequence] = end_ns;
}

static void run_locked(struct CUstream_st *stream, uint64_t ready_ns) {
    uint64_t outer = operation_ns, sequence = stream->head->sequence;
    operation_ns = ready_ns;
    xs_run_head_locked(stream);
    keep_end(stream, sequence, operation_ns);
    operation_ns = outer;
}

static void forget_idle_streams(void) {
    for (struct CUstream_st **link = &pending; *link != NULL;) {
        struct CUstream_st *stream = *link;
        if (stream->head != NULL) {
            link = &stream->virtual_time.next_pending;
            continue;
        }
        *link = stream->virtual_time.next_pending;
        stream->virtual_time.is_pending = false;
        xs_stream_unref_locked(stream);
    }
}

/* Runs the operation that can start first, unless that is after the limit. A copy engine serves the operation that is
 * ready first, so operations run in the order of their times and not in the order of the calls. */
static bool step(uint64_t limit_ns) {
    struct CUstream_st *first = NULL;
    uint64_t first_ns = 0;
    for (struct CUstream_st *stream = pending; stream != NULL; stream = stream->virtual_time.next_pending) {
        uint64_t ready_ns;
        if (stream->head == NULL || !ready_at(stream, &ready_ns))
            continue;
        if (first == NULL || ready_ns < first_ns ||
            (ready_ns == first_ns && stream->head->order < first->head->order)) {
            first = stream;
            first_ns = ready_ns;
        }
    }
    if (first == NULL || first_ns > limit_ns)
        return false;
    run_locked(first, first_ns);
    forget_idle_streams();
    return true;
}

void xs_virtual_append_locked(struct CUstream_st *stream, struct xs_op *op) {
    uint64_t now = xs_virtual_clock_now();
    uint64_t latency = op->kind == XS_OP_KERNEL ? LAUNCH_NS : is_work(op) ? COPY_NS : 0;
    op->order = ++orders;
    if (op->ready_ns < now + latency)
        op->ready_ns = now + latency;
    if (!stream->virtual_time.is_pending) {
        stream->virtual_time.is_pending = true;
        stream->virtual_time.next_pending = pending;
        pending = stream;
        xs_stream_ref_locked(stream);
    }
}

void xs_virtual_depend_locked(struct xs_op *op, const struct CUstream_st *stream, uint64_t sequence) {
    if (stream->completed >= sequence)
        start_behind(op, end_of(stream, sequence));
}

bool xs_virtual_done_locked(const struct CUstream_st *stream, uint64_t sequence) {
    while (step(xs_virtual_clock_now()))
        ;
    return stream->completed >= sequence && end_of(stream, sequence) <= xs_virtual_clock_now();
}

void xs_virtual_wait_locked(struct CUstream_st *stream, uint64_t sequence) {
    xs_stream_ref_locked(stream);
    while (stream->completed < sequence && step(UINT64_MAX))
        ;
    uint64_t end_ns = end_of(stream, sequence);
    if (end_ns > xs_virtual_clock_now()) {
        xs_virtual_clock_reach(end_ns);
        waited = true;
    }
    xs_stream_unref_locked(stream);
}

void xs_virtual_finish_locked(struct CUstream_st *stream) {
    while (stream->completed < stream->submitted && step(UINT64_MAX))
        ;
}
