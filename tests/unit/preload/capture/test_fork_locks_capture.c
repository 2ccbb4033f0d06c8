/* The locks of contexts, of the sets of allocations and of the layouts of arguments are made anew in a forked child
 * (xs_context_forget, xs_arguments_forget). */
#include "fork_unit.h"

#include <stdatomic.h>

#include "preload/capture/arguments.h"
#include "preload/core/hooks.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"
#include "preload/driver/driver_context.h"
#include "preload/driver/real.h"

void *xs_driver_functions[XS_DRIVER_COUNT];

static bool start_session(unsigned row) {
    (void)row;
    return false;
}
const struct xs_hooks xs_hooks = {.start_session = start_session};

void xs_note(const char *topic, const char *format, ...) {
    (void)topic;
    (void)format;
}

static void look_at_contexts(void) {
    uint64_t handle;
    int device;
    (void)xs_context_learned(0, &handle, &device);
}

static void lock_of_the_contexts(void **state) {
    (void)state;
    forked_children_get_through(look_at_contexts, xs_context_forget);
}

/* Adds a set to a chunk that belongs to no spool, because a child would not have the spool. */
static void add_set(void) {
    static XS_TLS uint64_t memory[XS_SPOOL_CHUNK_BYTES / sizeof(uint64_t)];
    static const uint32_t ids[] = {1, 2, 3};
    xs_thread.chunk = (struct xs_chunk *)(void *)memory; /* the events follow its header */
    xs_thread.next = xs_thread.chunk->events;
    xs_thread.end = xs_thread.next + XS_SPOOL_CHUNK_EVENTS;
    (void)xs_set_add(xs_thread.next, ids, COUNT_OF(ids), 12345);
    xs_thread_forget();
}

static void lock_of_the_sets(void **state) {
    (void)state;
    forked_children_get_through(add_set, xs_arguments_forget);
}

static void lock_of_the_layouts(void **state) {
    (void)state;
    forked_children_get_through(xs_arguments_functions_go, xs_arguments_forget);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_of_the_contexts),
        cmocka_unit_test(lock_of_the_sets),
        cmocka_unit_test(lock_of_the_layouts),
    };
    return cmocka_run_group_tests_name("fork_locks_capture", tests, NULL, NULL);
}
