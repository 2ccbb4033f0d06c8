/* Parquet files: what is written is read again, and a file of any bytes is refused without harm. That other readers
 * read the same values is tested in tests/export. */
#include "unit.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "analyzer/base/memory.h"
#include "analyzer/parquet/gzip.h"
#include "analyzer/parquet/hybrid.h"
#include "analyzer/parquet/read.h"
#include "analyzer/parquet/thrift.h"
#include "analyzer/parquet/write.h"

static const struct xs_column columns[] = {
    {"number", XS_COLUMN_INT}, {"text", XS_COLUMN_TEXT}, {"flag", XS_COLUMN_BOOL}, {"at", XS_COLUMN_TIME}};
enum { NUMBER, TEXT, FLAG, AT, COLUMNS };

/* Returns a value that depends on column and row; one in `empty` is none (0: all have one). */
static int64_t value_of(unsigned column, size_t row, size_t empty) {
    if (empty && (row + column) % empty == 0)
        return XS_NO_VALUE;
    if (column == FLAG)
        return row % 3 == 0;
    return (int64_t)(row * 0x9e3779b97f4a7c15u >> 2) - (1 << 20);
}

static void text_of(char *text, size_t bytes, size_t row, size_t distinct) {
    snprintf(text, bytes, "place %zu \xc3\xa9", row % distinct);
}

static void fill(struct xs_rows *rows, size_t count, size_t distinct, size_t empty) {
    char text[64];
    xs_rows_begin(rows, columns, COLUMNS);
    xs_rows_add(rows, count);
    for (size_t row = 0; row < count; row++) {
        for (unsigned column = 0; column < COLUMNS; column++)
            xs_rows_set(rows, column, row, value_of(column, row, empty));
        text_of(text, sizeof text, row, distinct);
        xs_rows_set_text(rows, TEXT, row, value_of(TEXT, row, empty) == XS_NO_VALUE ? NULL : text);
    }
}

static void write_file(const char *path, const struct xs_rows *rows) {
    static const char *const keys[] = {"k"}, *const values[] = {"v"};
    FILE *file = fopen(path, "w");
    struct xs_parquet_writer w;
    assert_non_null(file);
    xs_parquet_begin(&w, file, rows->columns, rows->column_count);
    xs_parquet_add(&w, rows, 0, rows->count);
    xs_parquet_end(&w, "unit test", keys, values, 1);
    assert_int_equal(fclose(file), 0);
}

static bool read_file(const char *path, struct xs_rows *rows, const bool *wanted) {
    struct xs_parquet_reader r;
    bool is_fine = xs_parquet_open(&r, AT_FDCWD, path);
    for (size_t group = 0; is_fine && group < r.group_count; group++)
        is_fine = xs_parquet_read(&r, group, rows, wanted);
    assert_true(is_fine || r.why);
    xs_parquet_close(&r);
    return is_fine;
}

static void round_trip(size_t count, size_t distinct, size_t empty) {
    struct xs_rows rows, read;
    fill(&rows, count, distinct, empty);
    write_file("round.parquet", &rows);
    xs_rows_begin(&read, columns, COLUMNS);
    assert_true(read_file("round.parquet", &read, NULL));
    assert_int_equal(read.count, count);
    for (size_t row = 0; row < count; row++) {
        const char *text = xs_rows_text(&rows, TEXT, row), *text_read = xs_rows_text(&read, TEXT, row);
        for (unsigned column = 0; column < COLUMNS; column++)
            if (column != TEXT)
                assert_int_equal(xs_rows_value(&read, column, row), xs_rows_value(&rows, column, row));
        assert_true(text ? text_read && !strcmp(text, text_read) : !text_read);
    }
    xs_rows_free(&rows);
    xs_rows_free(&read);
}

static void rows_are_read_again(void **state) {
    (void)state;
    round_trip(1, 1, 0);
    round_trip(1, 1, 1); /* nothing but empty cells */
    round_trip(9, 9, 3);
    round_trip(1000, 300, 7);                      /* indexes of nine bits */
    round_trip(XS_PARQUET_ROWS_A_GROUP + 5, 2, 0); /* two groups */
}

/* A file of another version has other columns, and a caller wants only some of them. */
static void columns_are_found_by_name(void **state) {
    static const struct xs_column others[] = {
        {"at", XS_COLUMN_TIME}, {"new", XS_COLUMN_TEXT}, {"number", XS_COLUMN_INT}};
    static const bool wanted[] = {true, true, false};
    static const struct xs_column wrong[] = {{"text", XS_COLUMN_INT}};
    struct xs_rows rows, read;
    (void)state;
    fill(&rows, 20, 3, 0);
    write_file("names.parquet", &rows);
    xs_rows_begin(&read, others, 3);
    assert_true(read_file("names.parquet", &read, wanted));
    assert_int_equal(xs_rows_value(&read, 0, 7), value_of(AT, 7, 0));
    assert_null(xs_rows_text(&read, 1, 7));
    assert_int_equal(xs_rows_value(&read, 2, 7), XS_NO_VALUE);
    xs_rows_free(&read);
    xs_rows_begin(&read, wrong, 1);
    assert_false(read_file("names.parquet", &read, NULL));
    xs_rows_free(&read);
    xs_rows_free(&rows);
}

static void packing_makes_files_smaller(void **state) {
    struct xs_rows rows;
    struct stat st;
    (void)state;
    if (!xs_gzip_is_available())
        skip();
    xs_rows_begin(&rows, columns, COLUMNS);
    xs_rows_add(&rows, 4096);
    for (size_t row = 0; row < rows.count; row++)
        xs_rows_set(&rows, NUMBER, row, 7);
    write_file("packed.parquet", &rows);
    assert_int_equal(stat("packed.parquet", &st), 0);
    assert_true(st.st_size < 4096 * 8 / 10);
    xs_rows_free(&rows);
}

static void hybrids_are_read_again(void **state) {
    uint32_t values[77], read[77];
    (void)state;
    for (unsigned bits = 1; bits <= 32; bits++) {
        XS_SCOPED_STRING bytes = {0};
        for (size_t i = 0; i < 77; i++)
            values[i] = (uint32_t)(i * 0x9e3779b9u) & (uint32_t)((UINT64_C(1) << bits) - 1);
        xs_hybrid_add(&bytes, values, 77, bits);
        assert_true(xs_hybrid_read((const uint8_t *)bytes.data, bytes.length, bits, read, 77));
        assert_memory_equal(values, read, sizeof values);
        assert_false(xs_hybrid_read((const uint8_t *)bytes.data, bytes.length / 2, bits, read, 77));
    }
    assert_int_equal(xs_bits_of(0), 0);
    assert_int_equal(xs_bits_of(255), 8);
    assert_int_equal(xs_bits_of(256), 9);
    assert_false(xs_hybrid_read((const uint8_t *)"\x00", 1, 1, read, 1)); /* a run of nothing would never end */
}

/* A reader of a newer version skips fields that it does not know, of any type and depth. */
static void unknown_fields_are_skipped(void **state) {
    XS_SCOPED_STRING bytes = {0};
    struct xs_thrift_writer w;
    struct xs_thrift_field field = {0};
    size_t length;
    (void)state;
    xs_thrift_begin(&w, &bytes);
    xs_thrift_field_list(&w, 1, XS_THRIFT_STRUCT, 2);
    for (int i = 0; i < 2; i++) {
        xs_thrift_item_struct(&w);
        xs_thrift_field_bool(&w, 3, true);
        xs_thrift_field_text(&w, 40, "far");
        xs_thrift_end(&w);
    }
    xs_thrift_field_i64(&w, 2, INT64_MIN);
    xs_thrift_field_text(&w, 3, "here");
    xs_thrift_end(&w);
    struct xs_thrift_reader r = {.at = (const uint8_t *)bytes.data, .end = (const uint8_t *)bytes.data + bytes.length};
    assert_true(xs_thrift_next(&r, &field));
    xs_thrift_skip(&r, &field);
    assert_true(xs_thrift_next(&r, &field));
    assert_int_equal(xs_thrift_int(&r, &field), INT64_MIN);
    assert_true(xs_thrift_next(&r, &field));
    assert_memory_equal(xs_thrift_text(&r, &field, &length), "here", 4);
    assert_int_equal(length, 4);
    assert_false(xs_thrift_next(&r, &field));
    assert_false(r.failed);
}

/* Each byte of a file is changed in turn, and the file is cut at each byte: reading may fail, but must not break
 * anything. Sanitizers look at what cannot be seen here. */
static void damaged_files_are_refused(void **state) {
    struct xs_rows rows, read;
    char bytes[4096];
    size_t refused = 0;
    (void)state;
    fill(&rows, 40, 5, 4);
    write_file("whole.parquet", &rows);
    FILE *file = fopen("whole.parquet", "r");
    assert_non_null(file);
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_in_range(length, 500, sizeof bytes - 1);
    for (size_t i = 0; i < 3 * length; i++) {
        bool is_cut = i >= 2 * length;
        char before = bytes[i % length];
        bytes[i % length] = (char)(i < length ? ~before : before ^ 1 << i % 8);
        file = fopen("damaged.parquet", "w");
        assert_non_null(file);
        if (is_cut)
            bytes[i % length] = before;
        fwrite(bytes, 1, is_cut ? i % length : length, file);
        fclose(file);
        bytes[i % length] = before;
        xs_rows_begin(&read, columns, COLUMNS);
        bool is_fine = read_file("damaged.parquet", &read, NULL);
        assert_false(is_cut && is_fine);
        refused += !is_fine;
        xs_rows_free(&read);
    }
    assert_true(refused > length + length / 2);
    xs_rows_free(&rows);
}

static void what_is_no_parquet_is_named(void **state) {
    struct xs_parquet_reader r;
    (void)state;
    assert_false(xs_parquet_open(&r, AT_FDCWD, "/dev/null"));
    assert_string_equal(r.why, "it is no regular file");
    xs_parquet_close(&r);
    assert_false(xs_parquet_open(&r, AT_FDCWD, "missing.parquet"));
    assert_string_equal(r.why, "No such file or directory");
    xs_parquet_close(&r);
}

int main(void) {
    char folder[] = "/tmp/xferspy-parquet.XXXXXX";
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_read_again),         cmocka_unit_test(columns_are_found_by_name),
        cmocka_unit_test(packing_makes_files_smaller), cmocka_unit_test(hybrids_are_read_again),
        cmocka_unit_test(unknown_fields_are_skipped),  cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(what_is_no_parquet_is_named)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *const files[] = {"round.parquet", "names.parquet", "packed.parquet", "whole.parquet",
                                        "damaged.parquet"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        unlink(files[i]);
    rmdir(folder);
    return failed;
}
