/* What lies beside a trace: whose it is, under which name it is looked for, and which of it SQLite gets to see. */
#include "support.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "schema/file/side_files.h"
#include "schema/file/sqlite_open.h"

static struct xs_trace trace;
static char message[XS_TRACE_MESSAGE_BYTES];

static void expect_transfers(const char *name, int64_t count) {
    if (xs_trace_open(in_scratch(name), &trace, message) != 0) {
        fail_msg("%s", message);
    }
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), count);
}

/* SQLite resolves a link and uses what lies beside the file that it names. */
static void links_lead_to_the_files_beside_the_trace_itself(void **state) {
    (void)state;
    assert_int_equal(mkdir(in_scratch("real"), 0700), 0);
    make_finished_trace(in_scratch("real/t.db"), 3);
    assert_int_equal(symlink("real/t.db", in_scratch("link.db")), 0);
    assert_int_equal(mkfifo(in_scratch("real/t.db-journal"), 0600), 0);
    alarm(20); /* SQLite waits for whoever writes to a FIFO */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(links_lead_to_the_files_beside_the_trace_itself),
        IN_SCRATCH(a_link_leads_to_the_spool),
        IN_SCRATCH(what_became_a_link_since_is_not_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
