/* Tests the detectors of how a transfer was made, except runs of transfers: pageable, fake-async, low-bandwidth. Each
 * rule of docs/rules/analysis.md is tested from both sides, with what it claims. */
#include "played.h"

enum { A = 0x10000000, BYTES = 0x8000, HOST = 0x5000000, LARGE = 65536, MIB = 1 << 20 };

static struct played played, *p = &played;

/* A link of 40 GB/s, so that pinned copies are assumed to run at 34. */
static const char *const peak = "INSERT INTO device (id, name, link_peak_bytes_per_s) VALUES (0, 'd', 40000000000)";

static void begin(void) {
    play_begin(p);
    play_alloc(p, A, 64 * MIB);
}

/* Plays an upload so long after the previous one that they do not meet. */
static void up(uint64_t bytes) {
    p->now_ns += 10000000;
    play_up(p, A, bytes, NO_CONTENT, NOT_MEASURED, HOST);
}

static void down(uint64_t bytes) {
    p->now_ns += 10000000;
    play_down(p, A, bytes, NO_CONTENT, HOST);
}

/* --- pageable --- */

static void pageable_is_64_kib_and_more(void **state) {
    (void)state;
    begin();
    p->call_ns = 20000;
    up(LARGE);
    up(LARGE - 1);
    down(LARGE);
    down(LARGE - 1);
    play_analyse(p, peak);
    FOUND("pageable", NULL, 2);
    /* 16 us on the device, and 1,928 ns at 34 GB/s; the call is shorter by the same amount */
    assert_int_equal(p->findings->total.device_ns, 2 * (16000 - 1928));
    assert_int_equal(p->findings->total.host_ns, 2 * (20000 - 1928));
    assert_int_equal(p->findings->total.transfers, 2);
    play_end(p);
}

static void other_host_memory_is_not_pageable(void **state) {
    static const enum xs_memory_kind kinds[] = {XS_MEM_PINNED, XS_MEM_REGISTERED, XS_MEM_MANAGED};
    (void)state;
    begin();
    for (size_t i = 0; i < 3; i++) {
        p->host = kinds[i];
        up(LARGE);
        down(LARGE);
    }
    p->host = XS_MEM_PAGEABLE;
    play_copy(p, A + MIB, A, LARGE);
    play_analyse(p, peak);
    NOT_FOUND("pageable");
    play_end(p);
}

/* The pinned copies of the trace itself show the rate, here 32 GB/s. */
static void pinned_copies_of_the_trace_are_the_measure(void **state) {
    (void)state;
    begin();
    p->host = XS_MEM_PINNED;
    p->device_ns = 32768;
    up(MIB);
    p->host = XS_MEM_PAGEABLE;
    p->device_ns = 0;
    up(LARGE);
    play_analyse(p, peak);
    assert_int_equal(played_finding(p, "pageable")->removable.device_ns, 16000 - 2048);
    play_end(p);
}

/* A copy saves nothing if it is as fast as a pinned copy, or if it is not known how fast that is. */
static void pageable_may_give_nothing_back(void **state) {
    (void)state;
    begin();
    up(LARGE);
    play_analyse(p, NULL);
    FOUND("pageable", NULL, 1);
    assert_int_equal(p->findings->total.device_ns, 0);
    assert_int_equal(p->findings->total.host_ns, 0);
    play_end(p);

    begin();
    p->device_ns = 1900;
    up(LARGE);
    play_analyse(p, peak);
    FOUND("pageable", NULL, 1);
    assert_int_equal(p->findings->total.device_ns, 0);
    play_end(p);
}

/* A box keeps the cost of its shape: only the time of a plain copy of its size counts, which is 16 us here. */
static void a_box_gives_back_what_a_plain_copy_does(void **state) {
    (void)state;
    begin();
    up(LARGE);
    up(LARGE);
    p->box = (struct xs_event_transfer){.height = 64, .depth = 1, .dst_pitch = 4096};
    p->device_ns = 90000;
    p->call_ns = 95000;
    up(LARGE);
    p->box = (struct xs_event_transfer){0};
    play_analyse(p, peak);
    const struct xs_finding *finding = played_finding(p, "pageable");
    assert_int_equal(finding->instances, 3);
    assert_int_equal(finding->first[2].cost.device_ns, 90000);
    assert_int_equal(finding->first[2].removable.device_ns, 16000 - 1928);
    assert_int_equal(finding->first[2].removable.host_ns, 16000 - 1928);
    play_end(p);
}

/* --- fake-async --- */

/* Copies of 32 us begin 100 ns after their calls; 8 us of a call may remain. */
static void an_asynchronous_copy_that_held_the_host(void **state) {
    static const uint64_t calls_ns[] = {40000, 32100, 24100, 24099, 1000};
    (void)state;
    begin();
    p->async = true;
    for (size_t i = 0; i < sizeof calls_ns / sizeof *calls_ns; i++) {
        p->call_ns = calls_ns[i];
        up(2 * LARGE);
    }
    play_analyse(p, peak);
    const struct xs_finding *finding = played_finding(p, "fake-async");
    assert_int_equal(finding->instances, 3);
    assert_int_equal(finding->removable.host_ns, 40000 + 32100 + 24100);
    assert_false(finding->removable.device_known);
    assert_int_equal(finding->first[2].evidence[0].row, 3);
    FOUND("pageable", NULL, 5);
    assert_int_equal(p->findings->total.transfers, 5); /* in two findings, and once in the total */
    play_end(p);
}

/* Uploads up to 64 KiB are asynchronous from any memory; downloads never are. */
static void small_uploads_are_not_held(void **state) {
    (void)state;
    begin();
    p->async = true;
    p->call_ns = 100000;
    up(LARGE);
    up(LARGE + 1);
    down(64); /* a scalar, which is waited for whatever the memory */
    down(65);
    play_analyse(p, NULL);
    FOUND("fake-async", NULL, 2);
    play_end(p);
}

static void blocking_or_pinned_is_not_fake(void **state) {
    (void)state;
    begin();
    p->call_ns = 100000;
    up(2 * LARGE);
    down(2 * LARGE);
    p->async = true;
    p->host = XS_MEM_PINNED;
    up(2 * LARGE);
    p->host = XS_MEM_REGISTERED;
    down(2 * LARGE);
    p->host = XS_MEM_PAGEABLE;
    up(2 * LARGE);
    play_analyse(p, "UPDATE transfer SET result = 1 WHERE id = 5");
    NOT_FOUND("fake-async");
    play_end(p);
}

/* Blocking calls show how long a copy takes: 4 MiB in 1 ms. Half of this time is enough for a finding; a copy that may
 * have been staged is undecided. */
static void fake_async_without_device_times(void **state) {
    (void)state;
    begin();
    p->call_ns = 1000000;
    up(4 * MIB);
    down(4 * MIB);
    p->async = true;
    p->call_ns = 500000;
    up(4 * MIB);
    down(4 * MIB);
    up(2 * MIB + 1);
    up(2 * MIB); /* may have been staged */
    p->call_ns = 499999;
    up(4 * MIB);
    down(4 * MIB);
    play_analyse(p, "DELETE FROM device_copy");
    FOUND("fake-async", NULL, 3);
    UNDECIDED("fake-async", "no device times", 1);
    assert_int_equal(played_finding(p, "fake-async")->removable.host_ns, 2 * 500000); /* the uploads */
    play_end(p);

    begin();
    p->async = true;
    up(4 * MIB);
    down(65);
    play_analyse(p, "DELETE FROM device_copy");
    NOT_FOUND("fake-async"); /* nothing to compare with */
    UNDECIDED("fake-async", "no device times", 2);
    play_end(p);
}

enum next { NOTHING, WAIT, DEVICE_WAIT, RECORDED_WAIT, OTHER_WAIT, KERNEL, COPY, FREE, FREE_TO_POOL };

/* The thread's next call shows whether it made use of the asynchronous call. */
static uint64_t fake_where_next_comes(enum next next, bool elsewhere) {
    enum { EVENT = 0xe1 };
    begin();
    p->stream = 0x77;
    p->origin = next == FREE_TO_POOL ? XS_ORIGIN_POOL : 0;
    uint32_t other = play_alloc(p, A + (64 << 20), 4096);
    p->async = true;
    p->call_ns = 40000;
    up(2 * LARGE);
    p->call_ns = 0;
    p->async = false;
    p->thread = elsewhere ? 2 : 1;
    p->stream = next == OTHER_WAIT ? 0x78 : 0x77;
    if (next == RECORDED_WAIT)
        play_record(p, EVENT);
    if (next == WAIT || next == OTHER_WAIT)
        play_wait(p, XS_SYNC_STREAM, 0);
    else if (next == RECORDED_WAIT)
        play_wait(p, XS_SYNC_EVENT, EVENT);
    else if (next == DEVICE_WAIT)
        play_sync(p);
    else if (next == KERNEL)
        play_kernel(p, 0, NULL);
    else if (next == COPY)
        up(64);
    else if (next == FREE || next == FREE_TO_POOL)
        play_free(p, other);
    play_analyse(p, peak);
    uint64_t found = played_found(p, "fake-async", NULL);
    FOUND("pageable", NULL, 1);
    assert_true(p->findings->total.transfers == 1);
    play_end(p);
    return found;
}

static void what_is_waited_for_next_is_no_fake(void **state) {
    (void)state;
    assert_int_equal(fake_where_next_comes(WAIT, false), 0);
    assert_int_equal(fake_where_next_comes(DEVICE_WAIT, false), 0);
    assert_int_equal(fake_where_next_comes(RECORDED_WAIT, false), 0);
    assert_int_equal(fake_where_next_comes(FREE, false), 0); /* which waits for the device */
    assert_int_equal(fake_where_next_comes(FREE_TO_POOL, false), 1);
    assert_int_equal(fake_where_next_comes(OTHER_WAIT, false), 1);
    assert_int_equal(fake_where_next_comes(KERNEL, false), 1);
    assert_int_equal(fake_where_next_comes(COPY, false), 1);
    assert_int_equal(fake_where_next_comes(NOTHING, false), 1);
    assert_int_equal(fake_where_next_comes(WAIT, true), 1); /* by another thread: this one went on */
}

/* Only a copy that nobody waits for is undecided. */
static void a_wait_decides_without_device_times(void **state) {
    (void)state;
    begin();
    p->async = true;
    for (int i = 0; i < 3; i++) {
        up(2 * MIB);
        play_sync(p);
    }
    up(2 * MIB);
    play_kernel(p, 0, NULL);
    play_sync(p);
    play_analyse(p, "DELETE FROM device_copy");
    NOT_FOUND("fake-async");
    UNDECIDED("fake-async", "no device times", 1);
    play_end(p);
}

/* The time of the call counts once, however many copies it has. */
static void a_batch_call_is_held_once(void **state) {
    (void)state;
    begin();
    p->async = true;
    p->call_ns = 100000;
    up(3 * LARGE);
    up(LARGE + 1);
    const char *one_call = "UPDATE transfer SET batch_index = id - 1, correlation = 2, enter_ns = 1000000,"
                           " return_ns = 1100000; DELETE FROM device_copy WHERE id = 2;"
                           "UPDATE device_copy SET correlation = 2, bytes = 4 * 65536 + 1, copies = 2,"
                           " start_ns = 1000100, end_ns = 1064100";
    play_analyse(p, one_call);
    FOUND("fake-async", NULL, 2);
    assert_in_range(played_finding(p, "fake-async")->removable.host_ns, 99998, 100001);
    assert_in_range(played_finding(p, "fake-async")->first[0].removable.host_ns, 74990, 75010);
    play_end(p);

    /* and a wait is for all of its copies */
    begin();
    p->async = true;
    p->call_ns = 100000;
    up(3 * LARGE);
    up(LARGE + 1);
    play_sync(p);
    play_analyse(p, one_call);
    NOT_FOUND("fake-async");
    play_end(p);
}

/* --- low-bandwidth --- */

/* Five copies of 1 MiB, 20 us each: the best rate of the direction. */
static void begin_with_good_copies(void) {
    begin();
    p->host = XS_MEM_PINNED;
    p->device_ns = 20000;
    for (int i = 0; i < 5; i++)
        up(MIB);
}

/* Copies of 2 MiB: half of the best rate takes 80 us. */
static void twice(unsigned count, uint64_t ns) {
    p->device_ns = ns;
    for (unsigned i = 0; i < count; i++) {
        up(2 * MIB);
        p->now_ns += ns;
    }
}

static void under_half_of_the_best_rate(void **state) {
    (void)state;
    begin_with_good_copies();
    twice(5, 80001);
    p->host = XS_MEM_PAGEABLE;
    twice(5, 200000);
    p->host = XS_MEM_PINNED;
    p->box = (struct xs_event_transfer){.height = 2048, .depth = 1};
    twice(5, 200000);
    p->box = (struct xs_event_transfer){0};
    for (int i = 0; i < 6; i++) {
        down(2 * MIB); /* the best of its direction */
        p->now_ns += 200000;
        up(MIB - 1);
        p->now_ns += 200000;
    }
    play_analyse(p, NULL);
    const struct xs_finding *finding = played_finding(p, "low-bandwidth");
    assert_int_equal(finding->instances, 5);
    assert_int_equal(finding->first[0].evidence[0].row, 6);
    assert_int_equal(finding->first[4].evidence[0].row, 10);
    assert_int_equal(finding->cost.device_ns, 5 * 80001);
    assert_int_equal(finding->removable.device_ns, 5 * 40001);
    assert_int_equal(finding->cost.host_ns, 5000);
    play_end(p);

    begin_with_good_copies();
    twice(5, 80000); /* half */
    p->host = XS_MEM_REGISTERED;
    twice(5, 80001);
    play_analyse(p, NULL);
    FOUND("low-bandwidth", NULL, 5);
    play_end(p);
}

/* Returns the result for this many slow copies among this many copies, in a row or not. */
static uint64_t slow_of(unsigned slow, unsigned copies) {
    begin_with_good_copies();
    for (unsigned i = 0; i < copies; i++)
        twice(1, i * slow / copies != (i + 1) * slow / copies ? 100000 : 50000);
    play_analyse(p, NULL);
    uint64_t found = played_found(p, "low-bandwidth", NULL);
    play_end(p);
    return found;
}

/* One slow copy among many is no finding: most copies have to be slow, by more than chance. */
static void a_slow_copy_among_many_is_none(void **state) {
    (void)state;
    assert_int_equal(slow_of(1, 1), 0);
    assert_int_equal(slow_of(4, 4), 0);
    assert_int_equal(slow_of(5, 5), 5);
    assert_int_equal(slow_of(1, 20), 0);
    assert_int_equal(slow_of(6, 7), 0); /* chance: 8 of 128 */
    assert_int_equal(slow_of(7, 8), 7); /* 9 of 256 */
    assert_int_equal(slow_of(14, 20), 0);
    assert_int_equal(slow_of(15, 20), 15);
    assert_int_equal(slow_of(64, 64), 64);
}

/* Each block of 64 copies is judged by itself. A rest with too few copies is judged with the previous block. */
static void a_link_that_is_slow_for_a_while(void **state) {
    (void)state;
    begin_with_good_copies();
    twice(64, 50000);
    twice(66, 100000);
    play_analyse(p, NULL);
    FOUND("low-bandwidth", NULL, 66);
    play_end(p);

    begin_with_good_copies();
    twice(64, 50000);
    twice(4, 100000);
    play_analyse(p, NULL);
    NOT_FOUND("low-bandwidth");
    play_end(p);
}

/* Five slow copies of two sizes, or of two devices, belong to two groups. */
static void slow_copies_are_of_one_size_and_device(void **state) {
    (void)state;
    begin_with_good_copies();
    twice(3, 100000);
    p->device_ns = 200000;
    for (int i = 0; i < 3; i++) {
        up(4 * MIB);
        p->now_ns += 200000;
    }
    p->device = 1;
    twice(3, 100000);
    play_analyse(p, NULL);
    NOT_FOUND("low-bandwidth");
    play_end(p);
}

/* Half of a peak of 30 GB/s counts, although 52 GB/s were measured: 139,810 ns for 2 MiB. */
static void under_half_of_the_peak(void **state) {
    const char *link = "INSERT INTO device (id, name, link_peak_bytes_per_s) VALUES (0, 'd', 30000000000)";
    (void)state;
    begin_with_good_copies();
    twice(5, 139810);
    play_analyse(p, link);
    NOT_FOUND("low-bandwidth");
    play_end(p);

    begin_with_good_copies();
    twice(5, 139811);
    play_analyse(p, link);
    FOUND("low-bandwidth", NULL, 5);
    assert_in_range(played_finding(p, "low-bandwidth")->first[0].removable.device_ns, 139811 - 69906, 139811 - 69904);
    play_end(p);
}

/* Another copy between host and the same device, in either direction, runs at some time of the copy. */
static void only_what_is_alone_on_the_link(void **state) {
    (void)state;
    begin_with_good_copies();
    p->device_ns = 100000;
    for (int i = 0; i < 5; i++) {
        up(2 * MIB);
        play_down(p, A, 4096, NO_CONTENT, HOST); /* begins in the middle of it, 10 us later */
        p->now_ns += 200000;
    }
    play_analyse(p, NULL);
    NOT_FOUND("low-bandwidth");
    play_end(p);

    begin_with_good_copies();
    p->device_ns = 100000;
    for (int i = 0; i < 5; i++) {
        up(2 * MIB);
        p->device = 1;
        play_down(p, A, 4096, NO_CONTENT, HOST); /* another device's link */
        p->device = 0;
        p->now_ns += 80000;
        play_down(p, A, 4096, NO_CONTENT, HOST); /* begins when that one ends */
        p->now_ns += 200000;
    }
    play_analyse(p, NULL);
    FOUND("low-bandwidth", NULL, 5);
    play_end(p);
}

static void low_bandwidth_needs_device_times(void **state) {
    (void)state;
    begin_with_good_copies();
    p->host = XS_MEM_PAGEABLE;
    up(MIB);
    play_analyse(p, "DELETE FROM device_copy");
    NOT_FOUND("low-bandwidth");
    UNDECIDED("low-bandwidth", "no device times", 5);
    play_end(p);
}

/* PyTorch's `.to(device)` of a tensor that is not pinned: a copy that holds the host, then a wait for its stream. */
static void a_tensor_that_is_not_pinned(void **state) {
    (void)state;
    begin();
    p->async = true;
    p->stream = 0x77;
    for (int i = 0; i < 3; i++) {
        p->call_ns = 300000;
        up(MIB);
        p->call_ns = 0;
        play_wait(p, XS_SYNC_STREAM, 0);
    }
    play_analyse(p, peak);
    FOUND("pageable", NULL, 3);
    NOT_FOUND("fake-async");
    NOT_FOUND("immediate-sync");
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pageable_is_64_kib_and_more),
        cmocka_unit_test(other_host_memory_is_not_pageable),
        cmocka_unit_test(pinned_copies_of_the_trace_are_the_measure),
        cmocka_unit_test(pageable_may_give_nothing_back),
        cmocka_unit_test(a_box_gives_back_what_a_plain_copy_does),
        cmocka_unit_test(an_asynchronous_copy_that_held_the_host),
        cmocka_unit_test(small_uploads_are_not_held),
        cmocka_unit_test(blocking_or_pinned_is_not_fake),
        cmocka_unit_test(fake_async_without_device_times),
        cmocka_unit_test(what_is_waited_for_next_is_no_fake),
        cmocka_unit_test(a_wait_decides_without_device_times),
        cmocka_unit_test(a_batch_call_is_held_once),
        cmocka_unit_test(under_half_of_the_best_rate),
        cmocka_unit_test(a_slow_copy_among_many_is_none),
        cmocka_unit_test(a_link_that_is_slow_for_a_while),
        cmocka_unit_test(slow_copies_are_of_one_size_and_device),
        cmocka_unit_test(under_half_of_the_peak),
        cmocka_unit_test(only_what_is_alone_on_the_link),
        cmocka_unit_test(low_bandwidth_needs_device_times),
        cmocka_unit_test(a_tensor_that_is_not_pinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
