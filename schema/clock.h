/* Ticks of the capture clock and their conversion to nanoseconds.
 *
 * A tick is the CPU's time-stamp counter where the kernel itself keeps time with it (a read costs a third of a
 * clock_gettime), the architectural counter on aarch64, else CLOCK_MONOTONIC in nanoseconds. Ticks become times only
 * when events leave the spool: by the line through two readings of both clocks taken at the same moments. */
#ifndef XFERSPY_SCHEMA_CLOCK_H
#define XFERSPY_SCHEMA_CLOCK_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

enum xs_clock_source { XS_CLOCK_MONOTONIC = 0, XS_CLOCK_COUNTER = 1 };

/* Lives in the spool's header, so that recovery converts as the drain thread would have. The last two readings
 * define the line; `origin_ns` is the CLOCK_MONOTONIC time that the trace calls 0. */
struct xs_clock {
    uint32_t source; /* enum xs_clock_source */
    uint32_t reserved;
    uint64_t origin_ns;
    uint64_t first_tick, first_ns; /* readings: tick, CLOCK_MONOTONIC */
    uint64_t last_tick, last_ns;
};

static inline uint64_t xs_monotonic_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
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

/* Chooses the source for this machine and takes the first reading; the trace's time 0 is now. */
void xs_clock_start(struct xs_clock *clock);

/* Takes another reading; later conversions use it. Called by the drain thread before each batch, and by nobody else. */
void xs_clock_sync(struct xs_clock *clock);

/* Nanoseconds since the trace's time 0. Ticks before the first reading give negative times. */
int64_t xs_clock_to_ns(const struct xs_clock *clock, uint64_t tick);

/* Nanoseconds since the trace's time 0 of a CLOCK_MONOTONIC reading. */
int64_t xs_clock_from_monotonic(const struct xs_clock *clock, uint64_t monotonic_ns);

/* "tsc", "cntvct" or "monotonic", for meta. */
const char *xs_clock_name(const struct xs_clock *clock);

#endif
