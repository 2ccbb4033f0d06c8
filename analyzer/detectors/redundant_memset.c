/* redundant-memset: every byte was overwritten before anything could read it. */
#include "analyzer/engine/detector.h"

enum { CERTAIN, LIKELY };

static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    const struct xs_write_end_view *ended = &event->u.write_end;
    if (ended->write->kind != XS_WRITE_MEMSET || ended->freed)
        return;
    if (ended->certainty == XS_WRITE_UNDECIDED) {
        xs_undecided(detection, "launch arguments not seen");
        return;
    }
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this memset");
    instance.verdict = ended->certainty == XS_WRITE_CERTAIN ? CERTAIN : LIKELY;
    if (ended->ended_by == XS_ON_TRANSFER)
        xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, ended->ended_by_id, "the copy that overwrote it");
    else if (ended->ended_by == XS_ON_MEMSET)
        xs_add_evidence(&instance, XS_EVIDENCE_MEMSET, ended->ended_by_id, "the memset that overwrote it");
    xs_report_and_claim(detection, event, &instance);
}

const struct xs_detector xs_detector_redundant_memset = {
    .id = "redundant-memset",
    .title = "memsets that were overwritten before anything read them",
    .definition = "All of it was overwritten before anything that the trace shows could read it.",
    .remedy = "Remove the memset.",
    .kind = XS_REMOVES_TRANSFERS,
    .wants = XS_WANT(XS_ON_WRITE_END),
    .verdicts = {{"certain", NULL},
                 {"likely",
                  "Remove the memset, after making sure that no kernel reaches it through a pointer in device "
                  "memory."}},
    .unsure_verdicts = 1u << 1,
    .on_event = on_event,
};
