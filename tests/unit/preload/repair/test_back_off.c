/* Tests that a place whose content differs each time is looked at less and less often. */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "preload/repair/back_off.h"

static struct xs_back_off all;

/* Plays `count` copies that all differ. Returns the numbers, from 1, of those that are looked at. */
static const char *looks(uint64_t address, unsigned count) {
    static char text[400];
    size_t n = 0;
    text[0] = '\0';
    for (unsigned i = 1; i <= count; i++) {
        if (xs_back_off_is_due(&all, address, 4096)) {
            n += (size_t)snprintf(text + n, sizeof text - n, "%s%u", n ? " " : "", i);
            xs_back_off_found(&all, address, 4096, true);
        }
    }
    return text;
}

static void rarer_and_rarer(void **state) {
    (void)state;
    memset(&all, 0, sizeof all);
    assert_string_equal(looks(0x1000, 400), "1 2 3 5 9 17 33 65 129 193 257 321 385");
}

static void equal_once_begins_anew(void **state) {
    (void)state;
    memset(&all, 0, sizeof all);
    looks(0x1000, 17);
    xs_back_off_found(&all, 0x1000, 4096, false);
    assert_string_equal(looks(0x1000, 6), "1 2 3 5");
}

static void differences_in_a_row_alone_count(void **state) {
    (void)state;
    memset(&all, 0, sizeof all);
    for (int i = 0; i < 20; i++) {
        assert_true(xs_back_off_is_due(&all, 0x1000, 4096));
        xs_back_off_found(&all, 0x1000, 4096, i % 3 != 2);
    }
}

static void places_are_apart(void **state) {
    (void)state;
    memset(&all, 0, sizeof all);
    looks(0x1000, 9);
    assert_false(xs_back_off_is_due(&all, 0x1000, 4096));
    assert_true(xs_back_off_is_due(&all, 0x1000, 4095));
    assert_true(xs_back_off_is_due(&all, 0x2000, 4096));
}

static void the_count_of_differences_ends(void **state) {
    (void)state;
    memset(&all, 0, sizeof all);
    for (int i = 0; i < 1000; i++)
        xs_back_off_found(&all, 0x1000, 4096, true);
    assert_string_equal(looks(0x1000, 70), "64");
    xs_back_off_found(&all, 0x1000, 4096, false);
    assert_true(xs_back_off_is_due(&all, 0x1000, 4096));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rarer_and_rarer),
        cmocka_unit_test(equal_once_begins_anew),
        cmocka_unit_test(places_are_apart),
        cmocka_unit_test(differences_in_a_row_alone_count),
        cmocka_unit_test(the_count_of_differences_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
