/* Tests whether it pays not to wait at a place, with runs made by hand. */
#include "unit.h"

#include "analyzer/savings/idle/waits_paid.h"
#include "savings/replay/made_run.h"

static struct xs_waits_paid found(struct run *run, int64_t run_us) {
    struct xs_waits_paid waits;
    const struct xs_model *model = ended(run, run_us);
    int64_t run_ns;
    assert_true(xs_replay_error(model, &run_ns) < 0.001);
    xs_waits_paid_find(&waits, model, run_ns);
    return waits;
}

/* Plays four rounds: a kernel of 100 us, a wait that returns 10 us after the kernel's end, and `host_us` of the host's
 * own work. */
static void rounds(struct run *run, int host_us) {
    *run = (struct run){0};
    for (int i = 0; i < 4; i++) {
        int at = i * (120 + host_us);
        call(run, XS_MODEL_LAUNCH, 0, at, at);
        runs(run, XS_ENGINE_OTHER, at + 8, at + 108);
        waits(run, XS_WAITS_STREAM, at + 2, at + 118);
        run->calls[run->model.call_count - 1].site = 9;
    }
}

/* The host's work takes the place of the wait: each round becomes as long as the longer of the two. */
static void a_wait_that_pays(void **state) {
    (void)state;
    struct run run;
    rounds(&run, 60);
    struct xs_waits_paid waits = found(&run, 4 * 180);
    assert_int_equal(waits.count, 1);
    assert_int_equal(waits.rows[0].site, 9);
    assert_int_equal(waits.rows[0].count, 4);
    assert_int_equal(waits.rows[0].waited_ns, 4 * 116 * US);
    assert_in_range(waits.rows[0].saves_ns, 3 * 60 * US, 4 * 112 * US);
    assert_int_equal(waits.rows[0].together_ns, waits.rows[0].saves_ns);
    assert_int_equal(waits.rows[0].idle_ns, 3 * 80 * US); /* from a kernel's end to the next kernel, three times */
    assert_true(xs_wait_pays(&waits.rows[0], 4 * 180 * US));
    assert_false(xs_wait_pays(&waits.rows[0], (uint64_t)4 * 180 * MS));
    xs_waits_paid_free(&waits);
}

/* Two waits behind one kernel, and then the host's own work. Without the first wait, the second one waits. Only without
 * both does the host work beside the kernel. */
static void the_next_wait_waits(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 0, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 5, 1000);
    waits(&run, XS_WAITS_STREAM, 2, 1004);
    run.calls[1].site = 1;
    call(&run, XS_MODEL_TRANSFER, 0, 1006, 1050)->site = 2;
    runs(&run, XS_ENGINE_D2H, 1010, 1046);
    struct xs_waits_paid waits = found(&run, 1960);
    assert_int_equal(waits.count, 2);
    for (size_t i = 0; i < waits.count; i++)
        assert_true(waits.rows[i].saves_ns < 60 * US);
    assert_true(waits.rows[1].together_ns > 900 * US);
    xs_waits_paid_free(&waits);
}

/* The host only waits at the end, for kernels that follow one another. The run cannot end before they do. */
static void a_busy_device(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 0, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 5, 1000);
    call(&run, XS_MODEL_LAUNCH, 0, 2, 2);
    runs(&run, XS_ENGINE_OTHER, 1001, 2000);
    waits(&run, XS_WAITS_STREAM, 4, 2004);
    struct xs_waits_paid waits = found(&run, 2006);
    assert_int_equal(waits.count, 1);
    assert_in_range(waits.rows[0].saves_ns, 0, 7 * US);
    assert_in_range(waits.rows[0].busy_ns, waits.rows[0].waited_ns - 6 * US, waits.rows[0].waited_ns);
    assert_int_equal(waits.rows[0].together_ns, waits.rows[0].saves_ns);
    xs_waits_paid_free(&waits);
}

static void wait_at(struct run *run, int32_t thread, int64_t enter_us, int64_t return_us) {
    struct xs_model_call *c = call(run, XS_MODEL_SYNC, thread, enter_us, return_us);
    c->wait = XS_WAITS_STREAM;
    c->site = 1;
}

/* Two threads wait at a place until one idle time begins, which counts once. Another kernel runs when a third wait
 * ends. */
static void idle_once(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 0, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 5, 1000);
    wait_at(&run, 0, 2, 1004);
    wait_at(&run, 1, 3, 1006);
    call(&run, XS_MODEL_LAUNCH, 0, 1200, 1200);
    runs(&run, XS_ENGINE_OTHER, 1210, 1300);
    call(&run, XS_MODEL_LAUNCH, 0, 1205, 1205)->stream = 2;
    runs(&run, XS_ENGINE_OTHER, 1220, 1500);
    wait_at(&run, 0, 1230, 1304);
    struct xs_waits_paid waits = found(&run, 1510);
    assert_int_equal(waits.count, 1);
    assert_int_equal(waits.rows[0].count, 3);
    assert_int_equal(waits.rows[0].idle_ns, 210 * US); /* from 1000 to 1210 */
    xs_waits_paid_free(&waits);
}

/* Kernels of 2 us, and waits of 6 us that begin when the kernel has just ended, or before. Without the waits the host
 * gives the next kernel at once. */
static void waits_for_short_kernels(void **state) {
    (void)state;
    for (int ends_us = 5; ends_us <= 9; ends_us += 4) {
        struct run run = {0};
        for (int i = 0; i < 5; i++) {
            call(&run, XS_MODEL_LAUNCH, 0, i * 10, i * 10);
            runs(&run, XS_ENGINE_OTHER, i * 10 + ends_us - 2, i * 10 + ends_us);
            waits(&run, XS_WAITS_STREAM, i * 10 + 4, i * 10 + 10);
            run.calls[run.model.call_count - 1].site = 1;
        }
        struct xs_waits_paid waits = found(&run, 50);
        assert_int_equal(waits.count, 1);
        assert_int_equal(waits.rows[0].count, 5);
        assert_in_range(waits.rows[0].saves_ns, 4 * 6 * US, 5 * 6 * US);
        xs_waits_paid_free(&waits);
    }
}

/* A wait for nothing takes its own time only. */
static void nothing_to_wait_for(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 0, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 5, 100);
    waits(&run, XS_WAITS_STREAM, 200, 202); /* the work had ended before */
    struct xs_waits_paid waits = found(&run, 210);
    assert_int_equal(waits.count, 1);
    assert_int_equal(waits.rows[0].saves_ns, 2 * US);
    assert_int_equal(waits.rows[0].busy_ns, 0);
    xs_waits_paid_free(&waits);
}

/* A copy that blocks for less than a call that only gives work takes no longer if it does not block. */
static void short_copies_do_not_get_longer(void **state) {
    (void)state;
    struct run run = {0};
    for (int i = 0; i < 4; i++) {
        call(&run, XS_MODEL_TRANSFER, 0, i * 10, i * 10 + 2)->site = 1;
        runs(&run, XS_ENGINE_D2H, i * 10, i * 10 + 2);
    }
    waits(&run, XS_WAITS_STREAM, 42, 48);
    run.calls[run.model.call_count - 1].site = 2;
    struct xs_waits_paid waits = found(&run, 50);
    assert_int_equal(waits.count, 2);
    assert_int_equal(waits.rows[0].site, 2);
    assert_int_equal(waits.rows[0].saves_ns, 6 * US);
    assert_int_equal(waits.rows[1].saves_ns, 0);
    assert_int_equal(waits.rows[1].together_ns, 6 * US);
    xs_waits_paid_free(&waits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_that_pays),
        cmocka_unit_test(the_next_wait_waits),
        cmocka_unit_test(a_busy_device),
        cmocka_unit_test(idle_once),
        cmocka_unit_test(waits_for_short_kernels),
        cmocka_unit_test(nothing_to_wait_for),
        cmocka_unit_test(short_copies_do_not_get_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
