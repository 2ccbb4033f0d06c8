/* A process killed at any moment loses no event whose commit was made, and none appears twice. */
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/read/recover.h"

enum { THREADS = 2, ROUNDS = 60 };
static const char *path, *spool_path;
static _Atomic uint64_t *published; /* shared with the child: serials committed by each of its threads */
static struct xs_spool child_spool;

static int64_t recover(void) {
    struct xs_recovery recovery;
    return xs_recover(path, &recovery);
}

static void name_files(void) {
    path = in_scratch("t.db");
    spool_path = in_scratch("t.db.spool");
}

static void expect_recovered(int64_t events, const char *rows) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    int status = xs_trace_open(path, &trace, message);
    assert_string_equal(message, "");
    assert_int_equal(status, 0);
    assert_string_equal(trace.warning, "");
    assert_int_equal(trace.recovered_events, events);
    assert_int_equal(trace.is_live, 0);
    assert_string_equal(rows_of(trace.db, "SELECT count(*), count(DISTINCT bytes), max(bytes) FROM transfer"), rows);
    char text[32];
    assert_string_equal(xs_trace_meta_text(&trace, "status", text, sizeof text, ""), XS_STATUS_RECOVERED);
    assert_int_equal(number_of(trace.db, "SELECT count(*) FROM spool_progress"), 0);
    assert_string_equal(rows_of(trace.db, "PRAGMA journal_mode"), "delete");
    xs_trace_close(&trace);
    assert_false(exists(spool_path));
    assert_false(exists(in_scratch("t.db-wal")));
    assert_false(exists(in_scratch("t.db-shm")));
}

static void the_rest_of_the_spool_is_taken_over(void **state) {
    (void)state;
    name_files();
    make_killed_trace(path, 2000, 700);
    expect_recovered(1300, "2000|2000|2000");
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_int_equal(trace.recovered_events, -1);
    assert_int_equal(xs_trace_meta_int(&trace, "recovered_events", -1), 1300);
    xs_trace_close(&trace);
    assert_int_equal(recover(), 0);
}

static void nothing_left_is_recovered_as_nothing(void **state) {
    (void)state;
    name_files();
    make_killed_trace(path, 500, 500);
    expect_recovered(0, "500|500|500");
}

/* A process that was killed after the transaction and before it deleted the spool leaves the spool to the next
 * command. */
static void a_spool_that_was_taken_over_is_only_deleted(void **state) {
    (void)state;
    name_files();
    make_killed_trace(path, 900, 100);
    size_t bytes;
    unsigned char *copy = read_all(spool_path, &bytes);
    expect_recovered(800, "900|900|900");
    write_all(spool_path, copy, bytes);
    free(copy);
    expect_recovered(0, "900|900|900");
}

/* Fingerprints and arguments are recovered as calls are; broken ones are counted and cost nothing else. */
static void contents_and_arguments_are_recovered(void **state) {
    (void)state;
    name_files();
    make_killed_trace(path, 11, 4);
    size_t bytes;
    unsigned char *data = read_all(spool_path, &bytes);
    struct xs_chunk *chunk = (struct xs_chunk *)(void *)(data + XS_SPOOL_HEADER_BYTES);
    struct xs_event *e = &chunk->events[4], content = {.kind = XS_EVENT_FINGERPRINT, .fingerprint = {.id = 5}},
                    set = {.kind = XS_EVENT_ARGUMENTS, .arguments = {.set = 2, .count = XS_ARGUMENTS_EVENT_COUNT}};
    e[0] = content;
    e[1] = e[2] = e[3] = e[4] = set;
    e[2].arguments.count = 1;
    e[3].arguments.count = XS_ARGUMENTS_EVENT_COUNT + 1;
    e[4].arguments.set = 0;
    e[5] = content;
    e[5].fingerprint.id = 0;
    write_all(spool_path, data, bytes);
    free(data);
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_string_equal(message, "");
    assert_string_equal(rows_of(trace.db, "SELECT count(*) FROM transfer"), "5");
    assert_string_equal(rows_of(trace.db, "SELECT id FROM fingerprint"), "5");
    assert_string_equal(rows_of(trace.db, "SELECT id, (SELECT count(*) FROM argument WHERE argument_set = id) FROM"
                                          " argument_set"),
                        "2|15");
    assert_int_equal(xs_trace_meta_int(&trace, "skipped_events", 0), 3);
    xs_trace_close(&trace);
    assert_false(exists(spool_path));
}

/* Killed with the WAL full of everything and the spool gone already. */
static void a_wal_without_a_spool_is_ended(void **state) {
    (void)state;
    name_files();
    make_killed_trace(path, 300, 300);
    unlink(spool_path);
    assert_true(exists(in_scratch("t.db-wal")));
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_int_equal(trace.recovered_events, -1);
    assert_string_equal(rows_of(trace.db, "SELECT count(*) FROM transfer"), "300");
    xs_trace_close(&trace);
    assert_false(exists(in_scratch("t.db-wal")));
}

/* The drain thread killed between two stores of recycling chunk 0, whose 511 events are all in the trace. */
static void every_step_of_recycling_can_be_the_last(void **state) {
    (void)state;
    for (int step = 0; step < 6; step++) {
        name_files();
        make_killed_trace(path, 2 * XS_SPOOL_CHUNK_EVENTS, XS_SPOOL_CHUNK_EVENTS);
        size_t bytes;
        unsigned char *data = read_all(spool_path, &bytes);
        struct xs_chunk *chunk = (struct xs_chunk *)(void *)(data + XS_SPOOL_HEADER_BYTES);
        if (step >= 1)
            chunk->header.sequence = 0;
        if (step >= 2)
            chunk->header.committed_bytes = 0;
        if (step >= 3)
            chunk->header.generation = 1;
        if (step >= 4) {
            chunk->header.drained_bytes = 0;
            chunk->header.state = XS_CHUNK_FREE;
        }
        int64_t more = 0;
        if (step == 5) { /* and taken again, with one event */
            chunk->header.state = XS_CHUNK_ACTIVE;
            chunk->header.sequence = 3;
            chunk->events[0] = transfer_event(2 * XS_SPOOL_CHUNK_EVENTS + 1);
            chunk->header.committed_bytes = sizeof(struct xs_event);
            more = 1;
        }
        write_all(spool_path, data, bytes);
        free(data);
        expect_recovered((int64_t)XS_SPOOL_CHUNK_EVENTS + more, more ? "1023|1023|1023" : "1022|1022|1022");
        unlink(path);
    }
}

static void *produce_until_killed(void *argument) {
    unsigned index = *(unsigned *)argument;
    struct producer producer = {.spool = &child_spool, .thread = index + 1};
    for (uint64_t n = 1;; n++) {
        struct xs_event event = transfer_event(n);
        while (!produce(&producer, &event)) {
            producer.chunk = NULL;
            sched_yield();
        }
        atomic_store_explicit(&published[index], n, memory_order_release);
    }
    return NULL;
}

static void run_until_killed(unsigned round) {
    struct xs_store *store;
    pthread_t threads[THREADS];
    unsigned indices[THREADS];
    if (xs_spool_create(spool_path, 1 << 20, 3 + round % 5, &child_spool) != 0 || xs_store_create(path, &store) != 0)
        _exit(1);
    xs_clock_start(&child_spool.header->clock);
    xs_store_entry_point(store, 1, "cuMemcpyHtoD_v2", XS_CAT_TRANSFER);
    for (unsigned i = 0; i < THREADS; i++) {
        indices[i] = i;
        pthread_create(&threads[i], NULL, produce_until_killed, &indices[i]);
    }
    for (;;) {
        xs_clock_sync(&child_spool.header->clock);
        if (xs_spool_drain(&child_spool, store, round % 2 ? 600 : 0, false) < 0)
            _exit(2);
    }
}

static void check_thread(const struct xs_trace *trace, unsigned index, uint64_t committed) {
    char sql[400];
    snprintf(sql, sizeof sql,
             "SELECT count(*), count(DISTINCT bytes), min(bytes), max(bytes) FROM transfer WHERE thread = %u",
             index + 1);
    long long count = 0, distinct = 0, first = 0, last = 0;
    const char *row = rows_of(trace->db, sql);
    sscanf(row, "%lld|%lld|%lld|%lld", &count, &distinct, &first, &last);
    assert_true(count >= (long long)committed);     /* nothing lost */
    assert_true(count <= (long long)committed + 1); /* killed between the commit and saying so */
    assert_int_equal(distinct, count);              /* nothing twice */
    assert_int_equal(last, count);
    assert_true(count == 0 || first == 1);
    snprintf(sql, sizeof sql,
             "SELECT count(*) FROM (SELECT bytes - lag(bytes) OVER (ORDER BY id) AS step FROM transfer WHERE thread ="
             " %u) WHERE step <> 1",
             index + 1);
    assert_int_equal(number_of(trace->db, sql), 0);
}

/* Recovery may be killed, too. */
static void kill_some_recoveries(unsigned round) {
    for (unsigned i = 0; i < round % 3; i++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            recover();
            _exit(0);
        }
        usleep((useconds_t)(next_random() % 15000));
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
}

static void kill_at_random_moments(void **state) {
    (void)state;
    seed_random(20240607);
    int64_t recovered = 0, total = 0;
    published = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(published != MAP_FAILED);
    for (unsigned round = 0; round < ROUNDS; round++) {
        name_files();
        memset((void *)published, 0, sizeof *published * THREADS);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            run_until_killed(round);
        uint64_t wanted = (uint64_t)(next_random() % 3000);
        while (atomic_load(&published[0]) < wanted && waitpid(child, NULL, WNOHANG) == 0)
            sched_yield();
        usleep((useconds_t)(next_random() % 8000));
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        kill_some_recoveries(round);
        if (!exists(path)) { /* killed before there was a trace */
            unlink(spool_path);
            continue;
        }
        struct xs_trace trace;
        char message[XS_TRACE_MESSAGE_BYTES];
        if (xs_trace_open(path, &trace, message) == 0) {
            for (unsigned i = 0; i < THREADS; i++) {
                check_thread(&trace, i, atomic_load(&published[i]));
                total += (int64_t)atomic_load(&published[i]);
            }
            recovered += xs_trace_meta_int(&trace, "recovered_events", 0);
            xs_trace_close(&trace);
        } else { /* killed while the file was being made: nothing can have been published */
            assert_int_equal(atomic_load(&published[0]) + atomic_load(&published[1]), 0);
        }
        assert_false(exists(in_scratch("t.db-wal")));
        unlink(path);
        unlink(spool_path);
        unlink(in_scratch("t.db-journal")); /* a recovery was killed before it wrote; with it no trace is made here */
    }
    munmap((void *)published, 4096);
    print_message("%lld events, %lld of them recovered\n", (long long)total, (long long)recovered);
    assert_true(recovered > 0);
}

static void two_recoveries_at_once_agree(void **state) {
    (void)state;
    for (int round = 0; round < 15; round++) {
        name_files();
        make_killed_trace(path, 5000, 1000);
        pid_t children[3];
        for (int i = 0; i < 3; i++) {
            children[i] = fork();
            if (children[i] == 0) {
                int64_t n = recover();
                _exit(n == 0 ? 0 : n == 4000 ? 1 : 2);
            }
        }
        int winners = 0;
        for (int i = 0; i < 3; i++) {
            int status;
            assert_int_equal(waitpid(children[i], &status, 0), children[i]);
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) < 2);
            winners += WEXITSTATUS(status);
        }
        assert_int_equal(winners, 1);
        struct xs_trace trace;
        char message[XS_TRACE_MESSAGE_BYTES];
        assert_int_equal(xs_trace_open(path, &trace, message), 0);
        assert_string_equal(rows_of(trace.db, "SELECT count(*), count(DISTINCT bytes) FROM transfer"), "5000|5000");
        xs_trace_close(&trace);
        unlink(path);
    }
}

static void open_live(bool live) {
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_int_equal(trace.is_live, live);
    assert_int_equal(trace.recovered_events, live ? -1 : 5);
    assert_string_equal(rows_of(trace.db, "SELECT count(*) FROM transfer"), live ? "10" : "15");
    xs_trace_close(&trace);
}

/* The child writes 10 events, drains them, writes 5 more and waits; exec takes the mapping from it. */
static void live_child(int ready, int go) {
    struct xs_store *store;
    if (xs_spool_create(spool_path, 1 << 20, 4, &child_spool) != 0 || xs_store_create(path, &store) != 0)
        _exit(1);
    struct producer producer = {.spool = &child_spool, .thread = 1};
    for (uint64_t n = 1; n <= 15; n++) {
        struct xs_event event = transfer_event(n);
        produce(&producer, &event);
        if (n == 10)
            xs_spool_drain(&child_spool, store, 0, false);
    }
    char byte = 1;
    if (write(ready, &byte, 1) != 1 || read(go, &byte, 1) != 1)
        _exit(1);
    dup2(go, 0);
    dup2(ready, 1);
    execlp("cat", "cat", (char *)NULL);
    _exit(1);
}

static void a_living_writer_is_left_alone(void **state) {
    (void)state;
    name_files();
    int ready[2], go[2];
    char byte = 2;
    assert_int_equal(pipe(ready) + pipe(go), 0);
    pid_t child = fork();
    if (child == 0) {
        close(ready[0]);
        close(go[1]);
        live_child(ready[1], go[0]);
    }
    close(ready[1]);
    close(go[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    open_live(true);
    assert_int_equal(recover(), XS_ERROR_BUSY);
    open_live(true);
    /* After exec the pid still exists, but the program under it has nothing to do with the spool any more. */
    assert_int_equal(write(go[1], "xy", 2), 2);
    assert_int_equal(read(ready[0], &byte, 1), 1); /* cat echoes: the exec is done */
    open_live(false);
    close(go[1]);
    close(ready[0]);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void change_spool(size_t offset, const void *data, size_t bytes) {
    FILE *file = fopen(spool_path, "r+b");
    assert_non_null(file);
    fseek(file, (long)offset, SEEK_SET);
    fwrite(data, 1, bytes, file);
    fclose(file);
}

static void another_machine_is_not_second_guessed(void **state) {
    (void)state;
    name_files();
    make_killed_trace(path, 20, 10);
    change_spool(offsetof(struct xs_spool_header, boot_id), "other", 6);
    change_spool(offsetof(struct xs_spool_header, host), "other", 6);
    struct xs_trace trace;
    char message[XS_TRACE_MESSAGE_BYTES];
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_int_equal(trace.is_live, 1);
    assert_non_null(strstr(trace.warning, "another machine"));
    assert_string_equal(rows_of(trace.db, "SELECT count(*) FROM transfer"), "10");
    xs_trace_close(&trace);
    struct xs_recovery recovery;
    assert_int_equal(xs_recover_copy(path, path, &recovery), 10);
    assert_int_equal(xs_trace_open(path, &trace, message), 0);
    assert_string_equal(rows_of(trace.db, "SELECT count(*) FROM transfer"), "20");
    xs_trace_close(&trace);
}

static void a_reboot_ends_every_writer(void **state) {
    (void)state;
    name_files();
    make_killed_trace(path, 20, 10);
    change_spool(offsetof(struct xs_spool_header, boot_id), "other", 6);
    int32_t pid = getpid();
    change_spool(offsetof(struct xs_spool_header, pid), &pid, sizeof pid);
    expect_recovered(10, "20|20|20");
}

/* A pid of another container says nothing; the writer's lock on the trace does. */
static void another_namespace_is_judged_by_locks(void **state) {
    (void)state;
    name_files();
    make_killed_trace(path, 20, 10);
    uint64_t inode = 1;
    int32_t pid = 1;
    change_spool(offsetof(struct xs_spool_header, pid_namespace), &inode, sizeof inode);
    change_spool(offsetof(struct xs_spool_header, pid), &pid, sizeof pid);
    int ready[2], go[2];
    char byte = 1;
    assert_int_equal(pipe(ready) + pipe(go), 0);
    pid_t child = fork();
    if (child == 0) {
        struct xs_store *store;
        close(go[1]);
        _exit(xs_store_open(path, &store) == 0 && xs_store_meta_int(store, "n", 1) == 0 &&
                      write(ready[1], &byte, 1) == 1 && read(go[0], &byte, 1) >= 0
                  ? 0
                  : 1);
    }
    close(go[0]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(recover(), XS_ERROR_BUSY);
    close(go[1]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(ready[0]);
    close(ready[1]);
    expect_recovered(10, "20|20|20");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(the_rest_of_the_spool_is_taken_over),
        IN_SCRATCH(nothing_left_is_recovered_as_nothing),
        IN_SCRATCH(a_spool_that_was_taken_over_is_only_deleted),
        IN_SCRATCH(a_wal_without_a_spool_is_ended),
        IN_SCRATCH(contents_and_arguments_are_recovered),
        IN_SCRATCH(every_step_of_recycling_can_be_the_last),
        IN_SCRATCH(kill_at_random_moments),
        IN_SCRATCH(two_recoveries_at_once_agree),
        IN_SCRATCH(a_living_writer_is_left_alone),
        IN_SCRATCH(another_machine_is_not_second_guessed),
        IN_SCRATCH(a_reboot_ends_every_writer),
        IN_SCRATCH(another_namespace_is_judged_by_locks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
