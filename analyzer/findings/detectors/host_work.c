/* host-work: the program downloads data and works on it while the device waits, again and again. Memory use grows with
 * the number of call sites and of threads. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/findings/detectors/repeats.h"
#include "analyzer/trace/scan.h"

/* The shortest work that counts. Shorter pauses are the host's usual time between two calls. */
enum { LEAST_NS = 20000 };

/* A thread that has downloaded data and has not given the device more work yet. */
struct thread {
    bool is_at_work;
    struct xs_instance instance; /* instance about the download */
    struct xs_account *account;
    int64_t returned_ns; /* when its latest call returned */
    uint64_t work_ns;    /* the program's own time since it has the data */
};

struct state {
    struct xs_repeats repeats;
    struct xs_hash threads; /* by thread.id: struct thread */
};

static void begin_work(struct thread *thread, const struct xs_trace_event *download,
                       const struct xs_trace_event *wait) {
    xs_instance_of(&thread->instance, download, "this download");
    if (wait)
        xs_add_evidence(&thread->instance, XS_EVIDENCE_SYNC, wait->id, XS_ROLE_WAIT);
    thread->account = xs_account_keep(download->account);
    thread->is_at_work = true;
    thread->work_ns = 0;
    thread->returned_ns = (wait ? wait : download)->return_ns;
}

static void forget(struct xs_detection *detection, struct thread *thread) {
    if (thread->is_at_work)
        xs_account_release(detection->analysis, thread->account);
    thread->is_at_work = false;
}

/* Ends the work: the thread gives the device more work now. */
static void end_work(struct xs_detection *detection, struct thread *thread) {
    struct state *state = detection->state;
    if (thread->work_ns >= LEAST_NS) {
        thread->instance.cost = thread->instance.removable = (struct xs_times){.host_ns = thread->work_ns};
        state->repeats.least = XS_REPEATS_LEAST_LONG;
        xs_repeats_add_host(&state->repeats, detection, &thread->instance, thread->account);
    }
    forget(detection, thread);
}

static bool gives_work(const struct xs_trace_event *event) {
    return event->on == XS_ON_TRANSFER || event->on == XS_ON_LAUNCH || event->on == XS_ON_MEMSET;
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    struct thread *thread = xs_hash_item(&state->threads, (uint64_t)event->thread, 0, sizeof *thread);
    if (thread->is_at_work && event->enter_ns > thread->returned_ns)
        thread->work_ns = xs_sum(thread->work_ns, (uint64_t)event->enter_ns - (uint64_t)thread->returned_ns);
    if (event->return_ns > thread->returned_ns)
        thread->returned_ns = event->return_ns;
    if (thread->is_at_work && gives_work(event))
        end_work(detection, thread);
    const struct xs_trace_event *download = event->on == XS_ON_SYNC ? event->u.sync.copy : event;
    if (!download || !xs_is_download(download) || download->u.transfer.bytes <= XS_SCALAR_BYTES)
        return;
    if (event->on == XS_ON_SYNC || !download->is_async) {
        forget(detection, thread);
        begin_work(thread, download, event->on == XS_ON_SYNC ? event : NULL);
    }
}

static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->threads, entry));)
        forget(detection, (struct thread *)(uintptr_t)entry->value);
}

static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_repeats_finish(&state->repeats, detection);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    on_gap(detection);
    xs_hash_free(&state->threads);
    xs_repeats_end(&state->repeats, detection);
}

const struct xs_detector xs_detector_host_work = {
    .id = "host-work",
    .title = "work of the host on downloaded data while the device waits",
    .definition = "At least 3 downloads of more than 64 bytes at one place, after each of which the thread worked for "
                  "at least 20 us before it gave the device more work, together for at least 5 % of the run.",
    .remedy = "Do this work on the device, or give the device its next work first.",
    .kind = XS_POTENTIAL,
    .repair = XS_REPAIR_WORK_ON_DEVICE,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_MEMSET) | XS_WANT(XS_ON_SYNC) |
             XS_WANT(XS_ON_API) | XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .finish = finish,
    .end = end,
};
