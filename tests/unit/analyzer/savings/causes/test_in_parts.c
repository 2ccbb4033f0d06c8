/* Tests that what a long run saves is estimated from parts of it: the value of a replay of the whole run lies within
 * the interval of the parts. The runs are random, so that parts differ, and are long enough for many parts of a small
 * limit of rows. */
#include "run.h"

#include "analyzer/findings/engine/analyse.h"
#include "analyzer/savings/replay/parts.h"

enum { STEPS = 3000, RUNS = 8, WHOLE_ROWS = 2600 };

static uint64_t seed;

static uint64_t random_below(uint64_t end) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % end;
}

/* Plays a step: an upload that is sometimes of the bytes that are already there, a kernel, sometimes a result, and a
 * wait. How often they are needless depends on how far the run is. */
static void play_step(int step) {
    bool is_late = step > STEPS / 3;
    bool is_needless = random_below(10) < (is_late ? 6u : 3u);
    int content = is_needless ? 1 : 2 + step;
    uint64_t us = 20 + random_below(60);
    works(random_below(is_late ? 40 : 90));
    takes(us + 5, us);
    up(A, MIB, content, is_needless ? 1 : NOT_MEASURED, HOST);
    if (is_needless)
        up(A, MIB, content, content, HOST);
    kernel(10 + random_below(30), 1);
    p->now_ns += US;
    takes(us / 2 + 5, us / 2);
    if (random_below(4) == 0)
        down(A, MIB / 2, content, OTHER);
    waits(60);
}

static void play_run(uint64_t number) {
    seed = number;
    play_begin(p);
    alloc(A, 64 * MIB);
    p->host = XS_MEM_PAGEABLE;
    for (int step = 0; step < STEPS; step++)
        play_step(step);
}

static const struct xs_diagnosed *same(const struct xs_diagnosis *diagnosis, const struct xs_diagnosed *as) {
    for (size_t i = 0; i < diagnosis->count; i++) {
        const struct xs_finding *f = diagnosis->items[i].finding, *other = as->finding;
        if (f->detector == other->detector && f->site == other->site && f->verdict == other->verdict)
            return &diagnosis->items[i];
    }
    return NULL;
}

struct tally {
    unsigned held, missed;
};

/* Counts whether the interval of the parts has both ends of the saving of the whole run. Both replays round to
 * microseconds at most. */
static void count_held(struct tally *tally, const struct xs_saving *whole, const struct xs_saving *parts) {
    bool holds = parts->least_ns <= whole->least_ns + US && parts->most_ns + US >= whole->most_ns;
    tally->held += holds;
    tally->missed += !holds;
}

static void compare(struct tally *tally, const struct xs_diagnosis *whole, const struct xs_diagnosis *parts) {
    assert_int_equal(whole->replay_fit.parts, 0);
    assert_int_equal(parts->replay_fit.parts, 26);
    assert_true(parts->replay_fit.parts_of_run > 60);
    assert_true(parts->replayed && parts->replay_error < 0.02);
    assert_true(parts->replay_fit.calls < whole->replay_fit.calls / 2);
    for (size_t i = 0; i < whole->count; i++) {
        const struct xs_diagnosed *d = &whole->items[i], *other = same(parts, d);
        assert_non_null(other);
        if (!d->saves.known)
            continue;
        assert_int_equal(other->finding->instances, d->finding->instances);
        assert_true(other->saves.most_ns <= parts->findings->recorded.run_ns);
        count_held(tally, &d->saves, &other->saves);
    }
    count_held(tally, &whole->together, &parts->together);
    /* The interval is of use: it is not much wider than what it estimates. */
    assert_true(parts->together.most_ns < whole->together.most_ns / 2 * 3);
}

static void the_interval_of_the_parts_has_the_whole(void **state) {
    struct tally tally = {0};
    (void)state;
    for (uint64_t number = 1; number <= RUNS; number++) {
        char message[XS_TRACE_MESSAGE_BYTES];
        struct xs_trace trace;
        struct xs_diagnosis *parts;
        struct xs_analysis_options options = {.replayed_rows = WHOLE_ROWS, .keeps_repairables = true};
        play_run(number);
        diagnose(PEAK);
        assert_int_equal(xs_trace_open(p->path, &trace, message), 0);
        assert_true(xs_diagnose(&trace, &options, &parts, message) >= 0);
        compare(&tally, p->diagnosis, parts);
        xs_diagnosis_free(parts);
        xs_trace_close(&trace);
        play_end(p);
    }
    print_message("%u of %u intervals have the value of the whole run\n", tally.held, tally.held + tally.missed);
    assert_true(tally.held >= 3 * RUNS);
    assert_true(tally.missed * 10 <= tally.held); /* an interval with 95 % certainty may miss some */
}

static struct xs_diagnosis *diagnose_parts(const struct xs_trace *trace, bool keeps_repairables) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_analysis_options options = {.replayed_rows = WHOLE_ROWS, .keeps_repairables = keeps_repairables};
    struct xs_diagnosis *diagnosis;
    assert_true(xs_diagnose(trace, &options, &diagnosis, message) >= 0);
    return diagnosis;
}

static void assert_same_saving(const struct xs_saving *a, const struct xs_saving *b) {
    assert_int_equal(a->known, b->known);
    assert_int_equal(a->least_ns, b->least_ns);
    assert_int_equal(a->most_ns, b->most_ns);
}

static void instances_that_are_not_kept_change_no_saving(void **state) {
    (void)state;
    for (uint64_t number = 1; number <= RUNS; number++) {
        char message[XS_TRACE_MESSAGE_BYTES];
        struct xs_trace trace;
        play_run(number);
        diagnose(PEAK);
        assert_int_equal(xs_trace_open(p->path, &trace, message), 0);
        struct xs_diagnosis *all = diagnose_parts(&trace, true), *few = diagnose_parts(&trace, false);
        assert_int_equal(few->replay_fit.parts, 26);
        assert_int_equal(few->count, all->count);
        for (size_t i = 0; i < all->count; i++)
            assert_same_saving(&few->items[i].saves, &all->items[i].saves);
        assert_same_saving(&few->together, &all->together);
        xs_diagnosis_free(all);
        xs_diagnosis_free(few);
        xs_trace_close(&trace);
        play_end(p);
    }
}

/* Returns how many instances an analysis keeps for the repairs. */
static size_t kept(const struct xs_trace *trace, const struct xs_intervals *only) {
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_analysis_options options = {.keeps_repairables = true, .repaired_times = only};
    struct xs_findings *findings;
    assert_true(xs_analyse(trace, &options, &findings, message) >= 0);
    size_t count = findings->repairables.count;
    assert_true(count >= findings->count);
    for (size_t i = 0; i < findings->count; i++) {
        size_t of;
        xs_repairables_of(&findings->repairables, &findings->items[i], &of);
        assert_true(of > 0); /* the last instance of a finding is always kept */
    }
    xs_findings_free(findings);
    return count;
}

static void only_the_instances_of_the_parts_are_kept(void **state) {
    const struct xs_intervals none = {0};
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_intervals times;
    struct xs_parts parts;
    struct xs_trace trace;
    (void)state;
    play_run(1);
    diagnose(PEAK);
    assert_int_equal(xs_trace_open(p->path, &trace, message), 0);
    assert_true(xs_parts_choose(&parts, &trace, WHOLE_ROWS, message) >= 0);
    xs_parts_possible_times(&parts, &times);
    assert_true(kept(&trace, &times) < kept(&trace, NULL));
    assert_true(kept(&trace, &none) < kept(&trace, &times) / 10);
    xs_intervals_free(&times);
    xs_parts_free(&parts);
    xs_trace_close(&trace);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_interval_of_the_parts_has_the_whole),
                                       cmocka_unit_test(instances_that_are_not_kept_change_no_saving),
                                       cmocka_unit_test(only_the_instances_of_the_parts_are_kept)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
