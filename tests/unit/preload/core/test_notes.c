/* Tests that each note is kept once, up to a number of notes, until the drain thread takes it. A process has one list
 * of notes, so each test goes on with the list that the previous test left. */
#include "unit.h"

#include <pthread.h>
#include <stdio.h>

#include "preload/core/notes.h"

static struct { char topic[64], text[1024]; } written[256];
static unsigned written_count;
static int store_answers;

int xs_store_note(struct xs_store *store, int64_t at_ns, const char *topic, const char *text) {
    (void)store;
    assert_true(at_ns > 0);
    if (store_answers == 0) {
        assert_true(written_count < COUNT_OF(written));
        snprintf(written[written_count].topic, sizeof written[0].topic, "%s", topic);
        snprintf(written[written_count].text, sizeof written[0].text, "%s", text);
        written_count++;
    }
    return store_answers;
}

int64_t xs_clock_from_monotonic(const struct xs_clock *clock, uint64_t monotonic_ns) {
    (void)clock;
    return (int64_t)monotonic_ns;
}

static int take_over(void) {
    static const struct xs_clock clock;
    return xs_notes_write(NULL, &clock);
}

static void nothing_to_write(void **state) {
    (void)state;
    assert_int_equal(take_over(), 0);
    assert_int_equal(written_count, 0);
}

static void written_once_in_order(void **state) {
    (void)state;
    xs_note("cupti", "error %d of %s", 35, "cuptiSubscribe");
    xs_note("cupti", "error %d of %s", 35, "cuptiSubscribe");
    xs_note("spool", "error %d of %s", 35, "cuptiSubscribe");
    assert_int_equal(take_over(), 0);
    assert_int_equal(take_over(), 0);
    assert_int_equal(written_count, 2);
    assert_string_equal(written[0].topic, "cupti");
    assert_string_equal(written[0].text, "error 35 of cuptiSubscribe");
    assert_string_equal(written[1].topic, "spool");
    /* This note is still known, although it was already written. */
    xs_note("cupti", "error %d of %s", 35, "cuptiSubscribe");
    assert_int_equal(take_over(), 0);
    assert_int_equal(written_count, 2);
}

static void long_texts_are_cut(void **state) {
    char text[4096];
    (void)state;
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    xs_note("a topic that is longer than a topic may be", "%s", text);
    assert_int_equal(take_over(), 0);
    assert_int_equal(written_count, 3);
    assert_int_equal(strlen(written[2].topic), 31);
    assert_int_equal(strlen(written[2].text), 399);
}

/* If the store has no room, it refuses a note, and the note is offered to it again. */
static void refused_note_is_offered_again(void **state) {
    (void)state;
    xs_note("disk", "first");
    xs_note("disk", "second");
    store_answers = XS_ERROR_INVALID;
    assert_int_equal(take_over(), XS_ERROR_INVALID);
    store_answers = 0;
    assert_int_equal(take_over(), 0);
    assert_int_equal(written_count, 5);
    assert_string_equal(written[3].text, "first");
    assert_string_equal(written[4].text, "second");
}

static void *same_from_every_thread(void *arg) {
    (void)arg;
    for (int i = 0; i < 1000; i++)
        xs_note("threads", "note %d", i % 4);
    return NULL;
}

static void threads_with_the_same_notes(void **state) {
    pthread_t threads[8];
    (void)state;
    unsigned before = written_count;
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, same_from_every_thread, NULL), 0);
    assert_int_equal(take_over(), 0);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(take_over(), 0);
    assert_int_equal(written_count, before + 4);
}

static void not_without_end(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++)
        xs_note("many", "note %d", i);
    assert_int_equal(take_over(), 0);
    assert_int_equal(written_count, 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_to_write),
        cmocka_unit_test(written_once_in_order),
        cmocka_unit_test(long_texts_are_cut),
        cmocka_unit_test(refused_note_is_offered_again),
        cmocka_unit_test(threads_with_the_same_notes),
        cmocka_unit_test(not_without_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
