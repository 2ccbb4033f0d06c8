/* Tests noop-upload and duplicate-upload, which find uploads of data that was there before. Each has a case with a
 * finding, and a similar case without one. Content 0 of fresh memory never counts as a pre, so the numbers follow from
 * docs/rules/analysis.md alone. */
#include "played.h"

enum { A = 0x10000, B = 0x20000, C = 0x30000, BYTES = 0x8000, HOST = 0x500000, OTHER = 0x600000 };

static struct played played, *p = &played;

/* Case 2 of the findings: the same buffer is uploaded ten times, and a kernel only reads it. */
static void the_same_upload_again_is_a_noop(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES);
    for (int i = 0; i < 10; i++) {
        play_up(p, A, BYTES, 1, 1, HOST); /* the first pre is of fresh memory that happens to hold it */
        play_kernel(p, 1, &a);
    }
    play_analyse(p, NULL);
    FOUND("noop-upload", NULL, 9);
    NOT_FOUND("duplicate-upload");
    NOT_FOUND("unused-upload");
    assert_int_equal(p->findings->total.transfers, 9);
    play_end(p);
}

/* Case 3: the kernel changes the buffer. */
static void changed_in_between_it_is_a_duplicate(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES);
    for (int i = 0; i < 10; i++) {
        play_up(p, A, BYTES, 1, i ? 2 : 0, HOST);
        play_kernel(p, 1, &a);
    }
    play_analyse(p, NULL);
    NOT_FOUND("noop-upload");
    FOUND("duplicate-upload", "overwritten", 9);
    FOUND("duplicate-upload", NULL, 9);
    play_end(p);
}

/* Case 4: memory is allocated and freed around each upload. The address is the same, but the region is not. */
static void freed_in_between_it_is_a_duplicate_of_freed(void **state) {
    (void)state;
    play_begin(p);
    for (int i = 0; i < 10; i++) {
        uint32_t a = play_alloc(p, A, BYTES);
        play_up(p, A, BYTES, 1, 1, HOST);
        play_kernel(p, 1, &a);
        play_free(p, a);
    }
    play_analyse(p, NULL);
    NOT_FOUND("noop-upload");
    FOUND("duplicate-upload", "freed", 9);
    NOT_FOUND("unused-upload");
    play_end(p);
}

/* Case 5: there are two live regions. */
static void another_live_region_holds_it(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_up(p, B, BYTES, 1, 0, OTHER);
    play_up(p, B, BYTES, 2, 1, HOST); /* another content: nothing */
    play_analyse(p, NULL);
    FOUND("duplicate-upload", "elsewhere", 1);
    FOUND("duplicate-upload", NULL, 1);
    play_end(p);
}

static void another_region_may_hold_it(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_kernel(p, 1, &a);
    play_up(p, B, BYTES, 1, 0, HOST);
    play_analyse(p, NULL);
    FOUND("duplicate-upload", "unknown", 1);
    FOUND("duplicate-upload", NULL, 1);
    play_end(p);
}

static void another_region_held_it(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_up(p, A + 16, 32, 3, 4, HOST); /* part of it is overwritten */
    play_up(p, B, BYTES, 1, 0, HOST);
    play_analyse(p, NULL);
    FOUND("duplicate-upload", "freed", 1);
    play_end(p);
}

/* The other region counts however the content came there, even if it was gone in between. */
static void another_region_holds_it_again(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_alloc(p, B, BYTES);
    play_alloc(p, C, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_memset(p, A, BYTES);
    play_up(p, B, BYTES, 1, 0, HOST); /* A got other content */
    play_copy(p, A, B, BYTES);
    play_memset(p, B, BYTES);
    play_up(p, C, BYTES, 1, 0, HOST); /* from B to A */
    play_analyse(p, NULL);
    FOUND("duplicate-upload", "freed", 1);
    FOUND("duplicate-upload", "elsewhere", 1);
    play_end(p);
}

static void another_device_is_another_matter(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    p->device = 1;
    play_alloc(p, B, BYTES);
    play_up(p, B, BYTES, 1, 0, HOST);
    play_analyse(p, NULL);
    NOT_FOUND("duplicate-upload");
    play_end(p);
}

/* The content was not measured. It is inferred if nothing could have changed it, and unknown after a launch that was
 * given a pointer. */
static void pre_is_inferred_or_unknown(void **state) {
    (void)state;
    play_begin(p);
    uint32_t a = play_alloc(p, A, BYTES), b = play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_kernel(p, 1, &b);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST); /* nobody touched it: no-op */
    play_kernel(p, 1, &a);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST); /* may have been changed */
    play_kernel(p, 1, &a);
    play_up(p, A, BYTES, 2, NOT_MEASURED, HOST); /* a new content: undecided as a no-op, no duplicate */
    play_analyse(p, NULL);
    FOUND("noop-upload", NULL, 1);
    assert_non_null(strstr(played_finding(p, "noop-upload")->first[0].evidence[1].role, "inferred"));
    UNDECIDED("noop-upload", "the destination's contents before were not measured", 2);
    FOUND("duplicate-upload", "unknown", 1);
    FOUND("duplicate-upload", NULL, 1);
    play_end(p);
}

/* The content is inferred up to 64 KiB; what a larger region held has to be measured. */
static void pre_is_inferred_for_small_regions(void **state) {
    enum { SMALL = 64 << 10, LARGE = SMALL + 1 };
    (void)state;
    play_begin(p);
    play_alloc(p, 0x100000, LARGE);
    play_up(p, 0x100000, SMALL, 1, NOT_MEASURED, HOST);
    play_up(p, 0x100000, SMALL, 1, NOT_MEASURED, HOST); /* a no-op */
    play_up(p, 0x100000, SMALL, 2, NOT_MEASURED, HOST);
    play_up(p, 0x100000, SMALL, 1, NOT_MEASURED, HOST); /* overwritten */
    play_up(p, 0x100000, LARGE, 3, NOT_MEASURED, HOST);
    play_up(p, 0x100000, LARGE, 3, NOT_MEASURED, HOST); /* undecided, and unknown */
    play_up(p, 0x100000, LARGE, 4, NOT_MEASURED, HOST); /* undecided, of content that is new */
    play_up(p, 0x100000, LARGE, 4, 4, HOST);            /* measured */
    play_analyse(p, NULL);
    FOUND("noop-upload", NULL, 2);
    UNDECIDED("noop-upload", "the destination's contents before were not measured", 2);
    FOUND("duplicate-upload", "overwritten", 1);
    FOUND("duplicate-upload", "unknown", 1);
    FOUND("duplicate-upload", NULL, 2);
    play_end(p);
}

static void a_launch_of_unseen_arguments_may_change_everything(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_unseen_kernel(p);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST);
    play_analyse(p, NULL);
    NOT_FOUND("noop-upload");
    UNDECIDED("noop-upload", "the destination's contents before were not measured", 1);
    FOUND("duplicate-upload", "unknown", 1);
    play_end(p);
}

/* Small content says nothing across regions, unless it came from the same host address. */
static void small_content_is_no_evidence(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, 64);
    play_alloc(p, B, 64);
    play_up(p, A, 4, 1, 0, HOST);
    play_up(p, B, 4, 1, 0, OTHER);    /* coincidence */
    play_up(p, B + 8, 4, 1, 0, HOST); /* the first one's source */
    play_up(p, A, 4, 2, 1, HOST);
    play_up(p, A, 4, 1, 2, OTHER + 8); /* this region held it */
    play_analyse(p, NULL);
    UNDECIDED("duplicate-upload", "small contents may be equal by chance", 1);
    FOUND("duplicate-upload", "elsewhere", 1);
    FOUND("duplicate-upload", "overwritten", 1);
    FOUND("duplicate-upload", NULL, 2);
    play_end(p);
}

static void device_copies_carry_content(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, BYTES);
    uint32_t b = play_alloc(p, B, BYTES);
    play_up(p, A, BYTES, 1, 0, HOST);
    play_copy(p, B, A, BYTES);
    play_up(p, B, BYTES, 1, NOT_MEASURED, HOST); /* it holds this already */
    play_kernel(p, 1, &b);
    play_copy(p, A, B, BYTES);
    play_up(p, A, BYTES, 1, NOT_MEASURED, HOST); /* as unsure as its source */
    play_analyse(p, NULL);
    FOUND("noop-upload", NULL, 1);
    UNDECIDED("noop-upload", "the destination's contents before were not measured", 1);
    play_end(p);
}

/* The content that was uploaded longest ago is forgotten first, and its next upload cannot be decided. */
static void only_so_many_contents_are_remembered(void **state) {
    enum { MOST = 4 };
    (void)state;
    play_begin(p);
    p->options.kept_contents = MOST;
    uint32_t a = play_alloc(p, A, BYTES);
    for (int content = 1; content <= MOST; content++)
        play_up(p, A, BYTES, content, content - 1, HOST);
    play_up(p, A, BYTES, 1, MOST, HOST); /* it is now used last */
    play_up(p, A, BYTES, MOST + 1, 1, HOST);
    play_up(p, A, BYTES, MOST + 2, MOST + 1, HOST); /* this is content 6; 2 and 3 are forgotten now */
    play_kernel(p, 1, &a);
    play_up(p, A, BYTES, 1, 7, HOST);
    play_up(p, A, BYTES, 2, 1, HOST);
    play_analyse(p, NULL);
    FOUND("duplicate-upload", "overwritten", 2);
    /* content 2 was forgotten; content 6 is new, but might have been forgotten as well */
    UNDECIDED("duplicate-upload", "more contents than are remembered", 2);
    play_end(p);
}

static void only_so_many_small_contents_are_remembered(void **state) {
    (void)state;
    play_begin(p);
    p->options.kept_contents = 3;
    play_alloc(p, A, 64);
    play_alloc(p, B, 64);
    for (int content = 1; content <= 20; content++) {
        play_up(p, A, 4, content, content - 1, HOST);
        play_up(p, B + 8, 4, content, content - 1, HOST); /* from the same host address, and remembered */
    }
    play_analyse(p, NULL);
    FOUND("duplicate-upload", "elsewhere", 20);
    play_end(p);
}

static void only_so_many_downloads_are_remembered(void **state) {
    enum { MOST = 4 };
    (void)state;
    play_begin(p);
    p->options.kept_contents = MOST;
    uint32_t a = play_alloc(p, A, BYTES);
    for (int content = 1; content <= MOST + 1; content++) {
        play_kernel(p, 1, &a);
        play_down(p, A, BYTES, content, HOST);
    }
    play_up(p, A, BYTES, 1, MOST + 1, HOST); /* its download is forgotten */
    play_up(p, A, BYTES, 2, 1, HOST);
    play_up(p, A, BYTES, MOST + 1, 2, HOST);
    play_analyse(p, NULL);
    FOUND("round-trip", "same-device", 2);
    UNDECIDED("round-trip", "more contents than are remembered", 1);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_upload_again_is_a_noop),
        cmocka_unit_test(only_so_many_contents_are_remembered),
        cmocka_unit_test(only_so_many_small_contents_are_remembered),
        cmocka_unit_test(only_so_many_downloads_are_remembered),
        cmocka_unit_test(changed_in_between_it_is_a_duplicate),
        cmocka_unit_test(freed_in_between_it_is_a_duplicate_of_freed),
        cmocka_unit_test(another_live_region_holds_it),
        cmocka_unit_test(another_region_may_hold_it),
        cmocka_unit_test(another_region_held_it),
        cmocka_unit_test(another_region_holds_it_again),
        cmocka_unit_test(another_device_is_another_matter),
        cmocka_unit_test(pre_is_inferred_or_unknown),
        cmocka_unit_test(pre_is_inferred_for_small_regions),
        cmocka_unit_test(a_launch_of_unseen_arguments_may_change_everything),
        cmocka_unit_test(small_content_is_no_evidence),
        cmocka_unit_test(device_copies_carry_content),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
