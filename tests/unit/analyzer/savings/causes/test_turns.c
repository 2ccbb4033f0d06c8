/* Contents that take turns: what their rows say, and rows that cannot be read; and what verdicts of one place say
 * together of copies that were not looked at. */
#include "run.h"

#include <sqlite3.h>

#include "analyzer/savings/causes/instances.h"
#include "analyzer/savings/causes/turns.h"
#include "analyzer/words/findings_words.h"

enum { TURNS = 20, CALL_US = 1000, COPY_US = 950 };

static struct xs_turns turns_of_uploads(uint64_t second_bytes, const char *sql) {
    play_begin(p);
    uint32_t a = play_alloc(p, A, MIB);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < TURNS; i++) {
        up(A, i % 2 ? second_bytes : MIB, i % 2 + 1, i ? (i + 1) % 2 + 1 : NOT_MEASURED, HOST);
        play_kernel(p, 1, &a);
    }
    diagnose(sql);
    const struct xs_finding *f = played_finding(p, "duplicate-upload");
    assert_non_null(f);
    struct xs_turns turns = f->turns;
    play_end(p);
    return turns;
}

/* What an upload replaced has the upload's size: a content of another size is another one, whatever its fingerprint. */
static void a_content_of_another_size_is_another(void **state) {
    (void)state;
    struct xs_turns turns = turns_of_uploads(MIB, PEAK);
    assert_int_equal(turns.contents, 2);
    assert_int_equal(turns.buffers, 1);
    assert_true(turns.one_size);
    turns =
        turns_of_uploads(MIB / 2, PEAK "UPDATE fingerprint SET before_low = (SELECT f.content_low FROM fingerprint f"
                                       " WHERE f.content_low <> fingerprint.content_low),"
                                       " before_high = (SELECT f.content_high FROM fingerprint f"
                                       " WHERE f.content_low <> fingerprint.content_low)"
                                       " WHERE before_low IS NOT NULL;");
    assert_int_equal(turns.contents, 2);
    assert_int_equal(turns.buffers, 0);
    assert_false(turns.one_size);
}

static void add_upload(struct xs_repairables *all, unsigned detector, int64_t row) {
    struct xs_instance instance = {.site = 1};
    xs_add_evidence(&instance, XS_EVIDENCE_TRANSFER, row, "this upload");
    xs_repairables_add(all, detector, &instance);
}

static unsigned detector_of(const char *id) {
    unsigned i = 0;
    while (strcmp(xs_detectors[i]->id, id) != 0)
        i++;
    return i;
}

/* A row that is not there says nothing; one that cannot be read is an error. */
static void rows_that_cannot_be_read(void **state) {
    (void)state;
    static const char *const views[] = {NULL,
                                        "PRAGMA query_only = OFF; CREATE TEMP VIEW fingerprint AS SELECT id, "
                                        "abs(-9223372036854775807 - 1) AS content_low, content_high,"
                                        " before_low, before_high FROM main.fingerprint",
                                        "PRAGMA query_only = OFF; CREATE TEMP VIEW fingerprint AS SELECT 1 AS id"};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        unsigned detector = detector_of("duplicate-upload");
        struct xs_finding finding = {.detector = detector, .verdict = XS_SEVERAL_VERDICTS, .site = 1, .instances = 9};
        struct xs_findings findings = {.items = &finding, .count = 1};
        struct xs_repairables all = {0};
        struct xs_trace trace;
        char message[XS_TRACE_MESSAGE_BYTES] = "";
        play_begin(p);
        uint32_t a = play_alloc(p, A, MIB);
        for (int k = 0; k < 4; k++) {
            up(A, MIB, k % 2 + 1, k ? (k + 1) % 2 + 1 : NOT_MEASURED, HOST);
            add_upload(&all, detector, p->transfer);
            play_kernel(p, 1, &a);
        }
        add_upload(&all, detector, 1000000);
        diagnose(NULL);
        assert_int_equal(xs_trace_open(p->path, &trace, message), 0);
        if (views[i])
            assert_int_equal(sqlite3_exec(trace.db, views[i], NULL, NULL, NULL), SQLITE_OK);
        xs_repairables_sort(&all);
        int status = xs_turns_read(&trace, &findings, &all, message);
        assert_int_equal(status < 0, views[i] != NULL);
        assert_int_equal(finding.turns.contents, views[i] ? 0 : 2);
        assert_int_equal(strstr(message, p->path) != NULL, views[i] != NULL);
        xs_repairables_free(&all);
        xs_trace_close(&trace);
        play_end(p);
    }
}

/* --- verdicts of one place --- */

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

/* Of 100 copies 20 were checked: 9 and 10 are of the two verdicts, 1 is of none. So no more than 99 copies are of any,
 * and their time is that of 99. */
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
    assert_int_equal(xs_variant_in_all(&f->variants[0]), 54);
    assert_int_equal(xs_variant_in_all(&(struct xs_variant){.instances = 9}), 9);
    free(f->first);
    free(f->largest);
    free(findings.items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_content_of_another_size_is_another),
        cmocka_unit_test(rows_that_cannot_be_read),
        cmocka_unit_test(estimates_together_are_no_more_than_there_are),
    };
    return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
