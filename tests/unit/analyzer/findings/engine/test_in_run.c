/* Tests the estimate, of a ledger, of how often a finding occurs in the whole run. */
#include "unit.h"

#include <math.h>

#include "analyzer/findings/engine/in_run.h"

enum { SITE = 3, OTHER = 4, DETECTOR = 1, PARTS = 10, OF_A_PART = 50 };

static struct xs_finding finding;
static struct xs_site_total totals[OTHER + 1];
static struct xs_findings findings;
static struct xs_in_run_counts counts;
static struct xs_capture_ranges ranges;

static int begin(void **state) {
    (void)state;
    counts = (struct xs_in_run_counts){0};
    finding = (struct xs_finding){.detector = DETECTOR, .site = SITE, .sample.is_of_contents = true};
    totals[SITE] = (struct xs_site_total){.transfers = 100000};
    findings = (struct xs_findings){.items = &finding, .count = 1, .at_sites = {totals, OTHER + 1}};
    ranges = (struct xs_capture_ranges){.is_ledger = true, .count = PARTS};
    return 0;
}

static int end(void **state) {
    (void)state;
    xs_in_run_free(&counts);
    return 0;
}

/* A part of the run in which `hits` of the site's copies are instances. */
static void add_part(int64_t part, int hits) {
    for (int i = 0; i < OF_A_PART; i++) {
        xs_in_run_transfer(&counts, SITE, part);
        xs_in_run_transfer(&counts, OTHER, part);
    }
    for (int i = 0; i < hits; i++)
        xs_in_run_instance(&counts, DETECTOR, 0, SITE, part);
    finding.instances += (uint64_t)hits;
    finding.sample.estimate = finding.sample.low = finding.sample.high = (double)finding.instances;
}

static void estimate(void) { xs_in_run_estimate(&findings, &counts, &ranges, 1000); }

static void parts_that_are_alike_leave_little_doubt(void **state) {
    (void)state;
    for (int64_t part = 0; part < PARTS; part++)
        add_part(part, OF_A_PART);
    estimate();
    assert_int_equal(finding.in_run.transfers, 100000);
    assert_true(fabs(finding.in_run.instances - 100000) < 1 && fabs(finding.in_run.high - 100000) < 1);
    assert_true(finding.in_run.low > 99000 && finding.in_run.low < 99500); /* Wilson's, of 500 of 500 */
}

static void parts_that_differ_leave_doubt(void **state) {
    (void)state;
    for (int64_t part = 0; part < PARTS; part++)
        add_part(part, part % 2 ? 20 : 10);
    estimate();
    assert_true(fabs(finding.in_run.instances - 30000) < 1);
    /* the shares are 0.2 and 0.4: 0.3 plus and minus 2.26 times a standard error of 0.0333 */
    assert_true(fabs(finding.in_run.low - 22457) < 50 && fabs(finding.in_run.high - 37543) < 50);
}

static void a_sample_makes_the_interval_wider(void **state) {
    (void)state;
    for (int64_t part = 0; part < PARTS; part++)
        add_part(part, 10);
    finding.sample.estimate = 200;
    finding.sample.low = 150;
    finding.sample.high = 300;
    estimate();
    assert_true(fabs(finding.in_run.instances - 40000) < 1);
    assert_true(finding.in_run.low < 30000 && finding.in_run.high > 60000);
}

static void what_was_found_is_the_least(void **state) {
    (void)state;
    totals[SITE].transfers = 505;
    for (int64_t part = 0; part < PARTS; part++)
        add_part(part, part ? 49 : 0);
    estimate();
    assert_true(finding.in_run.low >= 441 && finding.in_run.high <= 505);
}

static void calls_that_were_only_counted_are_scaled_up(void **state) {
    (void)state;
    ranges.summed_ns = 250;
    for (int64_t part = 0; part < PARTS; part++)
        add_part(part, OF_A_PART / 2);
    estimate();
    assert_int_equal(finding.in_run.transfers, 400000);
    assert_true(fabs(finding.in_run.instances - 200000) < 1);
}

static void other_findings_have_no_estimate(void **state) {
    (void)state;
    add_part(0, 10);
    finding.sample.is_of_contents = false;
    estimate();
    assert_int_equal(finding.in_run.transfers, 0);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(parts_that_are_alike_leave_little_doubt),    TEST(parts_that_differ_leave_doubt),
        TEST(a_sample_makes_the_interval_wider),          TEST(what_was_found_is_the_least),
        TEST(calls_that_were_only_counted_are_scaled_up), TEST(other_findings_have_no_estimate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
