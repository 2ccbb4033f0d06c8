/* Measures what passing the gate (preload/core/quiescence.h) adds to a call, in ns: entering and leaving, minus an
 * empty loop. This is measured if the kernel orders the threads' stores (membarrier), and in a process that has not
 * asked for it, so that each call makes the fence itself. */
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure.h"
#include "preload/core/hooks.h"
#include "preload/core/quiescence.h"

enum { PASSES = 2000000, BATCHES = 31 };

/* The gate's objects need them, and do not use them here. */
const struct xs_hooks xs_hooks;
XS_TLS struct xs_guard xs_guard;
const struct xs_guard_note xs_guard_unleft;

static __attribute__((noinline)) double ns_of_empty_loop(void) {
    double start = now_us();
    for (int i = 0; i < PASSES; i++)
        __asm__ volatile("" ::: "memory");
    return (now_us() - start) * 1e3 / PASSES;
}

static __attribute__((noinline)) double ns_of_passing(void) {
    double start = now_us();
    for (int i = 0; i < PASSES; i++) {
        xs_gate_enter();
        __asm__ volatile("" ::: "memory");
        xs_gate_leave();
    }
    return (now_us() - start) * 1e3 / PASSES;
}

static void measure(const char *metric) {
    double added[BATCHES];
    for (int i = 0; i < BATCHES; i++) {
        double empty = ns_of_empty_loop();
        added[i] = ns_of_passing() - empty;
    }
    print_batches(metric, "ns", added, BATCHES);
    fflush(stdout);
}

int main(void) {
    int status = 1;
    pid_t child = fork();
    if (child == 0) {
        xs_gate_prepare();
        measure("gate");
        return 0;
    }
    CHECK(child < 0 || waitpid(child, &status, 0) != child || status);
    xs_gate_without_membarrier();
    xs_gate_prepare();
    measure("gate, each call fences");
    return 0;
}
