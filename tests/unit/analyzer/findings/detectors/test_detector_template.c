/* Tests analyzer/findings/detectors/template.c, which is there to be copied. In this test the engine has a table of
 * detectors with only this row. The tests that a new detector needs are here, too: a case that fires, a near miss, and
 * a case that cannot be decided. */
#include "played.h"

enum { A = 0x10000, B = 0x20000, BYTES = 0x8000, HOST = 0x500000 };

static struct played played, *p = &played;

extern const struct xs_detector xs_detector_template;
const struct xs_detector *const xs_detectors[] = {&xs_detector_template};
const size_t xs_detector_count = 1;

static void begin(void) {
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
}

static void every_second_upload_fires(void **state) {
    (void)state;
    begin();
    int64_t first = 0, second = 0;
    for (int i = 0; i < 5; i++) {
        int64_t row = play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
        if (i < 2)
            *(i ? &second : &first) = row;
    }
    play_analyse(p, NULL);
    FOUND("template", "same-place", 2);
    FOUND("template", NULL, 2);
    const struct xs_finding *finding = played_finding(p, "template");
    assert_int_equal(finding->bytes, 2 * BYTES);
    assert_int_equal(finding->removable.device_ns, finding->cost.device_ns);
    assert_int_equal(finding->first[0].evidence[0].row, second);
    assert_int_equal(finding->first[0].evidence[1].row, first);
    assert_int_equal(p->findings->total.transfers, 2); /* claimed */
    play_end(p);
}

static void the_verdict_says_where_it_went(void **state) {
    (void)state;
    begin();
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_up(p, B, BYTES, 1, NOT_MEASURED, HOST);
    play_analyse(p, NULL);
    FOUND("template", "elsewhere", 1);
    FOUND("template", NULL, 1);
    play_end(p);
}

static void other_bytes_in_between_are_a_near_miss(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 3; i++) {
        play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
        play_up(p, A, BYTES, 2, NOT_MEASURED, HOST);
        play_down(p, A, BYTES, 2, HOST); /* no upload */
    }
    play_analyse(p, NULL);
    NOT_FOUND("template");
    play_end(p);
}

static void what_has_no_content_is_undecided(void **state) {
    (void)state;
    begin();
    play_up(p, A, BYTES, NO_CONTENT, NOT_MEASURED, HOST);
    play_up(p, A, BYTES, NO_CONTENT, NOT_MEASURED, HOST);
    play_analyse(p, NULL);
    NOT_FOUND("template");
    UNDECIDED("template", "over the fingerprint budget", 2);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_second_upload_fires),
        cmocka_unit_test(the_verdict_says_where_it_went),
        cmocka_unit_test(other_bytes_in_between_are_a_near_miss),
        cmocka_unit_test(what_has_no_content_is_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
