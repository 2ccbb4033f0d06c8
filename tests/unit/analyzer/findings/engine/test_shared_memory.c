/* Tests memory that was handed out: docs/rules/analysis.md, "What a launch may touch". From then on somebody outside
 * may read and write it; everything before is as usual. */
#include "played.h"

enum { A = 0x10000, B = 0x20000, C = 0x30000, D = 0x40000, BYTES = 0x8000, HOST = 0x500000, OTHER = 0x600000 };

static struct played played, *p = &played;

static void what_is_written_there_counts_as_read(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES), b = play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_up(p, A, BYTES, 2, NOT_MEASURED, HOST); /* the one before ended before */
    play_share(p, A + 0x100);
    for (int i = 0; i < 3; i++)
        play_up(p, A, BYTES, 3 + i, NOT_MEASURED, HOST);
    play_unseen_kernel(p); /* is not even undecided there */
    play_memset(p, A, BYTES);
    play_memset(p, A, BYTES);
    play_free(p, a);
    play_up(p, B, BYTES, 10, NOT_MEASURED, HOST); /* memory beside it */
    play_memset(p, B, BYTES);
    play_memset(p, B, BYTES);
    play_free(p, b);
    play_analyse(p, NULL);
    FOUND("unused-upload", "certain", 2);
    FOUND("unused-upload", NULL, 2);
    FOUND("redundant-memset", "certain", 1);
    FOUND("redundant-memset", NULL, 1);
    UNDECIDED("unused-upload", "launch arguments not seen", 0);
    play_end(p);
}

/* Content that was in the memory when it was handed out may have been read since, however the content ended. */
static void what_was_written_before_may_be_read_after(void **state) {
    (void)state;
    for (int freed = 0; freed < 2; freed++) {
        play_begin(p);
        uint32_t a = play_alloc(p, A, 2 * BYTES);
        play_memset(p, A, BYTES);
        play_up(p, A + BYTES, BYTES, 1, NOT_MEASURED, HOST);
        play_up(p, A + BYTES, BYTES / 2, 2, NOT_MEASURED, HOST); /* half of it is gone */
        play_share(p, A);
        if (freed) {
            play_free(p, a);
        } else {
            play_up(p, A, BYTES, 3, NOT_MEASURED, HOST);
            play_up(p, A + BYTES, BYTES, 4, NOT_MEASURED, HOST);
        }
        play_analyse(p, NULL);
        NOT_FOUND("unused-upload");
        NOT_FOUND("redundant-memset");
        play_end(p);
    }
}

/* Memory that begins at the same address later is other memory. */
static void it_ends_with_the_allocation(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES);
    play_share(p, A);
    play_free(p, a);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_analyse(p, NULL);
    FOUND("noop-upload", NULL, 1);
    FOUND("unused-upload", "certain", 1);
    play_end(p);
}

static void a_call_that_failed_hands_out_nothing(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_share(p, A);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_analyse(p, "UPDATE api_call SET result = 1");
    FOUND("noop-upload", NULL, 1);
    FOUND("unused-upload", "certain", 1);
    play_end(p);
}

static void its_content_is_never_sure(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST); /* a no-op */
    play_up(p, B, BYTES, 1, NOT_MEASURED, HOST); /* elsewhere */
    play_up(p, B, BYTES, 2, NOT_MEASURED, HOST);
    play_share(p, A);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST); /* somebody may have changed it: undecided, and unknown */
    play_down(p, A, BYTES, 1, OTHER);            /* as soon as it was looked at, too */
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST); /* the same */
    play_up(p, B, BYTES, 1, NOT_MEASURED, HOST); /* it may be elsewhere; here it was overwritten */
    play_up(p, A, BYTES, 1, 1, HOST);            /* measured is measured */
    play_analyse(p, NULL);
    FOUND("noop-upload", NULL, 2);
    UNDECIDED("noop-upload", "the destination's contents before were not measured", 2);
    FOUND("duplicate-upload", "elsewhere", 1);
    FOUND("duplicate-upload", "unknown", 2);
    FOUND("duplicate-upload", "overwritten", 1);
    play_end(p);
}

/* The content of a copy of it is not known either, and an equal region elsewhere does not give the verdict `elsewhere`.
 */
static void what_comes_of_it_is_not_sure(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_alloc(p, C, BYTES);
    play_share(p, A);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_up(p, C, BYTES, 1, NOT_MEASURED, HOST); /* A may hold it */
    play_up(p, C, BYTES, 3, NOT_MEASURED, HOST);
    play_copy(p, B, A, BYTES);
    play_up(p, B, BYTES, 1, NOT_MEASURED, HOST); /* B may hold it */
    play_analyse(p, NULL);
    FOUND("duplicate-upload", "unknown", 2);
    FOUND("duplicate-upload", NULL, 2);
    NOT_FOUND("noop-upload");
    /* the first into A is of memory that counts as written, the last into B is as unsure as A */
    UNDECIDED("noop-upload", "the destination's contents before were not measured", 2);
    play_end(p);
}

/* Others may write it without a call, so from then on every byte counts as written. */
static void fresh_memory_counts_as_written(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_share(p, A);
    play_up(p, A, BYTES, 1, 1, HOST); /* others had put it there */
    play_up(p, B, BYTES, 2, 2, HOST); /* what a freed buffer left */
    play_analyse(p, NULL);
    FOUND("noop-upload", NULL, 1);
    play_end(p);
}

static void it_is_no_unused_allocation(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    uint32_t b = play_alloc(p, B, BYTES);
    play_alloc(p, C, BYTES);
    play_share(p, A);
    play_share(p, B + BYTES - 1);
    play_share(p, D); /* of no allocation */
    play_free(p, b);
    play_analyse(p, NULL);
    FOUND("unused-allocation", "certain", 1);
    FOUND("unused-allocation", NULL, 1);
    assert_int_equal(played_finding(p, "unused-allocation")->first[0].evidence[0].row, 3);
    play_end(p);
}

/* The trace does not say which mapping belongs to which handle. So all mappings are handed out, later ones too, and
 * nothing else. */
static void a_handle_hands_out_mappings(void **state) {
    (void)state;
    play_begin(p);
    p->origin = XS_ORIGIN_VMM;
    play_alloc(p, A, BYTES);
    p->origin = XS_ORIGIN_ALLOC;
    play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_up(p, A, BYTES, 2, NOT_MEASURED, HOST); /* the one before: unused */
    play_share(p, 0);
    p->origin = XS_ORIGIN_VMM;
    play_alloc(p, C, BYTES);
    p->origin = XS_ORIGIN_POOL;
    play_alloc(p, D, BYTES);
    static const uint64_t places[] = {A, B, C, D};
    for (unsigned i = 0; i < 4; i++) {
        play_up(p, places[i], BYTES, 10 + (int)i, NOT_MEASURED, HOST);
        play_up(p, places[i], BYTES, 10 + (int)i, NOT_MEASURED, HOST); /* unused, and a no-op, in B and D */
    }
    play_analyse(p, NULL);
    FOUND("unused-upload", "certain", 3);
    FOUND("unused-upload", NULL, 3);
    FOUND("noop-upload", NULL, 2);
    FOUND("duplicate-upload", "unknown", 2);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_there_counts_as_read),
        cmocka_unit_test(what_was_written_before_may_be_read_after),
        cmocka_unit_test(it_ends_with_the_allocation),
        cmocka_unit_test(a_call_that_failed_hands_out_nothing),
        cmocka_unit_test(its_content_is_never_sure),
        cmocka_unit_test(what_comes_of_it_is_not_sure),
        cmocka_unit_test(fresh_memory_counts_as_written),
        cmocka_unit_test(it_is_no_unused_allocation),
        cmocka_unit_test(a_handle_hands_out_mappings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
