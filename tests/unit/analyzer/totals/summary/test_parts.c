/* Tests traces of a part of the run: what is said about the part, how long it was, and which steps it had. */
#include "analyzer/words/left_out.h"
#include "analyzer/words/recorded_parts_words.h"
#include "loaded.h"

/* The summary says which parts were recorded, and what was left out outside of them; if nothing was left out, the run
 * has no parts. */
static void parts_that_were_looked_at(void **state) {
    struct case_ c;
    struct xs_string text = {0};
    (void)state;
    load(&c, "INSERT OR REPLACE INTO meta VALUES ('range.windows', '1000+2000,5000+1'), ('range.count', 2),"
             " ('range.recorded_ns', 2001000), ('range.left_out_transfers', 3), ('range.left_out_launches', 40),"
             " ('range.left_out_memsets', 1), ('duration_ns', 10000000)");
    assert_true(c.summary.looked_at.limited && c.summary.looked_at.has_gaps);
    assert_int_equal(c.summary.looked_at.parts, 2);
    assert_true(c.summary.recorded.in_part);
    assert_int_equal(c.summary.recorded.ns, 2001000);
    assert_int_equal(c.summary.recorded.run_ns, 10000000);
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "Looked at 2.00 ms of 10.0 ms, in 2 parts of the run"));
    text.length = 0;
    assert_int_equal(xs_left_out_say(&c.summary, XS_LEFT_OUTSIDE, &text), 44);
    assert_non_null(strstr(text.data, "3 calls that copy, 1 memset, 40 launches were counted and not recorded"));
    assert_false(c.summary.where.known); /* nobody knows what ran beside them */
    xs_string_free(&text);
    drop(&c);
    load(&c, "INSERT OR REPLACE INTO meta VALUES ('range.windows', '0+2000'), ('range.count', 1),"
             " ('range.recorded_ns', 2000000), ('status', 'complete')");
    assert_true(c.summary.looked_at.limited && !c.summary.looked_at.has_gaps);
    assert_false(c.summary.recorded.in_part); /* no call is missing: shares are of the run */
    assert_int_equal(c.summary.recorded.ns, c.summary.run.duration_ns);
    xs_looked_at_say(&c.summary, &text);
    assert_int_equal(text.length, 0);
    assert_int_equal(xs_left_out_say(&c.summary, XS_LEFT_OUTSIDE, &text), 0);
    drop(&c);
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 1),"
             " ('option.window', '5s..6s')");
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "Nothing was recorded but allocations: the program ended before 5s..6s"));
    text.length = 0;
    c.summary.run.is_snapshot = true; /* the program goes on */
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "Nothing was recorded but allocations so far: XFERSPY_WINDOW asks for 5s..6s."));
    assert_false(c.summary.recorded.in_part);
    xs_string_free(&text);
    drop(&c);
}

/* A program that sleeps (XFERSPY_START=off) is recorded where a command asks for it. */
static void parts_that_commands_ask_for(void **state) {
    struct case_ c;
    struct xs_string text = {0};
    (void)state;
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 2),"
             " ('option.start', 'off'), ('option.window', '')");
    xs_looked_at_say(&c.summary, &text);
    assert_string_equal(text.data, "Nothing was recorded but allocations: it was never started by `xferspy start' "
                                   "(XFERSPY_START=off).");
    text.length = 0;
    drop(&c);
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+2000'), ('range.left_out_transfers', 2),"
             " ('range.count', 1), ('range.recorded_ns', 2000000), ('option.start', 'off'), ('option.window', '')");
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "in 1 part of the run that `xferspy start' asked for: findings"));
    text.length = 0;
    assert_int_equal(xs_left_out_say(&c.summary, XS_LEFT_OUTSIDE, &text), 2);
    assert_string_equal(text.data, "2 calls that copy were counted and not recorded: outside of what `xferspy start' "
                                   "asked for.");
    xs_string_free(&text);
    drop(&c);
}

/* If a process was killed, the list is older than its end: copies after it were recorded, too. */
static void parts_of_a_killed_process(void **state) {
#define RANGES(list, count, ns)                                                                                        \
    "INSERT OR REPLACE INTO meta VALUES ('range.windows', '" list "'), ('range.count', " #count "),"                   \
    " ('range.recorded_ns', " #ns "), ('range.left_out_transfers', 3), ('status', 'recovered');"
    const char *later =
        TRANSFER(1, 1, 64, 1, 4, 0, 6000000, 6100000, 1) TRANSFER(2, 1, 64, 1, 4, 0, 8000000, 8500000, 2);
    const struct {
        const char *meta;
        uint64_t parts, recorded_ns;
    } cases[] = {{RANGES("1000+4000,5500+1000", 2, 5000000), 2, 7000000}, /* the second one is known until 6.5 ms */
                 {RANGES("1000+9000", 1, 9000000), 1, 9000000},
                 {RANGES("0+0", 0, 0), 1, 2500000}, /* the two copies, and the time between them */
                 {RANGES("1000+4000,5500+1000", 9000, 5000000), 9000, 5000000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct case_ c;
        struct xs_string text = {0}, sql = {0};
        xs_string_format(&sql, "%s%s", cases[i].meta, later);
        load(&c, sql.data);
        assert_int_equal(c.summary.looked_at.parts, cases[i].parts);
        assert_int_equal(c.summary.looked_at.recorded_ns, cases[i].recorded_ns);
        assert_int_equal(c.summary.recorded.ns, cases[i].recorded_ns < 8500000 ? cases[i].recorded_ns : 8500000);
        xs_looked_at_say(&c.summary, &text);
        assert_null(strstr(text.data, "Nothing was recorded"));
        assert_int_equal(c.summary.looked_at.is_at_most, strstr(text.data, "Looked at not more than ") != NULL);
        assert_int_equal(c.summary.looked_at.is_at_most, i == 0 || i == 2);
        xs_string_free(&text);
        xs_string_free(&sql);
        drop(&c);
    }
#undef RANGES
}

/* Tests how much of a step was recorded: the part in the ranges; everything, if there are no gaps; and everything after
 * the end of a list that is cut. */
static void recorded_between_moments(void **state) {
    struct xs_capture_range items[] = {{1000, 3000}, {5000, 6000}, {9000, 9500}};
    struct xs_capture_ranges ranges = {.has_gaps = true, .is_complete = true, .items = items, .count = 3, .parts = 3};
    (void)state;
    assert_int_equal(xs_recorded_between(&ranges, 0, 10000), 3500);
    assert_int_equal(xs_recorded_between(&ranges, 2000, 5500), 1500);
    assert_int_equal(xs_recorded_between(&ranges, 1200, 1300), 100);
    assert_int_equal(xs_recorded_between(&ranges, 3000, 5000), 0);
    assert_int_equal(xs_recorded_between(&ranges, 9500, 20000), 0);
    ranges.parts = 4;
    assert_int_equal(xs_recorded_between(&ranges, 2000, 5500), 1500);
    assert_int_equal(xs_recorded_between(&ranges, 9000, 20000), 11000);
    ranges.parts = 3;
    ranges.is_complete = false; /* the list is of some time before the end */
    assert_int_equal(xs_recorded_between(&ranges, 3000, 5000), 0);
    assert_int_equal(xs_recorded_between(&ranges, 9000, 20000), 11000);
    ranges.has_gaps = false;
    assert_int_equal(xs_recorded_between(&ranges, 3000, 5000), 2000);
    assert_int_equal(xs_recorded_between(&ranges, 5000, 3000), 0);
}

/* Tests which steps were recorded, and what marked them. */
static void steps_that_were_recorded(void **state) {
    static const struct {
        const char *meta, *text;
    } cases[] = {
        {"('range.steps_by', 'range'), ('range.steps_first', 3), ('range.steps', 3), ('range.steps_passed', 9),"
         " ('option.step', 'epoch'), ('option.skip_steps', '2'), ('option.steps', '3')",
         "Looked at 2.00 ms of 10.0 ms, in steps 3 to 5, by the NVTX range \"epoch\": findings"},
        {"('range.steps_by', 'range'), ('range.steps_first', 3), ('range.steps', 1), ('range.steps_passed', 3),"
         " ('option.step', 'epoch'), ('option.skip_steps', '2'), ('option.steps', '4')",
         ", in step 3 (4 were asked for), by the NVTX range \"epoch\": findings"},
        {"('range.steps_by', 'wait'), ('range.steps_first', 3), ('range.steps', 9), ('option.skip_steps', '2'),"
         " ('range.steps_wait', 'cuStreamSynchronize')",
         ", in steps 3 to 11, by the wait that came most regularly (cuStreamSynchronize): findings"},
        {"('range.steps_by', 'wait'), ('range.steps_first', 7), ('range.steps', 9), ('option.skip_steps', '2'),"
         " ('range.steps_wait', 'cuStreamSynchronize')",
         "regularly (cuStreamSynchronize), which was found only then: findings"},
        {"('range.steps_by', 'wait'), ('range.steps_first', 0), ('range.steps', 0), ('option.skip_steps', '2'),"
         " ('range.steps_wait', 'cuStreamSynchronize')",
         ", in the beginning of a step, by the wait that came most regularly (cuStreamSynchronize): findings"},
    };
    struct case_ c;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xs_string text = {0}, sql = {0};
        xs_string_format(&sql,
                         "INSERT OR REPLACE INTO meta VALUES ('range.windows', '1000+2000'), ('range.count', 1),"
                         " ('range.recorded_ns', 2000000), ('range.left_out_transfers', 3), ('duration_ns', 10000000),"
                         " %s",
                         cases[i].meta);
        load(&c, sql.data);
        xs_looked_at_say(&c.summary, &text);
        assert_non_null(strstr(text.data, cases[i].text));
        text.length = 0;
        assert_int_equal(xs_left_out_say(&c.summary, XS_LEFT_OUTSIDE, &text), 3);
        assert_non_null(strstr(text.data, "outside of the steps that were asked for."));
        xs_string_free(&text);
        xs_string_free(&sql);
        drop(&c);
    }
}

/* Also says why no part was recorded. */
static void no_step_was_recorded(void **state) {
    struct case_ c;
    struct xs_string text = {0};
    (void)state;
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 1),"
             " ('range.steps_by', 'none')");
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "Nothing was recorded but allocations: no wait came regularly"));
    text.length = 0;
    drop(&c);
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 1), ('option.step', 'x'),"
             " ('range.steps_by', 'range'), ('range.steps_passed', 1), ('option.skip_steps', '4')");
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "the NVTX range \"x\" came 1 time, and 4 steps were to be skipped."));
    text.length = 0;
    drop(&c);
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 1), ('option.step', 'x'),"
             " ('range.steps_by', 'range'), ('range.steps_passed', 3), ('option.steps', '2')");
    xs_looked_at_say(&c.summary, &text);
    assert_non_null(strstr(text.data, "came 3 times, and 0 steps were to be skipped; the others ended before the first"
                                      " CUDA call."));
    text.length = 0;
    drop(&c);
    load(&c, "INSERT INTO meta VALUES ('range.windows', '0+0'), ('range.left_out_transfers', 1), ('option.step', 'x'),"
             " ('range.steps_by', 'range'), ('range.steps_passed', 0)");
    xs_looked_at_say(&c.summary, &text);
    assert_string_equal(text.data, "Nothing was recorded but allocations: no NVTX range \"x\" came.");
    xs_string_free(&text);
    drop(&c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_that_were_looked_at), cmocka_unit_test(parts_that_commands_ask_for),
        cmocka_unit_test(parts_of_a_killed_process), cmocka_unit_test(recorded_between_moments),
        cmocka_unit_test(steps_that_were_recorded),  cmocka_unit_test(no_step_was_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
