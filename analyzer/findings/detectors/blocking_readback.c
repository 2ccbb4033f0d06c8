/* blocking-readback: a download that the host waits for again and again, though the copy itself takes little of the
 * time. Memory use grows with the number of call sites. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/findings/detectors/repeats.h"
#include "analyzer/findings/engine/blocked.h"

/* Counts a download. `wait` is the wait that blocked the host until the copy's end; NULL: the copy's own call did. */
static void count(struct xs_detection *detection, const struct xs_trace_event *download,
                  const struct xs_trace_event *wait) {
    struct xs_instance instance;
    uint64_t host_ns = xs_event_host_ns(download) + (wait ? xs_event_host_ns(wait) : 0);
    xs_instance_of(&instance, download, "this download");
    if (!download->timed || !xs_is_mostly_wait(host_ns, download->device_ns))
        return;
    instance.cost = instance.removable = (struct xs_times){.host_ns = host_ns};
    if (wait)
        xs_add_evidence(&instance, XS_EVIDENCE_SYNC, wait->id, XS_ROLE_WAIT);
    struct xs_repeats *repeats = detection->state;
    repeats->least = XS_REPEATS_LEAST_LONG;
    xs_repeats_add_host(repeats, detection, &instance, download->account);
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_trace_event *wait, *download = xs_awaited_download(event, detection->link, &wait);
    if (download && download->u.transfer.bytes > XS_SCALAR_BYTES)
        count(detection, download, wait);
}

static void finish(struct xs_detection *detection) { xs_repeats_finish(detection->state, detection); }

static void end(struct xs_detection *detection) { xs_repeats_end(detection->state, detection); }

const struct xs_detector xs_detector_blocking_readback = {
    .id = "blocking-readback",
    .title = "downloads that hold up the host for longer than the copy takes",
    .definition = "At least 3 downloads of more than 64 bytes from one place, each of which blocked the host for at "
                  "least twice the copy's own time, together for at least 5 % of the run.",
    .remedy = "Do on the device what the host does with the data, or read it later: download into pinned memory, and "
              "wait when the data is needed.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_READ_LATER,
    .needs = XS_NEEDS_DEVICE_RECORDS,
    .wants = XS_WANT(XS_ON_TRANSFER) | XS_WANT(XS_ON_SYNC),
    .state_bytes = sizeof(struct xs_repeats),
    .on_event = on_event,
    .finish = finish,
    .end = end,
};
