/* Compares contents through page-locked buffers. */
#define _GNU_SOURCE
#include "preload/repair/compare.h"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/direct_access.h"
#include "preload/core/futex.h"
#include "preload/core/thread.h"
#include "preload/driver/capture_mode.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/real.h"
#include "preload/repair/reasons.h"
#include "preload/repair/stream_order.h"
#include "schema/clock.h"

/* The first piece is small, because contents that differ mostly differ everywhere. */
#define FIRST_PIECE ((size_t)64 << 10)
#define PIECE ((size_t)1 << 20)
#define LOOKERS 8
#define PATIENCE_NS UINT64_C(2000000000)
#define SPIN_NS UINT64_C(200000) /* afterwards the thread sleeps between two checks */

/* Two buffers: one is filled while the other is compared. If a signal handler jumps out of the driver's call, the two
 * remain taken until the end of the process, because the device may still write into them. */
static struct looker {
    _Atomic bool taken;
    unsigned char *piece[2]; /* in memory that the library mapped, so that they remain when a context is destroyed */
    CUevent filled[2];
    CUcontext context; /* context of the events; NULL: there are none */
    unsigned life;     /* value of `lives` when the events were made */
    bool failed;
} lookers[LOOKERS];
static _Atomic unsigned lives; /* counts the calls that may have destroyed a context */

/* ---- buffers ---- */

/* Makes the buffers and the events. If page-locking fails, the driver treats the buffers as pageable memory, which is
 * slower but correct. */
static void make(void *arg) {
    struct looker *l = arg;
    if (!l->piece[0]) {
        void *memory = mmap(NULL, 2 * PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
            return;
        xs_beneath(cuMemHostRegister_v2)(memory, 2 * PIECE, CU_MEMHOSTREGISTER_PORTABLE);
        l->piece[0] = memory;
        l->piece[1] = l->piece[0] + PIECE;
    }
    __typeof__(&cuEventCreate) create = xs_driver(cuEventCreate);
    l->failed = !create || create(&l->filled[0], CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS ||
                create(&l->filled[1], CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS;
}

static bool is_ready(const struct looker *l, CUcontext context) {
    return l->context == context && l->life == atomic_load(&lives) && !l->failed;
}

/* Takes a free pair of buffers: one with events of this context, or else one without events, or else any. NULL: none is
 * free within the budget. */
static struct looker *take(CUcontext context) {
    for (int round = 0; round < 3; round++) {
        for (unsigned i = 0; i < LOOKERS && (i + 1) * 2 * PIECE <= xs_repair_budget_bytes; i++) {
            struct looker *l = &lookers[i];
            if (atomic_exchange(&l->taken, true))
                continue;
            if (is_ready(l, context) || (round == 1 && !l->context) || round == 2)
                return l;
            atomic_store(&l->taken, false);
        }
    }
    return NULL;
}

static bool prepare(struct looker *l, CUcontext context) {
    if (is_ready(l, context))
        return true;
    if (l->context && !l->failed && l->life == atomic_load(&lives) && xs_driver(cuEventDestroy_v2)) {
        xs_driver(cuEventDestroy_v2)(l->filled[0]); /* the event belongs to another context, which still exists */
        xs_driver(cuEventDestroy_v2)(l->filled[1]);
    }
    l->context = context;
    l->life = atomic_load(&lives);
    l->failed = true;
    return xs_beneath(cuMemHostRegister_v2) && xs_beneath(cuEventRecord) && xs_on_scratch(make, l) && !l->failed;
}

void xs_contents_saw(const struct xs_repair_call *call) {
    if (call->category == XS_CAT_CONTEXT && call->row != XS_ROW_cuDevicePrimaryCtxRetain)
        atomic_fetch_add(&lives, 1);
}

/* ---- comparing ---- */

enum contents { EQUAL, DIFFER, UNKNOWN };

/* Waits for an event. `until`: time at which to stop waiting; 0: there is no limit. */
static CUresult wait_for(CUevent event, uint64_t until) {
    __typeof__(&cuEventQuery) query = xs_driver(cuEventQuery);
    const uint64_t begun = xs_monotonic_ns();
    for (;;) {
        CUresult r = query ? query(event) : CUDA_ERROR_NOT_SUPPORTED;
        uint64_t now = xs_monotonic_ns();
        if (r != CUDA_ERROR_NOT_READY || (until && now > until))
            return r;
        if (now - begun > SPIN_NS) {
            static _Atomic uint32_t never;
            xs_futex_wait(&never, 0, 1); /* no cancellation point */
        } else {
            sched_yield();
        }
    }
}

struct comparison {
    struct looker *by;
    CUstream stream;
    uint64_t device, host;
    size_t bytes, begun, done;
    unsigned begun_pieces;
    size_t length[2];
};

static CUresult begin_piece(struct comparison *c) {
    unsigned i = c->begun_pieces % 2;
    size_t most = c->begun == 0 ? FIRST_PIECE : PIECE;
    c->length[i] = c->bytes - c->begun < most ? c->bytes - c->begun : most;
    CUresult r = xs_beneath(cuMemcpyDtoHAsync_v2)(c->by->piece[i], c->device + c->begun, c->length[i], c->stream);
    r = r == CUDA_SUCCESS ? xs_beneath(cuEventRecord)(c->by->filled[i], c->stream) : r;
    c->begun += c->length[i];
    c->begun_pieces += r == CUDA_SUCCESS;
    return r;
}

static enum contents compare(struct comparison *c, uint64_t until, CUresult *r) {
    *r = begin_piece(c);
    for (unsigned piece = 0; *r == CUDA_SUCCESS; piece++) {
        if (c->begun < c->bytes && (*r = begin_piece(c)) != CUDA_SUCCESS)
            break;
        *r = wait_for(c->by->filled[piece % 2], until);
        if (*r != CUDA_SUCCESS)
            break;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the program's own pointer
        if (memcmp((const char *)(uintptr_t)c->host + c->done, c->by->piece[piece % 2], c->length[piece % 2]) != 0)
            return DIFFER;
        c->done += c->length[piece % 2];
        if (c->done == c->bytes)
            return EQUAL;
    }
    return UNKNOWN;
}

/* True if the program can read the first and the last byte of the memory. If it cannot, the copy goes to the driver,
 * which reports the error or faults. */
static bool can_be_read(uint64_t address, size_t bytes) {
    char ends[2];
    struct iovec local[2] = {{ends, 1}, {ends + 1, 1}};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): the program's own pointer
    struct iovec remote[2] = {{(void *)(uintptr_t)address, 1}, {(void *)(uintptr_t)(address + bytes - 1), 1}};
    int before = errno;
    long n = syscall(SYS_process_vm_readv, syscall(SYS_getpid), local, 2UL, remote, 2UL, 0UL);
    bool is_bad = n != 2 && (n >= 0 || errno == EFAULT);
    errno = before;
    return !is_bad;
}

/* Compares the copy's host side with as many bytes of device memory from `device` on. Both are compared as they are
 * after all work that was given to the copy's stream before this call. Waits for that work, as a blocking upload does;
 * for an asynchronous copy at most two seconds. UNKNOWN: *why has the reason. The caller has checked that no stream
 * captures a graph (xs_repair_unfit). */
static enum contents look(const struct xs_repair_copy *copy, uint64_t device, const char **why) {
    struct comparison c = {.stream = xs_stream_handle(copy->stream, copy->is_per_thread),
                           .device = device,
                           .host = copy->host,
                           .bytes = copy->bytes};
    CUresult r;
    xs_repair_settle();
    if (!can_be_read(copy->host, copy->bytes)) {
        *why = "the source cannot be read";
        return UNKNOWN;
    }
    c.by = take(copy->context);
    if (!c.by) {
        *why = "no page-locked memory left to compare with";
        return UNKNOWN;
    }
    struct xs_capture_mode mode = xs_capture_mode_relax(); /* this must not end a stream capture that begins now */
    enum contents found = UNKNOWN;
    *why = "the driver refused to compare";
    if (prepare(c.by, copy->context)) {
        uint64_t until = copy->is_blocking ? 0 : xs_monotonic_ns() + PATIENCE_NS;
        found = compare(&c, until, &r);
        *why = r == CUDA_ERROR_NOT_READY ? "the stream stayed busy" : *why;
        /* The buffers are given back only if no piece is being copied into them any more. */
        if (c.begun_pieces == 0 || wait_for(c.by->filled[(c.begun_pieces - 1) % 2], until) == CUDA_SUCCESS)
            atomic_store(&c.by->taken, false);
    } else {
        atomic_store(&c.by->taken, false);
    }
    xs_capture_mode_restore(mode);
    xs_cupti_correlation = 0; /* the device's records of this comparison do not belong to the upload */
    return found;
}

const char *xs_contents_differ(struct xs_back_off *back_off, const struct xs_repair_copy *copy, uint64_t device) {
    const char *why = NULL;
    if (!xs_back_off_is_due(back_off, copy->device, copy->bytes))
        return "contents kept differing";
    enum contents found = look(copy, device, &why);
    if (found == UNKNOWN)
        return why;
    xs_back_off_found(back_off, copy->device, copy->bytes, found == DIFFER);
    return found == DIFFER ? "contents differ" : NULL;
}

void xs_contents_verify(enum xs_repair_id repair, const struct xs_repair_copy *copy, uint64_t device) {
    const char *why = XS_WHY_MAY_HOLD;
    enum contents found = UNKNOWN;
    if (copy->is_blocking || !atomic_load(&xs_repair_may_hold))
        found = look(copy, device, &why);
    if (found == UNKNOWN)
        xs_repair_refused(repair, why);
    else
        xs_repair_checked(repair, found == DIFFER);
}

/* ---- conditions ---- */

const char *xs_contents_untouchable(const struct xs_repair_copy *copy) {
    if (!copy->is_upload)
        return "no upload";
    const char *why = xs_repair_unfit(copy);
    if (!why && atomic_load(&xs_repair_handed_out))
        return "memory was handed to others";
    return !why && xs_direct_access_is_possible() ? XS_WHY_DIRECT : why;
}

static bool is_idle(const struct xs_repair_copy *copy) {
    return xs_beneath(cuStreamQuery) &&
           xs_beneath(cuStreamQuery)(xs_stream_handle(copy->stream, copy->is_per_thread)) == CUDA_SUCCESS;
}

const char *xs_contents_unfit(const struct xs_repair_copy *copy) {
    struct xs_memory_range host;
    int8_t device;
    if (copy->host_kind != XS_MEM_PAGEABLE) {
        return copy->is_blocking ? "page-locked, so a look would take longer"
                                 : "page-locked, so the program may still change it";
    }
    if (copy->bytes < XS_CONTENTS_LEAST_BYTES)
        return XS_WHY_SMALL;
    if (copy->range.start == copy->range.end)
        return "memory whose allocation is not known";
    xs_context_ask(&device);
    if (copy->range.context != (uint64_t)(uintptr_t)copy->context || copy->range.device != device)
        return XS_WHY_OTHER_CONTEXT;
    if (xs_map_find(copy->host, &host) && host.slow_to_read)
        return "memory that the processor reads slowly";
    if (atomic_load(&xs_repair_may_hold))
        return XS_WHY_MAY_HOLD;
    if (!copy->is_blocking && ((xs_streams_is_legacy(copy) && xs_streams_are_several()) || !is_idle(copy)))
        return "the stream is busy";
    return NULL;
}
