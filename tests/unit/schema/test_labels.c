/* Tests which lists of labels are valid, and what is read from them. */
#include "support.h"

#include "schema/labels.h"

static void expect(const char *list, const char *const *texts, size_t count) {
    struct xs_label label;
    assert_null(xs_labels_refused(list));
    for (size_t i = 0; i < count; i += 2) {
        assert_null(xs_label_read(&list, &label));
        assert_string_equal(label.key, texts[i]);
        assert_string_equal(label.value, texts[i + 1]);
    }
    assert_string_equal(list, "");
}

static void are_read(void **state) {
    (void)state;
    expect("", NULL, 0);
    expect("team=vision", (const char *const[]){"team", "vision"}, 2);
    expect("a=1,b=2,", (const char *const[]){"a", "1", "b", "2"}, 4);
    expect("_x.y-z/0=a=b c", (const char *const[]){"_x.y-z/0", "a=b c"}, 2);
    expect("k=\xc3\xa9t\xc3\xa9", (const char *const[]){"k", "\xc3\xa9t\xc3\xa9"}, 2);
}

static void refuse(const char *list, const char *words) {
    const char *why = xs_labels_refused(list);
    assert_non_null(why);
    if (!strstr(why, words))
        fail_msg("%s: %s", list, why);
}

static void are_refused_with_the_reason(void **state) {
    (void)state;
    refuse("team", "KEY=VALUE");
    refuse("a=1,team", "KEY=VALUE");
    refuse(",", "KEY=VALUE");
    refuse("a=1,,b=2", "KEY=VALUE");
    refuse("=x", "a key begins");
    refuse("1a=x", "a key begins");
    refuse("a b=x", "a key begins");
    refuse("\xc3\xa9=x", "a key begins");
    refuse("a=", "needs a value");
    refuse("a=1,b=,c=2", "needs a value");
    refuse("a=x\ny", "control characters");
    refuse("a=\x1b[2J", "control characters");
}

static void have_a_longest_key_and_value(void **state) {
    char list[512];
    (void)state;
    snprintf(list, sizeof list, "%.*s=1", 63, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk");
    assert_null(xs_labels_refused(list));
    snprintf(list, sizeof list, "%.*s=1", 64, "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk");
    refuse(list, "63 bytes");
    snprintf(list, sizeof list, "a=%0255d", 1);
    assert_null(xs_labels_refused(list));
    snprintf(list, sizeof list, "a=%0256d", 1);
    refuse(list, "255 bytes");
}

static void are_not_too_many(void **state) {
    char list[512] = "";
    (void)state;
    for (unsigned i = 0; i < 64; i++)
        strcat(list, "a=1,");
    assert_null(xs_labels_refused(list));
    strcat(list, "a=1");
    refuse(list, "64 labels");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_read),
        cmocka_unit_test(are_refused_with_the_reason),
        cmocka_unit_test(have_a_longest_key_and_value),
        cmocka_unit_test(are_not_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
