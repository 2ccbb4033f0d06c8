/* Which calls of a thread are recorded, and into which chunk: the guard, the state, the hooks, and a spool that is
 * full. */
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "preload/core/hooks.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"

enum { ROW = 7, CHUNKS = 2 };

static unsigned starts, last_row, ends, notes;
static bool can_start;

static bool start_session(unsigned row) {
    starts++;
    last_row = row;
    if (can_start) {
        atomic_store(&xs_state, XS_STATE_ACTIVE);
    }
    return can_start;
}

static void thread_ends(void) { ends++; }

const struct xs_hooks xs_hooks = {start_session, thread_ends};

void xs_note(const char *topic, const char *format, ...) {
    (void)format;
    notes += strcmp(topic, "spool") == 0;
}

static int open_spool(void **state) {
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "/tmp/xferspy-thread.%ld.spool", (long)getpid());
    unlink(path);
    starts = last_row = ends = notes = 0;
    can_start = true;
    atomic_store(&xs_state, XS_STATE_ACTIVE);
    int status = xs_spool_create(path, XS_SPOOL_HEADER_BYTES + CHUNKS * XS_SPOOL_CHUNK_BYTES, CHUNKS, &xs_spool);
    unlink(path);
    return status;
}

static int close_spool(void **state) {
    (void)state;
    xs_thread_forget();
    xs_spool_unmap(&xs_spool);
    return 0;
}

static unsigned committed(void) {
    unsigned bytes = 0;
    for (unsigned i = 0; i < CHUNKS; i++) {
        bytes += atomic_load(&xs_spool_chunk(&xs_spool, i)->header.committed_bytes);
    }
    return bytes / (unsigned)sizeof(struct xs_event);
}

static void record_one(void) {
    struct xs_event *e = xs_begin(ROW);
    assert_non_null(e);
    xs_end(e, 0);
}

/* The driver's own calls inside a wrapped one, and those of a signal handler that came in the middle of it. */
static void call_inside_a_call_passes_through(void **state) {
    (void)state;
    struct xs_event *e = xs_begin(ROW);
    assert_non_null(e);
    e->stream = 1234;
    assert_null(xs_begin(ROW + 1));
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
    (void)state;
    xs_guard_enter();
    xs_guard_enter();
    xs_guard_leave();
    assert_null(xs_begin(ROW));
    xs_guard_leave();
    record_one();
    assert_int_equal(committed(), 1);
}

static void first_call_starts_the_session(void **state) {
    (void)state;
    atomic_store(&xs_state, XS_STATE_IDLE);
    xs_guard_enter();
    assert_null(xs_begin(ROW));
    xs_guard_leave();
    assert_int_equal(starts, 0);
    can_start = false;
    assert_null(xs_begin(ROW));
    assert_int_equal(starts, 1);
    assert_int_equal(last_row, ROW);
    can_start = true;
    record_one(); /* the call that starts it is recorded */
    record_one();
    assert_int_equal(starts, 2);
}

static void nothing_is_recorded_in_any_other_state(void **state) {
    static const int states[] = {XS_STATE_CLOSED, XS_STATE_CHILD, XS_STATE_DISABLED};
    (void)state;
    for (size_t i = 0; i < COUNT_OF(states); i++) {
        atomic_store(&xs_state, states[i]);
        assert_null(xs_begin(ROW));
        xs_guard_enter();
        assert_null(xs_begin(ROW));
        xs_guard_leave();
    }
    assert_int_equal(starts, 0);
    assert_int_equal(committed(), 0);
    assert_int_equal(atomic_load(&xs_spool.header->nested), 0);
}

static void *record_and_end(void *arg) {
    *(struct xs_chunk **)arg = NULL;
    record_one();
    *(struct xs_chunk **)arg = xs_thread.chunk;
    return NULL;
}

static void thread_that_ends_gives_its_chunk_back(void **state) {
    pthread_t thread;
    struct xs_chunk *chunk;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, record_and_end, &chunk), 0);
    pthread_join(thread, NULL);
    assert_non_null(chunk);
    assert_int_equal(atomic_load(&chunk->header.state), XS_CHUNK_FULL);
    assert_int_equal(ends, 1);
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
    xs_chunk_finish(xs_thread.chunk);
    xs_thread_forget();
    atomic_store(&xs_spool_chunk(&xs_spool, 0)->header.state, XS_CHUNK_FREE);
    atomic_store(&xs_spool_chunk(&xs_spool, 1)->header.state, XS_CHUNK_FREE);
    assert_int_equal(pthread_key_create(&later_key, record_late), 0);
    assert_int_equal(pthread_create(&thread, NULL, record_and_end_with_a_call, &later_key), 0);
    pthread_join(thread, NULL);
    pthread_key_delete(later_key);
    assert_non_null(later_chunk);
    assert_int_equal(atomic_load(&later_chunk->header.state), XS_CHUNK_FULL);
    assert_int_equal(ends, 2);
}

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
enum { TRAP_FLAG = 0x100, OF_HANDLER = 999, OF_THREAD = 1234 };
static unsigned recorded_by_handler;

static void record_in_handler(int signal) {
    (void)signal;
    struct xs_event *e = xs_begin(ROW + 1);
    if (e) {
        e->stream = OF_HANDLER;
        xs_end(e, 0);
        recorded_by_handler++;
    }
}

static void step_by_step(bool on) {
    uint64_t flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~(uint64_t)TRAP_FLAG);
}

/* The processor traps after every instruction of a call, so a handler that makes calls of its own comes at every
 * place. */
static void handler_may_come_anywhere(void **state) {
    (void)state;
    recorded_by_handler = 0;
    struct sigaction before, action = {.sa_handler = record_in_handler};
    record_one(); /* takes the chunk, which is no place for single steps */
    assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
    step_by_step(true);
    struct xs_event *e = xs_begin(ROW);
    e->stream = OF_THREAD;
    xs_end(e, 5);
    step_by_step(false);
    sigaction(SIGTRAP, &before, NULL);
    assert_true(recorded_by_handler > 5); /* before the guard and after it */
    assert_int_equal(committed(), 2 + recorded_by_handler);
    unsigned of_handler = 0, of_thread = 0;
    for (unsigned i = 1; i < committed(); i++) {
        const struct xs_event *c = &xs_thread.chunk->events[i];
        of_handler += c->entry == ROW + 1 && c->stream == OF_HANDLER && c->result == 0;
        of_thread += c->entry == ROW && c->stream == OF_THREAD && c->result == 5;
    }
    assert_int_equal(of_handler, recorded_by_handler);
    assert_int_equal(of_thread, 1);
}
#else
static void handler_may_come_anywhere(void **state) {
    (void)state;
    skip();
}
#endif

/* Nobody empties this spool. The thread waits for it once, which is counted, and then goes on unrecorded. */
static void full_spool_is_waited_for_once(void **state) {
    (void)state;
    for (unsigned i = 0; i < CHUNKS * XS_SPOOL_CHUNK_EVENTS; i++) {
        record_one();
    }
    for (unsigned i = 1; i <= 3; i++) {
        struct xs_event *e = xs_begin(ROW);
        assert_ptr_equal(e, &xs_scratch_event);
        xs_end(e, 0);
        assert_int_equal(atomic_load(&xs_spool.header->dropped), i);
        assert_int_equal(atomic_load(&xs_spool.header->stalls), 1);
    }
    assert_in_range(atomic_load(&xs_spool.header->stall_ns), 1000000000, UINT64_C(60000000000));
    assert_int_equal(committed(), CHUNKS * XS_SPOOL_CHUNK_EVENTS);
    assert_int_equal(notes, 1);
}

int main(void) {
#define WITH_SPOOL(test) cmocka_unit_test_setup_teardown(test, open_spool, close_spool)
    const struct CMUnitTest tests[] = {
        WITH_SPOOL(call_inside_a_call_passes_through),
        WITH_SPOOL(own_calls_pass_through),
        WITH_SPOOL(first_call_starts_the_session),
        WITH_SPOOL(nothing_is_recorded_in_any_other_state),
        WITH_SPOOL(thread_that_ends_gives_its_chunk_back),
        WITH_SPOOL(call_of_a_later_destructor_gives_its_chunk_back),
        WITH_SPOOL(handler_may_come_anywhere),
        WITH_SPOOL(full_spool_is_waited_for_once),
    };
    return cmocka_run_group_tests_name("thread", tests, NULL, NULL);
}
