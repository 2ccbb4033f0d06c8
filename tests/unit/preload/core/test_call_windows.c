/* Tests what is inside and outside of the windows that the user requests: when this changes, which windows the trace
 * gets, and what a call does that is left out. */
#define _GNU_SOURCE
#include "unit.h"

#include <pthread.h>
#include <stdlib.h>

#include "preload/core/asked_window.h"
#include "preload/core/call_windows.h"
#include "preload/core/hooks.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"

static bool start_session(unsigned row) {
    (void)row;
    return false;
}

static bool is_gone(uintptr_t return_address_at) {
    (void)return_address_at;
    return false;
}

static void window_asked(void) { xs_outside_look(); }

const struct xs_hooks xs_hooks = {.start_session = start_session, .is_gone = is_gone, .window_asked = window_asked};

void xs_note(const char *topic, const char *format, ...) {
    (void)topic;
    (void)format;
}

static bool is_outside(void) { return atomic_load(&xs_outside); }

static void start(const char *text, uint64_t start_ns) {
    struct xs_window_spec spec;
    assert_null(xs_window_spec_read(&spec, text));
    xs_outside_start(&spec, start_ns);
}

static struct xs_clock clock_of_trace;

/* Reads the windows as pairs of begin and end, in us. */
static unsigned read_windows(int64_t us[][2], unsigned most) {
    char *text = malloc(XS_OUTSIDE_TEXT_BYTES);
    unsigned count = 0;
    assert_non_null(text);
    xs_outside_text(&clock_of_trace, text);
    for (const char *at = text; at && count < most; at = strchr(at, ',')) {
        at += *at == ',';
        char *plus;
        us[count][0] = strtoll(at, &plus, 10);
        assert_int_equal(*plus, '+');
        us[count][1] = us[count][0] + strtoll(plus + 1, NULL, 10);
        count++;
    }
    free(text);
    return count;
}

/* Before anything was requested, nothing is left out, whatever the program opens. */
static void without_a_wish_all_is_inside(void **state) {
    (void)state;
    xs_asked_profiler_change(true);
    xs_asked_profiler_change(false);
    xs_outside_look();
    assert_false(is_outside());
    assert_false(xs_outside_is_limited());
    assert_int_equal(xs_outside_wait_ms(1000), 1000);
}

static void the_program_opens_and_closes(void **state) {
    int64_t us[8][2];
    (void)state;
    start("profiler", xs_monotonic_ns());
    assert_true(is_outside() && xs_outside_is_limited());
    assert_int_equal(xs_outside_windows().count, 0);
    xs_asked_profiler_change(true);
    assert_false(is_outside());
    assert_int_equal(xs_outside_windows().count, 1);
    xs_asked_profiler_change(true); /* no change */
    xs_asked_profiler_change(false);
    assert_true(is_outside());
    uint64_t recorded_ns = xs_outside_windows().recorded_ns;
    assert_int_equal(xs_outside_windows().count, 1);
    assert_int_equal(xs_outside_windows().recorded_ns, recorded_ns); /* none is open */
    xs_asked_profiler_change(true);
    assert_int_equal(read_windows(us, 8), 2); /* the open one, too */
    xs_asked_profiler_change(false);
    assert_int_equal(xs_outside_wait_ms(1000), 1000); /* time alone changes nothing */
}

/* A range that ends with its thread notifies nobody; the drain thread finds out. */
static void the_answer_is_the_latest(void **state) {
    (void)state;
    start("nvtx:step", xs_monotonic_ns());
    assert_true(xs_asked_ranges_change(1));
    assert_true(is_outside()); /* until somebody says so */
    xs_outside_look();
    assert_false(is_outside());
    assert_true(xs_asked_ranges_change(-1));
    xs_outside_look();
    assert_true(is_outside());
}

/* The clock counts from the machine's start, so none of this is long ago. */
static void time_opens_and_closes(void **state) {
    const uint64_t s = 1000000000;
    uint64_t now_ns = xs_monotonic_ns();
    (void)state;
    start("0s..5min", now_ns);
    assert_false(is_outside());
    start("10s..20s", now_ns - 12 * s);
    assert_true(is_outside()); /* as it was when capture began */
    xs_outside_look();
    assert_false(is_outside());
    assert_int_equal(xs_outside_wait_ms(1000), 1000);
    start("10s..20s", now_ns - 25 * s);
    xs_outside_look();
    assert_true(is_outside());
    start("30s..", now_ns - 30 * s + s / 2); /* in half a second at the latest */
    assert_in_range(xs_outside_wait_ms(1000), 1, 501);
}

/* If there are more windows than can be remembered, the first ones are remembered, and all are counted. */
static void windows_without_end(void **state) {
    enum { MORE = XS_OUTSIDE_WINDOWS + 100 };
    int64_t(*us)[2] = malloc(sizeof(int64_t[2]) * MORE);
    (void)state;
    assert_non_null(us);
    start("profiler", xs_monotonic_ns());
    uint64_t before = xs_outside_windows().count;
    for (unsigned i = 0; i < MORE; i++) {
        xs_asked_profiler_change(true);
        xs_asked_profiler_change(false);
    }
    assert_int_equal(xs_outside_windows().count, before + MORE);
    unsigned count = read_windows(us, MORE);
    assert_int_equal(count, XS_OUTSIDE_WINDOWS);
    for (unsigned i = 1; i < count; i++)
        assert_true(us[i][0] >= us[i - 1][0] && us[i][1] >= us[i][0]);
    free(us);
}

/* A call inside of another one is not counted here. */
static __attribute__((noinline, noclone)) bool nested_begins(void) {
    struct xs_guard_note note;
    return xs_left_out_begin(&note, XS_GUARD_HERE(), XS_LEFT_OUT_LAUNCH);
}

static __attribute__((noinline, noclone)) bool left_out(void) {
    struct xs_guard_note note;
    bool begun = xs_left_out_begin(&note, XS_GUARD_HERE(), XS_LEFT_OUT_LAUNCH);
    if (begun) {
        assert_non_null(xs_guard.raised);
        assert_true(xs_gate_is_inside());
        assert_int_equal(xs_cupti_correlation, XS_CORRELATION_LEFT_OUT);
        assert_false(nested_begins());
        xs_left_out_end();
        assert_int_equal(xs_cupti_correlation, 0);
    }
    return begun;
}

static void a_call_that_is_left_out(void **state) {
    (void)state;
    atomic_store(&xs_state, XS_STATE_IDLE);
    assert_false(left_out());
    atomic_store(&xs_state, XS_STATE_ACTIVE);
    assert_true(left_out());
    assert_true(left_out());
    assert_null(xs_guard.raised);
    assert_false(xs_gate_is_inside());
    struct xs_guard_own own;
    xs_guard_enter(&own); /* a call of the library's own */
    assert_false(left_out());
    xs_guard_leave(&own);
    atomic_store(&xs_state, XS_STATE_CLOSED);
    assert_false(left_out());
    struct xs_gate_counts counts = xs_gate_counts();
    assert_int_equal(counts.left_out[XS_LEFT_OUT_LAUNCH], 2);
    assert_int_equal(counts.left_out[XS_LEFT_OUT_TRANSFER], 0);
}

/* After a fork the lock is free in the child, whichever thread held it. */
static void a_child_is_not_stuck(void **state) {
    (void)state;
    xs_outside_forget();
    xs_outside_look();
    assert_true(xs_outside_is_limited());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_wish_all_is_inside), cmocka_unit_test(the_program_opens_and_closes),
        cmocka_unit_test(the_answer_is_the_latest),     cmocka_unit_test(time_opens_and_closes),
        cmocka_unit_test(windows_without_end),          cmocka_unit_test(a_call_that_is_left_out),
        cmocka_unit_test(a_child_is_not_stuck),
    };
    xs_clock_start(&clock_of_trace);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
