/* Tests steps of played runs: which range, wait or copy marks them, what falls into each, and which steps are
 * requested. */
#include "played.h"

#include "analyzer/findings/engine/filter.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/findings/steps/asked.h"
#include "analyzer/words/steps_words.h"

enum { A = 0x10000, BYTES = 4096, HOST = 0x500000, STEP = 1000000 }; /* ns */
static struct played played, *p = &played;
static const struct xs_steps *steps;

static void begin(void) {
    play_begin(p);
    play_alloc(p, A, 4 * BYTES);
}

/* Adds the rest of a step of `ns`, after the calls that took a part of it. */
static void work(uint64_t begin_ns, uint64_t ns) { p->now_ns = begin_ns + ns; }

/* Plays two uploads, a kernel, and a wait at the end. */
static void step_with_wait(uint64_t ns) {
    uint64_t begin_ns = p->now_ns;
    play_up(p, A, BYTES, (int)(begin_ns >> 10), NOT_MEASURED, HOST);
    play_up(p, A + BYTES, 2 * BYTES, (int)(begin_ns >> 10) + 1, NOT_MEASURED, HOST + BYTES);
    play_unseen_kernel(p);
    work(begin_ns, ns - 10000);
    play_sync(p);
}

static void analyse(const char *sql) {
    play_analyse(p, sql);
    steps = &p->findings->steps;
}

static void a_wait_ends_each_step(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 2; i++)
        step_with_wait(4 * STEP);
    for (int i = 0; i < 10; i++)
        step_with_wait(STEP);
    analyse(NULL);
    assert_int_equal(steps->mark, XS_STEP_WAIT);
    assert_int_equal(steps->count, 11); /* it is not known where the first of the 12 begins */
    assert_int_equal(steps->warm_up, 1);
    assert_int_equal(steps->median.ns, STEP);
    assert_int_equal(steps->median.transfers, 2);
    assert_int_equal(steps->median.bytes, 3 * BYTES);
    assert_int_equal(steps->warm.ns, 4 * STEP);
    assert_int_equal(steps->warm.transfers, 2);
    assert_int_equal(steps->warm.bytes, 3 * BYTES);
    assert_string_equal(xs_site_name(p->findings, steps->site), "cuCtxSynchronize");
    play_end(p);
}

/* What the page shows first is neither of the warm-up, nor a step of another length, nor one with other transfers. */
static void a_typical_step_is_close_to_the_medians(void **state) {
    (void)state;
    struct xs_step items[] = {{0, 3, 0}, {1000, 3, 0}, {1600, 3, 0}, {2590, 9, 0}, {3590, 3, 0}, {4570, 0, 0}};
    const struct xs_steps found = {.items = items, .count = 5, .warm_up = 1, .median = {.ns = 1000, .transfers = 3}};
    assert_int_equal(xs_steps_typical(&found), 2);
}

/* If nothing waits, a copy that is made once in each step marks the steps; a copy that is made twice, at unequal
 * distances, does not. */
static void without_waits_a_copy_begins_each_step(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 8; i++) {
        uint64_t begin_ns = p->now_ns;
        play_up(p, A, BYTES, 2 * i, NOT_MEASURED, HOST);
        play_up(p, A, BYTES, 2 * i + 1, NOT_MEASURED, HOST);
        work(begin_ns, STEP / 2);
        play_down(p, A, BYTES, 2 * i + 100, HOST);
        work(begin_ns, STEP);
    }
    analyse(NULL);
    assert_int_equal(steps->mark, XS_STEP_COPY);
    assert_int_equal(steps->count, 7);
    assert_int_equal(steps->median.ns, STEP);
    assert_int_equal(steps->median.transfers, 3);
    assert_string_equal(xs_site_name(p->findings, steps->site), "cuMemcpyDtoH_v2");
    play_end(p);
}

static void nothing_regular_is_no_step(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 12; i++)
        step_with_wait((uint64_t)STEP << (i % 4));
    analyse(NULL);
    assert_int_equal(steps->count, 0);
    play_end(p);
    begin(); /* too few */
    for (int i = 0; i < 5; i++)
        step_with_wait(STEP);
    analyse(NULL);
    assert_int_equal(steps->count, 0);
    play_end(p);
    begin(); /* regular, in less than half of the run */
    for (int i = 0; i < 10; i++)
        step_with_wait(STEP);
    p->now_ns += 12 * STEP;
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    analyse(NULL);
    assert_int_equal(steps->count, 0);
    play_end(p);
    begin(); /* no call at all */
    analyse(NULL);
    assert_int_equal(steps->count, 0);
    play_end(p);
}

/* If two waits are both regular, the more frequent one marks the steps. */
static void each_tenth_step_is_not_the_step(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 80; i++) {
        step_with_wait(STEP);
        if (i % 10 == 9) {
            play_wait(p, XS_SYNC_EVENT, 7);
            p->now_ns -= 10000;
        }
    }
    /* the rare waits are of another entry point */
    analyse("UPDATE sync SET entry_point = (SELECT id FROM entry_point WHERE name LIKE 'cuMemFree%') WHERE scope = "
            "(SELECT id FROM sync_scope WHERE name = 'event')");
    assert_int_equal(steps->mark, XS_STEP_WAIT);
    assert_int_equal(steps->count, 79);
    play_end(p);
}

/* `sql` puts the transfers into ranges: number k of a step of three is transfer 3 i + k + 1. */
static void play_marked(int count, const char *sql) {
    begin();
    for (int i = 0; i < count; i++) {
        uint64_t begin_ns = p->now_ns;
        play_up(p, A, BYTES, 3 * i, NOT_MEASURED, HOST);
        work(begin_ns, (uint64_t)(2 + i % 3) * STEP / 10);
        play_up(p, A, BYTES, 3 * i + 1, NOT_MEASURED, HOST);
        play_sync(p);
        play_down(p, A, BYTES, 3 * i + 1, HOST);
        play_sync(p);
        work(begin_ns, STEP);
    }
    analyse(sql);
}

#define NUMBERS "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 19) "

static void numbered_ranges_are_one_kind(void **state) {
    (void)state;
    play_marked(20, "INSERT INTO nvtx_range VALUES (1, NULL, NULL, 'train');" NUMBERS
                    "INSERT INTO nvtx_range SELECT 10 + i, 1, NULL, 'step ' || i || ' of 20' FROM n;" NUMBERS
                    "INSERT INTO nvtx_range SELECT 40 + i, 10 + i, NULL, 'load' FROM n;"
                    "UPDATE transfer SET nvtx_range = CASE WHEN id % 3 = 1 THEN 40 ELSE 10 END + (id - 1) / 3;"
                    "UPDATE sync SET nvtx_range = 1");
    assert_int_equal(steps->mark, XS_STEP_RANGE);
    assert_string_equal(steps->range, "step # of #"); /* "train" is entered once */
    assert_true(steps->count >= 19);
    play_end(p);
}

/* If a warm-up is longer than the rest, only a range of the program can show that it is a step. */
static void the_warm_up_of_a_range_may_be_long(void **state) {
    (void)state;
    for (int marked = 0; marked < 2; marked++) {
        begin();
        for (int i = 0; i < 12; i++)
            step_with_wait(i < 2 ? 40 * STEP : STEP);
        analyse(marked ? "INSERT INTO nvtx_range VALUES (1, NULL, NULL, 'step'); UPDATE transfer SET nvtx_range = 1"
                       : NULL);
        assert_int_equal(steps->count, marked ? 11 : 0);
        assert_int_equal(steps->warm_up, marked ? 2 : 0);
        assert_int_equal(steps->warm.transfers, marked ? 4 : 0);
        play_end(p);
    }
}

/* Two ranges of one name are separate only if something is called between them. */
static void ranges_of_one_name_are_told_by_what_lies_between(void **state) {
    (void)state;
    play_marked(20, "INSERT INTO nvtx_range VALUES (1, NULL, NULL, 'step'), (2, 1, NULL, 'load');"
                    "UPDATE transfer SET nvtx_range = CASE id % 3 WHEN 1 THEN 2 WHEN 2 THEN 1 END;"
                    "UPDATE sync SET nvtx_range = CASE id % 2 WHEN 1 THEN 1 END");
    assert_int_equal(steps->mark, XS_STEP_RANGE);
    assert_string_equal(steps->range, "step"); /* the outermost of two */
    assert_int_equal(steps->count, 19);
    assert_int_equal(steps->median.ns, STEP);
    assert_int_equal(steps->median.transfers, 3);
    play_end(p);
    play_marked(20, "INSERT INTO nvtx_range VALUES (1, NULL, NULL, 'step');"
                    "UPDATE transfer SET nvtx_range = 1; UPDATE sync SET nvtx_range = 1");
    assert_int_equal(steps->mark, XS_STEP_COPY);
    play_end(p);
}

/* Ranges of a library are around all calls of a step, and the program's own ranges are inside of them. */
static void a_library_s_ranges_are_no_steps(void **state) {
    (void)state;
    static const struct {
        const char *outer, *inner; /* domain and name of the ranges, in SQL */
        enum xs_step_mark mark;
        const char *range;
    } cases[] = {
        {"'NCCL', 'ncclGroup'", "NULL, 'train'", XS_STEP_RANGE, "train"},
        {"'NCCL', 'ncclGroup'", "'mine', 'train'", XS_STEP_RANGE, "train"},
        {"'another', 'outer'", "NULL, 'train'", XS_STEP_RANGE, "train"}, /* the default domain goes first */
        {"NULL, 'outer'", "NULL, 'train'", XS_STEP_RANGE, "outer"},
        {"NULL, 'aten::to, seq = 3'", "'libcudf', 'join'", XS_STEP_COPY, NULL},
        {"NULL, 'step 7, seq = 512'", "NULL, 'inner'", XS_STEP_RANGE, "step #, seq = #"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[512];
        snprintf(sql, sizeof sql,
                 "INSERT INTO nvtx_range VALUES (1, NULL, %s), (2, 1, %s);"
                 "UPDATE transfer SET nvtx_range = CASE id %% 3 WHEN 1 THEN 1 WHEN 2 THEN 2 END",
                 cases[i].outer, cases[i].inner);
        play_marked(20, sql);
        assert_int_equal(steps->mark, cases[i].mark);
        if (cases[i].range)
            assert_string_equal(steps->range, cases[i].range);
        else
            assert_null(steps->range);
        play_end(p);
    }
}

/* If the user named the range, capture kept the times, although nothing was called between two ranges. */
static void a_range_that_was_named_tells_the_steps(void **state) {
    (void)state;
#define TIMES "(SELECT group_concat((id * 500) || '+400') FROM (SELECT id FROM transfer ORDER BY id LIMIT 20))"
#define STEP_TIMES(of) "('range.steps_by', 'range'), ('option.step', 'it 1'), ('range.steps', " #of "), "
#define NO_TIME "(SELECT group_concat('5+0') FROM (SELECT id FROM transfer LIMIT 20))"
    static const struct {
        const char *meta;
        size_t count;
        uint64_t of;
    } cases[] = {
        {STEP_TIMES(20) "('range.step_times', " TIMES ")", 20, 0},
        {STEP_TIMES(21) "('range.step_times', " TIMES ")", 20, 21}, /* of a run that was killed */
        {STEP_TIMES(19) "('range.step_times', " TIMES ")", 0, 0},
        {"('option.window', 'nvtx:it 1'), ('range.count', 20), ('range.windows', " TIMES ")", 20, 0},
        {"('option.window', 'nvtx:it 1'), ('range.count', 20), ('range.left_out_launches', 1), ('range.windows', " TIMES
         ")",
         20, 0}, /* what lies between two ranges was not recorded */
        {"('option.window', '0s..9s'), ('range.count', 20), ('range.windows', " TIMES ")", 0, 0},
        {"('option.window', 'nvtx:it 1'), ('range.count', 9999), ('range.windows', " TIMES ")", 20, 9999},
        {STEP_TIMES(2) "('range.step_times', '9+1,3+1')", 0, 0},
        {STEP_TIMES(20) "('range.step_times', '9+1,3+1,' || " TIMES ")", 0, 0},
        {STEP_TIMES(20) "('range.step_times', " NO_TIME ")", 0, 0}, /* all at one moment */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xs_string sql = {0};
        xs_string_format(&sql, "INSERT OR REPLACE INTO meta VALUES %s", cases[i].meta);
        play_marked(20, sql.data);
        assert_int_equal(steps->mark == XS_STEP_RANGE ? steps->count : 0, cases[i].count);
        assert_int_equal(steps->of, cases[i].of);
        if (cases[i].count) {
            assert_string_equal(steps->range, "it 1");
            assert_int_equal(steps->median.ns, 500000);
            assert_int_equal(steps->median.recorded_ns, strstr(cases[i].meta, "left_out") ? 400000 : 500000);
            assert_int_equal(steps->items[20].begin_ns, 10400000); /* where the last one ended */
        }
        play_end(p);
        xs_string_free(&sql);
    }
#undef STEP_TIMES
#undef NO_TIME
#undef TIMES
}

/* Tests the limit of what a trace keeps: if there are as many steps as there is room for, all are kept; if there is one
 * more, the first ones are kept. */
static void more_steps_than_a_trace_keeps(void **state) {
    (void)state;
    enum { MOST = 8192 };
    for (unsigned more = 0; more < 2; more++) {
        struct xs_string sql = {0}, text = {0};
        xs_string_format(&sql,
                         "INSERT OR REPLACE INTO meta VALUES ('range.steps_by', 'range'), ('option.step', 'it'),"
                         " ('range.steps', %u);"
                         "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < %u) INSERT OR"
                         " REPLACE INTO meta SELECT 'range.step_times', group_concat((i * 100) || '+90') FROM n",
                         MOST + more, MOST - 1);
        play_marked(20, sql.data);
        xs_steps_say(&text, p->findings);
        assert_int_equal(steps->count, MOST);
        assert_int_equal(steps->of, more ? MOST + 1 : 0);
        assert_int_equal(strstr(text.data, "; the trace has the times of the first 8,192 of 8,193 steps") != NULL,
                         more);
        play_end(p);
        xs_string_free(&sql);
        xs_string_free(&text);
    }
}

/* One of 20 times is earlier than the time before it, so the whole list counts as damaged. */
static void times_out_of_order_are_no_steps(void **state) {
    (void)state;
    for (int damaged = 0; damaged < 2; damaged++) {
        struct xs_string sql = {0};
        struct xs_trace trace;
        struct xs_asked_steps asked;
        char message[XS_TRACE_MESSAGE_BYTES];
        xs_string_format(&sql,
                         "INSERT OR REPLACE INTO meta VALUES ('range.steps_by', 'range'), ('option.step', 'it 1'),"
                         " ('range.steps', 20), ('range.step_times', (SELECT group_concat("
                         "(CASE id WHEN %d THEN 2900 ELSE id * 500 END) || '+400')"
                         " FROM (SELECT id FROM transfer ORDER BY id LIMIT 20)))",
                         damaged ? 7 : 0);
        play_marked(20, sql.data);
        assert_int_equal(xs_trace_open(p->path, &trace, message), XS_OK);
        xs_asked_steps_read(&asked, &trace);
        assert_int_equal(asked.count, damaged ? 0 : 21);
        for (size_t i = 1; i < asked.count; i++)
            assert_true(asked.moments[i - 1] < asked.moments[i]);
        xs_asked_steps_free(&asked);
        xs_trace_close(&trace);
        play_end(p);
        xs_string_free(&sql);
    }
}

/* Tests values that only a forged trace can have. */
static void damaged_ranges_are_no_trouble(void **state) {
    (void)state;
    play_marked(20,
                "INSERT INTO nvtx_range VALUES (1, 2, NULL, 'a'), (2, 1, NULL, 'b'), (3, 3, NULL, 'c'),"
                " (-5, 99, NULL, x'00ff'), (9223372036854775807, -5, NULL, '7');"
                "UPDATE transfer SET nvtx_range = CASE id % 3 WHEN 0 THEN 2 WHEN 1 THEN -5 ELSE 3 END;"
                "UPDATE sync SET nvtx_range = 9223372036854775807, enter_ns = CASE WHEN id = 7 THEN -1 ELSE enter_ns"
                " END, return_ns = CASE WHEN id = 9 THEN 9223372036854775807 ELSE return_ns END");
    assert_true(steps->count > 0 || !steps->items);
    play_end(p);
}

/* 20,000 nested ranges are entered and left 40 times: the running time does not grow with the depth. */
static void deep_ranges_are_their_eighth(void **state) {
    (void)state;
    play_marked(20, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000) "
                    "INSERT INTO nvtx_range SELECT i, i - 1, NULL, char(64 + min(i, 26)) FROM n;"
                    "UPDATE transfer SET nvtx_range = CASE id % 3 WHEN 1 THEN 20000 WHEN 2 THEN 8 ELSE 7 END;"
                    "UPDATE sync SET nvtx_range = 7");
    assert_int_equal(steps->mark, XS_STEP_RANGE);
    assert_string_equal(steps->range, "H"); /* 20000 is inside of 8, and so is it */
    assert_int_equal(steps->median.transfers, 3);
    play_end(p);
}

static void steps_are_chosen(void **state) {
    (void)state;
    static const struct {
        const char *skip, *of;
        uint64_t passing;
        const char *words;
    } cases[] = {{"2", "3", 6, "steps 3 to 5"},         {NULL, "1", 2, "step 1"},
                 {"10", NULL, 2, "steps 11 and later"}, {"4", "1", 2, "step 5"},
                 {"9", "100", 4, "steps 10 to 109"},    {"0", NULL, 26, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct xs_filter filter = {0};
        struct xs_string words = {0};
        begin();
        for (int k = 0; k < 12; k++)
            step_with_wait(STEP);
        play_up(p, A, BYTES, 1, NOT_MEASURED, HOST); /* behind the last step */
        play_down(p, A, BYTES, 1, HOST);
        assert_null(cases[i].skip ? xs_filter_set(&filter, "skip-steps", cases[i].skip) : NULL);
        assert_null(cases[i].of ? xs_filter_set(&filter, "steps", cases[i].of) : NULL);
        p->options.filter = &filter;
        analyse(NULL);
        assert_int_equal(p->findings->selection ? p->findings->selection->passing : p->findings->transfers,
                         cases[i].passing);
        assert_int_equal(steps->median.transfers, 2); /* this is about the whole run */
        xs_filter_text(&words, &filter);
        if (cases[i].words)
            assert_string_equal(words.data, cases[i].words);
        xs_string_free(&words);
        play_end(p);
        xs_filter_free(&filter);
    }
}

static void numbers_of_steps_are_numbers(void **state) {
    (void)state;
    static const char *const wrong[][2] = {{"steps", "0"},
                                           {"steps", "-1"},
                                           {"steps", ""},
                                           {"steps", "3x"},
                                           {"skip-steps", "+1"},
                                           {"skip-steps", " 1"},
                                           {"skip-steps", "99999999999999999999"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct xs_filter filter = {0};
        char *text = xs_filter_set(&filter, wrong[i][0], wrong[i][1]);
        if (!text)
            fail_msg("--%s=%s was taken", wrong[i][0], wrong[i][1]);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wait_ends_each_step),
        cmocka_unit_test(a_typical_step_is_close_to_the_medians),
        cmocka_unit_test(without_waits_a_copy_begins_each_step),
        cmocka_unit_test(nothing_regular_is_no_step),
        cmocka_unit_test(each_tenth_step_is_not_the_step),
        cmocka_unit_test(numbered_ranges_are_one_kind),
        cmocka_unit_test(the_warm_up_of_a_range_may_be_long),
        cmocka_unit_test(ranges_of_one_name_are_told_by_what_lies_between),
        cmocka_unit_test(a_library_s_ranges_are_no_steps),
        cmocka_unit_test(a_range_that_was_named_tells_the_steps),
        cmocka_unit_test(more_steps_than_a_trace_keeps),
        cmocka_unit_test(times_out_of_order_are_no_steps),
        cmocka_unit_test(damaged_ranges_are_no_trouble),
        cmocka_unit_test(deep_ranges_are_their_eighth),
        cmocka_unit_test(steps_are_chosen),
        cmocka_unit_test(numbers_of_steps_are_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
