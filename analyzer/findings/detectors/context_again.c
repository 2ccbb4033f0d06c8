/* context-again: a context was created for a device for which the program had created one before. */
#include "analyzer/base/hash.h"
#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/scan.h"

enum { LEAST_NS = 1000000 };
enum { ENDED_BEFORE, BESIDE };

/* A call that created or ended a context. */
struct call {
    int64_t row; /* row of api_call; 0: none */
    uint64_t ns;
};

/* The state of a device. */
struct device {
    int64_t ordinal;
    int64_t first;     /* row of the call that created its first context; 0: there was no such call */
    struct call ended; /* the latest call that ended a context, if no creation has followed */
    uint64_t retained; /* current number of retains of the primary context */
};

struct state {
    struct xs_hash devices; /* by ordinal: struct device */
    struct xs_hash of;      /* maps the handle of each live context that a call created to its device */
};

static struct device *device_of(struct state *state, int64_t ordinal) {
    struct device *device = xs_hash_item(&state->devices, (uint64_t)ordinal, 0, sizeof *device);
    device->ordinal = ordinal;
    return device;
}

/* Reports a creation. If the ended context had been kept, the call that ended it would not have been needed, either. */
static void report(struct xs_detection *detection, const struct xs_trace_event *event, const struct device *device) {
    bool is_beside = !device->ended.row;
    struct xs_instance instance = {
        .verdict = is_beside ? BESIDE : ENDED_BEFORE, .site = event->site, .at_ns = event->enter_ns};
    instance.cost.host_ns = xs_sum(xs_event_host_ns(event), device->ended.ns);
    instance.removable = instance.cost;
    xs_add_evidence(&instance, XS_EVIDENCE_API_CALL, event->id, "this context");
    if (is_beside)
        xs_add_evidence(&instance, XS_EVIDENCE_API_CALL, device->first, "the device's first context");
    else
        xs_add_evidence(&instance, XS_EVIDENCE_API_CALL, device->ended.row, "the end of the one before it");
    xs_report_instance(detection, &instance);
    xs_claim_unshared(detection, &instance.removable);
}

static void take_creation(struct xs_detection *detection, const struct xs_trace_event *event, struct device *device) {
    if (device->first && xs_event_host_ns(event) >= LEAST_NS)
        report(detection, event, device);
    if (!device->first)
        device->first = event->id;
    device->ended = (struct call){0};
}

/* Handles the end of a context. Its wait for kernels does not count, because without this call the program waits for
 * them elsewhere. */
static void take_end(struct xs_detection *detection, const struct xs_trace_event *event, struct device *device) {
    int32_t ordinal = device->ordinal >= 0 && device->ordinal < INT32_MAX ? (int32_t)device->ordinal : -1;
    uint64_t waited_ns = ordinal < 0 ? 0 : xs_kernels_between(detection, ordinal, event->enter_ns, event->return_ns);
    device->ended = (struct call){.row = event->id, .ns = xs_event_host_ns(event) - waited_ns};
}

/* Handles a call about a primary context, which exists from the first retain to the last release or to a reset. */
static void take_primary(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct device *device = device_of(detection->state, event->u.api.argument);
    unsigned traits = event->u.api.traits;
    if (traits & XS_TRAIT_RETAINS_PRIMARY) {
        if (!device->retained++)
            take_creation(detection, event, device);
    } else if (traits & XS_TRAIT_RESETS_PRIMARY || device->retained == 1) {
        if (device->retained)
            take_end(detection, event, device);
        device->retained = 0;
    } else if (device->retained) {
        device->retained--;
    }
}

static void take_own(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    uint64_t handle = event->u.api.object;
    if (event->u.api.traits & XS_TRAIT_CREATES_CONTEXT) {
        struct device *device = device_of(state, event->u.api.argument);
        take_creation(detection, event, device);
        *xs_hash_put(&state->of, handle, 0) = (uintptr_t)device;
    } else if (event->u.api.traits & XS_TRAIT_DESTROYS_CONTEXT) {
        struct device *device = xs_hash_pointer(&state->of, handle, 0);
        if (device)
            take_end(detection, event, device);
        xs_hash_remove(&state->of, handle, 0);
    }
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    static const unsigned primary = XS_TRAIT_RETAINS_PRIMARY | XS_TRAIT_RELEASES_PRIMARY | XS_TRAIT_RESETS_PRIMARY;
    unsigned traits = event->u.api.traits;
    if (!detection->addresses_recorded) { /* an imported trace does not say which device a context belongs to */
        if (traits & XS_TRAIT_CREATES_CONTEXT && xs_event_host_ns(event) >= LEAST_NS)
            xs_undecided(detection, "devices of contexts not recorded");
        return;
    }
    if (traits & primary)
        take_primary(detection, event);
    else
        take_own(detection, event);
}

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->devices);
    xs_hash_free(&state->of);
}

const struct xs_detector xs_detector_context_again = {
    .id = "context-again",
    .title = "contexts created for a device that had one before",
    .definition = "The program had created a context for this device before.",
    .remedy = "Keep the device's first context, and use it until the program ends.",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_DROP,
    .wants = XS_WANT(XS_ON_API),
    .state_bytes = sizeof(struct state),
    .verdicts = {[ENDED_BEFORE] = {"ended-before",
                                   "Do not end the context in between, by `cudaDeviceReset()`, "
                                   "`cuDevicePrimaryCtxRelease()` or `cuCtxDestroy()`.",
                                   XS_REPAIR_KEEP},
                 [BESIDE] = {"beside", "Use the context that there is, if no other one is needed.", XS_REPAIR_DROP}},
    .unsure_verdicts = 1u << BESIDE,
    .on_event = on_event,
    .end = end,
};
