/* Tests what happens when device times have used up their budget, with the fake libcupti: CUPTI is detached if that is
 * possible, and recording is stopped for good if it is not. Recording never just continues. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "session_unit.h"

#include "preload/core/quiescence.h"
#include "preload/core/thread.h"
#include "preload/cupti/cupti_internal.h"
#include "preload/cupti/migration_budget.h"
#include "stubs.h"

static bool is_busy_until_asked_twice(uint64_t ns) {
    static unsigned asked;
    return ns > 0 && ++asked > 2;
}

/* By a driver of this version. */
static struct fake_cupti *start_with(int driver_version, bool (*is_idle_within)(uint64_t ns)) {
    struct fake_cupti *fake =
        start_wished((struct xs_cupti_wishes){.driver_version = driver_version, .is_idle_within = is_idle_within});
    CHECK(fake->kinds && fake->subscriber && xs_cupti_is_attached());
    return fake;
}

static struct fake_cupti *start(int driver_version) { return start_with(driver_version, is_idle); }

/* The program has made more launches than 2 % of a second pay for. */
static void spend(void) { atomic_fetch_add(&xs_gate_slot->launches, 1000000); }

/* What the flusher does, for longer than it waits for a moment of the program's. */
static void watch_until_switched(const struct fake_cupti *fake) {
    for (unsigned i = 0; i < 1000 && fake->kinds; i++) {
        xs_cupti_watch_windows();
        usleep(1000);
    }
    CHECK(!fake->kinds);
    CHECK(atomic_load(&xs_gate_closed) != XS_GATE_CLOSED);
}

static void is_detached(const struct fake_cupti *fake, unsigned notes) {
    spend();
    watch_until_switched(fake);
    CHECK(fake->finalized == 1 && !fake->subscriber && !xs_cupti_is_attached());
    CHECK(stub_notes == notes && status_is("active"));
    CHECK(xs_cupti_watch_windows()); /* the next window comes */
    CHECK(xs_cupti_windows(&stub_clock) && xs_cupti_state()->detachments == 1);
}

/* Nothing is recorded any more, and nothing begins it again. */
static void is_stopped(struct fake_cupti *fake, unsigned notes, int finalized) {
    CHECK(stub_notes == notes + 1);
    CHECK(fake->finalized == finalized && fake->callbacks == 0);
    CHECK(!xs_cupti_watch_windows() && !fake->kinds);
    CHECK(xs_cupti_state()->detachments == 1);
    const char *windows = xs_cupti_windows(&stub_clock);
    CHECK(windows && strchr(windows, '+') && !strchr(windows, ','));
    uint64_t recorded_ns = xs_cupti_state()->recorded_ns;
    usleep(5000);
    xs_cupti_flush(true); /* what was recorded before comes still */
    xs_cupti_step_aside("test");
    CHECK(status_is("stepped aside") && !fake->subscriber);
    CHECK(xs_cupti_state()->recorded_ns == recorded_ns);
}

static void detached_with_membarrier(void) {
    struct fake_cupti *fake = start(13000);
    is_detached(fake, stub_notes);
}

static void detached_without_membarrier(void) {
    xs_gate_without_membarrier();
    struct fake_cupti *fake = start(13000);
    CHECK(atomic_load(&xs_gate_closed) == XS_GATE_FENCED);
    is_detached(fake, stub_notes);
}

static void stopped_with_an_old_driver(void) {
    struct fake_cupti *fake = start(12059);
    unsigned notes = stub_notes;
    spend();
    watch_until_switched(fake);
    is_stopped(fake, notes, 0);
}

static void detached_with_the_oldest_that_can(void) {
    struct fake_cupti *fake = start(12060);
    is_detached(fake, stub_notes);
}

static void stopped_with_an_old_cupti(void) {
    struct fake_cupti *fake = start(13000);
    unsigned notes = stub_notes;
    xs_cupti_api.version = 22;
    spend();
    watch_until_switched(fake);
    is_stopped(fake, notes, 0);
}

static void stopped_without_finalize(void) {
    struct fake_cupti *fake = start(13000);
    unsigned notes = stub_notes;
    xs_cupti_api.cuptiFinalize = NULL;
    spend();
    watch_until_switched(fake);
    is_stopped(fake, notes, 0);
}

static void stopped_where_finalize_fails(void) {
    struct fake_cupti *fake = start(13000);
    unsigned notes = stub_notes;
    fake->finalize_fails = 1;
    spend();
    watch_until_switched(fake);
    CHECK(xs_cupti_is_attached());
    is_stopped(fake, notes, 1);
}

/* Kinds are not switched while recorded kernels may be under way. */
static void stopped_behind_an_idle_device(void) {
    struct fake_cupti *fake = start_with(12059, is_busy_until_asked_twice);
    spend();
    while (atomic_load(&xs_cupti_switch_due) != XS_CUPTI_SWITCH_DUE) {
        xs_cupti_watch_windows();
        usleep(1000);
    }
    xs_cupti_switch_here();
    CHECK(fake->kinds && fake->shares_buffers);
    watch_until_switched(fake);
}

/* If nothing limits recording, it costs most, and its cost is known: at every look, and at the end for the time after
 * the last look. */
static void cost_without_a_budget(void) {
    struct xs_cupti_wishes wishes = {
        .kernels = true, .migrations = "off", .driver_version = 13000, .is_idle_within = is_idle, .others_ns = nothing};
    setenv("XFERSPY_CUPTI_LIBRARY", FAKE_CUPTI_PATH, 1);
    xs_cupti_start(&wishes);
    xs_gate_enter();
    xs_gate_leave();
    spend();
    CHECK(xs_cupti_watch_windows() == 0);
    uint64_t cost_ns = xs_cupti_state()->windows_cost_ns;
    CHECK(cost_ns >= 1000000000);
    spend();
    xs_cupti_end();
    CHECK(xs_cupti_state()->windows_cost_ns == 2 * cost_ns);
    CHECK(xs_cupti_state()->detachments == 0 && !xs_cupti_windows(&stub_clock));
}

/* The cost of page migrations is a part of the one budget: of two programs with the same launches, CUPTI is detached
 * from the one that also has migrations. */
static void spend_almost_all(bool with_migrations) {
    struct xs_cupti_wishes wishes = {.kernels = true,
                                     .migrations = "all",
                                     .budget_percent = 2,
                                     .driver_version = 13000,
                                     .is_idle_within = is_idle,
                                     .others_ns = nothing};
    setenv("XFERSPY_CUPTI_LIBRARY", FAKE_CUPTI_PATH, 1);
    uint64_t begin_ns = xs_monotonic_ns();
    xs_cupti_start(&wishes);
    CHECK(xs_cupti_watch_windows());
    xs_gate_enter();
    xs_gate_leave();
    xs_cupti_managed_memory();
    usleep(1000000);
    const uint64_t share_ns = (xs_monotonic_ns() - begin_ns) / 50, spent_ns = share_ns * 19 / 20;
    if (with_migrations)
        xs_cupti_migrations_decoded(&(struct xs_cupti_buffer){.migrations = {.records = 1, .cost_ns = share_ns / 2}});
    CHECK(xs_cupti_migrations_cost_ns() <= share_ns / 2);
    atomic_fetch_add(&xs_gate_slot->launches, (10000000 + spent_ns) / 2500); /* and the advance */
    for (unsigned i = 0; i < 3; i++) /* the flusher may have something to prepare first */
        xs_cupti_watch_windows();
    CHECK((atomic_load(&xs_cupti_switch_due) == XS_CUPTI_SWITCH_DUE) == with_migrations);
}

static void migrations_are_of_the_same_budget(void) { spend_almost_all(true); }
static void launches_alone_keep_to_it(void) { spend_almost_all(false); }

TEST(migrations_are_of_the_same_budget)
TEST(launches_alone_keep_to_it)
TEST(cost_without_a_budget)
TEST(detached_with_membarrier)
TEST(detached_without_membarrier)
TEST(detached_with_the_oldest_that_can)
TEST(stopped_with_an_old_driver)
TEST(stopped_with_an_old_cupti)
TEST(stopped_without_finalize)
TEST(stopped_where_finalize_fails)
TEST(stopped_behind_an_idle_device)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cost_without_a_budget),         cmocka_unit_test(test_migrations_are_of_the_same_budget),
        cmocka_unit_test(test_launches_alone_keep_to_it),     cmocka_unit_test(test_detached_with_membarrier),
        cmocka_unit_test(test_detached_without_membarrier),   cmocka_unit_test(test_detached_with_the_oldest_that_can),
        cmocka_unit_test(test_stopped_with_an_old_driver),    cmocka_unit_test(test_stopped_with_an_old_cupti),
        cmocka_unit_test(test_stopped_without_finalize),      cmocka_unit_test(test_stopped_where_finalize_fails),
        cmocka_unit_test(test_stopped_behind_an_idle_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
