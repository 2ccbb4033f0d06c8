/* Which streams capture: each is counted once, and none for ever. */
#include "unit.h"

#include "preload/driver/stream_captures.h"

#include <pthread.h>

static void a_capture_begins_and_ends(void **state) {
    (void)state;
    xs_captures_begin(0x1000, 0, 7);
    xs_captures_begin(0x2000, 0, 7);
    assert_int_equal(xs_captures, 2);
    assert_true(xs_captures_end(0x1000, 0));
    assert_false(xs_captures_end(0x1000, 0));
    assert_int_equal(xs_captures, 1);
    assert_true(xs_captures_end(0x2000, 0));
    assert_int_equal(xs_captures, 0);
}

/* A capture that began before the session is not known. */
static void an_end_alone_is_none(void **state) {
    (void)state;
    assert_false(xs_captures_end(0x1000, 0));
    xs_captures_begin(0x2000, 0, 7);
    assert_false(xs_captures_end(0x1000, 0));
    assert_int_equal(xs_captures, 1);
    assert_true(xs_captures_end(0x2000, 0));
}

/* The default stream of a thread has the same handle in each. */
static void threads_have_streams_of_their_own(void **state) {
    (void)state;
    for (uint32_t thread = 1; thread <= 3; thread++)
        xs_captures_begin(2, thread, 7);
    xs_captures_begin(2, 1 << 16, 7); /* more threads than a key has bits for */
    assert_false(xs_captures_end(2, 4));
    assert_false(xs_captures_end(2, 0));
    assert_true(xs_captures_end(2, 1));
    assert_true(xs_captures_end(2, 3));
    assert_true(xs_captures_end(2, 2));
    assert_int_equal(xs_captures, 1);
    assert_true(xs_captures_end(2, 1 << 16));
    assert_int_equal(xs_captures, 0);
}

static void a_context_takes_its_streams_with_it(void **state) {
    (void)state;
    xs_captures_begin(0x1000, 0, 7);
    xs_captures_begin(0x2000, 0, 8);
    xs_captures_begin(0x3000, 0, 7);
    xs_captures_end_with(7, false);
    assert_int_equal(xs_captures, 1);
    xs_captures_end_with(7, false);
    assert_true(xs_captures_end(0x2000, 0));
    assert_int_equal(xs_captures, 0);
}

static void more_than_there_are_places_for(void **state) {
    enum { MANY = 1000 };
    (void)state;
    for (uint64_t i = 1; i <= MANY; i++)
        xs_captures_begin(i << 12, 0, 7);
    assert_int_equal(xs_captures, MANY);
    for (uint64_t i = MANY; i >= 1; i--)
        assert_true(xs_captures_end(i << 12, 0));
    assert_int_equal(xs_captures, 0);
    assert_false(xs_captures_end(1 << 12, 0));
    assert_int_equal(xs_captures, 0);
}

/* Captures for which the table had no room belong to contexts that are all gone now. */
static void the_last_context_takes_all_with_it(void **state) {
    enum { MANY = 1000 };
    (void)state;
    for (uint64_t i = 1; i <= MANY; i++)
        xs_captures_begin(i << 12, 0, i % 2 ? 7 : 8);
    xs_captures_end_with(7, false);
    assert_true(xs_captures > MANY / 2);
    xs_captures_end_with(8, true);
    assert_int_equal(xs_captures, 0);
    assert_false(xs_captures_end(1 << 12, 0));
    xs_captures_begin(0x1000, 0, 9);
    assert_true(xs_captures_end(0x1000, 0));
    assert_int_equal(xs_captures, 0);
}

static _Atomic bool is_over;

static void *lose_contexts(void *unused) {
    while (!is_over) {
        xs_captures_begin(0x2000, 0, 8);
        xs_captures_end_with(8, false);
    }
    return unused;
}

/* The slot of this stream belonged to a stream of the other context before. */
static void a_context_takes_no_other_streams_with_it(void **state) {
    pthread_t thread;
    unsigned lost = 0;
    (void)state;
    is_over = false;
    assert_int_equal(pthread_create(&thread, NULL, lose_contexts, NULL), 0);
    for (int i = 0; i < 300000; i++) {
        xs_captures_begin(0x1000, 0, 7);
        lost += !xs_captures_end(0x1000, 0);
    }
    is_over = true;
    pthread_join(thread, NULL);
    assert_int_equal(lost, 0);
    assert_int_equal(xs_captures, 0);
}

static void *capture_often(void *stream) {
    for (int i = 0; i < 20000; i++) {
        xs_captures_begin((uint64_t)(uintptr_t)stream, 0, 7);
        assert_true(xs_captures > 0);
        assert_true(xs_captures_end((uint64_t)(uintptr_t)stream, 0));
    }
    return stream;
}

static void threads_at_once(void **state) {
    pthread_t threads[4];
    static char streams[4];
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, capture_often, &streams[i]), 0);
    for (unsigned i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(xs_captures, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_capture_begins_and_ends),
        cmocka_unit_test(an_end_alone_is_none),
        cmocka_unit_test(threads_have_streams_of_their_own),
        cmocka_unit_test(a_context_takes_its_streams_with_it),
        cmocka_unit_test(more_than_there_are_places_for),
        cmocka_unit_test(threads_at_once),
        cmocka_unit_test(the_last_context_takes_all_with_it),
        cmocka_unit_test(a_context_takes_no_other_streams_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
