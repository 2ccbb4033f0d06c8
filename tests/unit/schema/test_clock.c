/* Tests the capture clock: it is accurate to a microsecond from its first moment on, it rises, and the time of a tick
 * does not change once it was converted. */
#include "support.h"

#include <unistd.h>

/* Returns how far a tick's time is outside of the times of CLOCK_MONOTONIC before and after it; 0: it lies between
 * them. */
static int64_t error_now(const struct xs_clock *clock) {
    int64_t error = INT64_MAX;
    for (int i = 0; i < 20;
         i++) { /* the smallest of several errors, because an interruption in between is no error of the clock */
        uint64_t before = xs_monotonic_ns();
        uint64_t tick = xs_clock_tick((enum xs_clock_source)clock->source);
        uint64_t after = xs_monotonic_ns();
        int64_t ns = xs_clock_to_ns(clock, tick);
        int64_t early = xs_clock_from_monotonic(clock, before) - ns, late = ns - xs_clock_from_monotonic(clock, after);
        int64_t this_error = early > 0 ? early : late > 0 ? late : 0;
        error = this_error < error ? this_error : error;
    }
    return error;
}

static void spin_ns(uint64_t ns) {
    for (uint64_t start = xs_monotonic_ns(); xs_monotonic_ns() - start < ns;) {
    }
}

static void starts_at_zero_and_is_accurate_at_once(void **state) {
    (void)state;
    struct xs_clock clock;
    xs_clock_start(&clock);
    assert_true(xs_clock_is_sound(&clock));
    int64_t now = xs_clock_to_ns(&clock, xs_clock_tick((enum xs_clock_source)clock.source));
    assert_in_range(now, 0, 50000000);
    for (int i = 0; i < 20; i++) {
        xs_clock_sync(&clock);
        assert_true(error_now(&clock) < 1000);
        xs_clock_hold(&clock);
        spin_ns(300000);
    }
}

/* Batches come at irregular distances, as the drain thread makes them: what was recorded during one interval is
 * converted after the sync that ends it. */
static void converts_a_batch_accurately_and_in_order(void **state) {
    (void)state;
    static uint64_t ticks[20000], monotonic[20000];
    struct xs_clock clock;
    xs_clock_start(&clock);
    static const unsigned gaps_us[] = {5000, 100, 20000, 1, 400, 300000, 100, 100, 1200000, 3000, 50000};
    int64_t last = INT64_MIN, worst = 0;
    int bad = 0, all = 0;
    for (unsigned batch = 0; batch < sizeof gaps_us / sizeof *gaps_us; batch++) {
        unsigned count = 0;
        uint64_t start = xs_monotonic_ns();
        do {
            uint64_t before = xs_monotonic_ns();
            ticks[count] = xs_clock_tick((enum xs_clock_source)clock.source);
            monotonic[count] = before;
            if (xs_monotonic_ns() - before < 500)
                count++;
            if (gaps_us[batch] > 10000)
                usleep(100);
        } while (count < 20000 && xs_monotonic_ns() - start < gaps_us[batch] * UINT64_C(1000));
        xs_clock_sync(&clock);
        for (unsigned i = 0; i < count; i++, all++) {
            int64_t ns = xs_clock_to_ns(&clock, ticks[i]);
            int64_t error = llabs(ns - xs_clock_from_monotonic(&clock, monotonic[i]));
            worst = error > worst ? error : worst;
            bad += error > 1000;
            assert_true(ns >= last);
            last = ns;
        }
        /* what is recorded while the batch is written is beyond the last reading */
        uint64_t beyond = xs_clock_tick((enum xs_clock_source)clock.source);
        int64_t beyond_ns = xs_clock_to_ns(&clock, beyond);
        assert_true(beyond_ns >= last);
        last = beyond_ns;
        xs_clock_hold(&clock);
        assert_true(xs_clock_is_sound(&clock));
    }
    print_message("worst %lld ns, %d of %d over 1 us, clock %s\n", (long long)worst, bad, all, xs_clock_name(&clock));
    assert_int_equal(bad, 0);
}

static void a_converted_tick_keeps_its_time(void **state) {
    (void)state;
    struct xs_clock clock;
    xs_clock_start(&clock);
    uint64_t ticks[40];
    int64_t times[40];
    for (int i = 0; i < 40; i++) {
        spin_ns(i < 10 ? 500000 : 4000000);
        xs_clock_sync(&clock);
        ticks[i] = xs_clock_tick((enum xs_clock_source)clock.source);
        times[i] = xs_clock_to_ns(&clock, ticks[i]);
        xs_clock_hold(&clock);
    }
    for (int i = 0; i < 40; i++)
        assert_int_equal(xs_clock_to_ns(&clock, ticks[i]), times[i]);
}

/* Fills the table of knots many times over, without waiting: a clock whose readings lie in the past is as good. */
static void long_runs_stay_in_order(void **state) {
    (void)state;
    struct xs_clock clock;
    xs_clock_start(&clock);
    if (clock.source != XS_CLOCK_COUNTER)
        skip();
    uint64_t probes[200];
    int64_t last_ns = 0;
    for (unsigned i = 0; i < 200; i++) {
        /* All readings become 2 s older than they are. */
        const uint64_t shift_ns = 2000000000;
        struct xs_clock_map *map = &clock.maps[atomic_load(&clock.current)];
        uint64_t slope = map->knots[map->count - 1].slope;
        uint64_t shift = (uint64_t)(((unsigned __int128)shift_ns << 40) / slope);
        for (uint32_t k = 0; k < map->count; k++)
            map->knots[k].tick -= shift;
        map->base_tick -= shift;
        clock.held_tick -= shift;
        for (unsigned k = 0; k < i; k++)
            probes[k] -= shift;
        clock.origin_ns -= shift_ns;
        xs_clock_sync(&clock);
        assert_true(xs_clock_is_sound(&clock));
        probes[i] = xs_clock_tick(XS_CLOCK_COUNTER);
        int64_t ns = xs_clock_to_ns(&clock, probes[i]);
        assert_true(ns > last_ns);
        assert_true(error_now(&clock) < 1000);
        xs_clock_hold(&clock);
        last_ns = ns;
        for (unsigned k = 1; k <= i; k++)
            assert_true(xs_clock_to_ns(&clock, probes[k]) > xs_clock_to_ns(&clock, probes[k - 1]));
        spin_ns(20000);
    }
}

static void ticks_before_the_start_are_negative(void **state) {
    (void)state;
    uint64_t start = xs_clock_tick(XS_CLOCK_COUNTER);
    struct xs_clock clock;
    spin_ns(100000);
    xs_clock_start(&clock);
    if (clock.source == XS_CLOCK_COUNTER)
        assert_in_range(-xs_clock_to_ns(&clock, start), 90000, 100000000);
}

static void absurd_ticks_are_clamped(void **state) {
    (void)state;
    struct xs_clock clock = {.source = XS_CLOCK_COUNTER};
    clock.maps[0].count = 1;
    clock.maps[0].knots[0] = (struct xs_clock_knot){0, 0, UINT64_C(1) << 60};
    assert_true(xs_clock_is_sound(&clock));
    assert_true(xs_clock_to_ns(&clock, INT64_MAX) == INT64_MAX);
    assert_true(xs_clock_to_ns(&clock, UINT64_C(1) << 63) == INT64_MIN);
    clock.maps[0].count = XS_CLOCK_KNOTS + 1;
    assert_false(xs_clock_is_sound(&clock));
    clock.maps[0].count = 0;
    assert_false(xs_clock_is_sound(&clock));
}

static void a_zeroed_clock_counts_nanoseconds(void **state) {
    (void)state;
    assert_int_equal(xs_clock_to_ns(&plain_clock, 12345), 12345);
    assert_string_equal(xs_clock_name(&plain_clock), "monotonic");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_at_zero_and_is_accurate_at_once),
        cmocka_unit_test(converts_a_batch_accurately_and_in_order),
        cmocka_unit_test(a_converted_tick_keeps_its_time),
        cmocka_unit_test(long_runs_stay_in_order),
        cmocka_unit_test(ticks_before_the_start_are_negative),
        cmocka_unit_test(absurd_ticks_are_clamped),
        cmocka_unit_test(a_zeroed_clock_counts_nanoseconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
