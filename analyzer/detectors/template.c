/* A detector to copy; not compiled in. To add one:
 *   1. copy this file to analyzer/detectors/NAME.c and rename `template` to NAME (id `na-me`, symbol xs_detector_na_me);
 *   2. add XS_DETECTOR(NAME) to detectors.def and the file to analyzer/CMakeLists.txt;
 *   3. say in docs/analysis.md exactly when it counts, and write docs/findings/ID.md for people;
 *   4. test in tests/unit/analyzer one case that fires and one near miss that stays silent.
 *
 * This one reports every second upload of exactly the same bytes from one call site, which makes no sense, but uses all
 * there is. */
#include "analyzer/engine/detector.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"

/* Zeroed at the beginning. What grows has to be bounded by live buffers, sites or distinct contents, not by events. */
struct state {
    uint32_t *seen; /* by site */
    uint32_t sites;
};

static uint32_t *counter(struct state *state, uint32_t site) {
    while (state->sites <= site) {
        uint32_t sites = state->sites ? state->sites * 2 : 16;
        state->seen = xs_realloc(state->seen, sites * sizeof *state->seen);
        for (uint32_t i = state->sites; i < sites; i++)
            state->seen[i] = 0;
        state->sites = sites;
    }
    return &state->seen[site];
}

/* Only what `wants` names arrives, and only what ran: XS_WANT_NOT_RUN asks for the rest, too. */
static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_transfer_view *transfer = &event->u.transfer;
    if (!xs_is_upload(event))
        return;
    /* What cannot be decided is counted, never guessed. */
    if (transfer->state != XS_CONTENT_KNOWN) {
        xs_undecided(detection, xs_missing_content(transfer));
        return;
    }
    if (++*counter(state, event->site) % 2)
        return;
    /* Removable is all of the transfer; a remedy that costs something itself gives back less:
     *   instance.removable = xs_times_less(instance.removable, xs_link_ns(detection->link, XS_LINK_D2D, bytes)); */
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this upload");
    instance.verdict = 0;
    xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, transfer->region ? transfer->region->last_upload : 0,
                    "the upload before");
    xs_report_and_claim(detection, event, &instance);
}

/* Not the place for heavy work: detectors that need the end of the trace to decide report here. */
static void finish(struct xs_detection *detection) { (void)detection; }

static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    free(state->seen);
}

const struct xs_detector xs_detector_template = {
    .id = "template",
    .title = "every second upload",
    .remedy = "Do not copy this detector's rule.",
    .kind = XS_REMOVES_TRANSFERS,
    .needs = XS_NEEDS_CONTENTS,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .state_bytes = sizeof(struct state),
    .verdicts = {{"even", NULL}},
    .on_event = on_event,
    .finish = finish,
    .end = end,
};
