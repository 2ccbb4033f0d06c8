/* Tests when page migrations are recorded, with made-up clocks. Recording stays on while there are few. Otherwise it is
 * on first for the time that was saved, then in windows that are spread over the run, do not follow a period of the
 * program, and stay within the share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "preload/cupti/migration_budget.h"

#define MS UINT64_C(1000000)
#define US UINT64_C(1000)
enum { BEGIN = 77 };
#define RECORD_US 5 /* what a record costs, if the program says nothing else */

/* A program that makes `per_ms[phase]` records a ms while recording is on, in phases of some length, again and again;
 * they become known `late_ms` after they were made. A switch keeps the processor busy for `cpu_us`. */
struct program {
    unsigned per_ms[2], phase_ms[2], late_ms;
    unsigned switch_ms, flush_ms; /* that a switch takes, and a look while recording is on */
    uint64_t cpu_us, record_us;
    uint64_t made, made_by_ms[64]; /* of the last so many ms, a ring */
    unsigned on_ms[2];             /* of each phase */
    unsigned longest_rest_ms;
};

static void run(struct program *p, struct xs_migration_budget *b, unsigned from_ms, unsigned to_ms) {
    unsigned rest = 0;
    uint64_t next_ns = 0;
    for (unsigned ms = from_ms; ms < to_ms; ms++) {
        uint64_t now = BEGIN + ms * MS;
        unsigned phase = ms % (p->phase_ms[0] + p->phase_ms[1]) >= p->phase_ms[0];
        p->made += b->on ? p->per_ms[phase] : 0;
        p->made_by_ms[ms % 64] = p->made;
        p->on_ms[phase] += b->on;
        rest = b->on ? 0 : rest + 1;
        p->longest_rest_ms = rest > p->longest_rest_ms ? rest : p->longest_rest_ms;
        if (now < next_ns)
            continue;
        uint64_t known = p->made_by_ms[(ms + 64 - p->late_ms) % 64];
        uint64_t cost_ns = known * (p->record_us ? p->record_us : RECORD_US) * US;
        bool switched = xs_migration_budget_switch(b, now, (struct xs_migration_tally){known, cost_ns});
        if (switched)
            xs_migration_budget_switched(b, now, now + p->switch_ms * MS, p->cpu_us * US);
        unsigned wait = xs_migration_budget_wait_ms(b, now);
        next_ns = now + ((wait ? wait : 5) + (switched ? p->switch_ms : 0) + (b->on ? p->flush_ms : 0)) * MS;
    }
}

static void few_never_rest(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    struct program p = {.per_ms = {3, 3}, .phase_ms = {50, 50}}; /* 1.5 % */
    xs_migration_budget_start(&b, 20, BEGIN);
    run(&p, &b, 0, 20000);
    assert_true(b.on);
    assert_int_equal(b.rests, 0);
    assert_int_equal(xs_migration_budget_recorded_ns(&b, BEGIN + 20000 * MS), 20000 * MS);
    xs_migration_budget_end(&b, BEGIN + 20000 * MS);
    assert_int_equal(b.windows.count, 1);
    assert_int_equal(b.windows.windows[0].length_ns, 20000 * MS);
}

/* Behaves like examples/cuda/managed_thrash on an H100: 57 ms of kernels that fault, then 98 ms of a loop that fetches
 * the pages back. */
static struct program thrash(void) { return (struct program){.per_ms = {150, 18}, .phase_ms = {57, 98}}; }

static void many_are_sampled_within_the_share(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    struct program p = thrash();
    p.cpu_us = 100;
    xs_migration_budget_start(&b, 20, BEGIN);
    run(&p, &b, 0, 30000);
    uint64_t cost_us = p.made * RECORD_US + 2 * b.rests * p.cpu_us;
    assert_true(cost_us < 30000 * 1000 * 22 / 1000); /* with the first stretch */
    assert_true(cost_us > 30000 * 1000 * 15 / 1000);
    assert_true(b.rests > 100);
    assert_true(p.longest_rest_ms < 1000);
}

/* The same share of both phases is recorded, although windows in one phase cost eight times as much, and however late
 * this becomes known. */
static void windows_follow_no_period(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    for (unsigned late_ms = 0; late_ms <= 40; late_ms += 20) {
        struct program p = thrash();
        p.late_ms = late_ms;
        xs_migration_budget_start(&b, 20, BEGIN);
        run(&p, &b, 0, 200000);
        double first = p.on_ms[0] / 57.0, second = p.on_ms[1] / 98.0;
        assert_true(first > 0.8 * second && first < 1.25 * second);
    }
}

/* A pause of more than a second, as after expensive windows, is no quiet part of the run: no record can come while
 * recording is off. */
static void a_long_rest_is_not_quiet(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    struct program p = {.per_ms = {400, 400}, .phase_ms = {50, 50}, .switch_ms = 20, .flush_ms = 20};
    unsigned rest_ms = 0, longest_ms = 0;
    xs_migration_budget_start(&b, 20, BEGIN);
    for (unsigned ms = 0; ms < 200000; ms += 10) {
        run(&p, &b, ms, ms + 10);
        assert_true(b.samples || !b.rests);
        rest_ms = b.on ? 0 : rest_ms + 10;
        longest_ms = rest_ms > longest_ms ? rest_ms : longest_ms;
    }
    assert_true(longest_ms > 1000);
}

static int ascending(const void *a, const void *b) {
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

/* Windows do not follow the program's period either if all windows cost the same and the period is the usual distance
 * of windows. */
static void windows_meet_all_of_a_period(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    struct program p = {.per_ms = {40, 40}, .phase_ms = {50, 50}};
    unsigned distances[XS_WINDOWS_KEPT] = {0}, count = 0;
    xs_migration_budget_start(&b, 20, BEGIN);
    run(&p, &b, 0, 40000);
    for (uint32_t i = 20; i + 1 < b.windows.count; i++)
        distances[count++] = (unsigned)((b.windows.windows[i + 1].start_ns - b.windows.windows[i].start_ns) / MS);
    qsort(distances, count, sizeof *distances, ascending);
    unsigned usual = distances[count / 2];
    p = (struct program){.per_ms = {40, 40}, .phase_ms = {usual / 2, usual - usual / 2}};
    xs_migration_budget_start(&b, 20, BEGIN);
    run(&p, &b, 0, 100000);
    assert_true(p.on_ms[0] > p.on_ms[1] * 3 / 4 && p.on_ms[1] > p.on_ms[0] * 3 / 4);
}

static void run_of_4_s(struct program *p, struct xs_migration_budget *b, unsigned in_eighth[8]) {
    for (unsigned i = 0; i < 8; i++)
        in_eighth[i] = 0;
    xs_migration_budget_start(b, 20, BEGIN);
    run(p, b, 0, 4000);
    xs_migration_budget_end(b, BEGIN + 4000 * MS);
    assert_int_equal(b->windows.windows[0].start_ns, BEGIN);
    assert_true(b->windows.windows[0].length_ns < 60 * MS);
    for (uint32_t i = 0; i < b->windows.count; i++)
        in_eighth[b->windows.windows[i].start_ns / (500 * MS)]++;
}

/* Every eighth of a run of four seconds has windows, and the first migrations are in one. */
static void a_short_run_is_covered(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    struct program p = thrash();
    unsigned in_eighth[8];
    p.late_ms = 30;
    p.cpu_us = 200;
    run_of_4_s(&p, &b, in_eighth);
    for (unsigned i = 0; i < 8; i++)
        assert_true(in_eighth[i]);
}

/* With CUPTI 13.0 on an H100 a window cannot be shorter than 40 ms. So there are few windows, but some in each half of
 * the run. */
static void long_windows_are_spread(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    struct program p = thrash();
    unsigned in_eighth[8];
    p.switch_ms = p.flush_ms = 20;
    p.cpu_us = 200;
    run_of_4_s(&p, &b, in_eighth);
    assert_true(b.windows.count >= 5);
    assert_true(in_eighth[2] + in_eighth[3] && in_eighth[4] + in_eighth[5] + in_eighth[6] + in_eighth[7]);
    assert_true(p.made * RECORD_US < 4000 * 1000 * 3 / 100);
}

/* Late records are charged, too: only the first window may cost more than was saved. */
static void late_records_are_charged(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    struct program p = thrash();
    p.late_ms = 40;
    xs_migration_budget_start(&b, 20, BEGIN);
    run(&p, &b, 0, 60000);
    assert_true(p.made * RECORD_US < 60000 * 1000 * 22 / 1000);
}

static void dear_switches_are_charged(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    struct program p = thrash();
    p.cpu_us = 5000;
    xs_migration_budget_start(&b, 20, BEGIN);
    run(&p, &b, 0, 60000);
    uint64_t cost_us = p.made * RECORD_US + 2 * b.rests * p.cpu_us;
    assert_true(cost_us < 60000 * 1000 * 22 / 1000);
    assert_true(b.rests > 40);
}

/* As pool_first_touch of tests/truth/cases on an H200: 5.4 faults a ms, and 36 us for each that is recorded. They
 * become known as late as on an H100. Only the first stretch may cost more than was saved. */
static void dear_faults_are_within_the_share(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    for (unsigned late_ms = 0; late_ms <= 20; late_ms += 20) {
        struct program p = {.per_ms = {5, 6}, .phase_ms = {6, 4}, .late_ms = late_ms, .record_us = 36, .cpu_us = 200};
        p.switch_ms = p.flush_ms = late_ms;
        xs_migration_budget_start(&b, 10, BEGIN);
        run(&p, &b, 0, 60000);
        uint64_t cost_us = p.made * p.record_us + 2 * b.rests * p.cpu_us;
        assert_true(cost_us < 60000 * 1000 * 11 / 1000);
        assert_true(cost_us > 60000 * 1000 * 7 / 1000);
        assert_true(b.spent_ns > (uint64_t)(p.made * p.record_us) * US * 99 / 100);
        assert_true(b.rests > 30);
    }
}

/* A window ends with so many records, where they are known in time. */
static void records_bound_a_window(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    struct program p = {.per_ms = {1000, 1000}, .phase_ms = {50, 50}};
    xs_migration_budget_start(&b, 20, BEGIN);
    run(&p, &b, 0, 20000);
    xs_migration_budget_end(&b, BEGIN + 20000 * MS);
    for (uint32_t i = 1; i < b.windows.count; i++)
        assert_true(b.windows.windows[i].length_ns <= 3 * MS);
}

/* If migrations stop, recording is on without windows after a while. If migrations come again, the windows come again,
 * too. */
static void quiet_parts_are_recorded_whole(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    struct program p = thrash(), quiet = {.phase_ms = {50, 50}};
    xs_migration_budget_start(&b, 20, BEGIN);
    run(&p, &b, 0, 2000);
    quiet.made = p.made;
    for (unsigned i = 0; i < 64; i++)
        quiet.made_by_ms[i] = p.made;
    run(&quiet, &b, 2000, 10000);
    assert_true(b.on && !b.samples);
    unsigned rests = b.rests;
    quiet = (struct program){.made = quiet.made, .phase_ms = {50, 50}};
    for (unsigned i = 0; i < 64; i++)
        quiet.made_by_ms[i] = quiet.made;
    run(&quiet, &b, 10000, 20000);
    assert_int_equal(b.rests, rests);
    p.made = quiet.made;
    for (unsigned i = 0; i < 64; i++)
        p.made_by_ms[i] = p.made;
    run(&p, &b, 20000, 22000);
    assert_true(b.samples && b.rests > rests);
}

/* If there are more windows than can be kept, the kept ones are evenly spaced, and the total time of all windows is
 * known. */
static void windows_are_thinned(void **state) {
    (void)state;
    static struct xs_migration_budget b;
    uint64_t recorded = 0;
    xs_migration_budget_start(&b, 20, BEGIN);
    for (unsigned i = 0; i < 3000; i++) {
        b.on = true;
        xs_migration_budget_switched(&b, BEGIN + i * 100 * MS, BEGIN + (i * 100 + 3) * MS, 0);
        b.on = false;
        xs_migration_budget_switched(&b, BEGIN + (i * 100 + 5) * MS, BEGIN + (i * 100 + 7) * MS, 0);
        recorded += 5 * MS;
    }
    assert_int_equal(xs_migration_budget_recorded_ns(&b, BEGIN), recorded);
    assert_int_equal(b.windows.skipped_of, 7);
    assert_int_equal(b.windows.count, 3000 / 8);
    for (uint32_t i = 0; i < b.windows.count; i++)
        assert_int_equal(b.windows.windows[i].start_ns, BEGIN + i * 800 * MS);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_never_rest),
        cmocka_unit_test(many_are_sampled_within_the_share),
        cmocka_unit_test(windows_follow_no_period),
        cmocka_unit_test(a_long_rest_is_not_quiet),
        cmocka_unit_test(windows_meet_all_of_a_period),
        cmocka_unit_test(a_short_run_is_covered),
        cmocka_unit_test(long_windows_are_spread),
        cmocka_unit_test(late_records_are_charged),
        cmocka_unit_test(dear_switches_are_charged),
        cmocka_unit_test(dear_faults_are_within_the_share),
        cmocka_unit_test(records_bound_a_window),
        cmocka_unit_test(quiet_parts_are_recorded_whole),
        cmocka_unit_test(windows_are_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
