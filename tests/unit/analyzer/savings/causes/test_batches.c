/* Tests what repairs of batch calls save, which make several copies: each copy is an instance of its own, and the call
 * is dropped only with its last copy. The runs are made by hand and their answers are known. */
#include "run.h"

enum { STEPS = 20, COPIES = 8, COPY_US = 950, BEHIND_US = 10, CALL_US = LATENCY_US + COPIES * COPY_US + BEHIND_US };

/* The rows that play_batch wrote. */
#define ARE_BATCHES "UPDATE transfer SET batch_index = (id - 1) % 8;"

/* Plays one blocking call that uploads COPIES times a mebibyte. The copies run one after the other, and each has its
 * own destination. From copy `first` on, the destinations are those of the previous call. The contents are not known.
 */
static void play_batch(int first, uint64_t step) {
    uint64_t before_ns = p->now_ns;
    unsigned correlation = p->correlation;
    p->call_ns = CALL_US * US;
    p->device_ns = COPY_US * US;
    for (int i = 0; i < COPIES; i++) {
        p->now_ns = before_ns;
        p->correlation = correlation;
        p->delay_ns = (uint64_t)(LATENCY_US + i * COPY_US) * US;
        uint64_t apart = i < first ? (step * COPIES + (uint64_t)i) * MIB : 0;
        play_up(p, A + (uint64_t)i * MIB + apart * 64, MIB, NO_CONTENT, NOT_MEASURED, HOST + (uint64_t)i * MIB);
    }
    returned();
}

static void play_batches(int unused_from, enum xs_memory_kind host) {
    play_begin(p);
    play_alloc(p, A, UINT64_C(1) << 40);
    p->host = host;
    for (uint64_t step = 0; step < STEPS; step++)
        play_batch(unused_from, step);
    diagnose(ARE_BATCHES PEAK);
}

/* The next call overwrites the uploads. If only some copies are dropped, their time is saved; if all are, the call is
 * saved, too. */
static void the_call_goes_with_its_last_copy(void **state) {
    (void)state;
    for (int kept = COPIES - 1; kept >= 0; kept--) {
        play_batches(kept, XS_MEM_PINNED);
        FOUND("unused-upload", NULL, (STEPS - 1) * (uint64_t)(COPIES - kept));
        uint64_t each_us = kept ? (uint64_t)(COPIES - kept) * COPY_US : CALL_US;
        saves_exactly("unused-upload", (STEPS - 1) * each_us * US);
        is_in_order();
        play_end(p);
    }
}

/* All copies are page-locked, and the memory of each has its price. */
static void all_copies_are_page_locked(void **state) {
    (void)state;
    play_batches(COPIES, XS_MEM_PAGEABLE);
    FOUND("pageable", NULL, STEPS * COPIES);
    const struct xs_diagnosed *pageable = played_diagnosed(p, "pageable");
    uint64_t left = LATENCY_US * US + PINNED_NS(COPIES * MIB) + BEHIND_COPY_NS;
    uint64_t most = STEPS * (CALL_US * US - left);
    assert_in_range(pageable->saves.most_ns, most - STEPS * COPIES, most + STEPS * COPIES);
    assert_in_range(pageable->pinning_ns, (uint64_t)(COPIES * MIB * 0.08) - 1, (uint64_t)(COPIES * MIB * 0.08) + 1);
    assert_int_equal(pageable->saves.least_ns, pageable->saves.most_ns - pageable->pinning_ns);
    is_in_order();
    play_end(p);
}

/* The device writes the same zeros instead of each copy. */
static void memsets_take_the_place_of_all(void **state) {
    (void)state;
    play_begin(p);
    play_alloc(p, A, 64 * MIB);
    p->host = XS_MEM_PINNED;
    p->constant = true;
    for (int step = 0; step < STEPS; step++) {
        uint64_t before_ns = p->now_ns;
        unsigned correlation = p->correlation;
        p->call_ns = CALL_US * US;
        p->device_ns = COPY_US * US;
        for (int i = 0; i < COPIES; i++) {
            p->now_ns = before_ns;
            p->correlation = correlation;
            p->delay_ns = (uint64_t)(LATENCY_US + i * COPY_US) * US;
            play_up(p, A + (uint64_t)i * MIB, MIB, step, step ? step - 1 : NOT_MEASURED, HOST + (uint64_t)i * MIB);
        }
        returned();
        play_unseen_kernel(p);
    }
    diagnose(ARE_BATCHES);
    FOUND("constant-content", NULL, STEPS * COPIES);
    saves_exactly("constant-content", STEPS * (CALL_US * US - ASYNC_CALL_NS));
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_call_goes_with_its_last_copy),
        cmocka_unit_test(all_copies_are_page_locked),
        cmocka_unit_test(memsets_take_the_place_of_all),
    };
    return cmocka_run_group_tests_name("batches", tests, NULL, NULL);
}
