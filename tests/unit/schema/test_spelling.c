/* Tests which name is proposed for a misspelled one. */
#include "support.h"

#include "schema/spelling.h"

static void expect(const char *word, const char *meant) {
    static const char *const names[] = {"fingerprint", "fingerprint-share", "output", "all", "stack", "stack-depth"};
    struct xs_nearest nearest;
    xs_nearest_begin(&nearest, word, strlen(word));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        xs_nearest_try(&nearest, names[i]);
    if (!meant)
        assert_null(xs_nearest_name(&nearest));
    else
        assert_string_equal(xs_nearest_name(&nearest), meant);
}

static void one_letter_more_less_other_or_swapped(void **state) {
    (void)state;
    expect("fingerprnt", "fingerprint");
    expect("fingerprintt", "fingerprint");
    expect("fingarprint", "fingerprint");
    expect("ouptut", "output");
    expect("stack_depth", "stack-depth");
    expect("al", "all");
}

static void the_beginning_of_a_name(void **state) {
    (void)state;
    expect("out", "output");
    expect("finger", "fingerprint");
}

static void nothing_is_near(void **state) {
    (void)state;
    expect("", NULL);
    expect("zzz", NULL);
    expect("o", NULL);
    expect("nothing-like-any-of-the-names", NULL);
    expect("a-word-of-very-many-more-than-forty-letters-which-is-far-from-all", NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_letter_more_less_other_or_swapped),
        cmocka_unit_test(the_beginning_of_a_name),
        cmocka_unit_test(nothing_is_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
