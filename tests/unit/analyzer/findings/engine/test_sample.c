/* Tests what the copies that were looked at show about the copies that chance left out: intervals, cells and blocks,
 * pairs; and that nothing is estimated if everything is known, or if the choice was not by chance. */
#include "played.h"

#include <math.h>
#include <stdlib.h>

#include "analyzer/findings/engine/findings_build.h"
#include "analyzer/findings/engine/sample.h"
#include "analyzer/words/unchecked.h"

enum { A = 0x10000, B = 0x4000000, C = 0x8000000, BYTES = 0x20000, HOST = 0x50000000, OTHER = 0x60000000 };

static struct played played, *p = &played;

static void wilson_is_the_textbook_s(void **state) {
    double low, high;
    (void)state;
    xs_wilson(8, 10, &low, &high); /* Agresti and Coull's example: 0.4902 to 0.9433 */
    assert_true(fabs(low - 0.4902) < 0.0001 && fabs(high - 0.9433) < 0.0001);
    xs_wilson(0, 10, &low, &high);
    assert_true(low <= 0 && fabs(high - 0.2775) < 0.0001);
    xs_wilson(10, 10, &low, &high);
    assert_true(fabs(low - 0.7225) < 0.0001 && high > 0.999999);
    xs_wilson(131, 132, &low, &high);
    assert_true(fabs(low - 0.9583) < 0.0005 && fabs(high - 0.9987) < 0.0005);
}

/* Tests the interval's promise: for about 95 % of all samples of 25, it contains the true share. */
static void wilson_covers_what_it_says(void **state) {
    enum { CHECKED = 25 };
    (void)state;
    for (double share = 0.1; share < 0.95; share += 0.1) {
        double covered = 0, chance = pow(1 - share, CHECKED);
        for (int hits = 0; hits <= CHECKED; hits++) {
            double low, high;
            xs_wilson(hits, CHECKED, &low, &high);
            covered += low <= share && share <= high ? chance : 0;
            chance *= (CHECKED - hits) / (hits + 1.0) * share / (1 - share);
        }
        assert_true(covered > 0.92 && covered < 0.985);
    }
}

static void upload(uint64_t to, uint64_t bytes, int content, int before) {
    play_up(p, to, bytes, content, before, HOST);
}

/* The latest upload was fingerprinted only because it followed another copy. */
#define FOLLOWS "UPDATE transfer SET skip = 22 WHERE id = %d;"
/* A copy that was left out for another reason does not count as left out by chance. */
#define BY_CHANCE "UPDATE transfer SET skip = 21 WHERE skip = 9;"

static void all_looked_at_is_exact(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    upload(A, BYTES, 1, NOT_MEASURED);
    for (int i = 0; i < 40; i++)
        upload(A, BYTES, i % 4 ? 1 : 2 + i, 1);
    play_analyse(p, NULL);
    const struct xs_finding *f = played_finding(p, "noop-upload");
    assert_int_equal(f->instances, 30);
    assert_true(f->sample.is_of_contents);
    assert_int_equal(f->sample.checked, 40);
    assert_int_equal(f->sample.of, 40);
    assert_int_equal(f->sample.hits, 30);
    assert_int_equal(f->sample.unknown, 0);
    assert_true(f->sample.low == 30 && f->sample.estimate == 30 && f->sample.high == 30);
    assert_true(f->sample.ns == (double)f->claimed_ns && f->sample.low_ns == f->sample.high_ns);
    play_end(p);
}

/* If there was no budget, or the trace is from before there were samples, the copies that were looked at show nothing
 * about the others. */
static void what_was_not_chance_is_not_estimated(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    upload(A, BYTES, 1, NOT_MEASURED);
    for (int i = 0; i < 40; i++)
        upload(A, BYTES, i < 10 ? 1 : NO_CONTENT, 1);
    play_analyse(p, NULL);
    const struct xs_finding *f = played_finding(p, "noop-upload");
    assert_int_equal(f->sample.checked, 10);
    assert_int_equal(f->sample.of, 10);
    assert_int_equal(f->sample.unknown, 30);
    assert_true(f->sample.low == 10 && f->sample.estimate == 10 && f->sample.high == 10);
    play_end(p);
}

/* One copy in ten was looked at, and two thirds of these are no-ops. */
static void play_tenth(void) {
    play_begin(p);
    play_alloc(p, A, BYTES);
    upload(A, BYTES, 1, NOT_MEASURED);
    for (int i = 0; i < 600; i++)
        upload(A, BYTES, i % 10 ? NO_CONTENT : i % 30 ? 1 : 2 + i, 1);
}

static void chance_is_scaled_up(void **state) {
    (void)state;
    play_tenth();
    play_analyse(p, BY_CHANCE);
    const struct xs_finding *f = played_finding(p, "noop-upload");
    assert_int_equal(f->instances, 40);
    assert_int_equal(f->sample.checked, 60);
    assert_int_equal(f->sample.of, 600);
    assert_int_equal(f->sample.hits, 40);
    assert_true(fabs(f->sample.estimate - 400) < 6);
    assert_true(f->sample.low > 325 && f->sample.low < 345);
    assert_true(f->sample.high > 450 && f->sample.high < 465);
    assert_true(fabs(f->sample.ns - 10 * (double)f->claimed_ns) < 0.02 * f->sample.ns);
    assert_true(f->sample.low_ns < f->sample.ns && f->sample.ns < f->sample.high_ns);
    play_end(p);
}

/* All of the first 100 copies are checked, and none is a no-op. One in ten of the next 900 is checked, and all are
 * no-ops. Each checked copy represents its neighbours, not the run. */
static void the_chance_may_change(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    upload(A, BYTES, 1, NOT_MEASURED);
    for (int i = 0; i < 100; i++)
        upload(A, BYTES, 2 + i, 1);
    for (int i = 0; i < 900; i++)
        upload(A, BYTES, i % 10 ? NO_CONTENT : 1, 1);
    play_analyse(p, BY_CHANCE);
    const struct xs_finding *f = played_finding(p, "noop-upload");
    assert_int_equal(f->sample.checked, 190);
    assert_int_equal(f->sample.of, 1000);
    assert_true(fabs(f->sample.estimate - 900) < 20);
    assert_true(f->sample.low > 800 && f->sample.high <= 910);
    play_end(p);
}

/* Copies of different sizes are estimated separately: all small ones are no-ops, and many of them are looked at; no
 * large one is a no-op. */
static void sizes_do_not_stand_for_each_other(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, 16 * BYTES);
    upload(A, BYTES, 1, NOT_MEASURED);
    upload(B, 16 * BYTES, 1, NOT_MEASURED);
    for (int i = 0; i < 400; i++) {
        upload(A, BYTES, i % 2 ? NO_CONTENT : 1, 1);
        upload(B, 16 * BYTES, i % 20 ? NO_CONTENT : 2 + i, 1);
    }
    play_analyse(p, BY_CHANCE);
    const struct xs_finding *f = played_finding(p, "noop-upload");
    assert_int_equal(f->sample.of, 800);
    assert_true(fabs(f->sample.estimate - 400) < 1);
    assert_true(f->sample.high < 480);
    play_end(p);
}

/* A copy that was looked at because of another copy is an instance like others, but nothing follows from it. */
static void who_only_follows_stands_for_nobody(void **state) {
    char sql[256];
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    upload(A, BYTES, 1, NOT_MEASURED);
    for (int i = 0; i < 100; i++)
        upload(A, BYTES, i % 10 ? NO_CONTENT : 2 + i, 1);
    upload(A, BYTES, 1, 1);
    snprintf(sql, sizeof sql, BY_CHANCE FOLLOWS, (int)p->transfer);
    play_analyse(p, sql);
    const struct xs_finding *f = played_finding(p, "noop-upload");
    assert_int_equal(f->instances, 1);
    assert_int_equal(f->sample.checked, 10);
    assert_int_equal(f->sample.of, 101);
    assert_int_equal(f->sample.hits, 0);
    assert_true(f->sample.low == 1 && f->sample.estimate == 1);
    assert_true(f->sample.high > 10 && f->sample.high < 40);
    assert_true(f->sample.ns == (double)f->claimed_ns && f->sample.high_ns > f->sample.ns);
    play_end(p);
}

/* The chance of the download decides about a round trip. In one buffer, one in ten uploads was looked at together with
 * its download; in the other buffer, one in ten uploads was looked at by itself. */
static void pairs_are_decided_by_their_first(void **state) {
    char sql[8192];
    int used = snprintf(sql, sizeof sql, BY_CHANCE);
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_alloc(p, C, BYTES);
    for (int i = 0; i < 200; i++) {
        bool looked = i % 10 == 0;
        play_down(p, A, BYTES, looked ? 1000 + i : NO_CONTENT, HOST);
        play_up(p, B, BYTES, looked ? 1000 + i : NO_CONTENT, 1, HOST);
        if (looked)
            used += snprintf(sql + used, sizeof sql - (size_t)used, FOLLOWS, (int)p->transfer);
        play_up(p, C, BYTES, i % 10 == 5 ? 3000 + i : NO_CONTENT, 1, OTHER);
    }
    play_analyse(p, sql);
    const struct xs_finding *f = played_finding(p, "round-trip");
    assert_int_equal(f->instances, 20);
    assert_int_equal(f->sample.checked, 40);
    assert_int_equal(f->sample.of, 400);
    assert_int_equal(f->sample.hits, 20);
    assert_true(fabs(f->sample.estimate - 200) < 1);
    assert_true(f->sample.low > 140 && f->sample.low < 200 && f->sample.high > 200 && f->sample.high < 260);
    play_end(p);
}

/* The content that a small upload overwrote is known from the previous upload, so the chance of the previous upload
 * counts. */
static void what_is_inferred_is_of_the_one_before(void **state) {
    char sql[8192];
    int used = snprintf(sql, sizeof sql, BY_CHANCE);
    (void)state;
    play_begin(p);
    play_alloc(p, A, 4096);
    for (int i = 0; i < 400; i++) {
        upload(A, 4096, i % 10 < 2 ? 1 : NO_CONTENT, NOT_MEASURED);
        if (i % 10 == 1)
            used += snprintf(sql + used, sizeof sql - (size_t)used, FOLLOWS, (int)p->transfer);
    }
    play_analyse(p, sql);
    const struct xs_finding *f = played_finding(p, "noop-upload");
    assert_int_equal(f->instances, 40);
    assert_int_equal(f->sample.checked, 40);
    assert_int_equal(f->sample.of, 399);
    assert_int_equal(f->sample.hits, 40);
    assert_true(fabs(f->sample.estimate - 399) < 1 && f->sample.low > 350);
    play_end(p);
}

static void other_findings_have_none(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < 4; i++)
        upload(A, BYTES, 2 + i, 1);
    play_analyse(p, NULL);
    assert_false(played_finding(p, "pageable")->sample.is_of_contents);
    play_end(p);
}

static const struct xs_unchecked *unchecked_of(const char *id) {
    for (size_t i = 0; i < p->findings->unchecked_count; i++)
        if (!strcmp(xs_detectors[p->findings->unchecked[i].detector]->id, id))
            return &p->findings->unchecked[i];
    return NULL;
}

/* Plays twenty downloads of one place. Some were looked at, always two in a row. */
static void play_downloads(int looked, const char *sql) {
    play_begin(p);
    play_alloc(p, A, BYTES);
    for (int i = 0; i < 20; i++)
        play_down(p, A, BYTES, i < looked ? 100 + i : NO_CONTENT, HOST);
    play_analyse(p, sql);
}

/* Nobody looked at these copies, by chance or because of the budget, and no checked copy represents them. */
static void of_what_nobody_looked_at_nothing_is_known(void **state) {
    static const char *const left_out[] = {BY_CHANCE, NULL};
    (void)state;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        play_downloads(1, left_out[i]); /* a single download, which is compared with none */
        const struct xs_unchecked *u = unchecked_of("repeat-download");
        assert_non_null(u);
        assert_int_equal(u->copies, 19);
        assert_int_equal(u->downloads, 19);
        assert_int_equal(u->bytes, 19 * BYTES);
        assert_int_equal(u->ns, 19 * (BYTES / 4096) * 1000);
        assert_int_equal(p->findings->unchecked_count, 1);
        struct xs_unchecked total = xs_unchecked_total(p->findings, NULL);
        assert_true(total.copies == 19 && total.ns == u->ns);
        play_end(p);
    }
}

/* The other copies are estimated from those that were checked, or no option would make it possible to look at them. */
static void who_is_stood_for_is_not_unchecked(void **state) {
    (void)state;
    play_downloads(2, BY_CHANCE);
    assert_null(unchecked_of("repeat-download"));
    play_end(p);
    play_downloads(1, "UPDATE transfer SET skip = 7 WHERE skip = 9;");
    assert_null(unchecked_of("repeat-download"));
    play_end(p);
}

/* If one finding has some copies, no other finding can save more of the same copies. */
static void what_is_found_is_not_unchecked_again(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    upload(A, BYTES, 1, NOT_MEASURED);
    for (int i = 0; i < 40; i++) {
        play_down(p, A, BYTES, NO_CONTENT, HOST);
        upload(A, BYTES, i % 4 ? NO_CONTENT : 1, 1);
    }
    play_analyse(p, BY_CHANCE);
    assert_int_equal(played_finding(p, "noop-upload")->sample.hits, 10);
    assert_non_null(unchecked_of("round-trip"));
    assert_int_equal(unchecked_of("round-trip")->downloads, 0);
    assert_int_equal(unchecked_of("round-trip")->ns, 0);
    play_end(p);
}

/* --- verdicts of one place --- */

static unsigned detector_of(const char *id) {
    unsigned i = 0;
    while (strcmp(xs_detectors[i]->id, id) != 0)
        i++;
    return i;
}

static struct xs_finding verdict(unsigned number, uint64_t instances, struct xs_sample sample) {
    struct xs_finding f = {.detector = detector_of("duplicate-upload"),
                           .verdict = number,
                           .site = 1,
                           .instances = instances,
                           .claimed_ns = instances * 10,
                           .kept = 1,
                           .first = calloc(1, sizeof *f.first),
                           .largest = calloc(1, sizeof *f.largest),
                           .first_count = 1,
                           .largest_count = 1,
                           .sample = sample};
    assert_non_null(f.first);
    assert_non_null(f.largest);
    f.first[0].verdict = f.largest[0].verdict = number;
    return f;
}

/* Of 100 copies, 20 were checked: 9 have one verdict, 10 have the other, and 1 has none. So at most 99 copies have any
 * verdict, and their time is at most the time of 99. */
static void estimates_together_are_no_more_than_there_are(void **state) {
    (void)state;
    struct xs_sample one = {.is_of_contents = true,
                            .checked = 20,
                            .of = 100,
                            .hits = 9,
                            .estimate = 54,
                            .low = 9,
                            .high = 80,
                            .ns = 540,
                            .low_ns = 90,
                            .high_ns = 800};
    struct xs_sample two = {.is_of_contents = true,
                            .checked = 20,
                            .of = 100,
                            .hits = 10,
                            .estimate = 56,
                            .low = 10,
                            .high = 82,
                            .ns = 560,
                            .low_ns = 100,
                            .high_ns = 820};
    struct xs_findings findings = {
        .items = calloc(2, sizeof *findings.items), .count = 2, .recorded = {.ns = 1000000, .run_ns = 1000000}};
    assert_non_null(findings.items);
    findings.items[0] = verdict(0, 9, one);
    findings.items[1] = verdict(3, 10, two);
    xs_findings_join(&findings);
    assert_int_equal(findings.count, 1);
    const struct xs_finding *f = findings.items;
    assert_int_equal(f->verdict, XS_SEVERAL_VERDICTS);
    assert_int_equal(f->sample.hits, 19);
    assert_true(f->sample.estimate > 98.99 && f->sample.estimate < 99.01);
    assert_true(f->sample.ns > 989 && f->sample.ns < 991);
    assert_true(f->sample.low > 18.99 && f->sample.low < 19.01 && f->sample.low_ns > 189 && f->sample.low_ns < 191);
    assert_true(f->sample.high > 98.99 && f->sample.high < 99.01);
    assert_true(f->sample.high_ns > 989 && f->sample.high_ns < 991);
    assert_true(f->variants[0].estimate > 53.99 && f->variants[3].estimate > 55.99);
    assert_int_equal(f->variants[0].instances, 9);
    free(f->first);
    free(f->largest);
    free(findings.items);
}

/* A hostile trace has a call site for each of its copies. Each took 3 KB of cells, so a trace of 200 MB took gigabytes.
 */
static void many_sites_take_no_more_memory(void **state) {
    struct xs_samples samples = {0};
    struct xs_trace_event event = {.on = XS_ON_TRANSFER, .u.transfer.bytes = BYTES};
    (void)state;
    for (event.site = 0; event.site < 2 * XS_SAMPLE_GROUPS; event.site++)
        xs_samples_add(&samples, 0, &event, 0, XS_DRAWN_CHECKED);
    assert_int_equal(samples.groups.count, XS_SAMPLE_GROUPS);
    assert_null(samples.current);
    event.site = 0; /* the first sites go on being counted */
    xs_samples_add(&samples, 0, &event, 0, XS_DRAWN_CHECKED);
    assert_int_equal(samples.current->checked, 2);
    assert_int_equal(samples.groups.count, XS_SAMPLE_GROUPS);
    xs_samples_free(&samples);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wilson_is_the_textbook_s),
        cmocka_unit_test(wilson_covers_what_it_says),
        cmocka_unit_test(all_looked_at_is_exact),
        cmocka_unit_test(what_was_not_chance_is_not_estimated),
        cmocka_unit_test(chance_is_scaled_up),
        cmocka_unit_test(the_chance_may_change),
        cmocka_unit_test(sizes_do_not_stand_for_each_other),
        cmocka_unit_test(who_only_follows_stands_for_nobody),
        cmocka_unit_test(pairs_are_decided_by_their_first),
        cmocka_unit_test(what_is_inferred_is_of_the_one_before),
        cmocka_unit_test(other_findings_have_none),
        cmocka_unit_test(of_what_nobody_looked_at_nothing_is_known),
        cmocka_unit_test(who_is_stood_for_is_not_unchecked),
        cmocka_unit_test(what_is_found_is_not_unchecked_again),
        cmocka_unit_test(estimates_together_are_no_more_than_there_are),
        cmocka_unit_test(many_sites_take_no_more_memory),
    };
    return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
