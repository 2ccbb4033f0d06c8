/* Tests files beside a trace: whose they are, under which names they are searched, and which of them SQLite gets to
 * see. */
#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/safe_open/side_files.h"
#include "schema/safe_open/sqlite_open.h"
#include "schema/write/store_internal.h"

static struct xs_trace trace;
static char message[XS_TRACE_MESSAGE_BYTES];

static void expect_transfers(const char *name, int64_t count) {
    if (xs_trace_open(in_scratch(name), &trace, message) != 0)
        fail_msg("%s", message);
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), count);
}

/* SQLite resolves a link and uses what lies beside the file that it names. */
static void links_lead_to_the_files_beside_the_trace_itself(void **state) {
    (void)state;
    assert_int_equal(mkdir(in_scratch("real"), 0700), 0);
    make_finished_trace(in_scratch("real/t.db"), 3);
    assert_int_equal(symlink("real/t.db", in_scratch("link.db")), 0);
    assert_int_equal(mkfifo(in_scratch("real/t.db-journal"), 0600), 0);
    alarm(20); /* SQLite waits for a process that writes to the FIFO */
    expect_transfers("link.db", 3);
    alarm(0);
    assert_string_equal(trace.path, in_scratch("link.db"));
    assert_non_null(strstr(trace.warning, "was ignored"));
    xs_trace_close(&trace);
}

/* Events of a killed process are found by way of a link, too. */
static void a_link_leads_to_the_spool(void **state) {
    (void)state;
    assert_int_equal(mkdir(in_scratch("real"), 0700), 0);
    make_killed_trace(in_scratch("real/t.db"), 50, 10);
    assert_int_equal(symlink("real/t.db", in_scratch("link.db")), 0);
    expect_transfers("link.db", 50);
    xs_trace_close(&trace);
    assert_false(exists(in_scratch("real/t.db.spool")));
}

static void what_became_a_link_since_is_not_opened(void **state) {
    (void)state;
    sqlite3 *db;
    make_finished_trace(in_scratch("t.db"), 3);
    assert_int_equal(symlink("t.db", in_scratch("link.db")), 0);
    assert_int_not_equal(xs_sqlite_open(in_scratch("link.db"), XS_READ, &db), SQLITE_OK);
    sqlite3_close(db);
    assert_int_not_equal(xs_sqlite_open(in_scratch("link.db"), XS_READ_ALONE, &db), SQLITE_OK);
    sqlite3_close(db);
}

/* A finished trace is as large afterwards: 512 bytes that say that it had one page once are no reason to cut it off. */
static void a_journal_that_is_not_the_traces_is_ignored(void **state) {
    (void)state;
    unsigned char journal[512] = {0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7};
    size_t before, after;
    make_finished_trace(in_scratch("t.db"), 3);
    free(read_all(in_scratch("t.db"), &before));
    journal[19] = 1;    /* pages that the trace had */
    journal[22] = 0x02; /* sectors of 512 bytes */
    journal[26] = 0x10; /* pages of 4096 */
    write_all(in_scratch("t.db-journal"), journal, sizeof journal);
    expect_transfers("t.db", 3);
    assert_string_equal(trace.warning, "the journal beside it is not the trace's and was ignored");
    xs_trace_close(&trace);
    free(read_all(in_scratch("t.db"), &after));
    assert_int_equal(after, before);
    assert_true(exists(in_scratch("t.db-journal")));
}

/* Left by a `symbolize' that was killed: it is played back. */
static void a_journal_of_the_trace_is_played_back(void **state) {
    (void)state;
    sqlite3 *db;
    size_t bytes, journal_bytes;
    make_finished_trace(in_scratch("t.db"), 3);
    assert_int_equal(sqlite3_open(in_scratch("t.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA cache_size = 1; BEGIN IMMEDIATE; DELETE FROM transfer;"
                                  "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 500)"
                                  " INSERT INTO note (topic, text) SELECT 'x', hex(zeroblob(900)) FROM r",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    unsigned char *half = read_all(in_scratch("t.db"), &bytes);
    unsigned char *journal = read_all(in_scratch("t.db-journal"), &journal_bytes);
    sqlite3_close(db);
    write_all(in_scratch("t.db"), half, bytes);
    write_all(in_scratch("t.db-journal"), journal, journal_bytes);
    free(half);
    free(journal);
    expect_transfers("t.db", 3);
    assert_string_equal(trace.warning, "");
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM note WHERE topic = 'x'"), 0);
    xs_trace_close(&trace);
    assert_false(exists(in_scratch("t.db-journal")));
}

/* The spool cannot be taken over, so nothing plays the journal back in place. */
static void a_damaged_spool_and_a_journal_keep_nobody_from_reading(void **state) {
    (void)state;
    make_finished_trace(in_scratch("t.db"), 3);
    write_all(in_scratch("t.db.spool"), "not a spool", 11);
    write_all(in_scratch("t.db-journal"), "not a journal", 13);
    expect_transfers("t.db", 3);
    assert_non_null(strstr(trace.warning, "the spool with its last events is damaged"));
    xs_trace_close(&trace);
}

/* SQLite writes a log or a journal into every file whose other name it is. */
static void files_with_other_names_are_not_written(void **state) {
    (void)state;
    static const char *const suffixes[] = {"-journal", "-wal", "-shm", ".spool"};
    size_t bytes;
    make_finished_trace(in_scratch("t.db"), 3);
    write_all(in_scratch("victim.txt"), "precious", 8);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char name[64];
        snprintf(name, sizeof name, "t.db%s", suffixes[i]);
        assert_int_equal(link(in_scratch("victim.txt"), in_scratch(name)), 0);
    }
    expect_transfers("t.db", 3);
    xs_trace_close(&trace);
    unsigned char *victim = read_all(in_scratch("victim.txt"), &bytes);
    assert_int_equal(bytes, 8);
    assert_memory_equal(victim, "precious", 8);
    free(victim);
    assert_true(exists(in_scratch("t.db-journal")));
}

/* A process that writes a trace, with a spool and a log, until it is killed. */
static pid_t make_live_trace(const char *name, const char *spool_name) {
    int ready[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    pid_t writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        struct xs_store *store;
        struct xs_spool spool;
        bool made = xs_spool_create(in_scratch(spool_name), 1 << 20, 1, &spool) == 0;
        if (made) {
            spool.header->clock = plain_clock;
            xs_spool_sign(spool.header);
            made = xs_store_create(in_scratch(name), &store) == 0 && xs_store_begin(store) == 0 &&
                   xs_store_meta_text(store, "mark", "in the log") == 0 && xs_store_commit(store) == 0;
        }
        if (made && write(ready[1], "x", 1) == 1)
            pause();
        _exit(1);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return writer;
}

static bool is_mapped(const char *name) {
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        found = found || strstr(line, name);
    fclose(maps);
    return found;
}

/* SQLite maps the index of the log that it uses. The index's owner can truncate it at any time, which kills a process
 * that reads the mapping. */
static void the_log_index_of_another_user_is_never_mapped(void **state) {
    (void)state;
    static const char *const files[] = {"t.db", "t.db.spool", "t.db-wal", "t.db-shm"};
    char buffer[64];
    if (geteuid() != 0)
        return; /* nobody else's files can be made */
    pid_t writer = make_live_trace("t.db", "t.db.spool");
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        assert_int_equal(chown(in_scratch(files[i]), 65534, 65534), 0);
    expect_transfers("t.db", 0);
    assert_true(trace.is_live);
    assert_string_equal(trace.warning, "");
    assert_string_equal(xs_trace_meta_text(&trace, "mark", buffer, sizeof buffer, ""), "in the log");
    assert_int_equal(sqlite3_exec(trace.db, "BEGIN; SELECT * FROM meta", NULL, NULL, NULL), SQLITE_OK);
    assert_false(is_mapped(in_scratch("t.db-shm")));
    xs_trace_close(&trace);
    kill(writer, SIGKILL);
    waitpid(writer, NULL, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(links_lead_to_the_files_beside_the_trace_itself),
        IN_SCRATCH(a_link_leads_to_the_spool),
        IN_SCRATCH(what_became_a_link_since_is_not_opened),
        IN_SCRATCH(a_journal_that_is_not_the_traces_is_ignored),
        IN_SCRATCH(a_journal_of_the_trace_is_played_back),
        IN_SCRATCH(a_damaged_spool_and_a_journal_keep_nobody_from_reading),
        IN_SCRATCH(files_with_other_names_are_not_written),
        IN_SCRATCH(the_log_index_of_another_user_is_never_mapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
