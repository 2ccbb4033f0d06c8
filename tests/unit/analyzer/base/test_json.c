/* The JSON writer. */
#include "unit.h"

#include <math.h>

#include "analyzer/base/json.h"

static void print_all(struct xs_out *out, void *data) {
    struct xs_json json = {.file = out->file};
    (void)data;
    xs_json_object(&json, NULL);
    xs_json_text(&json, "text", "a\"b\\c\n\t\033\xff\xc2\x9b\xc3\xbc");
    xs_json_text(&json, "none", NULL);
    xs_json_int(&json, "least", INT64_MIN);
    xs_json_count(&json, "most", UINT64_MAX);
    xs_json_number(&json, "tenth", 0.1);
    xs_json_number(&json, "third", 1.0 / 3);
    xs_json_number(&json, "infinite", INFINITY);
    xs_json_bool(&json, "yes", true);
    xs_json_array(&json, "empty");
    xs_json_end(&json, ']');
    xs_json_array(&json, "full");
    xs_json_int(&json, NULL, 1);
    xs_json_null(&json, NULL);
    xs_json_end(&json, ']');
    xs_json_end(&json, '}');
}

static void everything(void **state) {
    (void)state;
    char *text = captured(print_all, NULL, 0, true);
    assert_string_equal(text, "{\n"
                              "  \"text\": \"a\\\"b\\\\c\\n\\t\\u001b\\ufffd\\u009b\xc3\xbc\",\n"
                              "  \"none\": null,\n"
                              "  \"least\": -9223372036854775808,\n"
                              "  \"most\": 18446744073709551615,\n"
                              "  \"tenth\": 0.1,\n"
                              "  \"third\": 0.3333333333333333,\n"
                              "  \"infinite\": null,\n"
                              "  \"yes\": true,\n"
                              "  \"empty\": [],\n"
                              "  \"full\": [\n"
                              "    1,\n"
                              "    null\n"
                              "  ]\n"
                              "}\n");
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
