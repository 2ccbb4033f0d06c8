/* Tests what the replay knows about the order of streams, engines and calls, and how long each of them takes if it
 * does not have to wait. Each run is made by hand; the comments work out what a GPU does without the dropped call. The
 * rules were tested on an H100, driver 580. */
#include "made_run.h"

enum { OTHER = 2, LEGACY = 3 }; /* streams */

static struct xs_model_call *on(struct xs_model_call *c, int32_t stream) {
    c->stream = stream;
    c->is_legacy = stream == LEGACY;
    return c;
}

static void kernel(struct run *run, int32_t stream, int64_t launch_us, int64_t start_us, int64_t end_us) {
    on(call(run, XS_MODEL_LAUNCH, 0, launch_us, launch_us), stream);
    runs(run, XS_ENGINE_OTHER, start_us, end_us);
}

static void copy(struct run *run, enum xs_model_engine engine, int32_t stream, bool is_async, int64_t enter_us,
                 int64_t return_us, int64_t start_us, int64_t end_us) {
    struct xs_model_call *c = on(call(run, XS_MODEL_TRANSFER, 0, enter_us, return_us), stream);
    c->is_async = is_async;
    runs(run, engine, start_us, end_us);
}

/* --- copies from pageable memory --- */

/* The copy waited for the kernel and then copied for 50 us into the driver's memory, so it takes 50 us without the
 * kernel. */
static void staging_is_behind_the_wait(void **state) {
    (void)state;
    struct run run = {0};
    kernel(&run, LEGACY, 0, 5, 1000);
    copy(&run, XS_ENGINE_H2D, LEGACY, false, 10, 1050, 1054, 1100);
    waits(&run, XS_WAITS_DEVICE, 1060, 1102);
    struct xs_model *model = ended(&run, 1102);
    assert_int_equal(run.calls[1].wait, XS_WAITS_STREAM);
    assert_in_range(without(model, 1 << 0), 108, 116); /* call 10-60, copy 64-110, noticed at 112 */
}

/* When it was measured the stream was idle, because the upload before it had waited for the kernel. */
static void staging_waits_for_what_was_not_there(void **state) {
    (void)state;
    struct run run = {0};
    kernel(&run, LEGACY, 0, 5, 500);
    copy(&run, XS_ENGINE_H2D, LEGACY, false, 10, 602, 501, 600);
    copy(&run, XS_ENGINE_H2D, LEGACY, false, 610, 650, 654, 700);
    waits(&run, XS_WAITS_DEVICE, 660, 702);
    struct xs_model *model = ended(&run, 702);
    assert_in_range(without(model, 1 << 1), 588, 600); /* staged 500-540, copy 544-590 */
}

/* --- streams --- */

/* Stream 2 ran beside the legacy default stream once, so it is not ordered with it elsewhere either: there, the upload
 * was in the way. */
static void a_stream_that_stands_apart(void **state) {
    (void)state;
    struct run run = {0};
    kernel(&run, LEGACY, 0, 5, 1000);
    kernel(&run, OTHER, 2, 8, 20);
    waits(&run, XS_WAITS_DEVICE, 10, 1002);
    kernel(&run, OTHER, 1100, 1105, 2000);
    copy(&run, XS_ENGINE_H2D, LEGACY, false, 1110, 2102, 1115, 2100);
    copy(&run, XS_ENGINE_D2H, LEGACY, false, 2110, 2202, 2115, 2200);
    struct xs_model *model = ended(&run, 2202);
    assert_true(run.calls[1].is_apart && run.calls[3].is_apart && !run.calls[0].is_apart);
    assert_in_range(without(model, 1 << 4), 1205, 1215); /* the download 1123-1208, beside the kernel */
}

/* An event recorded in the legacy default stream comes after the work of all streams, and work after the event comes
 * after all of that work. */
static void an_event_of_the_legacy_stream_orders_the_others(void **state) {
    (void)state;
    struct run run = {0};
    kernel(&run, 1, 0, 5, 1000);
    on(call(&run, XS_MODEL_RECORD, 0, 10, 11), LEGACY)->object = 7;
    kernel(&run, OTHER, 12, 1002, 1100);
    waits(&run, XS_WAITS_DEVICE, 15, 1102);
    struct xs_model *model = ended(&run, 1102);
    assert_in_range(without(model, 1 << 0), 115, 125); /* the second kernel begins at once */
}

static void a_wait_for_a_stream_is_not_for_the_legacy_stream(void **state) {
    (void)state;
    struct run run = {0};
    kernel(&run, LEGACY, 0, 5, 1000);
    waits(&run, XS_WAITS_STREAM, 10, 11);
    waits(&run, XS_WAITS_DEVICE, 20, 1002);
    struct xs_model *model = ended(&run, 1002);
    assert_false(run.calls[1].waited);
    assert_int_equal(xs_replay_run(model, NULL, NULL, NULL), 1002 * US);
}

/* --- engines --- */

/* The first copy waits for a kernel, so the second, of another stream, went first; without the kernel it is behind. */
static void an_engine_serves_whoever_is_ready_first(void **state) {
    (void)state;
    struct run run = {0};
    kernel(&run, 1, 0, 5, 1000);
    copy(&run, XS_ENGINE_H2D, 1, true, 10, 12, 1001, 1101);
    copy(&run, XS_ENGINE_H2D, OTHER, true, 20, 22, 25, 525);
    waits(&run, XS_WAITS_DEVICE, 30, 1104);
    struct xs_model *model = ended(&run, 1104);
    assert_int_equal(xs_replay_run(model, NULL, NULL, NULL), 1104 * US);
    assert_in_range(without(model, 1 << 0), 612, 624); /* 15-115 and 115-615 */
    assert_in_range(without(model, 1 << 2), 1100, 1106);
}

static void a_copy_that_another_stream_held_up(void **state) {
    (void)state;
    struct run run = {0};
    copy(&run, XS_ENGINE_H2D, OTHER, true, 8, 10, 15, 515);
    copy(&run, XS_ENGINE_H2D, 1, true, 12, 14, 516, 616);
    waits(&run, XS_WAITS_DEVICE, 20, 618);
    assert_in_range(without(ended(&run, 618), 1 << 0), 112, 126);
}

/* The second kernel was launched just before the first one's end and began a launch's latency later: nothing says that
 * the first holds it up for so long. */
static void a_latency_is_no_gap(void **state) {
    (void)state;
    struct run run = {0};
    kernel(&run, 1, 0, 10, 112);
    copy(&run, XS_ENGINE_H2D, OTHER, false, 2, 111, 7, 109);
    kernel(&run, 1, 111, 121, 130);
    waits(&run, XS_WAITS_DEVICE, 115, 132);
    assert_in_range(without(ended(&run, 132), 1 << 1), 123, 126);
}

/* --- calls --- */

/* The device was idle when it was measured, because the upload had taken longer than the kernel. */
static void a_free_waits_even_if_it_did_not(void **state) {
    (void)state;
    struct run run = {0};
    kernel(&run, 1, 0, 5, 500);
    copy(&run, XS_ENGINE_H2D, OTHER, false, 10, 1000, 15, 998);
    call(&run, XS_MODEL_FREE, 0, 1010, 1020)->stream = 0;
    assert_in_range(without(ended(&run, 1020), 1 << 1), 500, 512);
}

/* This does not hold if another free returned while the device was working. */
static void a_free_that_does_not_wait(void **state) {
    (void)state;
    struct run run = {0};
    kernel(&run, 1, 0, 5, 500);
    call(&run, XS_MODEL_FREE, 0, 2, 8)->stream = 0;
    copy(&run, XS_ENGINE_H2D, OTHER, false, 10, 1000, 15, 998);
    call(&run, XS_MODEL_FREE, 0, 1010, 1020)->stream = 0;
    assert_in_range(without(ended(&run, 1020), 1 << 2), 28, 32);
}

/* The kernel ended while an allocation ran that was no longer than the other one. */
static void an_allocation_that_met_an_end_by_chance(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_ALLOCATION, 0, 0, 10);
    kernel(&run, 1, 12, 17, 529);
    copy(&run, XS_ENGINE_H2D, OTHER, false, 13, 520, 18, 518);
    call(&run, XS_MODEL_ALLOCATION, 0, 522, 532);
    struct xs_model *model = ended(&run, 532);
    assert_int_equal(run.calls[3].wait, XS_WAITS_NOT);
    assert_in_range(without(model, 1 << 2), 24, 26);
}

static void an_allocation_that_waited(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_ALLOCATION, 0, 0, 10);
    kernel(&run, 1, 12, 17, 529);
    call(&run, XS_MODEL_ALLOCATION, 0, 22, 532);
    struct xs_model *model = ended(&run, 532);
    assert_int_equal(run.calls[2].wait, XS_WAITS_DEVICE);
    assert_in_range(without(model, 1 << 1), 30, 34);
}

/* No free was measured without a wait, so a free is assumed to take as long as an allocation. */
static void a_free_that_always_waited(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_ALLOCATION, 0, 0, 50);
    kernel(&run, 1, 52, 57, 1000);
    call(&run, XS_MODEL_FREE, 0, 60, 1002)->stream = 0;
    assert_in_range(without(ended(&run, 1002), 1 << 1), 108, 112);
}

/* --- the example of docs/rules/analysis.md --- */

/* A step has an upload of 1 ms, a kernel of 3 ms, and 2 ms of the host's own work. The calls of the uploads that are
 * left out took 8 ms, and 4 ms of these were waits for kernels. */
static void waits_for_kernels_move(void **state) {
    (void)state;
    enum { STEPS = 5, STEP_US = 4000 };
    struct run run = {0};
    unsigned needless = 0;
    for (int step = 0; step < STEPS; step++) {
        int64_t at = (int64_t)step * STEP_US;
        needless |= step ? 1u << 2 * step : 0;
        copy(&run, XS_ENGINE_H2D, LEGACY, false, step ? at - 1000 : 0, at + 1000, at, at + 1000);
        kernel(&run, LEGACY, at + 1000, at + 1000, at + 4000);
    }
    waits(&run, XS_WAITS_DEVICE, 19000, 20000);
    struct xs_model *model = ended(&run, 20000);
    assert_int_equal(without(model, 0), 20000);
    assert_int_equal(without(model, needless), 16000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(staging_is_behind_the_wait),
        cmocka_unit_test(staging_waits_for_what_was_not_there),
        cmocka_unit_test(a_stream_that_stands_apart),
        cmocka_unit_test(an_event_of_the_legacy_stream_orders_the_others),
        cmocka_unit_test(a_wait_for_a_stream_is_not_for_the_legacy_stream),
        cmocka_unit_test(an_engine_serves_whoever_is_ready_first),
        cmocka_unit_test(a_copy_that_another_stream_held_up),
        cmocka_unit_test(a_latency_is_no_gap),
        cmocka_unit_test(a_free_waits_even_if_it_did_not),
        cmocka_unit_test(a_free_that_does_not_wait),
        cmocka_unit_test(an_allocation_that_met_an_end_by_chance),
        cmocka_unit_test(an_allocation_that_waited),
        cmocka_unit_test(a_free_that_always_waited),
        cmocka_unit_test(waits_for_kernels_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
