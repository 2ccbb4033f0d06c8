/* unused-allocation: memory that nothing touched from its beginning to its end. */
#include "analyzer/findings/engine/detector.h"

enum { CERTAIN, LIKELY };

static bool applies(const struct xs_allocation *a) {
    return (a->origin == XS_ORIGIN_ALLOC || a->origin == XS_ORIGIN_POOL) && !a->is_pool &&
           a->kind != XS_MEM_REGISTERED && a->kind != XS_MEM_UNKNOWN && a->kind != XS_MEM_PAGEABLE;
}

/* Returns why it cannot be decided; NULL: it can be decided. */
static const char *doubt(const struct xs_detection *detection, const struct xs_allocation *a, bool lives) {
    const char *of_use = xs_doubt_of_use(detection, lives);
    if (of_use || a->unseen_launched)
        return of_use ? of_use : XS_UNDECIDED_ARGUMENTS;
    /* kernels access an array through an object that is no pointer */
    return a->kind == XS_MEM_ARRAY && a->launch_ran ? "kernels may use the array" : NULL;
}

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_allocation *a = event->u.allocation;
    if (a->touched || !applies(a))
        return;
    const char *reason = doubt(detection, a, event->on == XS_ON_LIVE);
    if (reason) {
        xs_undecided(detection, reason);
        return;
    }
    /* the program can write and read host memory without a call */
    bool host_reaches = a->kind == XS_MEM_PINNED || a->kind == XS_MEM_MANAGED;
    struct xs_instance instance = {.verdict = a->launch_ran || host_reaches ? LIKELY : CERTAIN,
                                   .site = a->site,
                                   .at_ns = a->enter_ns,
                                   .bytes = a->bytes,
                                   .cost.host_ns = (uint64_t)a->return_ns - (uint64_t)a->enter_ns};
    if (event->on == XS_ON_FREE && a->freed_by_call)
        instance.cost.host_ns += xs_event_host_ns(event);
    instance.removable = instance.cost;
    xs_add_evidence(&instance, XS_EVIDENCE_ALLOCATION, a->id, "this allocation");
    xs_report_and_claim(detection, event, &instance);
}

const struct xs_detector xs_detector_unused_allocation = {
    .id = "unused-allocation",
    .title = "memory that nothing ever touched",
    .definition = "No copy, memset, prefetch or launch argument ever touched the memory.",
    .remedy = "Remove the allocation, or allocate only where the memory is used.",
    .kind = XS_REMOVES_CALLS,
    .repair = XS_REPAIR_NOT_ALLOCATE,
    .wants = XS_WANT(XS_ON_FREE) | XS_WANT(XS_ON_LIVE),
    .verdicts =
        {{"certain", NULL, XS_REPAIR_OF_DETECTOR},
         {"likely",
          "Remove the allocation, after making sure that neither the host nor a kernel that finds its address in "
          "device memory uses it.",
          XS_REPAIR_OF_DETECTOR}},
    .unsure_verdicts = 1u << 1,
    .on_event = on_event,
};
