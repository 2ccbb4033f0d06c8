/* The table of what `xferspy anonymize` does with each column has every column of the schema: a new one cannot go along
 * unseen. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "analyzer/commands/anonymize/anonymize.h"
#include "schema/format/kinds.h"
#include "schema/source/library.h"
#include "schema/write/store.h"

static sqlite3 *empty_trace(void) {
    char path[] = "/tmp/xferspy-anonymize-XXXXXX";
    struct xs_store *store;
    sqlite3 *db;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    unlink(path);
    assert_int_equal(xs_store_create(path, &store), 0);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    unlink(path);
    return db;
}

/* Tables that are made anew with a trace, and those with the text of sources, which is left out. */
static bool is_made_anew(const char *table) {
    static const char *const names[] = {
        "meta",           "spool_progress",   "category",    "direction",  "memory_kind",
        "origin",         "launch_kind",      "sync_scope",  "copy_kind",  "device_memory_kind",
        "migration_kind", "fingerprint_skip", "source_file", "source_line"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(table, names[i]))
            return true;
    return false;
}

static const struct xs_anonymous_column *find(const char *table, const char *column) {
    for (size_t i = 0; i < xs_anonymous_column_count; i++)
        if (!strcmp(xs_anonymous_columns[i].table, table) && !strcmp(xs_anonymous_columns[i].column, column))
            return &xs_anonymous_columns[i];
    return NULL;
}

static void every_column_has_a_row(void **state) {
    (void)state;
    sqlite3 *db = empty_trace();
    sqlite3_stmt *rows;
    size_t columns = 0;
    assert_int_equal(
        sqlite3_prepare_v2(db,
                           "SELECT m.name, c.name, c.type FROM sqlite_master m, pragma_table_xinfo(m.name) c"
                           " WHERE m.type = 'table' ORDER BY m.name, c.cid",
                           -1, &rows, NULL),
        SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(rows, 0),
                   *column = (const char *)sqlite3_column_text(rows, 1);
        if (is_made_anew(table))
            continue;
        const struct xs_anonymous_column *row = find(table, column);
        if (!row)
            fail_msg("%s.%s has no row in analyzer/commands/anonymize/columns.def", table, column);
        bool is_text = strcmp((const char *)sqlite3_column_text(rows, 2), "INTEGER") != 0;
        if (is_text != (row->kind > XS_ANONYMOUS_CONTENT_HIGH))
            fail_msg("%s.%s: its kind is not for a column of that type", table, column);
        columns++;
    }
    sqlite3_finalize(rows);
    sqlite3_close(db);
    assert_int_equal(columns, xs_anonymous_column_count);
}

/* read_required goes by the place of a column. */
static void columns_are_in_the_order_of_the_schema(void **state) {
    (void)state;
    sqlite3 *db = empty_trace();
    sqlite3_stmt *rows;
    const char *table = "";
    int place = 0;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM pragma_table_info(?) WHERE cid = ?", -1, &rows, NULL),
                     SQLITE_OK);
    for (size_t i = 0; i < xs_anonymous_column_count; i++) {
        place = strcmp(table, xs_anonymous_columns[i].table) != 0 ? 0 : place + 1;
        table = xs_anonymous_columns[i].table;
        sqlite3_bind_text(rows, 1, table, -1, SQLITE_STATIC);
        sqlite3_bind_int(rows, 2, place);
        assert_int_equal(sqlite3_step(rows), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(rows, 0), xs_anonymous_columns[i].column);
        sqlite3_reset(rows);
    }
    sqlite3_finalize(rows);
    sqlite3_close(db);
}

static const char *name(struct xs_pseudonyms *p, enum xs_anonymous_kind kind, const char *text) {
    return xs_pseudonym(p, kind, text, strlen(text));
}

static void equal_texts_have_one_pseudonym(void **state) {
    (void)state;
    struct xs_pseudonyms p = {0};
    const char *first = name(&p, XS_ANONYMOUS_KERNEL, "step");
    assert_ptr_equal(first, name(&p, XS_ANONYMOUS_KERNEL, "step"));
    assert_string_not_equal(first, name(&p, XS_ANONYMOUS_KERNEL, "stop"));
    assert_string_not_equal(first, name(&p, XS_ANONYMOUS_THREAD, "step"));
    assert_ptr_equal(name(&p, XS_ANONYMOUS_API, "x"), xs_pseudonym(&p, XS_ANONYMOUS_API, "x\0y", 1));
    assert_string_not_equal(name(&p, XS_ANONYMOUS_THREAD, "x"), xs_pseudonym(&p, XS_ANONYMOUS_THREAD, "x\0y", 3));
    xs_pseudonyms_free(&p);
}

static void only_what_is_public_stays(void **state) {
    (void)state;
    struct xs_pseudonyms p = {0};
    assert_string_equal(name(&p, XS_ANONYMOUS_API, "cuMemcpyHtoD_v2"), "cuMemcpyHtoD_v2");
    assert_string_equal(name(&p, XS_ANONYMOUS_API, "cudaMemcpyAsync"), "cudaMemcpyAsync");
    assert_null(strstr(name(&p, XS_ANONYMOUS_API, "custom_secret"), "secret"));
    assert_string_equal(name(&p, XS_ANONYMOUS_HARDWARE, "NVIDIA H100 80GB HBM3"), "NVIDIA H100 80GB HBM3");
    assert_null(strstr(name(&p, XS_ANONYMOUS_HARDWARE, "/home/alice"), "alice"));
    assert_null(strstr(name(&p, XS_ANONYMOUS_BINARY, "/x/libtorch_secret.so"), "secret"));
    assert_null(strstr(name(&p, XS_ANONYMOUS_BINARY, "/x/libc.so.secret"), "secret"));
    assert_null(strstr(name(&p, XS_ANONYMOUS_FUNCTION, "std::sort<Secret>"), "Secret"));
    assert_string_equal(name(&p, XS_ANONYMOUS_NOTE, "a"), "(text removed)");
    xs_pseudonyms_free(&p);
}

/* By the names of ranges steps of a run are told: what is of one kind, and what is a library's. */
static void ranges_keep_their_kind(void **state) {
    static const struct {
        const char *text, *pseudonym;
        bool library;
    } cases[] = {{"step", "range_a", false},
                 {"step 12 of 90", "range_b_2", false},
                 {"load", "range_c", false},
                 {"step 7 of 9", "range_b_4", false},
                 {"step # of #", "range_b_5", false},
                 {"step", "range_a", false},
                 {"aten::to", "aten::range_d", true},
                 {"aten::to, seq = 5", "aten::range_e_7", true},
                 {"Optimizer.step#SGD.step", "Optimizer.step#range_f_8", true},
                 {"AddmmBackward0, seq = 5", "range_g, seq = 9, op_id = 9", true},
                 {"AddmmBackward0, seq = 6", "range_g, seq = 10, op_id = 10", true},
                 {"", "", false}};
    (void)state;
    struct xs_pseudonyms p = {0};
    char text[3] = "aA";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_string_equal(name(&p, XS_ANONYMOUS_RANGE, cases[i].text), cases[i].pseudonym);
        assert_int_equal(xs_library_range(NULL, cases[i].text), cases[i].library);
        assert_int_equal(xs_library_range(NULL, cases[i].pseudonym), cases[i].library);
    }
    for (text[0] = 'a'; text[0] <= 'z'; text[0]++) /* after z comes aa */
        name(&p, XS_ANONYMOUS_RANGE, text);
    assert_string_equal(name(&p, XS_ANONYMOUS_RANGE, "one more"), "range_ah");
    xs_pseudonyms_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_column_has_a_row), cmocka_unit_test(columns_are_in_the_order_of_the_schema),
        cmocka_unit_test(equal_texts_have_one_pseudonym), cmocka_unit_test(only_what_is_public_stays),
        cmocka_unit_test(ranges_keep_their_kind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
