/* The sample of mode `auto`: each copy of a stratum has the same chance, whatever the program's period; the first ones
 * are in it; both copies of a pair are; what is dear for its copy is in it less often; and where the budget allows all,
 * all are. The time is the test's own. */
#include "unit.h"

#include <string.h>

#include "preload/fingerprint/budget.h"
#include "preload/fingerprint/sampler.h"

enum { COPIES = 20000, TENTHS = 10, UP = 11, DOWN = 12 };

static uint64_t clock_ns;
static uint64_t now(void) { return clock_ns; }

static struct xs_sampler_cost look_costs_10_us(uint64_t bytes, bool upload, bool pageable, enum xs_sampler_way way) {
    (void)upload, (void)pageable, (void)way;
    return (struct xs_sampler_cost){10000, bytes * 1000};
}

static void start(unsigned percent, uint64_t seed) {
    clock_ns = 0;
    xs_budget_start(0, 10 * percent, 1000);
    xs_sampler_start(seed, look_costs_10_us);
}

/* A copy of 4 KiB unless changed, which takes long enough for the cost. */
static struct xs_sampler_copy copy_of(uint32_t stack, bool upload, uint64_t device) {
    return (struct xs_sampler_copy){.bytes = 4096,
                                    .host = 0x1000,
                                    .device = device,
                                    .stack = stack,
                                    .entry = upload ? UP : DOWN,
                                    .upload = upload,
                                    .way = XS_SAMPLER_DEVICE};
}

/* One more copy, and the time up to the next. What is looked at is paid for. */
static enum xs_sampled make(const struct xs_sampler_copy *copy, uint64_t gap_ns) {
    enum xs_sampled sampled = xs_sampler_choose(copy, now);
    if (sampled != XS_LEFT_OUT)
        xs_budget_spend(clock_ns, 10000);
    if (sampled == XS_BY_CHANCE)
        xs_sampler_followed(copy, true);
    clock_ns += gap_ns;
    return sampled;
}

/* Chi-square of counts that should be as `expected`. */
static double chi_square(const double *counts, const double *expected, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (counts[i] - expected[i]) * (counts[i] - expected[i]) / expected[i];
    return sum;
}

/* A program whose copies have a period: within it one copy in `period` is another one than the rest, and the gaps
 * between its copies differ, too. All are of one stratum. What is chosen of each phase is the same, and of each tenth
 * of the run after the first what the budget allows by then. */
static void check_period(unsigned period, uint64_t seed) {
    double of_phase[8] = {0}, expected[8], of_tenth[TENTHS] = {0}, least = COPIES, most = 0;
    unsigned chosen = 0;
    start(3, seed);
    for (unsigned i = 0; i < COPIES; i++) {
        struct xs_sampler_copy copy = copy_of(1, true, 0x10000 + (i % period) * 0x10000);
        bool is_chosen = make(&copy, i % period ? 10000 : 40000) == XS_BY_CHANCE;
        if (i >= XS_SAMPLER_FIRST * 100) {
            of_phase[i % period] += is_chosen;
            chosen += is_chosen;
        }
        of_tenth[i / (COPIES / TENTHS)] += is_chosen;
    }
    for (unsigned i = 0; i < period; i++)
        expected[i] = (double)chosen / period;
    for (unsigned i = 1; i < TENTHS; i++) {
        least = of_tenth[i] < least ? of_tenth[i] : least;
        most = of_tenth[i] > most ? of_tenth[i] : most;
    }
    /* 0.001 of a fair sample would be beyond this with 7 - 1 degrees of freedom */
    assert_true(chi_square(of_phase, expected, period) < 22.5);
    assert_true(chosen > 300);
    assert_true(least > 0.5 * chosen / TENTHS && most < 2.0 * chosen / TENTHS);
}

static void no_period_matters(void **state) {
    static const unsigned periods[] = {2, 3, 4, 7};
    (void)state;
    for (unsigned i = 0; i < 4; i++)
        for (uint64_t seed = 0; seed < 20; seed++)
            check_period(periods[i], seed);
}

/* Over many seeds each copy is as likely to be chosen as its neighbours. (In the long run the chance changes.) */
static void every_copy_has_its_chance(void **state) {
    enum { SEEDS = 2000, RUN = 400, FROM = 200, NEAR = 10 };
    double times[RUN] = {0}, expected[RUN] = {0}, sum = 0;
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        start(3, seed);
        for (unsigned i = 0; i < RUN; i++) {
            struct xs_sampler_copy copy = copy_of(1, true, 0x10000);
            times[i] += make(&copy, 100000) == XS_BY_CHANCE;
        }
    }
    for (unsigned i = FROM; i < RUN; i++) {
        expected[i / NEAR * NEAR] += times[i] / NEAR;
        sum += times[i];
    }
    for (unsigned i = FROM; i < RUN; i++)
        expected[i] = expected[i / NEAR * NEAR];
    assert_true(sum > SEEDS && sum < SEEDS * (RUN - FROM) / 2.0);
    /* 180 degrees of freedom: beyond this once in 10,000 */
    assert_true(chi_square(times + FROM, expected + FROM, RUN - FROM) < 257);
}

/* Strata of as long copies are treated alike, however often each comes; the first copies of each are looked at. */
static void strata_are_treated_alike(void **state) {
    enum { STRATA = 5 };
    static const unsigned every[STRATA] = {1, 1, 2, 5, 10};
    double of[STRATA] = {0}, chosen[STRATA] = {0}, first[STRATA] = {0};
    (void)state;
    start(3, 0);
    for (unsigned i = 0; i < COPIES; i++) {
        for (unsigned k = 0; k < STRATA; k++) {
            struct xs_sampler_copy copy = copy_of(1 + k, true, 0x10000 * (k + 1));
            if (i % every[k])
                continue;
            bool is_chosen = make(&copy, 5000) == XS_BY_CHANCE;
            first[k] += is_chosen && of[k] < XS_SAMPLER_FIRST;
            of[k] += 1;
            chosen[k] += is_chosen && of[k] > XS_SAMPLER_FIRST;
        }
    }
    double all = 0, all_chosen = 0, expected[STRATA];
    for (unsigned k = 0; k < STRATA; k++) {
        assert_int_equal((int)first[k], XS_SAMPLER_FIRST);
        all += of[k];
        all_chosen += chosen[k];
    }
    for (unsigned k = 0; k < STRATA; k++)
        expected[k] = all_chosen * of[k] / all;
    assert_true(all_chosen > 500);
    assert_true(chi_square(chosen, expected, STRATA) < 25);
}

/* In proportion to what the copy takes, where that is under ten times what looking at it does. */
static void what_is_dear_is_looked_at_less(void **state) {
    double small = 0, large = 0;
    (void)state;
    start(3, 0);
    for (unsigned i = 0; i < COPIES; i++) {
        struct xs_sampler_copy tiny = copy_of(1, true, 0x10000), copy = copy_of(2, true, 0x20000);
        tiny.bytes = 8;
        copy.bytes = 32;
        small += make(&tiny, 10000) == XS_BY_CHANCE;
        large += make(&copy, 10000) == XS_BY_CHANCE;
    }
    assert_true(small > 100);
    assert_true(large > 3 * small && large < 5 * small);
}

/* A chosen download has the next upload from the same place on the host with it, and the next download of the same
 * place; a chosen upload whose place was not measured the next upload to it. */
static void pairs_are_looked_at(void **state) {
    unsigned downloads = 0, round_trips = 0, uploads = 0, seconds = 0, repeated = 0;
    bool down_chosen = false, up_chosen = false, last_down_chosen = false;
    (void)state;
    start(3, 0);
    for (unsigned i = 0; i < COPIES; i++) {
        struct xs_sampler_copy down = copy_of(1, false, 0x10000), up = copy_of(2, true, 0x20000),
                               other = copy_of(3, true, 0x30000);
        other.host = 0x5000;
        last_down_chosen = down_chosen;
        enum xs_sampled sampled = xs_sampler_choose(&down, now);
        down_chosen = sampled == XS_BY_CHANCE;
        repeated += last_down_chosen && sampled != XS_LEFT_OUT;
        downloads += down_chosen;
        xs_budget_spend(clock_ns, sampled != XS_LEFT_OUT ? 10000 : 0);
        if (down_chosen)
            xs_sampler_followed(&down, false);
        clock_ns += 10000;
        round_trips += make(&up, 10000) != XS_LEFT_OUT && down_chosen;
        sampled = xs_sampler_choose(&other, now);
        seconds += up_chosen && sampled != XS_LEFT_OUT;
        up_chosen = sampled == XS_BY_CHANCE;
        uploads += up_chosen;
        xs_budget_spend(clock_ns, sampled != XS_LEFT_OUT ? 10000 : 0);
        if (up_chosen)
            xs_sampler_followed(&other, false);
        clock_ns += 10000;
    }
    assert_true(downloads > 100 && downloads < COPIES / 4);
    assert_int_equal(round_trips, downloads);
    assert_true(repeated + down_chosen >= downloads);
    assert_true(seconds + up_chosen >= uploads && uploads > 100);
}

/* Copies that follow a chosen copy are marked, and have no followers themselves: each chosen copy has one. */
static void followers_are_told_apart(void **state) {
    (void)state;
    start(3, 0);
    struct xs_sampler_copy up = copy_of(2, true, 0x20000);
    while (xs_sampler_choose(&up, now) == XS_BY_CHANCE)
        xs_budget_spend(0, 100000);
    xs_budget_spend(0, 1000000); /* nothing is chosen any more */
    xs_sampler_followed(&up, false);
    enum xs_sampled next = xs_sampler_choose(&up, now);
    assert_int_equal(next, XS_FOLLOWS);
    assert_int_equal(xs_sampler_choose(&up, now), XS_LEFT_OUT);
    xs_sampler_followed(&up, true);
    assert_int_equal(xs_sampler_choose(&up, now), XS_LEFT_OUT); /* the content that it overwrites was measured */
    struct xs_sampler_copy down = copy_of(3, false, 0x90000);
    for (unsigned i = 0; i < XS_SAMPLER_FIRST; i++)
        assert_int_equal(xs_sampler_choose(&down, now), XS_BY_CHANCE);
    down.device = 0x20000;
    next = xs_sampler_choose(&down, now);
    assert_int_equal(next, XS_FOLLOWS); /* what was uploaded, and is downloaded again */
}

/* The planned budget is spent, but not all that may be spent: strata that begin late still have their first copies
 * looked at. Their number is limited, because one line with a different stack for each copy would otherwise use the
 * whole budget. */
static void late_places_have_their_first_copies(void **state) {
    enum { PLACES = 1000 };
    unsigned chosen = 0;
    (void)state;
    start(3, 0);
    struct xs_sampler_copy early = copy_of(1, true, 0x10000);
    xs_sampler_choose(&early, now);
    xs_budget_spend(0, 1500000);
    while (xs_sampler_choose(&early, now) != XS_LEFT_OUT) {
    }
    for (unsigned i = 0; i < PLACES; i++) {
        for (unsigned k = 0; k <= XS_SAMPLER_FIRST; k++) {
            struct xs_sampler_copy late = copy_of(2 + i, false, 0x20000);
            bool is_chosen = xs_sampler_choose(&late, now) == XS_BY_CHANCE;
            assert_true(i > 10 || is_chosen == (k < XS_SAMPLER_FIRST));
            chosen += is_chosen;
        }
    }
    assert_in_range(chosen, 40, 300);
}

static void enough_is_for_all(void **state) {
    (void)state;
    start(3, 0);
    for (unsigned i = 0; i < COPIES; i++) {
        struct xs_sampler_copy copy = copy_of(1 + i % 5, i % 2, 0x10000);
        assert_int_equal(make(&copy, 1000000), XS_BY_CHANCE);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_period_matters),
        cmocka_unit_test(every_copy_has_its_chance),
        cmocka_unit_test(strata_are_treated_alike),
        cmocka_unit_test(what_is_dear_is_looked_at_less),
        cmocka_unit_test(pairs_are_looked_at),
        cmocka_unit_test(followers_are_told_apart),
        cmocka_unit_test(late_places_have_their_first_copies),
        cmocka_unit_test(enough_is_for_all),
    };
    return cmocka_run_group_tests_name("fingerprint sampler", tests, NULL, NULL);
}
