/* Tests the detector no-overlap: launches whose arguments were not seen, and which work is next to which. Each clause
 * of docs/rules/analysis.md is tested from both sides. */
#include "turns.h"

/* --- launches of unseen arguments --- */

static void unseen_arguments_do_not_matter_to_uploads(void **state) {
    (void)state;
    for (int times = 2; times <= 3; times++) { /* what would not be enough is not even that */
        begin();
        for (int i = 0; i < times; i++) {
            kernel(100, 0);
            up(50, A);
        }
        analyse(5000);
        FOUND("no-overlap", NULL, times == 3 ? 3 : 0);
        PAIRS_UNDECIDED(0);
        play_end(p);
    }
}

static void of_downloads_too(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 4; i++) {
        kernel(100, 0);
        down(50, A);
    }
    analyse(5000);
    NOT_FOUND("no-overlap");
    PAIRS_UNDECIDED(3);
    play_end(p);
}

static void what_is_sure_counts_beside_them(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 3; i++) {
        kernel(60, 0);
        kernel(40, b);
        up(50, A);
    }
    kernel(100, 0);
    up(50, A);
    kernel(60, 0); /* this kernel was given the memory, so the other kernel's arguments do not matter */
    kernel(40, a);
    up(50, A);
    analyse(5000);
    FOUND("no-overlap", NULL, 5);
    assert_int_equal(removable_us(), 5 * 50);
    PAIRS_UNDECIDED(0);
    play_end(p);
}

/* --- when --- */

static void side_by_side_is_nothing(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 10; i++) {
        kernel(100, i % 2 ? b : a);
        at_us -= 60;
        up(50, i % 2 ? A : B);
        idle(10);
    }
    analyse(2000);
    NOT_FOUND("no-overlap");
    play_end(p);
}

/* The part of an upload that ran beside the kernel does not count. */
static void half_beside_it_counts_half(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 4; i++) {
        kernel(100, i % 2 ? b : a);
        at_us -= 30;
        up(80, i % 2 ? A : B);
    }
    analyse(2000);
    FOUND("no-overlap", NULL, 4);
    assert_int_equal(removable_us(), 4 * 50);
    play_end(p);
}

/* The kernel came after the download of the memory that it was given, and the next kernels came after it. */
static void a_kernel_beside_the_copies_stands_between(void **state) {
    (void)state;
    for (int given = 0; given < 2; given++) {
        begin();
        for (int i = 0; i < 4; i++) {
            kernel(100, b);
            down(50, A);
            kernel(10, given ? a : b);
            at_us -= 10;
            down(50, B);
        }
        analyse(5000);
        FOUND("no-overlap", NULL, given ? 0 : 3);
        play_end(p);
    }
}

/* The device is idle in between: for as long as the copy took, and for longer. */
static void next_to_each_other_they_have_to_be(void **state) {
    (void)state;
    for (uint64_t us = 50; us <= 51; us++) {
        begin();
        for (int i = 0; i < 3; i++) {
            kernel(100, i % 2 ? b : a);
            idle(us);
            up(50, i % 2 ? A : B);
        }
        analyse(5000);
        FOUND("no-overlap", NULL, us == 50 ? 3 : 0);
        play_end(p);
        begin();
        for (int i = 0; i < 4; i++) {
            kernel(100, i % 2 ? b : a);
            down(50, i % 2 ? B : A);
            idle(us);
        }
        analyse(5000);
        FOUND("no-overlap", NULL, us == 50 ? 3 : 0);
        play_end(p);
    }
}

static void a_millisecond_is_always_too_long(void **state) {
    (void)state;
    for (uint64_t us = 1000; us <= 1001; us++) {
        begin();
        for (int i = 0; i < 3; i++) {
            kernel(5000, i % 2 ? b : a);
            idle(us);
            up(5000, i % 2 ? A : B);
        }
        analyse(60000);
        FOUND("no-overlap", NULL, us == 1000 ? 3 : 0);
        play_end(p);
    }
}

static void devices_have_stretches_of_their_own(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 6; i++) {
        p->device = 0;
        kernel(100, a);
        p->device = 1;
        up(100, C);
    }
    analyse(2000);
    NOT_FOUND("no-overlap");
    play_end(p);
}

/* --- what is not there --- */

/* Copies of graphs are no transfers of the program's, so nobody can move them to another stream. */
static void copies_of_graphs_make_no_pairs(void **state) {
    (void)state;
    begin();
    turns(5, 100, 100);
    play_analyse(p, "UPDATE device_copy SET graph_node = 7, graph = 1; DELETE FROM transfer");
    NOT_FOUND("no-overlap");
    PAIRS_UNDECIDED(0);
    play_end(p);
}

static void without_kernels_nobody_can_say(void **state) {
    (void)state;
    begin();
    turns(5, 100, 100);
    play_analyse(p, "UPDATE meta SET value = 0 WHERE key = 'cupti.kernels'");
    NOT_FOUND("no-overlap");
    PAIRS_UNDECIDED(0);
    play_end(p);
}

/* The run has more kernels at once than a device runs, more copies than are kept, and more memory than is remembered.
 */
static void limits_lose_pairs_and_invent_none(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 300; k++) {
            kernel(100, b);
            at_us -= 100;
        }
        at_us += 100;
        for (int k = 0; k < 100; k++)
            up(k < 64 ? 2 : 1, A);
    }
    analyse(2000);
    FOUND("no-overlap", NULL, 3); /* some kernels' arguments are not told apart, which matters to downloads only */
    PAIRS_UNDECIDED(0);
    play_end(p);
    begin();
    for (int i = 0; i < 3; i++) {
        kernel(1000, b);
        for (int k = 0; k < 100; k++)
            up(k < 36 ? 1 : 2, A);
    }
    analyse(2000);
    FOUND("no-overlap", NULL, 3);
    assert_int_equal(removable_us(), 3 * 128);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unseen_arguments_do_not_matter_to_uploads),
        cmocka_unit_test(of_downloads_too),
        cmocka_unit_test(what_is_sure_counts_beside_them),
        cmocka_unit_test(side_by_side_is_nothing),
        cmocka_unit_test(half_beside_it_counts_half),
        cmocka_unit_test(a_kernel_beside_the_copies_stands_between),
        cmocka_unit_test(next_to_each_other_they_have_to_be),
        cmocka_unit_test(a_millisecond_is_always_too_long),
        cmocka_unit_test(devices_have_stretches_of_their_own),
        cmocka_unit_test(copies_of_graphs_make_no_pairs),
        cmocka_unit_test(without_kernels_nobody_can_say),
        cmocka_unit_test(limits_lose_pairs_and_invent_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
