/* Tests that capture and the analyzer decide in the same way: a wait with a regular rhythm is found at the same return,
 * whether the program still runs or a trace ends there. */
#include "played.h"

#include <sys/wait.h>
#include <unistd.h>

#include "preload/core/asked_window.h"
#include "preload/core/hooks.h"
#include "preload/core/step_waits.h"

static bool start_session(unsigned row) {
    (void)row;
    return false;
}

static bool is_gone(uintptr_t return_address_at) {
    (void)return_address_at;
    return false;
}

static void window_asked(void) {}

const struct xs_hooks xs_hooks = {.start_session = start_session, .is_gone = is_gone, .window_asked = window_asked};

enum { MS = 1000000, MOST = 30 };

/* Distances between the returns, in ms; the last one is repeated. */
struct rhythm {
    uint64_t distances[MOST];
    unsigned found_with; /* return, from 1 on; 0: never */
};

static uint64_t distance(const struct rhythm *rhythm, unsigned i) {
    unsigned last = 0;
    while (last + 1 < MOST && rhythm->distances[last + 1])
        last++;
    return rhythm->distances[i < last ? i : last] * MS;
}

/* Returns the first return with which the running search finds the wait. */
static unsigned found_at_capture(const struct rhythm *rhythm) {
    const struct xs_step_wait wait = {.row = 7, .stack = 3, .thread = 5};
    uint64_t now_ns = 1000 * (uint64_t)MS;
    xs_step_waits_start(0, 0);
    for (unsigned i = 0; i < MOST; now_ns += distance(rhythm, i++))
        if (xs_step_waited(&wait, now_ns))
            return i + 1;
    return 0;
}

/* Runs the search in its own process, because a process has only one search. */
static unsigned found_in_a_child(const struct rhythm *rhythm) {
    int status;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit((int)found_at_capture(rhythm));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (unsigned)WEXITSTATUS(status);
}

static bool is_found_in_trace(const struct rhythm *rhythm, unsigned returns) {
    static struct played played;
    play_begin(&played);
    for (unsigned i = 0; i < returns; i++) {
        uint64_t begin_ns = played.now_ns;
        play_sync(&played);
        played.now_ns = begin_ns + distance(rhythm, i);
    }
    play_analyse(&played, NULL);
    bool is_found = played.findings->steps.count > 0;
    play_end(&played);
    return is_found;
}

static void both_find_it_with_the_same_return(void **state) {
    static const struct rhythm rhythms[] = {
        {{20}, 6},
        {{60, 20}, 7},             /* a warm-up */
        {{16, 24, 16, 24, 16}, 6}, /* a standard deviation of 20 % */
        {{20, 20, 300, 20}, 21},   /* an exception */
        {{1000, 20}, 0},           /* it covers less than half of the run */
        {{210, 20}, 13},           /* it does at last */
        {{14, 26, 14, 26, 14, 26, 14, 26, 14, 26, 14, 26, 14, 26, 14, 26, 14, 26, 14, 26, 14, 26, 14, 26, 14, 26, 14},
         0}, /* 30 % */
        {{10, 200, 10, 200, 10, 200, 10, 200, 10, 200, 10, 200, 10, 200, 10, 200, 10, 200, 10, 200, 10, 200, 10, 200},
         0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rhythms / sizeof *rhythms; i++) {
        assert_int_equal(found_in_a_child(&rhythms[i]), rhythms[i].found_with);
        unsigned found_with = 0;
        for (unsigned returns = 1; returns <= MOST && !found_with; returns++)
            found_with = is_found_in_trace(&rhythms[i], returns) ? returns : 0;
        assert_int_equal(found_with, rhythms[i].found_with);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_find_it_with_the_same_return)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
