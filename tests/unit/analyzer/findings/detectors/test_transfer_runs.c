/* Tests the detectors that look at calls one after the other: small-transfers, scalar-readback, immediate-sync. Each
 * rule of docs/rules/analysis.md is tested from both sides, with what it claims. */
#include "played.h"

enum { A = 0x10000000, HOST = 0x5000000, SMALL = 4096, KIB_64 = 65536, STREAM = 0x70, OTHER = 0x80, EVENT = 0x90 };

static struct played played, *p = &played;

static const char *const peak = "INSERT INTO device (id, name, link_peak_bytes_per_s) VALUES (0, 'd', 40000000000)";

static void begin(void) {
    play_begin(p);
    play_alloc(p, A, 1 << 20);
    p->host = XS_MEM_PINNED;
    p->async = true;
    p->stream = STREAM;
}

/* Uploads to adjacent memory, so that no upload overwrites another one. */
static void up(uint64_t bytes) { play_up(p, A + (uint64_t)p->transfer * SMALL, bytes, NO_CONTENT, NOT_MEASURED, HOST); }
static void down(uint64_t bytes) { play_down(p, A, bytes, NO_CONTENT, HOST); }

static void up_times(int times) {
    for (int i = 0; i < times; i++)
        up(SMALL);
}

/* Requires this number of runs, with this number of copies in total. */
static void expect_runs(uint64_t runs, uint64_t of) {
    uint64_t transfers = 0;
    for (size_t i = 0; i < p->findings->count; i++)
        if (strcmp(xs_detectors[p->findings->items[i].detector]->id, "small-transfers") == 0)
            transfers += p->findings->items[i].transfers;
    FOUND("small-transfers", NULL, runs);
    assert_int_equal(transfers, of);
}

/* --- small-transfers --- */

/* Case 13, shorter: each copy takes 3 us, and 4 KiB at the link's 34 GB/s explain only 120 ns. */
static void a_run_is_one_instance(void **state) {
    (void)state;
    begin();
    p->device_ns = 3000;
    up_times(50);
    play_kernel(p, 0, NULL);
    play_analyse(p, peak);
    expect_runs(1, 50);
    const struct xs_finding *finding = played_finding(p, "small-transfers");
    assert_int_equal(finding->bytes, 50 * SMALL);
    assert_int_equal(finding->cost.device_ns, 50 * 3000);
    assert_int_equal(finding->cost.host_ns, 50 * 1000);
    assert_in_range(finding->removable.device_ns, 49 * 2879, 49 * 2880);
    assert_in_range(finding->removable.host_ns, 49 * 959, 49 * 961);
    assert_int_equal(p->findings->total.device_ns, finding->removable.device_ns);
    assert_int_equal(p->findings->total.transfers, 50);
    assert_int_equal(finding->first[0].evidence[0].row, 1);
    assert_int_equal(finding->first[0].evidence[1].row, 50);
    play_end(p);
}

static void a_run_is_eight_and_more(void **state) {
    (void)state;
    begin();
    up_times(7);
    play_kernel(p, 0, NULL);
    up_times(8);
    play_kernel(p, 0, NULL);
    for (int i = 0; i < 8; i++) {
        up(KIB_64 - 1);
        up(KIB_64); /* too large to count, and no reason to keep the others apart */
    }
    play_kernel(p, 0, NULL);
    for (int i = 0; i < 9; i++)
        up(KIB_64);
    play_analyse(p, peak);
    expect_runs(2, 16);
    play_end(p);
}

/* Any call that may need the copies to be separate ends a run; each of these calls is made in the middle of fourteen
 * copies. */
static void what_ends_a_run(void **state) {
    uint32_t other;
    (void)state;
    for (int reason = 0; reason < 6; reason++) {
        begin();
        other = play_alloc(p, A + (2 << 20), 1 << 20);
        up_times(7);
        switch (reason) {
        case 0:
            play_kernel(p, 1, &other);
            break;
        case 1:
            play_unseen_kernel(p);
            break;
        case 2:
            play_wait(p, XS_SYNC_STREAM, 0);
            break;
        case 3:
            down(SMALL);
            break;
        case 4:
            play_copy(p, A + (2 << 20), A, SMALL);
            break;
        case 5:
            play_stream_wait(p, EVENT);
            break;
        }
        up_times(7);
        play_analyse(p, peak);
        NOT_FOUND("small-transfers");
        play_end(p);
    }
}

static void what_does_not_end_a_run(void **state) {
    (void)state;
    begin();
    up_times(4);
    p->device = 1;
    play_kernel(p, 0, NULL); /* on another device */
    down(SMALL);
    p->device = 0;
    p->thread = 2;
    play_wait(p, XS_SYNC_STREAM, 0); /* a wait of another thread */
    p->thread = 1;
    play_memset(p, A + (1 << 16), SMALL);
    play_record(p, EVENT);
    play_alloc(p, A + (2 << 20), 4096);
    play_kernel(p, 0, NULL); /* that one failed */
    up_times(4);
    play_analyse(p, "UPDATE launch SET result = 1 WHERE id = 2");
    expect_runs(1, 8);
    play_end(p);
}

/* Each stream, thread and direction has its own runs, at the same time. */
static void runs_are_of_one_stream_and_thread(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 7; i++) {
        up(SMALL);
        p->stream = OTHER;
        up(SMALL);
        p->thread = 2;
        up(SMALL);
        p->thread = 1;
        p->stream = STREAM;
    }
    play_analyse(p, peak);
    NOT_FOUND("small-transfers");
    play_end(p);

    begin();
    for (int i = 0; i < 8; i++) {
        up(SMALL);
        p->stream = OTHER;
        up(SMALL);
        p->stream = STREAM;
    }
    play_wait(p, XS_SYNC_STREAM, 0);
    for (int i = 0; i < 9; i++)
        down(SMALL);
    play_analyse(p, peak);
    expect_runs(3, 25);
    play_end(p);
}

/* The copies of a batch call are already one call, and calls that did not run are no copies. */
static void batches_and_failures_are_no_run(void **state) {
    (void)state;
    begin();
    up_times(9);
    play_analyse(p, "UPDATE transfer SET batch_index = id - 1");
    NOT_FOUND("small-transfers");
    play_end(p);

    begin();
    up_times(9);
    play_analyse(p, "UPDATE transfer SET result = 1 WHERE id = 3; UPDATE transfer SET is_captured = 1 WHERE id = 4");
    NOT_FOUND("small-transfers");
    play_end(p);
}

/* Eight quick copies are among many slow ones. One copy of all bytes takes 2,880 + 964 ns, and this time remains. */
static void what_remains_is_one_copy(void **state) {
    (void)state;
    begin();
    p->device_ns = 3000;
    for (int i = 0; i < 30; i++) {
        up(SMALL);
        play_kernel(p, 0, NULL);
    }
    p->device_ns = 1000;
    up_times(8);
    play_analyse(p, peak);
    expect_runs(1, 8);
    assert_in_range(played_finding(p, "small-transfers")->removable.device_ns, 8000 - 3845, 8000 - 3843);
    play_end(p);
}

/* There are no device times, and no blocking copy to which the model could be fitted. Of the calls' 1 us, the time for
 * the bytes at the link's rate remains. */
static void small_transfers_by_host_times(void **state) {
    (void)state;
    begin();
    up_times(10);
    play_analyse(p, "DELETE FROM device_copy;"
                    "INSERT INTO device (id, name, link_peak_bytes_per_s) VALUES (0, 'd', 40000000000)");
    expect_runs(1, 10);
    assert_in_range(played_finding(p, "small-transfers")->removable.host_ns, 9 * 879, 9 * 880);
    play_end(p);
}

/* --- scalar-readback --- */

static void ten_blocking_downloads(void **state) {
    (void)state;
    for (int count = 9; count <= 11; count++) {
        begin();
        p->async = false;
        p->call_ns = 7000;
        for (int i = 0; i < count; i++) {
            down(i % 2 ? 4 : 64);
            down(65); /* blocking-readback */
            play_kernel(p, 0, NULL);
        }
        up(4);
        play_analyse(p, peak);
        if (count < 10) {
            NOT_FOUND("scalar-readback");
        } else {
            FOUND("scalar-readback", NULL, (uint64_t)count);
            const struct xs_finding *finding = played_finding(p, "scalar-readback");
            assert_int_equal(finding->removable.host_ns, 7000 * (uint64_t)count);
            assert_false(finding->cost.device_known);
            assert_int_equal(p->findings->total.transfers, 2 * (uint64_t)count);
            assert_int_equal(p->findings->total.host_ns, 2 * 7000 * (uint64_t)count);
            assert_int_equal(finding->first[1].evidence[0].row, 3);
        }
        play_end(p);
    }
}

/* An asynchronous download blocks by the wait that follows it, and the time of this wait counts. */
static void a_wait_makes_a_download_block(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < 12; i++) {
        p->call_ns = 0;
        down(4);
        p->call_ns = 5000;
        play_wait(p, XS_SYNC_STREAM, 0);
    }
    p->call_ns = 0;
    for (int i = 0; i < 20; i++) {
        down(4);
        play_kernel(p, 0, NULL);
        play_wait(p, XS_SYNC_STREAM, 0);
    }
    play_analyse(p, peak);
    FOUND("scalar-readback", NULL, 12);
    const struct xs_finding *finding = played_finding(p, "scalar-readback");
    assert_int_equal(finding->removable.host_ns, 12 * 6000);
    assert_int_equal(finding->first[0].evidence[1].table, XS_EVIDENCE_SYNC);
    assert_int_equal(finding->first[0].evidence[1].row, 1);
    FOUND("immediate-sync", NULL, 12);
    play_end(p);
}

/* The time of a wait for kernels cannot be saved, because it only moves to the next wait. A kernel runs for 20,010 ns
 * of the call, or of the wait, before the copy begins. Another kernel runs beside the rest of it, and nobody waits for
 * it. */
static void what_only_waits_for_kernels_is_left(void **state) {
    static const char without_kernels[] =
        "DELETE FROM device_kernel; UPDATE meta SET value = 0 WHERE key = 'cupti.kernels'";
    (void)state;
    for (int kernels = 1; kernels >= 0; kernels--) {
        begin();
        for (int i = 0; i < 20; i++) {
            bool own = i < 10;
            p->now_ns += 100000;
            p->kernel_delay_ns = 10;
            p->kernel_ns = 30000;
            play_kernel(p, 0, NULL);
            p->now_ns -= own ? 0 : 9000; /* what waits begins 10 us after the launch */
            p->async = !own;
            p->call_ns = own ? 50000 : 1000;
            p->delay_ns = own ? 25000 : 31000;
            down(4);
            p->now_ns -= own ? 0 : 1000;
            p->call_ns = 40000;
            if (!own)
                play_wait(p, XS_SYNC_STREAM, 0);
            p->kernel_delay_ns = 20000;
            p->kernel_ns = 200;
            play_kernel(p, 0, NULL);
        }
        play_analyse(p, kernels ? peak : without_kernels);
        const struct xs_finding *finding = played_finding(p, "scalar-readback");
        assert_int_equal(finding->instances, 20);
        assert_int_equal(finding->cost.host_ns, 10 * 50000 + 10 * 41000);
        assert_int_equal(finding->claimed_ns, finding->removable.host_ns);
        assert_int_equal(finding->without_kernels, kernels ? 20 : 0);
        assert_int_equal(finding->removable.host_ns, finding->cost.host_ns - (kernels ? 20 * 20010 : 0));
        play_end(p);
    }
}

/* A download into pageable memory blocks in its own call, and counts once. */
static void a_pageable_download_blocks_by_itself(void **state) {
    (void)state;
    begin();
    p->host = XS_MEM_PAGEABLE;
    for (int i = 0; i < 10; i++) {
        p->call_ns = 8000;
        down(4);
        p->call_ns = 0;
        if (i % 2)
            play_wait(p, XS_SYNC_STREAM, 0);
    }
    play_analyse(p, peak);
    FOUND("scalar-readback", NULL, 10);
    NOT_FOUND("fake-async");
    NOT_FOUND("immediate-sync");
    assert_int_equal(played_finding(p, "scalar-readback")->removable.host_ns, 10 * 8000);
    play_end(p);
}

/* --- immediate-sync --- */

enum between { NOTHING, RECORDED, RECORDED_ELSEWHERE, KERNEL, MEMSET, COPY, ALLOCATION, FREE, ANOTHER_THREAD };

static uint64_t immediate(enum between between, enum xs_sync_scope scope, uint64_t object, uint64_t stream,
                          const char *sql) {
    begin();
    uint32_t other = play_alloc(p, A + (2 << 20), 4096);
    play_record(p, EVENT + 1); /* before the copy: waiting for it is no wait for the copy */
    up(SMALL);
    switch (between) {
    case NOTHING:
        break;
    case RECORDED_ELSEWHERE:
        p->stream = OTHER;
        play_record(p, EVENT);
        break;
    case RECORDED:
        play_record(p, EVENT);
        break;
    case KERNEL:
        play_kernel(p, 0, NULL);
        break;
    case MEMSET:
        play_memset(p, A, 16);
        break;
    case COPY:
        play_copy(p, A + 4096, A, 4096);
        break;
    case ALLOCATION:
        play_alloc(p, A + (3 << 20), 4096);
        break;
    case FREE:
        play_free(p, other);
        break;
    case ANOTHER_THREAD:
        p->thread = 2;
        play_kernel(p, 0, NULL);
        p->thread = 1;
        break;
    }
    p->stream = stream;
    play_wait(p, scope, object);
    play_wait(p, scope, object); /* the second one is for nothing */
    play_analyse(p, sql);
    uint64_t found = played_found(p, "immediate-sync", NULL);
    if (found) {
        const struct xs_finding *finding = played_finding(p, "immediate-sync");
        assert_true(finding->advice);
        assert_int_equal(finding->claimed_ns, 0);
        assert_int_equal(finding->first[0].evidence[1].row, 1);
        assert_int_equal(p->findings->total.transfers, 0);
    }
    play_end(p);
    return found;
}

static void the_wait_is_for_the_copy(void **state) {
    (void)state;
    assert_int_equal(immediate(NOTHING, XS_SYNC_STREAM, 0, STREAM, NULL), 1);
    assert_int_equal(immediate(NOTHING, XS_SYNC_STREAM, 0, OTHER, NULL), 0);
    assert_int_equal(immediate(NOTHING, XS_SYNC_CONTEXT, 0, 0, NULL), 1);
    assert_int_equal(immediate(NOTHING, XS_SYNC_CONTEXT, 1, 0, NULL), 1); /* by its handle */
    assert_int_equal(immediate(NOTHING, XS_SYNC_CONTEXT, 2, 0, NULL), 0); /* the other device's */
    assert_int_equal(immediate(RECORDED, XS_SYNC_EVENT, EVENT, 0, NULL), 1);
    assert_int_equal(immediate(RECORDED, XS_SYNC_STREAM, 0, STREAM, NULL), 1);
    assert_int_equal(immediate(RECORDED_ELSEWHERE, XS_SYNC_EVENT, EVENT, 0, NULL), 0);
    assert_int_equal(immediate(NOTHING, XS_SYNC_EVENT, EVENT + 1, 0, NULL), 0);
    assert_int_equal(immediate(RECORDED, XS_SYNC_EVENT, EVENT + 1, 0, NULL), 0);
    /* the two handles of the legacy default stream */
    assert_int_equal(immediate(NOTHING, XS_SYNC_STREAM, 0, OTHER, "UPDATE stream SET handle = handle = 128"), 1);
}

static void the_wait_is_the_next_call(void **state) {
    (void)state;
    for (enum between between = KERNEL; between <= FREE; between++)
        assert_int_equal(immediate(between, XS_SYNC_STREAM, 0, STREAM, NULL), 0);
    assert_int_equal(immediate(ANOTHER_THREAD, XS_SYNC_STREAM, 0, STREAM, NULL), 1);
    assert_int_equal(immediate(NOTHING, XS_SYNC_STREAM, 0, STREAM, "UPDATE sync SET result = 1"), 0);
    assert_int_equal(immediate(NOTHING, XS_SYNC_STREAM, 0, STREAM, "UPDATE sync SET thread = 2"), 0);
}

static void only_a_copy_that_did_not_block(void **state) {
    (void)state;
    const char *blocking = "UPDATE transfer SET is_async = 0", *failed = "UPDATE transfer SET result = 1",
               *captured = "UPDATE transfer SET is_captured = 1",
               *held = "UPDATE transfer SET direction = 2, src_kind = 4, dst_kind = 1, return_ns = enter_ns + 9000",
               *staged = "UPDATE transfer SET src_kind = 1, return_ns = enter_ns + 9000";
    assert_int_equal(immediate(NOTHING, XS_SYNC_STREAM, 0, STREAM, blocking), 0);
    assert_int_equal(immediate(NOTHING, XS_SYNC_STREAM, 0, STREAM, failed), 0);
    assert_int_equal(immediate(NOTHING, XS_SYNC_STREAM, 0, STREAM, captured), 0);
    assert_int_equal(immediate(NOTHING, XS_SYNC_STREAM, 0, STREAM, held), 0);
    assert_int_equal(immediate(NOTHING, XS_SYNC_STREAM, 0, STREAM, staged), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_is_one_instance),
        cmocka_unit_test(a_run_is_eight_and_more),
        cmocka_unit_test(what_ends_a_run),
        cmocka_unit_test(what_does_not_end_a_run),
        cmocka_unit_test(runs_are_of_one_stream_and_thread),
        cmocka_unit_test(batches_and_failures_are_no_run),
        cmocka_unit_test(what_remains_is_one_copy),
        cmocka_unit_test(small_transfers_by_host_times),
        cmocka_unit_test(ten_blocking_downloads),
        cmocka_unit_test(a_wait_makes_a_download_block),
        cmocka_unit_test(what_only_waits_for_kernels_is_left),
        cmocka_unit_test(a_pageable_download_blocks_by_itself),
        cmocka_unit_test(the_wait_is_for_the_copy),
        cmocka_unit_test(the_wait_is_the_next_call),
        cmocka_unit_test(only_a_copy_that_did_not_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
