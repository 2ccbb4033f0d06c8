/* Tests the exposed part of a copy: docs/rules/analysis.md, "Accounting". */
#include "played.h"

#include "analyzer/findings/engine/exposure.h"

enum { A = 0x10000, BYTES = 0x8000, HOST = 0x500000, STREAM = 0x77, OTHER = 0x78, EVENT = 0x99 };
enum { HIDDEN_NS = 4900, WAIT_NS = 1000 };

static struct played played, *p = &played;

/* Returns the exposed time of a no-op of 10 us, from 100,400 to 110,400, in an asynchronous call from 100,000 to
 * 100,500. Kernels hide it from 100,500 to 101,400 and from 104,400 to 108,400. The calls that `wait` plays are made
 * from 105,000 to 106,000. */
static uint64_t exposed_ns(uint64_t stream, void (*wait)(void), const char *sql) {
    char all[1024];
    play_begin(p);
    play_alloc(p, A, BYTES);
    p->async = true;
    p->stream = stream;
    play_up(p, A, BYTES, 1, 0, HOST);
    play_up(p, A, BYTES, 1, 1, HOST);
    if (wait)
        wait();
    p->stream = OTHER;
    play_kernel(p, 0, NULL);
    play_kernel(p, 0, NULL);
    snprintf(all, sizeof all,
             "UPDATE transfer SET enter_ns = 100000, return_ns = 100500 WHERE id = 2;"
             "UPDATE device_copy SET start_ns = 100400, end_ns = 110400 WHERE id = 2;"
             "UPDATE sync SET enter_ns = 105000, return_ns = 106000; UPDATE launch SET enter_ns = 100600;"
             "UPDATE device_kernel SET start_ns = 100000, end_ns = 101400 WHERE id = 1;"
             "UPDATE device_kernel SET start_ns = 104400, end_ns = 108400 WHERE id = 2; %s",
             sql ? sql : "");
    play_analyse(p, all);
    const struct xs_finding *finding = played_finding(p, "noop-upload");
    uint64_t ns = finding->cost.exposed_ns;
    assert_true(finding->cost.exposed_known);
    assert_int_equal(finding->cost.device_ns, 10000);
    assert_int_equal(finding->claimed_ns, ns);
    play_end(p);
    return ns;
}

static void for_its_stream(void) { play_wait(p, XS_SYNC_STREAM, 0); }

static void for_its_stream_in_another_thread(void) {
    p->thread = 2;
    play_wait(p, XS_SYNC_STREAM, 0);
    p->thread = 1;
}

static void in_both_threads(void) {
    for_its_stream();
    for_its_stream_in_another_thread();
}

static void for_another_stream(void) {
    p->stream = OTHER;
    play_wait(p, XS_SYNC_STREAM, 0);
}

static void for_the_context(void) { play_wait(p, XS_SYNC_CONTEXT, 0); }

static void for_an_event(void) {
    play_record(p, EVENT);
    play_wait(p, XS_SYNC_EVENT, EVENT);
}

static void it_is_what_no_kernel_hid(void **state) {
    (void)state;
    assert_int_equal(exposed_ns(STREAM, NULL, NULL), 10000 - HIDDEN_NS);
    assert_int_equal(exposed_ns(0, NULL, NULL), 10000 - HIDDEN_NS);
    assert_int_equal(exposed_ns(STREAM, NULL, "UPDATE transfer SET return_ns = 101000 WHERE id = 2"),
                     10000 - HIDDEN_NS + 500); /* in its own call the host is blocked on it */
}

static void a_wait_for_its_stream_is_a_wait_for_it(void **state) {
    (void)state;
    assert_int_equal(exposed_ns(STREAM, for_its_stream, NULL), 10000 - HIDDEN_NS + WAIT_NS);
    assert_int_equal(exposed_ns(STREAM, for_its_stream_in_another_thread, NULL), 10000 - HIDDEN_NS + WAIT_NS);
    assert_int_equal(exposed_ns(STREAM, in_both_threads, NULL), 10000 - HIDDEN_NS + WAIT_NS);
    assert_int_equal(exposed_ns(STREAM, in_both_threads, "UPDATE sync SET enter_ns = 104000 WHERE id = 2"),
                     10000 - HIDDEN_NS + 1600); /* 104,400 to 106,000 */
    assert_int_equal(exposed_ns(STREAM, for_its_stream, "UPDATE sync SET result = 1"), 10000 - HIDDEN_NS);
}

/* A prefetch that kernels hide costs nothing, though the program waits for the kernels once a step. */
static void other_waits_are_not_for_it(void **state) {
    (void)state;
    assert_int_equal(exposed_ns(STREAM, for_another_stream, NULL), 10000 - HIDDEN_NS);
    assert_int_equal(exposed_ns(STREAM, for_the_context, NULL), 10000 - HIDDEN_NS);
    assert_int_equal(exposed_ns(STREAM, for_an_event, NULL), 10000 - HIDDEN_NS);
    assert_int_equal(exposed_ns(0, for_its_stream, NULL), 10000 - HIDDEN_NS); /* neither is known */
}

/* The legacy default stream has two handles, and waits for the work of other streams. This does not make their work its
 * own. */
static void the_default_stream_is_one_stream(void **state) {
    (void)state;
    static const char legacy[] = "UPDATE stream SET handle = handle - 119"; /* STREAM, OTHER: 0, 1 */
    assert_int_equal(exposed_ns(STREAM, for_another_stream, legacy), 10000 - HIDDEN_NS + WAIT_NS);
    assert_int_equal(exposed_ns(STREAM, for_its_stream, legacy), 10000 - HIDDEN_NS + WAIT_NS);
    assert_int_equal(exposed_ns(STREAM, for_another_stream, "UPDATE stream SET handle = 0 WHERE handle = 120"),
                     10000 - HIDDEN_NS);
    assert_int_equal(exposed_ns(STREAM, for_another_stream, "UPDATE stream SET handle = handle - 119, context = id"),
                     10000 - HIDDEN_NS); /* of two contexts */
}

/* Streams come and go, and each is waited for once while its copy runs. A stream without copies is waited for all the
 * time. */
static void waits_that_are_over_take_no_memory(void **state) {
    (void)state;
    enum { COPIES = 5000, STEP = 30000 };
    char message[XS_TRACE_MESSAGE_BYTES];
    struct xs_trace trace;
    struct xs_streams streams;
    struct xs_exposure exposure;
    size_t capacity = 0;
    play_begin(p);
    for (unsigned i = 0; i < COPIES; i++) {
        p->stream = 0x100 + i;
        play_wait(p, XS_SYNC_STREAM, 0);
        p->stream = STREAM;
        play_wait(p, XS_SYNC_STREAM, 0);
        play_wait(p, XS_SYNC_STREAM, 0);
    }
    play_analyse(p, NULL);
    assert_int_equal(xs_trace_open(p->path, &trace, message), 0);
    assert_int_equal(xs_streams_read(&streams, &trace, message, NULL), 0);
    xs_exposure_begin(&exposure, &trace, NULL, &streams, 0, false, message, NULL);
    for (int64_t now = 0; now < (int64_t)COPIES * STEP; now += STEP) {
        uint64_t ns;
        struct xs_interval copy = {now + STEP / 6, now + STEP}, call = {now, now + 1};
        assert_int_equal(xs_exposure_of_copy(&exposure, 0, 0, copy, call, now, &ns), 0);
        assert_int_equal(ns, STEP - STEP / 6);
        assert_in_range(exposure.waits.count, 1, 128);
    }
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&exposure.waits, entry));) {
        const struct xs_busy *waits = (const struct xs_busy *)(uintptr_t)entry->value;
        capacity = waits->capacity > capacity ? waits->capacity : capacity;
    }
    assert_in_range(capacity, 1, 64);
    xs_exposure_end(&exposure);
    xs_streams_free(&streams);
    xs_trace_close(&trace);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_what_no_kernel_hid),           cmocka_unit_test(a_wait_for_its_stream_is_a_wait_for_it),
        cmocka_unit_test(other_waits_are_not_for_it),         cmocka_unit_test(the_default_stream_is_one_stream),
        cmocka_unit_test(waits_that_are_over_take_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
