/* Tests when the times of steps are written into the trace, and that there are never more of them than the steps that
 * it counts. The trace is a copy of what was written last. Every test is a process of its own, because a process has
 * one list. */
#include "unit.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "preload/core/asked_window.h"
#include "preload/core/call_windows.h"
#include "preload/core/hooks.h"
#include "preload/core/step_waits.h"
#include "preload/driver/entry_rows.h"
#include "preload/session/asked_steps.h"
#include "preload/session/say.h"

/* ---- what is around it ---- */

static char list[XS_OUTSIDE_TEXT_BYTES];
static unsigned lists, times_made;
static int64_t count;
static bool meanwhile; /* another step begins between the count and the list */

static bool start_session(unsigned row) {
    (void)row;
    return false;
}
static bool is_gone(uintptr_t at) {
    (void)at;
    return false;
}
static void window_asked(void) {}
const struct xs_hooks xs_hooks = {.start_session = start_session, .is_gone = is_gone, .window_asked = window_asked};
const struct xs_row_info xs_rows[XS_ROW_COUNT];

struct xs_step_waits xs_step_waits(void) {
    return (struct xs_step_waits){0};
}
void xs_step_waits_start(uint64_t skip, uint64_t most) { (void)(skip + most); }
void xs_say(const char *text) { fail_msg("said: %s", text); }
void xs_complain(bool *once, const char *format, ...) {
    (void)once;
    fail_msg("complained: %s", format);
}
bool xs_outside_is_limited(void) { return true; }
struct xs_outside_windows xs_outside_windows(void) {
    return (struct xs_outside_windows){0};
}

/* The text is as long as one of the library's. */
size_t xs_outside_put(uint64_t from_ns, uint64_t to_ns, const struct xs_clock *clock, char *text, size_t bytes,
                      bool is_first) {
    (void)clock;
    assert_true(to_ns >= from_ns);
    times_made++;
    return (size_t)snprintf(text, bytes, "%s123456+789", is_first ? "" : ",");
}

static void mark(void) { xs_asked_step_mark(); }

static void step(unsigned times) {
    for (unsigned i = 0; i < 2 * times; i++)
        mark();
}

int xs_store_meta_text(struct xs_store *store, const char *key, const char *value) {
    (void)store;
    if (!strcmp(key, "range.step_times")) {
        snprintf(list, sizeof list, "%s", value);
        lists++;
    }
    return 0;
}

int xs_store_meta_int(struct xs_store *store, const char *key, int64_t value) {
    (void)store;
    if (!strcmp(key, "range.steps")) {
        count = value;
        if (meanwhile)
            mark();
    }
    return 0;
}

/* ---- tests ---- */

#define IN_A_CHILD(name)                                                                                               \
    static void name##_(void);                                                                                         \
    static void name(void **state) {                                                                                   \
        (void)state;                                                                                                   \
        pid_t child = fork();                                                                                          \
        if (child == 0) {                                                                                              \
            name##_();                                                                                                 \
            _exit(0);                                                                                                  \
        }                                                                                                              \
        int status;                                                                                                    \
        assert_int_equal(waitpid(child, &status, 0), child);                                                           \
        assert_int_equal(status, 0);                                                                                   \
    }                                                                                                                  \
    static void name##_(void)

static struct xs_options options;

static void start(void) {
    struct xs_window_spec window;
    strcpy(options.step, "it");
    assert_true(xs_asked_steps_start(&options, &window));
}

static void look(bool is_last) { xs_asked_steps_write(NULL, NULL, is_last); }

static unsigned listed(void) {
    unsigned all = 0;
    for (const char *at = list; (at = strchr(at, '+')); at++)
        all++;
    return all;
}

IN_A_CHILD(what_is_not_new_is_not_written) {
    start();
    look(false);
    assert_int_equal(lists, 0);
    mark();
    look(false);
    assert_int_equal(lists, 1);
    assert_int_equal(listed(), 1);
    look(false); /* still open */
    assert_int_equal(lists, 1);
    look(true); /* it ends now */
    assert_int_equal(lists, 2);
    assert_int_equal(listed(), 1);
}

/* Steps that have ended are not written again, and a long list is written only when it has grown by a sixteenth. */
IN_A_CHILD(a_long_list_is_written_seldom) {
    start();
    step(1600);
    look(false);
    assert_int_equal(listed(), 1600);
    assert_int_equal(times_made, 1600);
    step(50);
    look(false);
    assert_int_equal(lists, 1);
    assert_int_equal(count, 1650); /* so a list may be shorter after a kill */
    step(51);
    look(false);
    assert_int_equal(lists, 2);
    assert_int_equal(listed(), 1701);
    assert_int_equal(times_made, 1701);
}

IN_A_CHILD(a_step_that_begins_meanwhile_is_not_in_the_list) {
    start();
    step(4);
    meanwhile = true;
    for (unsigned i = 0; i < 9; i++) {
        look(true);
        assert_int_equal(listed(), count);
    }
}

IN_A_CHILD(the_first_ones_have_room) {
    start();
    step(XS_ASKED_STEP_TIMES + 1);
    look(true);
    assert_int_equal(count, XS_ASKED_STEP_TIMES + 1);
    assert_int_equal(listed(), XS_ASKED_STEP_TIMES);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_new_is_not_written),
        cmocka_unit_test(a_long_list_is_written_seldom),
        cmocka_unit_test(a_step_that_begins_meanwhile_is_not_in_the_list),
        cmocka_unit_test(the_first_ones_have_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
