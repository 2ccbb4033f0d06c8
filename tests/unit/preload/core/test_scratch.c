/* Tests the stack on which slow work runs: what it is, and what cannot happen there. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "preload/core/alternate_stack.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SCRATCH false
#else
#define HAS_SCRATCH true
#endif

enum { MUCH_BYTES = 512 * 1024, TURNS = 200, THREADS = 16, PATIENCE_MS = 5000 };

struct place {
    uintptr_t frame;
    bool is_aligned, is_nested_here;
};

static void note_place(void *arg) {
    struct place *place = arg;
    place->frame = (uintptr_t)__builtin_frame_address(0);
}

static void look_around(void *arg) {
    struct place *place = arg, inner = {0};
    _Alignas(32) volatile unsigned char much[MUCH_BYTES];
    for (size_t i = 0; i < sizeof much; i += 4096)
        much[i] = 1;
    place->frame = (uintptr_t)__builtin_frame_address(0);
    place->is_aligned = (uintptr_t)much % 32 == 0;
    assert_true(xs_on_scratch(note_place, &inner));
    place->is_nested_here = inner.frame < place->frame && place->frame - inner.frame < MUCH_BYTES + 4096;
    errno = ENOENT;
}

static bool is_near(uintptr_t a, uintptr_t b) { return a - b < 65536 || b - a < 65536; }

static void function_runs_on_another_stack(void **state) {
    struct place place = {0};
    (void)state;
    errno = EINTR;
    assert_true(xs_on_scratch(look_around, &place));
    assert_int_equal(errno, EINTR);
    assert_true(place.is_aligned);
    assert_true(place.is_nested_here);
    assert_int_equal(is_near(place.frame, (uintptr_t)__builtin_frame_address(0)), !HAS_SCRATCH);
}

static volatile sig_atomic_t handled;
static void count(int signal) {
    (void)signal;
    handled++;
}

static void raise_signals(void *arg) {
    int *state = arg;
    raise(SIGUSR1);
    *state = handled;
}

/* A handler could jump out, or find a stack that its program does not know. */
static void signals_wait_and_faults_do_not(void **state) {
    int while_there = -1;
    (void)state;
    if (!HAS_SCRATCH)
        skip();
    signal(SIGUSR1, count);
    handled = 0;
    assert_true(xs_on_scratch(raise_signals, &while_there));
    assert_int_equal(while_there, 0);
    assert_int_equal(handled, 1);
    signal(SIGUSR1, SIG_DFL);
}

/* Where the handler ran: on an alternate stack, while the work went on. */
static struct place of_handler;
static void use_another(int signal) {
    (void)signal;
    assert_true(xs_on_scratch(note_place, &of_handler));
}

static void be_interrupted(void *arg) {
    struct place *place = arg;
    raise(SIGFPE);
    note_place(place);
}

static void handler_of_a_fault_gets_another_stack(void **state) {
    static unsigned char low[65536];
    stack_t alternate = {.ss_sp = low, .ss_size = sizeof low}, before;
    struct sigaction action = {.sa_handler = use_another, .sa_flags = SA_ONSTACK};
    struct place place = {0};
    (void)state;
    if (!HAS_SCRATCH)
        skip();
    assert_int_equal(sigaltstack(&alternate, &before), 0);
    assert_int_equal(sigaction(SIGFPE, &action, NULL), 0);
    assert_true(xs_on_scratch(be_interrupted, &place));
    assert_false(is_near(place.frame, of_handler.frame));
    signal(SIGFPE, SIG_DFL);
    before.ss_flags = SS_DISABLE;
    sigaltstack(&before, NULL);
}

static sigjmp_buf back;
static void leave(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}
static void raise_one(void *signal) { raise(*(int *)signal); }

/* A handler jumps out of the work, or, if its signal had to wait, out of the work's end. The next function begins at
 * the top of a stack again. The stack that was left is used again, and the thread can be cancelled again. */
static void function_that_was_left_by_a_jump(void **state) {
    static int signals[] = {SIGFPE, SIGUSR1};
    struct place first = {0}, second = {0};
    (void)state;
    if (!HAS_SCRATCH)
        skip();
    assert_true(xs_on_scratch(note_place, &first));
    signal(SIGFPE, leave);
    signal(SIGUSR1, leave);
    for (int i = 0; i < TURNS; i++) {
        int cancel = -1;
        if (sigsetjmp(back, 1) == 0)
            xs_on_scratch(raise_one, &signals[i % 2]);
        assert_true(xs_on_scratch(note_place, &second));
        assert_int_equal(first.frame, second.frame);
        pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &cancel);
        assert_int_equal(cancel, PTHREAD_CANCEL_ENABLE);
    }
    signal(SIGFPE, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
}

static void be_cancelled(void *arg) {
    pthread_cancel(pthread_self());
    pthread_testcancel();
    *(bool *)arg = true;
}

static void *cancelled_on_scratch(void *arg) {
    xs_on_scratch(be_cancelled, arg);
    pthread_testcancel();
    return NULL;
}

static void thread_is_cancelled_only_afterwards(void **state) {
    pthread_t thread;
    void *result;
    bool reached = false;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, cancelled_on_scratch, &reached), 0);
    pthread_join(thread, &result);
    assert_true(reached);
    assert_ptr_equal(result, PTHREAD_CANCELED);
}

static void *use_often(void *arg) {
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        struct place place = {0};
        assert_true(xs_on_scratch(look_around, &place));
        assert_true(place.is_nested_here);
    }
    return NULL;
}

static void threads_have_different_stacks(void **state) {
    pthread_t threads[THREADS];
    (void)state;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_often, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

struct group {
    pthread_barrier_t both;
    _Atomic bool changed;
    bool was_changed;
};

static void wait_for_the_group(void *arg) {
    struct group *group = arg;
    pthread_barrier_wait(&group->both);
    for (int i = 0; i < PATIENCE_MS && !group->changed; i++)
        usleep(1000);
    group->was_changed = group->changed;
}

static void *work_long(void *group) {
    xs_on_scratch(wait_for_the_group, group);
    return NULL;
}

/* glibc lets every thread make the change, by a signal, and waits for all of them. */
static void change_of_group_does_not_wait_for_the_work(void **state) {
    struct group group = {.changed = false};
    pthread_t thread;
    (void)state;
    pthread_barrier_init(&group.both, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, work_long, &group), 0);
    pthread_barrier_wait(&group.both);
    assert_int_equal(setgid(getgid()), 0);
    group.changed = true;
    pthread_join(thread, NULL);
    assert_true(group.was_changed);
}

static void call_nobody(void *called) { *(bool *)called = true; }

struct full {
    bool called, answer, called_here;
};

static void hold(void *arg) {
    pthread_barrier_t *both = arg;
    pthread_barrier_wait(both);
    pthread_barrier_wait(both);
}
static void *hold_a_stack(void *both) {
    xs_on_scratch(hold, both);
    return NULL;
}

static void without_memory_nothing_is_called(void **state) {
    enum { HELD = 9 }; /* more than are kept */
    struct rlimit before, none;
    struct full full = {false, true, false};
    pthread_t holders[HELD];
    pthread_barrier_t all;
    (void)state;
    if (!HAS_SCRATCH)
        skip();
    pthread_barrier_init(&all, NULL, HELD + 1);
    for (int i = 0; i < HELD; i++)
        assert_int_equal(pthread_create(&holders[i], NULL, hold_a_stack, &all), 0);
    pthread_barrier_wait(&all); /* what was kept is in use */
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    full.answer = xs_on_scratch(call_nobody, &full.called);
    xs_on_scratch_or_here(call_nobody, &full.called_here);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    pthread_barrier_wait(&all);
    for (int i = 0; i < HELD; i++)
        pthread_join(holders[i], NULL);
    assert_false(full.answer);
    assert_false(full.called);
    assert_true(full.called_here);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_nothing_is_called),
        cmocka_unit_test(function_runs_on_another_stack),
        cmocka_unit_test(signals_wait_and_faults_do_not),
        cmocka_unit_test(function_that_was_left_by_a_jump),
        cmocka_unit_test(thread_is_cancelled_only_afterwards),
        cmocka_unit_test(threads_have_different_stacks),
        cmocka_unit_test(change_of_group_does_not_wait_for_the_work),
        cmocka_unit_test(handler_of_a_fault_gets_another_stack),
    };
    return cmocka_run_group_tests_name("scratch", tests, NULL, NULL);
}
