/* Tests opening: what is a trace and what is not, which is said in one line; reading changes nothing. */
#include "support.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct xs_trace trace;
static char message[XS_TRACE_MESSAGE_BYTES];

static void expect_refused(const char *name, int status, const char *text) {
    char expected[512];
    snprintf(expected, sizeof expected, "%s: %s", in_scratch(name), text);
    assert_int_equal(xs_trace_open(in_scratch(name), &trace, message), status);
    assert_string_equal(message, expected);
    assert_null(trace.db);
}

/* Requires that the file is refused with this text, and that neither the file nor its folder is changed. */
static void expect_untouched(const char *name, int status, const char *text) {
    size_t before_bytes, after_bytes;
    unsigned char *before = read_all(in_scratch(name), &before_bytes);
    expect_refused(name, status, text);
    unsigned char *after = read_all(in_scratch(name), &after_bytes);
    assert_int_equal(before_bytes, after_bytes);
    assert_memory_equal(before, after, before_bytes);
    free(before);
    free(after);
    static const char *const suffixes[] = {"-wal", "-shm", "-journal"};
    for (int i = 0; i < 3; i++) {
        char beside[64];
        snprintf(beside, sizeof beside, "%s%s", name, suffixes[i]);
        assert_false(exists(in_scratch(beside)));
    }
}

static void make_database(const char *name, const char *sql) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(in_scratch(name), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void what_is_no_trace_is_said(void **state) {
    (void)state;
    expect_refused("none.db", XS_ERROR_NOT_FOUND, "No such file or directory");
    mkdir(in_scratch("folder"), 0755);
    expect_refused("folder", XS_ERROR_NOT_A_TRACE, "is a directory, not a trace");
    mkfifo(in_scratch("pipe"), 0644);
    expect_refused("pipe", XS_ERROR_NOT_A_TRACE, "not a regular file");
    write_all(in_scratch("empty.db"), "", 0);
    expect_untouched("empty.db", XS_ERROR_NOT_A_TRACE, "empty, not an xferspy trace");
    write_all(in_scratch("text.txt"), "hello", 5);
    expect_untouched("text.txt", XS_ERROR_NOT_A_TRACE, "not an xferspy trace");
    write_all(in_scratch("short.db"), "SQLite format 3", 16);
    expect_untouched("short.db", XS_ERROR_NOT_A_TRACE, "an SQLite database, but not an xferspy trace");
}

static void foreign_databases_are_left_alone(void **state) {
    (void)state;
    char sql[120];
    make_database("foreign.db", "CREATE TABLE t(x); INSERT INTO t VALUES (1);");
    expect_untouched("foreign.db", XS_ERROR_NOT_A_TRACE, "an SQLite database, but not an xferspy trace");
    make_database("wal.db", "PRAGMA journal_mode=WAL; CREATE TABLE t(x);");
    expect_untouched("wal.db", XS_ERROR_NOT_A_TRACE, "an SQLite database, but not an xferspy trace");
    make_database("zero.db", "PRAGMA application_id=0x78667370; CREATE TABLE t(x);");
    expect_untouched("zero.db", XS_ERROR_NOT_A_TRACE, "an SQLite database, but not an xferspy trace");
    snprintf(sql, sizeof sql, "PRAGMA application_id=0x78667370; PRAGMA user_version=%d; CREATE TABLE t(x);",
             xs_schema_version);
    make_database("hollow.db", sql);
    expect_untouched("hollow.db", XS_ERROR_CORRUPT,
                     "not read: its schema is not xferspy's: table allocation is missing");
}

static void traces_of_another_schema_are_refused(void **state) {
    (void)state;
    char text[160];
    make_database("other.db", "PRAGMA application_id=0x78667370; PRAGMA user_version=99; CREATE TABLE t(x);");
    snprintf(
        text, sizeof text,
        "written by another version of xferspy (its schema is 99, this one reads %d); read it with the version that"
        " wrote it, or record it again",
        xs_schema_version);
    expect_untouched("other.db", XS_ERROR_VERSION, text);
    make_database("odd.db", "PRAGMA application_id=0x78667370; PRAGMA user_version=-7; CREATE TABLE t(x);");
    expect_untouched("odd.db", XS_ERROR_CORRUPT, "damaged (no xferspy has a schema -7)");
}

static void truncated_traces_are_refused(void **state) {
    (void)state;
    make_finished_trace(in_scratch("t.db"), 5000);
    size_t bytes;
    unsigned char *data = read_all(in_scratch("t.db"), &bytes);
    write_all(in_scratch("cut.db"), data, 40960);
    char text[100];
    snprintf(text, sizeof text, "damaged (cut off: 40960 of %zu bytes)", bytes);
    expect_untouched("cut.db", XS_ERROR_CORRUPT, text);
    memset(data + 4096, 0xff, 4096 * 3); /* the first tables' roots */
    write_all(in_scratch("hole.db"), data, bytes);
    expect_untouched("hole.db", XS_ERROR_CORRUPT, "damaged (database disk image is malformed)");
    free(data);
}

static void companions_name_their_trace(void **state) {
    (void)state;
    make_killed_trace(in_scratch("t.db"), 20, 10);
    static const char *const companions[] = {"t.db.spool", "t.db-wal", "t.db-shm"};
    for (int i = 0; i < 3; i++) {
        char text[300];
        snprintf(text, sizeof text, "belongs to a trace; open %s", in_scratch("t.db"));
        expect_refused(companions[i], XS_ERROR_NOT_A_TRACE, text);
    }
    /* ... and a trace may be called like one */
    make_finished_trace(in_scratch("odd.spool"), 1);
    assert_int_equal(xs_trace_open(in_scratch("odd.spool"), &trace, message), 0);
    xs_trace_close(&trace);
}

static void a_finished_trace_is_read_without_a_change(void **state) {
    (void)state;
    const char *path = in_scratch("t.db");
    make_finished_trace(path, 100);
    size_t before_bytes, after_bytes;
    unsigned char *before = read_all(path, &before_bytes);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_int_equal(trace.recovered_events, -1);
    assert_int_equal(trace.is_live, 0);
    assert_string_equal(trace.path, path);
    assert_string_equal(trace.warning, "");
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfers"), 100);
    assert_int_not_equal(sqlite3_exec(trace.db, "DELETE FROM transfer", NULL, NULL, NULL), SQLITE_OK);
    assert_int_not_equal(sqlite3_exec(trace.db, "CREATE TABLE x(y)", NULL, NULL, NULL), SQLITE_OK);
    xs_trace_close(&trace);
    xs_trace_close(&trace); /* harmless */
    unsigned char *after = read_all(path, &after_bytes);
    assert_int_equal(before_bytes, after_bytes);
    assert_memory_equal(before, after, before_bytes);
    free(before);
    free(after);
}

static void meta_values_are_read(void **state) {
    (void)state;
    const char *path = in_scratch("t.db");
    struct xs_store *store;
    assert_int_equal(xs_store_create(path, &store), 0);
    xs_store_meta_text(store, "host", "a-long-name");
    xs_store_meta_int(store, "ranks", 8);
    assert_int_equal(xs_store_close(store), 0);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    char text[5];
    assert_string_equal(xs_trace_meta_text(&trace, "host", text, sizeof text, NULL), "a-lo");
    assert_string_equal(xs_trace_meta_text(&trace, "none", text, sizeof text, "fallback"), "fallback");
    assert_null(xs_trace_meta_text(&trace, "none", text, sizeof text, NULL));
    assert_string_equal(xs_trace_meta_text(&trace, "ranks", text, sizeof text, NULL), "8");
    assert_int_equal(xs_trace_meta_int(&trace, "ranks", -1), 8);
    assert_int_equal(xs_trace_meta_int(&trace, "none", -1), -1);
    xs_trace_close(&trace);
}

/* The main file of a killed process's trace, copied without its WAL. */
static void a_wal_file_alone_is_read_as_it_is(void **state) {
    (void)state;
    make_killed_trace(in_scratch("t.db"), 20, 10);
    size_t bytes;
    unsigned char *data = read_all(in_scratch("t.db"), &bytes);
    write_all(in_scratch("sole %41?#.db"), data, bytes);
    free(data);
    assert_int_equal(xs_trace_open(in_scratch("sole %41?#.db"), &trace, message), 0);
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), 0);
    assert_false(exists(in_scratch("sole %41?#.db-wal")));
    assert_false(exists(in_scratch("sole %41?#.db-shm")));
    xs_trace_close(&trace);
}

static void names_that_are_too_long_are_refused(void **state) {
    (void)state;
    char path[5000];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    assert_int_equal(xs_trace_open(path, &trace, message), XS_ERROR_INVALID);
    assert_non_null(strstr(message, "name too long"));
}

static int count_temporary(const char *folder) {
    char command[300];
    snprintf(command, sizeof command, "%s/tmp", folder);
    return rmdir(command) == 0 ? 0 : 1; /* an empty folder can be removed */
}

/* Runs in a child whose user is nobody, because root may write everywhere. */
static int open_in_a_read_only_folder(const char *path) {
    if (geteuid() == 0 && setuid(65534) != 0)
        return 10;
    if (xs_trace_open(path, &trace, message) != 0)
        return 11;
    int64_t rows = number_of(trace.db, "SELECT count(*) FROM transfer");
    bool recovered = trace.recovered_events == 1500 && rows == 2000;
    xs_trace_close(&trace);
    return recovered ? 0 : 12;
}

static void a_folder_that_cannot_be_written_is_recovered_in_a_copy(void **state) {
    (void)state;
    const char *path = in_scratch("t.db"), *spool = in_scratch("t.db.spool"), *wal = in_scratch("t.db-wal");
    make_killed_trace(path, 2000, 500);
    size_t before_bytes[3], after_bytes;
    unsigned char *before[3] = {read_all(path, &before_bytes[0]), read_all(spool, &before_bytes[1]),
                                read_all(wal, &before_bytes[2])};
    mkdir(in_scratch("tmp"), 0777);
    chmod(in_scratch("tmp"), 0777);
    chmod(scratch, 0555);
    for (int i = 0; i < 3; i++)
        chmod(i == 0 ? path : i == 1 ? spool : wal, 0644); /* what xferspy makes is for its owner alone */
    pid_t child = fork();
    if (child == 0) {
        setenv("TMPDIR", in_scratch("tmp"), 1);
        _exit(open_in_a_read_only_folder(path));
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    chmod(scratch, 0755);
    assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    const char *names[3] = {path, spool, wal};
    for (int i = 0; i < 3; i++) {
        unsigned char *after = read_all(names[i], &after_bytes);
        assert_int_equal(after_bytes, before_bytes[i]);
        assert_memory_equal(after, before[i], after_bytes);
        free(after);
        free(before[i]);
    }
    assert_int_equal(count_temporary(scratch), 0);
}

static int open_finished_as_nobody(const char *path) {
    if (geteuid() == 0 && setuid(65534) != 0)
        return 10;
    if (xs_trace_open(path, &trace, message) != 0)
        return 11;
    return number_of(trace.db, "SELECT count(*) FROM transfer") == 50 && trace.warning[0] == 0 ? 0 : 12;
}

static void a_read_only_trace_is_simply_read(void **state) {
    (void)state;
    const char *path = in_scratch("t.db");
    make_finished_trace(path, 50);
    chmod(path, 0444);
    chmod(scratch, 0555);
    pid_t child = fork();
    if (child == 0)
        _exit(open_finished_as_nobody(path));
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    chmod(scratch, 0755);
    assert_int_equal(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(what_is_no_trace_is_said),
        IN_SCRATCH(foreign_databases_are_left_alone),
        IN_SCRATCH(traces_of_another_schema_are_refused),
        IN_SCRATCH(truncated_traces_are_refused),
        IN_SCRATCH(companions_name_their_trace),
        IN_SCRATCH(a_finished_trace_is_read_without_a_change),
        IN_SCRATCH(meta_values_are_read),
        IN_SCRATCH(a_wal_file_alone_is_read_as_it_is),
        IN_SCRATCH(names_that_are_too_long_are_refused),
        IN_SCRATCH(a_folder_that_cannot_be_written_is_recovered_in_a_copy),
        IN_SCRATCH(a_read_only_trace_is_simply_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
