/* Tests what host-work saves at least: docs/rules/analysis.md, "Work on downloaded data". The runs are made by hand
 * and their answers are known. */
#include "run.h"

enum { STEPS = 20, CALL_US = 1000, COPY_US = 950 };

/* Downloads of stack 4, uploads of stack 5, which are lines 4 and 5 of one function. */
#define PLACES PEAK LINES(9) "UPDATE transfer SET stack = CASE direction WHEN 2 THEN 4 ELSE 5 END;"

static uint32_t memory;

static void begin(void) {
    play_begin(p);
    alloc(A, MIB);
    memory = alloc(B, MIB);
}

/* The part of a step that has nothing to do with the download. */
static void rest(uint64_t us) {
    takes(0, 0);
    kernel(2, memory);
    works(us);
}

static void fetch(uint64_t bytes, uint64_t work_us) {
    takes(CALL_US, COPY_US);
    down(A, bytes, NO_CONTENT, HOST);
    works(work_us);
}

static void is_about(uint64_t ns, uint64_t us) { assert_in_range(ns, us * US * 19 / 20, us * US * 21 / 20); }

/* Nothing follows the last download, and the repaired program still makes the one before it. */
enum { REPAIRED = STEPS - 2 };

static uint64_t least(uint64_t rest_us, uint64_t bytes, uint64_t work_us) {
    begin();
    for (int i = 0; i < STEPS; i++) {
        rest(rest_us);
        fetch(bytes, work_us);
    }
    diagnose(PLACES);
    struct xs_saving of = saves("host-work");
    assert_string_equal(within(0, 0), "host-work"); /* pageable, which only makes the copy faster, is beneath it */
    is_in_order();
    play_end(p);
    is_about(of.most_ns, REPAIRED * (CALL_US + work_us));
    return of.least_ns;
}

/* The host has much else to do. So the device does the work meanwhile, however slowly. */
static void the_device_works_beside_the_host(void **state) {
    (void)state;
    is_about(least(10000, MIB, 3000), REPAIRED * (CALL_US + 3000));
}

/* Another thread cannot do the work faster than this one. The work takes 3 of 4.5 ms. */
static void another_thread_may_have_to_do_it(void **state) {
    (void)state;
    is_about(least(500, MIB, 3000), (STEPS - 1) * (CALL_US + 500));
}

/* Two threads do it at the same time, each for 3 of 4.5 ms. Another two could take over what one could. */
static void two_threads_work_at_the_same_time(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < STEPS; i++) {
        for (p->thread = 1; p->thread <= 2; p->thread++) {
            takes(CALL_US, 400);
            p->delay_ns = p->thread * 450 * US;
            play_down(p, A, MIB, NO_CONTENT, HOST + p->thread * MIB);
        }
        works(CALL_US + 3000);
        takes(0, 0);
        for (p->thread = 1; p->thread <= 2; p->thread++)
            kernel(2, memory);
        works(500);
    }
    p->thread = 1;
    diagnose(PLACES);
    is_about(saves("host-work").least_ns, (STEPS - 1) * (CALL_US + 500 + 4 * 10)); /* 10 us before each call */
    is_in_order();
    play_end(p);
}

/* The work takes 92 ns for each byte, or 183 ns, which only a part of it can be about the data. */
static void long_work_for_few_bytes_is_about_something_else(void **state) {
    (void)state;
    is_about(least(10000, 32 * KIB, 3000), REPAIRED * (CALL_US + 3000));
    assert_int_equal(least(10000, 16 * KIB, 3000), 0);
}

/* The work is on several arrays, and the last one is small. */
static void several_downloads_are_for_one_work(void **state) {
    (void)state;
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        begin();
        for (int i = 0; i < STEPS; i++) {
            rest(10000);
            fetch(MIB, is_apart ? 100 : 5);
            fetch(4 * KIB, 3000);
        }
        diagnose(PEAK LINES(9) "UPDATE transfer SET stack = CASE bytes WHEN 4096 THEN 4 ELSE 5 END;");
        assert_int_equal(saves("host-work").least_ns == 0, is_apart);
        play_end(p);
    }
}

/* The result goes back to the device, so another thread would not help, and the device has to do the work. The
 * upload waits until it has taken a quarter of the host's time, or the time of the copy. This is so even if the device
 * has these results already. */
static void the_result_goes_back(void **state) {
    (void)state;
    for (int round = 0; round < 4; round++) {
        bool is_known = round & 1, is_long = round & 2;
        begin();
        for (int i = 0; i < STEPS; i++) {
            rest(500);
            fetch(MIB, is_long ? 8000 : 3000);
            takes(CALL_US, COPY_US);
            up(B, MIB, is_known ? 1 : NO_CONTENT, is_known && i ? 1 : NOT_MEASURED, OTHER);
        }
        diagnose(PLACES);
        assert_int_equal(p->diagnosis->detour_count, !is_known);
        is_about(saves("host-work").least_ns, (STEPS - 1) * (CALL_US + (is_long ? 8000 - 8000 / 4 : 3000 - COPY_US)));
        is_in_order();
        play_end(p);
    }
}

/* A line downloads again and again, and each statement takes 60 us. The repaired program still makes these statements,
 * which are taken for 20 us of them. */
static void the_statements_stay(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < STEPS; i++) {
        takes(100, 95);
        down(A, MIB, NO_CONTENT, HOST);
        works(50);
    }
    waits(10);
    diagnose(PEAK LINES(9) "UPDATE transfer SET stack = 4;");
    is_about(saves("host-work").most_ns, (STEPS - 2) * (100 + 60 - 20));
    play_end(p);
}

/* A step does the work in nine lines. Each line has 3 % of the run; or all together have less than 5 %. */
static void a_step_does_it_in_several_lines(void **state) {
    (void)state;
    enum { LINE_COUNT = 9, TIMES = 4 };
    for (int is_little = 0; is_little < 2; is_little++) {
        begin();
        for (int i = 0; i < TIMES * LINE_COUNT; i++) {
            fetch(MIB, 3000);
            rest(is_little ? 70000 : 6000);
        }
        diagnose(PEAK LINES(9) "UPDATE transfer SET stack = 1 + id % 9;");
        for (size_t i = 0; i < LINE_COUNT && !is_little; i++)
            is_about(nth("host-work", NULL, i)->saves.least_ns, (TIMES - 1) * (CALL_US + 3000));
        assert_null(nth("host-work", NULL, is_little ? 0 : LINE_COUNT));
        is_in_order();
        play_end(p);
    }
}

/* A loop of few steps, and a long one whose site has 5 % of the run only after many steps. */
static void a_loop_may_be_short_or_long(void **state) {
    (void)state;
    for (int steps = 2; steps <= 3; steps++) {
        begin();
        for (int i = 0; i < steps; i++) {
            fetch(MIB, 3000);
            rest(500);
        }
        diagnose(PLACES);
        assert_int_equal(nth("host-work", NULL, 0) != NULL, steps == 3);
        if (steps == 3)
            is_about(nth("host-work", NULL, 0)->saves.most_ns, 2 * (CALL_US + 3000));
        play_end(p);
    }
    begin();
    takes(20, 10);
    for (int i = 0; i < 10000; i++) {
        down(A, MIB, NO_CONTENT, HOST);
        works(100);
        kernel(2, memory);
    }
    works(20000000); /* the work is some 5 % of the run */
    diagnose(PLACES);
    assert_int_equal(nth("host-work", NULL, 0)->finding->instances, 10000);
    play_end(p);
}

/* A framework's thread downloads for the main thread, which sleeps from its launch of a kernel until the downloads have
 * ended, and then works on the data of the last one. The copy of the large one takes longer than the time in which a
 * wait for the kernel has to end. */
static void for_the_main_thread(void **state) {
    enum { KERNEL_US = 1000, LARGE_US = 600, SMALL_US = 20, WORK_US = 3000 };
    (void)state;
    for (int is_small = 0; is_small < 2; is_small++) {
        begin();
        p->async = true;
        for (int i = 0; i < STEPS; i++) {
            p->thread = 1;
            kernel(KERNEL_US, memory);
            p->thread = 2;
            works(KERNEL_US);
            takes(5, LARGE_US);
            down(A, MIB, NO_CONTENT, HOST);
            works(LARGE_US);
            takes(5, SMALL_US);
            if (is_small)
                down(B, 4 * KIB, NO_CONTENT, OTHER);
            works(SMALL_US + WORK_US);
        }
        p->thread = 1;
        diagnose(PEAK LINES(9) "UPDATE transfer SET stack = 4; UPDATE stack SET python_thread = 1, is_asleep = 1;"
                               "INSERT OR REPLACE INTO meta (key, value) SELECT 'pid', tid FROM thread WHERE id = 1;");
        is_about(saves("host-work").most_ns, REPAIRED * ((is_small ? SMALL_US : LARGE_US) + WORK_US));
        is_in_order();
        p->async = false;
        play_end(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_works_beside_the_host),
        cmocka_unit_test(another_thread_may_have_to_do_it),
        cmocka_unit_test(two_threads_work_at_the_same_time),
        cmocka_unit_test(long_work_for_few_bytes_is_about_something_else),
        cmocka_unit_test(several_downloads_are_for_one_work),
        cmocka_unit_test(the_result_goes_back),
        cmocka_unit_test(the_statements_stay),
        cmocka_unit_test(a_step_does_it_in_several_lines),
        cmocka_unit_test(a_loop_may_be_short_or_long),
        cmocka_unit_test(for_the_main_thread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
