/* Tests the spool: filling, draining and recycling chunks, alone and from several threads at once. */
#include "support.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static struct xs_spool spool;
static struct xs_store *store;
static const char *path, *spool_path;
enum { EVENTS = XS_SPOOL_CHUNK_EVENTS };

static void open_spool(unsigned first, unsigned limit) {
    path = in_scratch("t.db");
    spool_path = in_scratch("t.db.spool");
    assert_int_equal(xs_store_create(path, &store), 0);
    size_t bytes = XS_SPOOL_HEADER_BYTES + (size_t)limit * XS_SPOOL_CHUNK_BYTES;
    assert_int_equal(xs_spool_create(spool_path, bytes, first, &spool), 0);
}

static void close_spool(void) {
    xs_spool_unmap(&spool);
    assert_int_equal(spool.fd, -1);
    assert_int_equal(xs_store_close(store), 0);
}

static int64_t drain(int64_t limit) {
    xs_clock_sync(&spool.header->clock);
    return xs_spool_drain(&spool, store, limit, false);
}

static bool put(struct producer *producer, uint64_t serial) {
    struct xs_event event = transfer_event(serial);
    return produce(producer, &event);
}

static void the_file_has_blocks_for_its_chunks(void **state) {
    (void)state;
    open_spool(3, 5);
    size_t bytes;
    free(read_all(spool_path, &bytes));
    assert_int_equal(bytes, XS_SPOOL_HEADER_BYTES + 3 * XS_SPOOL_CHUNK_BYTES);
    assert_int_equal(xs_spool_grow(&spool, 1), 1);
    assert_int_equal(xs_spool_grow(&spool, 9), 1);
    assert_int_equal(xs_spool_grow(&spool, 1), 0);
    free(read_all(spool_path, &bytes));
    assert_int_equal(bytes, XS_SPOOL_HEADER_BYTES + 5 * XS_SPOOL_CHUNK_BYTES);
    struct xs_spool second;
    assert_int_equal(xs_spool_create(spool_path, 1 << 20, 1, &second), XS_ERROR_SYSTEM);
    assert_int_equal(errno, EEXIST);
    assert_null(second.header);
    close_spool();
    assert_int_equal(xs_spool_create(in_scratch("no/folder"), 1 << 20, 1, &second), XS_ERROR_SYSTEM);
}

static void chunks_run_out_and_come_back(void **state) {
    (void)state;
    open_spool(2, 2);
    struct producer producer = {.spool = &spool, .thread = 1};
    uint64_t serial = 0;
    while (put(&producer, serial + 1))
        serial++;
    assert_int_equal(serial, 2 * EVENTS);
    producer.chunk = NULL;
    assert_int_equal(drain(0), 2 * EVENTS);
    assert_int_equal(drain(0), 0);
    for (unsigned i = 0; i < 2; i++) {
        struct xs_chunk_header *header = &xs_spool_chunk(&spool, i)->header;
        assert_int_equal(header->state, XS_CHUNK_FREE);
        assert_int_equal(header->generation, 1);
        assert_int_equal(header->committed_bytes, 0);
        assert_int_equal(header->drained_bytes, 0);
    }
    assert_true(put(&producer, ++serial));
    assert_int_equal(drain(0), 1);
    assert_string_equal(rows_of_file(path, "SELECT count(*), sum(bytes = id) FROM transfer"), "1023|1023");
    assert_string_equal(rows_of_file(path, "SELECT * FROM thread"), "1|1|producer");
    close_spool();
}

static void a_batch_can_be_limited_anywhere(void **state) {
    (void)state;
    open_spool(4, 4);
    struct producer producer = {.spool = &spool, .thread = 1};
    for (uint64_t serial = 1; serial <= 3 * EVENTS; serial++)
        assert_true(put(&producer, serial));
    int64_t total = 0;
    for (int64_t fed; (fed = drain(100)) > 0; total += fed)
        assert_true(fed <= 100);
    assert_int_equal(total, 3 * EVENTS);
    assert_string_equal(rows_of_file(path, "SELECT count(*), sum(bytes = id) FROM transfer"), "1533|1533");
    close_spool();
}

/* The last chunk of a thread lies before its first in the file. */
static void order_follows_the_thread_and_not_the_file(void **state) {
    (void)state;
    open_spool(3, 3);
    struct producer producer = {.spool = &spool, .thread = 1, .hint = 2};
    for (uint64_t serial = 1; serial <= 2 * EVENTS; serial++)
        assert_true(put(&producer, serial));
    assert_int_equal(producer.hint, 0);
    assert_int_equal(drain(0), 2 * EVENTS);
    assert_string_equal(rows_of_file(path, "SELECT count(*), sum(bytes = id) FROM transfer"), "1022|1022");
    close_spool();
}

static void a_failed_batch_takes_nothing_over(void **state) {
    (void)state;
    open_spool(2, 2);
    struct producer producer = {.spool = &spool, .thread = 1};
    for (uint64_t serial = 1; serial <= EVENTS + 5; serial++)
        assert_true(put(&producer, serial));
    sqlite3 *blocker;
    assert_int_equal(sqlite3_open(path, &blocker), SQLITE_OK);
    assert_int_equal(sqlite3_exec(blocker, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(drain(0), XS_ERROR_BUSY);
    assert_int_equal(xs_spool_chunk(&spool, 0)->header.drained_bytes, 0);
    assert_int_equal(xs_spool_chunk(&spool, 0)->header.state, XS_CHUNK_FULL);
    sqlite3_exec(blocker, "COMMIT", NULL, NULL, NULL);
    sqlite3_close(blocker);
    assert_int_equal(drain(0), EVENTS + 5);
    close_spool();
}

static void events_of_no_kind_are_skipped_and_counted(void **state) {
    (void)state;
    open_spool(1, 1);
    struct producer producer = {.spool = &spool, .thread = 1};
    for (uint64_t serial = 1; serial <= 6; serial++) {
        struct xs_event event = transfer_event(serial);
        event.kind = serial % 3 == 0 ? 200 : event.kind;
        assert_true(produce(&producer, &event));
    }
    assert_int_equal(drain(0), 6);
    assert_string_equal(rows_of_file(path, "SELECT count(*) FROM transfer"), "4");
    assert_string_equal(rows_of_file(path, "SELECT value FROM meta WHERE key = 'skipped_events'"), "2");
    close_spool();
}

static void odd_thread_names_become_text(void **state) {
    (void)state;
    open_spool(1, 1);
    unsigned hint = 0;
    struct xs_chunk *chunk = xs_spool_take(&spool, &hint, 9, 99, "a\n\xff\xc3\xa9z\xe2\x82");
    chunk->events[0] = transfer_event(1);
    xs_chunk_commit(chunk, &chunk->events[1]);
    assert_int_equal(drain(0), 1);
    assert_string_equal(rows_of_file(path, "SELECT * FROM thread"), "9|99|a??\xc3\xa9z??");
    close_spool();
}

static void opening_leaves_the_file_alone(void **state) {
    (void)state;
    open_spool(1, 1);
    struct producer producer = {.spool = &spool, .thread = 1};
    assert_true(put(&producer, 1));
    size_t before_bytes, after_bytes;
    unsigned char *before = read_all(spool_path, &before_bytes);
    struct xs_spool opened;
    assert_int_equal(xs_spool_open(spool_path, &opened), 0);
    assert_int_equal(opened.fd, -1);
    assert_int_equal(xs_spool_writer(opened.header, spool_path), XS_WRITER_LIVES);
    assert_int_equal(xs_store_begin(store), 0);
    assert_int_equal(xs_spool_drain(&opened, store, 0, true), 1);
    assert_int_equal(xs_store_commit(store), 0);
    xs_spool_unmap(&opened);
    unsigned char *after = read_all(spool_path, &after_bytes);
    assert_int_equal(before_bytes, after_bytes);
    assert_memory_equal(before, after, after_bytes);
    free(before);
    free(after);
    assert_int_equal(xs_spool_open(in_scratch("none.spool"), &opened), XS_ERROR_NOT_FOUND);
    close_spool();
}

static void a_forked_child_has_no_mapping(void **state) {
    (void)state;
    open_spool(1, 1);
    pid_t child = fork();
    if (child == 0) {
        /* write(2) reports what a load would crash on */
        int pipe_fds[2];
        _exit(pipe(pipe_fds) == 0 && write(pipe_fds[1], spool.header, 8) < 0 && errno == EFAULT ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close_spool();
}

enum { THREADS = 4, PER_THREAD = 30000 };
static _Atomic bool finished[THREADS];

/* Works like the preloaded library: waits if no chunk is free. */
static void *produce_many(void *argument) {
    unsigned index = *(unsigned *)argument;
    struct producer producer = {.spool = &spool, .thread = index + 1};
    for (uint64_t n = 1; n <= PER_THREAD; n++) {
        struct xs_event event = transfer_event(n);
        while (!produce(&producer, &event)) {
            atomic_fetch_add(&spool.header->stalls, 1);
            producer.chunk = NULL;
            sched_yield();
        }
    }
    xs_chunk_finish(&spool, producer.chunk);
    atomic_store(&finished[index], true);
    return NULL;
}

static bool all_finished(void) {
    for (int i = 0; i < THREADS; i++)
        if (!atomic_load(&finished[i]))
            return false;
    return true;
}

static void threads_fill_while_the_drain_empties(void **state) {
    (void)state;
    open_spool(6, 12);
    xs_clock_start(&spool.header->clock);
    pthread_t threads[THREADS];
    unsigned indices[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        indices[i] = i;
        atomic_store(&finished[i], false);
        assert_int_equal(pthread_create(&threads[i], NULL, produce_many, &indices[i]), 0);
    }
    int64_t total = 0;
    for (unsigned round = 0;; round++) {
        bool last = all_finished();
        int64_t fed = drain(round % 3 == 0 ? 700 : 0);
        assert_true(fed >= 0);
        total += fed;
        if (round % 50 == 1)
            assert_true(xs_spool_grow(&spool, 1) >= 0);
        if (last && fed == 0)
            break;
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(total, THREADS * PER_THREAD);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(xs_spool_chunk(&spool, i)->header.state, XS_CHUNK_FREE);
    /* All events of each thread are there once, in the order of the rows. */
    assert_string_equal(rows_of_file(path, "SELECT thread, count(*), count(DISTINCT bytes), max(bytes) FROM transfer"
                                           " GROUP BY thread"),
                        "1|30000|30000|30000\n2|30000|30000|30000\n3|30000|30000|30000\n4|30000|30000|30000");
    assert_string_equal(rows_of_file(path, "SELECT count(*) FROM (SELECT bytes - lag(bytes) OVER (PARTITION BY thread"
                                           " ORDER BY id) AS step FROM transfer) WHERE step <> 1"),
                        "0");
    print_message("%llu stalls\n", (unsigned long long)atomic_load(&spool.header->stalls));
    close_spool();
}

static void forbid(unsigned first, unsigned end, int access) {
    assert_int_equal(mprotect(xs_spool_chunk(&spool, first), (size_t)(end - first) * XS_SPOOL_CHUNK_BYTES, access), 0);
}

/* Guards a program that starts thousands of threads: each thread used to look at every chunk that another thread held.
 * Here such a look would raise SIGSEGV. */
static void chunks_of_other_threads_are_not_looked_at(void **state) {
    enum { HELD = 64 };
    (void)state;
    open_spool(HELD, HELD + 2);
    unsigned hint = 0;
    for (unsigned i = 0; i < HELD; i++) {
        hint = i;
        assert_non_null(xs_spool_take(&spool, &hint, i + 1, 1, "holder"));
    }
    forbid(0, HELD, PROT_NONE);
    hint = 7;
    assert_null(xs_spool_take(&spool, &hint, 1000, 1, "none is free"));
    forbid(7, 8, PROT_READ | PROT_WRITE); /* the first to try */
    assert_int_equal(xs_spool_grow(&spool, 2), 2);
    assert_non_null(xs_spool_take(&spool, &hint, 1000, 1, "new"));
    assert_int_equal(hint, HELD);
    assert_non_null(xs_spool_take(&spool, &hint, 1000, 1, "next"));
    assert_int_equal(hint, HELD + 1);
    assert_null(xs_spool_take(&spool, &hint, 1000, 1, "none is free"));
    forbid(0, HELD, PROT_READ | PROT_WRITE);
    close_spool();
}

/* The drain thread looks at every chunk when it is woken. So the number of chunks that it keeps free, and the number
 * after which it is woken, must be a part of the existing chunks. Otherwise the number of looks grows with the square
 * of the number of threads. */
static void more_is_kept_free_where_more_threads_live(void **state) {
    enum { CHUNKS = 512, SPARE = CHUNKS / 16 };
    (void)state;
    open_spool(CHUNKS, 4 * CHUNKS);
    spool.header->chunk_bound = CHUNKS / 2;
    unsigned hint = 0;
    for (unsigned i = 0; i < CHUNKS - SPARE; i++)
        assert_non_null(xs_spool_take(&spool, &hint, i + 1, 1, "holder"));
    assert_int_equal(xs_spool_wanted(&spool), 0);
    assert_non_null(xs_spool_take(&spool, &hint, CHUNKS, 1, "one more"));
    assert_int_equal(xs_spool_wanted(&spool), SPARE);
    assert_true(xs_spool_ring_every(CHUNKS) < SPARE); /* it is woken before nothing is free */
    assert_int_equal(2 * xs_spool_ring_every(CHUNKS), xs_spool_ring_every(2 * CHUNKS));
    close_spool();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(the_file_has_blocks_for_its_chunks),
        IN_SCRATCH(chunks_run_out_and_come_back),
        IN_SCRATCH(a_batch_can_be_limited_anywhere),
        IN_SCRATCH(order_follows_the_thread_and_not_the_file),
        IN_SCRATCH(a_failed_batch_takes_nothing_over),
        IN_SCRATCH(events_of_no_kind_are_skipped_and_counted),
        IN_SCRATCH(odd_thread_names_become_text),
        IN_SCRATCH(opening_leaves_the_file_alone),
        IN_SCRATCH(a_forked_child_has_no_mapping),
        IN_SCRATCH(threads_fill_while_the_drain_empties),
        IN_SCRATCH(chunks_of_other_threads_are_not_looked_at),
        IN_SCRATCH(more_is_kept_free_where_more_threads_live),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
