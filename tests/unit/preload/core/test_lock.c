/* A signal handler jumps away with a lock: nobody waits for it for ever. */
#define _GNU_SOURCE
#include "unit.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/core/lock.h"
#include "preload/core/memory_map.h"
#include "step_by_step.h"
#include "stop_unit.h"

enum { MOST_SECONDS = 300, RANGES = 2000 };

static sigjmp_buf back;
static void leave(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

static bool insert(uint64_t i) {
    struct xs_memory_range range = {.start = i << 20, .end = (i << 20) + 4096, .bytes = 4096, .id = (uint32_t)i};
    return xs_map_insert(&range);
}

/* ThreadSanitizer delivers a signal at the next call that it knows, and has its own mutexes. */
#ifdef __SANITIZE_THREAD__
#define NEEDS_SIGNALS_AT_ONCE() skip()
#else
#define NEEDS_SIGNALS_AT_ONCE() ((void)0)
#endif

/* ---- a lock that makes signals wait ---- */

static struct xs_lock seldom = XS_LOCK_INITIALIZER;

static void signals_wait_for_the_lock(void **state) {
    volatile unsigned reached = 0;
    (void)state;
    NEEDS_SIGNALS_AT_ONCE();
    signal(SIGUSR1, leave);
    for (volatile unsigned i = 0; i < 2; i++) { /* the second turn needs the lock again */
        if (sigsetjmp(back, 1) == 0) {
            xs_lock(&seldom);
            raise(SIGUSR1);
            reached++;
            xs_unlock(&seldom);
            reached += 100;
        }
    }
    signal(SIGUSR1, SIG_DFL);
    assert_int_equal(reached, 2);
}

/* ---- the map, whose changes are to be quick ---- */

static bool raises;
static unsigned raised;
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's --wrap
void *__real_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes) {
    if (raises) {
        raised++;
        raise(SIGUSR1);
    }
    return __real_calloc(count, bytes);
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

/* The application's allocator takes its time, and the change goes on when it is over. */
static void change_that_allocates_is_not_left(void **state) {
    struct xs_memory_range found;
    (void)state;
    NEEDS_SIGNALS_AT_ONCE();
    alarm(MOST_SECONDS);
    signal(SIGUSR1, leave);
    raises = true;
    for (volatile uint64_t i = 1; i <= RANGES; i++)
        if (sigsetjmp(back, 1) == 0)
            assert_true(insert(i));
    raises = false;
    signal(SIGUSR1, SIG_DFL);
    alarm(0);
    assert_in_range(raised, RANGES / 128, RANGES);
    assert_int_equal(stops, 0);
    assert_int_equal(xs_map_count(), RANGES);
    for (uint64_t i = 1; i <= RANGES; i++) {
        assert_true(xs_map_find(i << 20, &found));
        assert_int_equal(found.id, i);
    }
    xs_map_clear();
}

#if defined(CAN_STEP) && !defined(__SANITIZE_ADDRESS__)
enum { AT_ONCE = 64, UNHARMED = 0, STOPPED = 1, NOT_REACHED = 2, WRONG = 3 };
static volatile unsigned steps_left;

static void leave_at_the_step(int signal) {
    if (--steps_left == 0)
        leave(signal);
}

static void *use_the_map(void *unused) {
    struct xs_memory_range found;
    insert(4);
    xs_map_find(UINT64_C(4) << 20, &found);
    xs_map_remove(UINT64_C(4) << 20, &found);
    return unused;
}

/* Without the end of capture the map has to be whole. */
static int leave_a_change_at(unsigned step) {
    pthread_t thread;
    struct sigaction action = {.sa_handler = leave_at_the_step};
    alarm(MOST_SECONDS);
    steps_left = step;
    insert(1);
    insert(3); /* there is memory for the one that is left */
    sigaction(SIGTRAP, &action, NULL);
    if (sigsetjmp(back, 1) == 0) {
        step_by_step(true);
        insert(2);
        step_by_step(false);
        return NOT_REACHED;
    }
    pthread_create(&thread, NULL, use_the_map, NULL);
    use_the_map(NULL);
    pthread_join(thread, NULL);
    struct xs_memory_range found;
    if (stops > 0)
        return STOPPED;
    return xs_map_find(UINT64_C(1) << 20, &found) && xs_map_find(UINT64_C(3) << 20, &found) ? UNHARMED : WRONG;
}

static unsigned ends[4], killed;

static void wait_for_one(void) {
    int status = 0;
    assert_true(wait(&status) > 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) <= WRONG)
        ends[WEXITSTATUS(status)]++;
    else
        killed++;
}

/* A process for each instruction of a change. */
static void change_may_be_left_anywhere(void **state) {
    (void)state;
    unsigned running = 0;
    for (unsigned step = 1; ends[NOT_REACHED] == 0; step++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            _exit(leave_a_change_at(step));
        if (++running > AT_ONCE) {
            wait_for_one();
            running--;
        }
    }
    for (; running > 0; running--)
        wait_for_one();
    assert_int_equal(killed, 0);
    assert_int_equal(ends[WRONG], 0);
    assert_true(ends[UNHARMED] > 10); /* before the lock, and after it */
    assert_true(ends[STOPPED] > 100);
}
#else
static void change_may_be_left_anywhere(void **state) {
    (void)state;
    skip();
}
#endif

/* ---- a lock that others are quicker to get, again and again: a mutex is not fair ---- */

static struct xs_open_lock busy_lock = XS_OPEN_LOCK_INITIALIZER;
static unsigned quicker;
// NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the linker's --wrap
int __real_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int __wrap_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until);
int __wrap_pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until) {
    if (quicker == 0)
        return __real_pthread_mutex_timedlock(mutex, until);
    quicker--;
    busy_lock.acquisitions++;
    return ETIMEDOUT;
}
// NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp)

static void busy_lock_is_not_left(void **state) {
    (void)state;
    quicker = 1000;
    assert_true(xs_open_lock_wait(&busy_lock));
    assert_int_equal(quicker, 0);
    assert_int_equal(stops, 0);
    xs_open_unlock(&busy_lock);
}

/* ---- a lock that another thread left ---- */

static struct xs_open_lock left_lock = XS_OPEN_LOCK_INITIALIZER;

static void *take_it(void *unused) {
    assert_true(xs_open_lock(&left_lock));
    return unused;
}

/* The wait takes two seconds, and only the first time. */
static void lock_that_was_left_is_waited_for_once(void **state) {
    pthread_t thread;
    struct timespec begin, end;
    (void)state;
    NEEDS_SIGNALS_AT_ONCE();
    assert_int_equal(pthread_create(&thread, NULL, take_it, NULL), 0);
    pthread_join(thread, NULL);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned i = 0; i < 100; i++)
        assert_false(xs_open_lock(&left_lock));
    clock_gettime(CLOCK_MONOTONIC, &end);
    assert_in_range(end.tv_sec - begin.tv_sec, 1, 100); /* each time would be 200 */
    assert_int_not_equal(stops, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signals_wait_for_the_lock),
        cmocka_unit_test(change_that_allocates_is_not_left),
        cmocka_unit_test(change_may_be_left_anywhere),
        cmocka_unit_test(busy_lock_is_not_left),
        cmocka_unit_test(lock_that_was_left_is_waited_for_once), /* last: no lock is waited for after it */
    };
    return cmocka_run_group_tests_name("lock", tests, NULL, NULL);
}
