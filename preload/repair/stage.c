/* The repair stage: a copy from or to pageable memory is made in chunks through page-locked buffers. Several threads
 * fill or empty the buffers (copiers.h) while the device copies other buffers in the program's own stream.
 *
 * What CUDA promises for pageable memory still holds, and also what the driver does beyond that:
 * - the source of an upload is read before the call returns, but not before the work that the call waits for is done;
 * - a blocking upload returns when the destination has the content;
 * - a download returns when the host has the content, even if it is asynchronous;
 * - a call waits only for the work of its stream, and only if the driver would wait: asynchronous uploads of up to
 *   NO_WAIT_BYTES do not wait. It never waits for a buffer that another copy uses (ring.h);
 * - signals are handled while a call waits for earlier work; they are delayed only while the chunks of the call are
 *   copied. */
#include <stdint.h>

#include "preload/core/alternate_stack.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/real.h"
#include "preload/repair/copiers.h"
#include "preload/repair/reasons.h"
#include "preload/repair/repair_plan.h"
#include "preload/repair/ring.h"

/* Below this size, waking the other threads (tens of microseconds) takes as long as the driver's whole copy. On an H100
 * with PCIe 5, pageable memory reached 8 to 15 GB/s, so 512 KiB take 35 to 65 us. From page-locked memory they take 15
 * us. */
#define LEAST_BYTES ((size_t)512 << 10)
/* Up to this size the driver (580) copies the source of an asynchronous upload and returns without waiting for the
 * stream; larger uploads wait. */
#define NO_WAIT_BYTES ((size_t)2 << 20)
/* A small copy has small chunks, so that the device can begin early. A large copy has large chunks, to save calls. */
#define BUFFER_BYTES ((size_t)2 << 20)
#define SMALL_CHUNK_BYTES ((size_t)256 << 10)
#define MEDIUM_COPY_BYTES ((size_t)8 << 20)
#define MEDIUM_CHUNK_BYTES ((size_t)1 << 20)
#define LARGE_COPY_BYTES ((size_t)32 << 20)
/* Downloads of at least this size are written without using the caches. A smaller download fits into the caches, where
 * the program can read it fast. */
#define STREAMING_DOWN_BYTES ((size_t)4 << 20)

_Static_assert(NO_WAIT_BYTES <= XS_COPY_PARTS * SMALL_CHUNK_BYTES, "an upload that must not wait has its own buffers");

static struct xs_ring ring = {.bytes = BUFFER_BYTES};

/* The result of a copy. */
struct outcome {
    const struct xs_repair_copy *copy;
    const char *why; /* reason why the driver must make the copy; NULL: the copy is done, with `result` */
    CUresult result;
    struct xs_ring_buffer *ahead; /* buffer whose event the caller must wait for: it comes after the stream's earlier
                                     work; nothing is copied yet */
    bool has_waited;              /* the stream's earlier work is done */
};

/* A copy that is being made; lies on the scratch stack. */
struct staging {
    const struct xs_repair_copy *copy;
    CUstream stream;
    CUresult result;
    struct xs_copy_job *job, alone;
    struct xs_ring_buffer *buffers[XS_COPY_PARTS];
    unsigned count; /* number of buffers; chunk i goes through buffer i % count */
    unsigned chunks;
    size_t chunk_bytes;
};

static struct xs_ring_buffer *buffer_of(const struct staging *s, unsigned chunk) {
    return s->buffers[chunk % s->count];
}
static size_t offset_of(const struct staging *s, unsigned chunk) { return chunk * s->chunk_bytes; }
static size_t bytes_of(const struct staging *s, unsigned chunk) {
    size_t left = s->copy->bytes - offset_of(s, chunk);
    return left < s->chunk_bytes ? left : s->chunk_bytes;
}

static bool may_wait(const struct xs_repair_copy *copy) {
    return !copy->is_upload || copy->is_blocking || copy->bytes > NO_WAIT_BYTES;
}

/* Takes as many buffers as are useful and available. False: too few are available. */
static bool take_buffers(struct staging *s) {
    unsigned wanted = s->chunks < XS_COPY_PARTS ? s->chunks : XS_COPY_PARTS;
    unsigned least = may_wait(s->copy) && wanted > 2 ? 2 : wanted;
    while (s->count < wanted && (s->buffers[s->count] = xs_ring_take(&ring, s->copy->context)) != NULL)
        s->count++;
    return s->count >= least;
}

static void put_buffers(struct staging *s) {
    for (unsigned i = 0; i < s->count; i++)
        xs_ring_put(s->buffers[i]);
}

/* True if the copy must wait for its stream before its chunks are queued. The caller must then wait for the event of
 * the buffer outcome->ahead. It must do so outside of the scratch stack, because the wait may be long and signals must
 * be handled meanwhile. */
static bool must_wait(struct staging *s, struct outcome *outcome) {
    if (!may_wait(s->copy) || outcome->has_waited || xs_ring_is_free(s->buffers[0])) {
        s->buffers[0]->is_under_way = false; /* nothing of this copy is in the buffer yet */
        return false;
    }
    outcome->ahead = s->buffers[0];
    s->buffers[0] = s->buffers[--s->count];
    return true;
}

/* Queues the copy of a chunk between its buffer and the device, and records the buffer's event after it. */
static CUresult queue(struct staging *s, unsigned chunk) {
    struct xs_ring_buffer *buffer = buffer_of(s, chunk);
    CUdeviceptr device = s->copy->device + offset_of(s, chunk);
    size_t bytes = bytes_of(s, chunk);
    CUresult result = s->copy->is_upload ? xs_beneath(cuMemcpyHtoDAsync_v2)(device, buffer->memory, bytes, s->stream)
                                         : xs_beneath(cuMemcpyDtoHAsync_v2)(buffer->memory, device, bytes, s->stream);
    if (result != CUDA_SUCCESS)
        return result;
    result = xs_ring_mark(buffer, s->stream);
    if (result != CUDA_SUCCESS)
        buffer->context = NULL; /* without the event nothing tells when the device no longer needs the buffer, so no
                                   copy may take it again */
    return result;
}

/* Begins to copy a chunk between its buffer and the program's memory. */
static void pass(struct staging *s, unsigned chunk) {
    char *memory = buffer_of(s, chunk)->memory;
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the program's memory
    char *host = (char *)(uintptr_t)s->copy->host + offset_of(s, chunk);
    if (s->copy->is_upload)
        xs_copy_add(s->job, memory, host, bytes_of(s, chunk));
    else
        xs_copy_add(s->job, host, memory, bytes_of(s, chunk));
}

/* Uploads the chunks, and returns the number of chunks that were queued. In the order of the chunks, the first are
 * queued, the next are being copied into buffers, and the others are not begun. */
static unsigned upload_chunks(struct staging *s) {
    unsigned filled = 0, sent = 0, rests = 0;
    while (sent < s->chunks) {
        if (filled < s->chunks && filled - sent < s->count && xs_ring_is_free(buffer_of(s, filled))) {
            pass(s, filled++);
        } else if (sent < filled && xs_copy_is_done(s->job, sent)) {
            s->result = queue(s, sent);
            if (s->result != CUDA_SUCCESS)
                break;
            sent++;
            rests = 0;
        } else if (!xs_copy_help(s->job)) {
            if (sent < filled)
                xs_copy_rest(rests++);
            else if ((s->result = xs_ring_wait(buffer_of(s, filled))) != CUDA_SUCCESS)
                break;
        }
    }
    return sent;
}

/* Downloads the chunks, and returns the number of chunks that were queued. In the order of the chunks, the first are
 * done, the next are being copied to the program's memory, the next are being copied from the device, and the others
 * are not begun. */
static unsigned download_chunks(struct staging *s) {
    unsigned fetched = 0, landed = 0, done = 0, rests = 0;
    while (done < s->chunks) {
        if (fetched < s->chunks && fetched - done < s->count) {
            s->result = queue(s, fetched);
            if (s->result != CUDA_SUCCESS)
                break;
            fetched++;
        } else if (landed < fetched && xs_ring_is_free(buffer_of(s, landed))) {
            pass(s, landed++);
        } else if (done < landed && xs_copy_is_done(s->job, done)) {
            done++;
            rests = 0;
        } else if (!xs_copy_help(s->job)) {
            if (done < landed)
                xs_copy_rest(rests++);
            else if ((s->result = xs_ring_wait(buffer_of(s, landed))) != CUDA_SUCCESS)
                break;
        }
    }
    return fetched;
}

/* Copies all chunks. False: no chunk was queued. */
static bool copy_chunks(struct staging *s) {
    const struct xs_repair_copy *copy = s->copy;
    s->job = xs_copy_begin(&s->alone, s->chunk_bytes, copy->is_upload || copy->bytes >= STREAMING_DOWN_BYTES);
    unsigned queued = copy->is_upload ? upload_chunks(s) : download_chunks(s);
    xs_copy_end(s->job);
    if (copy->is_upload && copy->is_blocking && s->result == CUDA_SUCCESS)
        s->result = xs_ring_wait(buffer_of(s, s->chunks - 1)); /* the last chunk in the order of the stream */
    return queued > 0;
}

static size_t chunk_bytes_of(size_t bytes) {
    if (bytes < MEDIUM_COPY_BYTES)
        return SMALL_CHUNK_BYTES;
    return bytes < LARGE_COPY_BYTES ? MEDIUM_CHUNK_BYTES : BUFFER_BYTES;
}

static void stage(void *argument) {
    struct outcome *outcome = argument;
    const struct xs_repair_copy *copy = outcome->copy;
    struct staging s = {.copy = copy, .stream = xs_stream_handle(copy->stream, copy->is_per_thread)};
    s.chunk_bytes = chunk_bytes_of(copy->bytes);
    s.chunks = (unsigned)((copy->bytes + s.chunk_bytes - 1) / s.chunk_bytes);
    xs_repair_settle();
    /* The mark comes after the work that the stream has so far. It fails if the stream belongs to another context. */
    if (!take_buffers(&s))
        outcome->why = "no page-locked buffer";
    else if (xs_ring_mark(s.buffers[0], s.stream) != CUDA_SUCCESS || (!must_wait(&s, outcome) && !copy_chunks(&s)))
        outcome->why = "the driver refused";
    outcome->result = s.result;
    put_buffers(&s);
}

static void begin(struct outcome *outcome) {
    if (!xs_on_scratch(stage, outcome))
        outcome->why = "no memory for a stack";
}

/* Waits on the program's stack, because the wait may be long. False: the wait failed, and the driver must make the copy
 * and report the error. */
static bool wait_ahead(struct outcome *outcome) {
    outcome->has_waited = xs_ring_wait(outcome->ahead) == CUDA_SUCCESS;
    xs_ring_put(outcome->ahead);
    outcome->ahead = NULL;
    return outcome->has_waited;
}

static const char *unfit(const struct xs_repair_copy *copy) {
    const char *why = copy->bytes < LEAST_BYTES ? XS_WHY_SMALL : xs_repair_unfit(copy);
    if (!why && copy->range.start == copy->range.end)
        why = "device memory that is not known"; /* if something is wrong with it, the driver reports that */
    return !why && copy->bytes > XS_JOB_BYTES_MAX ? "too large" : why;
}

static bool stage_copy(const struct xs_repair_copy *copy, CUresult *result) {
    bool is_planned = xs_plan_mode != XS_PLAN_ABSENT && xs_plan_of_copy(XS_REPAIR_STAGE, copy);
    if ((xs_plan_mode != XS_PLAN_ABSENT && !is_planned) || copy->host_kind != XS_MEM_PAGEABLE ||
        (copy->bytes < LEAST_BYTES && !is_planned))
        return false; /* there are many small copies, so they are counted as refused only if the plan names them */
    struct outcome outcome = {.copy = copy, .why = unfit(copy)};
    if (!outcome.why)
        begin(&outcome);
    if (outcome.ahead && !wait_ahead(&outcome))
        outcome.why = "the driver refused";
    else if (outcome.has_waited)
        begin(&outcome);
    if (outcome.why) {
        xs_repair_refused(XS_REPAIR_STAGE, outcome.why);
        return false;
    }
    *result = outcome.result;
    xs_repair_applied(XS_REPAIR_STAGE, copy->bytes);
    return true;
}

static bool start(const char **why) {
    *why = XS_WHY_LACKS;
    return xs_ring_start(&ring);
}

static void before(const struct xs_repair_call *call) {
    if (XS_UNLIKELY(xs_ends_context(call)))
        xs_ring_drop(&ring);
}

/* Makes at most half of the ring's buffers for the first context, because other contexts may need buffers. Starts the
 * helpers as well. */
static void fill_ring(void *context) {
    unsigned half = (ring.count + 1) / 2;
    xs_ring_fill(&ring, context, half < XS_COPY_PARTS ? half : XS_COPY_PARTS);
    xs_copy_helpers();
}

static bool may_be_needed(void) {
    unsigned lines = 0;
    if (xs_plan_mode != XS_PLAN_ABSENT)
        xs_plan_lines(XS_REPAIR_STAGE, &lines);
    return (xs_plan_mode == XS_PLAN_ABSENT || lines > 0) && !atomic_load(&xs_repair_may_hold) &&
           atomic_load(&xs_repair_captures) == 0;
}

/* Prepares the buffers and threads after the program's first allocation, which mostly comes before its loops. Otherwise
 * the first copies would wait for page-locking (5 to 20 ms) and for the start of the threads. */
static void after(const struct xs_repair_call *call) {
    static _Atomic bool is_done;
    int8_t device;
    if (XS_LIKELY(call->category != XS_CAT_ALLOCATE || call->result != CUDA_SUCCESS ||
                  atomic_load_explicit(&is_done, memory_order_relaxed)) ||
        !may_be_needed())
        return;
    CUcontext context = xs_context_ask(&device);
    if (context && !atomic_exchange(&is_done, true))
        xs_on_scratch(fill_ring, context);
}

const struct xs_repair_hooks xs_repair_stage = {.start = start, .copy = stage_copy, .before = before, .after = after};
