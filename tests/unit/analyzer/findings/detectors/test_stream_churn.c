/* stream-churn: each clause of docs/rules/analysis.md from both sides, with what it claims. */
#include "played.h"

enum { CREATE_NS = 30000, DESTROY_NS = 10000, BLOCKING = 0, NON_BLOCKING = 1 };

static struct played played, *p = &played;

static void create_by(enum play_stream what, uint64_t stream) {
    p->call_ns = CREATE_NS;
    play_stream(p, what, stream);
    p->now_ns += CREATE_NS;
}

static void create(uint64_t stream) { create_by(PLAY_STREAM_CREATE, stream); }

static void destroy(uint64_t stream) {
    p->call_ns = DESTROY_NS;
    play_stream(p, PLAY_STREAM_DESTROY, stream);
    p->now_ns += DESTROY_NS;
}

static void loop(unsigned steps) {
    for (unsigned i = 0; i < steps; i++) {
        create(0xa0 + i % 2);
        destroy(0xa0 + i % 2);
    }
}

static void a_stream_is_created_in_each_step(void **state) {
    (void)state;
    play_begin(p);
    loop(8);
    play_analyse(p, NULL);
    FOUND("stream-churn", NULL, 7);
    const struct xs_finding *finding = played_finding(p, "stream-churn");
    assert_int_equal(finding->claimed_ns, 7 * (CREATE_NS + DESTROY_NS));
    assert_int_equal(p->findings->total.claimed_ns, 7 * (CREATE_NS + DESTROY_NS));
    assert_int_equal(finding->first[0].evidence[0].table, XS_EVIDENCE_API_CALL);
    assert_int_equal(finding->first[0].evidence[0].row, 3);
    assert_int_equal(finding->first[0].evidence[1].row, 2);
    play_end(p);
}

static void five_are_enough_and_four_are_not(void **state) {
    (void)state;
    for (unsigned pairs = 4; pairs <= 5; pairs++) {
        play_begin(p);
        loop(pairs + 1);
        play_analyse(p, NULL);
        FOUND("stream-churn", NULL, pairs == 5 ? 5 : 0);
        play_end(p);
    }
}

static void streams_that_live_to_the_end_are_none(void **state) {
    (void)state;
    play_begin(p);
    for (unsigned i = 0; i < 8; i++)
        create(0xa0 + i);
    for (unsigned i = 0; i < 8; i++)
        destroy(0xa0 + i);
    play_analyse(p, NULL);
    NOT_FOUND("stream-churn");
    play_end(p);
}

/* Each destroyed stream could have been used once. */
static void as_many_as_were_destroyed_come_again(void **state) {
    (void)state;
    play_begin(p);
    for (unsigned step = 0; step < 2; step++) {
        for (unsigned i = 0; i < 6 + 2 * step; i++)
            create(0xa0 + i);
        for (unsigned i = 0; i < 6 + 2 * step; i++)
            destroy(0xa0 + i);
    }
    play_analyse(p, NULL);
    FOUND("stream-churn", NULL, 6);
    play_end(p);
}

enum other { OTHER_FLAGS, OTHER_FUNCTION, OTHER_CONTEXT, OTHERS };

static void another_kind_of_stream_is_none(void **state) {
    (void)state;
    for (enum other other = 0; other < OTHERS; other++) {
        play_begin(p);
        for (unsigned i = 0; i < 8; i++) {
            p->flags = other == OTHER_FLAGS && i >= 4 ? NON_BLOCKING : BLOCKING;
            p->device = other == OTHER_CONTEXT && i >= 4;
            create_by(other == OTHER_FUNCTION && i >= 4 ? PLAY_STREAM_CREATE_WITH_PRIORITY : PLAY_STREAM_CREATE, 0xa0);
            destroy(0xa0);
        }
        play_analyse(p, NULL);
        NOT_FOUND("stream-churn");
        play_end(p);
    }
}

static void an_unknown_stream_is_none(void **state) {
    (void)state;
    play_begin(p);
    for (unsigned i = 0; i < 8; i++) {
        destroy(0xb0 + i);
        create(0xa0 + i);
    }
    play_analyse(p, NULL);
    NOT_FOUND("stream-churn");
    play_end(p);
}

/* The thread that destroys a stream is not done when another thread creates one. */
static void a_stream_that_is_being_destroyed_is_none(void **state) {
    (void)state;
    play_begin(p);
    for (unsigned i = 0; i < 8; i++) {
        create(0xa0);
        p->call_ns = DESTROY_NS * 100;
        play_stream(p, PLAY_STREAM_DESTROY, 0xa0);
    }
    play_analyse(p, NULL);
    NOT_FOUND("stream-churn");
    play_end(p);
}

static void a_call_that_failed_does_not_count(void **state) {
    (void)state;
    play_begin(p);
    loop(8);
    play_analyse(p, "UPDATE api_call SET result = 2 WHERE id = 2");
    FOUND("stream-churn", NULL, 6);
    play_end(p);
}

static void an_import_leaves_it_undecided(void **state) {
    (void)state;
    play_begin(p);
    loop(8);
    play_analyse(p, "INSERT OR REPLACE INTO meta VALUES ('importer', 'nsys')");
    NOT_FOUND("stream-churn");
    UNDECIDED("stream-churn", "streams of calls not recorded", 8);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_is_created_in_each_step),
        cmocka_unit_test(five_are_enough_and_four_are_not),
        cmocka_unit_test(streams_that_live_to_the_end_are_none),
        cmocka_unit_test(as_many_as_were_destroyed_come_again),
        cmocka_unit_test(another_kind_of_stream_is_none),
        cmocka_unit_test(an_unknown_stream_is_none),
        cmocka_unit_test(a_stream_that_is_being_destroyed_is_none),
        cmocka_unit_test(a_call_that_failed_does_not_count),
        cmocka_unit_test(an_import_leaves_it_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
