/* A detector to be copied; docs/develop/adding/finding.md says what else a new detector needs. The file is compiled
 * only into its unit test (tests/unit/analyzer/findings/detectors/test_detector_template.c), which gives the engine a
 * table with only this row; so it cannot become outdated. It is never part of the program.
 *
 * Its rule is that in a sequence of uploads of the same bytes from one call site, every second one counts. This rule
 * makes no sense, but it needs all that detectors use: a state, undecided events, verdicts, evidence, and a claim for
 * the total. */
#include "analyzer/findings/engine/detector.h"

#include "analyzer/base/hash.h"

enum verdict { SAME_PLACE, ELSEWHERE };

/* The latest uploads of a call site that brought the same bytes. */
struct row_of_uploads {
    struct xs_fingerprint content;
    uint64_t bytes, to;
    int64_t last; /* row of the transfer */
    unsigned count;
};

/* The state, zeroed at the beginning. Its size may grow with live buffers, sites or distinct contents, but not with
 * events. */
struct state {
    struct xs_hash rows; /* by site: struct row_of_uploads */
};

/* Receives only the events that `wants` names, and only those that ran, unless XS_WANT_NOT_RUN is set. */
static void on_event(struct xs_detection *detection, const struct xs_trace_event *event) {
    struct state *state = detection->state;
    const struct xs_transfer_view *transfer = &event->u.transfer;
    if (!xs_is_upload(event))
        return;
    /* A case that cannot be decided is counted, never guessed. */
    if (transfer->state != XS_CONTENT_KNOWN) {
        xs_undecided(detection, xs_missing_content(transfer));
        return;
    }
    struct row_of_uploads *row = xs_hash_item(&state->rows, event->site, 0, sizeof *row);
    struct row_of_uploads before = *row;
    bool same =
        before.count && before.bytes == transfer->bytes && xs_fingerprint_equal(&before.content, &transfer->content);
    *row = (struct row_of_uploads){.content = transfer->content,
                                   .bytes = transfer->bytes,
                                   .to = transfer->dst_address,
                                   .last = event->id,
                                   .count = same ? before.count + 1 : 1};
    if (row->count % 2)
        return;
    /* All of the transfer is removable. If the remedy costs something itself, subtract that:
     *   instance.removable = xs_times_less(instance.removable, xs_link_ns(detection->link, XS_LINK_D2D, bytes)); */
    struct xs_instance instance;
    xs_instance_of(&instance, event, "this upload");
    instance.verdict = before.to == transfer->dst_address ? SAME_PLACE : ELSEWHERE;
    xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, before.last, "the upload before");
    xs_report_and_claim(detection, event, &instance);
}

/* Frees the state. The engine calls this function also if the analysis ended early. */
static void end(struct xs_detection *detection) {
    struct state *state = detection->state;
    xs_hash_free(&state->rows);
}

/* A detector without verdicts leaves `verdicts` out. `.unsure_verdicts = 1u << ELSEWHERE` would rank that verdict
 * after the sure ones. A detector that can decide only at the end of the trace reports in `.finish`, which must not
 * do heavy work. */
const struct xs_detector xs_detector_template = {
    .id = "template",
    .title = "every second upload of the same bytes in a row",
    .definition = "The same place had brought the same bytes just before, and that upload was not reported.",
    .remedy = "Replace the rule of this detector.",
    .kind = XS_REMOVES_TRANSFERS,
    .needs = XS_NEEDS_CONTENTS,
    .wants = XS_WANT(XS_ON_TRANSFER),
    .state_bytes = sizeof(struct state),
    .verdicts = {[SAME_PLACE] = {"same-place", NULL, XS_REPAIR_OF_DETECTOR},
                 [ELSEWHERE] = {"elsewhere", "Give this verdict its own remedy.", XS_REPAIR_OF_DETECTOR}},
    .on_event = on_event,
    .end = end,
};
