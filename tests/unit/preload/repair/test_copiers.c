/* Tests copies by several threads: every byte arrives and no other byte is touched, in any number of jobs at the same
 * time. */
#include "unit.h"

#include <pthread.h>
#include <signal.h>

#include "preload/core/guard.h"
#include "preload/repair/copiers.h"

XS_TLS struct xs_guard xs_guard; /* of core/thread.c, which is not needed here */
const struct xs_guard_note xs_guard_unleft;

enum { AROUND = 64, ROUNDS = 40 };

static unsigned char byte_of(unsigned seed, size_t i) {
    return (unsigned char)((i * 2654435761u + seed * 40503u) >> 7);
}

/* Copies `bytes` in parts of `part` bytes, as a staged copy does. */
static void copy_in_parts(unsigned char *to, const unsigned char *from, size_t bytes, size_t part, bool is_streaming) {
    struct xs_copy_job alone = {0}, *job = xs_copy_begin(&alone, part, is_streaming);
    const unsigned parts = (unsigned)((bytes + part - 1) / part);
    unsigned added = 0, done = 0;
    for (unsigned rests = 0; done < parts;) {
        if (added < parts && added - done < XS_COPY_PARTS) {
            size_t at = added * part, left = bytes - at;
            xs_copy_add(job, to + at, from + at, left < part ? left : part);
            added++;
        } else if (xs_copy_is_done(job, done)) {
            done++;
        } else if (!xs_copy_help(job)) {
            xs_copy_rest(rests++);
        }
    }
    xs_copy_end(job);
}

static void check_copy(unsigned seed) {
    const size_t bytes = 1 + (size_t)seed * 7919 % 1500000, part = 1000 + (size_t)seed * 104729 % 300000;
    const size_t at = AROUND + seed % 17;
    unsigned char *from = malloc(bytes), *to = malloc(bytes + 3 * AROUND);
    assert_non_null(from);
    assert_non_null(to);
    memset(to, 0xee, bytes + 3 * AROUND);
    for (size_t i = 0; i < bytes; i++)
        from[i] = byte_of(seed, i);
    copy_in_parts(to + at, from, bytes, part, seed % 2);
    assert_memory_equal(to + at, from, bytes);
    for (size_t i = 0; i < AROUND; i++) {
        assert_int_equal(to[at - 1 - i], 0xee);
        assert_int_equal(to[at + bytes + i], 0xee);
    }
    free(from);
    free(to);
}

static void every_byte_arrives(void **state) {
    (void)state;
    for (unsigned seed = 0; seed < ROUNDS; seed++)
        check_copy(seed);
}

static void *check_copies(void *argument) {
    for (unsigned i = 0; i < ROUNDS; i++)
        check_copy((unsigned)(size_t)argument * 1000 + i);
    return NULL;
}

static void jobs_do_not_disturb_each_other(void **state) {
    pthread_t threads[12]; /* more than there are places for jobs that others help with */
    (void)state;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, check_copies, (void *)i), 0);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
}

/* The memory of pieces that nobody took may be gone when the job has ended. */
static void an_ended_job_touches_nothing(void **state) {
    const size_t bytes = 16 * XS_PIECE_BYTES;
    unsigned char *from = calloc(1, bytes), *to = calloc(1, bytes), *before = malloc(bytes);
    (void)state;
    for (unsigned i = 0; i < 200; i++) {
        struct xs_copy_job alone = {0}, *job = xs_copy_begin(&alone, bytes, false);
        memset(from, (int)i + 1, bytes);
        xs_copy_add(job, to, from, bytes);
        xs_copy_help(job);
        xs_copy_end(job);
        memcpy(before, to, bytes);
        memset(from, 0xff, bytes);
        assert_memory_equal(before, to, bytes);
        for (size_t at = 0; at < bytes; at += XS_PIECE_BYTES) /* a piece is copied as a whole, or not at all */
            assert_true(to[at] == to[at + XS_PIECE_BYTES - 1]);
    }
    free(from);
    free(to);
    free(before);
}

/* A program that handles faults may do so by the thread that it knows, and may jump. */
static void nobody_helps_where_faults_are_handled(void **state) {
    struct xs_copy_job alone = {0}, *job;
    struct sigaction before, ours = {.sa_handler = SIG_IGN};
    (void)state;
    sigaction(SIGSEGV, &ours, &before);
    job = xs_copy_begin(&alone, 1, false);
    sigaction(SIGSEGV, &before, NULL);
    assert_ptr_equal(job, &alone);
    xs_copy_end(job);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_arrives),
        cmocka_unit_test(jobs_do_not_disturb_each_other),
        cmocka_unit_test(an_ended_job_touches_nothing),
        cmocka_unit_test(nobody_helps_where_faults_are_handled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
