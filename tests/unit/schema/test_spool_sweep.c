/* Tests what killed processes leave behind, and when it is deleted. */
#include "killed.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HOUR = 3600, DAY = 24 * HOUR };

static void sweep(void) {
    char folder[sizeof memory];
    memcpy(folder, memory, sizeof folder);
    *strrchr(folder, '/') = 0;
    xs_spool_sweep(folder);
}

/* The trace was moved to another folder together with what lies beside it, after a run so long that the spool's time is
 * of another day. */
static void a_moved_trace_keeps_its_spool_for_days(void **state) {
    static const char *const suffixes[] = {"", "-wal", ".spool"};
    (void)state;
    if (!make_killed("t.db", 5, true))
        skip();
    make_older(memory, 10 * DAY);
    assert_int_equal(mkdir(in_scratch("results"), 0700), 0);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char from[64], to[64];
        snprintf(from, sizeof from, "t.db%s", suffixes[i]);
        snprintf(to, sizeof to, "results/t.db%s", suffixes[i]);
        assert_int_equal(rename(in_scratch(from), in_scratch(to)), 0);
    }
    sweep();
    assert_true(exists(memory)); /* the spool was marked */
    make_older(memory, 2 * DAY);
    sweep();
    assert_true(exists(memory));
    make_older(memory, 4 * DAY);
    path = in_scratch("results/t.db");
    expect_events(5);
    assert_false(exists(memory));
}

static void only_abandoned_spools_are_swept(void **state) {
    (void)state;
    if (!make_killed("t.db", 5, true))
        skip();
    make_older(memory, 10 * DAY);
    sweep();
    assert_true(exists(memory)); /* its trace is there */
    rename(in_scratch("t.db"), in_scratch("renamed.db"));
    make_older(memory, 10 * DAY);
    sweep();
    make_older(memory, 10 * DAY);
    sweep();
    assert_true(exists(memory)); /* under another name */
    assert_int_equal(mkdir(in_scratch("away"), 0700), 0);
    rename(in_scratch("renamed.db"), in_scratch("away/t.db"));
    sweep();
    make_older(memory, 2 * HOUR);
    sweep();
    assert_true(exists(memory)); /* it was there at the last look */
    make_older(memory, 4 * DAY);
    rename(in_scratch("away/t.db"), in_scratch("t.db"));
    sweep();
    make_older(memory, 4 * DAY);
    unlink(in_scratch("t.db"));
    sweep();
    assert_true(exists(memory)); /* it had come back meanwhile */
    make_older(memory, 4 * DAY);
    sweep();
    assert_false(exists(memory));
}

static void one_without_events_is_swept_at_once(void **state) {
    (void)state;
    if (!make_killed("t.db", 0, false))
        skip();
    sweep();
    assert_false(exists(memory));
}

static void change_spool(size_t offset, const void *to, size_t bytes) {
    int fd = open(memory, O_WRONLY);
    assert_int_equal(pwrite(fd, to, bytes, (off_t)offset), bytes);
    close(fd);
}

/* The spool may belong to a newer version whose process is running. This cannot be known here. */
static void one_of_another_layout_is_left(void **state) {
    static const size_t offsets[] = {0, offsetof(struct xs_spool_header, event_bytes)};
    (void)state;
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; i++) {
        if (!make_killed(i ? "t.db" : "t2.db", 5, true))
            skip();
        unlink(path);
        change_spool(offsets[i], "\x77", 1);
        for (int look = 0; look < 3; look++) {
            make_older(memory, 100 * DAY);
            sweep();
        }
        bool is_there = exists(memory);
        unlink(memory);
        assert_true(is_there);
    }
}

/* Its process was killed before the header was filled, or is stopped there. */
static void one_that_never_began_goes_after_days(void **state) {
    static const uint64_t none = 0;
    (void)state;
    if (!make_killed("t.db", 0, false))
        skip();
    change_spool(0, &none, sizeof none);
    sweep();
    make_older(memory, 2 * HOUR);
    sweep();
    make_older(memory, 2 * DAY);
    sweep();
    assert_true(exists(memory));
    make_older(memory, 4 * DAY);
    sweep();
    assert_false(exists(memory));
}

/* A run has a fixed name: its trace is renamed together with all files beside it, and the next run takes the name. */
static void the_next_runs_pointer_is_not_deleted(void **state) {
    struct xs_spool first, second;
    struct xs_spool_files of_first, of_second;
    (void)state;
    for (int on_disk = 0; on_disk < 2; on_disk++) {
        const char *where = on_disk ? NULL : xs_spool_runtime_dir();
        const char *name = in_scratch("t.db");
        assert_int_equal(xs_spool_create_for_trace(name, 4 * MIB, 8 * MIB, 1, where, &first, &of_first), 0);
        assert_int_equal(rename(of_first.beside, in_scratch("kept.db.spool")), 0);
        assert_int_equal(xs_spool_create_for_trace(name, 4 * MIB, 8 * MIB, 1, where, &second, &of_second), 0);
        xs_spool_delete(&of_first);
        assert_true(exists(of_second.beside));
        assert_true(!of_first.memory[0] || !exists(of_first.memory));
        xs_spool_delete(&of_second);
        assert_false(exists(of_second.beside));
        xs_spool_unmap(&first);
        xs_spool_unmap(&second);
    }
}

__attribute__((noinline)) static void fill_stack(void) {
    volatile char junk[16384];
    for (size_t i = 0; i < sizeof junk; i++)
        junk[i] = 'x';
}

/* The bytes after the texts are written into the pointer, too, which goes wherever the trace goes. */
static void nothing_of_the_stack_is_in_the_header(void **state) {
    struct xs_spool spool;
    struct xs_spool_files files;
    (void)state;
    fill_stack();
    assert_int_equal(
        xs_spool_create_for_trace(in_scratch("t.db"), 4 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files), 0);
    const char *folder = spool.header->folder;
    size_t behind = 0;
    for (size_t i = strlen(folder); i < sizeof spool.header->folder; i++)
        behind += folder[i] != 0;
    xs_spool_delete(&files);
    xs_spool_unmap(&spool);
    assert_int_equal(behind, 0);
}

static void a_living_process_keeps_its_spool(void **state) {
    struct xs_spool spool;
    struct xs_spool_files files;
    (void)state;
    assert_int_equal(
        xs_spool_create_for_trace(in_scratch("t.db"), 4 * MIB, 8 * MIB, 1, xs_spool_runtime_dir(), &spool, &files), 0);
    if (!files.memory[0])
        skip();
    snprintf(memory, sizeof memory, "%s", files.memory);
    xs_spool_start(&spool, in_scratch("t.db")); /* the trace was deleted already */
    make_older(memory, 10 * DAY);
    sweep();
    make_older(memory, 10 * DAY);
    sweep();
    assert_true(exists(memory));
    xs_spool_delete(&files);
    assert_int_equal(xs_spool_writer(spool.header, files.memory), XS_WRITER_LIVES); /* even so */
    xs_spool_unmap(&spool);
}

static void what_a_start_left_is_cleared(void **state) {
    (void)state;
    if (!make_killed("t.db", 0, false))
        skip();
    assert_true(exists(path));
    assert_true(xs_spool_clear_unstarted(path));
    assert_false(exists(path));
    assert_false(exists(in_scratch("t.db-wal")));
    assert_false(exists(beside));
    assert_false(exists(memory));

    make_killed("t.db", 0, false); /* before the trace had anything */
    write_all(path, "", 0);
    unlink(in_scratch("t.db-wal"));
    unlink(in_scratch("t.db-shm"));
    assert_true(xs_spool_clear_unstarted(path));
    assert_false(exists(path));

    make_killed("t.db", 0, false); /* the process was killed before the trace had the spool's id */
    unlink(path);
    unlink(in_scratch("t.db-wal"));
    unlink(in_scratch("t.db-shm"));
    assert_true(xs_spool_clear_unstarted(path));
    assert_false(exists(beside));

    write_all(beside, "", 0); /* before the pointer was written */
    chmod(beside, 0600);
    assert_false(xs_spool_clear_unstarted(path));
    make_older(beside, HOUR);
    assert_true(xs_spool_clear_unstarted(path));
    assert_false(exists(beside));
}

/* For example, this user has unpacked an archive of a stranger's. */
static void what_a_pointer_names_is_not_deleted(void **state) {
    (void)state;
    char folder[XS_SPOOL_FOLDER_BYTES] = "", id[XS_SPOOL_ID_BYTES] = "0123456789abcdef0123456789abcdef";
    if (!make_killed("t.db", 0, false))
        skip();
    assert_true(strlen(scratch) < sizeof folder);
    snprintf(folder, sizeof folder, "%.90s", scratch);
    change_pointer(offsetof(struct xs_spool_header, folder), folder, sizeof folder);
    change_pointer(offsetof(struct xs_spool_header, id), id, sizeof id);
    write_all(in_scratch("0123456789abcdef0123456789abcdef.spool"), "mine", 4);
    unlink(path);
    unlink(in_scratch("t.db-wal"));
    unlink(in_scratch("t.db-shm"));
    unlink(memory);
    assert_true(xs_spool_clear_unstarted(path));
    assert_false(exists(beside));
    assert_true(exists(in_scratch("0123456789abcdef0123456789abcdef.spool")));
}

static void what_has_begun_is_not_cleared(void **state) {
    (void)state;
    if (!make_killed("t.db", 0, true))
        skip();
    assert_false(xs_spool_clear_unstarted(path));
    expect_events(0);
    make_killed("t2.db", 3, false);
    assert_false(xs_spool_clear_unstarted(path));
    assert_true(exists(memory));
    unlink(memory);

    make_killed("t3.db", 0, false); /* somebody else's file has the name now */
    write_all(path, "not a trace", 11);
    assert_false(xs_spool_clear_unstarted(path));
    assert_true(exists(path));
    unlink(memory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(a_moved_trace_keeps_its_spool_for_days), IN_SCRATCH(only_abandoned_spools_are_swept),
        IN_SCRATCH(one_without_events_is_swept_at_once),    IN_SCRATCH(one_of_another_layout_is_left),
        IN_SCRATCH(one_that_never_began_goes_after_days),   IN_SCRATCH(the_next_runs_pointer_is_not_deleted),
        IN_SCRATCH(nothing_of_the_stack_is_in_the_header),  IN_SCRATCH(a_living_process_keeps_its_spool),
        IN_SCRATCH(what_a_start_left_is_cleared),           IN_SCRATCH(what_a_pointer_names_is_not_deleted),
        IN_SCRATCH(what_has_begun_is_not_cleared),
    };
    have_own_memory();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
