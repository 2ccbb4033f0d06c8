/* Tests detectors of what the host does around copies (blocking-readback, blocking-upload, host-work,
 * host-preparation, host-copy, shared-stream, managed-first-touch and mapped-reads): each clause of
 * docs/rules/analysis.md from both sides. */
#include "managed_run.h"

#define US UINT64_C(1000)
enum { A = 0x10000000, B = 0x20000000, HOST = 0x5000000, KIB = 1024, MIB = 1 << 20, TIMES = 12 };

static struct played played, *p = &played;

static void begin(void) {
    play_begin(p);
    play_alloc(p, A, 64 * MIB);
}

static void takes(uint64_t call_us, uint64_t copy_us) {
    p->call_ns = call_us * US;
    p->device_ns = copy_us * US;
    p->delay_ns = 1 * US;
}

/* --- blocking-readback --- */

static void downloads(int times, uint64_t bytes, uint64_t call_us, uint64_t copy_us) {
    begin();
    for (int i = 0; i < times; i++) {
        takes(0, 0);
        play_kernel(p, 0, NULL);
        takes(call_us, copy_us);
        play_down(p, A, bytes, i, HOST);
    }
    play_analyse(p, NULL);
}

static void short_downloads_block_the_host(void **state) {
    (void)state;
    downloads(TIMES, 8 * KIB, 20, 2);
    FOUND("blocking-readback", NULL, TIMES);
    assert_int_equal(played_finding(p, "blocking-readback")->removable.host_ns, TIMES * 20 * US);
    play_end(p);
    downloads(3, 8 * KIB, 20, 2);
    FOUND("blocking-readback", NULL, 3);
    play_end(p);
    downloads(2, 8 * KIB, 20, 2);
    NOT_FOUND("blocking-readback");
    play_end(p);
    downloads(TIMES, 64, 20, 2); /* scalar-readback */
    NOT_FOUND("blocking-readback");
    play_end(p);
    downloads(TIMES, 8 * KIB, 20, 11); /* the copy takes most of the time */
    NOT_FOUND("blocking-readback");
    play_end(p);
}

/* An asynchronous download from page-locked memory blocks only by the wait directly after it. */
static void the_wait_blocks_the_host(void **state) {
    (void)state;
    for (int waits = 0; waits <= 1; waits++) {
        begin();
        p->async = true;
        p->host = XS_MEM_PINNED;
        for (int i = 0; i < TIMES; i++) {
            takes(2, 2);
            play_down(p, A, 8 * KIB, i, HOST);
            takes(20, 0);
            if (!waits)
                play_kernel(p, 0, NULL);
            play_sync(p);
        }
        play_analyse(p, NULL);
        FOUND("blocking-readback", NULL, waits ? TIMES : 0);
        play_end(p);
    }
}

/* --- blocking-upload --- */

static void uploads_behind_a_wait(bool waits, uint64_t wait_us, int times) {
    begin();
    p->async = true;
    p->host = XS_MEM_PINNED;
    for (int i = 0; i < times; i++) {
        takes(2, 2);
        play_up(p, A, 8 * KIB, i, NOT_MEASURED, HOST);
        takes(wait_us, 0);
        if (waits)
            play_sync(p);
        play_kernel(p, 0, NULL);
    }
    play_analyse(p, NULL);
}

static void uploads_hold_up_the_host(void **state) {
    (void)state;
    uploads_behind_a_wait(true, 100, TIMES);
    FOUND("blocking-upload", NULL, TIMES);
    assert_int_equal(played_finding(p, "blocking-upload")->removable.host_ns, TIMES * 98 * US);
    play_end(p);
    uploads_behind_a_wait(true, 100, 9);
    NOT_FOUND("blocking-upload");
    play_end(p);
    uploads_behind_a_wait(false, 100, TIMES);
    NOT_FOUND("blocking-upload");
    play_end(p);
    uploads_behind_a_wait(true, 3, TIMES); /* the copy takes most of the time */
    NOT_FOUND("blocking-upload");
    play_end(p);
}

/* --- host-work and host-preparation --- */

/* A call begins NEXT_US after the begin of the one before it (played.c). */
enum { NEXT_US = 10 };

/* The host works for `work_us` from the begin of a copy to the next call, and for `before_us` before the copy. */
static void steps(bool up, uint64_t before_us, uint64_t work_us) {
    begin();
    for (int i = 0; i < TIMES; i++) {
        p->now_ns += before_us * US;
        takes(100, 50);
        if (up)
            play_up(p, A, MIB, i, NOT_MEASURED, HOST);
        else
            play_down(p, A, MIB, i, HOST);
        p->now_ns += work_us * US;
        takes(1, 0);
        play_kernel(p, 0, NULL);
    }
    play_analyse(p, NULL);
}

static void the_host_works_on_what_it_downloaded(void **state) {
    (void)state;
    steps(false, 0, 500);
    FOUND("host-work", NULL, TIMES);
    const struct xs_finding *finding = played_finding(p, "host-work");
    assert_int_equal(finding->removable.host_ns, TIMES * (500 + NEXT_US - 100) * US);
    assert_int_equal(p->findings->total.claimed_ns == 0, played_found(p, "pageable", NULL) == 0);
    NOT_FOUND("host-preparation");
    play_end(p);
    steps(false, 500, 0);
    NOT_FOUND("host-work");
    play_end(p);
    steps(true, 0, 500);
    NOT_FOUND("host-work");
    play_end(p);
}

/* The time in calls is not the program's own, and that in allocations and frees is not, either. */
static void calls_are_no_work(void **state) {
    (void)state;
    for (int in_calls = 0; in_calls < 2; in_calls++) {
        begin();
        for (int i = 0; i < TIMES; i++) {
            takes(100, 50);
            play_down(p, A, MIB, i, HOST);
            p->now_ns += (100 - NEXT_US) * US;
            takes(in_calls ? 500 : 1, 0);
            uint32_t id = play_alloc(p, B, MIB);
            p->now_ns += (500 - NEXT_US) * US;
            play_free(p, id);
            p->now_ns += (500 - NEXT_US) * US;
            play_kernel(p, 0, NULL);
        }
        play_analyse(p, NULL);
        FOUND("host-work", NULL, in_calls ? 0 : TIMES);
        play_end(p);
    }
}

static void the_host_works_before_an_upload(void **state) {
    (void)state;
    steps(true, 500, 0);
    FOUND("host-preparation", NULL,
          TIMES - 2); /* the first upload has no call before it, the second no work to compare */
    assert_int_equal(played_finding(p, "host-preparation")->removable.host_ns,
                     (TIMES - 2) * (500 + 2 * NEXT_US - 100) * US);
    play_end(p);
    steps(true, 60, 0);
    NOT_FOUND("host-preparation");
    play_end(p);
    steps(true, 0, 500);
    NOT_FOUND("host-preparation");
    play_end(p);
}

/* Uploads that the host prepares for 500 us, one of them for `once_us`, with an allocation of `alloc_us` before each.
 */
static void prepared(uint64_t once_us, uint64_t alloc_us, const char *sql) {
    begin();
    play_kernel(p, 0, NULL);
    for (int i = 0; i < TIMES; i++) {
        p->now_ns += (i == TIMES / 2 ? once_us : 500) * US;
        if (alloc_us) {
            takes(alloc_us, 0);
            play_alloc(p, B + (uint64_t)i * MIB, MIB);
            p->now_ns += alloc_us * US;
        }
        takes(100, 50);
        play_up(p, A, MIB, i, NOT_MEASURED, HOST);
        p->now_ns += 100 * US;
        play_kernel(p, 0, NULL);
    }
    play_analyse(p, sql);
}

static uint64_t preparation_ns(void) { return played_finding(p, "host-preparation")->removable.host_ns; }

/* A pause that comes once is no preparation of the upload after it: it counts as twice the usual work. */
static void a_long_pause_counts_in_part(void **state) {
    (void)state;
    prepared(500, 0, NULL);
    uint64_t usual_ns = preparation_ns() / (TIMES - 1);
    play_end(p);
    prepared(50000, 0, NULL);
    FOUND("host-preparation", NULL, TIMES - 1);
    assert_int_equal(preparation_ns(), TIMES * usual_ns);
    play_end(p);
}

static void allocations_are_no_preparation(void **state) {
    (void)state;
    prepared(500, 0, NULL);
    uint64_t without_ns = preparation_ns();
    play_end(p);
    prepared(500, 300, NULL);
    assert_int_equal(preparation_ns(), without_ns + (TIMES - 1) * NEXT_US * US); /* before the allocating call, too */
    play_end(p);
}

/* Threads of a library wait for work between their uploads. */
static void threads_of_libraries_prepare_nothing(void **state) {
    (void)state;
    static const char *const modules[] = {"/usr/lib/python3/site-packages/jaxlib/xla.so", "/app/program"};
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++) {
        char sql[512];
        snprintf(sql, sizeof sql,
                 "INSERT INTO module VALUES (1,'%s',NULL,4096,8192,4096); INSERT INTO "
                 "stack(id,native_frames,python_frames,is_cut) VALUES (1,1,0,0);"
                 "INSERT INTO stack_frame (id,stack,depth,address,module) VALUES (4096,1,0,5000,1);"
                 "INSERT INTO symbol VALUES (1,1,904,0,'run',NULL,NULL);"
                 "UPDATE transfer SET stack = 1",
                 modules[i]);
        prepared(500, 0, sql);
        FOUND("host-preparation", NULL, i ? TIMES - 1 : 0);
        play_end(p);
    }
}

/* Before each upload CuPy copies the data into page-locked memory, for up to 0.25 ns a byte. */
static void cupy_s_own_copy_is_no_preparation(void **state) {
    (void)state;
    for (int with = 0; with <= 1; with++) {
        char sql[768];
        snprintf(
            sql, sizeof sql,
            "INSERT INTO python_code VALUES (1,'/app/train.py','step',1), (2,'%s/_creation/from_data.py','asarray',1);"
            "INSERT INTO stack(id,native_frames,python_frames,is_cut) VALUES (1,0,2,0);"
            "INSERT INTO stack_frame (id,stack,depth,code,line,is_entry)"
            " VALUES (6144,1,0,2,1,0), (6145,1,1,1,3,1); UPDATE transfer SET stack = 1, src_kind = %d",
            "/usr/lib/python3/site-packages/cupy", with ? XS_MEM_PINNED : XS_MEM_PAGEABLE);
        prepared(500, 0, sql);
        uint64_t ns = preparation_ns();
        play_end(p);
        prepared(500, 0, NULL);
        assert_int_equal(ns, preparation_ns() - (uint64_t)with * (TIMES - 1) * (MIB / 4));
        play_end(p);
    }
}

/* Work between a download and an upload is host-work, not the preparation of the upload. */
static void over_the_host_and_back(void **state) {
    (void)state;
    begin();
    for (int i = 0; i < TIMES; i++) {
        takes(100, 50);
        play_down(p, A, MIB, i, HOST);
        p->now_ns += 500 * US;
        play_up(p, A, MIB, i + TIMES, NOT_MEASURED, HOST);
        play_kernel(p, 0, NULL);
    }
    play_analyse(p, NULL);
    FOUND("host-work", NULL, TIMES);
    NOT_FOUND("host-preparation");
    play_end(p);
}

/* --- host-copy --- */

static void copies_within_host_memory(void **state) {
    (void)state;
    for (int times = 9; times <= 10; times++) {
        begin();
        takes(30, 0);
        for (int i = 0; i < times; i++)
            play_down(p, A, 8 * KIB, i, HOST);
        play_analyse(p, "UPDATE transfer SET direction = 5");
        FOUND("host-copy", NULL, times == 10 ? 10 : 0);
        play_end(p);
    }
    begin();
    takes(30, 0);
    for (int i = 0; i < TIMES; i++)
        play_down(p, A, 8 * KIB, i, HOST);
    play_analyse(p, NULL);
    NOT_FOUND("host-copy");
    play_end(p);
}

/* --- shared-stream --- */

/* Two threads take turns on a stream. With `only_copies`, the second thread launches nothing. */
static void two_threads(uint64_t stream, int rounds, bool only_copies) {
    begin();
    p->stream = stream;
    p->async = true;
    p->host = XS_MEM_PINNED;
    for (int i = 0; i < rounds; i++)
        for (p->thread = 1; p->thread <= 2; p->thread++) {
            play_up(p, A + p->thread * MIB, MIB, 2 * i + (int)p->thread, NOT_MEASURED, HOST);
            if (p->thread == 1 || !only_copies)
                play_kernel(p, 0, NULL);
        }
    play_analyse(p, stream == 1 ? NULL : "UPDATE stream SET handle = 4711");
}

static void threads_share_the_default_stream(void **state) {
    (void)state;
    two_threads(1, 7, false);
    FOUND("shared-stream", NULL, 2 * 7 - 2); /* the first copy of each thread does not count */
    play_end(p);
    two_threads(1, 6, false);
    FOUND("shared-stream", NULL, 10);
    play_end(p);
    two_threads(1, 5, false);
    NOT_FOUND("shared-stream");
    play_end(p);
    two_threads(7, 7, false); /* a stream of the program: it shares it on purpose */
    NOT_FOUND("shared-stream");
    play_end(p);
    two_threads(1, 7, true);
    NOT_FOUND("shared-stream");
    play_end(p);
}

/* Two threads launch into the default stream in turns, and thread 1 waits for it. With `both`, thread 2 waits, too.
 * With `one_by_one`, all work of one thread comes before all work of the other. */
static void two_threads_that_wait(uint64_t stream, int rounds, bool both, bool one_by_one) {
    begin();
    p->stream = stream;
    for (int i = 0; i < 2 * rounds; i++) {
        bool is_second = one_by_one ? i >= rounds : i % 2;
        p->thread = is_second ? 2 : 1;
        play_kernel(p, 0, NULL);
        if (both || !is_second)
            play_wait(p, XS_SYNC_STREAM, 0);
    }
    play_analyse(p, stream == 1 ? NULL : "UPDATE stream SET handle = 4711");
}

static void threads_wait_for_the_default_stream(void **state) {
    (void)state;
    two_threads_that_wait(1, 7, true, false);
    FOUND("shared-stream", NULL,
          2 * 7 - 3); /* the first waits do not count, because it is not known then what the threads do */
    play_end(p);
    two_threads_that_wait(1, 6, true, false);
    NOT_FOUND("shared-stream");
    play_end(p);
    two_threads_that_wait(7, 7, true, false);
    NOT_FOUND("shared-stream");
    play_end(p);
    two_threads_that_wait(1, 20, false, false); /* thread 1 may wait for thread 2's work on purpose */
    NOT_FOUND("shared-stream");
    play_end(p);
    two_threads_that_wait(1, 20, true, true);
    NOT_FOUND("shared-stream");
    play_end(p);
}

/* --- managed-first-touch --- */

enum { PREFETCHED = 1, SMALL = 2, MOVES_NOT = 4 };

static void managed_memory_and_a_kernel(unsigned how) {
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    uint32_t id = play_alloc(p, B, how & SMALL ? MIB / 2 : 4 * MIB);
    if (how & PREFETCHED)
        play_prefetch_batch(p, B, 1);
    play_kernel(p, 1, &id);
    if (!(how & MOVES_NOT))
        play_migration(p, true, B, 64 * KIB);
    play_kernel(p, 1, &id);
    play_free(p, id);
    play_analyse(p, NULL);
}

static void a_kernel_touches_managed_memory_first(void **state) {
    (void)state;
    managed_memory_and_a_kernel(0);
    FOUND("managed-first-touch", NULL, 1);
    assert_int_equal(played_finding(p, "managed-first-touch")->removable.device_ns, 1 * US);
    play_end(p);
    static const unsigned others[] = {PREFETCHED, SMALL, MOVES_NOT};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        managed_memory_and_a_kernel(others[i]);
        NOT_FOUND("managed-first-touch");
        play_end(p);
    }
}

/* Allocates and frees memory in each step. Kernels make its pages, or get them from the host. */
static void new_memory_in_each_step(int steps, bool come) {
    struct managed_run run = {.p = p};
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    for (int i = 0; i < steps; i++) {
        uint32_t id = play_alloc(p, B, 4 * MIB);
        play_kernel(p, 1, &id);
        for (int k = 0; k < 2; k++) /* they overlap by 5 us */
            managed_pages(&run, MANAGED_GPU_FAULT, p->now_ns + (uint64_t)k * 5 * US,
                          p->now_ns + (uint64_t)k * 5 * US + 10 * US, 1, 0, B + (uint64_t)k * 2 * MIB, 2 * MIB);
        if (come)
            play_migration(p, true, B, 64 * KIB);
        p->now_ns += 20 * US;
        play_free(p, id);
    }
    play_analyse(p, NULL);
}

static void a_kernel_makes_new_pages(void **state) {
    (void)state;
    new_memory_in_each_step(1, false);
    FOUND("managed-first-touch", NULL, 1);
    assert_int_equal(played_finding(p, "managed-first-touch")->removable.device_ns, 15 * US);
    play_end(p);
    new_memory_in_each_step(5, false); /* too few for repeated-allocation, so each is told here */
    FOUND("managed-first-touch", NULL, 5);
    play_end(p);
    new_memory_in_each_step(6, false); /* if the memory is kept, only the first has new pages */
    FOUND("managed-first-touch", NULL, 1);
    FOUND("repeated-allocation", NULL, 5);
    play_end(p);
    new_memory_in_each_step(6, true); /* kept memory has to get its pages from the host as well */
    FOUND("managed-first-touch", NULL, 6);
    play_end(p);
}

/* Pages come to memory that a memset used first. They say nothing of the one allocation that a kernel used first. */
static void pages_of_other_allocations(void **state) {
    (void)state;
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    for (int i = 0; i < TIMES; i++) {
        uint32_t id = play_alloc(p, B, 4 * MIB);
        if (i < TIMES - 1) {
            play_memset(p, B, 4 * MIB);
            play_migration(p, true, B, 64 * KIB);
        } else {
            play_kernel(p, 1, &id);
        }
        play_free(p, id);
    }
    play_analyse(p, NULL);
    NOT_FOUND("managed-first-touch");
    play_end(p);
}

/* --- mapped-reads --- */

static void kernels_of_host_memory(enum xs_memory_kind kind, uint64_t bytes, uint64_t kernel_us) {
    begin();
    p->memory = kind;
    uint32_t id = play_alloc(p, HOST, bytes);
    p->host = XS_MEM_PINNED;
    takes(1, 100);
    p->delay_ns = 0;
    for (int i = 0; i < TIMES; i++) /* the link moves 1 MiB in 100 us */
        play_up(p, A, MIB, i, NOT_MEASURED, HOST + 64 * MIB);
    p->kernel_ns = kernel_us * US;
    for (int i = 0; i < TIMES; i++)
        play_kernel(p, 1, &id);
    play_analyse(p, NULL);
}

static void kernels_read_host_memory_again(void **state) {
    (void)state;
    kernels_of_host_memory(XS_MEM_PINNED, MIB, 100);
    FOUND("mapped-reads", NULL, TIMES - 1);
    const struct xs_finding *finding = played_finding(p, "mapped-reads");
    assert_int_equal(finding->cost.device_ns, (TIMES - 1) * 100 * US);
    assert_in_range(finding->removable.device_ns, (TIMES - 1) * 50 * US, (TIMES - 1) * 100 * US - 1);
    play_end(p);
    kernels_of_host_memory(XS_MEM_PINNED, MIB, 40); /* too fast to have used most of it */
    NOT_FOUND("mapped-reads");
    play_end(p);
    kernels_of_host_memory(XS_MEM_PINNED, 60 * KIB, 100);
    NOT_FOUND("mapped-reads");
    play_end(p);
    kernels_of_host_memory(XS_MEM_DEVICE, MIB, 100);
    NOT_FOUND("mapped-reads");
    play_end(p);
}

/* Records of kernels may be lost, here those of more launches than the detector keeps waiting. Later records are found
 * nevertheless, and the lost ones are counted. */
static void kernels_without_a_record(void **state) {
    (void)state;
    enum { WITHOUT = (1 << 16) + 100 };
    begin();
    p->memory = XS_MEM_PINNED;
    uint32_t id = play_alloc(p, HOST, MIB);
    p->host = XS_MEM_PINNED;
    takes(1, 100);
    p->delay_ns = 0;
    for (int i = 0; i < TIMES; i++)
        play_up(p, A, MIB, i, NOT_MEASURED, HOST + 64 * MIB);
    p->kernel_ns = 0;
    for (int i = 0; i < WITHOUT + 1; i++)
        play_kernel(p, 1, &id);
    p->kernel_ns = 100 * US;
    for (int i = 0; i < TIMES; i++)
        play_kernel(p, 1, &id);
    play_analyse(p, "DELETE FROM device_kernel_row WHERE coalesce(end_ns - start_ns, device_ns) = 2000");
    FOUND("mapped-reads", NULL, TIMES);
    UNDECIDED("mapped-reads", "no device times", WITHOUT);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_downloads_block_the_host),
        cmocka_unit_test(the_wait_blocks_the_host),
        cmocka_unit_test(uploads_hold_up_the_host),
        cmocka_unit_test(the_host_works_on_what_it_downloaded),
        cmocka_unit_test(calls_are_no_work),
        cmocka_unit_test(the_host_works_before_an_upload),
        cmocka_unit_test(a_long_pause_counts_in_part),
        cmocka_unit_test(allocations_are_no_preparation),
        cmocka_unit_test(threads_of_libraries_prepare_nothing),
        cmocka_unit_test(cupy_s_own_copy_is_no_preparation),
        cmocka_unit_test(over_the_host_and_back),
        cmocka_unit_test(copies_within_host_memory),
        cmocka_unit_test(threads_share_the_default_stream),
        cmocka_unit_test(threads_wait_for_the_default_stream),
        cmocka_unit_test(a_kernel_touches_managed_memory_first),
        cmocka_unit_test(a_kernel_makes_new_pages),
        cmocka_unit_test(pages_of_other_allocations),
        cmocka_unit_test(kernels_without_a_record),
        cmocka_unit_test(kernels_read_host_memory_again),
    };
    return cmocka_run_group_tests_name("host_time", tests, NULL, NULL);
}
