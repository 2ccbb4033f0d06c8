/* A signal handler comes after any instruction of a recorded call, and makes calls of its own, or jumps out of the
 * call. */
#define _GNU_SOURCE
#include "core/thread_unit.h"

#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <ucontext.h>

#include "preload/core/call_windows.h"
#include "preload/core/hooks.h"
#include "preload/core/notes.h"
#include "preload/core/quiescence.h"
#include "preload/core/thread.h"
#include "step_by_step.h"

static bool start_nothing(unsigned row) {
    (void)row;
    return false;
}
static bool finish_nothing(void) { return false; }

static bool is_still_there(uintptr_t return_address_at) {
    assert_int_equal(return_address_at, xs_guard.raised->frame);
    return false;
}

const struct xs_hooks xs_hooks = {
    .start_session = start_nothing, .finish_session = finish_nothing, .is_gone = is_still_there};

void xs_note(const char *topic, const char *format, ...) {
    (void)topic;
    (void)format;
}

static int open_spool(void **state) {
    (void)state;
    return thread_unit_open();
}

static int close_spool(void **state) {
    (void)state;
    return thread_unit_close();
}

#if defined(CAN_STEP)
enum { OF_HANDLER = 999, OF_THREAD = 1234 };
static unsigned recorded_by_handler;

static void record_in_handler(int signal) {
    (void)signal;
    struct xs_event *e = xs_begin(ROW + 1, &(struct xs_guard_note){0});
    if (e) {
        e->stream = OF_HANDLER;
        xs_end(e, 0);
        recorded_by_handler++;
    }
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
    struct xs_event *e = xs_begin(ROW, &(struct xs_guard_note){0});
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

/* Code that the program may leave by a jump: a recorded call, a left-out call, a call that only enters the gate, and
 * work of the library itself. Each has its own stack frame. */
static __attribute__((noinline, noclone)) void record(void) { (void)wrapper(nothing); }

static __attribute__((noinline, noclone)) void leave_out(void) {
    struct xs_guard_note note;
    if (xs_left_out_begin(&note, XS_GUARD_HERE(), XS_LEFT_OUT_TRANSFER)) {
        nothing();
        xs_left_out_end();
    }
}

static __attribute__((noinline, noclone)) void pass_the_gate(void) {
    struct xs_guard_note note;
    if (xs_passes_the_gate(XS_GUARD_HERE())) {
        xs_gate_enter_outer(&note, XS_GUARD_HERE());
        nothing();
        xs_gate_leave_outer();
    }
}

static __attribute__((noinline, noclone)) void work(void) {
    struct xs_guard_own own;
    xs_guard_enter(&own);
    nothing();
    xs_guard_leave(&own);
}

static sigjmp_buf back;
static volatile sig_atomic_t steps_left;

/* While signals are blocked, no handler would come. */
static void jump_at_the_step(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)info;
    if (!sigismember(&((const ucontext_t *)context)->uc_sigmask, SIGUSR1) && --steps_left == 0)
        siglongjmp(back, 1);
}

/* Leaves the call at this instruction. False: the call has fewer instructions. */
static __attribute__((noinline, noclone)) bool leave_at(int step, void (*call)(void)) {
    volatile bool is_left = true;
    if (sigsetjmp(back, 1) == 0) {
        steps_left = step;
        step_by_step(true);
        call();
        step_by_step(false);
        is_left = false;
    }
    return is_left;
}

/* The next call is recorded, wherever it is made, and so is each call after it; the abandoned call may be recorded. */
static void assert_recorded_after(void (*call)(void), bool is_deeper) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    is_deeper = false; /* a sanitizer lays frames out otherwise, and a frame that is gone may stay as it was */
#endif
    if (is_deeper) {
        overwrite_the_stack();
        assert_true(call_in_a_frame_of(1000));
    } else {
        assert_true(wrapper(nothing));
    }
    unsigned first = committed();
    assert_in_range(first, 1, call == record ? 2 : 1);
    for (unsigned i = 1; i <= 3; i++) {
        assert_true(wrapper(nothing));
        assert_int_equal(committed(), first + i);
    }
    assert_false(xs_gate_is_inside());
    assert_null(xs_guard.raised);
    assert_null(xs_gate_outer.raised);
    assert_int_equal(atomic_load(&xs_spool.header->nested), 0);
}

/* A jump at the wrong instruction once ended the recording of the thread for good. */
static void a_call_may_be_left_at_any_instruction(void **state) {
    static void (*const calls[])(void) = {record, leave_out, pass_the_gate, work};
    struct sigaction before, action = {.sa_sigaction = jump_at_the_step, .sa_flags = SA_SIGINFO};
    assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
    for (size_t i = 0; i < 2 * COUNT_OF(calls); i++) {
        void (*const call)(void) = calls[i / 2];
        for (int step = 1; leave_at(step, call); step++) {
            assert_recorded_after(call, i % 2);
            close_spool(state);
            open_spool(state);
        }
        close_spool(state);
        open_spool(state);
    }
    sigaction(SIGTRAP, &before, NULL);
}
#else
static void handler_may_come_anywhere(void **state) {
    (void)state;
    skip();
}
static void a_call_may_be_left_at_any_instruction(void **state) {
    (void)state;
    skip();
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(handler_may_come_anywhere, open_spool, close_spool),
        cmocka_unit_test_setup_teardown(a_call_may_be_left_at_any_instruction, open_spool, close_spool),
    };
    return cmocka_run_group_tests_name("thread_steps", tests, NULL, NULL);
}
