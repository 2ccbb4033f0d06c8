/* Tests trials: which instances are proved, the plan's text, the words of a command, and the library's log. */
#include "diagnosed.h"

#include <string.h>

#include "analyzer/commands/try/program.h"
#include "analyzer/commands/try/repair_log.h"
#include "analyzer/commands/try/trials.h"
#include "analyzer/commands/try/tried.h"

enum { A = 0x10000, B = 0x20000, HOST = 0x800000, BYTES = 32768 };
static struct played played, *p = &played;

/* --- what the device still holds --- */

static bool held(const char *id) {
    const struct xs_finding *finding = played_finding(p, id);
    assert_non_null(finding);
    return finding->first[0].held;
}

/* A download of A, an upload of the same data to B, and something in between. */
enum between { NOTHING, KERNEL_ON_A, MEMSET_OF_A, KERNEL_ON_B };
static bool round_trip_held(enum between between) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES), b = play_alloc(p, B, BYTES);
    play_down(p, A, BYTES, 1, HOST);
    if (between == KERNEL_ON_A || between == KERNEL_ON_B)
        play_kernel(p, 1, between == KERNEL_ON_A ? &a : &b);
    if (between == MEMSET_OF_A)
        play_memset(p, A, 4);
    play_up(p, B, BYTES, 1, 0, HOST);
    play_analyse(p, NULL);
    bool is_held = held("round-trip");
    play_end(p);
    return is_held;
}

static void a_round_trip_is_proved_where_nothing_wrote(void **state) {
    (void)state;
    assert_true(round_trip_held(NOTHING));
    assert_true(round_trip_held(KERNEL_ON_B));
    assert_false(round_trip_held(KERNEL_ON_A));
    assert_false(round_trip_held(MEMSET_OF_A));
}

static void a_duplicate_is_proved_where_the_first_one_lies(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_up(p, B, BYTES, 1, 0, HOST);
    play_analyse(p, NULL);
    FOUND("duplicate-upload", "elsewhere", 1);
    assert_true(held("duplicate-upload"));
    play_end(p);
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_up(p, A, BYTES, 2, 1, HOST);
    play_up(p, B, BYTES, 1, 0, HOST);
    play_analyse(p, NULL);
    FOUND("duplicate-upload", "freed", 1);
    assert_false(held("duplicate-upload"));
    play_end(p);
}

/* --- the plan --- */

static void calls_that_follow_each_other_are_one_line(void **state) {
    (void)state;
    struct xs_try_line lines[] = {
        {.repair = XS_TRY_DROP_UPLOADS, .thread = 0, .ordinal = 3, .bytes = 8},
        {.repair = XS_TRY_DROP_UPLOADS, .thread = 0, .ordinal = 4, .bytes = 8},
        {.repair = XS_TRY_DROP_UPLOADS, .thread = 0, .ordinal = 5, .bytes = 16},
        {.repair = XS_TRY_DROP_UPLOADS, .thread = 0, .ordinal = 7, .bytes = 16},
        {.repair = XS_TRY_DROP_UPLOADS, .thread = 1, .ordinal = 8, .bytes = 16},
        {.repair = XS_TRY_STAY_ON_DEVICE, .thread = 1, .ordinal = 9, .bytes = 16, .has_from = true, .from_ordinal = 2},
        {.repair = XS_TRY_STAY_ON_DEVICE, .thread = 1, .ordinal = 10, .bytes = 16, .has_from = true, .from_thread = 1},
        {.repair = XS_TRY_KEEP_PINNED, .is_any = true, .bytes = 4096},
        {.repair = XS_TRY_STAGE, .thread = 2, .ordinal = 0, .bytes = 1},
    };
    struct xs_trial trial = {.lines = lines, .line_count = sizeof lines / sizeof *lines};
    struct xs_string text = {0}, repairs = {0};
    xs_trial_plan(&text, &trial, "verify");
    assert_string_equal(text.data, "xferspy-plan 1\nmode verify\n"
                                   "drop-uploads 0 3-4 8\ndrop-uploads 0 5 16\ndrop-uploads 0 7 16\n"
                                   "drop-uploads 1 8 16\nstay-on-device 1 9 16 from 0 2\n"
                                   "stay-on-device 1 10 16 from 1 0\nkeep-pinned * * 4096\nstage 2 0 1\n");
    xs_trial_repairs(&repairs, &trial);
    assert_string_equal(repairs.data, "drop-uploads,stay-on-device,stage,keep-pinned");
    xs_string_free(&text);
    xs_string_free(&repairs);
}

static void every_finding_has_a_repair_or_a_reason(void **state) {
    (void)state;
    for (unsigned i = 0; i < xs_detector_count; i++)
        for (unsigned verdict = 0; verdict < XS_VERDICTS && (!verdict || xs_detectors[i]->verdicts[verdict].name);
             verdict++) {
            const char *why = NULL;
            enum xs_try_repair repair = xs_try_repair_of(i, verdict, &why);
            assert_true((repair == XS_TRY_NONE) == (why != NULL));
        }
}

/* --- another trace --- */

/* Uploads the same bytes again and again, in a line of step(). */
static void play_at_line(struct played *of, unsigned line) {
    char sql[512];
    snprintf(sql, sizeof sql,
             "INSERT INTO python_code VALUES (1,'/gone/train.py','step',1);"
             "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (1,0,1,0);"
             "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry) VALUES (6144,1,0,1,%u,0);"
             "UPDATE transfer SET stack = 1;",
             line);
    play_begin(of);
    play_alloc(of, A, BYTES);
    for (int i = 0; i < 20; i++)
        play_up(of, A, BYTES, 1, i ? 1 : 0, HOST);
    play_diagnose(of, sql);
}

/* The prediction comes from a trace of another build, whose lines have moved. */
static void another_build_predicts(void **state) {
    static struct played other;
    struct xs_trial items[2] = {{.predicted.known = false}};
    struct xs_trials trials = {.items = items, .count = 2};
    (void)state;
    play_at_line(p, 12);
    play_at_line(&other, 112);
    const struct xs_diagnosed *planned = played_diagnosed(p, "noop-upload");
    const struct xs_diagnosed *predicting = played_diagnosed(&other, "noop-upload");
    items[0].finding = (size_t)(planned - p->diagnosis->items);
    xs_trials_predict(&trials, p->diagnosis, other.diagnosis);
    assert_true(items[0].predicted.known);
    assert_int_equal(items[0].predicted.most_ns, predicting->saves.most_ns);
    assert_int_not_equal(items[0].predicted.most_ns, 0);
    play_end(&other);
    play_end(p);
}

/* --- the command --- */

static void expect_words(const char *command, const char *const *expected) {
    char **words = xs_program_words(command);
    assert_non_null(words);
    for (size_t i = 0; expected[i] || words[i]; i++) {
        assert_non_null(expected[i]);
        assert_string_equal(words[i], expected[i]);
    }
    for (char **word = words; *word; word++)
        free(*word);
    free(words);
}
#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void a_command_is_split_as_a_shell_does(void **state) {
    (void)state;
    expect_words("./app --n 3", WORDS("./app", "--n", "3"));
    expect_words("./app 'two words' '' 'it'\\''s' $HOME", WORDS("./app", "two words", "", "it's", "$HOME"));
    expect_words("  a   b ", WORDS("a", "b"));
    assert_null(xs_program_words("./app 'open"));
    assert_null(xs_program_words(""));
}

/* --- the log --- */

static const char *take(struct xs_repair_log *log, const char *text) {
    char path[] = "/tmp/xferspy-unit-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    const char *trouble = xs_repair_log_take(log, path);
    assert_int_not_equal(access(path, F_OK), 0);
    return trouble;
}

static void logs_of_several_runs_add_up(void **state) {
    (void)state;
    struct xs_repair_log log = {0};
    assert_null(take(&log, "{\"version\":1,\"plan\":\"apply\",\"differs_from_plan\":0,\"repairs\":[{\"name\":\"stage\","
                           "\"applied\":5,\"bytes\":50,\"wrong\":0,\"refused\":{}},{\"name\":\"gather\",\"applied\":2,"
                           "\"bytes\":20,\"wrong\":0,\"refused\":{\"capturing\":4,\"budget\":9}}]}"));
    assert_int_equal(log.applied, 7);
    assert_int_equal(log.bytes, 70);
    assert_string_equal(log.refused.data, "budget 9, capturing 4");
    assert_null(take(&log, "{\"version\":1,\"differs_from_plan\":3,\"repairs\":[{\"name\":\"stage\",\"applied\":6,"
                           "\"bytes\":60,\"wrong\":1,\"refused\":{}}]}"));
    assert_int_equal(log.runs, 2);
    assert_int_equal(log.applied, 6);
    assert_int_equal(log.differs, 3);
    assert_int_equal(log.wrong, 1);
    assert_int_equal(log.checked, 0);
    assert_int_equal(log.off.length, 0);
    assert_null(take(&log, "{\"version\":1,\"differs_from_plan\":0,\"repairs\":[{\"name\":\"stage\",\"applied\":6,"
                           "\"checked\":4,\"refused\":{}},{\"name\":\"gather\",\"off\":\"no memory\"}]}"));
    assert_int_equal(log.checked, 4);
    assert_string_equal(log.off.data, "gather is off: no memory");
    static const char *const bad[] = {"",
                                      "{",
                                      "[]",
                                      "{\"version\":2,\"differs_from_plan\":0,\"repairs\":[]}",
                                      "{\"version\":1,\"differs_from_plan\":-1,\"repairs\":[]}",
                                      "{\"version\":1,\"differs_from_plan\":\"x\",\"repairs\":[]}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(take(&log, bad[i]));
    assert_int_equal(log.runs, 3);
    assert_non_null(xs_repair_log_take(&log, "/nowhere/log"));
    assert_int_equal(log.runs, 3);
    xs_repair_log_free(&log);
}

/* A report predicts in these words, so that nobody has to know what a minus means. */
static void a_report_says_faster_or_slower_in_words(void **state) {
    (void)state;
    static const struct {
        int64_t change_ms, low_ms, high_ms;
        const char *words;
    } cases[] = {{-138, -145, -131, "tried: saves 138 ms (131 ms to 145 ms) of 392 ms"},
                 {12, 10, 14, "tried: slower by 12.0 ms (10.0 ms to 14.0 ms) of 392 ms"},
                 {1, -2, 3, "tried: no clear change (2.00 ms less to 3.00 ms more) of 392 ms"},
                 {-1, -3, 0, "tried: no clear change (3.00 ms less to 0 ns more) of 392 ms"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t ms = 1000000;
        const struct xs_tried_item item = {.delta_ns = cases[i].change_ms * ms,
                                           .low_ns = cases[i].low_ms * ms,
                                           .high_ns = cases[i].high_ms * ms,
                                           .before_ns = 392 * ms,
                                           .runs = 9,
                                           .output = {.lines = 1}};
        struct xs_string text = {0}, expected = {0};
        xs_tried_say(&text, &item);
        xs_string_format(&expected, "%s, 9 runs each, output the same", cases[i].words);
        assert_string_equal(text.data, expected.data);
        xs_string_free(&text);
        xs_string_free(&expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_round_trip_is_proved_where_nothing_wrote),
        cmocka_unit_test(a_duplicate_is_proved_where_the_first_one_lies),
        cmocka_unit_test(calls_that_follow_each_other_are_one_line),
        cmocka_unit_test(every_finding_has_a_repair_or_a_reason),
        cmocka_unit_test(another_build_predicts),
        cmocka_unit_test(a_command_is_split_as_a_shell_does),
        cmocka_unit_test(logs_of_several_runs_add_up),
        cmocka_unit_test(a_report_says_faster_or_slower_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
