/* Tests the stream between the JSON writer and the page: no text can end the script element that contains it, and no
 * text is long. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/base/json.h"
#include "analyzer/commands/html/stream.h"

/* Returns the output for an object with this text in it; the caller frees it. */
static char *through(const char *text) {
    char *page = NULL;
    size_t bytes = 0;
    struct xs_html_stream stream;
    FILE *to = open_memstream(&page, &bytes);
    struct xs_json json = {.file = xs_html_stream_open(&stream, to)};
    xs_json_object(&json, NULL);
    xs_json_text(&json, "t", text);
    xs_json_end(&json, '}');
    fclose(json.file);
    fclose(to);
    assert_int_equal(stream.written, bytes);
    return page;
}

static void expect(const char *text, const char *page) {
    char *got = through(text);
    assert_string_equal(got, page);
    free(got);
}

static void blanks_go_but_not_in_texts(void **state) {
    (void)state;
    expect("a b", "{\"t\":\"a b\"}");
    expect("", "{\"t\":\"\"}");
    expect("q\"u\\o", "{\"t\":\"q\\\"u\\\\o\"}");
}

static void markup_is_escaped(void **state) {
    (void)state;
    expect("</script>", "{\"t\":\"\\u003c/script\\u003e\"}");
    expect("<!--&'", "{\"t\":\"\\u003c!--\\u0026\\u0027\"}");
    expect("a\xe2\x80\xa8z\xe2\x80\xa9", "{\"t\":\"a\\\\u2028z\\\\u2029\"}");
    expect("\\<", "{\"t\":\"\\\\\\u003c\"}"); /* a backslash before it does not make it part of an escape */
    expect("\xff", "{\"t\":\"\\ufffd\"}");
}

/* A text with this many copies of a character is cut after XS_HTML_TEXT_LIMIT of them, however long their escapes are.
 */
static void expect_cut(const char *character, const char *written) {
    size_t one = strlen(character), other = strlen(written);
    char *text = malloc(one * 1500 + 1), *wanted = malloc(other * XS_HTML_TEXT_LIMIT + 32), *at = wanted;
    for (int i = 0; i < 1500; i++)
        memcpy(text + (size_t)i * one, character, one + 1);
    at = stpcpy(at, "{\"t\":\"");
    for (int i = 0; i < XS_HTML_TEXT_LIMIT; i++)
        at = stpcpy(at, written);
    stpcpy(at, "\\u2026\"}");
    expect(text, wanted);
    free(text);
    free(wanted);
}

static void long_texts_are_cut_between_characters(void **state) {
    (void)state;
    expect_cut("x", "x");
    expect_cut("\xc3\xa4", "\xc3\xa4");
    expect_cut("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
    expect_cut("<", "\\u003c");
    expect_cut("\x1b", "\\\\u001b");
    expect_cut("\n", "\\\\n");
    expect_cut("\xff", "\\ufffd");
    expect_cut("\"", "\\\"");
    expect_cut("\\", "\\\\");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blanks_go_but_not_in_texts),
        cmocka_unit_test(markup_is_escaped),
        cmocka_unit_test(long_texts_are_cut_between_characters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
