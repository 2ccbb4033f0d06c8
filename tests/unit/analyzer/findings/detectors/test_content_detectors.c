/* Tests the content detectors, except those of repeated uploads: each has a case with a finding, and a similar case
 * without one. Content 0 of fresh memory never counts as a pre, so the numbers follow from docs/rules/analysis.md
 * alone. */
#include "played.h"

enum { A = 0x10000, B = 0x20000, BYTES = 0x8000, HOST = 0x500000, OTHER = 0x600000 };

static struct played played, *p = &played;

static void constant_content_is_small(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    p->constant = true;
    play_up(p, A, BYTES, 0, NOT_MEASURED, HOST);
    play_up(p, B, BYTES, 0, NOT_MEASURED, OTHER);
    play_up(p, B, 60, 0, 1, HOST); /* too little to bother */
    p->constant = false;
    play_up(p, A, BYTES, 5, 0, HOST);
    play_analyse(p, NULL);
    FOUND("constant-content", NULL, 2);
    UNDECIDED("duplicate-upload", "small contents may be equal by chance", 1);
    const struct xs_finding *finding = played_finding(p, "constant-content");
    assert_true(finding->removable.device_ns < finding->cost.device_ns); /* a memset is left to do */
    play_end(p);
}

static void little_of_one_value_is_no_constant_content(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    p->constant = true;
    play_up(p, A, 60, 0, NOT_MEASURED, HOST);
    p->constant = false;
    play_up(p, A, BYTES, 5, 0, HOST);
    play_analyse(p, NULL);
    NOT_FOUND("constant-content");
    play_end(p);
}

static void repeat_download_needs_the_same_region_and_content(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_down(p, A, BYTES, 1, HOST);
    play_down(p, A, BYTES, 1, HOST);
    play_down(p, A, BYTES, 2, HOST);
    play_down(p, A, BYTES, 1, HOST);          /* this copy does not overwrite the previous one's bytes */
    play_down(p, A, BYTES / 2, 1, HOST);      /* another region */
    play_down(p, A, BYTES, NO_CONTENT, HOST); /* cannot be told */
    play_down(p, A, BYTES, 1, HOST);          /* nor can this */
    play_analyse(p, NULL);
    FOUND("repeat-download", NULL, 1);
    UNDECIDED("repeat-download", "over the fingerprint budget", 1);
    UNDECIDED("repeat-download", "the download before has no fingerprint", 1);
    play_end(p);
}

static void a_download_of_other_content_or_another_region_is_no_repeat(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_down(p, A, BYTES, 1, HOST);
    play_down(p, A, BYTES, 2, HOST);
    play_down(p, A, BYTES, 1, HOST);
    play_down(p, A, BYTES / 2, 1, HOST);
    play_analyse(p, NULL);
    NOT_FOUND("repeat-download");
    play_end(p);
}

/* Case 7; each download counts once. */
static void round_trips(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_down(p, A, BYTES, 1, HOST);
    play_up(p, B, BYTES, 1, 0, HOST);
    play_up(p, B, BYTES, 1, 0, HOST); /* the download is used up */
    play_down(p, A, BYTES, 2, HOST);
    play_up(p, B, BYTES, 3, 0, HOST); /* the host changed a byte */
    int64_t from = play_down(p, A, BYTES, 4, HOST);
    p->device = 1;
    play_alloc(p, 0x90000, BYTES);
    play_up(p, 0x90000, BYTES, 4, 0, HOST);
    play_analyse(p, NULL);
    FOUND("round-trip", "same-device", 1);
    FOUND("round-trip", "cross-device", 1);
    for (size_t i = 0; i < p->findings->count; i++) {
        const struct xs_finding *finding = &p->findings->items[i];
        if (strcmp(xs_detectors[finding->detector]->id, "round-trip") == 0 && finding->verdict == 1) {
            assert_int_equal(finding->first[0].evidence[1].row, from);
            assert_int_equal(finding->apart.device_ns, 8000);
        }
    }
    play_end(p);
}

enum { FREED = 1, OVERWRITTEN = 2, FULL_BEFORE = 4 };

/* A block is downloaded and its memory given to other data, and then the block goes back to the device. Allocations
 * have 10 blocks at most, of a device with room for `room`. FULL_BEFORE: they are freed before the download. */
static void swap(unsigned how, int room) {
    uint32_t others[9];
    char sql[128];
    play_begin(p);
    uint32_t block = play_alloc(p, A, BYTES);
    for (int i = 0; i < 9; i++)
        others[i] = play_alloc(p, B + (uint64_t)i * BYTES, BYTES);
    for (int i = 0; i < 9 && how & FULL_BEFORE; i++)
        play_free(p, others[i]);
    play_down(p, A, BYTES, 1, HOST);
    if (how & FREED)
        play_free(p, block);
    if (how & OVERWRITTEN)
        play_up(p, A, BYTES, 2, NOT_MEASURED, OTHER);
    if (how & FREED)
        play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    snprintf(sql, sizeof sql, "INSERT INTO device (id, name, memory_bytes) VALUES (0, 'd', %d)", room * BYTES);
    play_analyse(p, room ? sql : NULL);
}

static void a_block_that_made_room_is_swapped(void **state) {
    (void)state;
    for (int room = 10; room <= 12; room++) { /* 10 blocks are 91 % of 11, and 83 % of 12 */
        swap(OVERWRITTEN, room);
        FOUND("round-trip", "memory-full", room < 12);
        FOUND("round-trip", "same-device", room == 12);
        play_end(p);
    }
    swap(FREED, 10);
    FOUND("round-trip", "memory-full", 1);
    play_end(p);
    swap(0, 10); /* the device still has the bytes */
    FOUND("round-trip", "same-device", 1);
    play_end(p);
    swap(OVERWRITTEN | FULL_BEFORE, 10);
    FOUND("round-trip", "same-device", 1);
    play_end(p);
    swap(OVERWRITTEN, 0); /* the size of the memory is not known */
    FOUND("round-trip", "same-device", 1);
    play_end(p);
}

static void what_the_host_changed_is_no_round_trip(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_down(p, A, BYTES, 1, HOST);
    play_up(p, B, BYTES, 2, 0, HOST);
    play_analyse(p, NULL);
    NOT_FOUND("round-trip");
    play_end(p);
}

static void small_round_trips_need_the_place(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, 64);
    play_alloc(p, B, 64);
    play_down(p, A, 4, 1, HOST);
    play_up(p, B, 4, 1, 0, OTHER); /* by chance */
    play_up(p, A, 4, 1, 0, OTHER); /* back to where it came from */
    play_down(p, A, 4, 2, HOST);
    play_up(p, B, 4, 2, 1, HOST); /* from where it went */
    play_analyse(p, NULL);
    FOUND("round-trip", "same-device", 2);
    UNDECIDED("round-trip", "small contents may be equal by chance", 1);
    play_end(p);
}

/* Case 8. */
static void bounce_ends_with_another_write(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_kernel(p, 1, &a);
    play_down(p, A, BYTES, 1, HOST); /* the kernel only read */
    play_kernel(p, 1, &a);
    play_down(p, A, BYTES, 2, HOST); /* it changed an element */
    play_up(p, A, BYTES, 3, 2, HOST);
    play_memset(p, A + 100, 4);
    play_down(p, A, BYTES, 3, HOST); /* equal by chance: a write came between */
    play_analyse(p, NULL);
    FOUND("bounce", NULL, 1);
    play_end(p);
}

static void a_download_behind_another_write_is_no_bounce(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_memset(p, A + 100, 4);
    play_down(p, A, BYTES, 1, HOST);
    play_analyse(p, NULL);
    NOT_FOUND("bounce");
    play_end(p);
}

/* Case 9. */
static void unused_uploads(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES), b = play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_up(p, A, BYTES, 2, 1, HOST); /* the first one: certain */
    play_kernel(p, 1, &b);
    play_up(p, A, BYTES, 3, 2, HOST); /* the second: likely */
    play_kernel(p, 1, &a);
    play_up(p, A, BYTES, 4, 3, HOST); /* the third was used */
    play_unseen_kernel(p);
    play_up(p, A, BYTES, 5, 4, HOST); /* the fourth: cannot be told */
    play_down(p, A + 8, 8, 9, OTHER);
    play_free(p, a); /* the fifth was read in part */
    play_analyse(p, NULL);
    FOUND("unused-upload", "certain", 1);
    FOUND("unused-upload", "likely", 1);
    UNDECIDED("unused-upload", "launch arguments not seen", 1);
    play_end(p);
}

/* The copy reads other memory, and does not lie between the upload and the write. */
static void an_upload_that_a_copy_overwrites_is_unused_for_certain(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_copy(p, A, B, BYTES);
    play_up(p, A, BYTES, 2, 0, HOST);
    play_copy(p, A, B, BYTES / 2); /* in between */
    play_copy(p, A + BYTES / 2, B + BYTES / 2, BYTES / 2);
    play_analyse(p, NULL);
    FOUND("unused-upload", "certain", 1);
    FOUND("unused-upload", "likely", 1);
    play_end(p);
}

static void an_upload_is_unused_only_as_a_whole(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_memset(p, A, BYTES / 2);
    play_up(p, A + BYTES / 2, BYTES / 2 - 1, 2, 0, HOST); /* one byte is left */
    play_analyse(p, NULL);
    NOT_FOUND("unused-upload");
    play_end(p);

    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_memset(p, A, BYTES / 2);
    play_free(p, a); /* and the rest freed */
    play_analyse(p, NULL);
    FOUND("unused-upload", "certain", 1);
    NOT_FOUND("redundant-memset"); /* being freed does not count for a memset */
    play_end(p);
}

static void redundant_memsets(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES), b = play_alloc(p, B, BYTES);
    play_memset(p, A, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST); /* certain */
    play_memset(p, A, BYTES);
    play_kernel(p, 1, &a);
    play_up(p, A, BYTES, 2, 0, HOST); /* used */
    play_memset(p, A, BYTES);
    play_copy(p, A + 64, A, 64);
    play_up(p, A, BYTES, 3, 0, HOST); /* copied from */
    play_memset(p, A, BYTES);
    play_kernel(p, 1, &b);
    play_up(p, A, BYTES, 4, 0, HOST); /* a kernel ran, but was not given it */
    play_analyse(p, NULL);
    FOUND("redundant-memset", "certain", 1);
    FOUND("redundant-memset", "likely", 1);
    FOUND("redundant-memset", NULL, 2);
    play_end(p);
}

static void mostly_unchanged_is_under_a_quarter(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, 16 * 4096);
    for (int i = 0; i < 5; i++)
        play_up(p, A, 16 * 4096, i + 1, i, HOST);
    play_analyse(p, "UPDATE fingerprint SET changed_leaves = CASE id WHEN 1 THEN 1 WHEN 2 THEN 3 WHEN 3 THEN 4 WHEN 4"
                    " THEN 0 ELSE 1 END");
    /* the first has no pre; 3 of 16 counts, 4 of 16 does not, none changed is no change; 1 of 16 counts */
    FOUND("mostly-unchanged", NULL, 2);
    const struct xs_finding *finding = played_finding(p, "mostly-unchanged");
    assert_int_equal(finding->cost.device_ns, 32000);
    assert_int_equal(finding->removable.device_ns, 16000 * 13 / 16 + 16000 * 15 / 16);
    play_end(p);
}

static void a_quarter_is_not_mostly_unchanged(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, 16 * 4096);
    for (int i = 0; i < 3; i++)
        play_up(p, A, 16 * 4096, i + 1, i, HOST);
    play_analyse(p, "UPDATE fingerprint SET changed_leaves = 4");
    NOT_FOUND("mostly-unchanged");
    play_end(p);
}

static void what_has_no_fingerprint_is_counted(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_up(p, A, BYTES, NO_CONTENT, NOT_MEASURED, HOST);
    play_up(p, A, BYTES, LOST, NOT_MEASURED, HOST);
    play_analyse(p, NULL);
    UNDECIDED("noop-upload", "over the fingerprint budget", 1);
    UNDECIDED("noop-upload", "the trace ends before its fingerprint", 1);
    UNDECIDED("duplicate-upload", "the trace ends before its fingerprint", 1);
    UNDECIDED("constant-content", "the trace ends before its fingerprint", 1);
    UNDECIDED("round-trip", "the trace ends before its fingerprint", 0); /* nothing was downloaded */
    play_end(p);
}

/* Case 1. */
static void a_clean_program_has_no_finding(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES), b = play_alloc(p, B, BYTES);
    p->async = true;
    for (int i = 0; i < 20; i++) {
        play_up(p, i % 2 ? A : B, BYTES, i + 1, i < 2 ? 0 : i - 1, HOST);
        play_kernel(p, 1, i % 2 ? &a : &b);
    }
    play_down(p, A, BYTES, 1000, HOST);
    play_free(p, a);
    play_free(p, b);
    p->options.only_detector = NULL;
    play_analyse(
        p, "UPDATE transfer SET src_kind = 2 WHERE src_kind = 1; UPDATE transfer SET dst_kind = 2 WHERE dst_kind = 1;");
    static const char *const content[] = {"noop-upload",      "duplicate-upload", "repeat-download",
                                          "round-trip",       "bounce",           "unused-upload",
                                          "redundant-memset", "constant-content", "mostly-unchanged"};
    for (size_t i = 0; i < sizeof content / sizeof *content; i++)
        FOUND(content[i], NULL, 0);
    play_end(p);
}

/* Calls that failed, moved nothing or were captured do not count. */
static void what_did_not_run_does_not_count(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    for (int i = 0; i < 3; i++)
        play_up(p, A, BYTES, 1, 1, HOST);
    play_analyse(p, "UPDATE transfer SET result = 1 WHERE id = 2; UPDATE transfer SET is_captured = 1 WHERE id = 3;"
                    "UPDATE transfer SET bytes = 0 WHERE id = 4;");
    assert_int_equal(played_all(p), 0);
    assert_int_equal(p->findings->transfers, 1);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_content_is_small),
        cmocka_unit_test(little_of_one_value_is_no_constant_content),
        cmocka_unit_test(repeat_download_needs_the_same_region_and_content),
        cmocka_unit_test(a_download_of_other_content_or_another_region_is_no_repeat),
        cmocka_unit_test(round_trips),
        cmocka_unit_test(a_block_that_made_room_is_swapped),
        cmocka_unit_test(what_the_host_changed_is_no_round_trip),
        cmocka_unit_test(small_round_trips_need_the_place),
        cmocka_unit_test(bounce_ends_with_another_write),
        cmocka_unit_test(a_download_behind_another_write_is_no_bounce),
        cmocka_unit_test(unused_uploads),
        cmocka_unit_test(an_upload_that_a_copy_overwrites_is_unused_for_certain),
        cmocka_unit_test(an_upload_is_unused_only_as_a_whole),
        cmocka_unit_test(redundant_memsets),
        cmocka_unit_test(mostly_unchanged_is_under_a_quarter),
        cmocka_unit_test(a_quarter_is_not_mostly_unchanged),
        cmocka_unit_test(what_has_no_fingerprint_is_counted),
        cmocka_unit_test(a_clean_program_has_no_finding),
        cmocka_unit_test(what_did_not_run_does_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
