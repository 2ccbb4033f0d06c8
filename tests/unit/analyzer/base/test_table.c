/* The table printer: alignment, width, cutting. */
#include "unit.h"

#include "analyzer/base/table.h"
#include "analyzer/base/text.h"

static void print(struct xs_out *out, void *data) { xs_table_print(data, out); }

static void expect(struct xs_table *table, int columns, bool utf8, const char *expected) {
    char *text = captured(print, table, columns, utf8);
    assert_string_equal(text, expected);
    free(text);
}

static struct xs_table *sample(void) {
    struct xs_table *table = xs_table_new(2);
    xs_table_column(table, "name", false);
    xs_table_column(table, "count", true);
    xs_table_column(table, "nothing", false);
    xs_table_column(table, "end", false);
    return table;
}

static void columns_are_aligned(void **state) {
    (void)state;
    struct xs_table *table = sample();
    xs_table_cell(table, "a");
    xs_table_cell(table, "1");
    xs_table_cell(table, NULL);
    xs_table_cell(table, "x");
    xs_table_cell(table, "longer name");
    xs_table_cell(table, "1,000,000");
    xs_table_cell(table, "");
    xs_table_cell(table, NULL);
    assert_int_equal(xs_table_rows(table), 2);
    expect(table, 0, true,
           "  name             count  end\n"
           "  a                    1  x\n"
           "  longer name  1,000,000\n");
    xs_table_free(table);
}

static void wide_characters_count_twice(void **state) {
    (void)state;
    struct xs_table *table = xs_table_new(0);
    xs_table_column(table, NULL, false);
    xs_table_column(table, NULL, false);
    xs_table_cell(table, "\xe6\x97\xa5\xe6\x9c\xac");
    xs_table_cell(table, "|");
    xs_table_cell(table, "abcd");
    xs_table_cell(table, "|");
    expect(table, 0, true, "\xe6\x97\xa5\xe6\x9c\xac  |\nabcd  |\n");
    xs_table_free(table);
}

static void hostile_cells_stay_on_their_line(void **state) {
    (void)state;
    struct xs_table *table = xs_table_new(0);
    xs_table_column(table, "h\n", false);
    xs_table_cell(table, "a\nb\033[1m\xff");
    expect(table, 0, true, "h\\n\na\\nb\\x1b[1m\\xff\n");
    xs_table_free(table);
}

static void a_narrow_terminal_cuts_the_widest(void **state) {
    (void)state;
    struct xs_table *table = xs_table_new(0);
    xs_table_column(table, "name", false);
    xs_table_column(table, "n", true);
    xs_table_cell(table, "a very long name that does not fit in here");
    xs_table_cell(table, "123456");
    expect(table, 20, true, "name               n\na very long\xe2\x80\xa6  123456\n");
    xs_table_cell(table, "a very long name that does not fit in here");
    xs_table_cell(table, "123456");
    expect(table, 20, false, "a very lo...  123456\n");
    xs_table_free(table);
}

static void optional_columns_go_before_anything_is_cut(void **state) {
    (void)state;
    struct xs_table *table = xs_table_new(0);
    xs_table_column(table, "name", false);
    xs_table_column(table, "first", true);
    xs_table_optional(table);
    xs_table_column(table, "second", true);
    xs_table_optional(table);
    for (int i = 0; i < 3; i++) {
        xs_table_cell(table, "a name of it");
        xs_table_cell(table, "1");
        xs_table_cell(table, "2");
        static const char *const expected[] = {"name          first  second\na name of it      1       2\n",
                                               "a name of it      1\n", "a name of it\n"};
        static const int columns[] = {27, 26, 18};
        expect(table, columns[i], true, expected[i]);
    }
    xs_table_free(table);
}

static void numbers_are_never_cut(void **state) {
    (void)state;
    struct xs_table *table = xs_table_new(0);
    for (int i = 0; i < 10; i++) {
        xs_table_column(table, NULL, true);
        xs_table_cell(table, "1234567890");
    }
    char *text = captured(print, table, 40, true);
    assert_int_equal(strlen(text), 10 * 10 + 9 * 2 + 1);
    free(text);
    xs_table_free(table);
}

static void huge_cells_are_cut(void **state) {
    (void)state;
    char *name = malloc(200001);
    memset(name, 'x', 200000);
    name[200000] = '\0';
    struct xs_table *table = xs_table_new(0);
    xs_table_column(table, NULL, false);
    xs_table_cell(table, name);
    char *text = captured(print, table, 0, false);
    assert_int_equal(strlen(text), 501);
    assert_string_equal(text + 497, "...\n");
    free(text);
    free(name);
    xs_table_free(table);
}

static void rows_can_follow(void **state) {
    (void)state;
    struct xs_table *table = sample();
    xs_table_cell(table, "wide enough");
    xs_table_cell(table, "1");
    xs_table_cell(table, "n");
    xs_table_cell(table, "e");
    expect(table, 0, true, "  name         count  nothing  end\n  wide enough      1  n        e\n");
    xs_table_cell(table, "b");
    expect(table, 0, true, "  b\n");
    xs_table_free(table);
}

static void no_rows(void **state) {
    (void)state;
    struct xs_table *table = sample();
    expect(table, 0, true, "  name  count  nothing  end\n");
    xs_table_free(table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned),
        cmocka_unit_test(wide_characters_count_twice),
        cmocka_unit_test(hostile_cells_stay_on_their_line),
        cmocka_unit_test(a_narrow_terminal_cuts_the_widest),
        cmocka_unit_test(optional_columns_go_before_anything_is_cut),
        cmocka_unit_test(numbers_are_never_cut),
        cmocka_unit_test(huge_cells_are_cut),
        cmocka_unit_test(rows_can_follow),
        cmocka_unit_test(no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
