/* Tests which downloads are watched in mode `auto`, and what is said of them. The test is the drain thread, too, where
 * no thread waits for it. */
#include "hostreads/hostreads_unit.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/core/own_cost.h"
#include "preload/hostreads/watcher.h"
#include "preload/hostreads/watcher_internal.h"

#define BYTES (UINT64_C(1) << 20)
#define STACK 7

XS_TLS struct xs_event xs_scratch_event;
struct xs_own_cost_work xs_own_cost_work_begin(void) {
    return (struct xs_own_cost_work){0};
}
void xs_own_cost_work_end(const struct xs_own_cost_work *work) { (void)work; }

static struct xs_host_read results[8];
static unsigned n_results;

int xs_store_host_read(struct xs_store *store, const struct xs_host_read *read) {
    (void)store;
    assert_true(n_results < COUNT_OF(results));
    results[n_results++] = *read;
    return 0;
}

int xs_store_meta_int(struct xs_store *store, const char *key, int64_t value) {
    (void)store;
    assert_string_equal(key, "cost.host_reads_ns");
    assert_true(value >= 0);
    return 0;
}

static char *memory;
static uint64_t copied_bytes = BYTES;

static int start(void **state) {
    (void)state;
    static const struct xs_watcher nothing = {.lock = XS_LOCK_INITIALIZER};
    stay_on_one_processor();
    xs_watcher = nothing;
    xs_host_watch_staged(true);
    xs_host_watch_start("auto", 1000000);
    n_results = 0;
    memory = make_memory(MEMORY_PRIVATE, BYTES);
    return atomic_load(&xs_host_watch_mode) == XS_HOST_WATCH_AUTO ? 0 : -1;
}

static int end(void **state) {
    (void)state;
    xs_host_watch_end();
    (void)xs_host_watch_write(NULL);
    drop_memory(memory, BYTES);
    return 0;
}

static struct xs_event event_of(enum xs_memory_kind kind, unsigned flags) {
    return (struct xs_event){.kind = XS_EVENT_TRANSFER,
                             .flags = (uint8_t)flags,
                             .transfer = {.dst = (uintptr_t)memory,
                                          .bytes = copied_bytes,
                                          .direction = XS_DIR_D2H,
                                          .dst_kind = (uint8_t)kind,
                                          .dst_allocation = kind == XS_MEM_PINNED ? 3 : 0}};
}

/* A copy by a DMA does not access the memory; one into pageable memory does. Returns the number of its watch. */
static uint32_t copy(enum xs_memory_kind kind, unsigned flags) {
    struct xs_event e = event_of(kind, flags);
    xs_host_watch_copies(&e, STACK);
    if (kind == XS_MEM_PAGEABLE)
        memset(memory, 1, copied_bytes);
    xs_host_watch_copied(true);
    return e.flags & XS_FLAG_WATCHED ? e.transfer.host_read : 0;
}

static void look(void) {
    unsigned wait_ms = 1000;
    xs_host_watch_look(&wait_ms);
    assert_int_equal(xs_host_watch_write(NULL), 0);
}

static void expect_result(uint32_t id, uint64_t read_bytes, enum xs_host_reads_doubt doubt) {
    assert_int_equal(n_results, 1);
    assert_int_equal(results[0].id, id);
    assert_int_equal(results[0].doubt, doubt);
    if (!doubt)
        assert_int_equal(results[0].read_bytes, read_bytes);
    n_results = 0;
}

static void page_locked_memory_is_decided_by_the_third_copy(void **state) {
    (void)state;
    for (int is_read = 0; is_read < 2; is_read++) {
        assert_int_equal(copy(XS_MEM_PINNED, XS_FLAG_ASYNC), 0); /* only offered */
        look();
        uint32_t id = copy(XS_MEM_PINNED, XS_FLAG_ASYNC);
        assert_true(id);
        if (is_read)
            read_pages(WAY_LOAD, memory, PAGE);
        assert_int_equal(copy(XS_MEM_PINNED, XS_FLAG_ASYNC), 0);
        look();
        assert_int_equal(n_results, 0); /* the copy that overwrites it may not be over */
        assert_int_equal(copy(XS_MEM_PINNED, XS_FLAG_ASYNC), 0);
        look();
        expect_result(id, is_read ? PAGE : 0, XS_HOST_READS_NO_DOUBT);
    }
}

static void what_nobody_can_decide_is_late(void **state) {
    (void)state;
    (void)copy(XS_MEM_PINNED, 0);
    look();
    uint32_t id = copy(XS_MEM_PINNED, 0);
    for (unsigned i = 0; i < 3; i++)
        look();
    expect_result(id, 0, XS_HOST_READS_LATE);
}

static void a_region_that_is_not_used_again_is_given_up(void **state) {
    (void)state;
    (void)copy(XS_MEM_PINNED, 0);
    look();
    look();
    assert_int_equal(copy(XS_MEM_PINNED, 0), 0);
    assert_int_equal(n_results, 0);
}

static _Atomic bool is_over;

static void *drain(void *argument) {
    (void)argument;
    while (!atomic_load(&is_over)) {
        unsigned wait_ms = 1000;
        if (atomic_load(&xs_watcher.asked) != atomic_load(&xs_watcher.answered))
            xs_host_watch_look(&wait_ms);
        usleep(100);
    }
    return NULL;
}

static void pageable_memory_is_looked_at_before_the_next_copy(void **state) {
    (void)state;
    for (int is_read = 0; is_read < 2; is_read++) {
        (void)copy(XS_MEM_PAGEABLE, is_read ? XS_FLAG_ASYNC : 0);
        look();
        uint32_t id = copy(XS_MEM_PAGEABLE, is_read ? XS_FLAG_ASYNC : 0);
        assert_true(id);
        if (is_read)
            read_pages(WAY_LOAD, memory + 5 * PAGE, PAGE);
        pthread_t thread;
        atomic_store(&is_over, false);
        assert_int_equal(pthread_create(&thread, NULL, drain, NULL), 0);
        (void)copy(XS_MEM_PAGEABLE, 0);
        atomic_store(&is_over, true);
        pthread_join(thread, NULL);
        assert_int_equal(xs_host_watch_write(NULL), 0);
        expect_result(id, is_read ? PAGE : 0, XS_HOST_READS_NO_DOUBT);
        look(); /* the last copy was offered, or the region is ready again */
        look();
    }
}

/* Nobody sees who reads the rest. */
static void of_memory_that_is_written_again_in_part_nothing_is_known(void **state) {
    (void)state;
    (void)copy(XS_MEM_PAGEABLE, 0);
    look();
    uint32_t id = copy(XS_MEM_PAGEABLE, 0);
    assert_true(id);
    pthread_t thread;
    atomic_store(&is_over, false);
    assert_int_equal(pthread_create(&thread, NULL, drain, NULL), 0);
    copied_bytes = BYTES / 2;
    (void)copy(XS_MEM_PAGEABLE, 0);
    copied_bytes = BYTES;
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
    assert_int_equal(xs_host_watch_write(NULL), 0);
    expect_result(id, 0, XS_HOST_READS_LATE);
}

static void a_thread_waits_for_a_look_only_for_a_while(void **state) {
    (void)state;
    (void)copy(XS_MEM_PAGEABLE, 0);
    look();
    uint32_t id = copy(XS_MEM_PAGEABLE, 0);
    uint64_t before = xs_monotonic_ns();
    (void)copy(XS_MEM_PAGEABLE, 0); /* nobody answers */
    assert_true(xs_monotonic_ns() - before >= UINT64_C(20000000));
    look();
    expect_result(id, 0, XS_HOST_READS_LATE);
}

static void a_thread_does_not_wait_for_the_lock(void **state) {
    (void)state;
    (void)copy(XS_MEM_PINNED, 0);
    look();
    uint32_t id = copy(XS_MEM_PINNED, 0);
    xs_lock(&xs_watcher.lock);
    (void)copy(XS_MEM_PINNED, 0);
    xs_unlock(&xs_watcher.lock);
    look();
    expect_result(id, 0, XS_HOST_READS_LATE);
}

static void a_copy_while_its_region_is_made_ready_does_not_matter(void **state) {
    (void)state;
    (void)copy(XS_MEM_PINNED, 0);
    look();
    xs_lock(&xs_watcher.lock);
    assert_int_equal(copy(XS_MEM_PINNED, 0), 0);
    xs_unlock(&xs_watcher.lock);
    uint32_t id = copy(XS_MEM_PINNED, 0);
    assert_true(id);
    (void)copy(XS_MEM_PINNED, 0);
    (void)copy(XS_MEM_PINNED, 0);
    look();
    expect_result(id, 0, XS_HOST_READS_NO_DOUBT);
}

static void some_copies_are_not_watched(void **state) {
    (void)state;
    static const unsigned flags[] = {XS_FLAG_BOX, XS_FLAG_BATCH, XS_FLAG_CAPTURED};
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        (void)copy(XS_MEM_PINNED, flags[i]);
        look();
        assert_int_equal(copy(XS_MEM_PINNED, flags[i]), 0);
    }
    xs_host_watch_staged(false); /* the call may return before the copy is done */
    (void)copy(XS_MEM_PAGEABLE, XS_FLAG_ASYNC);
    look();
    assert_int_equal(copy(XS_MEM_PAGEABLE, XS_FLAG_ASYNC), 0);
    (void)copy(XS_MEM_MANAGED, 0);
    look();
    assert_int_equal(copy(XS_MEM_MANAGED, 0), 0);
}

static void a_copy_that_failed_has_no_result(void **state) {
    (void)state;
    (void)copy(XS_MEM_PINNED, 0);
    look();
    struct xs_event e = event_of(XS_MEM_PINNED, 0);
    xs_host_watch_copies(&e, STACK);
    xs_host_watch_copied(false);
    look();
    assert_int_equal(n_results, 0);
}

#define WATCHED(test) cmocka_unit_test_setup_teardown(test, start, end)

int main(void) {
    if (sysconf(_SC_PAGESIZE) != PAGE)
        return 0;
    const struct CMUnitTest tests[] = {
        WATCHED(page_locked_memory_is_decided_by_the_third_copy),
        WATCHED(what_nobody_can_decide_is_late),
        WATCHED(a_region_that_is_not_used_again_is_given_up),
        WATCHED(pageable_memory_is_looked_at_before_the_next_copy),
        WATCHED(of_memory_that_is_written_again_in_part_nothing_is_known),
        WATCHED(a_thread_waits_for_a_look_only_for_a_while),
        WATCHED(a_thread_does_not_wait_for_the_lock),
        WATCHED(a_copy_while_its_region_is_made_ready_does_not_matter),
        WATCHED(some_copies_are_not_watched),
        WATCHED(a_copy_that_failed_has_no_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
