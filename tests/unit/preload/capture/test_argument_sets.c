/* The events of a set of allocations are committed before any other thread can learn its number. Otherwise the trace of
 * a killed process could have that thread's launch, but not its set. The processor traps after every instruction of
 * xs_set_add, and each time the number is looked up as another thread would. */
#include "arguments_unit.h"

#include <signal.h>

#include "preload/core/alternate_stack.h"
#include "step_by_step.h"

/* True if there is no memory for a scratch stack. */
static bool has_no_stack;
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's --wrap
bool __real_xs_on_scratch(void (*function)(void *argument), void *argument);
bool __wrap_xs_on_scratch(void (*function)(void *argument), void *argument);
bool __wrap_xs_on_scratch(void (*function)(void *argument), void *argument) {
    return !has_no_stack && __real_xs_on_scratch(function, argument);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

/* The launch needs one slot and its set three. Nothing is written into the slots that are left, nor behind them. */
static void set_without_room_and_without_a_stack(void **state) {
    static uint32_t allocations[2 * XS_ARGUMENTS_EVENT_COUNT + 1];
    (void)state;
    for (unsigned left = 1; left <= 3; left++) {
        struct xs_event *e = xs_begin(7, &(struct xs_guard_note){0});
        for (; xs_thread.end - e > (ptrdiff_t)left; e = xs_begin(7, &(struct xs_guard_note){0}))
            xs_end(e, 0);
        struct xs_chunk *chunk = xs_thread.chunk;
        e->kind = XS_EVENT_LAUNCH;
        has_no_stack = true;
        e = xs_set_add(e, allocations, COUNT_OF(allocations), left);
        has_no_stack = false;
        assert_ptr_equal(e, &xs_scratch_event);
        xs_end(e, 0);
        assert_int_equal(atomic_load(&chunk->header.committed_bytes),
                         (XS_SPOOL_CHUNK_EVENTS - left) * sizeof(struct xs_event));
        assert_int_equal(atomic_load(&chunk->header.state), XS_CHUNK_FULL);
        assert_int_equal(xs_set_find(allocations, COUNT_OF(allocations), left), 0);
    }
    assert_int_equal(events_of(XS_EVENT_ARGUMENTS) + events_of(XS_EVENT_LAUNCH), 0);
}

#if defined(CAN_STEP)
enum { EVENTS = 3, COUNT = (EVENTS - 1) * XS_ARGUMENTS_EVENT_COUNT + 1 };
#define HASH UINT64_C(0x123456789abcdef)

static uint32_t ids[COUNT];
static unsigned places, known_places, too_early;

static void look_it_up(int signal) {
    (void)signal;
    bool known = xs_set_find(ids, COUNT, HASH) != 0;
    places++;
    known_places += known;
    too_early += known && events_of(XS_EVENT_ARGUMENTS) != EVENTS;
}

static void events_come_before_the_number(void **state) {
    (void)state;
    struct sigaction before, action = {.sa_handler = look_it_up};
    for (unsigned i = 0; i < COUNT; i++)
        ids[i] = i + 1;
    struct xs_event *e = xs_begin(7, &(struct xs_guard_note){0});
    assert_non_null(e);
    e->kind = XS_EVENT_LAUNCH;
    assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
    step_by_step(true);
    e = xs_set_add(e, ids, COUNT, HASH);
    step_by_step(false);
    sigaction(SIGTRAP, &before, NULL);
    uint32_t set = e->argument_set;
    assert_int_not_equal(set, 0);
    xs_end(e, 0);
    assert_int_equal(xs_set_find(ids, COUNT, HASH), set);
    assert_int_equal(events_of(XS_EVENT_ARGUMENTS), EVENTS);
    assert_true(places > known_places && known_places > 0);
    assert_int_equal(too_early, 0);
}
#else
static void events_come_before_the_number(void **state) {
    (void)state;
    skip();
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SPOOL(events_come_before_the_number),
        WITH_SPOOL(set_without_room_and_without_a_stack),
    };
    return cmocka_run_group_tests_name("argument_sets", tests, NULL, NULL);
}
