/* Plays copies and kernels for the tests of no-overlap. The calls are made right at the beginning. Their work runs on
 * the device later, one operation after the other; the tests give the durations in microseconds. */
#ifndef XFERSPY_TESTS_UNIT_ANALYZER_TURNS_H
#define XFERSPY_TESTS_UNIT_ANALYZER_TURNS_H

#include "played.h"

enum { A = 0x10000000, B = 0x20000000, C = 0x30000000, HOST = 0x5000000, SIZE = 1 << 20, US = 1000, STEP_US = 10 };
enum { BEGIN_US = 20000 };

static struct played played, *p = &played;
static uint32_t a, b, c;
static uint64_t at_us; /* present time on the device */

#define PAIRS_UNDECIDED(count) UNDECIDED("no-overlap", "launch arguments not seen", count)

static inline void begin(void) {
    play_begin(p);
    a = play_alloc(p, A, SIZE);
    b = play_alloc(p, B, SIZE);
    c = play_alloc(p, C, SIZE);
    p->host = XS_MEM_PINNED;
    p->async = true;
    at_us = BEGIN_US;
}

static inline uint64_t delay_ns(void) { return at_us * US - (p->now_ns + STEP_US * US); }

static inline void idle(uint64_t us) { at_us += us; }

static inline void kernel(uint64_t us, uint32_t id) {
    p->kernel_delay_ns = delay_ns();
    p->kernel_ns = us * US;
    if (id)
        play_kernel(p, 1, &id);
    else
        play_unseen_kernel(p);
    at_us += us;
}

static inline void up(uint64_t us, uint64_t to) {
    p->delay_ns = delay_ns();
    p->device_ns = us * US;
    play_up(p, to, SIZE, NO_CONTENT, NOT_MEASURED, HOST);
    at_us += us;
}

static inline void down(uint64_t us, uint64_t from) {
    p->delay_ns = delay_ns();
    p->device_ns = us * US;
    play_down(p, from, SIZE, NO_CONTENT, HOST);
    at_us += us;
}

/* Lets the host wait for all work so far. */
static inline void host_waits(void) {
    p->now_ns = at_us * US;
    idle(2 * STEP_US);
}

static inline void analyse(uint64_t run_us) {
    char sql[128];
    snprintf(sql, sizeof sql, "INSERT OR REPLACE INTO meta VALUES ('duration_ns', %llu)",
             (unsigned long long)run_us * US);
    play_analyse(p, sql);
}

/* Alternates kernels on one buffer with uploads into the other buffer. The two buffers are exchanged after each
 * pair. */
static inline void turns(int times, uint64_t kernel_us, uint64_t up_us) {
    for (int i = 0; i < times; i++) {
        kernel(kernel_us, i % 2 ? b : a);
        up(up_us, i % 2 ? A : B);
    }
}

static inline uint64_t removable_us(void) { return played_finding(p, "no-overlap")->removable.exposed_ns / US; }

#endif
