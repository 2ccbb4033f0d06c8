/* Tests the engine of bench: how outputs are compared, which times are found in them, what runs show about each other,
 * what is demanded, and in which environment programs run. */
#include "unit.h"

#include <string.h>

#include "analyzer/commands/bench/bench_words.h"
#include "analyzer/commands/bench/start.h"

static const struct xs_bench_patterns no_patterns;

static void add(struct xs_outputs *outputs, const char *text, const struct xs_bench_patterns *patterns,
                struct xs_metric_value *loop) {
    struct xs_metric_value unused = {0};
    FILE *file = tmpfile();
    assert_non_null(file);
    fputs(text, file);
    assert_true(xs_outputs_add(outputs, file, patterns, loop ? loop : &unused));
    fclose(file);
}

/* Compares runs that print these texts with one run of another command. */
static enum xs_output_result compared(const char *const *before, const char *const *after, size_t *varying,
                                      size_t *line) {
    struct xs_outputs x = {0}, y = {0};
    struct xs_outputs_compared c;
    for (; *before; before++)
        add(&x, *before, &no_patterns, NULL);
    for (; *after; after++)
        add(&y, *after, &no_patterns, NULL);
    xs_outputs_compare(&x, &y, &c);
    *varying = c.varying;
    *line = c.line;
    xs_outputs_compared_free(&c);
    xs_outputs_free(&x);
    xs_outputs_free(&y);
    return c.result;
}
#define TEXTS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void outputs_are_compared_as_far_as_the_first_repeats_itself(void **state) {
    size_t varying, line;
    (void)state;
    assert_int_equal(compared(TEXTS("a\nb\n"), TEXTS("a\nb\n"), &varying, &line), XS_OUTPUT_SAME);
    assert_int_equal(compared(TEXTS("a\nb\n"), TEXTS("a\nc\n"), &varying, &line), XS_OUTPUT_DIFFERS);
    assert_int_equal(line, 2);
    assert_int_equal(compared(TEXTS("a\n1\n", "a\n2\n"), TEXTS("a\n3\n"), &varying, &line), XS_OUTPUT_SAME);
    assert_int_equal(varying, 1);
    assert_int_equal(compared(TEXTS("a\n1\n"), TEXTS("a\n1\n", "a\n2\n"), &varying, &line), XS_OUTPUT_DIFFERS);
    assert_int_equal(compared(TEXTS("a\n", "a\nb\n"), TEXTS("a\n"), &varying, &line), XS_OUTPUT_VARIES);
    assert_int_equal(compared(TEXTS("a\n"), TEXTS("a\n", "a\nb\n"), &varying, &line), XS_OUTPUT_DIFFERS);
    assert_int_equal(line, 2);
    assert_int_equal(compared(TEXTS("a\nb"), TEXTS("a\nb\n"), &varying, &line), XS_OUTPUT_DIFFERS);
    assert_int_equal(compared(TEXTS(""), TEXTS(""), &varying, &line), XS_OUTPUT_SAME);
    assert_int_equal(compared(TEXTS(""), TEXTS("a"), &varying, &line), XS_OUTPUT_DIFFERS);
}

/* No other line may stand where a line was too long to be kept. */
static void a_line_behind_one_that_is_too_long_is_not_shown(void **state) {
    enum { LONG = 1 << 20 };
    static char before[LONG + 8], after[LONG + 8];
    struct xs_outputs x = {0}, y = {0};
    struct xs_outputs_compared c;
    (void)state;
    memset(before, 'a', LONG);
    memcpy(after, before, LONG);
    strcpy(before + LONG, "\nb\nd\n");
    strcpy(after + LONG, "\nc\nd\n");
    add(&x, before, &no_patterns, NULL);
    add(&y, after, &no_patterns, NULL);
    xs_outputs_compare(&x, &y, &c);
    assert_int_equal(c.result, XS_OUTPUT_DIFFERS);
    assert_int_equal(c.line, 2);
    assert_int_equal(c.before.length, 0);
    assert_int_equal(c.after.length, 0);
    xs_outputs_compared_free(&c);
    xs_outputs_free(&x);
    xs_outputs_free(&y);
}

static uint64_t time_in(const char *text, double unit_ns) {
    struct xs_bench_patterns patterns = {.has_loop_time = true, .unit_ns = unit_ns};
    struct xs_metric_value loop = {0};
    struct xs_outputs outputs = {0};
    assert_int_equal(regcomp(&patterns.loop_time, "took ([0-9.e-]+)", REG_EXTENDED), 0);
    add(&outputs, text, &patterns, &loop);
    regfree(&patterns.loop_time);
    xs_outputs_free(&outputs);
    assert_true(loop.known == (loop.value != 0));
    return loop.value;
}

static void times_have_units(void **state) {
    (void)state;
    assert_int_equal(time_in("took 2 s\n", 0), 2000000000);
    assert_int_equal(time_in("it took 1.5ms, took 2 us.\n", 0), 1500000); /* the first of a line */
    assert_int_equal(time_in("took 1 s\ntook 3 min\n", 0), 180000000000); /* the time in the last line */
    assert_int_equal(time_in("took 2 seconds\n", 0), 0);
    assert_int_equal(time_in("took 2\n", 0), 0);
    assert_int_equal(time_in("took 2\n", 1e3), 2000);
    assert_int_equal(time_in("took -2 s\n", 0), 0);
    assert_int_equal(time_in("took 1e300 s\n", 0), 0);
    assert_int_equal(time_in("took . s\n", 0), 0);
    assert_int_equal(time_in("nothing\n", 0), 0);
}

static void runs_of(uint64_t first, uint64_t step, struct xs_bench_run *runs, size_t count) {
    for (size_t i = 0; i < count; i++)
        runs[i] = (struct xs_bench_run){.wall = {first + i * step, true}};
}

static void the_result_rests_on_the_loop_where_all_runs_have_one(void **state) {
    struct xs_bench_run x[8], y[8];
    struct xs_bench_pair pair;
    (void)state;
    runs_of(1000, 1, x, 8);
    runs_of(900, 1, y, 8);
    xs_bench_compare_times(x, 8, y, 8, &pair);
    assert_int_equal(pair.result, XS_BENCH_FASTER);
    assert_false(pair.by_loop);
    assert_int_equal(xs_bench_gain_ns(xs_bench_deciding(&pair)), 100);
    assert_true(pair.wall.is_interval && pair.wall.low_ns >= -107 && pair.wall.high_ns <= -93);
    xs_bench_compare_times(y, 8, x, 8, &pair);
    assert_int_equal(pair.result, XS_BENCH_SLOWER);
    xs_bench_compare_times(x, 8, x, 8, &pair);
    assert_int_equal(pair.result, XS_BENCH_NO_DIFFERENCE);
    xs_bench_compare_times(x, 2, y, 2, &pair);
    assert_int_equal(pair.result, XS_BENCH_CANNOT_TELL);
    xs_bench_compare_times(x, 0, y, 0, &pair);
    assert_int_equal(pair.result, XS_BENCH_CANNOT_TELL);
    for (size_t i = 0; i < 8; i++)
        x[i].loop = y[i].loop = (struct xs_metric_value){500, true};
    xs_bench_compare_times(x, 8, y, 8, &pair);
    assert_true(pair.by_loop);
    assert_int_equal(pair.result, XS_BENCH_NO_DIFFERENCE);
    x[3].loop.known = false;
    xs_bench_compare_times(x, 8, y, 8, &pair);
    assert_false(pair.by_loop);
}

static unsigned judged(uint64_t before, uint64_t after, const char *at_least, unsigned faults) {
    struct xs_bench_demands demands = {.faults = faults, .share = -1};
    struct xs_bench_side sides[2] = {0};
    struct xs_bench bench = {.sides = sides, .side_count = 2, .rounds = 5};
    struct xs_bench_pair pair;
    runs_of(before, 1, sides[0].runs, 5);
    runs_of(after, 1, sides[1].runs, 5);
    xs_bench_compare(&bench, 1, &pair);
    if (at_least)
        assert_true(xs_bench_demands_parse(at_least, &demands));
    unsigned failed = xs_bench_judge(&bench, &pair, &demands);
    xs_outputs_compared_free(&pair.output);
    return failed;
}

static void what_is_demanded(void **state) {
    struct xs_bench_demands demands;
    (void)state;
    assert_int_equal(judged(1000, 890, "10%", 0), 0);
    assert_int_equal(judged(1000, 950, "10%", 0), XS_FAULT_GAIN);
    assert_int_equal(judged(1000, 890, "100ns", 0), 0);
    assert_int_equal(judged(1000, 950, "100ns", 0), XS_FAULT_GAIN);
    assert_int_equal(judged(1000, 1000, "0", 0), 0);
    assert_int_equal(judged(1000, 1100, "0", 0), XS_FAULT_GAIN);
    assert_int_equal(judged(1000, 1100, NULL, XS_FAULT_SLOWER | XS_FAULT_UNCLEAR), XS_FAULT_SLOWER);
    assert_int_equal(judged(1000, 1000, NULL, XS_FAULT_SLOWER | XS_FAULT_UNCLEAR), XS_FAULT_UNCLEAR);
    assert_int_equal(judged(1000, 1100, NULL, XS_FAULT_OUTPUT), 0);
    assert_false(xs_bench_demands_parse("5", &demands));
    assert_false(xs_bench_demands_parse("-5%", &demands));
    assert_false(xs_bench_demands_parse("x", &demands));
    assert_false(xs_bench_demands_parse("nan%", &demands));
    assert_false(xs_bench_demands_parse("1e300s", &demands));
}

static void capture_leaves_nothing_in_the_environment(void **state) {
    static char home[] = "HOME=/h", option[] = "XFERSPY_CUPTI=off", sim[] = "XFERSPY_SIM_DEVICES=2",
                preload[] = "LD_PRELOAD=/a/libxferspy.so:/b/other.so libxferspy.so.1",
                nvtx[] = "NVTX_INJECTION64_PATH=/a/libxferspy.so", mine[] = "A=2", other[] = "A=1";
    char *environment[] = {home, option, sim, preload, nvtx, other, NULL}, *settings[] = {mine, NULL};
    (void)state;
    char **bare = xs_environment_bare(environment, settings);
    assert_string_equal(bare[0], "HOME=/h");
    assert_string_equal(bare[1], "XFERSPY_SIM_DEVICES=2");
    assert_string_equal(bare[2], "LD_PRELOAD=/b/other.so");
    assert_string_equal(bare[3], "A=2");
    assert_null(bare[4]);
    xs_environment_free(bare);
    char *alone[] = {"LD_PRELOAD=libxferspy.so", NULL};
    bare = xs_environment_bare(alone, NULL);
    assert_null(bare[0]);
    xs_environment_free(bare);
}

static void keep_order(size_t round, size_t rounds, void *context) {
    (void)rounds;
    *(size_t *)context = round + 1;
}

/* Compares three variants, as a command that tries several changes would do. */
static void more_than_two_variants(void **state) {
    static char sh[] = "sh", c[] = "-c", code[] = "echo $V; echo loop ${T}ms", *argv[] = {sh, c, code, NULL};
    static char v0[] = "T=30", v1[] = "T=20", v2[] = "T=30", same[] = "V=a", other[] = "V=b";
    static char *settings[][3] = {{v0, same, NULL}, {v1, same, NULL}, {v2, other, NULL}};
    struct xs_bench_variant variants[] = {{argv, settings[0]}, {argv, settings[1]}, {argv, settings[2]}};
    struct xs_bench_patterns patterns = {.has_loop_time = true};
    size_t last = 0;
    struct xs_bench_terms terms = {.variants = variants,
                                   .variant_count = 3,
                                   .runs = 4,
                                   .warm_up = 1,
                                   .patterns = &patterns,
                                   .progress = keep_order,
                                   .context = &last};
    struct xs_bench bench;
    struct xs_bench_pair pair;
    (void)state;
    assert_int_equal(regcomp(&patterns.loop_time, "loop ([0-9]+)", REG_EXTENDED), 0);
    xs_bench_measure(&terms, &bench);
    assert_int_equal(bench.end, XS_BENCH_COMPLETE);
    assert_int_equal(bench.rounds, 4);
    assert_int_equal(last, 5);
    xs_bench_compare(&bench, 1, &pair);
    assert_int_equal(pair.result, XS_BENCH_FASTER);
    assert_int_equal(pair.output.result, XS_OUTPUT_SAME);
    xs_outputs_compared_free(&pair.output);
    xs_bench_compare(&bench, 2, &pair);
    assert_int_equal(pair.result, XS_BENCH_NO_DIFFERENCE);
    assert_int_equal(pair.output.result, XS_OUTPUT_DIFFERS);
    assert_string_equal(pair.output.before.data, "a");
    assert_string_equal(pair.output.after.data, "b");
    xs_outputs_compared_free(&pair.output);
    xs_bench_free(&bench);
    regfree(&patterns.loop_time);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_compared_as_far_as_the_first_repeats_itself),
        cmocka_unit_test(a_line_behind_one_that_is_too_long_is_not_shown),
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(the_result_rests_on_the_loop_where_all_runs_have_one),
        cmocka_unit_test(what_is_demanded),
        cmocka_unit_test(capture_leaves_nothing_in_the_environment),
        cmocka_unit_test(more_than_two_variants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
