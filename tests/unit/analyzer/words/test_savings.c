/* Tests the sentences about a saving: why it is a range, what page-locking costs, how much was checked, and that
 * savings are bounds if the replay is not trusted. */
#include "unit.h"

#include "analyzer/findings/engine/detector.h"
#include "analyzer/trace/site.h"
#include "analyzer/words/findings_words.h"

#define MS UINT64_C(1000000)

static struct xs_sites sites;
static struct xs_finding finding;
static struct xs_cause cause;
static struct xs_diagnosed diagnosed;
static struct xs_findings findings;
static struct xs_diagnosis diagnosis;

static int begin(void **state) {
    (void)state;
    finding = (struct xs_finding){0};
    diagnosed =
        (struct xs_diagnosed){.finding = &finding, .saves = {.known = true, .least_ns = 20 * MS, .most_ns = 50 * MS}};
    findings = (struct xs_findings){.items = &finding, .count = 1, .exposed_known = true, .sites = &sites};
    diagnosis = (struct xs_diagnosis){.findings = &findings,
                                      .items = &diagnosed,
                                      .count = 1,
                                      .causes = &cause,
                                      .cause_count = 1,
                                      .replayed = true,
                                      .replay_fit = {.calls = 10}};
    return 0;
}

static void is_of(const char *id, const char *verdict) {
    for (size_t i = 0; i < xs_detector_count; i++) {
        if (strcmp(xs_detectors[i]->id, id) != 0)
            continue;
        finding.detector = (unsigned)i;
        for (unsigned v = 0; verdict && v < XS_VERDICTS; v++)
            if (xs_detectors[i]->verdicts[v].name && !strcmp(xs_detectors[i]->verdicts[v].name, verdict))
                finding.verdict = v;
        return;
    }
    fail_msg("no detector %s", id);
}

static void expect_text(struct xs_string *text, const char *part) {
    if (!text->data || !strstr(text->data, part))
        fail_msg("\"%s\" is not in \"%s\"", part, text->data ? text->data : "");
    xs_string_free(text);
}

/* Expects the reasons' names in JSON: `names` is what stands between the brackets, without spaces. */
static void expect_names(const char *names) {
    char *data, squeezed[256] = "";
    size_t size, n = 0;
    struct xs_json json = {.file = open_memstream(&data, &size)};
    assert_non_null(json.file);
    xs_json_object(&json, NULL);
    xs_finding_why_interval_json(&json, &diagnosis, &diagnosed);
    xs_json_end(&json, '}');
    assert_int_equal(fclose(json.file), 0);
    for (const char *p = strchr(data, '[') + 1; *p && *p != ']' && n + 1 < sizeof squeezed; p++)
        if (!strchr(" \n\"", *p))
            squeezed[n++] = *p;
    free(data);
    assert_string_equal(squeezed, names);
}

static void expect_why(const char *names, const char *part) {
    struct xs_string text = {0};
    expect_names(names);
    xs_finding_why_interval(&text, &diagnosis, &diagnosed);
    expect_text(&text, part);
}

static void a_range_has_its_reason(void **state) {
    (void)state;
    is_of("round-trip", "same-device");
    expect_why("downloads_may_be_needed", "only if the host does not need their data");
    is_of("pageable", NULL);
    expect_why("page_locking", "has to be page-locked (this price is deducted)");
    is_of("no-overlap", NULL);
    expect_why("when_data_is_there", "depends on when the program has the data");
    is_of("unused-upload", "likely");
    expect_why("may_be_needed,time_around_copies", "Something that the trace does not show may need it");
    is_of("noop-upload", NULL);
    expect_why("time_around_copies", "page-locked memory of these copies");
    findings.exposed_known = false;
    expect_why("kernels_not_recorded", "Kernels were not recorded");
    diagnosed.saves.bounds = true; /* one of many small ones */
    expect_why("not_replayed", "It was not replayed");
    diagnosis.replayed = false;
    expect_why("run_not_replayed", "savings are bounds");
}

static void what_is_no_range_has_none(void **state) {
    struct xs_string text = {0};
    (void)state;
    is_of("round-trip", "same-device");
    diagnosed.saves.least_ns = diagnosed.saves.most_ns;
    xs_finding_why_interval(&text, &diagnosis, &diagnosed);
    assert_int_equal(text.length, 0);
    expect_names("");
    diagnosed.saves = (struct xs_saving){0};
    xs_finding_why_interval(&text, &diagnosis, &diagnosed);
    assert_int_equal(text.length, 0);
    expect_names("");
}

static void savings_are_bounds_without_a_replay(void **state) {
    struct xs_string text = {0};
    (void)state;
    xs_say_bounds(&text, &diagnosis);
    assert_int_equal(text.length, 0);
    diagnosis.replayed = false;
    diagnosis.replay_error = 0.0731;
    diagnosed.saves = (struct xs_saving){.known = true, .bounds = true, .most_ns = 50 * MS};
    xs_say_bounds(&text, &diagnosis);
    expect_text(&text, "A replay without any change differs from this run by 7.3 %: savings are bounds");
    expect_why("run_not_replayed", "differs from this run by 7.3 %");
    diagnosis.replay_fit = (struct xs_replay_fit){.calls = 0};
    xs_say_bounds(&text, &diagnosis);
    expect_text(&text, "no calls that could be replayed: savings are bounds");
    diagnosis.replayed = true;
    diagnosis.replay_fit = (struct xs_replay_fit){.calls = 9, .parts = 26, .parts_of_run = 1180};
    diagnosed.saves = (struct xs_saving){.known = true, .least_ns = 40 * MS, .most_ns = 50 * MS};
    expect_why("time_around_copies,run_replayed_in_parts", "26 of its 1,180 parts were replayed");
    diagnosed.saves.bounds = true;
    expect_why("not_in_parts", "have none of its calls");
    diagnosis.replayed = false;
    diagnosis.cause_count = 0; /* there are none */
    xs_say_bounds(&text, &diagnosis);
    assert_int_equal(text.length, 0);
}

static void page_locking_has_a_price(void **state) {
    struct xs_string text = {0};
    (void)state;
    xs_finding_pinning(&text, &diagnosed);
    assert_int_equal(text.length, 0);
    diagnosed.pinning_ns = 25 * MS;
    diagnosed.pinning_assumed = true;
    xs_finding_pinning(&text, &diagnosed);
    expect_text(&text, "once 25.0 ms for page-locking (assumed)");
    diagnosed.pinning_assumed = false;
    xs_finding_pinning(&text, &diagnosed);
    expect_text(&text, "(from this trace)");
}

static void what_was_checked_is_said(void **state) {
    struct xs_string text = {0};
    (void)state;
    finding.sample = (struct xs_sample){
        .is_of_contents = true, .checked = 132, .of = 199, .hits = 131, .estimate = 197.5, .low = 194.2, .high = 199};
    xs_finding_sample(&text, &finding);
    expect_text(&text, "checked 132 of 199, 131 of these have it: about 198 in all, 194 to 199 with 95 % certainty");
    finding.sample = (struct xs_sample){.is_of_contents = true, .checked = 5, .of = 5, .hits = 5, .unknown = 2};
    xs_finding_sample(&text, &finding);
    expect_text(&text, "checked 5 of 7; the others could not be checked");
    finding.sample.unknown = 0;
    xs_finding_sample(&text, &finding);
    assert_int_equal(text.length, 0);
}

static void expect_cost(const char *wanted) {
    struct xs_string text = {0};
    xs_finding_cost(&text, &finding);
    assert_string_equal(text.data, wanted);
    xs_string_free(&text);
}

/* One verdict of several has the estimate for all copies, or the number that was found if this is larger. */
static void a_variant_is_of_all(void **state) {
    (void)state;
    assert_int_equal(xs_variant_in_all(&(struct xs_variant){.instances = 9, .estimate = 54.2}), 54);
    assert_int_equal(xs_variant_in_all(&(struct xs_variant){.instances = 9}), 9);
}

/* The number and the cost are estimates for all copies, although the cost was measured only for the checked ones. */
static void an_amount_is_of_all(void **state) {
    struct xs_string text = {0};
    (void)state;
    finding.instances = finding.transfers = finding.timed_instances = finding.exposed_instances = 105;
    finding.bytes = UINT64_C(105) << 23;
    finding.cost =
        (struct xs_times){.device_known = true, .exposed_known = true, .device_ns = 68200000, .exposed_ns = 68200000};
    finding.sample = (struct xs_sample){
        .is_of_contents = true, .checked = 105, .of = 199, .hits = 105, .estimate = 199, .low = 190, .high = 199};
    xs_finding_amount(&text, &finding);
    assert_string_equal(text.data, "about 199, 1.55 GiB");
    expect_cost("about 129 ms on the device (123 ms to 129 ms with 95 % certainty), all of it exposed");
    finding.cost.exposed_ns = 34100000;
    expect_cost("about 129 ms on the device (123 ms to 129 ms with 95 % certainty), about 64.6 ms exposed");
    finding.timed_instances = 50; /* the others have no device time, and nothing is said of them */
    expect_cost(
        "68.2 ms on the device for the 50 of about 199 that were checked and have device times, 34.1 ms exposed");
    finding.timed_instances = finding.exposed_instances = 0;
    finding.cost.host_ns = 10500000;
    expect_cost("about 19.9 ms in the calls (19.0 ms to 19.9 ms with 95 % certainty)");
    finding.timed_instances = finding.exposed_instances = 105;
    finding.cost.exposed_ns = finding.cost.device_ns;
    finding.sample =
        (struct xs_sample){.is_of_contents = true, .checked = 105, .of = 105, .hits = 105, .estimate = 105};
    text.length = 0;
    xs_finding_amount(&text, &finding);
    assert_string_equal(text.data, "105, 840 MiB");
    expect_cost("68.2 ms on the device, all of it exposed");
    finding.timed_instances = 50;
    expect_cost("68.2 ms on the device for the 50 of 105 that have device times, all of it exposed");
    xs_string_free(&text);
}

static void expect_saving(uint64_t least_ns, uint64_t most_ns, const char *wanted) {
    struct xs_string text = {0};
    xs_saving_text(&text, least_ns, most_ns);
    assert_string_equal(text.data, wanted);
    xs_string_free(&text);
}

static void a_range_has_both_ends(void **state) {
    (void)state;
    expect_saving(146 * MS, 146 * MS, "146 ms");
    expect_saving(140 * MS, 146 * MS, "146 ms"); /* nearly the same is no range */
    expect_saving(6050000, 484 * MS, "up to 484 ms (6.05 ms or more)");
    expect_saving(4 * MS, 484 * MS, "up to 484 ms"); /* under 1 % of it */
    expect_saving(0, 484 * MS, "up to 484 ms");
    expect_saving(0, 0, "0 ns");
}

/* All instances together have the saving of their finding. */
static void an_instance_has_its_share(void **state) {
    (void)state;
    finding.instances = 4;
    finding.claimed_ns = 100 * MS;
    assert_int_equal(xs_finding_share_ns(&diagnosed, 40 * MS), 20 * MS);
    assert_int_equal(xs_finding_share_ns(&diagnosed, 100 * MS), 50 * MS);
    diagnosed.saves.scaled_most_ns =
        30 * MS; /* the saving comes from copies that were not looked at: none of the instances has it */
    assert_int_equal(xs_finding_share_ns(&diagnosed, 40 * MS), 8 * MS);
    assert_int_equal(xs_finding_share_ns(&diagnosed, 100 * MS), 20 * MS);
    diagnosed.saves.scaled_most_ns = 0;
    finding.claimed_ns = 0; /* none claims anything: equal parts */
    assert_int_equal(xs_finding_share_ns(&diagnosed, 0), 50 * MS / 4);
    diagnosed.saves = (struct xs_saving){0}; /* no repair */
    assert_int_equal(xs_finding_share_ns(&diagnosed, 7), 0);
}

static void expect_gain(uint64_t least_ns, uint64_t most_ns, const char *expected) {
    struct xs_string text = {0};
    diagnosed.saves = (struct xs_saving){.known = true, .least_ns = least_ns, .most_ns = most_ns};
    xs_finding_gain_between(&text, &findings, &diagnosed);
    assert_string_equal(text.data, expected);
    xs_string_free(&text);
}

/* The least saving is mentioned if it is smaller than the most, and larger than nothing. */
static void a_range_says_its_least(void **state) {
    (void)state;
    findings.recorded = (struct xs_recorded_time){.ns = 100 * MS, .run_ns = 100 * MS};
    expect_gain(20 * MS, 50 * MS, "saves up to 50.0 ms (20.0 ms or more), 50 % of the run");
    expect_gain(48 * MS, 50 * MS, "saves 50.0 ms, 50 % of the run");
    expect_gain(0, 50 * MS, "saves up to 50.0 ms, 50 % of the run");
    expect_gain(MS / 2 - 1, 50 * MS, "saves up to 50.0 ms, 50 % of the run");
    expect_gain(MS / 2, 50 * MS, "saves up to 50.0 ms (500 us or more), 50 % of the run");
    finding.advice = true;
    struct xs_string text = {0};
    xs_finding_gain_between(&text, &findings, &diagnosed);
    assert_int_equal(text.length, 0);
}

/* If only a part of the run was recorded, shares are of that time, and the text says so. */
static void shares_are_of_what_was_recorded(void **state) {
    (void)state;
    struct xs_string text = {0};
    findings.recorded = (struct xs_recorded_time){.ns = 100 * MS, .run_ns = 1000 * MS, .in_part = true};
    expect_gain(48 * MS, 50 * MS, "saves 50.0 ms, 50 % of the time recorded");
    expect_gain(200 * MS, 200 * MS, "saves 200 ms, some of it at the same time");
    xs_say_of_run(&text, " of the run's ", 50 * MS, &findings.recorded);
    assert_string_equal(text.data, " of the 100 ms recorded (50 %), of a run of 1.00 s");
    text.length = 0;
    xs_say_of_run(&text, " of the run's ", 200 * MS, &findings.recorded);
    assert_string_equal(text.data, ", some of it at the same time: 100 ms were recorded, of a run of 1.00 s");
    text.length = 0;
    diagnosis.together.most_ns = diagnosis.together.least_ns = 50 * MS;
    xs_say_total_of_run(&text, &diagnosis);
    assert_string_equal(text.data, "All repaired: saves 50.0 ms, the 100 ms recorded would become 50.0 ms (-50 %).");
    xs_string_free(&text);
}

/* A finding is offered if it is certain, and if its repair differs from the first one and from those that were offered
 * before. */
static void alternatives_are_of_other_repairs(void **state) {
    static const struct {
        const char *id, *verdict;
        uint64_t saves_ns;
        bool is_offered;
    } cases[] = {
        {"fake-async", NULL, 50 * MS, false},        /* it leads the cause */
        {"pageable", NULL, 50 * MS, false},          /* page-locks, too */
        {"unused-upload", "likely", 40 * MS, false}, /* may be needed */
        {"noop-upload", NULL, 0, false},             /* saves nothing */
        {"noop-upload", NULL, 30 * MS, true},        /* the two before it do not stand in its way */
        {"bounce", NULL, 20 * MS, false},            /* drops copies as the one before does */
        {"no-overlap", NULL, 10 * MS, true},
    };
    enum { COUNT = sizeof cases / sizeof *cases };
    struct xs_finding found[COUNT];
    struct xs_diagnosed items[COUNT];
    size_t indexes[COUNT];
    unsigned repairs = 0;
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        finding = (struct xs_finding){0};
        is_of(cases[i].id, cases[i].verdict);
        found[i] = finding;
        items[i] = (struct xs_diagnosed){.finding = &found[i], .saves.most_ns = cases[i].saves_ns};
        indexes[i] = i;
    }
    diagnosis.items = items;
    diagnosis.count = COUNT;
    cause = (struct xs_cause){.findings = indexes, .count = COUNT};
    for (size_t i = 0; i < COUNT; i++)
        if (xs_cause_offers(&diagnosis, &cause, i, &repairs) != cases[i].is_offered)
            fail_msg("%zu, %s", i, cases[i].id);
    cause = (struct xs_cause){0};
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_range_says_its_least, begin),
        cmocka_unit_test_setup(shares_are_of_what_was_recorded, begin),
        cmocka_unit_test_setup(alternatives_are_of_other_repairs, begin),
        cmocka_unit_test_setup(a_range_has_its_reason, begin),
        cmocka_unit_test_setup(what_is_no_range_has_none, begin),
        cmocka_unit_test_setup(savings_are_bounds_without_a_replay, begin),
        cmocka_unit_test_setup(page_locking_has_a_price, begin),
        cmocka_unit_test_setup(what_was_checked_is_said, begin),
        cmocka_unit_test_setup(a_variant_is_of_all, begin),
        cmocka_unit_test_setup(an_amount_is_of_all, begin),
        cmocka_unit_test_setup(a_range_has_both_ends, begin),
        cmocka_unit_test_setup(an_instance_has_its_share, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
