/* Tests what `xferspy anonymize` does with each column of the schema, so that no new column is copied by mistake, and
 * with the options of the library; and the pseudonyms. */
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
        "meta",           "spool_progress",   "category",        "direction",   "memory_kind",
        "origin",         "launch_kind",      "sync_scope",      "copy_kind",   "device_memory_kind",
        "migration_kind", "fingerprint_skip", "host_read_doubt", "source_file", "source_line"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(table, names[i]))
            return true;
    return false;
}

/* A column without a row in columns.def would be left out of every copy. */
static void of_every_column_it_is_said_what_is_done(void **state) {
    (void)state;
    sqlite3 *db = empty_trace();
    sqlite3_stmt *rows;
    size_t tables = 0;
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT name FROM sqlite_master WHERE type = 'table'", -1, &rows, NULL),
                     SQLITE_OK);
    while (sqlite3_step(rows) == SQLITE_ROW) {
        const char *table = (const char *)sqlite3_column_text(rows, 0);
        bool is_copied = false;
        for (size_t i = 0; i < xs_anonymous_table_count; i++)
            is_copied = is_copied || !strcmp(xs_anonymous_tables[i], table);
        if (is_copied == is_made_anew(table))
            fail_msg("%s is in both lists of tables, or in none: columns.def, is_made_anew", table);
        tables += is_copied;
        struct xs_anonymous_column columns[64];
        int count = xs_anonymous_columns(db, table, columns, 64);
        assert_in_range(count, 1, 63);
        for (int i = 0; i < count && is_copied; i++) {
            const char *type = NULL;
            sqlite3_table_column_metadata(db, NULL, table, columns[i].name, &type, NULL, NULL, NULL, NULL);
            if (columns[i].kind < 0)
                fail_msg("%s.%s needs a row in analyzer/commands/anonymize/columns.def", table, columns[i].name);
            if (!strcmp(type, "INTEGER") == (columns[i].kind > XS_ANONYMOUS_CONTENT_HIGH))
                fail_msg("%s.%s: its kind is not for a column of that type", table, columns[i].name);
        }
    }
    sqlite3_finalize(rows);
    sqlite3_close(db);
    assert_int_equal(tables, xs_anonymous_table_count);
}

/* A copy keeps the values of options that cannot have a text of the user's. */
static void options_without_texts_are_kept(void **state) {
    enum { BOOL, CHOICE, INT, SHARE, TEXT, PATTERN };
    static const struct {
        const char *key;
        int type;
    } options[] = {
#define XS_OPTION(field, name, type, initial, accepted, help) {"option." #field, type},
#include "schema/options.def"
#undef XS_OPTION
    };
    static const char *const kept[] = {
#define XS_TABLE(table)
#define XS_COLUMN(table, column, kind)
#define XS_NUMBER(column)
#define XS_META(key, kind) key,
#include "analyzer/commands/anonymize/columns.def"
    };
    (void)state;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        bool is_kept = options[i].type == TEXT || options[i].type == PATTERN;
        for (size_t j = 0; j < sizeof kept / sizeof *kept; j++)
            is_kept = is_kept || !strcmp(kept[j], options[i].key);
        if (!is_kept)
            fail_msg("%s needs a row in analyzer/commands/anonymize/columns.def", options[i].key);
    }
}

/* New columns count as secret. The table has an address and a text as new columns. */
static void unknown_columns_are_left_out(void **state) {
    static const struct xs_anonymous_column expected[] = {{"id", XS_ANONYMOUS_NUMBER, false},
                                                          {"address", XS_ANONYMOUS_ADDRESS, true},
                                                          {"bytes", XS_ANONYMOUS_NUMBER, false},
                                                          {"stack", XS_ANONYMOUS_NUMBER, false},
                                                          {"is_new", XS_ANONYMOUS_NUMBER, false},
                                                          {"idle_ns", XS_ANONYMOUS_NUMBER, false},
                                                          {"correlation", XS_ANONYMOUS_NUMBER, false},
                                                          {"owner", -1, false},
                                                          {"path", -1, true},
                                                          {"wait_ns", -1, false}};
    enum { COUNT = sizeof expected / sizeof *expected };
    struct xs_anonymous_column columns[COUNT + 1];
    sqlite3 *db;
    (void)state;
    assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "CREATE TABLE stack (id INTEGER PRIMARY KEY); CREATE TABLE memset (id INTEGER PRIMARY"
                                  " KEY, address INTEGER NOT NULL, bytes INTEGER, stack INTEGER REFERENCES stack,"
                                  " is_new INTEGER, idle_ns INTEGER, correlation INTEGER, owner INTEGER, path TEXT NOT"
                                  " NULL, wait_ns TEXT)",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    assert_int_equal(xs_anonymous_columns(db, "memset", columns, COUNT + 1), COUNT);
    for (int i = 0; i < COUNT; i++) {
        assert_string_equal(columns[i].name, expected[i].name);
        assert_int_equal(columns[i].kind, expected[i].kind);
        assert_int_equal(columns[i].is_required, expected[i].is_required);
    }
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

/* The names of ranges show the steps of a run: which ranges are of one kind, and which are a library's. */
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_every_column_it_is_said_what_is_done),
                                       cmocka_unit_test(options_without_texts_are_kept),
                                       cmocka_unit_test(unknown_columns_are_left_out),
                                       cmocka_unit_test(equal_texts_have_one_pseudonym),
                                       cmocka_unit_test(only_what_is_public_stays),
                                       cmocka_unit_test(ranges_keep_their_kind)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
