/* Ticks of the capture clock and their conversion to nanoseconds.
 *
 * A tick is the CPU's time-stamp counter where the kernel itself keeps time with it (a read costs a third of a
 * clock_gettime), the architectural counter on aarch64, else CLOCK_MONOTONIC in nanoseconds. Ticks become times only
 * when events leave the spool, by readings of both clocks taken at the same moments. */
#ifndef XFERSPY_SCHEMA_CLOCK_H
#define XFERSPY_SCHEMA_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum xs_clock_source { XS_CLOCK_MONOTONIC = 0, XS_CLOCK_COUNTER = 1 };

/* The map from ticks to nanoseconds is a chain of straight pieces through readings of both clocks. Only its open end
 * is ever extended: what was converted once converts to the same time again, so that one thread's events keep their
 * order across readings. clock.c has the figures. */
#define XS_CLOCK_KNOTS 48
struct xs_clock_knot {
    uint64_t tick;
    int64_t ns;     /* since the trace's time 0 */
    uint64_t slope; /* from here on: nanoseconds a tick, times 2^40 */
};
struct xs_clock_map {
    uint64_t base_tick; /* the reading from which the slope of the open end is measured */
    int64_t base_ns;
    uint32_t count, reserved;
    struct xs_clock_knot knots[XS_CLOCK_KNOTS];
};

/* Lives in the spool's header, so that recovery converts as the drain thread would have; of the two maps one is whole
 * at any moment. `origin_ns` is the CLOCK_MONOTONIC time that the trace calls 0. With the source XS_CLOCK_MONOTONIC
 * the maps are not used: a zeroed struct converts tick n to n nanoseconds. */
struct xs_clock {
    uint32_t source; /* enum xs_clock_source */
    _Atomic uint32_t current;
    uint64_t origin_ns;
    uint64_t held_tick; /* no tick after this one has been converted yet */
    struct xs_clock_map maps[2];
};

static inline uint64_t xs_monotonic_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The processor time of the calling thread. */
static inline uint64_t xs_thread_cpu_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The present tick. Any thread, async-signal-safe. */
static inline uint64_t xs_clock_tick(enum xs_clock_source source) {
    if (source == XS_CLOCK_COUNTER) {
#if defined(__x86_64__)
        return __rdtsc();
#elif defined(__aarch64__)
        uint64_t v;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
        return v;
#endif
    }
    return xs_monotonic_ns();
}

/* Chooses the source for this machine and takes the first reading: the trace's time 0 is now. Until xs_clock_measure
 * took the second one, which it does 0.2 ms later at the earliest, ticks cannot be converted. */
void xs_clock_begin(struct xs_clock *clock);
void xs_clock_measure(struct xs_clock *clock);

/* Both. */
void xs_clock_start(struct xs_clock *clock);

/* Takes another reading and extends the map by it, or leaves that for later where the map is still good. Called by the
 * drain thread before each batch, and by nobody else. */
void xs_clock_sync(struct xs_clock *clock);

/* Says that ticks up to now have been converted, so that the next reading leaves the map up to here as it is.
 * xs_spool_drain calls it after its batch. Same thread as xs_clock_sync. */
void xs_clock_hold(struct xs_clock *clock);

/* True when every field is one that the functions above leave; for clocks read from a file. */
bool xs_clock_is_sound(const struct xs_clock *clock);

/* Nanoseconds since the trace's time 0. Ticks before the first reading give negative times. */
int64_t xs_clock_to_ns(const struct xs_clock *clock, uint64_t tick);

/* Nanoseconds since the trace's time 0 of a CLOCK_MONOTONIC reading. */
int64_t xs_clock_from_monotonic(const struct xs_clock *clock, uint64_t monotonic_ns);

/* "tsc", "cntvct" or "monotonic", for meta. */
const char *xs_clock_name(const struct xs_clock *clock);

#endif
