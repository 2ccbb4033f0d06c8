/* Helps to test a session with the fake libcupti. A process can have only one session, so every test runs in a child
 * process. */
#ifndef XFERSPY_TESTS_CUPTI_SESSION_UNIT_H
#define XFERSPY_TESTS_CUPTI_SESSION_UNIT_H

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "fake_cupti.h"
#include "preload/core/quiescence.h"
#include "preload/cupti/cupti.h"

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static inline void in_child(void (*body)(void)) {
    pid_t child = fork();
    if (child == 0) {
        body();
        exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static inline void *open_fake(void) {
    void *handle = dlopen(FAKE_CUPTI_PATH, RTLD_NOW | RTLD_LOCAL);
    CHECK(handle);
    return handle;
}

static inline struct fake_cupti *fake_of(void *handle) { return dlsym(handle, "fake_cupti_state"); }

static inline uint64_t nothing(void) { return 0; }
static inline bool is_idle(uint64_t ns) { return ns > 0; }

static inline bool status_is(const char *status) { return strcmp(xs_cupti_state()->status, status) == 0; }

/* Starts a session that records kernels but no migrations, with a budget of 2 %; `wishes` has the other settings.
 * Afterwards the calling thread has a slot at the gate, as if it had called the driver. */
static inline struct fake_cupti *start_wished(struct xs_cupti_wishes wishes) {
    wishes.kernels = true;
    wishes.migrations = "off";
    wishes.budget_percent = 2;
    wishes.others_ns = nothing;
    setenv("XFERSPY_CUPTI_LIBRARY", FAKE_CUPTI_PATH, 1);
    xs_cupti_start(&wishes);
    CHECK(xs_cupti_watch_windows()); /* normally called by the flusher; prepares the gate */
    xs_gate_enter();
    xs_gate_leave();
    return fake_of(open_fake());
}

#define TEST(name)                                                                                                     \
    static void test_##name(void **state) {                                                                            \
        (void)state;                                                                                                   \
        in_child(name);                                                                                                \
    }

#endif
