/* The repair stage: a copy from or to pageable memory goes in chunks through page-locked buffers. Several threads
 * fill or empty the buffers (copiers.h) while the device copies other buffers in the program's own stream.
 *
 * CUDA's contract for pageable memory is kept. Where a driver does more than CUDA promises, that is kept, too:
 * - the source of an upload is read before the call returns, but not before the end of what the call waits for;
 * - a blocking upload returns when the destination has the content;
 * - a download returns when the host has the content, also an asynchronous one;
 * - a call waits only for the work of its own stream, and only if the driver would: asynchronous uploads of up to
 *   NO_WAIT_BYTES do not wait. A buffer is never in use by another copy (ring.h);
 * - signals are handled while a call waits for earlier work; they wait only while its own chunks are copied. */
#include <stdint.h>

#include "preload/core/alternate_stack.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/real.h"
#include "preload/repair/copiers.h"
#include "preload/repair/reasons.h"
#include "preload/repair/repair_plan.h"
#include "preload/repair/ring.h"

/* Below this size, waking the other threads (tens of microseconds) takes as long as the driver's whole copy: 512 KiB
 * at the 8 to 15 GB/s that pageable memory reached on an H100 with PCIe 5 take 35 to 65 us, page-locked 15. */
#define LEAST_BYTES ((size_t)512 << 10)
/* Up to this size the driver (580) stages an asynchronous upload and returns; it waits for larger ones. */
#define NO_WAIT_BYTES ((size_t)2 << 20)
/* A small copy has small chunks, so that the device begins early; large chunks save calls. */
#define BUFFER_BYTES ((size_t)2 << 20)
#define SMALL_CHUNK_BYTES ((size_t)256 << 10)
#define MEDIUM_COPY_BYTES ((size_t)8 << 20)
#define MEDIUM_CHUNK_BYTES ((size_t)1 << 20)
#define LARGE_COPY_BYTES ((size_t)32 << 20)
/* The least download that is written past the caches: they can hold a smaller one for the program to read. */
#define STREAMING_DOWN_BYTES ((size_t)4 << 20)

_Static_assert(NO_WAIT_BYTES <= XS_COPY_PARTS * SMALL_CHUNK_BYTES, "an upload that must not wait has its own buffers");

static struct xs_ring ring = {.bytes = BUFFER_BYTES};

/* The result of a copy. */
struct outcome {
    const struct xs_repair_copy *copy;
    const char *why; /* reason why the driver makes the copy; NULL: it is done, with this result */
    CUresult result;
    struct xs_ring_buffer *ahead; /* buffer with an event for the stream's work before the copy; nothing is done yet */
    bool has_waited;              /* that work is over */
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

/* Takes as many buffers as are available. False: too few. */
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

/* Lets the buffer be free after the chunk's copy in the stream. */
static CUresult mark(struct staging *s, unsigned chunk) {
    struct xs_ring_buffer *buffer = buffer_of(s, chunk);
    CUresult result = xs_ring_mark(buffer, s->stream);
    if (result != CUDA_SUCCESS)
        buffer->context = NULL; /* nothing tells when the device no longer needs it, so no copy may take it again */
    return result;
}

/* Can the buffers' events be recorded in the stream? Not if it belongs to another context. Afterwards the first
 * buffer's event marks the work that was queued before. */
static bool try_stream(struct staging *s) { return xs_ring_mark(s->buffers[0], s->stream) == CUDA_SUCCESS; }

/* Must the copy wait for its stream before its own chunks are queued? That is not done on the scratch stack: it may
 * take long, and signals are handled meanwhile. True: there is something to wait for, and the event is the caller's. */
static bool must_wait(struct staging *s, struct outcome *outcome) {
    if (!may_wait(s->copy) || outcome->has_waited || xs_ring_is_free(s->buffers[0])) {
        s->buffers[0]->is_under_way = false; /* it contains nothing of the program yet */
        return false;
    }
    outcome->ahead = s->buffers[0];
    s->buffers[0] = s->buffers[--s->count];
    return true;
}

/* Sends a chunk that lies in its buffer. */
static CUresult send(struct staging *s, unsigned chunk) {
    CUresult result = xs_beneath(cuMemcpyHtoDAsync_v2)(s->copy->device + offset_of(s, chunk),
                                                       buffer_of(s, chunk)->memory, bytes_of(s, chunk), s->stream);
    return result == CUDA_SUCCESS ? mark(s, chunk) : result;
}

static void fill(struct staging *s, unsigned chunk) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the program's memory
    const char *from = (const char *)(uintptr_t)s->copy->host + offset_of(s, chunk);
    xs_copy_add(s->job, buffer_of(s, chunk)->memory, from, bytes_of(s, chunk));
}

/* Uploads the chunks, which are in three states, in order: sent, being filled, and not begun. */
static unsigned upload_chunks(struct staging *s) {
    unsigned filled = 0, sent = 0, rests = 0;
    while (sent < s->chunks) {
        if (filled < s->chunks && filled - sent < s->count && xs_ring_is_free(buffer_of(s, filled))) {
            fill(s, filled++);
        } else if (sent < filled && xs_copy_is_done(s->job, sent)) {
            s->result = send(s, sent);
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

/* Uploads. False: nothing is done. */
static bool upload(struct staging *s) {
    s->job = xs_copy_begin(&s->alone, s->chunk_bytes, true);
    unsigned sent = upload_chunks(s);
    xs_copy_end(s->job);
    if (s->result == CUDA_SUCCESS && s->copy->is_blocking)
        s->result = xs_ring_wait(buffer_of(s, s->chunks - 1)); /* the last one in the stream's order */
    return sent > 0;
}

static CUresult fetch(struct staging *s, unsigned chunk) {
    CUresult result = xs_beneath(cuMemcpyDtoHAsync_v2)(
        buffer_of(s, chunk)->memory, s->copy->device + offset_of(s, chunk), bytes_of(s, chunk), s->stream);
    return result == CUDA_SUCCESS ? mark(s, chunk) : result;
}

static void empty(struct staging *s, unsigned chunk) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the program's memory
    char *to = (char *)(uintptr_t)s->copy->host + offset_of(s, chunk);
    xs_copy_add(s->job, to, buffer_of(s, chunk)->memory, bytes_of(s, chunk));
}

/* Downloads the chunks, which are in four states, in order: done, being copied to the host's memory, on their way
 * from the device, not begun. */
static unsigned download_chunks(struct staging *s) {
    unsigned fetched = 0, landed = 0, done = 0, rests = 0;
    while (done < s->chunks) {
        if (fetched < s->chunks && fetched - done < s->count) {
            s->result = fetch(s, fetched);
            if (s->result != CUDA_SUCCESS)
                break;
            fetched++;
        } else if (landed < fetched && xs_ring_is_free(buffer_of(s, landed))) {
            empty(s, landed++);
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

static bool download(struct staging *s) {
    s->job = xs_copy_begin(&s->alone, s->chunk_bytes, s->copy->bytes >= STREAMING_DOWN_BYTES);
    unsigned fetched = download_chunks(s);
    xs_copy_end(s->job);
    return fetched > 0;
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
    if (!take_buffers(&s))
        outcome->why = "no page-locked buffer";
    else if (!try_stream(&s) || (!must_wait(&s, outcome) && !(copy->is_upload ? upload(&s) : download(&s))))
        outcome->why = "the driver refused";
    outcome->result = s.result;
    put_buffers(&s);
}

static void begin(struct outcome *outcome) {
    if (!xs_on_scratch(stage, outcome))
        outcome->why = "no memory for a stack";
}

/* Waits on the program's own stack, perhaps for long. False: the driver must report the error. */
static bool wait_ahead(struct outcome *outcome) {
    outcome->has_waited = xs_ring_wait(outcome->ahead) == CUDA_SUCCESS;
    xs_ring_put(outcome->ahead);
    outcome->ahead = NULL;
    return outcome->has_waited;
}

static const char *unfit(const struct xs_repair_copy *copy) {
    const char *why = copy->bytes < LEAST_BYTES ? XS_WHY_SMALL : xs_repair_unfit(copy);
    if (!why && copy->range.start == copy->range.end)
        why = "device memory that is not known"; /* the driver says what is wrong with it */
    return !why && copy->bytes > XS_JOB_BYTES_MAX ? "too large" : why;
}

static bool stage_copy(const struct xs_repair_copy *copy, CUresult *result) {
    bool is_planned = xs_plan_mode != XS_PLAN_NONE && xs_plan_of_copy(XS_REPAIR_STAGE, copy);
    if ((xs_plan_mode != XS_PLAN_NONE && !is_planned) || copy->host_kind != XS_MEM_PAGEABLE ||
        (copy->bytes < LEAST_BYTES && !is_planned))
        return false; /* small copies are many, so only those of a plan are counted as refused */
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

/* Fills at most half of the ring for the first context: other contexts may need buffers. */
static void fill_ring(void *context) {
    unsigned half = (ring.count + 1) / 2;
    xs_ring_fill(&ring, context, half < XS_COPY_PARTS ? half : XS_COPY_PARTS);
    xs_copy_helpers();
}

static bool may_be_needed(void) {
    unsigned lines = 0;
    if (xs_plan_mode != XS_PLAN_NONE)
        xs_plan_lines(XS_REPAIR_STAGE, &lines);
    return (xs_plan_mode == XS_PLAN_NONE || lines > 0) && !atomic_load(&xs_repair_may_hold) &&
           atomic_load(&xs_repair_captures) == 0;
}

/* Prepares at the program's first allocation on a device, which comes before its loops: otherwise the first copies
 * would wait for page-locking (5 to 20 ms) and for the threads. */
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

const struct xs_repair xs_repair_stage = {.start = start, .copy = stage_copy, .before = before, .after = after};
