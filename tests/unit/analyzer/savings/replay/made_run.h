/* Makes runs call by call and operation by operation, for the tests of the replay, and replays them without some of the
 * calls. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_REPLAY_MADE_RUN_H
#define XFERSPY_TESTS_UNIT_ANALYZER_REPLAY_MADE_RUN_H

#include "unit.h"

#include "analyzer/savings/replay/handoffs.h"
#include "analyzer/savings/replay/looks.h"
#include "analyzer/savings/replay/replay.h"

enum { US = 1000, MS = 1000000, CALLS = 32 };

/* A run on one device. Calls are in stream 1 unless a test says otherwise. */
struct run {
    struct xs_model model;
    struct xs_model_call calls[CALLS];
    struct xs_model_operation operations[CALLS];
};

static inline struct xs_model_call *call(struct run *run, enum xs_model_kind kind, int32_t thread, int64_t enter_us,
                                         int64_t return_us) {
    struct xs_model_call *c = &run->calls[run->model.call_count++];
    assert_true(run->model.call_count <= CALLS);
    *c = (struct xs_model_call){.kind = (uint8_t)kind,
                                .thread = thread,
                                .stream = 1,
                                .device = 1,
                                .entry_point = (int32_t)kind,
                                .enter_ns = enter_us * US,
                                .return_ns = return_us * US,
                                .operation = XS_NO_OPERATION};
    return c;
}

/* Adds an operation to the last call. */
static inline void runs(struct run *run, enum xs_model_engine engine, int64_t start_us, int64_t end_us) {
    struct xs_model_call *c = &run->calls[run->model.call_count - 1];
    if (!c->operations++)
        c->operation = run->model.operation_count;
    run->operations[run->model.operation_count++] = (struct xs_model_operation){.call = run->model.call_count - 1,
                                                                                .device = 1,
                                                                                .engine = (uint8_t)engine,
                                                                                .start_ns = start_us * US,
                                                                                .end_ns = end_us * US};
}

static inline void waits(struct run *run, enum xs_model_wait wait, int64_t enter_us, int64_t return_us) {
    call(run, XS_MODEL_SYNC, 0, enter_us, return_us)->wait = (uint8_t)wait;
}

static inline struct xs_model *ended(struct run *run, int64_t run_us) {
    struct xs_model *model = &run->model;
    model->calls = run->calls;
    model->operations = run->operations;
    model->threads = 3;
    model->streams = 4;
    model->devices = 2;
    model->run_ns = run_us * US;
    xs_model_find_waits(model);
    xs_model_find_looks(model);
    xs_model_find_handoffs(model);
    return model;
}

/* Replays the run without the calls whose bits are set in `dropped`. Returns the run's time in microseconds. */
static inline int64_t without(const struct xs_model *model, unsigned dropped) {
    uint32_t change_of[CALLS] = {0};
    const struct xs_call_change change = {.dropped = true};
    for (uint32_t i = 0; i < model->call_count; i++)
        change_of[i] = dropped >> i & 1;
    return xs_replay_run(model, change_of, &change, NULL) / US;
}

#endif
