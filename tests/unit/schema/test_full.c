/* Tests that a full disk gives an error value at every place that writes, and that what was written before stays
 * readable. */
#include "support.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Fills the trace in batches until there is no more room; returns the rows of the batches that were committed. */
static int64_t fill(struct xs_store *store) {
    for (uint64_t serial = 1; serial < 1000000;) {
        int64_t committed = (int64_t)serial - 1;
        int status = xs_store_begin(store);
        for (int i = 0; i < 500 && status == 0; i++, serial++) {
            struct xs_event event = transfer_event(serial);
            status = xs_store_event(store, &event, 1, &plain_clock);
        }
        if (status) {
            assert_int_equal(status, XS_ERROR_FULL);
            /* The batch is dead: SQLite may have rolled back, and a later row must not commit by itself. */
            struct xs_event event = transfer_event(serial);
            assert_int_equal(xs_store_event(store, &event, 1, &plain_clock), XS_ERROR_FULL);
            assert_int_equal(xs_store_commit(store), XS_ERROR_FULL);
            assert_true(xs_store_error(store)[0] != 0);
            return committed;
        }
        status = xs_store_commit(store);
        if (status) {
            assert_int_equal(status, XS_ERROR_FULL);
            return committed;
        }
    }
    fail_msg("a million rows fitted");
    return 0;
}

static void expect_rows(const char *path, int64_t rows) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    int status = xs_trace_open(path, &trace, message);
    assert_string_equal(message, "");
    assert_int_equal(status, 0);
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM transfer"), rows);
    xs_trace_close(&trace);
}

static void limit_file_size(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes < limit.rlim_max ? bytes : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_file_size_limit_is_like_a_full_disk(void **state) {
    (void)state;
    const char *path = in_scratch("t.db");
    struct xs_store *store;
    assert_int_equal(xs_store_create(path, &store), 0);
    signal(SIGXFSZ, SIG_IGN);
    limit_file_size(1 << 20);
    int64_t rows = fill(store);
    assert_true(rows > 1000);
    int status = xs_store_close(store);
    assert_true(status == 0 || status == XS_ERROR_FULL);
    expect_rows(path, rows);

    /* The spool must not even try: if SIGXFSZ is not ignored, the try would end the application. */
    signal(SIGXFSZ, SIG_DFL);
    struct xs_spool spool;
    assert_int_equal(xs_spool_create(in_scratch("s"), 64 << 20, 17, &spool), 0);
    assert_int_equal(atomic_load(&spool.header->chunk_count), 15); /* as many as it may have */
    assert_int_equal(xs_spool_grow(&spool, 8), XS_ERROR_FULL);
    xs_spool_unmap(&spool);
    assert_int_equal(xs_spool_create_in_memory(in_scratch("m"), 64 << 20, 17, &spool), 0);
    assert_int_equal(spool.header->chunk_limit, 15);
    xs_spool_unmap(&spool);
    limit_file_size(XS_SPOOL_CHUNK_BYTES);
    assert_int_equal(xs_spool_create(in_scratch("none"), 64 << 20, 1, &spool), XS_ERROR_FULL);
    assert_false(exists(in_scratch("none")));
    limit_file_size(RLIM_INFINITY);
}

/* Mounts a small disk in a mount namespace of its own, so that nothing is left behind however the test ends. */
static bool mount_small_disk(const char *path) {
    if (geteuid() != 0 || unshare(CLONE_NEWNS) != 0)
        return false;
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 && mount("small", path, "tmpfs", 0, "size=2m") == 0;
}

static void take_rest(const char *path) {
    FILE *file = fopen(path, "wb");
    setbuf(file, NULL);
    char block[4096] = {1};
    while (fwrite(block, 1, sizeof block, file) == sizeof block) {
    }
    fclose(file);
}

static void a_full_disk_is_survived(void **state) {
    (void)state;
    if (!mount_small_disk(scratch))
        skip();
    const char *path = in_scratch("t.db");
    struct xs_store *store;
    assert_int_equal(xs_store_create(path, &store), 0);
    int64_t rows = fill(store);
    assert_true(rows > 1000);
    int status = xs_store_close(store);
    assert_true(status == 0 || status == XS_ERROR_FULL);
    expect_rows(path, rows);

    take_rest(in_scratch("rest"));
    struct xs_store *none;
    struct xs_spool spool;
    assert_int_equal(xs_store_create(in_scratch("n.db"), &none), XS_ERROR_FULL);
    assert_false(exists(in_scratch("n.db")));
    assert_int_equal(xs_spool_create(in_scratch("s"), 1 << 20, 2, &spool), XS_ERROR_FULL);
    assert_false(exists(in_scratch("s")));
    umount2(scratch, MNT_DETACH);
}

/* Regression guard: a drain that fails marks no events as drained, and succeeds when there is room again. */
static void a_drain_waits_for_room(void **state) {
    (void)state;
    if (!mount_small_disk(scratch))
        skip();
    const char *path = in_scratch("t.db");
    struct xs_store *store;
    struct xs_spool spool;
    assert_int_equal(xs_store_create(path, &store), 0);
    assert_int_equal(xs_spool_create(in_scratch("t.db.spool"), 1 << 20, 12, &spool), 0);
    struct producer producer = {.spool = &spool, .thread = 1};
    for (uint64_t serial = 1; serial <= 6000; serial++) {
        struct xs_event event = transfer_event(serial);
        assert_true(produce(&producer, &event));
    }
    take_rest(in_scratch("rest"));
    assert_int_equal(xs_spool_grow(&spool, 1), XS_ERROR_FULL);
    assert_int_equal(xs_spool_drain(&spool, store, 0, false), XS_ERROR_FULL);
    assert_int_equal(xs_spool_drain(&spool, store, 0, false), XS_ERROR_FULL);
    unlink(in_scratch("rest"));
    int64_t total = 0;
    for (int64_t fed; (fed = xs_spool_drain(&spool, store, 1000, false)) > 0; total += fed) {
    }
    assert_int_equal(total, 6000);
    assert_int_equal(xs_store_finish(store, XS_STATUS_COMPLETE), 0);
    assert_int_equal(xs_store_close(store), 0);
    xs_spool_unmap(&spool);
    unlink(in_scratch("t.db.spool"));
    expect_rows(path, 6000);
    assert_string_equal(rows_of_file(path, "SELECT sum(bytes = id) FROM transfer"), "6000");
    umount2(scratch, MNT_DETACH);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_file_size_limit_is_like_a_full_disk),
        IN_SCRATCH(a_full_disk_is_survived),
        IN_SCRATCH(a_drain_waits_for_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
