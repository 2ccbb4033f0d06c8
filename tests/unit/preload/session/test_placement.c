/* Tests that the drain thread keeps off the processor of a busy thread, follows that thread's moves, and changes no
 * other thread's processors. */
#define _GNU_SOURCE
#include "unit.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/core/guard.h"
#include "preload/core/own_thread.h"
#include "preload/session/placement.h"
#include "schema/clock.h"

XS_TLS struct xs_guard xs_guard; /* of core/thread.c, which is not needed here */
const struct xs_guard_note xs_guard_unleft;

static _Atomic bool ends;
static _Atomic int32_t busy_tid;

static void *be_busy(void *unused) {
    (void)unused;
    atomic_store(&busy_tid, (int32_t)syscall(SYS_gettid));
    while (!atomic_load(&ends)) {
    }
    return NULL;
}

static cpu_set_t one(size_t cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    return set;
}

static cpu_set_t affinity_of(int32_t tid) {
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(tid, sizeof set, &set), 0);
    return set;
}

/* Looks until the busy thread has used so much time that a look finds it busy, whatever else the machine does. */
static void look_until_off(size_t cpu) {
    int32_t tids[] = {atomic_load(&busy_tid)};
    cpu_set_t mine = affinity_of(0);
    for (uint64_t until = xs_monotonic_ns() + UINT64_C(300000000000); CPU_ISSET(cpu, &mine);) {
        assert_true(xs_monotonic_ns() < until);
        usleep(100000);
        xs_placement_look(tids, 1);
        mine = affinity_of(0);
    }
}

/* Looks until a look finds that the busy thread has no processor of its own. */
static void look_until_in_the_way(void) {
    int32_t tids[] = {atomic_load(&busy_tid)};
    for (uint64_t until = xs_monotonic_ns() + UINT64_C(300000000000); !xs_placement_look(tids, 1);) {
        assert_true(xs_monotonic_ns() < until);
        usleep(100000);
    }
}

/* Finds two processors that the thread may use. */
static bool find_two(size_t cpus[2]) {
    cpu_set_t all = affinity_of(0);
    int found = 0;
    for (size_t cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
        if (CPU_ISSET(cpu, &all))
            cpus[found++] = cpu;
    return found == 2;
}

static pthread_t start_busy(void) {
    pthread_t thread;
    atomic_store(&busy_tid, 0);
    atomic_store(&ends, false);
    assert_int_equal(pthread_create(&thread, NULL, be_busy, NULL), 0);
    while (!atomic_load(&busy_tid))
        usleep(1000);
    return thread;
}

static void keeps_off_a_busy_processor(void **state) {
    size_t cpus[2];
    cpu_set_t all = affinity_of(0);
    (void)state;
    if (!find_two(cpus))
        skip();
    pthread_t thread = start_busy();
    for (int i = 0; i < 4; i++) {
        size_t at = cpus[i % 2], other = cpus[1 - i % 2];
        cpu_set_t set = one(at);
        assert_int_equal(pthread_setaffinity_np(thread, sizeof set, &set), 0);
        look_until_off(at);
        cpu_set_t mine = affinity_of(0), theirs = affinity_of(atomic_load(&busy_tid));
        assert_true(CPU_ISSET(other, &mine));
        assert_false(xs_placement_look((int32_t[]){atomic_load(&busy_tid)}, 1)); /* the other one is free */
        assert_int_equal(CPU_COUNT(&mine), CPU_COUNT(&all) - 1);
        assert_true(CPU_EQUAL(&theirs, &set));
    }
    atomic_store(&ends, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_false(xs_placement_look(NULL, 0)); /* nobody is busy any more */
    cpu_set_t mine = affinity_of(0);
    assert_true(CPU_EQUAL(&mine, &all));
}

static void begins_off_the_processor(void **state) {
    cpu_set_t all = affinity_of(0);
    int here = sched_getcpu();
    (void)state;
    if (CPU_COUNT(&all) < 2)
        skip();
    xs_placement_begin(-1); /* not known */
    cpu_set_t mine = affinity_of(0);
    assert_true(CPU_EQUAL(&mine, &all));
    xs_placement_begin(here);
    mine = affinity_of(0);
    assert_false(CPU_ISSET((size_t)here, &mine));
    assert_true(sched_getcpu() != here);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_false(xs_placement_look(NULL, 0));
}

/* A user moves the process, every thread of it, while it runs, and later lets it go anywhere again. */
static void stays_where_it_was_moved_to(void **state) {
    size_t cpus[2];
    cpu_set_t all = affinity_of(0);
    (void)state;
    if (!find_two(cpus))
        skip();
    pthread_t thread = start_busy();
    cpu_set_t set = one(cpus[0]);
    assert_int_equal(pthread_setaffinity_np(thread, sizeof set, &set), 0);
    look_until_off(cpus[0]);
    assert_int_equal(sched_setaffinity(0, sizeof set, &set), 0);
    for (int i = 0; i < 10; i++) {
        int32_t tids[] = {atomic_load(&busy_tid)};
        xs_placement_look(tids, 1);
        cpu_set_t mine = affinity_of(0);
        assert_true(CPU_EQUAL(&mine, &set));
        usleep(100000);
    }
    look_until_in_the_way();
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    look_until_off(cpus[0]);
    atomic_store(&ends, true);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

static void *stand_back(void *policy) {
    const struct sched_param none = {0};
    if (*(int *)policy == SCHED_IDLE)
        assert_int_equal(sched_setscheduler(0, SCHED_IDLE, &none), 0);
    xs_own_thread_stand_back();
    *(int *)policy = sched_getscheduler(0);
    return NULL;
}

static void works_in_the_background(void **state) {
    pthread_t thread;
    int policy = -1, mine = sched_getscheduler(0);
    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, stand_back, &policy), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(policy, SCHED_BATCH);
    assert_int_equal(sched_getscheduler(0), mine);
    policy = SCHED_IDLE; /* the program's: it is further back still */
    assert_int_equal(pthread_create(&thread, NULL, stand_back, &policy), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(policy, SCHED_IDLE);
}

int main(void) {
    xs_placement_topology = "/nowhere"; /* here each processor is a core (test_processors.c has others) */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begins_off_the_processor),
        cmocka_unit_test(keeps_off_a_busy_processor),
        cmocka_unit_test(stays_where_it_was_moved_to),
        cmocka_unit_test(works_in_the_background),
    };
    return cmocka_run_group_tests_name("placement", tests, NULL, NULL);
}
