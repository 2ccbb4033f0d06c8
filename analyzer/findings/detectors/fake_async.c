/* fake-async: an asynchronous copy that blocked the host until it ended, because its host memory is pageable, in a
 * thread whose next call was not a wait for the copy. If the next call is such a wait, the program wanted a blocking
 * copy, so only `pageable` applies. Memory use grows with the number of threads, and with the copies of one batch
 * call. */
#include "analyzer/base/grow.h"
#include "analyzer/findings/engine/detector.h"

#include <stdlib.h>

#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/blocked.h"

/* A download of at most this size reads one value. scalar-readback reports it, whether the memory is pinned or not. */
enum { SCALAR_BYTES = 64 };

/* A copy that can be decided only when the thread's next call is known. */
struct copy {
    bool undecided;
    struct xs_instance instance;
    struct xs_account *account;
};

/* The copies of a thread's latest call, if this call is asynchronous and blocked the host. */
struct latest {
    int64_t enter_ns;
    struct copy *copies;
    size_t count, capacity;
};

struct state {
    struct xs_hash threads; /* thread.id to struct latest */
    size_t pending;         /* number of copies, over all threads */
};

/* Decides about the copies, because the thread's next call is known now. `waited`: that call waits for them. */
static void settle(struct xs_detection *detection, struct latest *latest, bool waited) {
    struct state *state = detection->state;
    for (size_t i = 0; i < latest->count; i++) {
        struct copy *copy = &latest->copies[i];
        if (!waited && copy->undecided) {
            xs_undecided(detection, "no device times");
        } else if (!waited) {
            xs_report_instance(detection, &copy->instance);
            xs_claim(detection, copy->account, &copy->instance.removable);
        }
        xs_account_release(detection->analysis, copy->account);
    }
    state->pending -= latest->count;
    latest->count = 0;
}

/* True if the call waits for copies. A free waits for the whole device, unless the memory is from a pool. */
static bool is_wait(const struct xs_trace_event *call) {
    if (call->on == XS_ON_SYNC)
        return call->u.sync.copy != NULL;
    return call->on == XS_ON_FREE && call->u.allocation->origin == XS_ORIGIN_ALLOC &&
           call->u.allocation->kind != XS_MEM_REGISTERED;
}

static bool is_of_the_same_call(const struct latest *latest, const struct xs_trace_event *event) {
    return event->on == XS_ON_TRANSFER && event->u.transfer.batch_index > 0 && event->enter_ns == latest->enter_ns;
}

static bool is_candidate(const struct xs_trace_event *event) {
    return (xs_is_upload(event) || (xs_is_download(event) && event->u.transfer.bytes > SCALAR_BYTES)) && event->ran &&
           event->is_async;
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    struct latest *latest = state->pending ? xs_hash_pointer(&state->threads, (uint32_t)event->thread, 0) : NULL;
    /* a record of an event after the copy is the first half of a wait for the copy */
    bool records = event->on == XS_ON_API && event->u.api.traits & XS_TRAIT_RECORDS_EVENT;
    if (latest && latest->count && !records && !is_of_the_same_call(latest, event))
        settle(detection, latest, is_wait(event));
    enum xs_blocked blocked = is_candidate(event) ? xs_copy_blocked(event, detection->link) : XS_BLOCKED_NOT;
    if (blocked == XS_BLOCKED_NOT)
        return;
    latest = xs_hash_item(&state->threads, (uint32_t)event->thread, 0, sizeof *latest);
    xs_grow_from(1, &latest->copies, latest->count, &latest->capacity, sizeof *latest->copies);
    struct copy *copy = &latest->copies[latest->count++];
    state->pending++;
    latest->enter_ns = event->enter_ns;
    copy->undecided = blocked == XS_BLOCKED_UNKNOWN;
    copy->account = xs_account_keep(event->account);
    xs_instance_of(&copy->instance, event, "this copy");
    copy->instance.cost = copy->instance.removable = (struct xs_times){.host_ns = xs_event_host_ns(event)};
}

/* Decides about all copies, in the order of the threads' numbers, so that every analysis gives the same order. */
static void finish(struct xs_detection *detection) {
    struct state *state = detection->state;
    while (state->pending) {
        uint64_t least = UINT64_MAX;
        for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->threads, entry));)
            if (((struct latest *)(uintptr_t)entry->value)->count && entry->low < least)
                least = entry->low;
        settle(detection, xs_hash_pointer(&state->threads, least, 0), false);
    }
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&state->threads, entry));) {
        struct latest *latest = (struct latest *)(uintptr_t)entry->value;
        for (size_t i = 0; i < latest->count; i++)
            xs_account_release(detection->analysis, latest->copies[i].account);
        free(latest->copies);
    }
    xs_hash_free(&state->threads);
}

/* Drops all copies, because it is not known which call came next. */
static void on_gap(struct xs_detection *detection) {
    struct state *state = detection->state;
    for (size_t i = state->pending; i > 0; i--)
        xs_undecided(detection, XS_UNDECIDED_CALLS);
    end(detection);
    *state = (struct state){0};
}

const struct xs_detector xs_detector_fake_async = {
    .id = "fake-async",
    .title = "asynchronous copies that blocked the host until they ended",
    .definition = "The call of an asynchronous copy with pageable host memory returned only when the copy had ended, "
                  "and the thread did not wait for the copy next.",
    .remedy = "Pin the host buffer: only then does the call return at once.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_PIN,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_ALLOCATION) | XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_MEMSET) |
             XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_SYNC) | XS_WANT(XS_ON_API) | XS_WANT_NOT_RUN,
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .on_gap = on_gap,
    .finish = finish,
    .end = end,
};
