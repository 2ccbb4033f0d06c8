/* Implements the capture clock: chooses the counter, and builds the map from its ticks to nanoseconds.
 *
 * A reading calls clock_gettime between two reads of the counter. Of eight attempts, the one with the smallest distance
 * between the two ticks is used, so the error is at most half of this distance, about 20 ns. Between readings the map
 * is a straight line. After the last reading it continues with a slope that was measured over a time at least as long
 * as the time until the next reading, so the error at its end is as large as the error of two readings, about 0.1 us.
 * At the next reading the pieces
 *
 *     last reading ---- held tick ---- new reading
 *
 * are joined: up to the held tick, the map was used already and does not change; from the held tick, it continues in a
 * straight line to the new reading. So the map is continuous and increasing, and the time of a tick never changes after
 * it was computed once. There is one exception: when the table is full, every other knot of its older half is removed.
 * From then on, the times of ticks that are more than about a dozen seconds old may differ by the error of a reading.
 *
 * Before the first call of xs_clock_sync, the slope is that between two readings 0.2 ms apart, which may be wrong by
 * 200 ppm. A process that is killed before its first batch has no better slope. */
#include "schema/clock.h"

#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/prctl.h>

#include "schema/small_file.h"
#endif

#define SLOPE_BITS 40
#define SLOPE_LIMIT (UINT64_C(1) << 60) /* a millisecond per tick; keeps products within 128 bits */
#define START_SPIN_NS 200000
#define SYNC_INTERVAL_NS INT64_C(1000000000)
#define BASE_AGE_NS INT64_C(8000000000) /* NTP steers the kernel's clock: older readings say little about its rate */

__extension__ typedef __int128 wide;

struct reading {
    uint64_t tick, ns;
};

#if defined(__x86_64__)
/* True if the counter can be used. The kernel's decision comes first, because the kernel compares the TSC with other
 * clocks, and knows whether the counters of several sockets are equal. */
static bool counter_is_usable(void) {
    int mode = PR_TSC_ENABLE;
    if (prctl(PR_GET_TSC, &mode, 0, 0, 0) == 0 && mode != PR_TSC_ENABLE)
        return false; /* reading the counter would raise SIGSEGV */
    char name[32];
    xs_read_small_file("/sys/devices/system/clocksource/clocksource0/current_clocksource", name, sizeof name);
    if (strncmp(name, "tsc", 3) == 0)
        return true;
    static const char *const distrusting[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies"};
    for (size_t i = 0; i < sizeof distrusting / sizeof *distrusting; i++)
        if (strncmp(name, distrusting[i], strlen(distrusting[i])) == 0)
            return false;
    unsigned eax, ebx, ecx, edx; /* with a clock of a virtual machine, the CPU tells if the counter is constant */
    return __get_cpuid(0x80000007u, &eax, &ebx, &ecx, &edx) && (edx & (1u << 8)) != 0;
}
#elif defined(__aarch64__)
static bool counter_is_usable(void) { return true; }
#else
static bool counter_is_usable(void) { return false; }
#endif

static struct reading take_reading(void) {
    struct reading best = {0, 0};
    uint64_t tightest = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t before = xs_clock_tick(XS_CLOCK_COUNTER);
        uint64_t ns = xs_monotonic_ns();
        uint64_t after = xs_clock_tick(XS_CLOCK_COUNTER);
        if (after - before < tightest) {
            tightest = after - before;
            best = (struct reading){before + tightest / 2, ns};
        }
    }
    return best;
}

static uint64_t chord(uint64_t from_tick, int64_t from_ns, uint64_t to_tick, int64_t to_ns) {
    wide rise = (wide)(to_ns - from_ns) * ((wide)1 << SLOPE_BITS);
    uint64_t run = to_tick - from_tick;
    return rise > 0 && run > 0 ? (uint64_t)(rise / (wide)run) : 0;
}

static int64_t along(const struct xs_clock_knot *knot, uint64_t tick) {
    wide ns = ((wide)(int64_t)(tick - knot->tick) * (wide)knot->slope >> SLOPE_BITS) + knot->ns;
    if (ns > INT64_MAX)
        return INT64_MAX; /* the spool is damaged */
    if (ns < INT64_MIN)
        return INT64_MIN;
    return (int64_t)ns;
}

void xs_clock_begin(struct xs_clock *clock) {
    memset(clock, 0, sizeof *clock);
    if (!counter_is_usable()) {
        clock->source = XS_CLOCK_MONOTONIC;
        clock->origin_ns = xs_monotonic_ns();
        return;
    }
    clock->source = XS_CLOCK_COUNTER;
    struct reading first = take_reading();
    clock->origin_ns = first.ns;
    clock->maps[0].base_tick = first.tick;
}

void xs_clock_measure(struct xs_clock *clock) {
    if (clock->source != XS_CLOCK_COUNTER)
        return;
    while (xs_monotonic_ns() - clock->origin_ns < START_SPIN_NS) {
    }
    struct xs_clock_map *map = &clock->maps[0];
    struct reading second = take_reading();
    int64_t second_ns = (int64_t)(second.ns - clock->origin_ns);
    uint64_t slope = chord(map->base_tick, 0, second.tick, second_ns);
    map->knots[0] = (struct xs_clock_knot){map->base_tick, 0, slope};
    map->knots[1] = (struct xs_clock_knot){second.tick, second_ns, slope};
    map->count = 2;
}

void xs_clock_start(struct xs_clock *clock) {
    xs_clock_begin(clock);
    xs_clock_measure(clock);
}

/* Copies the map. If there is no room for two more knots, leaves out every other knot of its older half. */
static void copy_map(struct xs_clock_map *to, const struct xs_clock_map *from) {
    bool thin = from->count + 2 > XS_CLOCK_KNOTS;
    *to = *from;
    if (!thin)
        return;
    to->count = 0;
    for (uint32_t i = 0; i < from->count; i++)
        if (i % 2 == 0 || i >= XS_CLOCK_KNOTS / 2)
            to->knots[to->count++] = from->knots[i];
    for (uint32_t i = 0; i + 1 < to->count; i++) {
        struct xs_clock_knot *a = &to->knots[i], *b = a + 1;
        a->slope = chord(a->tick, a->ns, b->tick, b->ns);
    }
}

/* Continues the map in a straight line to a reading. The slope is positive even if the reading is earlier than the
 * map's end. */
static void join(struct xs_clock_map *map, uint64_t tick, int64_t ns, uint64_t rate) {
    struct xs_clock_knot *end = &map->knots[map->count - 1];
    uint64_t slope = chord(end->tick, end->ns, tick, ns);
    end->slope = slope < rate / 2 ? rate / 2 : slope;
    map->knots[map->count] = (struct xs_clock_knot){tick, along(end, tick), rate};
    map->count++;
}

void xs_clock_sync(struct xs_clock *clock) {
    if (clock->source != XS_CLOCK_COUNTER)
        return;
    uint32_t current = atomic_load_explicit(&clock->current, memory_order_relaxed);
    const struct xs_clock_map *old = &clock->maps[current];
    struct xs_clock_knot last = old->knots[old->count - 1];
    struct reading now = take_reading();
    int64_t now_ns = (int64_t)(now.ns - clock->origin_ns);
    int64_t passed_ns = now_ns - last.ns, known_ns = last.ns - old->base_ns;
    if ((int64_t)(now.tick - last.tick) <= 0)
        return;
    if (passed_ns < SYNC_INTERVAL_NS && passed_ns < known_ns)
        return;

    struct xs_clock_map *map = &clock->maps[1 - current];
    copy_map(map, old);
    if (known_ns > BASE_AGE_NS) {
        map->base_tick = last.tick;
        map->base_ns = last.ns;
    }
    uint64_t rate = chord(map->base_tick, map->base_ns, now.tick, now_ns);
    if (rate == 0)
        return; /* the clocks contradict each other; the next reading may not */
    uint64_t held = clock->held_tick;
    if ((int64_t)(held - last.tick) > 0 && (int64_t)(now.tick - held) > 0) {
        map->knots[map->count] = (struct xs_clock_knot){held, along(&last, held), rate};
        map->count++;
    }
    join(map, now.tick, now_ns, rate);
    /* One store publishes the map, so a process that is killed in this function leaves either the old map or the new
     * one. */
    atomic_store_explicit(&clock->current, 1 - current, memory_order_release);
}

void xs_clock_hold(struct xs_clock *clock) { clock->held_tick = xs_clock_tick((enum xs_clock_source)clock->source); }

bool xs_clock_is_sound(const struct xs_clock *clock) {
    if (clock->source == XS_CLOCK_MONOTONIC)
        return true;
    uint32_t current = atomic_load_explicit(&clock->current, memory_order_acquire);
    if (clock->source != XS_CLOCK_COUNTER || current > 1)
        return false;
    const struct xs_clock_map *map = &clock->maps[current];
    if (map->count < 1 || map->count > XS_CLOCK_KNOTS)
        return false;
    for (uint32_t i = 0; i < map->count; i++) {
        const struct xs_clock_knot *knot = &map->knots[i];
        if (knot->slope == 0 || knot->slope > SLOPE_LIMIT)
            return false;
        if (i > 0 && (knot->tick <= knot[-1].tick || knot->ns < knot[-1].ns))
            return false;
    }
    return true;
}

int64_t xs_clock_to_ns(const struct xs_clock *clock, uint64_t tick) {
    if (clock->source != XS_CLOCK_COUNTER)
        return (int64_t)(tick - clock->origin_ns);
    const struct xs_clock_map *map = &clock->maps[atomic_load_explicit(&clock->current, memory_order_acquire)];
    uint32_t i = map->count - 1;
    while (i > 0 && (int64_t)(tick - map->knots[i].tick) < 0)
        i--;
    return along(&map->knots[i], tick);
}

int64_t xs_clock_from_monotonic(const struct xs_clock *clock, uint64_t monotonic_ns) {
    return (int64_t)(monotonic_ns - clock->origin_ns);
}

const char *xs_clock_name(const struct xs_clock *clock) {
    if (clock->source != XS_CLOCK_COUNTER)
        return "monotonic";
#if defined(__aarch64__)
    return "cntvct";
#else
    return "tsc";
#endif
}
