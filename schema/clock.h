/* The capture clock reads ticks and converts them to nanoseconds.
 *
 * On x86-64 ticks are read from the CPU's time-stamp counter if this counter can be trusted, because reading it takes a
 * third of the time that clock_gettime takes. The counter is trusted if the kernel uses it for its clock, or if the
 * kernel uses the clock of a virtual machine and the CPU says that the counter is constant. On aarch64 ticks are read
 * from the architectural counter. In all other cases ticks are nanoseconds of CLOCK_MONOTONIC.
 *
 * Ticks are converted to times only when events leave the spool. The conversion uses simultaneous readings of the ticks
 * and of CLOCK_MONOTONIC. */
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

/* The map from ticks to nanoseconds is piecewise linear, through readings of both clocks. The map always increases, so
 * the events of each thread remain in order. A new reading changes the map only for ticks that are later than all ticks
 * that were converted already. There is one exception: when the knots fill the table, some old knots are removed, and
 * the times of old ticks may then change by the error of a reading. clock.c has the error bounds. */
#define XS_CLOCK_KNOTS 48
struct xs_clock_knot {
    uint64_t tick;
    int64_t ns;     /* since the trace's time 0 */
    uint64_t slope; /* nanoseconds per tick from this knot on, times 2^40 */
};
struct xs_clock_map {
    uint64_t base_tick; /* the reading from which the slope after the last knot is measured */
    int64_t base_ns;
    uint32_t count, reserved;
    struct xs_clock_knot knots[XS_CLOCK_KNOTS];
};

/* The clock is in the spool's header, so recovery converts ticks in the same way as the drain thread. maps[current] is
 * complete at any time; the next reading writes the other map. `origin_ns` is the CLOCK_MONOTONIC time of the trace's
 * time 0. The source XS_CLOCK_MONOTONIC does not use the maps; a struct of zeros converts tick n to n nanoseconds. */
struct xs_clock {
    uint32_t source; /* enum xs_clock_source */
    _Atomic uint32_t current;
    uint64_t origin_ns;
    uint64_t held_tick; /* no later tick has been converted yet */
    struct xs_clock_map maps[2];
};

/* Returns the time of one of the system's clocks. */
static inline int64_t xs_time_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static inline uint64_t xs_monotonic_ns(void) { return (uint64_t)xs_time_ns(CLOCK_MONOTONIC); }

/* Returns the CPU time of the calling thread. */
static inline uint64_t xs_thread_cpu_ns(void) { return (uint64_t)xs_time_ns(CLOCK_THREAD_CPUTIME_ID); }

/* Returns the present tick. Any thread and any signal handler may call this function. */
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

/* xs_clock_begin chooses the source for this machine and takes the first reading. The time of this reading is the
 * trace's time 0. Ticks cannot be converted before xs_clock_measure has taken the second reading, at least 0.2 ms
 * later. */
void xs_clock_begin(struct xs_clock *clock);
void xs_clock_measure(struct xs_clock *clock);

/* Calls xs_clock_begin, then xs_clock_measure. */
void xs_clock_start(struct xs_clock *clock);

/* Takes another reading and extends the map to it; does nothing if the map is still accurate. Only the drain thread
 * calls this function, before each batch. */
void xs_clock_sync(struct xs_clock *clock);

/* Records that ticks up to the present tick may have been converted. The next reading then leaves the map unchanged up
 * to the present tick. This function is called by xs_spool_drain after its batch, in the same thread as xs_clock_sync.
 */
void xs_clock_hold(struct xs_clock *clock);

/* Checks a clock that was read from a file: returns true if every field that conversions use has a valid value. */
bool xs_clock_is_sound(const struct xs_clock *clock);

/* Returns nanoseconds since the trace's time 0. Ticks before the first reading give negative times. */
int64_t xs_clock_to_ns(const struct xs_clock *clock, uint64_t tick);

/* Converts a CLOCK_MONOTONIC reading to nanoseconds since the trace's time 0. */
int64_t xs_clock_from_monotonic(const struct xs_clock *clock, uint64_t monotonic_ns);

/* Returns "tsc", "cntvct" or "monotonic", for meta. */
const char *xs_clock_name(const struct xs_clock *clock);

#endif
