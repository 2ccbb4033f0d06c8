/* The account of a device's idle time, for runs that were made by hand. */
#include "unit.h"

#include "analyzer/savings/idle/idle.h"
#include "savings/replay/made_run.h"
#include "schema/format/kinds.h"

static struct xs_idle account_of(struct run *run, int64_t run_us) {
    struct xs_idle idle;
    const struct xs_model *model = ended(run, run_us);
    xs_idle_account(&idle, model, NULL, NULL, 0, model->run_ns);
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

/* Kernels of 1 us, whose launches are 60 us apart. The second one begins 60 us after its launch, the third one 110 us
 * after its own. The same pause of the host is charged for both, but its sample stands for its time once. */
static void a_sample_counts_once(void **state) {
    (void)state;
    static const int start[] = {60, 120, 230};
    static int64_t thread_ids[] = {7};
    struct xs_pause_sample sample = {.thread = 7, .at_ns = 30 * US, .ns = 10 * US, .place = 3};
    const struct xs_pause_samples samples = {.items = &sample, .count = 1, .main_thread = 7};
    struct run run = {0};
    for (int i = 0; i < 3; i++) {
        call(&run, XS_MODEL_LAUNCH, 0, 60 * i, 60 * i);
        runs(&run, XS_ENGINE_OTHER, start[i], start[i] + 1);
    }
    struct xs_model *model = ended(&run, 231);
    struct xs_idle idle;
    uint64_t sampled_ns = 0;
    model->thread_ids = thread_ids;
    xs_idle_account(&idle, model, NULL, &samples, 0, model->run_ns);
    model->thread_ids = NULL;
    assert_int_equal(sum(&idle, XS_IDLE_QUEUED), 0);
    for (size_t i = 0; i < idle.count; i++)
        sampled_ns += idle.rows[i].sampled_ns;
    assert_int_equal(sampled_ns, sample.ns);
    xs_idle_free(&idle);
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
    xs_idle_account(&idle, &run.model, NULL, NULL, 0, 1000 * US);
    assert_int_equal(idle.rows[0].reason, XS_IDLE_CALL);
    assert_int_equal(idle.rows[0].ns, 750 * US);
    assert_int_equal(idle.rows[0].before.site, 3);
    xs_idle_free(&idle);
    run.calls[2].handed_by = 0;
    xs_idle_account(&idle, &run.model, NULL, NULL, 0, 1000 * US);
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
    xs_idle_account(&idle, ended(&run, 4000), NULL, NULL, 1200 * US, 2200 * US);
    assert_int_equal(idle.devices[0].busy_ns, 390 * US);
    assert_int_equal(idle.devices[0].idle_ns, 610 * US);
    assert_int_equal(sum(&idle, XS_IDLE_HOST), 600);
    assert_int_equal(sum(&idle, XS_IDLE_LAUNCHING), 10);
    xs_idle_free(&idle);
    xs_idle_account(&idle, &run.model, NULL, NULL, 500 * US, 900 * US); /* ends while the device is idle */
    assert_int_equal(idle.devices[0].idle_ns, 400 * US);
    assert_int_equal(sum(&idle, XS_IDLE_HOST), 400);
    xs_idle_free(&idle);
}

/* Only two parts of the run were recorded. The time between them is nobody's, and what ends the idle time at the end of
 * a part is not known. */
static void time_between_recorded_parts(void **state) {
    (void)state;
    struct run run = {0};
    for (int i = 0; i < 2; i++) {
        call(&run, XS_MODEL_LAUNCH, 0, 2000 * i, 2000 * i);
        runs(&run, XS_ENGINE_OTHER, 2000 * i + 10, 2000 * i + 400);
    }
    struct xs_capture_range parts[] = {{0, 500 * US}, {2000 * US, 2600 * US}};
    struct xs_capture_ranges ranges = {.has_gaps = true, .items = parts, .count = 2, .parts = 2};
    struct xs_idle idle;
    xs_idle_account_in(&idle, ended(&run, 4000), NULL, NULL, 0, 4000 * US, &ranges);
    assert_int_equal(idle.ns, 1100 * US);
    assert_int_equal(idle.devices[0].busy_ns, 780 * US);
    assert_int_equal(idle.devices[0].idle_ns, 320 * US);
    assert_int_equal(sum(&idle, XS_IDLE_LAUNCHING), 20);
    assert_int_equal(sum(&idle, XS_IDLE_END), 300);
    assert_int_equal(sum(&idle, XS_IDLE_HOST), 0);
    xs_idle_free(&idle);
}

/* Kernels that are launched without a line lie between a wait and a download that have one. */
static void launches_between_lines(void **state) {
    (void)state;
    struct run run = {0};
    for (int step = 0; step < 2; step++) {
        int at = 200 * step;
        waits(&run, XS_WAITS_STREAM, at, at + 2);
        run.calls[run.model.call_count - 1].site = 5;
        for (int i = 0; i < 4; i++) {
            call(&run, XS_MODEL_LAUNCH, 0, at + 10 + 20 * i, at + 10 + 20 * i);
            runs(&run, XS_ENGINE_OTHER, at + 15 + 20 * i, at + 18 + 20 * i);
        }
        call(&run, XS_MODEL_TRANSFER, 0, at + 80, at + 90)->site = 7;
        runs(&run, XS_ENGINE_D2H, at + 84, at + 88);
    }
    struct xs_idle idle = account_of(&run, 400);
    const struct xs_idle_row *launching = NULL, *end = NULL;
    for (size_t i = 0; i < idle.count; i++) {
        launching = idle.rows[i].reason == XS_IDLE_LAUNCHING ? &idle.rows[i] : launching;
        end = idle.rows[i].reason == XS_IDLE_END ? &idle.rows[i] : end;
    }
    assert_non_null(launching);
    assert_false(launching->before.known);
    assert_int_equal(launching->line_before.site, 5);
    assert_int_equal(launching->line_after.site, 7);
    assert_int_equal(launching->launches, 2 * 3); /* the first launch of a step follows no other launch closely */
    assert_int_equal(launching->apart_ns, 2 * 3 * 20 * US);
    assert_int_equal(launching->ns, 2 * (4 * 5 + 3 * 12) * US);
    assert_non_null(end);
    assert_int_equal(end->line_before.site, 7);
    xs_idle_free(&idle);
}

/* Page-locking and an allocation of device memory by one entry point have rows of their own. */
static void page_locking(void **state) {
    (void)state;
    struct run run = {0};
    call(&run, XS_MODEL_LAUNCH, 0, 0, 0);
    runs(&run, XS_ENGINE_OTHER, 5, 8);
    call(&run, XS_MODEL_ALLOCATION, 0, 10, 110)->memory_kind = XS_MEM_DEVICE;
    call(&run, XS_MODEL_ALLOCATION, 0, 110, 410)->memory_kind = XS_MEM_REGISTERED;
    call(&run, XS_MODEL_LAUNCH, 0, 411, 411);
    runs(&run, XS_ENGINE_OTHER, 416, 500);
    struct xs_idle idle = account_of(&run, 500);
    assert_int_equal(idle.rows[0].reason, XS_IDLE_CALL);
    assert_int_equal(idle.rows[0].before.memory_kind, XS_MEM_REGISTERED);
    assert_int_equal(idle.rows[0].ns, 300 * US);
    assert_int_equal(idle.rows[1].before.memory_kind, XS_MEM_DEVICE);
    assert_int_equal(idle.rows[1].ns, 100 * US);
    xs_idle_free(&idle);
}

/* Two allocations at one place lie in one idle time. They count once, and the longest is both together. */
static void parts_of_one_idle_time(void **state) {
    (void)state;
    struct run run = {0};
    for (int i = 0; i < 2; i++) {
        int64_t at = i * 1000;
        call(&run, XS_MODEL_LAUNCH, 0, at, at);
        runs(&run, XS_ENGINE_OTHER, at + 5, at + 10);
        for (int k = 0; k < 2 - i; k++)
            call(&run, XS_MODEL_ALLOCATION, 0, at + 100 + 200 * k, at + 200 + 200 * k)->site = 3;
    }
    call(&run, XS_MODEL_LAUNCH, 0, 2000, 2000);
    runs(&run, XS_ENGINE_OTHER, 2005, 2010);
    struct xs_idle idle = account_of(&run, 2010);
    for (size_t i = 0; i < idle.count; i++) {
        const struct xs_idle_row *row = &idle.rows[i];
        if (row->reason != XS_IDLE_CALL)
            continue;
        assert_int_equal(row->before.site, 3);
        assert_int_equal(row->count, 2);
        assert_int_equal(row->ns, 300 * US);
        assert_int_equal(row->longest_ns, 200 * US);
        assert_int_equal(row->longest_at_ns, 100 * US);
    }
    assert_int_equal(sum(&idle, XS_IDLE_CALL), 300);
    xs_idle_free(&idle);
}

static void no_work_at_all(void **state) {
    (void)state;
    struct run run = {0};
    struct xs_idle idle;
    call(&run, XS_MODEL_ALLOCATION, 0, 1, 2);
    xs_idle_account(&idle, ended(&run, 10), NULL, NULL, 0, 10 * US);
    assert_int_equal(idle.device_count, 0);
    assert_int_equal(idle.count, 0);
    xs_idle_free(&idle);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_work_after_a_readback),
        cmocka_unit_test(launch_after_launch),
        cmocka_unit_test(launches_on_their_way),
        cmocka_unit_test(a_sample_counts_once),
        cmocka_unit_test(queued_work),
        cmocka_unit_test(another_thread_works),
        cmocka_unit_test(a_part_of_the_run),
        cmocka_unit_test(time_between_recorded_parts),
        cmocka_unit_test(launches_between_lines),
        cmocka_unit_test(page_locking),
        cmocka_unit_test(parts_of_one_idle_time),
        cmocka_unit_test(no_work_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
