/* Tests that conclusions from contents, reads and writes end where an unknown function ran. */
#include "played.h"

enum { BYTES = 4096 };
#define A UINT64_C(0x100000)
#define HOST UINT64_C(0x7000000)

static struct played played, *p = &played;

static void upload_twice(int between) {
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    if (between)
        play_unknown(p, between == 2);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST); /* nothing can have come between, unless it may at any time */
    play_analyse(p, NULL);
}

static void contents_before_are_not_known(void **state) {
    (void)state;
    static const struct { uint64_t noops, undecided, unused; } wanted[] = {{2, 0, 2}, {1, 1, 1}, {0, 2, 0}};
    for (int between = 0; between < 3; between++) {
        upload_twice(between);
        assert_int_equal(played_found(p, "noop-upload", NULL), wanted[between].noops);
        assert_int_equal(played_undecided(p, "noop-upload", XS_UNDECIDED_BEFORE), wanted[between].undecided);
        assert_int_equal(played_found(p, "unused-upload", NULL), wanted[between].unused);
        play_end(p);
    }
}

/* Measured contents are true nevertheless. */
static void what_was_measured_counts(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_unknown(p, true);
    play_up(p, A, BYTES, 1, 1, HOST);
    play_up(p, A, BYTES, 1, 2, HOST);
    play_analyse(p, NULL);
    FOUND("noop-upload", NULL, 1);
    assert_int_equal(played_undecided(p, "noop-upload", XS_UNDECIDED_BEFORE), 0);
    play_end(p);
}

/* The function may have used any allocation that was live then. */
static void allocations_may_be_used(void **state) {
    (void)state;
    for (int ran = 0; ran < 2; ran++) {
        play_begin(p);
        uint32_t a = play_alloc(p, A, BYTES);
        if (ran)
            play_unknown(p, false);
        play_free(p, a);
        play_analyse(p, NULL);
        assert_int_equal(played_found(p, "unused-allocation", NULL), !ran);
        play_end(p);
    }
}

/* Copies before and after it are no run of small copies, and no value that is read again and again. */
static void runs_of_copies_end(void **state) {
    (void)state;
    for (int ran = 0; ran < 2; ran++) {
        play_begin(p);
        play_alloc(p, A, 64 * BYTES);
        for (int i = 0; i < 12; i++) {
            play_up(p, A + (uint64_t)i * BYTES, 64, 10 + i, NOT_MEASURED, HOST + (uint64_t)i * BYTES);
            if (ran)
                play_unknown(p, false);
        }
        play_analyse(p, NULL);
        assert_int_equal(played_found(p, "small-transfers", NULL), !ran);
        play_end(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contents_before_are_not_known),
        cmocka_unit_test(what_was_measured_counts),
        cmocka_unit_test(allocations_may_be_used),
        cmocka_unit_test(runs_of_copies_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
