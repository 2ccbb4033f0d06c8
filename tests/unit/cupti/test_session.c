/* The session against a stand-in libcupti: what is enabled, what reaches the store, what stepping aside leaves behind.
 * A session is a process's only one, so every test runs in a child. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "preload/core/thread.h"
#include "preload/cupti/cupti_internal.h"
#include "session_unit.h"
#include "stubs.h"

static int64_t flush_and_drain(void) {
    xs_cupti_flush(false);
    return xs_cupti_drain(NULL, &stub_clock);
}

static void begin(bool kernels, const char *migrations) {
    struct xs_cupti_wishes wishes = {.kernels = kernels,
                                     .migrations = migrations,
                                     .migrations_permille = 20,
                                     .driver_version = 13000,
                                     .is_idle_within = is_idle,
                                     .others_ns = nothing};
    xs_cupti_start(&wishes);
}

static int asks, busy_asks; /* whether the device is idle; so often it is not */

static bool is_idle_later(uint64_t ns) { return ns > 0 && ++asks > busy_asks; }

/* On a device that is found busy so often. */
static struct fake_cupti *start_on_device(int busy) {
    struct xs_cupti_wishes wishes = {.kernels = true,
                                     .migrations = "off",
                                     .driver_version = 13000,
                                     .is_idle_within = is_idle_later,
                                     .others_ns = nothing};
    setenv("XFERSPY_CUPTI_LIBRARY", FAKE_CUPTI_PATH, 1);
    xs_cupti_start(&wishes);
    busy_asks = busy;
    return fake_of(open_fake());
}

/* The application takes CUPTI while kernels run: it waits for their end, and not for ever. */
static void the_device_is_waited_for(int busy) {
    struct fake_cupti *fake = start_on_device(busy);
    CHECK(fake->kinds);
    xs_cupti_step_aside("test");
    CHECK(!fake->kinds && !fake->subscriber && status_is("stepped aside"));
    CHECK(atomic_load(&xs_gate_closed) == 0);
}

static void stepping_aside_waits_for_the_device(void) {
    the_device_is_waited_for(1); /* more of them, and a busy machine may use up the time between two */
    CHECK(asks == 2);
}

static void stepping_aside_does_not_wait_for_ever(void) {
    the_device_is_waited_for(INT32_MAX);
    CHECK(asks > 1);
}

/* Before a checkpoint: CUPTI is not attached any more, but where it has been, giving it up would help nobody. */
static void keeping_away_leaves_what_is_attached(void) {
    struct fake_cupti *fake = start_on_device(1);
    xs_cupti_keep_away("test");
    CHECK(fake->kinds && fake->subscriber && status_is("active") && xs_cupti_was_attached());
    xs_cupti_step_aside("test");
    CHECK(!fake->kinds && xs_cupti_was_attached());
}

static void keeping_away_comes_before_attaching(void) {
    xs_cupti_keep_away("test");
    struct fake_cupti *fake = start_on_device(1);
    CHECK(!fake->kinds && !fake->subscriber && status_is("taken") && !xs_cupti_was_attached());
}

static void *step_aside(void *unused) {
    xs_cupti_step_aside("test");
    return unused;
}

static void step_aside_meanwhile(void) {
    stub_store.during_write = NULL;
    pthread_t thread;
    struct timespec until = {time(NULL) + 20, 0};
    CHECK(pthread_create(&thread, NULL, step_aside, NULL) == 0);
    CHECK(pthread_timedjoin_np(thread, NULL, &until) == 0);
    CHECK(status_is("stepped aside"));
}

static struct fake_cupti *start(bool kernels) {
    setenv("XFERSPY_CUPTI_LIBRARY", FAKE_CUPTI_PATH, 1);
    begin(kernels, "auto");
    return fake_of(open_fake());
}

static void put_copy(struct fake_cupti *fake, uint32_t correlation) {
    CUpti_ActivityMemcpy6 *r = &fake->records[fake->pending++].copy;
    memset(r, 0, sizeof *r);
    r->kind = CUPTI_ACTIVITY_KIND_MEMCPY;
    r->correlationId = correlation;
    r->start = FAKE_OFFSET_NS + 1000000;
    r->end = FAKE_OFFSET_NS + 2000000;
}

static void records_reach_the_store(void) {
    struct fake_cupti *fake = start(true);
    CHECK(status_is("active"));
    CHECK(xs_cupti_state()->version == 130001 && xs_cupti_state()->path);
    CHECK(fake->callbacks > 100 && fake->counters == 0);
    CHECK(fake->kinds & 1u << CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    CHECK(fake->shares_buffers); /* else CUPTI hands over what a thread writes into */
    CHECK(stub_notes == 1);      /* synchronisation could not be enabled */

    CUpti_CallbackData call = {.callbackSite = CUPTI_API_ENTER, .correlationId = 17};
    fake->subscriber(NULL, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, &call);
    call.callbackSite = CUPTI_API_EXIT;
    call.correlationId = 18;
    fake->subscriber(NULL, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, &call);
    CHECK(xs_cupti_correlation == 17);

    put_copy(fake, 1);
    put_copy(fake, 2);
    fake->dropped = 4;
    CHECK(xs_cupti_drain(NULL, &stub_clock) == 0);
    CHECK(flush_and_drain() == 2);
    CHECK(stub_store.copy.correlation == 2);
    /* the offset is right to well under a millisecond */
    CHECK(stub_store.copy.start_ns > 500000 && stub_store.copy.start_ns < 1500000);
    CHECK(stub_store.copy.end_ns - stub_store.copy.start_ns == 1000000);
    CHECK(xs_cupti_state()->records[0] == 2 && xs_cupti_state()->dropped_records == 4);

    /* a store that fails must not cost the records */
    put_copy(fake, 3);
    stub_store.fail = XS_ERROR_FULL;
    CHECK(flush_and_drain() == XS_ERROR_FULL);
    stub_store.fail = 0;
    CHECK(xs_cupti_drain(NULL, &stub_clock) == 1);
    CHECK(stub_store.copy.correlation == 3 && xs_cupti_state()->records[0] == 3);
}

/* The disk does not answer while records are written. */
static void nobody_waits_for_the_disk(void) {
    struct fake_cupti *fake = start(true);
    put_copy(fake, 1);
    put_copy(fake, 2);
    stub_store.during_write = step_aside_meanwhile;
    CHECK(flush_and_drain() == 2 && !stub_store.during_write);
}

enum { AT_ONCE = sizeof((struct fake_cupti *)0)->records / sizeof(union fake_record) };

static void fill_with_migrations(struct fake_cupti *fake) {
    CUpti_ActivityUnifiedMemoryCounter3 r = {
        .kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
        .counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
        .value = 4096,
    };
    while (fake->pending < AT_ONCE)
        fake->records[fake->pending++].migration = r;
}

/* A full buffer at a time: records that come too slowly would not be dear. */
static void put_migrations(struct fake_cupti *fake, unsigned count) {
    for (; count; count -= AT_ONCE) {
        fill_with_migrations(fake);
        CHECK(flush_and_drain() == AT_ONCE);
    }
}

static void migrations_rest_when_they_are_dear(void) {
    const uint64_t bit = UINT64_C(1) << CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
    struct fake_cupti *fake = start(false);
    CHECK(!(fake->kinds & bit) && fake->counters == 0); /* the program has no managed memory yet */
    CHECK(!xs_cupti_watch_migrations());
    xs_cupti_managed_memory();
    CHECK(fake->kinds & bit && fake->counters == 8);
    CHECK(xs_cupti_watch_migrations()); /* there may be some soon */
    put_migrations(fake, 25600);
    CHECK(xs_cupti_watch_migrations()); /* in a while there is a window */
    CHECK(!(fake->kinds & bit) && fake->counters == 0);
    CHECK(xs_cupti_state()->migration_rests == 1 && xs_cupti_state()->records[4] == 25600);
    const char *windows = xs_cupti_migration_windows(&stub_clock);
    CHECK(windows && strchr(windows, '+') && !strchr(windows, ','));
    for (unsigned i = 0; i < 1000 && !(fake->kinds & bit); i++) { /* and it comes */
        usleep(1000);
        xs_cupti_watch_migrations();
    }
    CHECK(fake->kinds & bit && fake->counters == 8);
    xs_cupti_step_aside("test");
    CHECK(fake->counters == 0);
}

/* Records that wait to be drained have cost their time already. */
static void migrations_that_wait_are_counted(void) {
    struct fake_cupti *fake = start(false);
    xs_cupti_managed_memory();
    for (unsigned i = 0; i < 25600 / 256; i++) {
        fill_with_migrations(fake);
        xs_cupti_flush(false);
    }
    CHECK(xs_cupti_watch_migrations() && fake->counters == 0);
    CHECK(xs_cupti_drain(NULL, &stub_clock) == 25600);
}

static void all_migrations(void) {
    setenv("XFERSPY_CUPTI_LIBRARY", FAKE_CUPTI_PATH, 1);
    begin(false, "all");
    struct fake_cupti *fake = fake_of(open_fake());
    xs_cupti_managed_memory();
    put_migrations(fake, 25600);
    CHECK(!xs_cupti_watch_migrations());
    CHECK(fake->counters == 8);
}

static void no_migrations(void) {
    setenv("XFERSPY_CUPTI_LIBRARY", FAKE_CUPTI_PATH, 1);
    begin(false, "off");
    struct fake_cupti *fake = fake_of(open_fake());
    xs_cupti_managed_memory();
    CHECK(!(fake->kinds & UINT64_C(1) << CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
    CHECK(fake->counters == 0 && status_is("active"));
    xs_cupti_step_aside("test");
    CHECK(fake->counters == 0);
}

static void no_kernels(void) {
    struct fake_cupti *fake = start(false);
    CHECK(!(fake->kinds & 1u << CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
}

static void nobody(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info) {
    (void)data, (void)domain, (void)id, (void)info;
}

static CUptiResult application_subscribes(void *handle, CUpti_SubscriberHandle *subscriber) {
    __typeof__(cuptiSubscribe) *subscribe = NULL;
    void *symbol = xs_cupti_override("cuptiSubscribe", dlsym(handle, "cuptiSubscribe"));
    CHECK(symbol == (void *)cuptiSubscribe);
    memcpy(&subscribe, &symbol, sizeof symbol);
    return subscribe(subscriber, nobody, NULL);
}

static void the_application_gets_cupti(void) {
    struct fake_cupti *fake = start(true);
    put_copy(fake, 9);
    CUpti_SubscriberHandle subscriber;
    CHECK(application_subscribes(open_fake(), &subscriber) == CUPTI_SUCCESS);
    CHECK(fake->subscriber == nobody);
    CHECK(fake->kinds == 0 && fake->callbacks == 0 && fake->counters == 0 && fake->flushes[1] > 0);
    CHECK(status_is("stepped aside"));
    CHECK(strstr(xs_cupti_state()->text, "cuptiSubscribe"));
    CHECK(flush_and_drain() == 1); /* what was recorded before is kept */
    xs_cupti_flush(true);
    CHECK(fake->flushes[0] == 0);
    CHECK(xs_cupti_override("cuMemcpy", fake) == (void *)fake);
    CHECK(xs_cupti_override("cuptiFinalize", NULL) == NULL);
}

/* A program that is linked to CUPTI meets the exports; its library is found among the mapped ones. */
static void a_linked_application(void) {
    struct fake_cupti *fake = start(false);
    CHECK(cuptiFinalize() == CUPTI_SUCCESS);
    CHECK(fake->finalized == 1 && !fake->subscriber && status_is("stepped aside"));
    CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_NAME) == CUPTI_SUCCESS);
    CHECK(fake->kinds == 1u << CUPTI_ACTIVITY_KIND_NAME);
}

static void the_application_was_first(void) {
    void *handle = open_fake();
    CUpti_SubscriberHandle subscriber;
    CHECK(application_subscribes(handle, &subscriber) == CUPTI_SUCCESS);
    start(true);
    CHECK(status_is("taken") && strstr(xs_cupti_state()->text, "cuptiSubscribe"));
    CHECK(fake_of(handle)->subscriber == nobody && fake_of(handle)->kinds == 0);
}

static void another_tool_was_first(void) {
    void *handle = open_fake();
    fake_of(handle)->subscriber = nobody;
    start(true);
    CHECK(status_is("taken") && strstr(xs_cupti_state()->text, "CUPTI for somebody"));
    CHECK(fake_of(handle)->kinds == 0 && fake_of(handle)->subscriber == nobody);
}

static void a_wrong_library(void) {
    setenv("XFERSPY_CUPTI_LIBRARY", "/nonexistent/libcupti.so", 1);
    begin(true, "auto");
    CHECK(status_is("not found") && strstr(xs_cupti_state()->text, "nonexistent"));
    CHECK(!dlerror());
    xs_cupti_flush(true);
    xs_cupti_step_aside("test");
    CHECK(flush_and_drain() == 0);
    CHECK(cuptiFinalize() == CUPTI_ERROR_NOT_INITIALIZED); /* none is mapped */
    CHECK(xs_cupti_override("cuptiFinalize", (void *)cuptiFinalize) == NULL);
}

static void a_forked_child(void) {
    xs_cupti_forget(); /* before a session: the child may have one of its own */
    struct fake_cupti *fake = start(false);
    CHECK(status_is("active"));
    put_copy(fake, 1);
    unsigned flushes = fake->flushes[0] + fake->flushes[1];
    xs_cupti_forget();
    CHECK(status_is("off"));
    CHECK(flush_and_drain() == 0);
    xs_cupti_flush(true);
    xs_cupti_step_aside("test");
    begin(true, "auto");
    CHECK(fake->flushes[0] + fake->flushes[1] == flushes && fake->subscriber);
}

static void flush_again(void) { xs_cupti_flush(true); }

/* CUPTI calls back on the thread that called it, and the callback may call the library again. */
static void not_again_from_inside(void) {
    struct fake_cupti *fake = start(true);
    alarm(20); /* ends a child that waits for itself */
    put_copy(fake, 1);
    unsigned before = fake->flushes[0] + fake->flushes[1];
    fake->during_flush = flush_again;
    CHECK(flush_and_drain() == 1);
    CHECK(fake->flushes[0] + fake->flushes[1] == before + 1 && fake->overlaps == 0);
}

/* Flushing, draining and an application that takes CUPTI, all at once: for the thread sanitizer. */
static void *flusher(void *data) {
    for (int i = 0; i < 2000; i++)
        xs_cupti_flush(true);
    return data;
}

static void *taker(void *data) {
    CUpti_SubscriberHandle subscriber;
    CHECK(application_subscribes(data, &subscriber) == CUPTI_SUCCESS);
    return data;
}

static void everything_at_once(void) {
    struct fake_cupti *fake = start(true);
    for (uint32_t i = 0; i < 8; i++)
        put_copy(fake, i);
    pthread_t threads[3];
    CHECK(pthread_create(&threads[0], NULL, flusher, NULL) == 0);
    CHECK(pthread_create(&threads[1], NULL, flusher, NULL) == 0);
    int64_t total = 0;
    for (int i = 0; i < 100; i++)
        total += flush_and_drain();
    CHECK(pthread_create(&threads[2], NULL, taker, open_fake()) == 0);
    while (!status_is("stepped aside"))
        total += flush_and_drain();
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    total += flush_and_drain();
    CHECK(total == 8);
    CHECK(fake->overlaps == 0); /* one thread at a time calls CUPTI */
}

static void buffers(void) {
    uint8_t *data[3];
    size_t bytes = 0, limit = 1;
    for (int i = 0; i < 3; i++) {
        xs_cupti_buffer_requested(&data[i], &bytes, &limit);
        CHECK(data[i] && (uintptr_t)data[i] % 8 == 0 && bytes == 1024 * 1024 && limit == 0);
        xs_cupti_buffer_completed(NULL, 0, data[i], bytes, 8u + (unsigned)i);
    }
    struct xs_cupti_buffer *first = xs_cupti_buffer_take(), *second = xs_cupti_buffer_take();
    CHECK(first->data == data[0] && second->data == data[1]);
    first->next = second;
    xs_cupti_buffers_requeue(first);
    first = xs_cupti_buffer_take();
    CHECK(first->data == data[0] && first->valid_bytes == 8);
    xs_cupti_buffers_recycle(first);
    uint8_t *again;
    xs_cupti_buffer_requested(&again, &bytes, &limit);
    CHECK(again == data[0]); /* used again, not grown */
    xs_cupti_buffer_completed(NULL, 0, again, bytes, 0);
    for (int i = 1; i < 3; i++) {
        struct xs_cupti_buffer *next = xs_cupti_buffer_take();
        CHECK(next->data == data[i]);
        xs_cupti_buffers_recycle(next);
    }
    CHECK(!xs_cupti_buffer_take() && xs_cupti_buffers_lost() == 0);
    exit(0);
}

TEST(records_reach_the_store)
TEST(no_kernels)
TEST(migrations_rest_when_they_are_dear)
TEST(migrations_that_wait_are_counted)
TEST(all_migrations)
TEST(no_migrations)
TEST(the_application_gets_cupti)
TEST(a_linked_application)
TEST(the_application_was_first)
TEST(another_tool_was_first)
TEST(a_wrong_library)
TEST(a_forked_child)
TEST(not_again_from_inside)
TEST(everything_at_once)
TEST(buffers)
TEST(stepping_aside_waits_for_the_device)
TEST(stepping_aside_does_not_wait_for_ever)
TEST(keeping_away_leaves_what_is_attached)
TEST(keeping_away_comes_before_attaching)
TEST(nobody_waits_for_the_disk)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_reach_the_store),
        cmocka_unit_test(test_no_kernels),
        cmocka_unit_test(test_migrations_rest_when_they_are_dear),
        cmocka_unit_test(test_migrations_that_wait_are_counted),
        cmocka_unit_test(test_all_migrations),
        cmocka_unit_test(test_no_migrations),
        cmocka_unit_test(test_the_application_gets_cupti),
        cmocka_unit_test(test_a_linked_application),
        cmocka_unit_test(test_the_application_was_first),
        cmocka_unit_test(test_another_tool_was_first),
        cmocka_unit_test(test_a_wrong_library),
        cmocka_unit_test(test_a_forked_child),
        cmocka_unit_test(test_not_again_from_inside),
        cmocka_unit_test(test_everything_at_once),
        cmocka_unit_test(test_buffers),
        cmocka_unit_test(test_stepping_aside_waits_for_the_device),
        cmocka_unit_test(test_stepping_aside_does_not_wait_for_ever),
        cmocka_unit_test(test_keeping_away_leaves_what_is_attached),
        cmocka_unit_test(test_keeping_away_comes_before_attaching),
        cmocka_unit_test(test_nobody_waits_for_the_disk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
