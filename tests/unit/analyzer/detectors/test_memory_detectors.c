/* managed-thrash and leak: each clause of docs/analysis.md from both sides. */
#include "played.h"

enum { A = 0x10000000, B = 0x20000000, PIECE = 65536, PAGE = 4096 };

static struct played played, *p = &played;

/* --- managed-thrash --- */

static void up(uint64_t address, uint64_t bytes) { play_migration(p, true, address, bytes); }
static void down(uint64_t address, uint64_t bytes) { play_migration(p, false, address, bytes); }

static uint32_t managed(uint64_t address, uint64_t bytes) {
    p->memory = XS_MEM_MANAGED;
    return play_alloc(p, address, bytes);
}

/* Three times are enough, two are not. The first way there and the first way back are left to do. */
static void pages_go_there_and_back(void **state) {
    (void)state;
    for (int trips = 2; trips <= 3; trips++) {
        play_begin(p);
        uint32_t a = managed(A, 4 * PIECE);
        for (int i = 0; i < trips; i++) {
            up(A, 4 * PIECE);
            down(A, 4 * PIECE);
        }
        if (trips == 3)
            play_free(p, a);
        play_analyse(p, NULL);
        FOUND("managed-thrash", NULL, trips == 3);
        assert_int_equal(p->findings->total.gives_back_ns, trips == 3 ? 4000 : 0);
        play_end(p);
    }
}

static void it_costs_all_and_gives_back_all_but_one_way_each(void **state) {
    (void)state;
    play_begin(p);
    managed(A, 4 * PIECE);
    down(A, PIECE); /* it was on the device first */
    for (int i = 0; i < 5; i++) {
        up(A, PIECE);
        down(A, PIECE);
    }
    up(A + PIECE, PIECE); /* once */
    up(A, 2 * PIECE);     /* one of the two again */
    play_analyse(p, NULL);
    FOUND("managed-thrash", NULL, 1);
    const struct xs_finding *finding = played_finding(p, "managed-thrash");
    assert_int_equal(finding->transfers, 0);
    assert_int_equal(finding->bytes, 4 * PIECE);
    assert_int_equal(finding->cost.device_ns, 13000);
    assert_int_equal(finding->removable.device_ns, 8500);
    assert_int_equal(finding->gives_back_ns, 8500);
    assert_int_equal(finding->first[0].evidence[0].row, 1);
    assert_int_equal(finding->first[0].evidence_count, 3);
    play_end(p);
}

/* Each piece of a large array once, in turn: the directions alternate, no page comes back. */
static void a_stream_through_the_device_is_none(void **state) {
    (void)state;
    play_begin(p);
    managed(A, 64 * PIECE);
    for (uint64_t i = 0; i < 64; i++) {
        up(A + i * PIECE, PIECE);
        down(A + i * PIECE, PIECE);
    }
    play_analyse(p, NULL);
    NOT_FOUND("managed-thrash");
    play_end(p);
}

/* The host takes a piece back page by page: one way. */
static void page_by_page_is_one_way(void **state) {
    (void)state;
    for (int trips = 2; trips <= 3; trips++) {
        play_begin(p);
        managed(A, PIECE);
        for (int i = 0; i < trips; i++) {
            up(A, PIECE);
            for (uint64_t page = 0; page < 16; page++)
                down(A + page * PAGE, PAGE);
        }
        play_analyse(p, NULL);
        FOUND("managed-thrash", NULL, trips == 3);
        if (trips == 3)
            assert_int_equal(played_finding(p, "managed-thrash")->removable.device_ns, 2 * 17000);
        play_end(p);
    }
}

static void trips_are_of_one_allocation(void **state) {
    (void)state;
    play_begin(p);
    for (int i = 0; i < 3; i++) {
        uint32_t a = managed(A, PIECE);
        up(A, PIECE);
        down(A, PIECE);
        play_free(p, a);
    }
    p->memory = XS_MEM_PINNED; /* pages of no managed memory, and of none known */
    play_alloc(p, B, PIECE);
    for (int i = 0; i < 4; i++) {
        up(B, PIECE);
        down(B, PIECE);
        up(2 * B, PIECE);
        down(2 * B, PIECE);
    }
    play_analyse(p, NULL);
    NOT_FOUND("managed-thrash");
    play_end(p);
}

/* Faults, and pages that go from one device to another. */
static void other_events_of_pages_are_no_way(void **state) {
    (void)state;
    play_begin(p);
    managed(A, PIECE);
    for (int i = 0; i < 8; i++) {
        up(A, PIECE);
        down(A, PIECE);
    }
    play_analyse(p, "UPDATE device_migration SET kind = 8 WHERE kind = 2");
    NOT_FOUND("managed-thrash");
    play_end(p);
}

/* A range that does not fit into what was allocated is cut; nothing is written beside it. */
static void nonsense_does_no_harm(void **state) {
    (void)state;
    play_begin(p);
    managed(A, PIECE + 1);
    for (int i = 0; i < 3; i++) {
        up(A + PIECE, 1ull << 62);
        down(A + PIECE, 1ull << 62);
        up(A, 0);
    }
    managed(1ull << 40, 1ull << 46);
    up(1ull << 40, 1ull << 46);
    play_analyse(p, NULL);
    FOUND("managed-thrash", NULL, 1);
    play_end(p);
}

/* --- leak --- */

static void alloc_of(enum xs_memory_kind memory, enum xs_origin origin) {
    p->memory = memory;
    p->origin = origin;
    play_alloc(p, A + (uint64_t)p->allocation_count * PIECE, PAGE);
}

static void what_was_not_freed_leaks(void **state) {
    (void)state;
    play_begin(p);
    alloc_of(XS_MEM_DEVICE, XS_ORIGIN_ALLOC);
    alloc_of(XS_MEM_DEVICE, XS_ORIGIN_POOL);
    alloc_of(XS_MEM_PINNED, XS_ORIGIN_ALLOC);
    alloc_of(XS_MEM_MANAGED, XS_ORIGIN_ALLOC);
    play_analyse(p, NULL);
    FOUND("leak", NULL, 4);
    const struct xs_finding *finding = played_finding(p, "leak");
    assert_true(finding->advice && !finding->folded);
    assert_int_equal(finding->bytes, 4 * PAGE);
    assert_int_equal(finding->transfers, 0);
    assert_int_equal(finding->gives_back_ns, 0);
    play_end(p);
}

static void freed_or_gone_with_its_context_it_does_not(void **state) {
    (void)state;
    play_begin(p);
    play_free(p, play_alloc(p, A, PAGE));
    play_context_end(p, play_alloc(p, A, PAGE));
    play_analyse(p, NULL);
    NOT_FOUND("leak");
    play_end(p);
}

static void what_is_not_its_own_does_not(void **state) {
    (void)state;
    play_begin(p);
    alloc_of(XS_MEM_DEVICE, XS_ORIGIN_VMM);
    alloc_of(XS_MEM_DEVICE, XS_ORIGIN_IPC);
    alloc_of(XS_MEM_DEVICE, XS_ORIGIN_EXTERNAL);
    alloc_of(XS_MEM_DEVICE, XS_ORIGIN_MODULE);
    alloc_of(XS_MEM_REGISTERED, XS_ORIGIN_ALLOC);
    play_analyse(p, NULL);
    NOT_FOUND("leak");
    play_end(p);
}

/* Killed, given up, not ended yet, or with calls that are not in the trace. */
static void only_a_complete_trace_shows_it(void **state) {
    (void)state;
    static const char *const reasons[] = {"UPDATE meta SET value = 'recovered' WHERE key = 'status'",
                                          "UPDATE meta SET value = 'stopped' WHERE key = 'status'",
                                          "UPDATE meta SET value = 'running' WHERE key = 'status'",
                                          "DELETE FROM meta WHERE key = 'status'",
                                          "INSERT OR REPLACE INTO meta VALUES ('coverage.dropped', 1)",
                                          "INSERT OR REPLACE INTO meta VALUES ('skipped_events', 1)",
                                          "INSERT OR REPLACE INTO meta VALUES ('coverage.dropped', 0)"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++) {
        play_begin(p);
        play_alloc(p, A, PAGE);
        play_analyse(p, reasons[i]);
        FOUND("leak", NULL, i == 6);
        play_end(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_go_there_and_back),
        cmocka_unit_test(it_costs_all_and_gives_back_all_but_one_way_each),
        cmocka_unit_test(a_stream_through_the_device_is_none),
        cmocka_unit_test(page_by_page_is_one_way),
        cmocka_unit_test(trips_are_of_one_allocation),
        cmocka_unit_test(other_events_of_pages_are_no_way),
        cmocka_unit_test(nonsense_does_no_harm),
        cmocka_unit_test(what_was_not_freed_leaks),
        cmocka_unit_test(freed_or_gone_with_its_context_it_does_not),
        cmocka_unit_test(what_is_not_its_own_does_not),
        cmocka_unit_test(only_a_complete_trace_shows_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
