/* Which findings a row has: what the page marks and an export names. */
#include "unit.h"

#include "analyzer/findings/engine/detector.h"
#include "analyzer/totals/timeline/marks.h"

enum { SITE = 7, OTHER_SITE = 8, ADVICE_SITE = 9 };

static unsigned detector_of(enum xs_detector_kind kind) {
    for (unsigned i = 0; i < xs_detector_count; i++)
        if (xs_detectors[i]->kind == kind)
            return i;
    fail();
    return 0;
}

/* The finding claims so much, and saves all of it. */
static struct xs_diagnosed saving(struct xs_finding *finding, uint64_t ns) {
    finding->claimed_ns = ns;
    return (struct xs_diagnosed){.finding = finding, .saves = {.known = true, .most_ns = ns}};
}

/* About rows `first` to `last`, which are one where they are equal; claims `ns`. */
static void found(struct xs_marks *marks, unsigned detector, uint32_t site, int64_t first, int64_t last, uint64_t ns) {
    struct xs_instance instance = {
        .site = site,
        .transfers = (uint64_t)(last - first) + 1,
        .removable = {.host_ns = ns},
        .evidence = {{XS_EVIDENCE_TRANSFER, first, "this"}, {XS_EVIDENCE_TRANSFER, last, "that"}},
        .evidence_count = first == last ? 1 : 2};
    xs_marks_take(marks, detector, &instance);
}

static struct xs_marked marked_of(const struct xs_marks *marks, int64_t row, uint32_t site) {
    struct xs_marked marked = {0};
    xs_marks_of(marks, XS_EVIDENCE_TRANSFER, row, site, &marked);
    return marked;
}

static void a_row_has_each_finding_once(void **state) {
    unsigned detector = detector_of(XS_REMOVES_TRANSFERS), advice = detector_of(XS_ADVICE);
    struct xs_finding items[] = {{.detector = detector, .site = SITE},
                                 {.detector = advice, .site = ADVICE_SITE, .advice = true}};
    struct xs_diagnosed diagnosed[] = {saving(&items[0], 110), {.finding = &items[1]}};
    const struct xs_diagnosis diagnosis = {.items = diagnosed, .count = 2, .cause_count = 1};
    struct xs_marks marks = {0};
    (void)state;
    found(&marks, advice, ADVICE_SITE, 3, 3, 1000);
    found(&marks, detector, SITE, 3, 3, 40);
    found(&marks, detector, SITE, 3, 3, 60);
    found(&marks, detector, SITE, 5, 5, 10);
    xs_marks_seal(&marks, &diagnosis, SIZE_MAX);
    struct xs_marked marked = marked_of(&marks, 3, SITE);
    assert_int_equal(marked.count, 2);
    assert_int_equal(marked.findings[0], 0);
    assert_int_equal(marked.findings[1], 1);
    assert_int_equal(marked.saves_ns, 60); /* advice saves nothing */
    assert_int_equal(marked_of(&marks, 1, OTHER_SITE).count, 0);
    assert_int_equal(marked_of(&marks, 4, SITE).count, 0);
    assert_int_equal(marked_of(&marks, 5, SITE).saves_ns, 10);
    struct xs_marked memset = {0};
    xs_marks_of(&marks, XS_EVIDENCE_MEMSET, 3, SITE, &memset);
    assert_int_equal(memset.count, 0);
    xs_marks_free(&marks);
}

static void a_run_is_of_its_site(void **state) {
    unsigned detector = detector_of(XS_REMOVES_CALLS), other = detector_of(XS_REMOVES_TRANSFERS);
    struct xs_finding items[] = {{.detector = detector, .site = SITE}, {.detector = other, .site = SITE}};
    struct xs_diagnosed diagnosed[] = {saving(&items[0], 150), saving(&items[1], 8)};
    const struct xs_diagnosis diagnosis = {.items = diagnosed, .count = 2, .cause_count = 2};
    struct xs_marks marks = {0};
    (void)state;
    found(&marks, detector, SITE, 100, 109, 50);
    found(&marks, detector, SITE, 10, 19, 100);
    found(&marks, other, SITE, 12, 13, 8); /* inside another's run */
    xs_marks_seal(&marks, &diagnosis, SIZE_MAX);
    assert_int_equal(marked_of(&marks, 9, SITE).count, 0);
    assert_int_equal(marked_of(&marks, 10, SITE).saves_ns, 10);
    assert_int_equal(marked_of(&marks, 13, SITE).count, 2);
    assert_int_equal(marked_of(&marks, 19, SITE).count, 1);
    assert_int_equal(marked_of(&marks, 20, SITE).count, 0);
    assert_int_equal(marked_of(&marks, 104, SITE).saves_ns, 5);
    assert_int_equal(marked_of(&marks, 15, OTHER_SITE).count, 0);
    xs_marks_free(&marks);
}

static void only_the_first_findings_stay(void **state) {
    unsigned detector = detector_of(XS_REMOVES_TRANSFERS);
    struct xs_finding items[] = {{.detector = detector, .site = OTHER_SITE}, {.detector = detector, .site = SITE}};
    struct xs_diagnosed diagnosed[] = {saving(&items[0], 5), saving(&items[1], 10)};
    const struct xs_diagnosis diagnosis = {.items = diagnosed, .count = 2, .cause_count = 2};
    struct xs_marks marks = {0};
    (void)state;
    found(&marks, detector, SITE, 1, 1, 5);
    found(&marks, detector, SITE, 20, 29, 5);
    found(&marks, detector, OTHER_SITE, 2, 2, 5);
    xs_marks_seal(&marks, &diagnosis, 1);
    assert_int_equal(marked_of(&marks, 1, SITE).count, 0);
    assert_int_equal(marked_of(&marks, 25, SITE).count, 0);
    assert_int_equal(marked_of(&marks, 2, OTHER_SITE).count, 1);
    xs_marks_free(&marks);
}

/* Findings of one cause save the same time: a row has the saving of the first one. */
static void what_leads_no_cause_saves_nothing(void **state) {
    unsigned detector = detector_of(XS_REMOVES_TRANSFERS), other = detector_of(XS_REMOVES_CALLS);
    struct xs_finding items[] = {{.detector = detector, .site = SITE}, {.detector = other, .site = SITE}};
    struct xs_diagnosed diagnosed[] = {saving(&items[0], 40), saving(&items[1], 220)};
    const struct xs_diagnosis diagnosis = {.items = diagnosed, .count = 2, .cause_count = 1};
    struct xs_marks marks = {0};
    (void)state;
    found(&marks, detector, SITE, 3, 3, 40);
    found(&marks, other, SITE, 3, 3, 60);
    found(&marks, other, SITE, 4, 4, 60);
    found(&marks, other, SITE, 10, 19, 100);
    xs_marks_seal(&marks, &diagnosis, SIZE_MAX);
    assert_int_equal(marked_of(&marks, 3, SITE).count, 2);
    assert_int_equal(marked_of(&marks, 3, SITE).saves_ns, 40);
    assert_int_equal(marked_of(&marks, 4, SITE).count, 1);
    assert_int_equal(marked_of(&marks, 4, SITE).saves_ns, 0);
    assert_int_equal(marked_of(&marks, 12, SITE).saves_ns, 0);
    xs_marks_free(&marks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_leads_no_cause_saves_nothing),
        cmocka_unit_test(a_row_has_each_finding_once),
        cmocka_unit_test(a_run_is_of_its_site),
        cmocka_unit_test(only_the_first_findings_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
