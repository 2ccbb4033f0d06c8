/* Tests contents that take turns: what their rows say, and rows that cannot be read. */
#include "run.h"

#include <sqlite3.h>

#include "analyzer/findings/engine/instances.h"
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
    const struct xs_diagnosed *f = played_diagnosed(p, "duplicate-upload");
    assert_non_null(f);
    struct xs_turns turns = f->turns;
    play_end(p);
    return turns;
}

/* A content that an upload replaced has the upload's size: a content of another size is a different one, whatever its
 * fingerprint. */
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
    xs_repairables_add(all, detector, &instance, NULL);
}

static unsigned detector_of(const char *id) {
    unsigned i = 0;
    while (strcmp(xs_detectors[i]->id, id) != 0)
        i++;
    return i;
}

/* A missing row says nothing; a row that cannot be read is an error. */
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
        struct xs_diagnosed diagnosed = {.finding = &finding};
        struct xs_findings findings = {.items = &finding, .count = 1};
        struct xs_diagnosis diagnosis = {.findings = &findings, .items = &diagnosed, .count = 1};
        struct xs_trace trace;
        char message[XS_TRACE_MESSAGE_BYTES] = "";
        play_begin(p);
        uint32_t a = play_alloc(p, A, MIB);
        for (int k = 0; k < 4; k++) {
            up(A, MIB, k % 2 + 1, k ? (k + 1) % 2 + 1 : NOT_MEASURED, HOST);
            add_upload(&findings.repairables, detector, p->transfer);
            play_kernel(p, 1, &a);
        }
        add_upload(&findings.repairables, detector, 1000000);
        diagnose(NULL);
        assert_int_equal(xs_trace_open(p->path, &trace, message), 0);
        if (views[i])
            assert_int_equal(sqlite3_exec(trace.db, views[i], NULL, NULL, NULL), SQLITE_OK);
        xs_repairables_sort(&findings.repairables);
        int status = xs_turns_read(&trace, &diagnosis, message);
        assert_int_equal(status < 0, views[i] != NULL);
        assert_int_equal(diagnosed.turns.contents, views[i] ? 0 : 2);
        assert_int_equal(strstr(message, p->path) != NULL, views[i] != NULL);
        xs_repairables_free(&findings.repairables);
        xs_trace_close(&trace);
        play_end(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_content_of_another_size_is_another),
        cmocka_unit_test(rows_that_cannot_be_read),
    };
    return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
