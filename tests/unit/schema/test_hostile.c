/* Tests what a stranger's trace, or a stranger's file beside a trace, must not do: delete or write other files,
 * execute what its schema contains, or take the memory that its header claims. Each of these was possible once. */
#include "support.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "schema/safe_open/private_file.h"
#include "schema/safe_open/sqlite_open.h"

static struct xs_trace trace;
static char message[XS_TRACE_MESSAGE_BYTES];

static void expect_refused(const char *name, const char *words) {
    int status = xs_trace_open(in_scratch(name), &trace, message);
    if (status != XS_ERROR_CORRUPT || !strstr(message, words))
        fail_msg("%s: status %d, message: %s", name, status, message);
    assert_null(strchr(message, '\n'));
    assert_non_null(strstr(message, name));
}

static void put_number(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> (24 - 8 * i));
}

/* A journal without pages that names a super-journal, as SQLite's pager.c reads it. */
static void plant_journal(const char *journal, const char *victim) {
    static const unsigned char magic[8] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    unsigned char bytes[4096] = {0};
    size_t length = strlen(victim);
    uint32_t sum = 0;
    memcpy(bytes, magic, 8);
    put_number(bytes + 20, 512);
    put_number(bytes + 24, 4096);
    put_number(bytes + 512, 0x40000000 / 4096 + 1);
    memcpy(bytes + 516, victim, length);
    for (size_t i = 0; i < length; i++)
        sum += (unsigned char)victim[i];
    put_number(bytes + 516 + length, (uint32_t)length);
    put_number(bytes + 520 + length, sum);
    memcpy(bytes + 524 + length, magic, 8);
    write_all(journal, bytes, 532 + length);
}

static int look_at_schema(sqlite3 *db) {
    return sqlite3_exec(db, "SELECT count(*) FROM sqlite_master", NULL, NULL, NULL);
}

/* The first half shows that the journal is one that SQLite alone obeys. */
static void a_planted_journal_deletes_no_file(void **state) {
    (void)state;
    sqlite3 *db;
    make_finished_trace(in_scratch("t.db"), 3);
    write_all(in_scratch("victim.txt"), "precious", 8);
    plant_journal(in_scratch("t.db-journal"), in_scratch("victim.txt"));
    assert_int_equal(sqlite3_open(in_scratch("t.db"), &db), SQLITE_OK);
    look_at_schema(db);
    sqlite3_close(db);
    assert_false(exists(in_scratch("victim.txt")));

    unlink(in_scratch("t.db"));
    make_finished_trace(in_scratch("t.db"), 3);
    write_all(in_scratch("victim.txt"), "precious", 8);
    plant_journal(in_scratch("t.db-journal"), in_scratch("victim.txt"));
    expect_refused("t.db", "the journal beside it names another file");
    assert_true(exists(in_scratch("victim.txt")));

    /* Even where the journal comes between looking and opening. */
    assert_int_equal(xs_sqlite_open(in_scratch("t.db"), XS_WRITE, &db), SQLITE_OK);
    assert_int_not_equal(look_at_schema(db), SQLITE_OK);
    sqlite3_close(db);
    assert_true(exists(in_scratch("victim.txt")));
}

/* Each of the two rules behind that, alone: SQLite may open no super-journal, and delete nothing but side files. */
static void sqlite_has_no_way_to_a_super_journal(void **state) {
    (void)state;
    sqlite3 *db;
    make_finished_trace(in_scratch("t.db"), 3);
    write_all(in_scratch("victim.txt"), "precious", 8);
    write_all(in_scratch("x.db-wal"), "rest", 4);
    assert_int_equal(xs_sqlite_open(in_scratch("t.db"), XS_READ, &db), SQLITE_OK);
    sqlite3_vfs *vfs = sqlite3_vfs_find("xferspy");
    assert_non_null(vfs);
    sqlite3_file *file = calloc(1, (size_t)vfs->szOsFile);
    assert_non_null(file);
    int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_SUPER_JOURNAL;
    assert_int_equal(vfs->xOpen(vfs, in_scratch("victim.txt"), file, flags, NULL), SQLITE_CANTOPEN);
    free(file);
    assert_int_equal(vfs->xDelete(vfs, in_scratch("victim.txt"), 0), SQLITE_PERM);
    assert_true(exists(in_scratch("victim.txt")));
    assert_int_equal(vfs->xDelete(vfs, in_scratch("x.db-wal"), 0), SQLITE_OK);
    assert_false(exists(in_scratch("x.db-wal")));
    sqlite3_close(db);
}

/* In a folder that all may write to, another user's journal is no reason not to read a trace. */
static void side_files_of_others_are_ignored(void **state) {
    (void)state;
    make_finished_trace(in_scratch("t.db"), 3);
    write_all(in_scratch("elsewhere"), "not a journal", 13);
    assert_int_equal(symlink(in_scratch("elsewhere"), in_scratch("t.db-journal")), 0);
    assert_int_equal(xs_trace_open(in_scratch("t.db"), &trace, message), 0);
    assert_string_equal(trace.warning, "the file beside it that ends in -journal is no regular file and was ignored");
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), 3);
    xs_trace_close(&trace);
    if (geteuid() != 0)
        return; /* nobody else's files can be made */
    unlink(in_scratch("t.db-journal"));
    write_all(in_scratch("victim.txt"), "precious", 8);
    plant_journal(in_scratch("t.db-journal"), in_scratch("victim.txt"));
    assert_int_equal(chown(in_scratch("t.db-journal"), 65534, 65534), 0);
    assert_int_equal(xs_trace_open(in_scratch("t.db"), &trace, message), 0);
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), 3);
    xs_trace_close(&trace);
    assert_true(exists(in_scratch("victim.txt")));
    assert_true(exists(in_scratch("t.db-journal")));
}

/* A killed process's events are had all the same, from a copy. */
static void a_foreign_journal_keeps_nobody_from_recovering(void **state) {
    (void)state;
    make_killed_trace(in_scratch("t.db"), 50, 10);
    write_all(in_scratch("elsewhere"), "not a journal", 13);
    assert_int_equal(symlink(in_scratch("elsewhere"), in_scratch("t.db-journal")), 0);
    assert_int_equal(xs_trace_open(in_scratch("t.db"), &trace, message), 0);
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), 50);
    xs_trace_close(&trace);
    assert_true(exists(in_scratch("t.db.spool")));
}

/* Files of another user are never changed. */
static void traces_of_others_are_recovered_in_a_copy(void **state) {
    (void)state;
    if (geteuid() != 0)
        return;
    make_killed_trace(in_scratch("t.db"), 50, 10);
    static const char *const files[] = {"t.db", "t.db.spool", "t.db-wal", "t.db-shm"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (exists(in_scratch(files[i])))
            assert_int_equal(chown(in_scratch(files[i]), 65534, 65534), 0);
    assert_int_equal(xs_trace_open(in_scratch("t.db"), &trace, message), 0);
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), 50);
    xs_trace_close(&trace);
    assert_true(exists(in_scratch("t.db.spool")));
}

/* The schema of a finished trace changed by one statement. */
static void forge(const char *name, const char *sql) {
    sqlite3 *db;
    char *why = NULL;
    make_finished_trace(in_scratch(name), 3);
    assert_int_equal(sqlite3_open(in_scratch(name), &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    sqlite3_close(db);
}

static void a_schema_that_is_not_ours_is_refused(void **state) {
    (void)state;
    static const struct {
        const char *name, *sql, *words;
    } forgeries[] = {
        {"trigger.db", "CREATE TRIGGER bad AFTER INSERT ON transfer_row BEGIN DELETE FROM meta; END",
         "trigger bad is none of a trace's"},
        {"view.db",
         "DROP TABLE note; CREATE VIEW note AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i FROM r) SELECT i AS "
         "id FROM r",
         "table note is missing"},
        {"virtual.db", "DROP TABLE note; CREATE VIRTUAL TABLE note USING fts5(id)",
         "table note is another than a trace's"},
        {"generated.db",
         "DROP TABLE note; CREATE TABLE note (id INTEGER PRIMARY KEY, text AS (hex(zeroblob(100000000))))",
         "table note is another than a trace's"},
        {"index.db", "CREATE INDEX more ON transfer_row (hex(zeroblob(1000)))", "index more is none of a trace's"},
        {"missing.db", "DROP VIEW transfers", "view transfers is missing"},
        {"replaced.db", "DROP VIEW transfers; CREATE VIEW transfers AS SELECT 1 AS id, 2 AS direction",
         "view transfers is another than a trace's"},
    };
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        forge(forgeries[i].name, forgeries[i].sql);
        expect_refused(forgeries[i].name, forgeries[i].words);
    }
}

/* Recovery writes, and what a trigger of the file does then must not happen. */
static void recovery_runs_no_trigger(void **state) {
    (void)state;
    sqlite3 *db;
    make_killed_trace(in_scratch("t.db"), 50, 10);
    assert_int_equal(sqlite3_open(in_scratch("t.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TRIGGER bad AFTER INSERT ON transfer_row BEGIN DELETE FROM thread; END",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    expect_refused("t.db", "trigger bad is none of a trace's");
    assert_string_equal(rows_of_file(in_scratch("t.db"), "SELECT count(*) FROM transfer"), "10");
    assert_true(exists(in_scratch("t.db.spool")));
}

/* A spool whose header claims, and whose length has, a million chunks, and that holds four. */
static void a_sparse_spool_takes_no_more_than_it_holds(void **state) {
    (void)state;
    const uint32_t claimed = 1u << 20;
    struct xs_spool_header *header;
    size_t bytes;
    make_killed_trace(in_scratch("t.db"), 1000, 10);
    header = (struct xs_spool_header *)read_all(in_scratch("t.db.spool"), &bytes);
    assert_true(atomic_load(&header->chunk_count) <= 64);
    header->chunk_limit = claimed;
    atomic_store(&header->chunk_count, claimed);
    int fd = open(in_scratch("t.db.spool"), O_WRONLY);
    assert_int_equal(pwrite(fd, header, sizeof *header, 0), sizeof *header);
    assert_int_equal(ftruncate(fd, XS_SPOOL_HEADER_BYTES + (off_t)claimed * XS_SPOOL_CHUNK_BYTES), 0);
    close(fd);
    free(header);
    struct rusage before, after;
    getrusage(RUSAGE_SELF, &before);
    assert_int_equal(xs_trace_open(in_scratch("t.db"), &trace, message), 0);
    getrusage(RUSAGE_SELF, &after);
    assert_string_equal(trace.warning, "");
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), 1000);
    xs_trace_close(&trace);
    assert_true(after.ru_maxrss - before.ru_maxrss < 64 * 1024);
    assert_true(after.ru_utime.tv_sec + after.ru_stime.tv_sec - before.ru_utime.tv_sec - before.ru_stime.tv_sec < 3);
}

/* Chunks that have only a header, which claims to be full: a hole in the file is no event. */
static void holes_of_a_spool_are_no_events(void **state) {
    (void)state;
    const uint32_t claimed = 6000;
    size_t bytes;
    make_killed_trace(in_scratch("t.db"), 1000, 10);
    struct xs_spool_header *header = (struct xs_spool_header *)read_all(in_scratch("t.db.spool"), &bytes);
    uint32_t there = atomic_load(&header->chunk_count);
    header->chunk_limit = claimed;
    atomic_store(&header->chunk_count, claimed);
    int fd = open(in_scratch("t.db.spool"), O_WRONLY);
    assert_int_equal(pwrite(fd, header, sizeof *header, 0), sizeof *header);
    assert_int_equal(ftruncate(fd, XS_SPOOL_HEADER_BYTES + (off_t)claimed * XS_SPOOL_CHUNK_BYTES), 0);
    for (uint32_t i = there; i < claimed; i++) {
        struct xs_chunk_header chunk = {.state = XS_CHUNK_ACTIVE, .committed_bytes = 65408, .thread = 1, .tid = 1};
        atomic_store(&chunk.sequence, 1000 + i);
        off_t at = (off_t)XS_SPOOL_HEADER_BYTES + (off_t)i * (off_t)XS_SPOOL_CHUNK_BYTES;
        assert_int_equal(pwrite(fd, &chunk, sizeof chunk, at), sizeof chunk);
    }
    close(fd);
    free(header);
    assert_int_equal(xs_trace_open(in_scratch("t.db"), &trace, message), 0);
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), 1000);
    assert_int_equal(trace.recovered_events, 990);
    assert_true(number_of(trace.db, "SELECT coalesce(sum(value), 0) FROM meta WHERE key = 'skipped_events'") <
                (int64_t)claimed * 32);
    xs_trace_close(&trace);
}

static bool all_is_data;

/* Takes the place of the C library's: a file of half a terabyte without a hole cannot be made here. */
off_t lseek(int fd, off_t offset, int whence) {
    if (all_is_data && (whence == SEEK_DATA || whence == SEEK_HOLE))
        return whence == SEEK_DATA ? offset : INT64_MAX;
    return (off_t)syscall(SYS_lseek, fd, offset, whence);
}

/* Recovery keeps 28 bytes of each chunk that is there, so their number has to be bounded. */
static void a_spool_of_more_chunks_than_memory_allows_is_refused(void **state) {
    (void)state;
    const uint32_t most = 8u << 20, counts[] = {most, most + 1};
    size_t bytes;
    make_killed_trace(in_scratch("t.db"), 1000, 10);
    struct xs_spool_header *header = (struct xs_spool_header *)read_all(in_scratch("t.db.spool"), &bytes);
    for (size_t i = 0; i < 2; i++) {
        struct xs_spool spool;
        header->chunk_limit = counts[i];
        atomic_store(&header->chunk_count, counts[i]);
        int fd = open(in_scratch("t.db.spool"), O_WRONLY);
        assert_int_equal(pwrite(fd, header, sizeof *header, 0), sizeof *header);
        assert_int_equal(ftruncate(fd, XS_SPOOL_HEADER_BYTES + (off_t)counts[i] * XS_SPOOL_CHUNK_BYTES), 0);
        close(fd);
        all_is_data = true;
        int status = xs_spool_open(in_scratch("t.db.spool"), &spool);
        all_is_data = false;
        assert_int_equal(status, i == 0 ? XS_OK : XS_ERROR_CORRUPT);
        if (status == XS_OK) {
            assert_int_equal(spool.present_count, most);
            xs_spool_unmap(&spool);
        }
    }
    free(header);
}

static void what_is_made_is_for_its_owner_alone(void **state) {
    (void)state;
    struct stat st;
    mode_t mask = umask(0);
    make_killed_trace(in_scratch("t.db"), 50, 10);
    umask(mask);
    static const char *const files[] = {"t.db", "t.db.spool", "t.db-wal"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (stat(in_scratch(files[i]), &st) == 0)
            assert_int_equal(st.st_mode & 0777, 0600);
}

static bool no_fchmod;

/* Takes the place of the C library's: on some file systems it fails. */
int fchmod(int fd, mode_t mode) {
    if (no_fchmod) {
        errno = EPERM;
        return -1;
    }
    return (int)syscall(SYS_fchmod, fd, mode);
}

static void expect_private(const char *name, mode_t mask) {
    struct stat st;
    mode_t before = umask(mask);
    int fd = xs_create_private(in_scratch(name));
    umask(before);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    close(fd);
}

/* From its first moment, and with the owner's rights whatever the umask takes. */
static void a_private_file_never_was_anothers(void **state) {
    (void)state;
    no_fchmod = true;
    expect_private("first", 0);
    no_fchmod = false;
    expect_private("second", 0777);
    expect_private("third", 0);
}

/* SQLite 3.40 of Debian has functions that take or give addresses. */
static void no_function_of_addresses_can_be_called(void **state) {
    (void)state;
    sqlite3 *db;
    make_finished_trace(in_scratch("t.db"), 3);
    assert_int_equal(xs_sqlite_open(in_scratch("t.db"), XS_READ, &db), SQLITE_OK);
    assert_string_equal(rows_of(db, "SELECT fts3_tokenizer('simple')"), "NULL");
    assert_int_not_equal(sqlite3_exec(db, "SELECT fts3_tokenizer('simple', x'4141414141414141')", NULL, NULL, NULL),
                         SQLITE_OK);
    assert_int_not_equal(sqlite3_exec(db, "SELECT load_extension('x')", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_planted_journal_deletes_no_file),
        IN_SCRATCH(sqlite_has_no_way_to_a_super_journal),
        IN_SCRATCH(side_files_of_others_are_ignored),
        IN_SCRATCH(a_foreign_journal_keeps_nobody_from_recovering),
        IN_SCRATCH(traces_of_others_are_recovered_in_a_copy),
        IN_SCRATCH(a_schema_that_is_not_ours_is_refused),
        IN_SCRATCH(recovery_runs_no_trigger),
        IN_SCRATCH(a_sparse_spool_takes_no_more_than_it_holds),
        IN_SCRATCH(holes_of_a_spool_are_no_events),
        IN_SCRATCH(a_spool_of_more_chunks_than_memory_allows_is_refused),
        IN_SCRATCH(what_is_made_is_for_its_owner_alone),
        IN_SCRATCH(a_private_file_never_was_anothers),
        IN_SCRATCH(no_function_of_addresses_can_be_called),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
