/* Tests filters: what their options mean, which rows pass, and that findings and their total are those of the rows
 * that pass, decided on the whole trace. */
#include "played.h"

#include "analyzer/findings/engine/filter.h"
#include "analyzer/findings/engine/selection.h"
#include "analyzer/totals/summary/summary.h"

enum { A = 0x10000, B = 0x40000, BYTES = 0x8000, HOST = 0x500000 };
static struct played played, *p = &played;
static struct xs_filter filter;

static void must_set(const char *option, const char *value) {
    char *wrong = xs_filter_set(&filter, option, value);
    if (wrong)
        fail_msg("--%s=%s: %s", option, value, wrong);
}

static void must_refuse(const char *option, const char *value) {
    struct xs_filter other = {0};
    char *wrong = xs_filter_set(&other, option, value);
    if (!wrong)
        fail_msg("--%s=%s was taken", option, value);
    free(wrong);
    xs_filter_free(&other);
}

static void values_have_units(void **state) {
    (void)state;
    static const struct {
        const char *text;
        uint64_t bytes;
    } sizes[] = {{"0", 0},           {"512", 512},       {"512B", 512},      {"64K", 65536},       {"64KiB", 65536},
                 {"1.5M", 3u << 19}, {"1MiB", 1u << 20}, {"2G", 2ull << 30}, {"1TiB", 1ull << 40}, {"64KB", 65536}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        must_set("min-size", sizes[i].text);
        assert_int_equal(filter.min_bytes, sizes[i].bytes);
    }
    static const struct {
        const char *text;
        int64_t ns;
    } times[] = {{"1.5s", 1500000000}, {"200ms", 200000000},   {"3us", 3000},
                 {"7ns", 7},           {"2min", 120000000000}, {"0s", 0}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        must_set("since", times[i].text);
        assert_false(filter.since.is_share);
        assert_int_equal(filter.since.ns, times[i].ns);
    }
    must_set("until", "12.5%");
    assert_true(filter.until.is_share && filter.until.share == 0.125);
    static const char *const wrong[][2] = {{"since", "5"},
                                           {"since", "-1s"},
                                           {"since", "s"},
                                           {"since", "101%"},
                                           {"until", "nans"},
                                           {"until", "inf s"},
                                           {"min-size", "1Q"},
                                           {"min-size", "-1"},
                                           {"min-size", ""},
                                           {"min-size", "1e30"},
                                           {"max-size", "K"},
                                           {"direction", ""},
                                           {"direction", "h2d,"},
                                           {"direction", "up"},
                                           {"stream", "x"},
                                           {"stream", "0x"},
                                           {"stream", "0x1g"},
                                           {"device", "-1"},
                                           {"device", "1,,2"},
                                           {"site", ""},
                                           {"nvtx", ""},
                                           {"finding", "none"},
                                           {"finding", "pageable/x"},
                                           {"finding", ""},
                                           {"finding", "pageable#2"},
                                           {"nothing", "1"},
                                           {"thread", ""},
                                           {"max-size", "1KiBs"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        must_refuse(wrong[i][0], wrong[i][1]);
    xs_filter_free(&filter);
}

static void words_are_parts_or_patterns(void **state) {
    (void)state;
    assert_true(xs_filter_fits("train.py", "/opt/app/train.py:12"));
    assert_true(xs_filter_fits("train.py:12", "/opt/app/train.py:12"));
    assert_false(xs_filter_fits("train.py:1", "/opt/app/train.py:12"));
    assert_true(xs_filter_fits("a1", "a12 a1"));
    assert_false(xs_filter_fits("train.py", NULL));
    assert_true(xs_filter_fits("step*", "step_all"));
    assert_false(xs_filter_fits("tep*", "step_all"));
    assert_true(xs_filter_fits("*tep?all", "step_all"));
}

static void a_filter_is_said_in_words(void **state) {
    (void)state;
    struct xs_string text = {0};
    assert_true(xs_filter_is_empty(&filter));
    xs_filter_text(&text, &filter);
    assert_int_equal(text.length, 0);
    must_set("direction", "h2d,d2h");
    must_set("min-size", "64K");
    must_set("since", "50%");
    must_set("thread", "7,worker*");
    must_set("finding", "duplicate-upload/freed");
    xs_filter_text(&text, &filter);
    assert_string_equal(text.data,
                        "direction h2d or d2h, at least 64.0 KiB, from 50 % of the run, thread 7 or worker*, "
                        "finding duplicate-upload/freed");
    xs_string_free(&text);
    xs_filter_free(&filter);
}

/* Plays uploads of data that is already there: thread 1 makes small ones, thread 2 large ones, each in another ms. */
static void play_noops(void) {
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, 4 * BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_up(p, B, 4 * BYTES, 2, 0, HOST);
    for (int i = 0; i < 10; i++) {
        p->thread = 1;
        play_up(p, A, BYTES, 1, 1, HOST);
        p->thread = 2;
        p->stream = 0x77;
        play_up(p, B, 4 * BYTES, 2, 2, HOST);
        p->stream = 0;
        play_down(p, A, BYTES, 1, HOST);
    }
}

/* Plays, and analyses with `filter`, which is freed. Returns the findings' noop-uploads. */
static uint64_t noops(uint64_t *claimed_ns, uint64_t *passing) {
    play_noops();
    p->options.filter = &filter;
    play_analyse(p, NULL);
    uint64_t found = played_found(p, "noop-upload", NULL);
    *claimed_ns = p->findings->total.claimed_ns;
    *passing = p->findings->selection ? p->findings->selection->passing : p->findings->transfers;
    play_end(p);
    xs_filter_free(&filter);
    return found;
}

static void instances_go_with_their_transfers(void **state) {
    (void)state;
    uint64_t all_ns, ns, passing, sum_ns = 0;
    assert_int_equal(noops(&all_ns, &passing), 20);
    assert_int_equal(passing, 32);
    static const struct {
        const char *option, *value;
        uint64_t found, passing;
    } cases[] = {
        {"min-size", "100K", 10, 11},
        {"max-size", "32K", 10, 21},
        {"direction", "h2d", 20, 22},
        {"direction", "d2h", 0, 10},
        {"thread", "1", 10, 12},
        {"thread", "2", 10, 20},
        {"stream", "0x77", 10, 10},
        {"device", "0", 20, 32},
        {"device", "1", 0, 0},
        {"site", "cuMemcpyHtoD", 20, 22},
        {"site", "cuMemcpyDtoH*", 0, 10},
        {"nvtx", "x", 0, 0},
        {"since", "0s", 20, 32},
        {"until", "0s", 0, 0},
        {"since", "0%", 20, 32},
        {"until", "100%", 20, 32},
        {"finding", "noop-upload", 20, 32},
        {"finding", "leak", 0, 32},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        must_set(cases[i].option, cases[i].value);
        uint64_t found = noops(&ns, &passing);
        if (found != cases[i].found || passing != cases[i].passing)
            fail_msg("--%s=%s: %llu found, %llu pass", cases[i].option, cases[i].value, (unsigned long long)found,
                     (unsigned long long)passing);
        assert_true(ns <= all_ns);
        sum_ns += i < 2 ? ns : 0;
    }
    assert_int_equal(sum_ns,
                     all_ns); /* every transfer is in one of the first two, and nothing else gives anything back */
}

/* If two findings are about one transfer, the larger claim counts, with or without a filter. */
static void the_total_is_a_union(void **state) {
    (void)state;
    play_noops();
    must_set("direction", "h2d");
    p->options.filter = &filter;
    play_analyse(p, NULL);
    uint64_t sum_ns = 0;
    for (size_t i = 0; i < p->findings->count; i++)
        if (!p->findings->items[i].advice && !p->findings->items[i].potential)
            sum_ns += p->findings->items[i].claimed_ns;
    assert_true(played_found(p, "noop-upload", NULL) && played_found(p, "duplicate-upload", NULL) == 0);
    assert_true(p->findings->total.claimed_ns <= sum_ns);
    assert_true(p->findings->total.claimed_ns > 0);
    play_end(p);
    xs_filter_free(&filter);
}

/* Events before a window decide about events in it. */
static void findings_are_decided_on_the_whole_trace(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST); /* its content is known only because of the first one */
    char since[32];
    snprintf(since, sizeof since, "%lluns", (unsigned long long)(p->now_ns - 5000));
    must_set("since", since);
    p->options.filter = &filter;
    play_analyse(p, NULL);
    assert_int_equal(p->findings->selection->passing, 1);
    assert_int_equal(played_found(p, "noop-upload", NULL), 1);
    play_end(p);
    xs_filter_free(&filter);
}

/* Other calls than transfers pass if the filter asks nothing about transfers. */
static void allocations_pass_by_time_and_thread(void **state) {
    (void)state;
    for (int round = 0; round < 3; round++) {
        play_begin(p);
        for (int i = 0; i < 12; i++) {
            uint32_t id = play_alloc(p, A, BYTES);
            play_up(p, A, BYTES, i, NOT_MEASURED, HOST);
            play_free(p, id);
        }
        must_set(round == 0   ? "thread"
                 : round == 1 ? "direction"
                              : "since",
                 round == 0   ? "1"
                 : round == 1 ? "h2d"
                              : "50%");
        p->options.filter = &filter;
        play_analyse(p, NULL);
        uint64_t found = played_found(p, "repeated-allocation", NULL), claimed = 0;
        for (size_t i = 0; i < p->findings->count; i++)
            claimed += p->findings->items[i].claimed_ns;
        assert_true(round == 1 ? found == 0 : round == 0 ? found == 11 : found > 0 && found < 11);
        assert_true(p->findings->total.claimed_ns <= claimed);
        play_end(p);
        xs_filter_free(&filter);
    }
}

/* A run of small transfers passes if its first transfer passes. */
static void runs_go_with_their_first(void **state) {
    (void)state;
    static const char *const directions[] = {"h2d", "d2h"};
    for (int i = 0; i < 2; i++) {
        play_begin(p);
        play_alloc(p, A, BYTES);
        for (int k = 0; k < 64; k++)
            play_up(p, A + 64 * (uint64_t)k, 64, k, NOT_MEASURED, HOST + 64 * (uint64_t)k);
        must_set("direction", directions[i]);
        p->options.filter = &filter;
        play_analyse(p, NULL);
        assert_int_equal(played_found(p, "small-transfers", NULL), i == 0);
        assert_true((p->findings->total.claimed_ns > 0) == (i == 0));
        play_end(p);
        xs_filter_free(&filter);
    }
}

static void totals_of_transfers_are_of_those_that_pass(void **state) {
    (void)state;
    struct xs_trace trace;
    struct xs_summary summary;
    char message[XS_TRACE_MESSAGE_BYTES];
    play_noops();
    must_set("direction", "d2h");
    p->options.filter = &filter;
    play_analyse(p, NULL);
    assert_int_equal(xs_trace_open(p->path, &trace, message), 0);
    assert_int_equal(xs_summary_compute(&trace, p->findings->selection, &summary, message), 0);
    assert_int_equal(summary.all.count, 10);
    assert_int_equal(summary.all.bytes, 10 * BYTES);
    assert_int_equal(summary.group_count, 1);
    assert_int_equal(summary.coverage.host_transfers, 32); /* which is of the whole trace */
    assert_true(summary.selected);
    xs_summary_free(&summary);
    xs_trace_close(&trace);
    play_end(p);
    xs_filter_free(&filter);
}

/* Impossible numbers of rows cost no memory. */
static void damaged_numbers_cost_nothing(void **state) {
    (void)state;
    play_noops();
    must_set("direction", "h2d");
    p->options.filter = &filter;
    play_analyse(
        p, "UPDATE transfer SET id = 4611686018427387904 WHERE id = 30; UPDATE transfer SET id = -5 WHERE id = 29");
    assert_true(p->findings->selection->passing > 0);
    for (unsigned i = 0; i < XS_SELECTION_TABLES; i++)
        assert_true(p->findings->selection->tables[i].count < 1000);
    play_end(p);
    xs_filter_free(&filter);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_have_units),
        cmocka_unit_test(words_are_parts_or_patterns),
        cmocka_unit_test(a_filter_is_said_in_words),
        cmocka_unit_test(instances_go_with_their_transfers),
        cmocka_unit_test(the_total_is_a_union),
        cmocka_unit_test(findings_are_decided_on_the_whole_trace),
        cmocka_unit_test(allocations_pass_by_time_and_thread),
        cmocka_unit_test(runs_go_with_their_first),
        cmocka_unit_test(totals_of_transfers_are_of_those_that_pass),
        cmocka_unit_test(damaged_numbers_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
