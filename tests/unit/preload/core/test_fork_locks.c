/* The locks of the core's map and notes are made anew in a forked child (xs_map_forget, xs_notes_forget). */
#include "fork_unit.h"

#include "preload/core/memory_map.h"
#include "preload/core/notes.h"

int xs_store_note(struct xs_store *store, int64_t at_ns, const char *topic, const char *text) {
    (void)store;
    (void)at_ns;
    (void)topic;
    (void)text;
    return 0;
}

int64_t xs_clock_from_monotonic(const struct xs_clock *clock, uint64_t monotonic_ns) {
    (void)clock;
    return (int64_t)monotonic_ns;
}

/* Data that a child may find half changed belongs to the parent; the child begins with none. */
static void count_ranges(void) { (void)xs_map_count(); }

static void lock_of_the_map(void **state) {
    (void)state;
    forked_children_get_through(count_ranges, xs_map_forget);
}

static void write_notes(void) {
    static const struct xs_clock clock;
    xs_note("fork", "the same text again");
    (void)xs_notes_write(NULL, &clock);
}

static void lock_of_the_notes(void **state) {
    (void)state;
    forked_children_get_through(write_notes, xs_notes_forget);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_of_the_map),
        cmocka_unit_test(lock_of_the_notes),
    };
    return cmocka_run_group_tests_name("fork_locks", tests, NULL, NULL);
}
