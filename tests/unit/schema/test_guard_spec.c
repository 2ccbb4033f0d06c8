/* Tests which guards are valid, what is read from them, and which rules a run cannot break. */
#include "support.h"

#include "schema/guard_spec.h"

static struct xs_guard_spec spec;
static const char *rule;
static size_t bytes;

static void expect(const char *text, bool fails, unsigned count) {
    const char *why = xs_guard_spec_read(&spec, text, &rule, &bytes);
    if (why)
        fail_msg("%s: %s", text, why);
    assert_int_equal(spec.fails, fails);
    assert_int_equal(spec.count, count);
}

static void expect_rule(unsigned i, enum xs_guard_kind kind, uint64_t limit, const char *text) {
    assert_int_equal(spec.rules[i].kind, kind);
    assert_int_equal(spec.rules[i].limit, limit);
    assert_string_equal(spec.rules[i].text, text);
}

static void refuse(const char *text, const char *of, const char *words) {
    const char *why = xs_guard_spec_read(&spec, text, &rule, &bytes);
    assert_non_null(why);
    if (!strstr(why, words))
        fail_msg("%s: %s", text, why);
    assert_int_equal(bytes, strlen(of));
    assert_memory_equal(rule, of, bytes);
    assert_int_equal(spec.count, 0);
    assert_false(spec.fails);
}

static void all_rules_are_read(void **state) {
    (void)state;
    expect("", false, 0);
    expect("fail:h2d>0,d2h>64B,pageable>1MiB,noop-upload,h2d-in-step>0,d2h-in-step>3,waits-per-step>2", true, 7);
    expect_rule(0, XS_GUARD_H2D, 0, "h2d>0");
    expect_rule(1, XS_GUARD_D2H, 64, "d2h>64B");
    expect_rule(2, XS_GUARD_PAGEABLE, 1 << 20, "pageable>1MiB");
    expect_rule(3, XS_GUARD_NOOP_UPLOAD, 0, "noop-upload");
    expect_rule(4, XS_GUARD_H2D_IN_STEP, 0, "h2d-in-step>0");
    expect_rule(5, XS_GUARD_D2H_IN_STEP, 3, "d2h-in-step>3");
    expect_rule(6, XS_GUARD_WAITS_PER_STEP, 2, "waits-per-step>2");
}

static void without_rules_there_are_two(void **state) {
    (void)state;
    expect("warn", false, 2);
    expect_rule(0, XS_GUARD_NOOP_UPLOAD, 0, "noop-upload");
    expect_rule(1, XS_GUARD_PAGEABLE, 1 << 20, "pageable>1MiB");
    expect("fail", true, 2);
}

static void sizes_have_units(void **state) {
    static const struct {
        const char *text;
        uint64_t size;
    } sizes[] = {{"warn:h2d>7", 7},
                 {"warn:h2d>7B", 7},
                 {"warn:h2d>7kB", 7000},
                 {"warn:h2d>7MB", 7000000},
                 {"warn:h2d>7GB", UINT64_C(7000000000)},
                 {"warn:h2d>7KiB", 7168},
                 {"warn:h2d>7GiB", UINT64_C(7) << 30}};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        expect(sizes[i].text, false, 1);
        assert_int_equal(spec.rules[0].limit, sizes[i].size);
    }
}

static void are_refused_with_the_rule(void **state) {
    (void)state;
    refuse("on", "", "use warn or fail");
    refuse("warning", "", "use warn or fail");
    refuse("h2d>0", "", "use warn or fail");
    refuse("warn:", "", "there is no such rule");
    refuse("warn:h2d>0,", "", "there is no such rule");
    refuse("fail:h2d>0,d2d>0", "d2d>0", "there is no such rule");
    refuse("fail:H2D>0", "H2D>0", "there is no such rule");
    refuse("fail:h2d", "h2d", "a size has to follow");
    refuse("fail:h2d>", "h2d>", "a size has to follow");
    refuse("fail:h2d>-1", "h2d>-1", "a size has to follow");
    refuse("fail:h2d>1 MiB", "h2d>1 MiB", "a size has to follow");
    refuse("fail:h2d>1mib", "h2d>1mib", "a size has to follow");
    refuse("fail:h2d>99999999999GiB", "h2d>99999999999GiB", "a size has to follow");
    refuse("fail:h2d>99999999999999999999", "h2d>99999999999999999999", "a size has to follow");
    refuse("fail:waits-per-step>2B,h2d>0", "waits-per-step>2B", "a number of calls has to follow");
    refuse("fail:waits-per-step", "waits-per-step", "a number of calls has to follow");
    refuse("fail:noop-upload>0", "noop-upload>0", "this rule has no limit");
    refuse("fail:h2d>00000000000000000000000000001", "h2d>00000000000000000000000000001", "31 bytes");
}

static void are_not_too_many(void **state) {
    char text[512] = "warn:h2d>0";
    (void)state;
    for (unsigned i = 1; i < XS_GUARD_RULES_MOST; i++)
        strcat(text, ",h2d>0");
    expect(text, false, 16);
    strcat(text, ",d2h>0");
    refuse(text, "d2h>0", "16 rules");
}

static void what_a_run_cannot_break(void **state) {
    const struct xs_guard_run none = {false, false}, steps = {true, false}, contents = {false, true};
    (void)state;
    expect("warn:h2d>0,h2d-in-step>0,noop-upload", false, 3);
    assert_null(xs_guard_rule_refused(&spec.rules[0], &none));
    assert_non_null(strstr(xs_guard_rule_refused(&spec.rules[1], &contents), "--step=NAME"));
    assert_null(xs_guard_rule_refused(&spec.rules[1], &steps));
    assert_non_null(strstr(xs_guard_rule_refused(&spec.rules[2], &steps), "--fingerprint=off"));
    assert_null(xs_guard_rule_refused(&spec.rules[2], &contents));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_rules_are_read), cmocka_unit_test(without_rules_there_are_two),
        cmocka_unit_test(sizes_have_units),   cmocka_unit_test(are_refused_with_the_rule),
        cmocka_unit_test(are_not_too_many),   cmocka_unit_test(what_a_run_cannot_break),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
