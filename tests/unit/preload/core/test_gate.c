/* Tests the gate: no thread is inside while it is closed, threads that arrive wait, and a thread that has ended or
 * stays inside does not block it for good. */
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/core/quiescence.h"
#include "schema/clock.h"

#define MS UINT64_C(1000000)

static uint32_t at_rest; /* the gate's word where nobody has closed it */
static _Atomic bool over, closed;
static _Atomic unsigned long passes, violations;

static void *passing(void *arg) {
    while (!atomic_load(&over)) {
        xs_gate_enter();
        if (atomic_load(&closed))
            atomic_fetch_add(&violations, 1);
        atomic_fetch_add(&passes, 1);
        xs_gate_leave();
    }
    return arg;
}

static void nobody_is_inside_while_it_is_closed(void **state) {
    pthread_t threads[4];
    unsigned turns = 0;
    (void)state;
    atomic_store(&over, false);
    for (unsigned i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, passing, NULL), 0);
    for (unsigned i = 0; i < 2000; i++) {
        if (i % 20 == 0) /* on a busy machine none of them may run for long */
            for (unsigned long seen = atomic_load(&passes); atomic_load(&passes) <= seen + 10;)
                usleep(100);
        if (xs_gate_close(50 * MS)) {
            unsigned long before = atomic_load(&passes);
            atomic_store(&closed, true);
            for (volatile unsigned spin = 0; spin < 1000; spin++) {
            }
            assert_int_equal(atomic_load(&passes), before);
            atomic_store(&closed, false);
            xs_gate_open();
            turns++;
        }
    }
    atomic_store(&over, true);
    for (unsigned i = 0; i < COUNT_OF(threads); i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(atomic_load(&violations), 0);
    assert_true(turns > 100);
}

static _Atomic int step;

static void *staying(void *arg) {
    xs_gate_enter();
    atomic_store(&step, 1);
    while (atomic_load(&step) != 2)
        usleep(1000);
    xs_gate_leave();
    return arg;
}

static void who_stays_inside_has_it_opened_again(void **state) {
    pthread_t thread;
    (void)state;
    atomic_store(&step, 0);
    assert_int_equal(pthread_create(&thread, NULL, staying, NULL), 0);
    while (atomic_load(&step) != 1)
        usleep(1000);
    assert_false(xs_gate_close(2 * MS));
    assert_int_equal(atomic_load(&xs_gate_closed), at_rest);
    atomic_store(&step, 2);
    pthread_join(thread, NULL);
    assert_true(xs_gate_close(2000 * MS));
    assert_false(xs_gate_close(2 * MS)); /* it is closed already */
    xs_gate_open();
}

static void wait_for_step(int number) {
    while (atomic_load(&step) != number)
        usleep(1000);
}

/* A call that is not recorded, and inside of it others that a handler makes; one of them comes while the gate is about
 * to be closed. */
static __attribute__((noinline)) void *calling_inside(void *arg) {
    struct xs_guard_note note;
    xs_gate_enter_outer(&note, XS_GUARD_HERE());
    xs_gate_enter();
    xs_gate_leave();
    atomic_store(&step, 1);
    while (atomic_load(&xs_gate_closed) == at_rest)
        sched_yield();
    xs_gate_enter();
    xs_gate_leave();
    wait_for_step(2);
    xs_gate_leave_outer();
    atomic_store(&step, 3);
    wait_for_step(4);
    return arg;
}

static void who_calls_inside_of_a_call_stays_inside(void **state) {
    pthread_t thread;
    (void)state;
    atomic_store(&step, 0);
    assert_int_equal(pthread_create(&thread, NULL, calling_inside, NULL), 0);
    wait_for_step(1);
    assert_false(xs_gate_close(50 * MS));
    atomic_store(&step, 2);
    wait_for_step(3);
    assert_true(xs_gate_close(2000 * MS));
    xs_gate_open();
    atomic_store(&step, 4);
    pthread_join(thread, NULL);
}

static void *leaving_without_a_word(void *arg) {
    xs_gate_enter();
    return arg;
}

static void who_ends_inside_is_forgotten(void **state) {
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, leaving_without_a_word, NULL), 0);
    pthread_join(thread, NULL);
    assert_true(xs_gate_close(2000 * MS));
    xs_gate_open();
}

static void *coming(void *arg) {
    atomic_store(&step, 1);
    xs_gate_enter();
    atomic_store(&step, 2);
    xs_gate_leave();
    return arg;
}

static void who_comes_waits(void **state) {
    pthread_t thread;
    (void)state;
    atomic_store(&step, 0);
    assert_true(xs_gate_close(2000 * MS));
    assert_int_equal(pthread_create(&thread, NULL, coming, NULL), 0);
    while (atomic_load(&step) == 0)
        usleep(1000);
    usleep(20000);
    assert_int_equal(atomic_load(&step), 1);
    assert_true(xs_gate_is_empty());
    xs_gate_open();
    pthread_join(thread, NULL);
    assert_int_equal(atomic_load(&step), 2);
}

/* A thread whose ten seconds at the gate are over at once, by its clock. Just then the gate may be opened. */
static XS_TLS unsigned looks_at_clock; /* 0: the clock is right */
static bool opens_meanwhile;

// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's --wrap
int __real_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time);
int __wrap_clock_gettime(clockid_t clock, struct timespec *time) {
    int status = __real_clock_gettime(clock, time);
    if (looks_at_clock && ++looks_at_clock > 2) { /* the first look is when it begins to wait */
        time->tv_sec += 11;
        if (opens_meanwhile)
            xs_gate_open();
    }
    return status;
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

static void *losing_patience(void *arg) {
    looks_at_clock = 1;
    xs_gate_enter();
    looks_at_clock = 0;
    xs_gate_leave();
    return arg;
}

static void let_one_lose_patience(bool opens) {
    pthread_t thread;
    opens_meanwhile = opens;
    assert_true(xs_gate_close(2000 * MS));
    assert_true(xs_gate_is_empty());
    assert_int_equal(pthread_create(&thread, NULL, losing_patience, NULL), 0);
    pthread_join(thread, NULL);
}

static void who_goes_in_all_the_same_is_noticed(void **state) {
    (void)state;
    let_one_lose_patience(false);
    assert_false(xs_gate_is_empty()); /* although it left again */
    atomic_store(&step, 0);
    coming(NULL); /* no other thread waits either */
    xs_gate_open();
    who_comes_waits(state);
}

static void who_finds_it_open_when_patience_ends_has_not_gone_in(void **state) {
    (void)state;
    let_one_lose_patience(true);
    assert_int_equal(atomic_load(&xs_gate_closed), at_rest);
    who_comes_waits(state);
}

static void counts_are_of_all_threads(void **state) {
    struct xs_gate_counts before = xs_gate_counts();
    (void)state;
    xs_gate_enter();
    xs_gate_count(&xs_gate_slot->launches);
    xs_gate_count(&xs_gate_slot->launches);
    xs_gate_count(&xs_gate_slot->copies);
    atomic_store(&xs_gate_slot->correlation, 77);
    xs_gate_leave();
    struct xs_gate_counts after = xs_gate_counts();
    assert_int_equal(after.launches - before.launches, 2);
    assert_int_equal(after.copies - before.copies, 1);
    assert_int_equal(xs_gate_latest_correlation(5), 77);
    assert_int_equal(xs_gate_latest_correlation(100), 100);
    assert_int_equal(xs_gate_latest_correlation(UINT32_MAX), 77); /* ids begin again behind the largest */
}

static bool is_closed_again(void) {
    xs_gate_prepare();
    return xs_gate_close(2000 * MS);
}

/* A child has the threads of its parent in its memory, and none of them. */
static void a_forked_child_begins_anew(void **state) {
    (void)state;
    assert_true(xs_gate_close(2000 * MS));
    pid_t child = fork();
    if (child == 0) {
        xs_gate_forget();
        xs_gate_enter();
        xs_gate_leave();
        _exit(atomic_load(&xs_gate_closed) == at_rest && is_closed_again() ? 0 : 1);
    }
    xs_gate_open();
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A signal handler forks inside of a call, and returns in the child, too. */
static void a_child_leaves_the_call_it_was_forked_in(void **state) {
    int status = -1;
    (void)state;
    xs_gate_enter();
    pid_t child = fork();
    if (child == 0) {
        xs_gate_forget();
        bool was_inside = xs_gate_is_inside();
        xs_gate_leave();
        _exit(was_inside && !xs_gate_is_inside() && is_closed_again() ? 0 : 1);
    }
    xs_gate_leave();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

enum { MANY = 2100 }; /* more threads than the places that are searched first */

static pthread_mutex_t until_over = PTHREAD_MUTEX_INITIALIZER;

static void *being_one_of_many(void *arg) {
    xs_gate_enter();
    atomic_fetch_add(&passes, 1);
    xs_gate_leave();
    pthread_mutex_lock(&until_over);
    pthread_mutex_unlock(&until_over);
    return arg;
}

static void many_threads_have_a_place_each(void **state) {
    static pthread_t threads[MANY];
    pthread_attr_t small;
    unsigned count = 0;
    (void)state;
    atomic_store(&passes, 0);
    pthread_mutex_lock(&until_over);
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 64 * 1024);
    while (count < MANY && pthread_create(&threads[count], &small, being_one_of_many, NULL) == 0)
        count++;
    while (atomic_load(&passes) < count)
        usleep(1000);
    if (count == MANY) { /* the machine has room for them */
        assert_true(xs_gate_close(2000 * MS));
        xs_gate_open();
    }
    pthread_mutex_unlock(&until_over);
    for (unsigned i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pthread_attr_destroy(&small);
}

/* A filter of system calls that comes while the process runs: what other threads have stored has to settle first. */
static void membarrier_that_ceases_to_work(void **state) {
    (void)state;
    if (at_rest == XS_GATE_FENCED)
        return; /* is what the other tests are about */
    pid_t child = fork();
    if (child == 0) {
        xs_gate_forget();
        xs_gate_prepare();
        xs_gate_enter();
        xs_gate_leave();
        xs_gate_without_membarrier();
        bool first = xs_gate_close(50 * MS), second = xs_gate_close(50 * MS);
        bool is_fenced = atomic_load(&xs_gate_closed) == XS_GATE_FENCED;
        usleep(30000);
        _exit(!first && !second && is_fenced && xs_gate_close(2000 * MS) ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* Once with the kernel's help and once without; a process does not change from one to the other. */
int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_inside_while_it_is_closed),
        cmocka_unit_test(who_stays_inside_has_it_opened_again),
        cmocka_unit_test(who_ends_inside_is_forgotten),
        cmocka_unit_test(who_comes_waits),
        cmocka_unit_test(who_goes_in_all_the_same_is_noticed),
        cmocka_unit_test(who_finds_it_open_when_patience_ends_has_not_gone_in),
        cmocka_unit_test(counts_are_of_all_threads),
        cmocka_unit_test(a_forked_child_begins_anew),
        cmocka_unit_test(who_calls_inside_of_a_call_stays_inside),
        cmocka_unit_test(a_child_leaves_the_call_it_was_forked_in),
        cmocka_unit_test(membarrier_that_ceases_to_work),
        cmocka_unit_test(many_threads_have_a_place_each),
    };
    if (argc > 1 && strcmp(argv[1], "fenced") == 0)
        xs_gate_without_membarrier();
    xs_gate_prepare();
    at_rest = atomic_load(&xs_gate_closed);
    if (argc > 1 && at_rest != XS_GATE_FENCED)
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
