/* Tests managed-thrash, leak, and blocks of pools: each clause of docs/rules/analysis.md from both sides. */
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

/* Three times are enough, two are not. The first move in each direction remains needed. */
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
        assert_int_equal(p->findings->total.claimed_ns, trips == 3 ? 4000 : 0);
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
    assert_int_equal(finding->claimed_ns, 8500);
    assert_int_equal(finding->first[0].evidence[0].row, 1);
    assert_int_equal(finding->first[0].evidence_count, 3);
    play_end(p);
}

/* Each piece of a large array moves once, in turn: the directions alternate, and no page comes back. */
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

/* The host takes a piece back page by page, which is only one direction. */
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

/* Faults, and pages that go from one device to another, are no moves of this kind. */
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

/* A range that exceeds the allocation is cut, and nothing is written outside it. */
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

enum { REQUESTS = 20, BLOCK = 2 << 20 };
enum keeps { NONE, EVERY_FOURTH, EVERY_FOURTH_AT_FIRST, EVERY_FOURTH_AT_LAST, SETUP };

/* Says if the program forgets the memory that it allocated for the request. */
static bool is_kept(enum keeps keeps, int request) {
    bool fourth = request % 4 == 3;
    return keeps == SETUP                   ? request < 2
           : keeps == EVERY_FOURTH          ? fourth
           : keeps == EVERY_FOURTH_AT_FIRST ? fourth && request < REQUESTS / 2
           : keeps == EVERY_FOURTH_AT_LAST  ? fourth && request > REQUESTS / 2
                                            : false;
}

/* Plays requests that each allocate a buffer, upload into it and use it. `lasts`: buffers that are kept are used until
 * the end. */
static void requests(enum keeps keeps, bool lasts, enum xs_memory_kind memory, enum xs_origin origin) {
    uint32_t kept[REQUESTS];
    unsigned count = 0;
    for (int i = 0; i < REQUESTS; i++) {
        p->memory = memory;
        p->origin = origin;
        uint32_t buffer = play_alloc(p, A + (uint64_t)i * PIECE, PAGE);
        p->memory = XS_MEM_DEVICE;
        p->origin = XS_ORIGIN_ALLOC;
        play_kernel(p, 1, &buffer);
        if (lasts)
            for (unsigned k = 0; k < count; k++)
                play_kernel(p, 1, &kept[k]);
        if (is_kept(keeps, i))
            kept[count++] = buffer;
        else
            play_free(p, buffer);
    }
}

/* Returns how many leaks requests of this kind give. */
static uint64_t leaks(enum keeps keeps, bool lasts, enum xs_memory_kind memory, enum xs_origin origin,
                      const char *sql) {
    play_begin(p);
    requests(keeps, lasts, memory, origin);
    play_analyse(p, sql);
    uint64_t found = played_found(p, "leak", NULL);
    play_end(p);
    return found;
}

/* Requests 4, 8, 12, 16 and 20 keep their buffers. */
static void what_grows_during_the_run_leaks(void **state) {
    (void)state;
    play_begin(p);
    requests(EVERY_FOURTH, false, XS_MEM_DEVICE, XS_ORIGIN_ALLOC);
    play_analyse(p, NULL);
    FOUND("leak", NULL, 5);
    const struct xs_finding *finding = played_finding(p, "leak");
    assert_true(finding->advice && !finding->is_small);
    assert_int_equal(finding->bytes, 5 * PAGE);
    assert_int_equal(finding->transfers, 0);
    assert_int_equal(finding->claimed_ns, 0);
    assert_int_equal(finding->first[0].evidence[0].row, 4);
    play_end(p);
    assert_int_equal(leaks(EVERY_FOURTH, false, XS_MEM_DEVICE, XS_ORIGIN_POOL, NULL), 5);
    assert_int_equal(leaks(EVERY_FOURTH, false, XS_MEM_PINNED, XS_ORIGIN_ALLOC, NULL), 5);
    assert_int_equal(leaks(EVERY_FOURTH, false, XS_MEM_MANAGED, XS_ORIGIN_ALLOC, NULL), 5);
    /* the runtime loads code meanwhile, which is no part of the program's progress */
    const char *loads = "INSERT INTO entry_point VALUES (98, 'cuModuleLoadData', 13);"
                        "WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 400)"
                        " INSERT INTO api_call (entry_point, thread, is_captured, result, enter_ns, return_ns)"
                        " SELECT 98, 1, 0, 0, t, t FROM i, (SELECT min(return_ns) + 1 AS t FROM allocation)";
    assert_int_equal(leaks(EVERY_FOURTH, false, XS_MEM_DEVICE, XS_ORIGIN_ALLOC, loads), 5);
}

/* The program has buffers that live to its end, however many they are. */
static void what_lives_to_the_end_does_not(void **state) {
    (void)state;
    assert_int_equal(leaks(SETUP, false, XS_MEM_DEVICE, XS_ORIGIN_ALLOC, NULL), 0);
    assert_int_equal(leaks(EVERY_FOURTH_AT_FIRST, false, XS_MEM_DEVICE, XS_ORIGIN_ALLOC, NULL), 0);
    assert_int_equal(leaks(EVERY_FOURTH_AT_LAST, false, XS_MEM_DEVICE, XS_ORIGIN_ALLOC, NULL), 0);
    assert_int_equal(leaks(NONE, false, XS_MEM_DEVICE, XS_ORIGIN_ALLOC, NULL), 0);
    /* it grows, and all of it stays in use */
    assert_int_equal(leaks(EVERY_FOURTH, true, XS_MEM_DEVICE, XS_ORIGIN_ALLOC, NULL), 0);
    /* two places; each allocates in two thirds of the run */
    assert_int_equal(leaks(EVERY_FOURTH, false, XS_MEM_DEVICE, XS_ORIGIN_ALLOC,
                           "INSERT INTO entry_point VALUES (99, 'cuMemAllocPitch_v2', 2);"
                           "UPDATE allocation SET entry_point = 99 WHERE id > 12"),
                     0);
}

static void a_launch_of_unseen_arguments_may_use_it(void **state) {
    (void)state;
    play_begin(p);
    requests(EVERY_FOURTH, false, XS_MEM_DEVICE, XS_ORIGIN_ALLOC);
    play_unseen_kernel(p);
    play_analyse(p, NULL);
    NOT_FOUND("leak");
    UNDECIDED("leak", "launch arguments not seen", 5);
    play_end(p);
}

static void gone_with_its_context_it_does_not(void **state) {
    (void)state;
    play_begin(p);
    for (int i = 0; i < REQUESTS; i++)
        play_context_end(p, play_alloc(p, A, PAGE));
    play_analyse(p, NULL);
    NOT_FOUND("leak");
    play_end(p);
}

static void what_is_not_its_own_does_not(void **state) {
    static const enum xs_origin origins[] = {XS_ORIGIN_VMM, XS_ORIGIN_IPC, XS_ORIGIN_EXTERNAL, XS_ORIGIN_MODULE};
    (void)state;
    for (size_t i = 0; i < sizeof origins / sizeof *origins; i++)
        assert_int_equal(leaks(EVERY_FOURTH, false, XS_MEM_DEVICE, origins[i], NULL), 0);
    assert_int_equal(leaks(EVERY_FOURTH, false, XS_MEM_REGISTERED, XS_ORIGIN_ALLOC, NULL), 0);
}

/* The program was killed, capture stopped, the program still runs, or calls are missing in the trace. */
static void only_a_complete_trace_shows_it(void **state) {
    (void)state;
    static const char *const reasons[] = {"UPDATE meta SET value = 'recovered' WHERE key = 'status'",
                                          "UPDATE meta SET value = 'stopped' WHERE key = 'status'",
                                          "UPDATE meta SET value = 'running' WHERE key = 'status'",
                                          "DELETE FROM meta WHERE key = 'status'",
                                          "INSERT OR REPLACE INTO meta VALUES ('coverage.dropped', 1)",
                                          "INSERT OR REPLACE INTO meta VALUES ('skipped_events', 1)",
                                          "INSERT OR REPLACE INTO meta VALUES ('coverage.dropped', 0)"};
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        assert_int_equal(leaks(EVERY_FOURTH, false, XS_MEM_DEVICE, XS_ORIGIN_ALLOC, reasons[i]), i == 6 ? 5 : 0);
}

/* --- pools --- */

/* Plays the blocks of an allocator, which requests a block when the others are full, and puts several buffers into
 * each. The last block has a buffer that no call names. */
static void pool(uint64_t block, uint64_t part, bool in_parts) {
    for (uint64_t i = 0; i < 6; i++) {
        uint64_t at = A + i * block;
        uint32_t id = play_alloc(p, at, block);
        for (uint64_t k = 0; k < 3 && i < 5; k++) {
            play_up(p, at + (in_parts ? k * part : 0), in_parts ? part : block, NO_CONTENT, NOT_MEASURED, B);
            play_kernel(p, 1, &id);
        }
    }
}

static void blocks_of_a_pool_give_no_findings_of_allocation(void **state) {
    (void)state;
    play_begin(p);
    pool(BLOCK, BLOCK / 4, true);
    play_analyse(p, NULL);
    NOT_FOUND("leak");
    NOT_FOUND("unused-allocation");
    play_end(p);
}

/* Plays the same calls, but each block is one buffer, or is small, or has one part that is most of it. The first block
 * exists since the program's beginning. */
static void what_is_used_as_a_whole_is_no_pool(void **state) {
    (void)state;
    play_begin(p);
    pool(BLOCK, BLOCK, false);
    play_analyse(p, NULL);
    FOUND("leak", NULL, 5);
    FOUND("unused-allocation", "certain", 1);
    play_end(p);

    play_begin(p);
    pool(BLOCK / 4, BLOCK / 16, true);
    play_analyse(p, NULL);
    FOUND("leak", NULL, 5);
    play_end(p);

    play_begin(p);
    pool(BLOCK, BLOCK / 2 + 1, true);
    play_analyse(p, NULL);
    FOUND("leak", NULL, 5);
    play_end(p);
}

/* An untouched block counts as a block of the pool only if it has the size of such a block. */
static void other_memory_beside_a_pool_is_looked_at(void **state) {
    (void)state;
    play_begin(p);
    pool(BLOCK, BLOCK / 4, true);
    play_alloc(p, B, BLOCK + PAGE);
    p->device = 1;
    play_alloc(p, 2 * B, BLOCK);
    play_analyse(p, NULL);
    FOUND("unused-allocation", "certain", 2);
    play_end(p);
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
        cmocka_unit_test(what_grows_during_the_run_leaks),
        cmocka_unit_test(what_lives_to_the_end_does_not),
        cmocka_unit_test(a_launch_of_unseen_arguments_may_use_it),
        cmocka_unit_test(gone_with_its_context_it_does_not),
        cmocka_unit_test(what_is_not_its_own_does_not),
        cmocka_unit_test(only_a_complete_trace_shows_it),
        cmocka_unit_test(blocks_of_a_pool_give_no_findings_of_allocation),
        cmocka_unit_test(what_is_used_as_a_whole_is_no_pool),
        cmocka_unit_test(other_memory_beside_a_pool_is_looked_at),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
