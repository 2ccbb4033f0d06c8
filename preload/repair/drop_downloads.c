/* The repair drop-downloads: a download is left out if nobody reads what it brings. Nothing can prove that beforehand.
 * So the repair is made in trials only (`xferspy try`), of the downloads that nobody read in the trace, and the memory
 * stays watched in this very run (hostreads/host_reads.h). If one page of it is accessed, the log says so, and the
 * trial ends with an error.
 *
 * A *place* is the host memory of a download that was left out. It is watched from the first such download to the end
 * of the process, or until the program frees it or another copy overwrites it. What is watched:
 * - Whole pages, from the beginning of the first one to the end of the last one. An access to what lies beside the
 *   place in these pages counts, too. So no byte of the download has to be copied, and no access is missed; but a trial
 *   may end although only a neighbour was accessed.
 * - Uploads from the place by the program. The device reads page-locked memory without a trace in the processor's
 *   accessed bits. Other ways in which the device may read the place are in the trace: a download that it read in such
 *   a way is in no plan (analyzer/findings/detectors/watched_downloads.c).
 * Where a place cannot be watched, the download is made. Where watching ended without a result, the log says so, and
 * the trial ends with an error, too.
 *
 * Unchanged behaviour: a download that would wait for its stream still does (drop_uploads.c says why). In the legacy
 * default stream, one byte is still copied, to the thread's stack, once more than one stream has got work.
 *
 * In the mode verify all downloads are made. Their places are watched in the same way, and looked at before the next
 * copy into them. */
#include <stdatomic.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/lock.h"
#include "preload/core/thread.h"
#include "preload/hostreads/host_reads.h"
#include "preload/repair/reasons.h"
#include "preload/repair/repair_plan.h"
#include "preload/repair/stream_order.h"

enum { PLACES = 64 };

static struct xs_lock lock = XS_LOCK_INITIALIZER;
static struct place {
    struct xs_host_reads_region region; /* bytes == 0: the place is not used */
    const char *why;                    /* why the place cannot be watched; NULL: it is watched */
    uint64_t allocation;                /* start of the page-locked allocation; 0: not page-locked by the driver */
    bool is_brought;                    /* mode verify: a download was made that was not judged yet */
    bool is_uploaded;                   /* the device read the place by an upload of the program */
} places[PLACES];
static _Atomic unsigned used; /* number of places in use */
static bool is_over;

/* Mode verify: the place of the download that this thread makes now. */
static XS_TLS struct place *made;

static void refuse(const char *why) { xs_repair_refused(XS_REPAIR_DROP_DOWNLOADS, why); }

static bool start(const char **why) {
    *why = XS_WHY_NO_FUNCTION;
    if (!xs_beneath(cuMemcpyDtoHAsync_v2) || !xs_beneath(cuStreamSynchronize))
        return false;
    *why = "the kernel does not say which memory was accessed";
    return xs_host_reads_start();
}

/* ---- places; the lock must be held, on a scratch stack ---- */

static const char *name_of(enum xs_host_reads_doubt doubt) {
    static const char *const names[] = {
#define NAME(n, id, name) name,
        XS_HOST_READ_DOUBTS(NAME)
#undef NAME
    };
    return names[doubt];
}

static bool overlaps(const struct place *p, uint64_t address, uint64_t bytes) {
    return p->region.bytes && p->region.address < address + bytes && address < p->region.address + p->region.bytes;
}

static bool is_within(const struct place *p, uint64_t address, uint64_t bytes) {
    return p->region.address >= address && p->region.address + p->region.bytes <= address + bytes;
}

static struct place *find(const struct xs_repair_copy *copy) {
    for (struct place *p = places; p < places + PLACES; p++)
        if (p->region.address == copy->host && p->region.bytes == copy->bytes)
            return p;
    return NULL;
}

static void forget(struct place *p) {
    *p = (struct place){0};
    atomic_fetch_sub(&used, 1);
}

/* Looks whether the place was accessed, and counts what was found. `why_unsure`: why the program may access it later,
 * unwatched; NULL: it cannot. */
static void judge(struct place *p, const char *why_unsure) {
    const bool is_verified = xs_plan_mode == XS_PLAN_VERIFY;
    xs_host_reads_read(&p->region, 1);
    if (is_verified && !p->is_brought)
        return;
    bool is_accessed = p->is_uploaded || (!p->region.doubt && p->region.read_bytes);
    bool is_known = is_accessed || (!p->region.doubt && !why_unsure);
    p->is_brought = p->is_uploaded = false;
    if (!is_known)
        refuse(p->region.doubt ? name_of(p->region.doubt) : why_unsure);
    if (is_verified && is_known && !is_accessed)
        xs_repair_checked(XS_REPAIR_DROP_DOWNLOADS, false);
    else if (is_known ? is_accessed : !is_verified)
        xs_repair_accessed(XS_REPAIR_DROP_DOWNLOADS, is_known);
}

static void end(struct place *p, const char *why_unsure) {
    if (!p->why) {
        judge(p, why_unsure);
        xs_host_reads_release(&p->region, 1);
    }
    forget(p);
}

/* Ends a place into which the program makes another copy. If the copy does not overwrite all of it, the rest still
 * lacks what was not downloaded, and is no longer watched. */
static void overwrite(struct place *p, uint64_t address, uint64_t bytes) {
    end(p, is_within(p, address, bytes) ? NULL : "only a part was written again");
}

/* Watches the place, and clears its bits until it looks as if nobody had accessed it. A few pages that the program
 * wrote right before, on another processor, may need more than one attempt. Accesses do not matter yet. */
static void watch(struct place *p) {
    xs_host_reads_watch(&p->region, 1);
    for (int i = 0; i < 3 && p->region.is_watched; i++) {
        xs_host_reads_read(&p->region, 1);
        if (p->region.doubt || !p->region.read_bytes)
            return;
        xs_host_reads_clear(&p->region);
    }
}

/* Begins to watch a new place. NULL: there are too many. */
static struct place *begin(const struct xs_repair_copy *copy) {
    struct xs_memory_range range;
    struct place *p = places;
    while (p < places + PLACES && p->region.bytes)
        p++;
    if (p == places + PLACES)
        return NULL;
    *p = (struct place){.region = {.address = copy->host, .bytes = copy->bytes}};
    for (const struct place *other = places; other < places + PLACES; other++)
        if (other != p && overlaps(other, copy->host, copy->bytes))
            p->why = "it overlaps another place";
    if (!p->why)
        watch(p);
    if (!p->why && !p->region.is_watched)
        p->why = name_of(p->region.doubt);
    if (copy->host_kind == XS_MEM_PINNED && xs_map_find(copy->host, &range))
        p->allocation = range.start;
    atomic_fetch_add(&used, 1);
    return p;
}

/* ---- downloads of the plan ---- */

struct taking {
    const struct xs_repair_copy *copy;
    const char *why; /* why the download has to be made; NULL: its place is watched */
    struct place *place;
};

static void take(void *argument) {
    struct taking *t = argument;
    xs_lock(&lock);
    struct place *p = is_over ? NULL : find(t->copy);
    if (p && !p->why && xs_plan_mode == XS_PLAN_VERIFY) {
        judge(p, NULL);
        if (p->region.doubt) { /* the program may have put other memory there */
            end(p, NULL);
            p = NULL;
        }
    }
    p = p || is_over ? p : begin(t->copy);
    t->place = p;
    t->why = p ? p->why : is_over ? "the process ends" : "too many places";
    if (!t->why && xs_plan_mode == XS_PLAN_VERIFY)
        p->is_brought = true;
    xs_unlock(&lock);
}

/* Waits as the download would, and keeps the order of the streams as the download would. Returns NULL, or why that is
 * not possible. */
static const char *keep_order(const struct xs_repair_copy *copy) {
    bool has_marker = xs_streams_is_legacy(copy) && xs_streams_are_several();
    bool waits = copy->is_blocking || copy->host_kind == XS_MEM_PAGEABLE;
    CUstream stream = xs_stream_handle(copy->stream, copy->is_per_thread);
    unsigned char byte;
    CUresult r = CUDA_SUCCESS;
    if (!waits)
        return has_marker ? "asynchronous, beside other streams" : NULL;
    xs_repair_settle();
    if (has_marker)
        r = xs_beneath(cuMemcpyDtoHAsync_v2)(&byte, copy->device, 1, stream);
    /* In any case, because the copy writes to this stack. */
    CUresult waited = xs_beneath(cuStreamSynchronize)(stream);
    return r == CUDA_SUCCESS && waited == CUDA_SUCCESS ? NULL : XS_WHY_DRIVER_ERROR;
}

/* Returns why the download has to be made; NULL: it was left out. */
static const char *leave_out(const struct xs_repair_copy *copy) {
    struct taking taking = {.copy = copy, .why = "no memory for a stack"};
    const char *why = copy->is_upload ? "no download" : xs_repair_unfit(copy);
    if (why)
        return why;
    why = xs_plan_mode == XS_PLAN_APPLY ? keep_order(copy) : NULL;
    if (why)
        return why;
    xs_on_scratch(take, &taking);
    made = taking.why || xs_plan_mode == XS_PLAN_APPLY ? NULL : taking.place;
    return taking.why;
}

static bool offer(const struct xs_repair_copy *copy, CUresult *result) {
    made = NULL;
    xs_streams_saw_stream(copy);
    if (!xs_plan_of_copy(XS_REPAIR_DROP_DOWNLOADS, copy))
        return false;
    const char *why = leave_out(copy);
    if (why)
        refuse(why);
    if (why || xs_plan_mode == XS_PLAN_VERIFY)
        return false;
    xs_repair_applied(XS_REPAIR_DROP_DOWNLOADS, copy->bytes);
    xs_cupti_correlation = 0; /* no device work belongs to this download */
    *result = CUDA_SUCCESS;
    return true;
}

/* ---- other calls ---- */

/* True if the upload is made only because the plan is being checked: in mode apply it does not read the host. */
static bool is_replaced(const struct xs_repair_copy *copy) {
    return xs_plan_mode == XS_PLAN_VERIFY &&
           (xs_plan_of_copy(XS_REPAIR_DROP_UPLOADS, copy) || xs_plan_of_copy(XS_REPAIR_STAY_ON_DEVICE, copy));
}

static void see(void *argument) {
    const struct xs_repair_call *call = argument;
    const struct xs_repair_copy *copy = call->copy;
    xs_lock(&lock);
    for (struct place *p = places; p < places + PLACES; p++)
        if (call->freed && p->allocation == call->freed)
            end(p, NULL);
        else if (!copy || p == made || !overlaps(p, copy->host, copy->bytes))
            continue;
        else if (!copy->is_upload)
            overwrite(p, copy->host, copy->bytes);
        else if (!is_replaced(copy))
            p->is_uploaded = true;
    xs_unlock(&lock);
}

static void before(const struct xs_repair_call *call) {
    xs_streams_saw(call);
    if (XS_LIKELY(!atomic_load_explicit(&used, memory_order_relaxed)) || (!call->copy && !call->freed))
        return;
    struct xs_repair_call seen = *call;
    xs_on_scratch_or_here(see, &seen);
}

/* The processor may have made the copy, and so have accessed the place itself. */
static void clear(void *argument) {
    const struct xs_repair_call *call = argument;
    xs_lock(&lock);
    if (call->result != CUDA_SUCCESS)
        made->is_brought = false;
    else if (call->copy->is_blocking || call->copy->host_kind == XS_MEM_PAGEABLE)
        xs_host_reads_clear(&made->region);
    xs_unlock(&lock);
    made = NULL;
}

static void after(const struct xs_repair_call *call) {
    if (XS_LIKELY(!made) || !call->copy)
        return;
    struct xs_repair_call seen = *call;
    xs_on_scratch_or_here(clear, &seen);
}

static void end_all(void *argument) {
    (void)argument;
    xs_lock(&lock);
    is_over = true;
    for (struct place *p = places; p < places + PLACES; p++)
        if (p->region.bytes)
            end(p, NULL);
    xs_unlock(&lock);
}

static void finish(void) { xs_on_scratch_or_here(end_all, NULL); }

const struct xs_repair_hooks xs_repair_drop_downloads = {
    .is_for_trials = true, .start = start, .copy = offer, .before = before, .after = after, .finish = finish};
