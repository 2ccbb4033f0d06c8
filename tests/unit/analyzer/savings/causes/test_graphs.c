/* Tests what is saved without waits that nothing needs, and by one graph in place of many launches, with runs made by
 * hand whose answers are known. */
#include "run.h"

enum { STEPS = 20, LAUNCHES = 8, BETWEEN_US = 10, KERNEL_US = 2, DELAY_US = 5, WAIT_US = 20, GRAPH_US = 10 };

/* Each step has launches 10 us apart, and then a wait. */
static void play_steps(unsigned launches) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, MIB);
    p->stream = 7;
    for (int i = 0; i < STEPS; i++) {
        for (unsigned k = 0; k < launches; k++)
            kernel(KERNEL_US, a);
        waits(WAIT_US);
    }
    kernel(KERNEL_US, a);
}

/* Each kernel ends before the wait begins, so the wait takes only its own time. All of this time is saved, unless
 * something that the trace does not show needs the wait. */
static void waits_are_not_made(void **state) {
    (void)state;
    play_steps(1);
    diagnose(NULL);
    FOUND("needless-wait", NULL, STEPS);
    struct xs_saving of = saves("needless-wait");
    assert_int_equal(of.least_ns, 0);
    assert_in_range(of.most_ns, (STEPS - 1) * WAIT_US * US, STEPS * WAIT_US * US);
    is_in_order();
    play_end(p);
}

/* The host makes only the first launch of each run, and then waits as before. For the least saving, the graph's launch
 * takes 10 us longer, and the wait lasts until the last kernel has ended. */
static void a_graph_in_place_of_launches(void **state) {
    (void)state;
    play_steps(LAUNCHES);
    diagnose(NULL);
    FOUND("launch-bound", NULL, STEPS - 1);
    struct xs_saving of = saves("launch-bound");
    uint64_t launches_ns = (LAUNCHES - 1) * BETWEEN_US * US;
    uint64_t kernels_ns = DELAY_US * US + LAUNCHES * KERNEL_US * US + (LAUNCHES - 1) * GAP_NS + NOTICE_NS;
    assert_int_equal(of.most_ns, (STEPS - 1) * launches_ns);
    assert_in_range(of.least_ns, (STEPS - 1) * (launches_ns - kernels_ns), (STEPS - 1) * (launches_ns - GRAPH_US * US));
    is_in_order();
    play_end(p);
}

/* The waits and the runs of launches before them are at one place, so they are one cause. It has both findings, and
 * only one of them counts in the sum. */
static void one_cause_at_one_place(void **state) {
    (void)state;
    play_steps(LAUNCHES);
    diagnose(NULL);
    FOUND("needless-wait", NULL, STEPS);
    assert_int_equal(p->diagnosis->cause_count, 1);
    assert_string_equal(within(0, 0), "launch-bound");
    assert_string_equal(within(0, 1), "needless-wait");
    assert_int_equal(p->diagnosis->together.most_ns, saves("launch-bound").most_ns);
    is_in_order();
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(waits_are_not_made),
        cmocka_unit_test(a_graph_in_place_of_launches),
        cmocka_unit_test(one_cause_at_one_place),
    };
    return cmocka_run_group_tests_name("savings_of_waits_and_launches", tests, NULL, NULL);
}
