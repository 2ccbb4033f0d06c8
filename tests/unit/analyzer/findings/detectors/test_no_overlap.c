/* Tests the detector no-overlap: how much work has to take turns, and which work depends on which. Each clause of
 * docs/rules/analysis.md is tested from both sides. */
#include "turns.h"

/* --- how much --- */

static void copies_and_kernels_take_turns(void **state) {
    (void)state;
    begin();
    turns(3, 100, 50);
    analyse(5000);
    FOUND("no-overlap", NULL, 3);
    const struct xs_finding *finding = played_finding(p, "no-overlap");
    assert_true(finding->potential);
    assert_int_equal(finding->transfers, 3);
    assert_int_equal(finding->bytes, 3 * SIZE);
    assert_int_equal(finding->cost.device_ns, 150 * US);
    assert_int_equal(finding->claimed_ns, 150 * US);
    assert_int_equal(p->findings->total.device_ns, 0);
    assert_int_equal(finding->first[0].evidence[0].row, 1);
    assert_int_equal(finding->first[0].evidence[1].row, 1);
    assert_int_equal(finding->first[2].evidence[1].row, 3);
    play_end(p);
}

static void three_pairs_are_enough(void **state) {
    (void)state;
    begin();
    turns(2, 1000, 1000);
    analyse(5000);
    NOT_FOUND("no-overlap");
    play_end(p);
}

static void a_tenth_of_a_millisecond_is_enough(void **state) {
    (void)state;
    for (uint64_t us = 33; us <= 34; us++) {
        begin();
        turns(3, 100, us);
        analyse(5000);
        FOUND("no-overlap", NULL, us == 34 ? 3 : 0);
        play_end(p);
    }
}

static void a_thousandth_of_the_run_is_enough(void **state) {
    (void)state;
    for (uint64_t run_us = 150000; run_us <= 150001; run_us++) {
        begin();
        turns(3, 100, 50);
        analyse(run_us);
        FOUND("no-overlap", NULL, run_us == 150000 ? 3 : 0);
        play_end(p);
    }
    begin(); /* the length of the run is not known, so the time of the last event is used */
    turns(3, 100, 100);
    play_analyse(p, NULL);
    FOUND("no-overlap", NULL, 3);
    play_end(p);
}

static void the_shorter_of_the_two_counts(void **state) {
    (void)state;
    begin();
    turns(5, 20, 50);
    analyse(5000);
    FOUND("no-overlap", NULL, 5);
    assert_int_equal(removable_us(), 100);
    play_end(p);
}

/* A copy that can run beside the kernels before it does not count again beside the kernels after it. Neither does a
 * kernel count twice. */
static void a_stretch_is_used_once(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 4; i++) {
        kernel(100, i % 2 ? b : a);
        down(40, C);           /* could run beside the next kernel */
        up(50, i % 2 ? A : B); /* could run beside this one */
    }
    analyse(5000);
    FOUND("no-overlap", NULL, 4);
    assert_int_equal(removable_us(), 200);
    play_end(p);
    begin();
    for (int i = 0; i < 4; i++) {
        kernel(100, a);
        down(40, C);
        kernel(100, b); /* runs beside the download, so not beside the upload */
        up(50, A);
    }
    analyse(5000);
    FOUND("no-overlap", NULL, 4);
    assert_int_equal(removable_us(), 160);
    play_end(p);
}

/* --- what depends on what --- */

static void an_upload_over_what_the_kernel_was_given_takes_a_second_buffer(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 10; i++) {
        up(500, A);
        kernel(500, a);
        down(500, A);
    }
    analyse(5000);
    FOUND("no-overlap", NULL, 9); /* the first upload has no kernel before it */
    PAIRS_UNDECIDED(0);
    play_end(p);
}

/* The upload counts beside all kernels of the stretch, whichever of them was given the memory. */
static void it_runs_beside_the_whole_stretch(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 3; i++) {
        kernel(30, b);
        kernel(60, a);
        kernel(40, b);
        up(500, A);
    }
    analyse(5000);
    FOUND("no-overlap", NULL, 3);
    assert_int_equal(removable_us(), 3 * 130);
    play_end(p);
}

/* Two uploads after one stretch, which has room for both. */
static void uploads_share_the_stretch(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 3; i++) {
        kernel(60, a);
        kernel(40, b);
        up(50, A);
        up(50, C);
    }
    analyse(5000);
    FOUND("no-overlap", NULL, 3);
    assert_int_equal(removable_us(), 3 * 100);
    assert_int_equal(played_finding(p, "no-overlap")->transfers, 6);
    play_end(p);
}

static void a_download_may_run_beside_the_next_kernels(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 4; i++) {
        kernel(100, i % 2 ? b : a);
        down(50, i % 2 ? B : A);
    }
    analyse(5000);
    FOUND("no-overlap", NULL, 3);
    assert_int_equal(removable_us(), 150);
    assert_int_equal(played_finding(p, "no-overlap")->first[0].evidence[1].row, 2);
    play_end(p);
}

/* The download counts beside the kernels before the first kernel that is given the downloaded memory. */
static void but_not_beside_those_that_are_given_it(void **state) {
    (void)state;
    for (int before = 0; before < 2; before++) {
        begin();
        for (int i = 0; i < 4; i++) {
            if (before)
                kernel(40, b);
            kernel(100, a);
            down(50, A);
        }
        analyse(5000);
        FOUND("no-overlap", NULL, before ? 3 : 0);
        if (before)
            assert_int_equal(removable_us(), 120);
        play_end(p);
    }
}

static void nor_before_an_upload_into_it(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 4; i++) {
        kernel(100, i % 2 ? b : a);
        down(50, C);
        up(1, C);
    }
    analyse(100);
    NOT_FOUND("no-overlap");
    play_end(p);
}

/* The host requested the copy after the download had arrived, so the copy may depend on the download. In this case no
 * kernel of the stretch may be given the memory. */
static void the_host_may_stand_between(void **state) {
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        begin();
        for (int i = 0; i < 4; i++) {
            kernel(60, a);
            kernel(40, b);
            down(50, B);
            if (waits)
                host_waits();
            up(50, A);
        }
        analyse(5000);
        FOUND("no-overlap", NULL, waits ? 0 : 4);
        play_end(p);
    }
    begin();
    for (int i = 0; i < 4; i++) {
        kernel(60, a);
        kernel(40, b);
        down(50, B);
        host_waits();
        up(50, C);
    }
    analyse(5000);
    FOUND("no-overlap", NULL, 4);
    play_end(p);
}

static void the_same_of_kernels_asked_for_after_a_download(void **state) {
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        begin();
        for (int i = 0; i < 4; i++) {
            kernel(50, b);
            kernel(100, a);
            down(50, A);
            if (waits)
                host_waits();
        }
        analyse(5000);
        FOUND("no-overlap", NULL, waits ? 0 : 3);
        play_end(p);
    }
}

static void memory_that_any_kernel_may_reach_depends_on_all(void **state) {
    (void)state;
    static const char *const places[] = {"", "UPDATE allocation SET origin = 6", "UPDATE allocation SET origin = 4",
                                         "UPDATE allocation SET kind = 5", "UPDATE transfer SET dst_allocation = NULL"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        begin();
        turns(3, 100, 100);
        play_analyse(p, places[i]);
        FOUND("no-overlap", NULL, i ? 0 : 3);
        play_end(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_kernels_take_turns),
        cmocka_unit_test(three_pairs_are_enough),
        cmocka_unit_test(a_tenth_of_a_millisecond_is_enough),
        cmocka_unit_test(a_thousandth_of_the_run_is_enough),
        cmocka_unit_test(the_shorter_of_the_two_counts),
        cmocka_unit_test(a_stretch_is_used_once),
        cmocka_unit_test(an_upload_over_what_the_kernel_was_given_takes_a_second_buffer),
        cmocka_unit_test(it_runs_beside_the_whole_stretch),
        cmocka_unit_test(uploads_share_the_stretch),
        cmocka_unit_test(a_download_may_run_beside_the_next_kernels),
        cmocka_unit_test(but_not_beside_those_that_are_given_it),
        cmocka_unit_test(nor_before_an_upload_into_it),
        cmocka_unit_test(the_host_may_stand_between),
        cmocka_unit_test(the_same_of_kernels_asked_for_after_a_download),
        cmocka_unit_test(memory_that_any_kernel_may_reach_depends_on_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
