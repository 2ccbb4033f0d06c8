/* Tests which calls of a thread are recorded, and into which chunk: the guard, the state, the hooks, and a spool that
 * is full. */
#define _GNU_SOURCE
#include "core/thread_unit.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/call_windows.h"
#include "preload/core/drain_bell.h"
#include "preload/core/hooks.h"
#include "preload/core/notes.h"
#include "preload/core/own_cost.h"
#include "preload/core/thread.h"
#include "preload/core/thread_memory.h"

static unsigned starts, last_row, notes;
static bool can_start, starts_beside, can_finish;
static unsigned finishes;

static bool (*during_start)(void); /* what other threads do */

static bool start_session(unsigned row) {
    starts++;
    last_row = row;
    if (during_start)
        return during_start();
    if (can_start && !starts_beside)
        atomic_store(&xs_state, XS_STATE_ACTIVE);
    return can_start;
}

static bool finish_session(void) {
    finishes++;
    atomic_store(&xs_state, can_finish ? XS_STATE_ACTIVE : XS_STATE_DISABLED);
    return can_finish;
}

static bool look_for(uintptr_t return_address_at);

const struct xs_hooks xs_hooks = {
    .start_session = start_session, .finish_session = finish_session, .is_gone = look_for};

void xs_note(const char *topic, const char *format, ...) {
    (void)format;
    notes += strcmp(topic, "spool") == 0;
}

/* True if there is no memory for a scratch stack. */
static bool has_no_stack;
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's --wrap
bool __real_xs_on_scratch(void (*function)(void *argument), void *argument);
bool __wrap_xs_on_scratch(void (*function)(void *argument), void *argument);
bool __wrap_xs_on_scratch(void (*function)(void *argument), void *argument) {
    return !has_no_stack && __real_xs_on_scratch(function, argument);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

/* Frees a chunk as the drain thread does when it has moved the chunk's events. */
static void free_chunk(unsigned i) {
    if (atomic_exchange(&xs_spool_chunk(&xs_spool, i)->header.state, XS_CHUNK_FREE) != XS_CHUNK_FREE)
        atomic_fetch_add(&xs_spool.free, 1);
}

static int open_spool(void **state) {
    (void)state;
    starts = last_row = notes = finishes = 0;
    can_start = can_finish = true;
    starts_beside = false;
    during_start = NULL;
    return thread_unit_open();
}

static int close_spool(void **state) {
    (void)state;
    has_no_stack = false;
    return thread_unit_close();
}

static sigjmp_buf back;
static bool was_recorded;

static void leave(void) { siglongjmp(back, 1); }
static void call_again(void) { was_recorded = wrapper(nothing); }

static __attribute__((noinline, noclone)) void leave_a_call(void) {
    if (sigsetjmp(back, 1) == 0)
        (void)wrapper(leave);
}

/* The guard of a call that the program jumped out of is lowered by the next call, which takes the slot. */
static void call_that_was_left_is_noticed(void **state) {
    (void)state;
    leave_a_call();
    assert_int_equal(committed(), 0);
    assert_true(wrapper(nothing));
    leave_a_call();
    overwrite_the_stack();
    assert_true(call_in_a_frame_of(1000));
    assert_int_equal(committed(), 2);
    assert_int_equal(atomic_load(&xs_spool.header->left), 2);
    assert_int_equal(atomic_load(&xs_spool.header->nested), 0);
}

/* The application takes CUPTI for itself after it jumped out of a call. CUPTI's own calls are not recorded. */
static void own_calls_after_a_call_that_was_left(void **state) {
    (void)state;
    leave_a_call();
    overwrite_the_stack();
    struct xs_guard_own own;
    xs_guard_enter(&own);
    assert_false(call_in_a_frame_of(1000));
    xs_guard_leave(&own);
    assert_true(call_in_a_frame_of(1000));
    assert_true(call_in_a_frame_of(1000));
    assert_null(xs_guard.raised);
    assert_int_equal(committed(), 2);
    assert_int_equal(atomic_load(&xs_spool.header->left), 1);
}

/* The old return address lies in a gap of the frame that is there now. */
static bool is_gone;
static bool look_for(uintptr_t return_address_at) {
    assert_int_equal(return_address_at, xs_guard.raised->frame);
    return is_gone;
}

static void call_that_was_left_is_looked_for_on_the_stack(void **state) {
    volatile uintptr_t gap = 4711;
    (void)state;
    record_one();
    for (int i = 0; i < 2; i++) {
        is_gone = i == 1;
        struct xs_guard_note note = {(uintptr_t)&gap, gap};
        xs_guard = (struct xs_guard){&note};
        assert_int_equal(call_in_a_frame_of(1000), is_gone);
    }
    is_gone = false;
    assert_int_equal(atomic_load(&xs_spool.header->nested), 1);
    assert_int_equal(atomic_load(&xs_spool.header->left), 1);
}

static void call_in_handler(int signal) {
    (void)signal;
    call_again();
}
static void raise_it(void) { raise(SIGUSR1); }
static void leave_in_handler(int signal) {
    (void)signal;
    (void)wrapper(leave);
}

static void calls_on_another_stack(void **state) {
    static unsigned char low[65536];
    stack_t alternate = {.ss_sp = low, .ss_size = sizeof low}, before;
    struct sigaction action = {.sa_handler = call_in_handler, .sa_flags = SA_ONSTACK};
    (void)state;
    /* at a higher address than the caller's frames, where no function that was called from there can be */
    // cppcheck-suppress allocaCalled ; the place on the stack is what counts
    unsigned char *on_this_stack = __builtin_alloca(65536);
    assert_int_equal(sigaltstack(&alternate, &before), 0);
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    was_recorded = true;
    assert_true(wrapper(raise_it));
    assert_false(was_recorded);
    alternate.ss_sp = on_this_stack;
    assert_int_equal(sigaltstack(&alternate, NULL), 0);
    was_recorded = true;
    assert_true(wrapper(raise_it));
    assert_false(was_recorded);
    assert_int_equal(atomic_load(&xs_spool.header->nested), 2);
    alternate.ss_sp = low;
    assert_int_equal(sigaltstack(&alternate, NULL), 0);
    action.sa_handler = leave_in_handler; /* the frame that is left was on the other stack */
    assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGUSR1);
    assert_true(wrapper(nothing));
    assert_int_equal(atomic_load(&xs_spool.header->left), 1);
    before.ss_flags = SS_DISABLE;
    sigaltstack(&before, NULL);
    signal(SIGUSR1, SIG_DFL);
}

/* The driver's own calls inside a wrapped call are not recorded, and neither are calls of a signal handler that
 * interrupted it. */
static __attribute__((noinline, noclone)) struct xs_event *begin_inside(void) {
    return xs_begin(ROW + 1, &(struct xs_guard_note){0});
}

static void call_inside_a_call_passes_through(void **state) {
    (void)state;
    struct xs_event *e = xs_begin(ROW, &(struct xs_guard_note){0});
    assert_non_null(e);
    e->stream = 1234;
    assert_null(begin_inside());
    assert_int_equal(atomic_load(&xs_spool.header->nested), 1);
    assert_int_equal(e->entry, ROW); /* its slot is still its own */
    assert_int_equal(e->stream, 1234);
    assert_int_equal(committed(), 0);
    xs_end(e, 5);
    assert_int_equal(committed(), 1);
    assert_int_equal(e->result, 5);
    record_one();
    assert_int_equal(committed(), 2);
}

static void own_calls_pass_through(void **state) {
    struct xs_guard_own outer, inner;
    (void)state;
    xs_guard_enter(&outer);
    xs_guard_enter(&inner);
    xs_guard_leave(&inner);
    assert_null(begin_inside());
    xs_guard_leave(&outer);
    record_one();
    assert_int_equal(committed(), 1);
}

static void first_call_starts_the_session(void **state) {
    (void)state;
    atomic_store(&xs_state, XS_STATE_IDLE);
    struct xs_guard_own own;
    xs_guard_enter(&own);
    assert_null(begin_inside());
    xs_guard_leave(&own);
    assert_int_equal(starts, 0);
    can_start = false;
    assert_null(xs_begin(ROW, &(struct xs_guard_note){0}));
    assert_int_equal(starts, 1);
    assert_int_equal(last_row, ROW);
    can_start = true;
    record_one(); /* the call that starts it is recorded */
    record_one();
    assert_int_equal(starts, 2);
}

static struct xs_spool_header *header_later;

static void inside_the_first_call(void) {
    was_recorded = wrapper(nothing);
    xs_scratch_event.api.object = 4711;
    xs_spool.header = header_later;
}

/* The spool is not used before the call is over, because it may not exist yet. */
static void first_call_is_recorded_when_it_is_over(void **state) {
    (void)state;
    header_later = xs_spool.header;
    starts_beside = true;
    for (unsigned works = 0; works <= 1; works++) {
        can_finish = works;
        atomic_store(&xs_state, XS_STATE_IDLE);
        xs_spool.header = NULL;
        assert_true(wrapper(inside_the_first_call));
        assert_false(was_recorded);
        assert_int_equal(finishes, works + 1);
        assert_int_equal(committed(), works);
    }
    const struct xs_event *first = &xs_thread.chunk->events[0];
    assert_int_equal(first->entry, ROW);
    assert_int_equal(first->api.object, 4711);
    record_one();
    assert_int_equal(committed(), 2);
    assert_int_equal(finishes, 2);
    assert_int_equal(atomic_load(&xs_spool.header->dropped), 0);
}

/* Another thread has finished the start while the call ran. */
static void first_call_is_recorded_where_the_session_is_there(void **state) {
    (void)state;
    starts_beside = true;
    atomic_store(&xs_state, XS_STATE_IDLE);
    struct xs_event *e = xs_begin(ROW, &(struct xs_guard_note){0});
    atomic_store(&xs_state, XS_STATE_ACTIVE);
    xs_end(e, 0);
    assert_int_equal(committed(), 1);
}

/* Another thread has given the start up, or has ended the process, before the call goes into the driver. There is no
 * spool. */
static int state_of_others;

static bool start_beside_others(void) {
    atomic_store(&xs_state, state_of_others);
    return true;
}

static void first_call_passes_through_where_there_is_no_session(void **state) {
    static const int states[] = {XS_STATE_DISABLED, XS_STATE_CLOSED};
    (void)state;
    struct xs_spool_header *header = xs_spool.header;
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        atomic_store(&xs_state, XS_STATE_IDLE);
        state_of_others = states[i];
        during_start = start_beside_others;
        finishes = 0;
        can_finish = false;
        xs_spool.header = NULL;
        bool recorded = wrapper(nothing);
        xs_spool.header = header;
        assert_false(recorded);
        assert_false(xs_thread.is_first);
        assert_int_equal(finishes, states[i] == XS_STATE_DISABLED); /* CUPTI is still to be given up */
    }
}

/* The program jumped out of the first call. The next call is like any other. */
static void first_call_that_is_left(void **state) {
    (void)state;
    starts_beside = true;
    atomic_store(&xs_state, XS_STATE_IDLE);
    leave_a_call();
    starts_beside = false;
    assert_true(wrapper(nothing));
    assert_int_equal(committed(), 1);
    assert_int_equal(finishes, 0);
}

static void nothing_is_recorded_in_any_other_state(void **state) {
    static const int states[] = {XS_STATE_CLOSED, XS_STATE_CHILD, XS_STATE_DISABLED};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        atomic_store(&xs_state, states[i]);
        assert_null(xs_begin(ROW, &(struct xs_guard_note){0}));
        struct xs_guard_own own;
        xs_guard_enter(&own);
        assert_null(begin_inside());
        xs_guard_leave(&own);
    }
    assert_int_equal(starts, 0);
    assert_int_equal(committed(), 0);
    assert_int_equal(atomic_load(&xs_spool.header->nested), 0);
}

static void *memory_of_thread;

static bool is_mapped(void *memory) {
    unsigned char resident;
    return mincore(memory, (size_t)sysconf(_SC_PAGESIZE), &resident) == 0;
}

static void *record_and_end(void *arg) {
    *(struct xs_chunk **)arg = NULL;
    record_one();
    memory_of_thread = xs_thread_memory_of(XS_PART_FRAMES, (size_t)sysconf(_SC_PAGESIZE));
    *(struct xs_chunk **)arg = xs_thread.chunk;
    return NULL;
}

static void thread_that_ends_gives_back_its_chunk_and_memory(void **state) {
    pthread_t thread;
    struct xs_chunk *chunk;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, record_and_end, &chunk), 0);
    pthread_join(thread, NULL);
    assert_non_null(chunk);
    assert_int_equal(atomic_load(&chunk->header.state), XS_CHUNK_FULL);
    assert_non_null(memory_of_thread);
    assert_false(is_mapped(memory_of_thread));
}

/* Destructors of thread-local data run in any order, and CUDA's own or the application's may come after the core's. */
static pthread_key_t later_key;
static struct xs_chunk *later_chunk;

static void record_late(void *arg) {
    (void)arg;
    record_one();
    later_chunk = xs_thread.chunk;
}

static void *record_and_end_with_a_call(void *arg) {
    record_one();
    pthread_setspecific(later_key, arg);
    return NULL;
}

static void call_of_a_later_destructor_gives_its_chunk_back(void **state) {
    pthread_t thread;
    (void)state;
    record_one(); /* makes the core's key, so that the next one comes after it */
    xs_chunk_finish(&xs_spool, xs_thread.chunk);
    xs_thread_forget();
    free_chunk(0);
    free_chunk(1);
    assert_int_equal(pthread_key_create(&later_key, record_late), 0);
    assert_int_equal(pthread_create(&thread, NULL, record_and_end_with_a_call, &later_key), 0);
    pthread_join(thread, NULL);
    pthread_key_delete(later_key);
    assert_non_null(later_chunk);
    assert_int_equal(atomic_load(&later_chunk->header.state), XS_CHUNK_FULL);
}

/* Nobody empties this spool. The thread waits for it once, which is counted, and then goes on unrecorded. The wait is
 * no cost of the work during which it happens, because it is counted already. */
static void full_spool_is_waited_for_once(void **state) {
    struct xs_clock clock;
    (void)state;
    xs_clock_start(&clock);
    xs_clock_source = (enum xs_clock_source)clock.source;
    xs_own_cost_start(&clock);
    for (unsigned i = 0; i < CHUNKS * XS_SPOOL_CHUNK_EVENTS; i++)
        record_one();
    struct xs_own_cost_work work = xs_own_cost_work_begin();
    for (unsigned i = 1; i <= 3; i++) {
        struct xs_event *e = xs_begin(ROW, &(struct xs_guard_note){0});
        assert_ptr_equal(e, &xs_scratch_event);
        xs_end(e, 0);
        assert_int_equal(atomic_load(&xs_spool.header->dropped), i);
        assert_int_equal(atomic_load(&xs_spool.header->stalls), 1);
    }
    xs_own_cost_work_end(&work);
    assert_in_range(atomic_load(&xs_spool.header->stall_ns), 1000000000, UINT64_C(60000000000));
    assert_in_range(xs_own_cost_ns(), 1, atomic_load(&xs_spool.header->stall_ns) / 2);
    assert_int_equal(committed(), CHUNKS * XS_SPOOL_CHUNK_EVENTS);
    assert_int_equal(notes, 1);
}

/* The drain thread finds nothing to move, and the spool has no room to grow. */
static atomic_bool is_drained;
static void *drain_nothing(void *unused) {
    while (!atomic_load(&is_drained))
        xs_drain_sleep(xs_drain_rings(), 1);
    return unused;
}

static void chunk_that_cannot_come_is_not_waited_for(void **state) {
    pthread_t drain;
    unsigned hint = 0;
    (void)state;
    for (int i = 0; i < CHUNKS; i++) /* chunks of other threads */
        assert_non_null(xs_spool_take(&xs_spool, &hint, 1000, 1000, ""));
    atomic_store(&is_drained, false);
    assert_int_equal(pthread_create(&drain, NULL, drain_nothing, NULL), 0);
    struct xs_event *e = xs_begin(ROW, &(struct xs_guard_note){0});
    assert_ptr_equal(e, &xs_scratch_event);
    xs_end(e, 0);
    atomic_store(&is_drained, true);
    pthread_join(drain, NULL);
    assert_int_equal(atomic_load(&xs_spool.header->dropped), 1);
    assert_int_equal(atomic_load(&xs_spool.header->stalls), 1);
    assert_in_range(atomic_load(&xs_spool.header->stall_ns), 1, 1000000000);
    assert_int_equal(notes, 1);
}

/* Another thread makes the spool grow meanwhile, which takes longer than the drain thread may stand still. In this time
 * the drain thread can add no chunks, but there will be one. */
static void *grow_slowly(void *unused) {
    uint64_t start = xs_monotonic_ns();
    while (xs_monotonic_ns() - start < 100000000)
        xs_drain_sleep(xs_drain_rings(), 1);
    free_chunk(0);
    atomic_store(&xs_spool.growing, 0);
    return unused;
}

static void chunk_that_is_being_made_is_waited_for(void **state) {
    pthread_t drain;
    unsigned hint = 0;
    (void)state;
    for (int i = 0; i < CHUNKS; i++) /* chunks of other threads */
        assert_non_null(xs_spool_take(&xs_spool, &hint, 1000, 1000, ""));
    atomic_store(&xs_spool.growing, 1);
    assert_int_equal(pthread_create(&drain, NULL, grow_slowly, NULL), 0);
    struct xs_event *e = xs_begin(ROW, &(struct xs_guard_note){0});
    bool has_room = e != &xs_scratch_event;
    xs_end(e, 0);
    pthread_join(drain, NULL);
    if (atomic_load(&xs_spool.header->stall_ns) <
        1000000000) { /* otherwise the machine did not let the other thread run */
        assert_true(has_room);
        assert_int_equal(atomic_load(&xs_spool.header->dropped), 0);
    }
}

/* Begins an event in the first slot of the last `left`, after which there is no stack to take another chunk on. */
static struct xs_event *begin_near_the_end(unsigned left) {
    for (unsigned i = left; i < XS_SPOOL_CHUNK_EVENTS; i++)
        record_one();
    struct xs_event *e = xs_begin(ROW, &(struct xs_guard_note){0});
    assert_int_equal(xs_thread.end - e, left);
    e->stream = 1234;
    has_no_stack = true;
    return e;
}

static void assert_dropped(struct xs_event *e, unsigned left) {
    const struct xs_chunk *chunk = xs_spool_chunk(&xs_spool, 1);
    assert_ptr_equal(e, &xs_scratch_event);
    assert_int_equal(e->stream, 1234);
    assert_null(xs_thread.chunk);
    xs_end(e, 0);
    assert_int_equal(committed(), XS_SPOOL_CHUNK_EVENTS - left);
    assert_int_equal(atomic_load(&xs_spool.header->dropped), 1);
    assert_int_equal(atomic_load(&xs_spool_chunk(&xs_spool, 0)->header.state) + atomic_load(&chunk->header.state),
                     XS_CHUNK_FULL + XS_CHUNK_FREE);
}

/* The event that was begun in the chunk is not published, and nothing is written after the chunk. */
static void chunk_is_given_back_without_a_stack(void **state) {
    for (unsigned left = 1; left <= 3; left++) {
        struct xs_event *e = begin_near_the_end(left);
        assert_false(xs_thread_room(&e, left));
        assert_dropped(e, left);
        close_spool(state);
        assert_int_equal(open_spool(state), 0);
        e = begin_near_the_end(left);
        assert_false(xs_define(&e, XS_DEFINE_STACK, 1, "", left * XS_DEFINITION_PART_BYTES));
        assert_dropped(e, left);
        close_spool(state);
        assert_int_equal(open_spool(state), 0);
    }
}

int main(void) {
#define WITH_SPOOL(test) cmocka_unit_test_setup_teardown(test, open_spool, close_spool)
    const struct CMUnitTest tests[] = {
        WITH_SPOOL(call_inside_a_call_passes_through),
        WITH_SPOOL(call_that_was_left_is_noticed),
        WITH_SPOOL(own_calls_after_a_call_that_was_left),
        WITH_SPOOL(call_that_was_left_is_looked_for_on_the_stack),
        WITH_SPOOL(calls_on_another_stack),
        WITH_SPOOL(own_calls_pass_through),
        WITH_SPOOL(first_call_starts_the_session),
        WITH_SPOOL(first_call_is_recorded_when_it_is_over),
        WITH_SPOOL(first_call_is_recorded_where_the_session_is_there),
        WITH_SPOOL(first_call_that_is_left),
        WITH_SPOOL(first_call_passes_through_where_there_is_no_session),
        WITH_SPOOL(nothing_is_recorded_in_any_other_state),
        WITH_SPOOL(thread_that_ends_gives_back_its_chunk_and_memory),
        WITH_SPOOL(call_of_a_later_destructor_gives_its_chunk_back),
        WITH_SPOOL(chunk_is_given_back_without_a_stack),
        WITH_SPOOL(full_spool_is_waited_for_once),
        WITH_SPOOL(chunk_that_cannot_come_is_not_waited_for),
        WITH_SPOOL(chunk_that_is_being_made_is_waited_for),
    };
    return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
