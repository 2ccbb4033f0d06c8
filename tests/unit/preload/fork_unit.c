#include "fork_unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORKS = 60, CHILD_SECONDS = 300 };

#ifdef __SANITIZE_THREAD__
enum { THREAD_SANITIZER = 1 };
#else
enum { THREAD_SANITIZER = 0 };
#endif

static pid_t parent;
static _Atomic bool done;
static _Atomic unsigned turns;
static struct {
    void (*use)(void);
    bool once;
} other_thread;

static void *use_all_the_time(void *unused) {
    do {
        other_thread.use();
        turns++;
    } while (!other_thread.once && !atomic_load(&done));
    return unused;
}

void stay_in(void) {
    if (getpid() == parent) {
        turns++;
        while (!atomic_load(&done))
            usleep(100);
    }
}

/* Returns whether the child gets through. An alarm ends a child that waits for ever. */
static bool child_gets_through(void (*forget)(void), void (*use)(void)) {
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        alarm(CHILD_SECONDS);
        if (forget)
            forget();
        use();
        syscall(SYS_exit_group, 0); /* _exit may be what is tested */
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void fork_beside(bool once, void (*beside)(void), void (*forget)(void), void (*use)(void)) {
    pthread_t thread;
    bool through = true;
    if (THREAD_SANITIZER)
        skip(); /* it takes locks of its own around a fork */
    parent = getpid();
    other_thread.use = beside;
    other_thread.once = once;
    atomic_store(&done, false);
    turns = 0;
    assert_int_equal(pthread_create(&thread, NULL, use_all_the_time, NULL), 0);
    for (unsigned i = 0; i < (once ? 1 : FORKS) && through; i++) {
        for (unsigned before = once ? 0 : turns; turns == before;) {
        }
        through = child_gets_through(forget, use);
    }
    atomic_store(&done, true);
    pthread_join(thread, NULL);
    if (!through)
        fail_msg("a child waited for a lock that nobody holds");
}

void forked_children_get_through(void (*use)(void), void (*forget)(void)) { fork_beside(false, use, forget, use); }

void child_gets_through_inside(void (*take)(void), void (*forget)(void)) { fork_beside(true, take, forget, take); }
