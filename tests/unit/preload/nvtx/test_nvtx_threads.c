/* Tests NVTX ranges of several threads, in handlers of signals, and across a fork. */
#include "nvtx_unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static void *start_on_a_thread(void *id) {
    assert_true(nvtxRangePop() < 0); /* the other thread's is not this one's */
    assert_string_equal(here(), "");
    nvtxRangeEnd(*(nvtxRangeId_t *)id);
    nvtxRangePushA("of the thread");
    assert_string_equal(here(), "of the thread");
    *(nvtxRangeId_t *)id = nvtxRangeStartA("outlives it");
    return NULL;
}

static void any_thread_may_end_a_range(void **state) {
    pthread_t thread;
    (void)state;
    nvtxRangeId_t id = nvtxRangeStartA("started here");
    nvtxRangePushA("mine");
    assert_int_equal(pthread_create(&thread, NULL, start_on_a_thread, &id), 0);
    pthread_join(thread, NULL);
    assert_string_equal(here(), "mine");
    nvtxRangePop();
    assert_string_equal(here(), "");
    nvtxRangeEnd(id); /* its thread is gone, and this one may have its place */
    assert_string_equal(here(), "");
}

static _Atomic nvtxRangeId_t to_end;
static _Atomic bool enough;

static void *end_what_is_given(void *unused) {
    (void)unused;
    while (!enough)
        nvtxRangeEnd(atomic_exchange(&to_end, 0));
    nvtxRangeEnd(to_end);
    return NULL;
}

/* Guards the closing of holes against an end at the same time: a range that was ended must not come back. */
static void ends_race_with_closing_holes(void **state) {
    pthread_t thread;
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, end_what_is_given, NULL), 0);
    for (int i = 0; i < 200000; i++) {
        nvtxRangeId_t mine = nvtxRangeStartA("mine"), its = nvtxRangeStartA("its");
        nvtxRangeId_t last = atomic_exchange(&to_end, its);
        nvtxRangeEnd(mine);
        nvtxRangeEnd(last);
    }
    enough = true;
    pthread_join(thread, NULL);
    assert_string_equal(here(), "");
}

static volatile sig_atomic_t signals, wrong_in_handler;

static void open_in_a_handler(int signal_number) {
    (void)signal_number;
    int before = nvtxRangePushA("in the handler");
    nvtxRangeEnd(nvtxRangeStartA("started in the handler"));
    xs_nvtx_range(NULL);
    wrong_in_handler += before < 0 || nvtxRangePop() != before;
    signals++;
}

static void signal_handlers_may_open_ranges(void **state) {
    struct sigaction action = {.sa_handler = open_in_a_handler, .sa_flags = SA_RESTART}, old;
    struct itimerval often = {{0, 50}, {0, 50}}, never = {{0, 0}, {0, 0}};
    unsigned wrong = 0;
    (void)state;
    nvtxRangePushA("interrupted");
    nvtxRangePushA("also interrupted");
    const uint32_t inner = xs_nvtx_range(NULL);
    nvtxRangePop();
    const uint32_t outer = xs_nvtx_range(NULL);
    assert_string_equal(here(), "interrupted");
    spool_is_full = true; /* the lock of the test's own xs_define is not for handlers */
    sigaction(SIGALRM, &action, &old);
    setitimer(ITIMER_REAL, &often, NULL);
    while (signals < 2000) {
        wrong += nvtxRangePushA("also interrupted") != 1;
        wrong += xs_nvtx_range(NULL) != inner;
        nvtxRangeEnd(nvtxRangeStartA("started"));
        wrong += nvtxRangePop() != 1;
        wrong += xs_nvtx_range(NULL) != outer;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &old, NULL);
    spool_is_full = false;
    assert_int_equal(wrong, 0);
    assert_int_equal(wrong_in_handler, 0);
    assert_string_equal(here(), "interrupted");
    assert_int_equal(nvtxRangePop(), 0);
}

static void *same_names(void *barrier) {
    char name[32];
    pthread_barrier_wait(barrier);
    uintptr_t sum = 0;
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "shared %d", i);
        nvtxRangePushA(name);
        sum = sum * 31 + xs_nvtx_range(NULL);
        nvtxRangePop();
    }
    return (void *)sum;
}

static void threads_agree_on_numbers(void **state) {
    pthread_t threads[8];
    pthread_barrier_t barrier;
    void *first = NULL, *other;
    (void)state;
    pthread_barrier_init(&barrier, NULL, COUNT_OF(threads));
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, same_names, &barrier), 0);
    pthread_join(threads[0], &first);
    for (size_t i = 1; i < COUNT_OF(threads); i++) {
        pthread_join(threads[i], &other);
        assert_ptr_equal(other, first);
    }
    pthread_barrier_destroy(&barrier);
    for (uint32_t i = 0; i < XS_RANGES_MOST; i++)
        assert_true(told[i].times <= 1);
}

static void *open_and_leave(void *unused) {
    (void)unused;
    nvtxRangePushA("left open");
    return NULL;
}

/* Guards the places of threads: they are given back, though the ranges were not. */
static void threads_come_and_go(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2 * XS_RANGE_THREADS; i++) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, open_and_leave, NULL), 0);
        pthread_join(thread, NULL);
    }
    assert_int_equal(nvtxRangePushA("there is still a place"), 0);
    assert_int_equal(nvtxRangePop(), 0);
}

static void forked_child_keeps_its_ranges(void **state) {
    int status;
    (void)state;
    nvtxRangePushA("before the fork");
    pid_t child = fork();
    if (child == 0) {
        xs_nvtx_forget();
        bool fine = nvtxRangePushA("in the child") == 1 && strcmp(here(), "before the fork/in the child") == 0 &&
                    nvtxRangePop() == 1 && nvtxRangePop() == 0 && nvtxRangePop() < 0;
        _exit(fine ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_string_equal(here(), "before the fork");
    assert_int_equal(nvtxRangePop(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_thread_may_end_a_range),
        cmocka_unit_test(ends_race_with_closing_holes),
        cmocka_unit_test(signal_handlers_may_open_ranges),
        cmocka_unit_test(threads_agree_on_numbers),
        cmocka_unit_test(threads_come_and_go),
        cmocka_unit_test(forked_child_keeps_its_ranges),
    };
    return nvtx_unit_prepare() ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
