/* Runs the flusher's loop in a thread of its own, because the drain thread does not have the driver's file
 * descriptors, and the application's threads must not be delayed. */
#include "preload/cupti/flusher.h"

#include <stdatomic.h>
#include <time.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/drain_bell.h"
#include "preload/core/futex.h"
#include "preload/core/own_thread.h"
#include "preload/core/state.h"
#include "preload/cupti/cupti.h"

#define PERIOD_MS 1000u
#define SWITCH_PATIENCE_NS UINT64_C(50000000) /* attaching CUPTI takes 6 to 15 ms, and 20 ms the first time */
#define SWITCH_LOOK_NS 200000

static _Atomic uint32_t bell, asked, answered; /* bell and answered are futexes */
static _Atomic bool still, running;

/* Returns the smaller number; if `b` is 0, returns `a`. */
static unsigned least(unsigned a, unsigned b) { return b && b < a ? b : a; }

static void begin_migrations(void *argument) {
    (void)argument;
    xs_cupti_managed_memory();
}

static void flusher_main(void) {
    uint64_t flushed_ns = 0;
    unsigned migrations_ms = 0;
    xs_own_thread_stand_back();
    while (!atomic_load(&still)) {
        uint32_t heard = atomic_load(&bell), seen = atomic_load(&asked);
        bool forced = seen != atomic_load(&answered);
        if (atomic_load(&xs_state) == XS_STATE_CLOSED) {
            xs_cupti_step_aside("the end of capture"); /* otherwise CUPTI would fill buffers that are no longer read */
            break;
        }
        /* The flusher also wakes up for xs_cupti_watch_windows, which needs no flush. */
        if (forced || migrations_ms || xs_monotonic_ns() - flushed_ns >= PERIOD_MS * UINT64_C(1000000)) {
            flushed_ns = xs_monotonic_ns();
            xs_cupti_flush(forced);
            xs_drain_wake();
        }
        if (forced) {
            atomic_store(&answered, seen);
            xs_futex_wake(&answered);
        }
        migrations_ms = xs_cupti_watch_migrations();
        unsigned windows_ms = xs_cupti_watch_windows();
        xs_futex_wait(&bell, heard, least(least(PERIOD_MS, migrations_ms), windows_ms));
    }
    atomic_store(&running, false);
    xs_futex_wake(&answered);
}

void xs_flusher_start(void) {
    atomic_store(&running, true);
    if (xs_own_thread(flusher_main) != 0)
        atomic_store(&running, false);
}

static void ring(void) {
    atomic_fetch_add(&bell, 1);
    xs_futex_wake(&bell);
}

void xs_flusher_look(void) {
    if (atomic_load(&running))
        ring();
}

void xs_flusher_managed_memory(void) {
    if (atomic_load(&running)) {
        xs_on_scratch(begin_migrations, NULL);
        ring();
    }
}

void xs_flusher_window_asked(void) {
    const struct timespec pause = {0, SWITCH_LOOK_NS};
    uint64_t deadline = xs_monotonic_ns() + SWITCH_PATIENCE_NS;
    if (!atomic_load(&running) || !xs_cupti_switch_asked())
        return;
    ring();
    while (xs_cupti_switch_comes() && atomic_load(&running) && !atomic_load(&still) && xs_monotonic_ns() < deadline)
        nanosleep(&pause, NULL);
}

void xs_flusher_still(void) { atomic_store(&still, true); }

void xs_flusher_now(unsigned timeout_ms) {
    uint64_t deadline = xs_monotonic_ns() + (uint64_t)timeout_ms * 1000000;
    uint32_t mine = atomic_fetch_add(&asked, 1) + 1, seen;
    ring();
    while ((int32_t)((seen = atomic_load(&answered)) - mine) < 0 && atomic_load(&running) && !atomic_load(&still) &&
           xs_monotonic_ns() < deadline)
        xs_futex_wait(&answered, seen, 50);
}
