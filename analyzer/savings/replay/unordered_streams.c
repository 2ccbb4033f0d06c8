/* Finds streams that are not ordered with the legacy default stream, and functions that wait; see
 * unordered_streams.h. */
#include "analyzer/savings/replay/unordered_streams.h"

#include <stdlib.h>

#include "analyzer/base/memory.h"
#include "analyzer/base/numbers.h"
#include "analyzer/savings/replay/durations.h"

enum { SAMPLED = 4096 };

/* --- streams --- */

/* The end of the work so far in each stream. */
struct streams {
    int32_t count;
    int64_t *ends;             /* by stream */
    int32_t *devices;          /* by stream: device of its last call; 0: unknown */
    bool *is_apart;            /* by stream */
    int64_t *legacy, *ordered; /* by device: end of the work in the legacy default stream; and in this and all streams
                                * ordered with it */
};

/* Handles work of the legacy default stream that began at `at_ns`. Streams whose earlier work ended later than that are
 * not ordered with the legacy default stream. Each search finds at least one such stream, so there are no more searches
 * than streams. */
static void legacy_came(struct streams *s, int32_t device, int64_t at_ns) {
    if (s->ordered[device] <= at_ns + XS_REPLAY_CLOCKS_NS)
        return;
    s->ordered[device] = s->legacy[device];
    for (int32_t i = 0; i < s->count; i++) {
        if (s->devices[i] != device || s->is_apart[i])
            continue;
        if (s->ends[i] > at_ns + XS_REPLAY_CLOCKS_NS)
            s->is_apart[i] = true;
        else
            s->ordered[device] = xs_later(s->ordered[device], s->ends[i]);
    }
}

static void see_operation(struct streams *s, const struct xs_model_call *call,
                          const struct xs_model_operation *operation) {
    if (call->is_legacy) {
        legacy_came(s, call->device, operation->start_ns);
        s->legacy[call->device] = xs_later(s->legacy[call->device], operation->end_ns);
    } else {
        if (s->legacy[call->device] > operation->start_ns + XS_REPLAY_CLOCKS_NS)
            s->is_apart[call->stream] = true;
        s->ends[call->stream] = xs_later(s->ends[call->stream], operation->end_ns);
        s->devices[call->stream] = call->device;
    }
    if (call->is_legacy || !s->is_apart[call->stream])
        s->ordered[call->device] = xs_later(s->ordered[call->device], operation->end_ns);
}

static void find_streams(struct xs_model *model) {
    struct streams s = {.count = model->streams,
                        .ends = xs_zeroed((size_t)model->streams, sizeof *s.ends),
                        .devices = xs_zeroed((size_t)model->streams, sizeof *s.devices),
                        .is_apart = xs_zeroed((size_t)model->streams, sizeof *s.is_apart),
                        .legacy = xs_zeroed((size_t)model->devices, sizeof *s.legacy),
                        .ordered = xs_zeroed((size_t)model->devices, sizeof *s.ordered)};
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        for (uint32_t k = 0; k < call->operations; k++)
            see_operation(&s, call, &model->operations[call->operation + k]);
        if (call->is_legacy && call->kind == XS_MODEL_SYNC && call->wait == XS_WAITS_STREAM)
            legacy_came(&s, call->device, call->return_ns);
    }
    for (uint32_t i = 0; i < model->call_count; i++)
        model->calls[i].is_apart = !model->calls[i].is_legacy && s.is_apart[model->calls[i].stream];
    free(s.ends);
    free(s.devices);
    free(s.is_apart);
    free(s.legacy);
    free(s.ordered);
}

/* --- functions --- */

static void find_calls(struct xs_measured_waits *measured, const struct xs_model *model) {
    struct xs_durations *durations = xs_zeroed((size_t)measured->entry_points, sizeof *durations);
    int64_t *all = xs_zeroed((size_t)model->devices, sizeof *all);
    for (uint32_t i = 0; i < model->call_count; i++) {
        const struct xs_model_call *call = &model->calls[i];
        bool returns_first = all[call->device] > call->return_ns + XS_REPLAY_CLOCKS_NS;
        if (returns_first)
            measured->calls[call->entry_point].returns_first = true;
        if ((returns_first || all[call->device] <= call->enter_ns) && durations[call->entry_point].count < SAMPLED)
            xs_durations_add(&durations[call->entry_point], call->return_ns - call->enter_ns);
        for (uint32_t k = 0; k < call->operations; k++)
            all[call->device] = xs_later(all[call->device], model->operations[call->operation + k].end_ns);
    }
    for (int32_t e = 0; e < measured->entry_points; e++)
        measured->calls[e].own_ns = xs_durations_usual(&durations[e], -1);
    free(durations);
    free(all);
}

void xs_measured_waits_find(struct xs_measured_waits *measured, struct xs_model *model) {
    *measured = (struct xs_measured_waits){0};
    for (uint32_t i = 0; i < model->call_count; i++)
        if (model->calls[i].entry_point >= measured->entry_points)
            measured->entry_points = model->calls[i].entry_point + 1;
    measured->calls = xs_zeroed((size_t)measured->entry_points, sizeof *measured->calls);
    find_streams(model);
    find_calls(measured, model);
}

void xs_measured_waits_free(struct xs_measured_waits *measured) {
    free(measured->calls);
    *measured = (struct xs_measured_waits){0};
}
