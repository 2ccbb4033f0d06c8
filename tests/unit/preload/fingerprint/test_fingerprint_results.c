/* The ring of results: each that arrives is written once under its fingerprint's number, in whatever order, however
 * many are under way, and no place in the ring is lost. */
#include "unit.h"

#include <pthread.h>
#include <sys/mman.h>

#include "preload/fingerprint/results.h"

enum { MOST = 200000 };

static uint8_t written[MOST + 1]; /* how often, by number */
static struct xs_event_fingerprint last;
static int store_status;
static struct xs_results *results;

int xs_store_fingerprint(struct xs_store *store, const struct xs_event_fingerprint *f) {
    (void)store;
    if (store_status == 0 && f->id <= MOST) {
        written[f->id]++;
        last = *f;
    }
    return store_status;
}

/* Does what the kernel does. */
static void arrive(uint64_t ticket) {
    volatile struct xs_fingerprint_result *r = &results->slots[xs_results_index(ticket)];
    r->content[0] = ticket;
    r->flags = 0;
    __atomic_store_n(&r->sequence, ticket, __ATOMIC_RELEASE);
}

static int set_up(void **state) {
    (void)state;
    memset(written, 0, sizeof written);
    store_status = 0;
    results = calloc(1, sizeof *results);
    return results && xs_results_make(results) ? 0 : -1;
}

static int tear_down(void **state) {
    (void)state;
    munmap((void *)results->slots, XS_RESULTS_BYTES);
    free(results);
    return 0;
}

static void arrives_in_any_order(void **state) {
    (void)state;
    uint64_t tickets[10];
    for (uint32_t i = 0; i < 10; i++) {
        tickets[i] = xs_results_take(results, i + 1);
        assert_int_not_equal(tickets[i], 0);
        assert_false(xs_results_arrived(results, tickets[i]));
    }
    assert_int_equal(xs_results_awaited(results), 10);
    assert_int_equal(xs_results_drain(results, NULL), 0);
    for (int i = 9; i >= 0; i -= 2) {
        arrive(tickets[i]);
        assert_true(xs_results_arrived(results, tickets[i]));
    }
    assert_int_equal(xs_results_awaited(results), 5);
    assert_int_equal(xs_results_drain(results, NULL), 5);
    assert_int_equal(xs_results_drain(results, NULL), 0);
    for (int i = 0; i < 10; i += 2) {
        assert_int_equal(written[i + 1], 0);
        arrive(tickets[i]);
        assert_int_equal(xs_results_drain(results, NULL), 1);
        assert_int_equal(last.id, i + 1);
        assert_int_equal(last.content[0], tickets[i]);
    }
    assert_int_equal(xs_results_awaited(results), 0);
}

static void what_nobody_wants_is_not_written(void **state) {
    (void)state;
    uint64_t back = xs_results_take(results, 1), nobody = xs_results_take(results, 2),
             wanted = xs_results_take(results, 3);
    xs_results_give_back(results, back);
    xs_results_rename(results, nobody, XS_RESULT_OF_NOBODY);
    assert_true(xs_results_arrived(results, back));
    assert_int_equal(xs_results_awaited(results), 2);
    arrive(nobody);
    arrive(wanted);
    xs_results_drain(results, NULL);
    assert_int_equal(xs_results_awaited(results), 0);
    assert_int_equal(written[1] + written[2], 0);
    assert_int_equal(written[3], 1);
}

static void an_error_of_the_store_is_told(void **state) {
    (void)state;
    arrive(xs_results_take(results, 1));
    store_status = -1;
    assert_int_equal(xs_results_drain(results, NULL), -1);
}

/* A thread that stops waiting learns whether the result arrived first. */
static void what_is_written_cannot_be_disowned(void **state) {
    (void)state;
    uint64_t early = xs_results_take(results, 1), late = xs_results_take(results, 2);
    arrive(early);
    assert_int_equal(xs_results_drain(results, NULL), 1);
    arrive(late);
    assert_false(xs_results_rename(results, early, XS_RESULT_OF_NOBODY));
    assert_true(xs_results_rename(results, late, XS_RESULT_OF_NOBODY));
    xs_results_drain(results, NULL);
    assert_int_equal(written[1], 1);
    assert_int_equal(written[2], 0);
    for (uint32_t i = 0; i < XS_RESULTS; i++) { /* and both places are free */
        uint64_t ticket = xs_results_take(results, 100 + i);
        assert_int_not_equal(ticket, 0);
        if (ticket > XS_RESULTS)
            assert_false(xs_results_rename(results, ticket - XS_RESULTS, 7));
    }
}

/* Once a take was refused because the ring was full, the results that it was full of used to be lost, and their
 * places. */
static void a_full_ring_loses_nothing(void **state) {
    (void)state;
    uint32_t id = 0;
    for (int round = 0; round < 5; round++) {
        static uint64_t tickets[XS_RESULTS];
        for (uint32_t i = 0; i < XS_RESULTS; i++) {
            tickets[i] = xs_results_take(results, ++id);
            assert_int_not_equal(tickets[i], 0);
        }
        for (int i = 0; i < 100; i++)
            assert_int_equal(xs_results_take(results, MOST), 0);
        assert_int_equal(xs_results_awaited(results), XS_RESULTS);
        for (uint32_t i = 0; i < XS_RESULTS; i++)
            arrive(tickets[XS_RESULTS - 1 - i]);
        assert_int_equal(xs_results_awaited(results), 0);
        assert_int_equal(xs_results_drain(results, NULL), XS_RESULTS);
    }
    for (uint32_t i = 1; i <= id; i++)
        assert_int_equal(written[i], 1);
    assert_int_equal(written[MOST], 0);
}

/* One stream waits for long: the others go on in the places that are free. */
static void one_that_is_late_holds_up_no_other(void **state) {
    (void)state;
    uint64_t late = xs_results_take(results, 1);
    uint32_t taken = 0;
    for (uint32_t id = 2; id < 5u * XS_RESULTS; id++) {
        uint64_t ticket = xs_results_take(results, id);
        if (ticket) {
            taken++;
            arrive(ticket);
            assert_int_equal(xs_results_drain(results, NULL), 1);
        }
    }
    assert_true(taken >= 5u * XS_RESULTS - 2 - 8);
    assert_false(xs_results_arrived(results, late));
    assert_int_equal(xs_results_awaited(results), 1);
    arrive(late);
    assert_int_equal(xs_results_drain(results, NULL), 1);
    assert_int_equal(last.id, 1);
}

static void a_context_that_is_gone_leaves_the_ring_free(void **state) {
    (void)state;
    uint64_t there = 0;
    for (uint32_t i = 1; i <= XS_RESULTS; i++) {
        uint64_t ticket = xs_results_take(results, i);
        there = i == 7 ? ticket : there;
    }
    arrive(there);
    xs_results_abandon(results);
    assert_int_equal(xs_results_awaited(results), 0);
    assert_int_equal(xs_results_drain(results, NULL), 1);
    assert_int_equal(written[7], 1);
    for (uint32_t i = 1; i <= XS_RESULTS; i++)
        assert_int_not_equal(xs_results_take(results, XS_RESULTS + i), 0);
}

enum { THREADS = 4, EACH = 40000 };
static _Atomic uint32_t ids, refused;

static void *take_and_arrive(void *unused) {
    for (int i = 0; i < EACH;) {
        uint32_t id = atomic_fetch_add(&ids, 1) + 1;
        uint64_t ticket = xs_results_take(results, id);
        while (!ticket) {
            atomic_fetch_add(&refused, 1);
            sched_yield();
            ticket = xs_results_take(results, id);
        }
        arrive(ticket);
        i++;
    }
    return unused;
}

static void threads_and_the_drain_at_once(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    int64_t drained = 0;
    atomic_store(&ids, 0);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_arrive, NULL), 0);
    while (drained < THREADS * EACH) {
        int64_t n = xs_results_drain(results, NULL);
        assert_true(n >= 0);
        drained += n;
        if (n == 0 && atomic_load(&ids) == THREADS * EACH && xs_results_awaited(results) == 0) {
            drained += xs_results_drain(results, NULL);
            break;
        }
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    drained += xs_results_drain(results, NULL);
    assert_int_equal(drained, THREADS * EACH);
    for (uint32_t i = 1; i <= THREADS * EACH; i++)
        assert_int_equal(written[i], 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(arrives_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_nobody_wants_is_not_written, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_error_of_the_store_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_written_cannot_be_disowned, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_ring_loses_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(one_that_is_late_holds_up_no_other, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_context_that_is_gone_leaves_the_ring_free, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_and_the_drain_at_once, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("fingerprint results", tests, NULL, NULL);
}
