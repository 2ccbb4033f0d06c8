/* Tests that a forked child reinitializes the lock of the session's start, and the locks of all parts below the
 * session: its fork handler calls each part's function. */
#include "fork_unit.h"

#include <stdatomic.h>
#include <unistd.h>

#include "preload/callsite/beside.h"
#include "preload/callsite/callsite.h"
#include "preload/capture/arguments.h"
#include "preload/core/call_windows.h"
#include "preload/core/drain_bell.h"
#include "preload/core/glibc_dlsym.h"
#include "preload/core/hooks.h"
#include "preload/core/memory_map.h"
#include "preload/core/notes.h"
#include "preload/core/step_waits.h"
#include "preload/core/thread.h"
#include "preload/cupti/cupti.h"
#include "preload/cupti/flusher.h"
#include "preload/driver/entry_rows.h"
#include "preload/driver/real.h"
#include "preload/fingerprint/fingerprint.h"
#include "preload/repair/repair.h"
#include "preload/session/asked_steps.h"
#include "preload/session/drain.h"
#include "preload/session/host_samples.h"
#include "preload/session/metadata.h"
#include "preload/session/naming.h"
#include "preload/session/options.h"
#include "preload/session/say.h"

/* ---- what is below the session ---- */

static unsigned starts, forgotten;

struct xs_state_page xs_state_page __attribute__((aligned(XS_STATE_PAGE_BYTES)));
struct xs_spool xs_spool;
enum xs_clock_source xs_clock_source;
XS_TLS struct xs_guard xs_guard;
_Atomic unsigned xs_asides_ahead;
bool xs_arguments_on;
void *xs_driver_functions[XS_DRIVER_COUNT];

enum {
    REAL = 1,
    MAP = 2,
    ARGUMENTS = 4,
    CONTEXTS = 8,
    NOTES = 16,
    THREAD = 32,
    CALLSITE = 64,
    GATE = 128,
    REPAIR = 256,
    OUTSIDE = 512,
    STEP_WAITS = 1024,
    ALL = 2047
};

void xs_real_forget(void) { forgotten |= REAL; }
void xs_gate_forget(void) { forgotten |= GATE; }
void xs_outside_forget(void) { forgotten |= OUTSIDE; }
void xs_step_waits_forget(void) { forgotten |= STEP_WAITS; }
void xs_outside_look(void) {}
void xs_outside_set_sums(bool sums) { (void)sums; }
void xs_outside_start(const struct xs_window_spec *spec, uint64_t start_ns) {
    (void)spec;
    (void)start_ns;
}
void xs_map_forget(void) { forgotten |= MAP; }
void xs_repair_forget(void) { forgotten |= REPAIR; }
void xs_repair_finish(void (*say)(const char *message)) { (void)say; }
void xs_repair_start(const struct xs_repair_wishes *wishes, void (*complain)(const char *message)) {
    (void)wishes;
    (void)complain;
}
void xs_arguments_forget(void) { forgotten |= ARGUMENTS; }
void xs_context_forget(void) { forgotten |= CONTEXTS; }
void xs_notes_forget(void) { forgotten |= NOTES; }
void xs_thread_forget(void) { forgotten |= THREAD; }
bool xs_native_is_gone(uintptr_t return_address_at) {
    (void)return_address_at;
    return false;
}
void xs_callsite_forget(void) { forgotten |= CALLSITE; }
void xs_cupti_forget(void) {}

void xs_direct_access_start(bool is_ignored) { (void)is_ignored; }
void xs_loader_before_fork(void) {}
void xs_loader_after_fork(void) {}
void xs_loader_forget(void) {}
void xs_callsite_start(const char *mode, unsigned depth) {
    (void)mode;
    (void)depth;
}
void xs_beside_start(unsigned permille) { (void)permille; }
void xs_cupti_start(const struct xs_cupti_wishes *wishes) { (void)wishes; }
const char *xs_checkpoint_refused(void) { return NULL; }
void xs_own_cost_start(const struct xs_clock *clock) { (void)clock; }
uint64_t xs_own_cost_ns(void) { return 0; }
uint64_t xs_fingerprint_cost_ns(void) { return 0; }
int xs_facts_driver_version(void) { return 0; }
bool xs_context_is_idle_within(uint64_t ns) { return ns > 0; }
void xs_cupti_end(void) {}
const struct xs_cupti_state *xs_cupti_state(void) { return NULL; }
void xs_flusher_start(void) {}
void xs_flusher_still(void) {}
void xs_flusher_window_asked(void) {}
void xs_flusher_now(unsigned timeout_ms) { (void)timeout_ms; }
void xs_device_wait_all(CUcontext only, unsigned timeout_ms) {
    (void)only;
    (void)timeout_ms;
}
void xs_fingerprint_start(const char *mode, unsigned share_permille, const struct xs_clock *clock) {
    (void)mode;
    (void)share_permille;
    (void)clock;
}
bool xs_asked_steps_start(const struct xs_options *options, struct xs_window_spec *window) {
    (void)options;
    (void)window;
    return false;
}
void xs_asked_steps_say(void) {}
void xs_control_prepare(const struct xs_options *options) { (void)options; }
void xs_control_start(void) {}
void xs_control_end(void) {}
void xs_facts_read_devices(void) {}
void xs_facts_read_rank(void) {}
void xs_guard_told_start(struct xs_options *options) { (void)options; }
bool xs_guard_told_now(void) { return false; }
bool xs_guard_told_end(void) { return false; }
void xs_labels_read(char *given) { (void)given; }
int xs_trace_name(const char *template, struct xs_trace_name *name) {
    (void)template;
    (void)name;
    return 0;
}
void xs_host_samples_start(unsigned permille) { (void)permille; }
void xs_host_watch_staged(bool is_staged) { (void)is_staged; }
bool xs_fingerprint_pageable_is_staged(void) { return true; }
void xs_drain_started(uint64_t took_ns) { (void)took_ns; }
void xs_drain_exited(uint64_t took_ns) { (void)took_ns; }
uint64_t xs_thread_stalled_ns(void) { return 0; }
int xs_drain_await(char why[256]) {
    (void)why;
    return 0;
}
void xs_cupti_step_aside(const char *why) { (void)why; }
void xs_clock_begin(struct xs_clock *clock) { (void)clock; }
int xs_drain_start(const struct xs_trace_name *wish, const struct xs_options *options, const struct xs_clock *clock,
                   struct xs_spool *spool, char why[256]) {
    (void)clock;
    (void)wish;
    (void)options;
    (void)spool;
    (void)why;
    return -1;
}
enum xs_finish xs_drain_finish(unsigned timeout_ms, unsigned still_ms, uint64_t *events) {
    (void)timeout_ms;
    (void)still_ms;
    (void)events;
    return XS_FINISH_OK;
}
uint64_t xs_drain_contention_ns(void) { return 0; }
void xs_drain_wake(void) {}
void xs_drain_wait_discarded(void) {}
const char *xs_drain_why(void) { return ""; }
const char *xs_drain_path(void) { return ""; }
void xs_options_load(struct xs_options *options, void (*complain)(const char *message)) {
    (void)complain;
    memset(options, 0, sizeof *options); /* not enabled */
}
const char *xs_redact_start(const char *pattern) {
    (void)pattern;
    return NULL;
}
void xs_note(const char *topic, const char *format, ...) {
    (void)topic;
    (void)format;
}
void xs_say(const char *text) { (void)text; }
void xs_say_quietly(bool quiet) { (void)quiet; }
void xs_complain(bool *once, const char *format, ...) {
    (void)once;
    (void)format;
}
void *xs_real_dlsym(void *handle, const char *name) {
    (void)handle;
    (void)name;
    return NULL;
}

static CUresult CUDAAPI get_current(CUcontext *context) {
    *context = NULL;
    return CUDA_SUCCESS;
}

bool xs_real_resolve(void) {
    xs_driver_functions[XS_DRIVER_cuCtxGetCurrent] = (void *)get_current;
    return true;
}

/* The first function that is called while the lock is held. */
void xs_say_start(void) {
    starts++;
    stay_in();
}

/* ---- */

static pid_t parent;

static void start(void) {
    if (getpid() != parent && forgotten != ALL)
        abort(); /* the test fails */
    (void)xs_hooks.start_session(XS_ROW_cuDevicePrimaryCtxRetain);
}

static void lock_of_the_start(void **state) {
    (void)state;
    parent = getpid();
    child_gets_through_inside(start, NULL);
    assert_int_equal(starts, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lock_of_the_start)};
    return cmocka_run_group_tests_name("fork_locks_session", tests, NULL, NULL);
}
