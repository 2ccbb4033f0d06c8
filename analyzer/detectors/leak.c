/* leak: memory that was still allocated when the program ended. */
#include "analyzer/engine/detector.h"

/* Not for mappings and imports, and registered memory is the host's own. */
static bool applies(const struct xs_allocation *a) {
    return (a->origin == XS_ORIGIN_ALLOC || a->origin == XS_ORIGIN_POOL) &&
           (a->kind == XS_MEM_DEVICE || a->kind == XS_MEM_PINNED || a->kind == XS_MEM_MANAGED);
}

/* A process that was killed could not free, and a call that was not recorded may have been the free. */
static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_allocation *a = event->u.allocation;
    if (!detection->ended || !detection->calls_recorded || !applies(a))
        return;
    struct xs_instance instance = {.site = a->site, .at_ns = a->enter_ns, .bytes = a->bytes};
    xs_add_evidence(&instance, XS_EVIDENCE_ALLOCATION, a->id, "this allocation");
    xs_report_instance(detection, &instance);
}

const struct xs_detector xs_detector_leak = {
    .id = "leak",
    .title = "memory still allocated at the end",
    .definition = "The memory was still allocated when the program ended.",
    .remedy = "Free it, unless it is meant to live as long as the program.",
    .kind = XS_ADVICE,
    .wants = XS_WANT(XS_ON_LIVE),
    .on_event = on_event,
};
