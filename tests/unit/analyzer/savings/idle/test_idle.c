/* The account of a device's idle time, for runs that were made by hand. */
#include "unit.h"

#include "analyzer/savings/idle/idle.h"
#include "savings/replay/made_run.h"

static struct xs_idle account_of(struct run *run, int64_t run_us) {
    struct xs_idle idle;
    const struct xs_model *model = ended(run, run_us);
    xs_idle_account(&idle, model, NULL, 0, model->run_ns);
    assert_int_equal(idle.device_count, 1);
    assert_int_equal(idle.devices[0].busy_ns + idle.devices[0].idle_ns, model->run_ns);
    uint64_t ns = 0;
    for (size_t i = 0; i < idle.count; i++) {
        ns += idle.rows[i].ns;
        assert_true(!i || idle.rows[i].ns <= idle.rows[i - 1].ns);
        assert_true(idle.rows[i].longest_ns <= idle.rows[i].ns);
    }
    assert_int_equal(ns, idle.devices[0].idle_ns);
    return idle;
}

/* The sum of a reason's rows, in us. */
static uint64_t sum(const struct xs_idle *idle, enum xs_idle_reason reason) {
    uint64_t ns = 0;
    for (size_t i = 0; i < idle->count; i++)
        ns += idle->rows[i].reason == reason ? idle->rows[i].ns : 0;
    return ns / US;
}

/* Two steps of an upload, a kernel, a readback and the host's own work. */
static void host_work_after_a_readback(void **state) {
    (void)state;
    struct run run = {0};
    for (int i = 0; i < 2; i++) {
        int64_t at = 100 + 2000 * i;
        call(&run, XS_MODEL_TRANSFER, 0, at, at + 110)->site = 5;
        runs(&run, XS_ENGINE_H2D, at + 10, at + 100);
        call(&run, XS_MODEL_LAUNCH, 0, at + 120, at + 120);
        runs(&run, XS_ENGINE_OTHER, at + 125, at + 1000);
        call(&run, XS_MODEL_TRANSFER, 0, at + 130, at + 1012)->site = 7;
        runs(&run, XS_ENGINE_D2H, at + 1002, at + 1008);
    }
    struct xs_idle idle = account_of(&run, 4000);
    const struct xs_idle_row *row = &idle.rows[0];
    assert_int_equal(row->reason, XS_IDLE_HOST); /* from 1112 to 2100 */
    assert_int_equal(row->ns, 988 * US);
    assert_int_equal(row->longest_at_ns, 1112 * US);
    assert_int_equal(row->count, 1);
    assert_int_equal(row->before.site, 7);
    assert_int_equal(row->after.site, 5);
    assert_int_equal(sum(&idle, XS_IDLE_END), 892);
    assert_int_equal(sum(&idle, XS_IDLE_START), 100);
    /* in calls: 10 before each upload begins and 10 after it, 2 before each readback begins, 4 after the first one */
    assert_int_equal(sum(&idle, XS_IDLE_CALL), 2 * 10 + 2 * 10 + 2 * 2 + 4);
    /* from the upload's return to the launch and to the kernel: 10 in the program, because an upload is no launch */
    assert_int_equal(sum(&idle, XS_IDLE_HOST), 988 + 2 * 10);
    assert_int_equal(sum(&idle, XS_IDLE_LAUNCHING), 2 * 5);
    xs_idle_free(&idle);
}

/* Small kernels that the host launches more slowly than they run; one pause is too long for that. */
static void launch_after_launch(void **state) {
    (void)state;
    struct run run = {0};
    static const int at[] = {0, 20, 40, 200, 220};
    for (int i = 0; i < 5; i++) {
        call(&run, XS_MODEL_LAUNCH, 0, at[i], at[i]);
        runs(&run, XS_ENGINE_OTHER, at[i] + 5, at[i] + 8);
    }
    struct xs_idle idle = account_of(&run, 228);
    assert_int_equal(sum(&idle, XS_IDLE_LAUNCHING), 5 * 5 + 3 * 12);
    assert_int_equal(sum(&idle, XS_IDLE_HOST), 152);
    assert_true(idle.rows[0].before.known && !idle.rows[0].before.site);
    xs_idle_free(&idle);
}

/* Kernels of 1 us that begin 6 us after their launches. If the launches are 4 us apart, the device waits for the host,
 * though each launch is made before the device becomes idle. If a kernel begins much later, it waited for other work.
 */
static void launches_on_their_way(void **state) {
    (void)state;
    for (int late_us = 0; late_us <= 20; late_us += 20) {
        struct run run = {0};
        for (int i = 0; i < 5; i++) {
            int64_t at = 4 * i, start = at + 6 + (i == 4 ? late_us : 0);
            call(&run, XS_MODEL_LAUNCH, 0, at, at);
            runs(&run, XS_ENGINE_OTHER, start, start + 1);
        }
        struct xs_idle idle = account_of(&run, 4 * 4 + 7 + late_us);
        assert_int_equal(sum(&idle, XS_IDLE_QUEUED), late_us ? 3 + 20 : 0);
        assert_int_equal(sum(&idle, XS_IDLE_LAUNCHING), 6 + (late_us ? 3 : 4) * 3);
        xs_idle_free(&idle);
    }
}

/* A kernel that was queued waits for nothing of the host. */
static void queued_work(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 0, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 5, 100);
    call(&run, XS_MODEL_LAUNCH, 0, 2, 2);
    runs(&run, XS_ENGINE_OTHER, 103, 200);
    waits(&run, XS_WAITS_DEVICE, 10, 230);
    call(&run, XS_MODEL_LAUNCH, 0, 231, 231);
    runs(&run, XS_ENGINE_OTHER, 240, 300);
    struct xs_idle idle = account_of(&run, 300);
    assert_int_equal(sum(&idle, XS_IDLE_QUEUED), 3);
    assert_int_equal(sum(&idle, XS_IDLE_CALL), 30); /* the wait returns late */
    assert_int_equal(sum(&idle, XS_IDLE_LAUNCHING), 5 + 9);
    assert_int_equal(sum(&idle, XS_IDLE_HOST), 1);
    xs_idle_free(&idle);
}

/* Thread 1 gives the device its work, and waits for thread 0 meanwhile, so the work of thread 0 is the reason. */
static void another_thread_works(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 1, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 5, 100);
    call(&run, XS_MODEL_ALLOCATION, 0, 150, 900)->site = 3;
    call(&run, XS_MODEL_LAUNCH, 1, 903, 903);
    runs(&run, XS_ENGINE_OTHER, 908, 1000);
    ended(&run, 1000);
    run.calls[2].handed_by = 2;
    struct xs_idle idle;
    xs_idle_account(&idle, &run.model, NULL, 0, 1000 * US);
    assert_int_equal(idle.rows[0].reason, XS_IDLE_CALL);
    assert_int_equal(idle.rows[0].ns, 750 * US);
    assert_int_equal(idle.rows[0].before.site, 3);
    xs_idle_free(&idle);
    run.calls[2].handed_by = 0;
    xs_idle_account(&idle, &run.model, NULL, 0, 1000 * US);
    assert_int_equal(idle.rows[0].reason, XS_IDLE_HOST);
    assert_int_equal(idle.rows[0].ns, 803 * US);
    xs_idle_free(&idle);
}

/* Only a part of the run is looked at: some work began before it, and some ends after it. */
static void a_part_of_the_run(void **state) {
    (void)state;
    struct run run = {0};
    for (int i = 0; i < 4; i++) {
        call(&run, XS_MODEL_LAUNCH, 0, 1000 * i, 1000 * i);
        runs(&run, XS_ENGINE_OTHER, 1000 * i + 10, 1000 * i + 400);
    }
    struct xs_idle idle;
    xs_idle_account(&idle, ended(&run, 4000), NULL, 1200 * US, 2200 * US);
    assert_int_equal(idle.devices[0].busy_ns, 390 * US);
    assert_int_equal(idle.devices[0].idle_ns, 610 * US);
    assert_int_equal(sum(&idle, XS_IDLE_HOST), 600);
    assert_int_equal(sum(&idle, XS_IDLE_LAUNCHING), 10);
    xs_idle_free(&idle);
    xs_idle_account(&idle, &run.model, NULL, 500 * US, 900 * US); /* ends while the device is idle */
    assert_int_equal(idle.devices[0].idle_ns, 400 * US);
    assert_int_equal(sum(&idle, XS_IDLE_HOST), 400);
    xs_idle_free(&idle);
}

static void no_work_at_all(void **state) {
    (void)state;
    struct run run = {0};
    struct xs_idle idle;
    call(&run, XS_MODEL_ALLOCATION, 0, 1, 2);
    xs_idle_account(&idle, ended(&run, 10), NULL, 0, 10 * US);
    assert_int_equal(idle.device_count, 0);
    assert_int_equal(idle.count, 0);
    xs_idle_free(&idle);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_work_after_a_readback),
        cmocka_unit_test(launch_after_launch),
        cmocka_unit_test(launches_on_their_way),
        cmocka_unit_test(queued_work),
        cmocka_unit_test(another_thread_works),
        cmocka_unit_test(a_part_of_the_run),
        cmocka_unit_test(no_work_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
