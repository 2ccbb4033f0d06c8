/* Escaping and measuring of text. */
#include "unit.h"

#include "analyzer/base/text.h"

static void check(const char *text, size_t bytes, const char *expected) {
    struct xs_string string = {0};
    xs_string_escape(&string, text, bytes);
    assert_string_equal(string.data, expected);
    xs_string_free(&string);
}
#define CHECK(text, expected) check(text, sizeof(text) - 1, expected)

static void plain_text_passes(void **state) {
    (void)state;
    CHECK("", "");
    CHECK("cuMemcpyHtoD_v2", "cuMemcpyHtoD_v2");
    CHECK("back\\slash \"quotes\" <b>", "back\\slash \"quotes\" <b>");
    CHECK("J\xc3\xbcrgen \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80",
          "J\xc3\xbcrgen \xe6\x97\xa5\xe6\x9c\xac \xf0\x9f\x98\x80");
}

static void controls_are_escaped(void **state) {
    (void)state;
    CHECK("a\nb\tc\rd", "a\\nb\\tc\\x0dd");
    CHECK("\033[31mred\033]0;title\007", "\\x1b[31mred\\x1b]0;title\\x07");
    CHECK("a\0b", "a\\x00b");
    CHECK("\x7f", "\\x7f");
    CHECK("\xc2\x9b", "\\u009b"); /* CSI as one character */
}

static void hidden_and_turning_characters_are_escaped(void **state) {
    (void)state;
    CHECK("\xe2\x80\xae", "\\u202e"); /* right-to-left override */
    CHECK("\xe2\x80\x8b", "\\u200b"); /* zero width space */
    CHECK("\xe2\x80\xa8", "\\u2028"); /* line separator */
    CHECK("\xef\xbb\xbf", "\\ufeff");
    CHECK("\xf3\xa0\x80\x81", "\\U000e0001");
}

static void invalid_utf8_is_escaped(void **state) {
    (void)state;
    CHECK("\xff\xfe", "\\xff\\xfe");
    CHECK("\xc3", "\\xc3");                            /* cut short */
    CHECK("\xc3(", "\\xc3(");                          /* no continuation */
    CHECK("\xc0\xaf", "\\xc0\\xaf");                   /* overlong */
    CHECK("\xe0\x80\xaf", "\\xe0\\x80\\xaf");          /* overlong */
    CHECK("\xed\xa0\x80", "\\xed\\xa0\\x80");          /* surrogate */
    CHECK("\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"); /* past the end */
    CHECK("\xe6\x97", "\\xe6\\x97");
}

/* For any bytes, the result is printable UTF-8, and escaping it again changes nothing. */
static void every_pair_of_bytes(void **state) {
    (void)state;
    for (int a = 0; a < 256; a++) {
        for (int b = 0; b < 256; b++) {
            char text[2] = {(char)a, (char)b};
            struct xs_string once = {0}, twice = {0};
            xs_string_escape(&once, text, 2);
            for (size_t i = 0; i < once.length; i++)
                assert_true((unsigned char)once.data[i] >= 0x20 && once.data[i] != 0x7f);
            xs_string_escape(&twice, once.data, once.length);
            assert_string_equal(once.data, twice.data);
            xs_string_free(&once);
            xs_string_free(&twice);
        }
    }
}

static void widths(void **state) {
    (void)state;
    assert_int_equal(xs_text_width(""), 0);
    assert_int_equal(xs_text_width("abc"), 3);
    assert_int_equal(xs_text_width("J\xc3\xbcrgen"), 6);
    assert_int_equal(xs_text_width("e\xcc\x81"), 1);                /* combining accent */
    assert_int_equal(xs_text_width("\xe6\x97\xa5\xe6\x9c\xac"), 4); /* two wide ones */
    assert_int_equal(xs_text_width("\xf0\x9f\x98\x80"), 2);
    assert_int_equal(xs_text_width("\xe2\x86\x92"), 1); /* arrow */
}

static void cutting_splits_nothing(void **state) {
    (void)state;
    assert_int_equal(xs_text_fit("abc", 2), 2);
    assert_int_equal(xs_text_fit("abc", 9), 3);
    assert_int_equal(xs_text_fit("abc", 0), 0);
    assert_int_equal(xs_text_fit("\xe6\x97\xa5\xe6\x9c\xac", 3), 3);
    assert_int_equal(xs_text_fit("e\xcc\x81x", 1), 3);
    assert_int_equal(xs_text_fit("\xc3\xbc\xc3\xbc", 1), 2);
}

static void the_base_name_is_the_last_part(void **state) {
    (void)state;
    assert_string_equal(xs_base_name("/opt/lib/libsolver.so"), "libsolver.so");
    assert_string_equal(xs_base_name("libsolver.so"), "libsolver.so");
    assert_string_equal(xs_base_name("/opt/lib/"), "/opt/lib/");
    assert_string_equal(xs_base_name(""), "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_passes),
        cmocka_unit_test(controls_are_escaped),
        cmocka_unit_test(hidden_and_turning_characters_are_escaped),
        cmocka_unit_test(invalid_utf8_is_escaped),
        cmocka_unit_test(every_pair_of_bytes),
        cmocka_unit_test(widths),
        cmocka_unit_test(cutting_splits_nothing),
        cmocka_unit_test(the_base_name_is_the_last_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
