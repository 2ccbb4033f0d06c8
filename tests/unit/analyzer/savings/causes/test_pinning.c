/* Tests what page-locked memory saves and what it costs: the price of page-locking, once for each byte, and
 * page-locked memory of the program that is not needed any more. The runs are made by hand and their answers are
 * known. */
#include "run.h"

enum { STEPS = 20, CALL_US = 1000, COPY_US = 950 };

/* The duration of a blocking copy of 1 MiB if its memory is pinned. */
static uint64_t pinned_call_ns(uint64_t copy_ns) { return LATENCY_US * US + copy_ns + BEHIND_COPY_NS; }

static void is_about(uint64_t ns, double expected) {
    assert_true((double)ns > expected - 2 && (double)ns < expected + 2);
}

/* Plays a blocking upload whose content is not known, and a kernel that may use it. */
static void upload(uint64_t from) {
    up(A, MIB, NO_CONTENT, NOT_MEASURED, from);
    play_unseen_kernel(p);
}

/* --- the price --- */

/* Two buffers, each copied many times. */
static void each_buffer_costs_once(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, MIB);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++)
        upload(i % 2 ? OTHER : HOST);
    diagnose(PEAK);
    const struct xs_diagnosed *pageable = played_diagnosed(p, "pageable");
    uint64_t most = STEPS * (CALL_US * US - pinned_call_ns(PINNED_NS(MIB)));
    assert_int_equal(pageable->saves.most_ns, most);
    assert_true(pageable->pinning_assumed);
    is_about(pageable->pinning_ns, 2 * MIB * 0.08);
    assert_int_equal(pageable->saves.least_ns, most - pageable->pinning_ns);
    assert_int_equal(p->diagnosis->together.least_ns, pageable->saves.least_ns);
    is_in_order();
    play_end(p);
}

static void what_two_copies_share_costs_once(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, MIB);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++)
        upload(HOST + (uint64_t)(i % 2) * 256 * KIB);
    diagnose(PEAK);
    is_about(played_diagnosed(p, "pageable")->pinning_ns, (MIB + 256 * KIB) * 0.08);
    play_end(p);
}

/* Plays the trace's own page-locked memory, and a copy from it that shows how long such a copy takes: 60 us. */
static uint32_t play_locked(uint64_t bytes, double ns_per_byte) {
    p->memory = XS_MEM_PINNED;
    p->call_ns = (uint64_t)((double)bytes * ns_per_byte);
    uint32_t id = alloc(OTHER, bytes);
    p->memory = 0;
    p->host = XS_MEM_PINNED;
    takes(100, 60);
    upload(OTHER);
    p->host = XS_MEM_PAGEABLE;
    return id;
}

/* Allocating takes 1.0 ns for each byte, and freeing 0.2 ns; pageable memory would take 0.4 ns of this, too. */
static void the_trace_says_what_it_costs(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, MIB);
    uint32_t locked = play_locked(64 * MIB, 1.0);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++)
        upload(HOST);
    p->call_ns = 64 * MIB / 5;
    release(locked);
    diagnose(PEAK);
    const struct xs_diagnosed *pageable = played_diagnosed(p, "pageable");
    assert_false(pageable->pinning_assumed);
    is_about(pageable->pinning_ns, MIB * 0.8);
    uint64_t most = STEPS * (CALL_US * US - pinned_call_ns(60 * US));
    assert_int_equal(pageable->saves.most_ns, most);
    assert_int_equal(pageable->saves.least_ns, most - pageable->pinning_ns);
    play_end(p);
}

/* A price that is not completely measured is assumed: page-locked memory took less time than pageable memory, or is
 * never freed. */
static void a_part_of_it_is_assumed(void **state) {
    static const struct {
        double lock, unlock, price;
        bool is_assumed;
    } of[] = {{0.2, 0.1, 0.08, true}, {1.0, 0, 1.0 + 0.10 - 0.40, true}, {0.3, 0.2, 0.1, false}};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        play_begin(p);
        play_alloc(p, A, MIB);
        uint32_t locked = play_locked(64 * MIB, of[i].lock);
        takes(CALL_US, COPY_US);
        for (int k = 0; k < STEPS; k++)
            upload(HOST);
        p->call_ns = (uint64_t)(64 * MIB * of[i].unlock);
        if (of[i].unlock > 0)
            release(locked);
        diagnose(PEAK);
        assert_int_equal(played_diagnosed(p, "pageable")->pinning_assumed, of[i].is_assumed);
        is_about(played_diagnosed(p, "pageable")->pinning_ns, MIB * of[i].price);
        play_end(p);
    }
}

/* If only half a mebibyte was page-locked, the fixed cost must not count as a rate. */
static void small_memory_says_nothing(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, MIB);
    play_locked(512 * KIB, 10);
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++)
        upload(HOST);
    diagnose(PEAK);
    assert_true(played_diagnosed(p, "pageable")->pinning_assumed);
    is_about(played_diagnosed(p, "pageable")->pinning_ns, MIB * 0.08);
    play_end(p);
}

/* If the price is higher than the gain, the least saving is nothing, and the range says so. */
static void a_buffer_that_is_copied_once(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, MIB);
    play_locked(64 * MIB, 2.0);
    takes(CALL_US, COPY_US);
    upload(HOST);
    diagnose(PEAK);
    assert_int_equal(saves("pageable").least_ns, 0);
    assert_int_equal(saves("pageable").most_ns, CALL_US * US - pinned_call_ns(60 * US));
    assert_int_equal(p->diagnosis->together.least_ns, 0);
    is_in_order();
    play_end(p);
}

/* An asynchronous copy returns at once, and runs beside the program's own work. */
static void an_asynchronous_copy_returns_at_once(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, MIB);
    p->async = true;
    takes(CALL_US, COPY_US);
    for (int i = 0; i < STEPS; i++) {
        upload(HOST);
        works(100);
    }
    diagnose(PEAK);
    FOUND("fake-async", NULL, STEPS);
    assert_int_equal(saves("fake-async").most_ns, STEPS * (CALL_US * US - ASYNC_CALL_NS));
    assert_int_equal(saves("pageable").most_ns, STEPS * (CALL_US * US - ASYNC_CALL_NS));
    assert_int_equal(p->diagnosis->cause_count, 1);
    assert_int_equal(p->diagnosis->together.most_ns, STEPS * (CALL_US * US - ASYNC_CALL_NS));
    is_in_order();
    play_end(p);
}

/* --- memory that is not needed --- */

enum { DOWN_US = 700, LOCK_US = 30000, UNLOCK_US = 5000 };

/* Plays round trips through a page-locked buffer. With `other_uses`, something else uses the buffer, too. */
static void play_locked_round_trips(enum xs_memory_kind kind, int other_uses) {
    play_begin(p);
    play_alloc(p, A, MIB);
    play_alloc(p, B, MIB);
    p->memory = p->host = kind;
    p->call_ns = LOCK_US * US;
    uint32_t locked = alloc(HOST, 8 * MIB);
    for (int i = 0; i < STEPS; i++) {
        takes(DOWN_US, DOWN_US - 50);
        down(A, MIB, 100 + i, HOST);
        takes(CALL_US, COPY_US);
        up(B, MIB, 100 + i, i ? 99 + i : NOT_MEASURED, HOST);
        play_unseen_kernel(p);
    }
    for (int i = 0; i < other_uses; i++)
        up(A, MIB, 7, 6, HOST + 2 * MIB);
    p->call_ns = UNLOCK_US * US;
    release(locked);
    diagnose(PEAK);
}

static void memory_goes_with_its_copies(void **state) {
    (void)state;
    play_locked_round_trips(XS_MEM_PINNED, 0);
    assert_int_equal(saves("round-trip").least_ns, STEPS * CALL_US * US);
    assert_int_equal(saves("round-trip").most_ns, (STEPS * (CALL_US + DOWN_US) + LOCK_US + UNLOCK_US) * US);
    assert_int_equal(p->diagnosis->together.most_ns, (STEPS * (CALL_US + DOWN_US) + LOCK_US + UNLOCK_US) * US);
    is_in_order();
    play_end(p);
}

/* A program that registers existing memory may do so for another reason. */
static void memory_that_something_uses_stays(void **state) {
    (void)state;
    for (int other_uses = 0; other_uses <= 1; other_uses++) {
        play_locked_round_trips(other_uses ? XS_MEM_PINNED : XS_MEM_REGISTERED, other_uses);
        assert_int_equal(saves("round-trip").least_ns, STEPS * CALL_US * US);
        assert_int_equal(saves("round-trip").most_ns, STEPS * (CALL_US + DOWN_US) * US);
        is_in_order();
        play_end(p);
    }
}

/* A statement page-locks memory for its copies, and the first copy is needed. From pageable memory this copy would
 * take 500 us instead of 60. */
static void play_locked_for_copies(uint64_t lock_us, const char *stacks) {
    play_begin(p);
    play_alloc(p, A, MIB);
    takes(600, 500);
    up(A, MIB, 1, NOT_MEASURED, OTHER); /* pageable */
    p->memory = p->host = XS_MEM_PINNED;
    p->call_ns = lock_us * US;
    alloc(HOST, MIB);
    takes(100, 60);
    for (int i = 0; i < STEPS; i++) {
        play_unseen_kernel(p);
        up(A, MIB, 2, i ? 2 : 1, HOST);
    }
    diagnose(stacks);
}

/* At least, half of the 10 us before each call is the statement's beginning, and this goes, too; at most, all of it is
 * staging. */
#define DROPPED_US ((STEPS - 1) * (100 + 5))
#define DROPPED_AT_MOST_US ((STEPS - 1) * (100 + 10))

static void a_statement_s_own_memory_goes(void **state) {
    (void)state;
    play_locked_for_copies(20000, LINES(3) "UPDATE transfer SET stack = CASE WHEN id = 1 THEN 3 ELSE 1 END;"
                                           "UPDATE allocation SET stack = 1 WHERE id = 2");
    assert_int_equal(saves("noop-upload").least_ns, DROPPED_US * US);
    assert_int_equal(saves("noop-upload").most_ns, (DROPPED_AT_MOST_US + 20000 - (500 - 60)) * US);
    play_end(p);
}

/* Page-locking takes less time than the one copy would take in addition. */
static void memory_that_is_worth_its_price_stays(void **state) {
    (void)state;
    play_locked_for_copies(439, LINES(3) "UPDATE transfer SET stack = CASE WHEN id = 1 THEN 3 ELSE 1 END;"
                                         "UPDATE allocation SET stack = 1 WHERE id = 2");
    assert_int_equal(saves("noop-upload").most_ns, DROPPED_AT_MOST_US * US);
    play_end(p);
}

static void memory_of_another_line_stays(void **state) {
    (void)state;
    play_locked_for_copies(20000, LINES(3) "UPDATE transfer SET stack = CASE WHEN id = 1 THEN 3 ELSE 1 END;"
                                           "UPDATE allocation SET stack = 2 WHERE id = 2");
    assert_int_equal(saves("noop-upload").most_ns, DROPPED_AT_MOST_US * US);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_buffer_costs_once),        cmocka_unit_test(what_two_copies_share_costs_once),
        cmocka_unit_test(the_trace_says_what_it_costs),  cmocka_unit_test(small_memory_says_nothing),
        cmocka_unit_test(a_buffer_that_is_copied_once),  cmocka_unit_test(an_asynchronous_copy_returns_at_once),
        cmocka_unit_test(memory_goes_with_its_copies),   cmocka_unit_test(memory_that_something_uses_stays),
        cmocka_unit_test(a_statement_s_own_memory_goes), cmocka_unit_test(memory_that_is_worth_its_price_stays),
        cmocka_unit_test(memory_of_another_line_stays),  cmocka_unit_test(a_part_of_it_is_assumed),
    };
    return cmocka_run_group_tests_name("pinning", tests, NULL, NULL);
}
