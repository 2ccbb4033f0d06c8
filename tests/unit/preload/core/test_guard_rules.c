/* Tests which calls break which rules, that each rule is told once, and how calls are counted in steps. */
#include "unit.h"

#include <pthread.h>
#include <stdio.h>

#include "preload/core/asked_window.h"
#include "preload/core/guard_rules.h"

struct xs_state_page xs_state_page __attribute__((aligned(XS_STATE_PAGE_BYTES)));
static uint64_t step;
uint64_t xs_asked_step_now(void) { return step; }

static void begin(const char *text) {
    struct xs_guard_spec spec;
    const char *rule;
    size_t bytes;
    assert_null(xs_guard_spec_read(&spec, text, &rule, &bytes));
    xs_guard_rules_start(&spec);
    xs_rule_broken.rule = 0;
    step = 0;
}

static struct xs_event copy(enum xs_direction direction, uint64_t bytes, enum xs_memory_kind host) {
    struct xs_event e = {.kind = XS_EVENT_TRANSFER, .entry = 5, .stack = 9};
    e.transfer.bytes = bytes;
    e.transfer.direction = (uint8_t)direction;
    e.transfer.src_kind = (uint8_t)(direction == XS_DIR_H2D ? host : XS_MEM_DEVICE);
    e.transfer.dst_kind = (uint8_t)(direction == XS_DIR_D2H ? host : XS_MEM_DEVICE);
    return e;
}

/* Returns the number of the rule that the call breaks, and tells it. */
static unsigned look(struct xs_event e) {
    xs_guard_rules_look(&e);
    unsigned rule = xs_rule_broken.rule;
    xs_rule_broken.rule = 0;
    xs_guard_rules_were_told();
    return rule;
}
static unsigned up(uint64_t bytes) { return look(copy(XS_DIR_H2D, bytes, XS_MEM_PINNED)); }
static unsigned down(uint64_t bytes) { return look(copy(XS_DIR_D2H, bytes, XS_MEM_PINNED)); }
static unsigned wait_for_device(void) { return look((struct xs_event){.kind = XS_EVENT_SYNC}); }

static void without_rules_nothing_is_wanted(void **state) {
    (void)state;
    begin("");
    assert_false(xs_guard_rules_wanted());
    begin("warn");
    assert_true(xs_guard_rules_wanted());
}

static void sizes(void **state) {
    (void)state;
    begin("warn:d2h>64B,h2d>0");
    assert_int_equal(down(64), 0);
    assert_int_equal(down(65), 1);
    assert_int_equal(down(66), 0); /* was told */
    assert_true(xs_guard_rules_wanted());
    assert_int_equal(up(0), 0);
    assert_int_equal(up(1), 2);
    assert_false(xs_guard_rules_wanted());
    begin("warn:h2d>0,d2h>0");
    assert_int_equal(look(copy(XS_DIR_D2D, 64, XS_MEM_DEVICE)), 0);
    assert_int_equal(look(copy(XS_DIR_H2H, 64, XS_MEM_PAGEABLE)), 0);
    assert_int_equal(wait_for_device(), 0);
}

static void what_is_said_of_the_call(void **state) {
    struct xs_event e = copy(XS_DIR_H2D, 77, XS_MEM_PINNED);
    (void)state;
    begin("warn:h2d>0");
    xs_guard_rules_look(&e);
    assert_int_equal(xs_rule_broken.rule, 1);
    assert_int_equal(xs_rule_broken.stack, 9);
    assert_int_equal(xs_rule_broken.entry, 5);
    assert_int_equal(xs_rule_broken.bytes, 77);
    assert_int_equal(xs_rule_broken.step, 0);
}

static void pageable(void **state) {
    (void)state;
    begin("warn:pageable>1KiB");
    assert_int_equal(up(4096), 0);
    assert_int_equal(look(copy(XS_DIR_H2D, 1024, XS_MEM_PAGEABLE)), 0);
    assert_int_equal(look(copy(XS_DIR_D2H, 4096, XS_MEM_REGISTERED)), 0);
    assert_int_equal(look(copy(XS_DIR_D2H, 4096, XS_MEM_PAGEABLE)), 1);
}

static void steps(void **state) {
    (void)state;
    begin("warn:waits-per-step>2,h2d-in-step>0");
    assert_int_equal(up(8), 0); /* in no step */
    for (int i = 0; i < 5; i++)
        assert_int_equal(wait_for_device(), 0);
    for (step = 1; step < 4; step++) {
        assert_int_equal(wait_for_device(), 0);
        assert_int_equal(wait_for_device(), 0);
        assert_int_equal(down(8), 0);
    }
    step = 4;
    assert_int_equal(wait_for_device(), 0);
    assert_int_equal(wait_for_device(), 0);
    struct xs_event third = {.kind = XS_EVENT_SYNC};
    xs_guard_rules_look(&third);
    assert_int_equal(xs_rule_broken.step, 4);
    assert_int_equal(xs_rule_broken.number, 3);
    assert_int_equal(xs_rule_broken.bytes, 0);
    xs_rule_broken.rule = 0;
    assert_int_equal(up(8), 2);
}

/* Marks of other calls of the wrappers of waits. */
static void other_calls_are_no_waits(void **state) {
    (void)state;
    begin("warn:waits-per-step>0");
    step = 1;
    assert_int_equal(look((struct xs_event){.kind = XS_EVENT_API}), 0);
    assert_int_equal(up(8), 0);
    assert_int_equal(wait_for_device(), 1);
}

static void one_call_breaks_two_rules(void **state) {
    (void)state;
    begin("warn:h2d>0,pageable>0");
    struct xs_event e = copy(XS_DIR_H2D, 8, XS_MEM_PAGEABLE);
    assert_int_equal(look(e), 1);
    assert_true(xs_guard_rules_wanted());
    assert_int_equal(look(e), 2);
    assert_false(xs_guard_rules_wanted());
}

static void the_first_break_ends_all(void **state) {
    (void)state;
    begin("fail:h2d>0,d2h>0");
    assert_int_equal(down(8), 2);
    assert_int_equal(up(8), 0);
    assert_false(xs_guard_rules_wanted());
}

static void found_later(void **state) {
    struct xs_rule_break broken, late = {.rule = 1, .stack = 4, .bytes = 16};
    (void)state;
    begin("warn:noop-upload,h2d>1MiB");
    assert_int_equal(xs_guard_rules_open(XS_GUARD_NOOP_UPLOAD), 1);
    assert_int_equal(xs_guard_rules_open(XS_GUARD_D2H), 0);
    assert_true(xs_guard_rules_found_later(&late));
    assert_int_equal(xs_guard_rules_open(XS_GUARD_NOOP_UPLOAD), 0);
    assert_false(xs_guard_rules_found_later(&late));
    struct xs_event e = copy(XS_DIR_D2H, 8, XS_MEM_PINNED); /* any call tells it */
    xs_guard_rules_look(&e);
    assert_int_equal(xs_rule_broken.rule, 1);
    assert_int_equal(xs_rule_broken.stack, 4);
    assert_false(xs_guard_rules_take_later(&broken));
    begin("warn:noop-upload");
    assert_false(xs_guard_rules_take_later(&broken));
    assert_true(xs_guard_rules_found_later(&late));
    assert_true(xs_guard_rules_take_later(&broken)); /* at the end of the session */
    assert_int_equal(broken.bytes, 16);
    begin("fail:noop-upload,h2d>0");
    assert_true(xs_guard_rules_found_later(&late));
    assert_int_equal(up(8), 2);
    assert_false(xs_guard_rules_take_later(&broken)); /* the program ends already */
}

enum { THREADS = 4, EACH = 2000 };

static void *copy_often(void *breaks) {
    struct xs_event e = copy(XS_DIR_H2D, 8, XS_MEM_PINNED);
    xs_rule_broken.rule = 0;
    for (int i = 0; i < EACH; i++)
        xs_guard_rules_look(&e);
    *(unsigned *)breaks = xs_rule_broken.rule;
    return NULL;
}

/* No call is lost or counted twice, and one thread alone tells the break. */
static void threads_count_together(void **state) {
    char text[64];
    pthread_t threads[THREADS];
    unsigned breaks[THREADS], sum;
    (void)state;
    for (int more = 0; more < 2; more++) {
        snprintf(text, sizeof text, "warn:h2d-in-step>%d", THREADS * EACH - more);
        begin(text);
        step = 3;
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, copy_often, &breaks[i]), 0);
        sum = 0;
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            sum += breaks[i];
        }
        assert_int_equal(sum, more);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_rules_nothing_is_wanted),
        cmocka_unit_test(sizes),
        cmocka_unit_test(what_is_said_of_the_call),
        cmocka_unit_test(pageable),
        cmocka_unit_test(steps),
        cmocka_unit_test(other_calls_are_no_waits),
        cmocka_unit_test(one_call_breaks_two_rules),
        cmocka_unit_test(the_first_break_ends_all),
        cmocka_unit_test(found_later),
        cmocka_unit_test(threads_count_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
