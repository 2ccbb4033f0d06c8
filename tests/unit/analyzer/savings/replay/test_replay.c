/* Tests the replay of runs that were made by hand, with known answers; and of traces of a real GPU, in which nothing is
 * changed. */
#include "unit.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "made_run.h"

#include "schema/format/kinds.h"

/* Plays an upload in 0-1000 (on the device in 10-1000), a kernel until 3000, and a readback that waits for it until
 * 3010; the run ends at 3110. */
static struct xs_model *upload_kernel_readback(struct run *run) {
    *run = (struct run){0};
    call(run, XS_MODEL_TRANSFER, 0, 0, 1000);
    runs(run, XS_ENGINE_H2D, 10, 1000);
    call(run, XS_MODEL_LAUNCH, 0, 1005, 1005);
    runs(run, XS_ENGINE_OTHER, 1010, 3000);
    call(run, XS_MODEL_TRANSFER, 0, 1010, 3010);
    runs(run, XS_ENGINE_D2H, 3002, 3008);
    return ended(run, 3110);
}

static void nothing_changed(void **state) {
    (void)state;
    struct run run;
    struct xs_model *model = upload_kernel_readback(&run);
    int64_t returns[CALLS];
    assert_int_equal(xs_replay_run(model, NULL, NULL, returns), 3110 * US);
    for (uint32_t i = 0; i < model->call_count; i++)
        assert_int_equal(returns[i], model->calls[i].return_ns);
    int64_t run_ns;
    assert_true(xs_replay_error(model, &run_ns) == 0);
    assert_int_equal(run_ns, 3110 * US);
}

static void a_dropped_upload_gives_back_its_call(void **state) {
    (void)state;
    struct run run;
    assert_int_equal(without(upload_kernel_readback(&run), 1), 2110);
}

/* Plays blocking uploads of 100 us. The last one was looked at, which took 60 us more before its copy. */
static struct xs_model *uploads_of_which_one_is_looked_at(struct run *run, int others) {
    *run = (struct run){0};
    for (int i = 0; i <= others; i++) {
        struct xs_model_call *c = call(run, XS_MODEL_TRANSFER, 0, 1000 * i, 1000 * i + (i == others ? 160 : 100));
        c->site = 1;
        c->bytes = 4096;
        c->is_looked_at = i == others;
        runs(run, XS_ENGINE_H2D, c->return_ns / US - 90, c->return_ns / US - 5);
    }
    return ended(run, 1000 * others + 1000);
}

/* No repair gives back what looking at a copy took: without xferspy nobody loses it. */
static void a_look_is_not_saved(void **state) {
    (void)state;
    struct run run;
    struct xs_model *model = uploads_of_which_one_is_looked_at(&run, 4);
    assert_int_equal(model->calls[4].look_ns, 60 * US);
    assert_int_equal(model->calls[3].look_ns, 0);
    assert_int_equal(without(model, 0), 5000);
    assert_int_equal(without(model, 1 << 3), 4900);
    assert_int_equal(without(model, 1 << 4), 4900);
    model = uploads_of_which_one_is_looked_at(&run, 3); /* too few to compare with */
    assert_int_equal(model->calls[3].look_ns, 0);
    assert_int_equal(without(model, 1 << 3), 3840);
}

/* The time for which the readback waited for the kernel is not saved: the next wait takes it. */
static void a_wait_for_a_kernel_moves(void **state) {
    (void)state;
    struct run run;
    upload_kernel_readback(&run);
    run.model.call_count = 3;
    waits(&run, XS_WAITS_DEVICE, 3020, 3024);
    struct xs_model *model = ended(&run, 3124);
    int64_t left = without(model, 1 << 2);
    assert_in_range(left, 3100, 3124);                            /* of 2000 us in the call, only the copy's own few */
    assert_in_range(without(model, 1 << 2 | 1 << 3), 1020, 1130); /* nobody waits any more */
}

/* Asynchronous copies in a row: the host waits once, for the last. */
static void a_copy_in_the_middle_of_a_queue(void **state) {
    (void)state;
    struct run run = {0};
    for (int i = 0; i < 3; i++) {
        call(&run, XS_MODEL_TRANSFER, 0, 10 * i, 10 * i + 5)->is_async = true;
        runs(&run, XS_ENGINE_H2D, i ? 100 * i + 11 : 10, 100 * i + 110);
    }
    waits(&run, XS_WAITS_STREAM, 30, 312);
    struct xs_model *model = ended(&run, 312);
    assert_int_equal(xs_replay_run(model, NULL, NULL, NULL), 312 * US);
    assert_in_range(without(model, 1 << 1), 210, 214);
}

/* A copy that ran beside a kernel gives nothing back, because the wait is for the kernel. */
static void what_runs_beside_a_kernel(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 0, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 5, 1000);
    call(&run, XS_MODEL_TRANSFER, 0, 10, 15)->stream = 2;
    runs(&run, XS_ENGINE_H2D, 20, 500);
    waits(&run, XS_WAITS_DEVICE, 20, 1004);
    struct xs_model *model = ended(&run, 1010);
    assert_int_equal(without(model, 1 << 1), 1010); /* the wait is for the kernel */
    assert_in_range(without(model, 1 << 0), 505, 520);
}

/* A free that waited for a kernel: without it the wait moves to the next call that has to wait. */
static void a_free_that_waits(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 0, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 5, 1000);
    call(&run, XS_MODEL_FREE, 0, 10, 1050);
    call(&run, XS_MODEL_TRANSFER, 0, 1060, 1100);
    runs(&run, XS_ENGINE_D2H, 1065, 1098);
    struct xs_model *model = ended(&run, 1100);
    assert_in_range(without(model, 1 << 1), 1030, 1060); /* its own 50 us, not the 990 of the kernel */
}

/* An event orders two streams. */
static void a_stream_that_waits_for_an_event(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 0, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 5, 1000);
    call(&run, XS_MODEL_RECORD, 0, 2, 3)->object = 7;
    struct xs_model_call *wait = call(&run, XS_MODEL_WAIT_EVENT, 0, 4, 5);
    wait->object = 7;
    wait->stream = 2;
    call(&run, XS_MODEL_TRANSFER, 0, 6, 8)->stream = 2;
    run.calls[3].is_async = true;
    runs(&run, XS_ENGINE_D2H, 1002, 1500);
    waits(&run, XS_WAITS_STREAM, 10, 1503);
    run.calls[4].stream = 2;
    struct xs_model *model = ended(&run, 1503);
    assert_int_equal(xs_replay_run(model, NULL, NULL, NULL), 1503 * US);
    assert_in_range(without(model, 1 << 0), 505, 520); /* the copy begins at once */
}

/* A thread that does not end last does not delay the program's end. */
static void another_thread(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_TRANSFER, 0, 0, 1000);
    runs(&run, XS_ENGINE_H2D, 5, 1000);
    call(&run, XS_MODEL_TRANSFER, 1, 100, 1600)->stream = 2;
    runs(&run, XS_ENGINE_D2H, 105, 1600);
    call(&run, XS_MODEL_TRANSFER, 0, 1100, 2000);
    runs(&run, XS_ENGINE_H2D, 1105, 2000);
    struct xs_model *model = ended(&run, 2010);
    assert_int_equal(without(model, 1 << 1), 2010);
    assert_int_equal(without(model, 1 << 0 | 1 << 2), 1600);
}

static void changes(void **state) {
    (void)state;
    struct run run;
    struct xs_model *model = upload_kernel_readback(&run);
    uint32_t change_of[CALLS] = {1};
    const struct xs_call_change shorter = {.lasts = true, .operation_ns = 90 * US};
    assert_int_equal(xs_replay_run(model, change_of, &shorter, NULL), (3110 - 900) * US);
    const struct xs_call_change at_once = {.returns = XS_RETURNS_AT_ONCE,
                                           .host_ns = 5 * US}; /* the kernel waits for it */
    assert_in_range(xs_replay_run(model, change_of, &at_once, NULL) / US, 3100, 3112);
    const struct xs_call_change price = {.dropped = true, .before_ns = 300 * US};
    assert_int_equal(xs_replay_run(model, change_of, &price, NULL), 2410 * US);
}

/* --- traces of a real GPU --- */

static void golden_traces_are_replayed_as_they_were(void **state) {
    static const char *const names[] = {"h100_cupy_lines",     "h100_host_round_trip", "h100_no_overlap",
                                        "h100_pageable_async", "h100_upload_repaired", "h100_upload_wasteful"};
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[256], message[XS_TRACE_MESSAGE_BYTES];
        struct xs_trace trace;
        struct xs_model model;
        snprintf(path, sizeof path, XFERSPY_GOLDEN "/%s.db", names[i]);
        assert_int_equal(xs_trace_open(path, &trace, message), 0);
        assert_true(xs_model_read(&model, &trace, NULL, NULL, message, NULL) >= 0);
        assert_true(model.call_count > 40 && model.operation_count > 40);
        assert_int_equal(model.unmatched, 0);
        int64_t run_ns;
        assert_true(xs_replay_error(&model, &run_ns) < 0.02);
        assert_in_range(run_ns, model.run_ns / 50 * 49, model.run_ns / 50 * 51);
        xs_model_free(&model);
        xs_trace_close(&trace);
    }
}

static unsigned records_in(const char *path) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    struct xs_model model;
    unsigned records = 0;
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_true(xs_model_read(&model, &trace, NULL, NULL, message, NULL) >= 0);
    for (uint32_t i = 0; i < model.call_count; i++)
        records += model.calls[i].kind == XS_MODEL_RECORD;
    xs_model_free(&model);
    xs_trace_close(&trace);
    return records;
}

/* An imported trace may have the runtime's functions instead of the driver's. */
static void functions_of_the_runtime_record_events_too(void **state) {
    char folder[] = "/tmp/xferspy-unit.XXXXXX", path[64], sql[128];
    sqlite3 *db;
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/t.db", folder);
    snprintf(sql, sizeof sql, "VACUUM INTO '%s'", path);
    assert_int_equal(sqlite3_open_v2(XFERSPY_GOLDEN "/h100_cupy_lines.db", &db, SQLITE_OPEN_READONLY, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "UPDATE entry_point SET name = 'cudaEventRecord' WHERE name = 'cuEventRecord'",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_changes(db), 1);
    sqlite3_close(db);
    assert_int_equal(records_in(XFERSPY_GOLDEN "/h100_cupy_lines.db"), 100);
    assert_int_equal(records_in(path), 100);
    assert_int_equal(remove(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void times_stay_within_what_can_be_added_up(void **state) {
    (void)state;
    assert_int_equal(xs_model_ns(INT64_MAX), XS_MODEL_LATEST_NS);
    assert_int_equal(xs_model_ns(INT64_MIN), -XS_MODEL_LATEST_NS);
    assert_int_equal(xs_model_length(UINT64_MAX), XS_MODEL_LATEST_NS);
    struct run run;
    struct xs_model *model = upload_kernel_readback(&run);
    uint32_t change_of[CALLS] = {1};
    const struct xs_call_change longest = {
        .lasts = true, .operation_ns = XS_MODEL_LATEST_NS, .before_ns = XS_MODEL_LATEST_NS};
    assert_in_range(xs_replay_run(model, change_of, &longest, NULL), XS_MODEL_LATEST_NS, 2 * XS_MODEL_LATEST_NS);
}

/* Four steps of 4 ms: an upload of 1 ms, and then, while this thread pauses, two launches of another one, at these
 * times of the step. */
static struct xs_model *two_threads_in_turn(struct run *run, int64_t first_us, int64_t last_us) {
    *run = (struct run){0};
    for (int64_t i = 0, t = 0; i < 4; i++, t += 4000) {
        call(run, XS_MODEL_TRANSFER, 0, t, t + 1000);
        runs(run, XS_ENGINE_H2D, t + 10, t + 1000);
        call(run, XS_MODEL_LAUNCH, 1, t + first_us, t + first_us);
        call(run, XS_MODEL_LAUNCH, 1, t + last_us, t + last_us);
    }
    waits(run, XS_WAITS_DEVICE, 16000, 16010);
    return ended(run, 16010);
}

/* A pause in which the thread waited for another one ends earlier with that one. */
static void threads_that_take_turns_move_together(void **state) {
    (void)state;
    struct run run;
    struct xs_model *model = two_threads_in_turn(&run, 1100, 3800);
    assert_int_equal(xs_replay_run(model, NULL, NULL, NULL), 16010 * US);
    assert_int_equal(model->calls[1].handed_by, 1); /* 1 + the upload */
    assert_int_equal(model->calls[2].handed_by, 0); /* its own work */
    assert_int_equal(model->calls[3].handed_by, 3);
    assert_int_equal(without(model, 1 << 3), 15010);
    assert_int_equal(without(model, 1 << 0 | 1 << 3 | 1 << 6 | 1 << 9), 12010);
}

/* The other thread begins when 30 % of the pause are over, as a framework's thread may if it has much to prepare. Its
 * answer comes right before the pause ends, so the pause is a wait for it. */
static void a_thread_that_begins_late_is_known_by_its_answer(void **state) {
    (void)state;
    struct run run;
    struct xs_model *model = two_threads_in_turn(&run, 1900, 3800);
    assert_int_equal(model->calls[1].handed_by, 1);
    assert_int_equal(model->calls[3].handed_by, 3);
    assert_int_equal(without(model, 1 << 0 | 1 << 3 | 1 << 6 | 1 << 9), 12010);
    model = two_threads_in_turn(&run, 1900, 2900); /* the answer, too, is 30 % of the pause away */
    for (uint32_t i = 0; i < model->call_count; i++)
        assert_int_equal(model->calls[i].handed_by, 0);
}

/* A thread that waits for a pool: in each step of 4 ms one of two threads uploads late, and the other one makes an
 * early call. Which one is late changes. The uploaded bytes may be copied to page-locked memory for `staging_us`
 * before. */
static struct xs_model *a_pool_of_two(struct run *run, int64_t steps, int64_t staging_us) {
    *run = (struct run){0};
    for (int64_t i = 0; i < steps; i++) {
        int64_t t = 4000 * i;
        call(run, XS_MODEL_LAUNCH, 0, t, t);
        call(run, XS_MODEL_LAUNCH, 2 - (int32_t)(i % 2), t + 900, t + 900);
        struct xs_model_call *upload = call(run, XS_MODEL_TRANSFER, 1 + (int32_t)(i % 2), t + 3700, t + 3800);
        upload->direction = XS_DIR_H2D;
        upload->memory_kind = XS_MEM_PINNED;
        upload->is_of_library = true;
        upload->bytes = (uint64_t)(staging_us * US * 4);
        runs(run, XS_ENGINE_H2D, t + 3710, t + 3800);
    }
    call(run, XS_MODEL_LAUNCH, 0, 4000 * steps, 4000 * steps);
    return ended(run, 4000 * steps + 2000);
}

static void the_threads_of_a_pool_take_turns(void **state) {
    enum { STEPS = 10 };
    (void)state;
    struct run run;
    for (int64_t staging_us = 0; staging_us <= 2800; staging_us += 2800) {
        struct xs_model *model = a_pool_of_two(&run, STEPS, staging_us);
        assert_int_equal(xs_replay_run(model, NULL, NULL, NULL), (4000 * STEPS + 2000) * US);
        for (uint32_t i = 3; i < model->call_count; i += 3)
            assert_int_equal(model->calls[i].handed_by, i); /* the upload, which is the call before it */
        /* An upload begins so long after the other thread's call because of the copying before it. */
        assert_int_equal(model->calls[3 * 5 + 2].handed_by, staging_us ? 3 * 5 + 2 : 0);
    }
}

/* Threads with a pace of their own, 4 ms and 3.1 ms, come close to each other now and then. The one without uploads
 * ends no earlier. */
static void threads_with_their_own_pace_do_not_move(void **state) {
    (void)state;
    struct run run = {0};
    for (int64_t now = 0; now < 21000; now += 100) {
        if (now % 4000 == 0) {
            call(&run, XS_MODEL_TRANSFER, 0, now, now + 1000);
            runs(&run, XS_ENGINE_H2D, now + 10, now + 1000);
        }
        if (now % 3100 == 1200)
            call(&run, XS_MODEL_LAUNCH, 1, now, now);
    }
    call(&run, XS_MODEL_LAUNCH, 1, 22900, 22900);
    struct xs_model *model = ended(&run, 22900);
    for (uint32_t i = 0; i < model->call_count; i++)
        assert_int_equal(model->calls[i].handed_by, 0);
    assert_int_equal(without(model, 1), 22900);
}

/* Thread 0 starts thread 1 and waits for its end, which no call shows. With `is_older`, thread 1 had made a call before
 * that, so it may go on for reasons of its own. */
static struct xs_model *a_thread_that_is_started(struct run *run, bool is_older) {
    *run = (struct run){0};
    if (is_older)
        call(run, XS_MODEL_LAUNCH, 1, 10, 10);
    call(run, XS_MODEL_LAUNCH, 0, 20, 20);
    call(run, XS_MODEL_TRANSFER, 1, 500, 4500);
    runs(run, XS_ENGINE_H2D, 510, 4500);
    call(run, XS_MODEL_LAUNCH, 1, 4600, 4600);
    waits(run, XS_WAITS_DEVICE, 5000, 5010);
    return ended(run, 5010);
}

static void a_thread_that_waits_for_the_end_of_another_one(void **state) {
    (void)state;
    struct run run;
    const struct xs_model *model = a_thread_that_is_started(&run, false);
    assert_int_equal(model->calls[3].handed_by, 3); /* 1 + the last launch */
    assert_int_equal(without(model, 1 << 1), 1010);
    model = a_thread_that_is_started(&run, true);
    assert_int_equal(model->calls[4].handed_by, 0);
    assert_int_equal(without(model, 1 << 2), 5010);
}

/* Thread 1 launches into the same stream when thread 0 begins to wait, and the wait ends before that kernel does. So it
 * was only for thread 0's own kernel, and ends with that kernel. */
static void a_wait_beside_another_threads_launch(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 0, 10, 10);
    runs(&run, XS_ENGINE_OTHER, 20, 1000);
    call(&run, XS_MODEL_LAUNCH, 1, 29, 29);
    runs(&run, XS_ENGINE_OTHER, 1010, 2000);
    waits(&run, XS_WAITS_STREAM, 30, 1010);
    call(&run, XS_MODEL_LAUNCH, 0, 1100, 1100);
    struct xs_model *model = ended(&run, 1100);
    assert_int_equal(model->calls[2].wait, XS_WAITS_LATEST);
    assert_int_equal(xs_replay_run(model, NULL, NULL, NULL), 1100 * US);
    uint32_t change_of[CALLS] = {1};
    const struct xs_call_change shorter = {.lasts = true, .operation_ns = 80 * US};
    assert_int_equal(xs_replay_run(model, change_of, &shorter, NULL), 200 * US);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changed),
        cmocka_unit_test(a_dropped_upload_gives_back_its_call),
        cmocka_unit_test(a_look_is_not_saved),
        cmocka_unit_test(a_wait_for_a_kernel_moves),
        cmocka_unit_test(a_copy_in_the_middle_of_a_queue),
        cmocka_unit_test(what_runs_beside_a_kernel),
        cmocka_unit_test(a_free_that_waits),
        cmocka_unit_test(a_stream_that_waits_for_an_event),
        cmocka_unit_test(another_thread),
        cmocka_unit_test(a_thread_that_waits_for_the_end_of_another_one),
        cmocka_unit_test(a_wait_beside_another_threads_launch),
        cmocka_unit_test(changes),
        cmocka_unit_test(times_stay_within_what_can_be_added_up),
        cmocka_unit_test(golden_traces_are_replayed_as_they_were),
        cmocka_unit_test(functions_of_the_runtime_record_events_too),
        cmocka_unit_test(threads_that_take_turns_move_together),
        cmocka_unit_test(a_thread_that_begins_late_is_known_by_its_answer),
        cmocka_unit_test(the_threads_of_a_pool_take_turns),
        cmocka_unit_test(threads_with_their_own_pace_do_not_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
