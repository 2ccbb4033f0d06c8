/* redundant-memset: a memset whose bytes were all overwritten before anything could read them. */
#include "analyzer/findings/engine/detector.h"

enum { CERTAIN, LIKELY };

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_write_end_view *ended = &event->u.write_end;
    if (ended->write->kind != XS_WRITE_MEMSET || ended->freed)
        return;
    if (ended->certainty == XS_WRITE_UNDECIDED) {
        xs_undecided(detection, XS_UNDECIDED_ARGUMENTS);
        return;
    }
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this memset");
    instance.verdict = ended->certainty == XS_WRITE_CERTAIN ? CERTAIN : LIKELY;
    if (ended->ended_by == XS_ON_TRANSFER)
        xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, ended->ended_by_id, XS_ROLE_OVERWRITING_COPY);
    else if (ended->ended_by == XS_ON_MEMSET)
        xs_add_evidence(&instance, XS_EVIDENCE_MEMSET, ended->ended_by_id, XS_ROLE_OVERWRITING_MEMSET);
    xs_report_and_claim(detection, event, &instance);
}

const struct xs_detector xs_detector_redundant_memset = {
    .id = "redundant-memset",
    .title = "memsets that were overwritten before anything read them",
    .definition = "All bytes that it wrote were overwritten before anything that the trace shows could read them.",
    .remedy = "Remove the memset.",
    .kind = XS_REMOVES_TRANSFERS,
    .repair = XS_REPAIR_DROP,
    .wants = XS_WANT(XS_ON_WRITE_END),
    .verdicts = {{"certain", NULL, XS_REPAIR_OF_DETECTOR},
                 {"likely",
                  "Remove the memset, after making sure that no kernel reaches it through a pointer in device memory.",
                  XS_REPAIR_OF_DETECTOR}},
    .unsure_verdicts = 1u << 1,
    .on_event = on_event,
};
