/* Tests whether it pays not to wait at a place, with runs made by hand. */
#include "unit.h"

#include "analyzer/savings/idle/waits_paid.h"
#include "savings/replay/made_run.h"

static struct xs_waits_paid found(struct run *run, int64_t run_us) {
    struct xs_waits_paid waits;
    const struct xs_model *model = ended(run, run_us);
    int64_t run_ns;
    assert_true(xs_replay_error(model, &run_ns) < 0.001);
    xs_waits_paid_find(&waits, model, run_ns, XS_WAITS_MOST_ROWS);
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
    assert_int_equal(waits.rows[0].call.site, 9);
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
    assert_int_equal(waits.rows[0].call.site, 2);
    assert_int_equal(waits.rows[0].saves_ns, 6 * US);
    assert_int_equal(waits.rows[1].saves_ns, 0);
    assert_int_equal(waits.rows[1].together_ns, 6 * US);
    xs_waits_paid_free(&waits);
}

/* A download waits for two kernels of its stream, and then for its own copy. It does not wait for a kernel in another
 * stream, for which a wait for the device waits. */
static void what_is_waited_for(void **state) {
    (void)state;
    struct run run = {0};
    uint32_t kernels[CALLS] = {0};
    for (int i = 0; i < 3; i++) {
        static const int start[] = {5, 100, 10}, end[] = {100, 300, 600};
        call(&run, XS_MODEL_LAUNCH, 0, i, i)->stream = i == 2 ? 2 : 1;
        runs(&run, XS_ENGINE_OTHER, start[i], end[i]);
        kernels[i] = (uint32_t)i + 11;
    }
    struct xs_model_call *download = call(&run, XS_MODEL_TRANSFER, 0, 50, 324);
    download->site = 1;
    download->wait = XS_WAITS_STREAM;
    runs(&run, XS_ENGINE_D2H, 302, 320);
    waits(&run, XS_WAITS_DEVICE, 325, 604);
    run.calls[4].site = 2;
    kernels[2] = XS_WAITED_IS_GRAPH;
    struct xs_waits_paid waits = found(&run, 610);
    xs_waited_work_find(&waits, &run.model, kernels);
    assert_int_equal(waits.count, 2);
    for (size_t i = 0; i < waits.count; i++) {
        const struct xs_wait_row *row = &waits.rows[i];
        if (row->call.site == 1) {
            assert_int_equal(row->work_count, 3);
            assert_int_equal(row->work[0].kernel, 12);
            assert_int_equal(row->work[0].ns, 200 * US);
            assert_int_equal(row->work[1].kernel, 11);
            assert_int_equal(row->work[1].ns, 50 * US); /* the wait begins in the middle of the kernel */
            assert_int_equal(row->work[2].kind, XS_WAITED_OWN);
            assert_int_equal(row->work[2].ns, 18 * US);
            assert_int_equal(row->work_ns, 268 * US);
        } else {
            assert_int_equal(row->work_count, 1);
            assert_int_equal(row->work[0].kind, XS_WAITED_GRAPH);
            assert_int_equal(row->work[0].ns, 275 * US);
        }
    }
    xs_waits_paid_free(&waits);
}

/* An upload in another stream begins and ends while a kernel runs. The time before and after it is the kernel's, too.
 */
static void work_within_other_work(void **state) {
    (void)state;
    struct run run = {0};
    uint32_t kernels[CALLS] = {11};
    call(&run, XS_MODEL_LAUNCH, 0, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 10, 900);
    call(&run, XS_MODEL_TRANSFER, 0, 1, 2)->stream = 2;
    runs(&run, XS_ENGINE_H2D, 300, 400);
    run.calls[1].is_async = true;
    waits(&run, XS_WAITS_DEVICE, 3, 904);
    run.calls[2].site = 1;
    struct xs_waits_paid waits = found(&run, 910);
    xs_waited_work_find(&waits, &run.model, kernels);
    assert_int_equal(waits.count, 1);
    assert_int_equal(waits.rows[0].work_count, 1);
    assert_int_equal(waits.rows[0].work[0].kernel, 11);
    assert_int_equal(waits.rows[0].work[0].ns, 890 * US);
    xs_waits_paid_free(&waits);
}

enum { MANY = 400 };

/* Plays a kernel, and then many kernels of 1 us, one each 2 us, in stream `stream`. Returns what the wait of stream 1
 * for all of them waited for. */
static struct xs_wait_row many_kernels(int32_t stream, struct xs_waits_paid *waits) {
    static struct xs_model_call calls[MANY + 2];
    static struct xs_model_operation operations[MANY + 1];
    static uint32_t kernels[MANY + 2];
    struct xs_wait_row row = {.call = {.known = true, .site = 1}};
    for (uint32_t i = 0; i <= MANY; i++) {
        int64_t start_ns = i ? 98 * US + (int64_t)i * 2 * US : 0;
        calls[i] = (struct xs_model_call){.kind = XS_MODEL_LAUNCH, .stream = i ? stream : 1, .device = 1};
        operations[i] = (struct xs_model_operation){
            .call = i, .device = 1, .start_ns = start_ns, .end_ns = start_ns + (i ? 1 : 100) * US};
        kernels[i] = i ? 12 : 11;
    }
    calls[MANY + 1] = (struct xs_model_call){.kind = XS_MODEL_SYNC,
                                             .wait = XS_WAITS_STREAM,
                                             .stream = 1,
                                             .device = 1,
                                             .site = 1,
                                             .return_ns = 98 * US + MANY * 2 * US + 5 * US};
    struct xs_model model = {
        .calls = calls, .call_count = MANY + 2, .operations = operations, .operation_count = MANY + 1};
    *waits = (struct xs_waits_paid){.rows = malloc(sizeof row), .count = 1};
    assert_non_null(waits->rows);
    waits->rows[0] = row;
    xs_waited_work_find(waits, &model, kernels);
    return waits->rows[0];
}

/* Kernels in a stream that is not waited for do not hide the kernel that is waited for. Of many kernels that are waited
 * for, the earlier ones are one piece of work. */
static void many_operations(void **state) {
    (void)state;
    struct xs_waits_paid waits;
    struct xs_wait_row row = many_kernels(2, &waits);
    assert_int_equal(row.work_count, 1);
    assert_int_equal(row.work[0].kernel, 11);
    assert_int_equal(row.work_ns, 100 * US);
    xs_waits_paid_free(&waits);
    row = many_kernels(1, &waits);
    assert_int_equal(row.work_count, 2);
    assert_int_equal(row.work[0].kind, XS_WAITED_EARLIER);
    assert_int_equal(row.work[0].ns, (98 + (MANY - 256) * 2 + 1) * US); /* up to the end of the last of them */
    assert_int_equal(row.work[1].ns, 256 * US);
    assert_int_equal(row.work[1].kernel, 12);
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
        cmocka_unit_test(what_is_waited_for),
        cmocka_unit_test(work_within_other_work),
        cmocka_unit_test(many_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
