/* A forked child must not wait for a lock that a thread of the parent held at the moment of the fork: that thread is
 * not there to give it back. So what the core keeps under a lock makes the lock anew in the child (xs_map_forget,
 * xs_notes_forget). Each test forks while another thread takes and gives back the lock all the time. */
#include "unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/core/memory_map.h"
#include "preload/core/notes.h"

enum { FORKS = 60, CHILD_SECONDS = 20 };

#ifdef __SANITIZE_THREAD__
enum { THREAD_SANITIZER = 1 };
#else
enum { THREAD_SANITIZER = 0 };
#endif

int xs_store_note(struct xs_store *store, int64_t at_ns, const char *topic, const char *text) {
    (void)store;
    (void)at_ns;
    (void)topic;
    (void)text;
    return 0;
}

int64_t xs_clock_from_monotonic(const struct xs_clock *clock, uint64_t monotonic_ns) {
    (void)clock;
    return (int64_t)monotonic_ns;
}

static _Atomic bool done;
static _Atomic unsigned turns;

static void *all_the_time(void *arg) {
    void (*use)(void);
    memcpy(&use, arg, sizeof use);
    while (!atomic_load(&done)) {
        use();
        turns++;
    }
    return NULL;
}

/* A child that waits for ever is ended by its alarm. */
static void forked_children_get_through(void (*use)(void), void (*forget)(void)) {
    pthread_t thread;
    int status;
    if (THREAD_SANITIZER) {
        skip(); /* it takes locks of its own around a fork */
    }
    atomic_store(&done, false);
    turns = 0;
    assert_int_equal(pthread_create(&thread, NULL, all_the_time, &use), 0);
    for (unsigned i = 0; i < FORKS; i++) {
        for (unsigned before = turns; turns == before;) {
        }
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(CHILD_SECONDS);
            forget();
            use();
            _exit(0);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            atomic_store(&done, true);
            pthread_join(thread, NULL);
            fail_msg("the child of fork %u waited for a lock that nobody holds", i);
        }
    }
    atomic_store(&done, true);
    pthread_join(thread, NULL);
}

/* What a child may find half changed is the parent's; it begins with nothing. */
static void count_ranges(void) { (void)xs_map_count(); }

static void lock_of_the_map(void **state) {
    (void)state;
    forked_children_get_through(count_ranges, xs_map_forget);
}

static void write_notes(void) {
    static const struct xs_clock clock;
    xs_note("fork", "the same text again");
    (void)xs_notes_write(NULL, &clock);
}

static void lock_of_the_notes(void **state) {
    (void)state;
    forked_children_get_through(write_notes, xs_notes_forget);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_of_the_map),
        cmocka_unit_test(lock_of_the_notes),
    };
    return cmocka_run_group_tests_name("fork_locks", tests, NULL, NULL);
}
