/* Tests which range lives at an address at a time. Ranges that had the address before, or have it later, do not hide
 * it. */
#include "unit.h"

#include "analyzer/base/lifetimes.h"

enum { ALWAYS = 1000 };

static size_t at(struct xs_lives *lives, uint64_t address, int64_t ns) { return xs_lives_at(lives, address, ns); }

static void one_lives_from_its_beginning_to_its_end(void **state) {
    const struct xs_life items[] = {{100, 200, 10, 20}};
    struct xs_lives lives;
    (void)state;
    xs_lives_begin(&lives, items, 1);
    assert_int_equal(at(&lives, 150, 9), 0);
    assert_int_equal(at(&lives, 99, 10), 0);
    assert_int_equal(at(&lives, 100, 10), 1);
    assert_int_equal(at(&lives, 199, 19), 1);
    assert_int_equal(at(&lives, 200, 19), 0);
    assert_int_equal(at(&lives, 150, 20), 0);
    xs_lives_end(&lives);
}

static void the_ended_hide_nothing(void **state) {
    enum { ENDED = 200 };
    struct xs_life items[ENDED + 1];
    struct xs_lives lives;
    (void)state;
    items[0] = (struct xs_life){100, 100000, 500, ALWAYS};
    for (unsigned i = 1; i <= ENDED; i++) /* all of them between the first's begin and the address */
        items[i] = (struct xs_life){100 + i, 300 + i, i, i + 1};
    xs_lives_begin(&lives, items, ENDED + 1);
    assert_int_equal(at(&lives, 400, 150), 151);
    assert_int_equal(at(&lives, 400, 499), 0);
    assert_int_equal(at(&lives, 400, 500), 1);
    xs_lives_end(&lives);
}

/* The end of the first range was recorded late, or not at all. */
static void the_one_that_began_last(void **state) {
    const struct xs_life items[] = {{100, 200, 10, 40}, {150, 160, 20, 30}, {100, 120, 30, ALWAYS}};
    struct xs_lives lives;
    (void)state;
    xs_lives_begin(&lives, items, 3);
    assert_int_equal(at(&lives, 155, 15), 1);
    assert_int_equal(at(&lives, 155, 25), 2);
    assert_int_equal(at(&lives, 170, 25), 1);
    assert_int_equal(at(&lives, 155, 30), 0);
    assert_int_equal(at(&lives, 110, 30), 3);
    assert_int_equal(at(&lives, 130, 30), 1);
    assert_int_equal(at(&lives, 130, 40), 0);
    assert_int_equal(at(&lives, 110, 40), 3);
    xs_lives_end(&lives);
}

/* A range that begins when another one ends has its address. A range that is empty, in bytes or in time, never lives.
 */
static void one_after_the_other(void **state) {
    const struct xs_life items[] = {{100, 200, 20, 30}, {100, 200, 10, 20}, {100, 100, 5, 50}, {100, 200, 25, 25}};
    struct xs_lives lives;
    (void)state;
    xs_lives_begin(&lives, items, 4);
    assert_int_equal(at(&lives, 100, 5), 0);
    assert_int_equal(at(&lives, 100, 19), 2);
    assert_int_equal(at(&lives, 100, 20), 1);
    assert_int_equal(at(&lives, 100, 25), 1);
    assert_int_equal(at(&lives, 100, 30), 0);
    xs_lives_end(&lives);
    xs_lives_begin(&lives, NULL, 0);
    assert_int_equal(at(&lives, 100, 30), 0);
    xs_lives_end(&lives);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_lives_from_its_beginning_to_its_end),
        cmocka_unit_test(the_ended_hide_nothing),
        cmocka_unit_test(the_one_that_began_last),
        cmocka_unit_test(one_after_the_other),
    };
    return cmocka_run_group_tests_name("lives", tests, NULL, NULL);
}
