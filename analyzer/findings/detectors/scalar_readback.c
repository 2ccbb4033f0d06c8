/* scalar-readback: a few bytes that are downloaded again and again, while the host waits each time. Memory use grows
 * with the number of call sites. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/base/hash.h"
#include "analyzer/findings/detectors/repeats.h"
#include "analyzer/findings/engine/blocked.h"

/* An address from which a value was read, and the number of events before it that could have written there. */
struct reading {
    int64_t allocation;
    uint64_t address, bytes, writes;
};

struct state {
    struct xs_repeats repeats;
    struct xs_hash last; /* by site number: struct reading */
    uint64_t writes;     /* number of launches, memsets, and transfers that are no downloads */
};

/* Returns how long the host waited for kernels before the copy. This does not count, because without the copy the host
 * waits for them elsewhere. */
static uint64_t waited_ns(struct xs_detection *detection, const struct xs_trace_event *download,
                          const struct xs_trace_event *call) {
    int64_t until = download->timed && download->start_ns < call->return_ns ? download->start_ns : call->return_ns;
    uint64_t ns = xs_kernels_between(detection, download->device, call->enter_ns, until);
    return ns < xs_event_host_ns(call) ? ns : xs_event_host_ns(call);
}

/* True if one copy could have read this value together with the previous one, because the gap between them is at most
 * as large as a value may be. */
static bool is_neighbour(struct state *state, const struct xs_trace_event *download) {
    const struct xs_transfer_view *t = &download->u.transfer;
    struct reading *at = xs_hash_item(&state->last, download->site, 0, sizeof *at);
    struct reading last = *at, now = {t->src_allocation, t->src_address, t->bytes, state->writes};
    *at = now;
    if (!now.allocation || now.allocation != last.allocation || now.writes != last.writes)
        return false;
    uint64_t end = now.address > last.address ? last.address + last.bytes : now.address + now.bytes;
    uint64_t next = now.address > last.address ? now.address : last.address;
    return now.address != last.address && next >= end && next - end <= XS_SCALAR_BYTES;
}

/* Counts a download. `wait` is the wait that blocked the host until the copy's end; NULL: the copy's own call did. */
static void count(struct xs_detection *detection, const struct xs_trace_event *download,
                  const struct xs_trace_event *wait) {
    struct state *state = detection->state;
    struct xs_instance instance;
    xs_instance_of(&instance, download, "this download");
    instance.neighbour = is_neighbour(state, download);
    uint64_t host_ns = xs_event_host_ns(download) + (wait ? xs_event_host_ns(wait) : 0);
    instance.cost = (struct xs_times){.host_ns = host_ns};
    instance.removable = (struct xs_times){.host_ns = host_ns - waited_ns(detection, download, wait ? wait : download)};
    instance.without_kernels = detection->kernels_recorded && download->timed;
    if (wait)
        xs_add_evidence(&instance, XS_EVIDENCE_SYNC, wait->id, XS_ROLE_WAIT);
    xs_repeats_add(&state->repeats, detection, &instance, download->account);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    bool is_unknown = event->on == XS_ON_API && event->u.api.traits & XS_TRAIT_DOES_ANYTHING;
    state->writes += event->on == XS_ON_LAUNCH || event->on == XS_ON_MEMSET || is_unknown ||
                     (event->on == XS_ON_TRANSFER && !xs_is_download(event));
    if (event->on == XS_ON_API)
        return;
    const struct xs_trace_event *wait, *download = xs_awaited_download(event, detection->link, &wait);
    if (download && download->u.transfer.bytes <= XS_SCALAR_BYTES)
        count(detection, download, wait);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_repeats_end(&state->repeats, detection);
    xs_hash_free(&state->last);
}

const struct xs_detector xs_detector_scalar_readback = {
    .id = "scalar-readback",
    .title = "downloads of a few bytes that the host waits for",
    .definition =
        "At least 10 blocking downloads of at most 64 bytes from one place, and the host waited for each of them.",
    .remedy = "Keep the value on the device, or read it less often.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_READ_ONCE,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_LAUNCH) | XS_WANT(XS_ON_MEMSET) | XS_WANT(XS_ON_SYNC) |
             XS_WANT(XS_ON_API),
    .state_bytes = sizeof(struct state),
    .on_event = on_event,
    .end = end,
};
