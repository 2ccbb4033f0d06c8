/* Which wait the steps of a program are counted by, from when on, and what the window of the steps is open for. Every
 * test is a process of its own, because a process has one search. */
#include "unit.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/core/asked_window.h"
#include "preload/core/hooks.h"
#include "preload/core/step_waits.h"
#include "schema/clock.h"

static bool start_session(unsigned row) {
    (void)row;
    return false;
}

static bool is_gone(uintptr_t return_address_at) {
    (void)return_address_at;
    return false;
}

static void window_asked(void) {}

const struct xs_hooks xs_hooks = {.start_session = start_session, .is_gone = is_gone, .window_asked = window_asked};

enum { MS = 1000000, ROW = 7, STACK = 3 };
static const struct xs_step_wait step = {.row = ROW, .stack = STACK, .object = 1, .thread = 5};

static uint64_t now_ns = 1000 * (uint64_t)MS;

static bool wait_for(const struct xs_step_wait *wait, uint64_t ms) {
    now_ns += ms * MS;
    return xs_step_waited(wait, now_ns);
}

static bool is_open(void) { return xs_asked_window_is_open(XS_WINDOW_BY_STEPS); }

/* Waits `count` times and expects that no window changes by it. */
static void steps(uint64_t count, uint64_t ms) {
    bool was_open = is_open();
    for (uint64_t i = 0; i < count; i++) {
        assert_false(wait_for(&step, ms));
        assert_int_equal(is_open(), was_open);
    }
}

static void in_a_child(void **state, void (*body)(void)) {
    int status;
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("CMOCKA_TEST_ABORT", "1", 1); /* at a failed assertion; else the child would go on with other tests */
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

#define IN_A_CHILD(name)                                                                                               \
    static void name##_body(void);                                                                                     \
    static void name(void **state) { in_a_child(state, name##_body); }                                                 \
    static void name##_body(void)

/* Ten returns are skipped: the window opens with the tenth, and closes with the third behind it. */
IN_A_CHILD(steps_are_counted) {
    assert_false(atomic_load(&xs_step_waits_on));
    xs_step_waits_start(10, 3);
    assert_true(atomic_load(&xs_step_waits_on));
    steps(9, 20);
    assert_true(wait_for(&step, 20));
    assert_true(is_open());
    assert_int_equal(xs_step_waits().first, 10);
    steps(2, 20);
    assert_int_equal(xs_step_waits().ended, 12);
    assert_true(wait_for(&step, 20));
    assert_false(is_open());
    assert_false(atomic_load(&xs_step_waits_on));
    steps(20, 20);
    struct xs_step_waits waits = xs_step_waits();
    assert_true(waits.is_found && waits.row == ROW && waits.stack == STACK);
}

/* The events of a wait may have another thread's Python frames, and then their stacks have other numbers. */
IN_A_CHILD(steps_have_a_recorded_stack) {
    struct xs_step_wait recorded = step;
    recorded.recorded = STACK + 1;
    xs_step_waits_start(10, 2);
    steps(9, 20);
    assert_true(wait_for(&step, 20));
    assert_false(wait_for(&recorded, 20));
    assert_true(wait_for(&recorded, 20));
    assert_int_equal(xs_step_waits().stack, STACK + 1);
}

/* Six returns make five distances, and fewer are no rhythm, however few are to be skipped. */
IN_A_CHILD(five_distances_are_needed) {
    xs_step_waits_start(0, 2);
    steps(5, 20);
    assert_true(wait_for(&step, 20));
    assert_int_equal(xs_step_waits().first, 6);
}

/* Without a number of steps the window stays open. */
IN_A_CHILD(all_steps_behind_the_skipped_ones) {
    xs_step_waits_start(8, 0);
    steps(7, 20);
    assert_true(wait_for(&step, 20));
    steps(1000, 20);
    assert_true(is_open());
    assert_int_equal(xs_step_waits().ended, 1008);
}

/* The first distance is longer by far: it is warm-up, and no reason not to find the rhythm behind them. */
IN_A_CHILD(a_warm_up_is_passed_over) {
    xs_step_waits_start(0, 1);
    steps(1, 20);
    steps(1, 60);
    steps(4, 20);
    assert_true(wait_for(&step, 20));
}

/* Distances that differ are no steps, and the search never ends. */
IN_A_CHILD(an_irregular_wait_is_none) {
    xs_step_waits_start(3, 2);
    for (unsigned i = 0; i < 300; i++)
        assert_false(wait_for(&step, i % 2 ? 10 : 40));
    assert_false(is_open());
    assert_int_equal(xs_step_waits().seen, 300);
    assert_false(xs_step_waits().is_found);
}

/* Distances that differ by half of their mean are steps where there are many of them. */
IN_A_CHILD(many_may_differ_by_more) {
    xs_step_waits_start(0, 2);
    for (unsigned i = 0; i < 32; i++)
        assert_false(wait_for(&step, i % 2 ? 30 : 12));
    assert_true(wait_for(&step, 30));
}

/* Regular, but a small part of what the program has waited for until then; it is taken once it has lasted for long. */
IN_A_CHILD(a_short_rhythm_is_none_at_first) {
    struct xs_step_wait other = step;
    other.stack = STACK + 1;
    xs_step_waits_start(0, 2);
    assert_false(wait_for(&other, 1));
    now_ns += UINT64_C(60000) * MS;
    steps(32, 10); /* 31 distances */
    assert_true(wait_for(&step, 10));
}

/* Others in between, at other places, of other threads and of other entry points, do not count. */
IN_A_CHILD(places_are_told_apart) {
    struct xs_step_wait place = step, thread = step, row = step;
    place.stack = STACK + 1;
    thread.thread = 6;
    row.row = ROW + 1;
    xs_step_waits_start(9, 2);
    for (unsigned i = 0; i < 8; i++) {
        assert_false(wait_for(&step, 10));
        assert_false(wait_for(i % 2 ? &place : i % 3 ? &thread : &row, 10));
    }
    assert_true(wait_for(&step, 10));
    assert_false(wait_for(&place, 10));
    assert_false(wait_for(&thread, 10));
    assert_false(wait_for(&row, 10));
    assert_false(wait_for(&step, 10));
    assert_true(is_open());
    assert_true(wait_for(&step, 10));
    assert_false(is_open());
}

/* Where no stack is known, what is waited for tells places apart; where one is, it does not. */
IN_A_CHILD(objects_count_without_a_stack) {
    struct xs_step_wait one = step, other = step;
    one.stack = other.stack = 0;
    other.object = 2;
    xs_step_waits_start(7, 1);
    for (unsigned i = 0; i < 6; i++)
        assert_false(wait_for(&one, 10));
    assert_true(wait_for(&one, 10));
    assert_false(wait_for(&other, 10));
    assert_true(wait_for(&one, 10));
}

IN_A_CHILD(streams_taken_in_turn_are_one_place) {
    struct xs_step_wait wait = step;
    xs_step_waits_start(7, 1);
    for (unsigned i = 0; i < 6; i++) {
        wait.object = i;
        assert_false(wait_for(&wait, 10));
    }
    assert_true(wait_for(&wait, 10));
}

/* More places than are remembered, each seen once: the one that comes again and again stays. */
IN_A_CHILD(places_that_are_gone_make_room) {
    struct xs_step_wait other = step;
    xs_step_waits_start(8, 1);
    for (unsigned i = 0; i < 7; i++) {
        assert_false(wait_for(&step, 20));
        for (unsigned k = 0; k < 40; k++) {
            other.stack = 100 + i * 40 + k;
            assert_false(wait_for(&other, 0));
        }
    }
    assert_true(wait_for(&step, 20));
}

/* XFERSPY_WINDOW=nvtx:NAME is ignored beside steps, but NVTX was asked for that range before the session began. */
IN_A_CHILD(ranges_are_no_steps_where_waits_are) {
    assert_true(xs_asked_ranges_change(1));
    assert_true(xs_asked_ranges_change(-1));
    xs_step_waits_start(10, 3);
    for (unsigned i = 1; i <= 13; i++) {
        xs_asked_ranges_change(1);
        assert_int_equal(wait_for(&step, 20), i == 10 || i == 13);
        xs_asked_ranges_change(-1);
        assert_int_equal(is_open(), i >= 10 && i < 13);
    }
    assert_int_equal(xs_step_waits().ended, 13);
}

/* Named ranges: from the begin of the third until the end of the fourth, whatever lies between the two. */
IN_A_CHILD(ranges_are_counted) {
    xs_asked_steps_set(2, 2);
    for (unsigned i = 1; i <= 6; i++) {
        assert_true(xs_asked_ranges_change(1));
        assert_false(xs_asked_ranges_change(1)); /* another thread's, at the same time: the same step */
        assert_false(xs_asked_ranges_change(-1));
        assert_int_equal(is_open(), i == 3 || i == 4);
        assert_true(xs_asked_ranges_change(-1));
        assert_int_equal(is_open(), i == 3);
    }
}

IN_A_CHILD(before_steps_are_set_the_window_is_closed) {
    assert_true(xs_asked_ranges_change(1));
    assert_false(is_open());
    xs_asked_steps_set(0, 0);
    assert_true(is_open());
}

/* A program makes ranges before its first CUDA call, and that call may be inside of one. */
IN_A_CHILD(steps_before_they_are_set_are_not_recorded) {
    uint64_t begin_ns, end_ns, before_ns;
    for (unsigned i = 0; i < 7; i++)
        xs_asked_step_mark(); /* three are over, and the fourth is open */
    before_ns = xs_monotonic_ns();
    xs_asked_steps_set(1, 4); /* 2 to 5 are asked for */
    assert_int_equal(xs_asked_steps_before(), 3);
    assert_true(is_open());
    assert_true(xs_asked_step_times(0, &begin_ns, &end_ns));
    assert_in_range(begin_ns, before_ns, xs_monotonic_ns());
    assert_int_equal(end_ns, 0);
    assert_false(xs_asked_step_times(1, &begin_ns, &end_ns));
    for (unsigned i = 0; i < 3; i++)
        xs_asked_step_mark();
    assert_false(is_open());
    assert_true(xs_asked_step_times(1, &begin_ns, &end_ns));
    assert_false(xs_asked_step_times(2, &begin_ns, &end_ns));
}

IN_A_CHILD(skipped_steps_may_come_before_they_are_set) {
    for (unsigned i = 0; i < 4; i++)
        xs_asked_step_mark();
    xs_asked_steps_set(3, 0);
    assert_int_equal(xs_asked_steps_before(), 3);
    assert_false(is_open());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_counted),
        cmocka_unit_test(steps_have_a_recorded_stack),
        cmocka_unit_test(five_distances_are_needed),
        cmocka_unit_test(all_steps_behind_the_skipped_ones),
        cmocka_unit_test(a_warm_up_is_passed_over),
        cmocka_unit_test(an_irregular_wait_is_none),
        cmocka_unit_test(many_may_differ_by_more),
        cmocka_unit_test(a_short_rhythm_is_none_at_first),
        cmocka_unit_test(places_are_told_apart),
        cmocka_unit_test(objects_count_without_a_stack),
        cmocka_unit_test(streams_taken_in_turn_are_one_place),
        cmocka_unit_test(places_that_are_gone_make_room),
        cmocka_unit_test(ranges_are_no_steps_where_waits_are),
        cmocka_unit_test(ranges_are_counted),
        cmocka_unit_test(before_steps_are_set_the_window_is_closed),
        cmocka_unit_test(steps_before_they_are_set_are_not_recorded),
        cmocka_unit_test(skipped_steps_may_come_before_they_are_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
