/* Windows that the program itself opens and closes, against the stand-in libcupti: when CUPTI is attached and
 * detached, and what the program waits for. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "session_unit.h"

#include "preload/core/asked_window.h"
#include "preload/core/quiescence.h"
#include "preload/core/thread.h"
#include "preload/cupti/cupti_internal.h"
#include "preload/driver/stream_captures.h"
#include "stubs.h"

/* Starts a session with a window that the program opens. */
static struct fake_cupti *start_asked(enum xs_window_opener opener) {
    return start_wished((struct xs_cupti_wishes){
        .window = {.opener = opener, .range = "step"}, .driver_version = 13000, .is_idle_within = is_idle});
}

static bool has_kernels(const struct fake_cupti *fake) {
    return fake->kinds & 1u << CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

/* Does what the flusher does when it is woken. */
static void watch(void) { CHECK(xs_cupti_watch_windows()); }

/* CUPTI is attached when the window is opened, and detached when it is closed, if that is done by a thread that has
 * just waited for the device. */
static void windows_that_the_program_opens(void) {
    struct fake_cupti *fake = start_asked(XS_WINDOW_BY_RANGE);
    CHECK(status_is("active") && !has_kernels(fake) && fake->finalized == 0);
    CHECK(strcmp(xs_cupti_windows(&stub_clock), "0+0") == 0);
    atomic_store(&xs_asked_profiler, true); /* is not what is asked for */
    CHECK(!xs_cupti_switch_asked() && !xs_cupti_switch_comes());

    CHECK(xs_asked_ranges_change(1));
    CHECK(xs_cupti_switch_asked() && xs_cupti_switch_comes());
    watch();
    CHECK(has_kernels(fake) && xs_cupti_is_attached() && !xs_cupti_switch_comes());
    CHECK(atomic_load(&xs_cupti_switch_due) == XS_CUPTI_SWITCH_MAY_COME);
    CHECK(!xs_asked_ranges_change(1) && !xs_asked_ranges_change(-1));

    CHECK(xs_asked_ranges_change(-1));
    CHECK(xs_cupti_switch_asked() && !xs_cupti_switch_comes()); /* kernels may be under way */
    watch();
    CHECK(fake->finalized == 0 && atomic_load(&xs_cupti_switch_due) == XS_CUPTI_SWITCH_DUE);
    struct xs_guard_note note;
    xs_gate_enter_outer(&note, XS_GUARD_HERE());
    xs_cupti_switch_here(); /* inside of another call */
    xs_gate_leave_outer();
    CHECK(fake->finalized == 0);
    xs_cupti_switch_here(); /* the program has waited for them */
    CHECK(fake->finalized == 1 && !xs_cupti_is_attached());

    xs_asked_ranges_change(1);
    CHECK(xs_cupti_switch_asked());
    watch();
    xs_asked_ranges_change(-1);
    xs_cupti_moment = true;
    CHECK(xs_cupti_switch_asked() && xs_cupti_switch_comes());
    watch();
    CHECK(fake->finalized == 2 && !xs_cupti_is_attached());
    const char *windows = xs_cupti_windows(&stub_clock);
    CHECK(windows && strchr(windows, ',') && strchr(windows, ',') == strrchr(windows, ','));
}

/* The program's thread does not wait for the flusher where that could not do it: inside of the driver, on a thread that
 * never called it and may be the driver's own, while a stream captures. */
static void what_is_not_waited_for(void) {
    struct fake_cupti *fake = start_asked(XS_WINDOW_BY_PROFILER);
    atomic_store(&xs_asked_profiler, true);
    CHECK(xs_cupti_switch_asked() && xs_cupti_switch_comes());
    xs_gate_enter();
    CHECK(xs_cupti_switch_asked() && !xs_cupti_switch_comes());
    xs_gate_leave();
    struct xs_gate_slot *slot = xs_gate_slot;
    xs_gate_slot = NULL;
    CHECK(!xs_cupti_switch_comes());
    xs_gate_slot = slot;
    xs_captures = 1;
    CHECK(!xs_cupti_switch_comes());
    watch();
    CHECK(!has_kernels(fake));
    xs_captures = 0;
    watch();
    CHECK(has_kernels(fake));
    atomic_store(&xs_asked_profiler, false);
    for (unsigned i = 0; i < 10000 && fake->finalized == 0; i++) { /* the program never waits for the device */
        watch();
        usleep(1000);
    }
    CHECK(fake->finalized == 1 && !xs_cupti_is_attached());
}

static void switch_by_range(int change) {
    xs_asked_ranges_change(change);
    xs_cupti_moment = true;
    CHECK(xs_cupti_switch_asked());
    watch();
}

/* Returns the trace's number for the id that CUPTI gives a copy. */
static uint32_t id_in_trace(const struct fake_cupti *fake, uint32_t id) {
    CUpti_CallbackData call = {.callbackSite = CUPTI_API_ENTER, .correlationId = id};
    fake->subscriber(NULL, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2, &call);
    return xs_cupti_correlation;
}

static void put_wait(struct fake_cupti *fake, uint32_t id) {
    CUpti_ActivitySynchronization2 *r = (CUpti_ActivitySynchronization2 *)(void *)&fake->records[fake->pending++];
    memset(r, 0, sizeof *r);
    r->kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
    r->correlationId = id;
}

/* Whether CUPTI's ids begin anew with an attachment or continue, the trace's numbers continue, without a large gap. */
static void ids_go_on(void) {
    struct fake_cupti *fake = start_asked(XS_WINDOW_BY_RANGE);
    switch_by_range(1);
    uint32_t latest = id_in_trace(fake, 1000);
    for (uint32_t attachment = 1; attachment <= 1000; attachment++) {
        put_wait(fake, 1000 * attachment + 99);
        switch_by_range(-1);
        switch_by_range(1);
        uint32_t first = id_in_trace(fake, 1000 * (attachment + 1));
        CHECK(first > latest + 99 && first < latest + 99 + 10000);
        latest = first;
    }
    for (unsigned attachment = 0; attachment < 3; attachment++) {
        switch_by_range(-1);
        switch_by_range(1);
        uint32_t first = id_in_trace(fake, 7);
        CHECK(first > latest + 3 && first < latest + 10000);
        CHECK(id_in_trace(fake, 5) == first - 2 && id_in_trace(fake, 9) == first + 2);
        latest = first + 2;
    }
    switch_by_range(-1);
    while (xs_cupti_drain(NULL, &stub_clock) > 0) {
    }
    CHECK(stub_store.sync.correlation > 1000000);
}

/* Opened before CUDA began. */
static void a_window_that_is_open_already(void) {
    xs_asked_ranges_change(1);
    struct fake_cupti *fake = start_asked(XS_WINDOW_BY_RANGE);
    CHECK(has_kernels(fake) && xs_cupti_is_attached());
    CHECK(!xs_cupti_windows(&stub_clock)); /* throughout, so far */
}

TEST(windows_that_the_program_opens)
TEST(what_is_not_waited_for)
TEST(a_window_that_is_open_already)
TEST(ids_go_on)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows_that_the_program_opens),
        cmocka_unit_test(test_what_is_not_waited_for),
        cmocka_unit_test(test_a_window_that_is_open_already),
        cmocka_unit_test(test_ids_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
