/* The interface to CUPTI, which adds device times of copies, memsets and kernels, graph nodes and page migrations.
 * CUPTI is loaded at run time and never linked; without it capture goes on. CUDA 13.0 allows one subscriber in a
 * process, so an application that wants CUPTI for itself gets it: xferspy steps aside at the application's first call.
 */
#ifndef XFERSPY_PRELOAD_CUPTI_CUPTI_H
#define XFERSPY_PRELOAD_CUPTI_CUPTI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "schema/clock.h"
#include "schema/window_spec.h"
#include "schema/write/store.h"

struct xs_cupti_wishes {
    bool kernels;
    const char *migrations;              /* option's value: auto, off or all; valid for the life of the process */
    unsigned migrations_permille;        /* share of the run's time that recording migrations may cost in auto */
    unsigned budget_percent;             /* share of the run's time that profiling may cost with it; 0: unbounded */
    struct xs_window_spec window;        /* requested part of the run */
    int driver_version;                  /* cuDriverGetVersion */
    bool (*is_idle_within)(uint64_t ns); /* waits at most `ns` for the device; gate closed; any thread */
    uint64_t (*others_ns)(void);         /* cost so far of everything but CUPTI; any thread */
};

/* Finds and loads CUPTI, subscribes, and enables callbacks and activity kinds. Called once a session, after cuInit
 * succeeded and before the first context exists, by a thread of the application that holds no lock of xferspy. Reports
 * no failure to the caller: xs_cupti_state says what is not available. */
void xs_cupti_start(const struct xs_cupti_wishes *wishes);

/* ---- windows: device times are recorded as the budget allows (windows.h) ---- */

/* Adds up what recording has cost, decides whether it goes on, and stops or starts it unless that has to wait for a
 * moment of the program. Returns the ms after which it must be called again; 0: any time. Flusher only. */
unsigned xs_cupti_watch_windows(void);

/* Attaching and detaching CUPTI wait for the device. So the thread that has just waited for the device does it. Any
 * thread, relaxed. */
enum xs_cupti_turn { XS_CUPTI_NO_TURN, XS_CUPTI_TURN_DUE, XS_CUPTI_TURN_MAY_COME /* xs_cupti_moment is kept */ };
extern _Atomic int xs_cupti_turn_due;
/* Called by a thread of the application that has just waited for the device and is outside the driver. */
void xs_cupti_turn_here(void);

/* Has the calling thread given the device no work since it last waited for it? */
extern XS_TLS bool xs_cupti_moment;
/* Called by a thread of the application that has opened or closed a window (core/asked_window.h). True: the user asked
 * for such windows, and the flusher must look at it soon. */
bool xs_cupti_turn_asked(void);
/* Is the flusher about to attach or detach CUPTI without waiting for a moment of the program, and can it do so while
 * the calling thread waits for it? */
bool xs_cupti_turn_comes(void);

/* Returns the windows in which device times were recorded, as the trace holds them. The string is valid until the next
 * call. NULL: throughout, or never. Drain thread only. */
const char *xs_cupti_windows(const struct xs_clock *clock);

/* Moves completed activity buffers into the store, inside the caller's batch. Returns the number of records, or a
 * negative error of the store. Does not make CUPTI complete buffers: xs_cupti_flush does. Drain thread only. */
int64_t xs_cupti_drain(struct xs_store *store, const struct xs_clock *clock);

/* Makes CUPTI hand over the complete records (cuptiActivityFlushAll(0)) or, if `forced`, all records. CUPTI may call
 * the driver meanwhile. So this must not be called by the drain thread, which lacks the file descriptors of the
 * process, or from a callback of CUPTI. */
void xs_cupti_flush(bool forced);

/* Pauses or resumes the recording of page migrations, as its share of the run's time allows (migration_budget.h).
 * Called after each flush. Returns the ms after which it must be called again; 0: any time. Flusher only. */
unsigned xs_cupti_watch_migrations(void);
/* Called after managed memory was allocated: page migrations may begin. Enables their recording the first time, which
 * takes 20 ms on an H100; xs_cupti_watch_migrations must then be called soon. Any thread. */
void xs_cupti_managed_memory(void);

/* Returns the estimated cost of recording page migrations so far. Any thread. */
uint64_t xs_cupti_migrations_cost_ns(void);

/* Returns the windows in which page migrations were recorded, as the trace holds them. The string is valid until the
 * next call. NULL: recording was not bounded, or the windows are not available. Drain thread only. */
const char *xs_cupti_migration_windows(const struct xs_clock *clock);

/* Called when the process ends: takes what CUPTI has and never calls CUPTI again, because CUPTI and the driver may soon
 * be gone. Draining goes on. Exit handler only. */
void xs_cupti_end(void);

/* Called in a forked child, where CUPTI must not be used: drops every reference without calling CUPTI. */
void xs_cupti_forget(void);

/* Gives CUPTI to the application: flushes, disables and unsubscribes. A second call does nothing. `why` names the
 * application's call. Any thread. */
void xs_cupti_step_aside(const char *why);

/* Steps aside like xs_cupti_step_aside, and takes CUPTI out of the process where possible. The calling thread is
 * outside the driver. */
void xs_cupti_detach_for_good(const char *why);

/* Did the application call a CUPTI function that takes CUPTI for itself? Its own profile may show device work from then
 * on. Any thread. */
bool xs_cupti_is_theirs(void);

/* Called by dlsym. `real` is the result of looking up `name`. If `name` is a function by which an application takes
 * CUPTI for itself, remembers `real` and returns the wrapper that steps aside first; otherwise returns `real`. Returns
 * NULL if the look-up found libxferspy's own export (RTLD_DEFAULT) and no libcupti is mapped. A `real` of NULL stays
 * NULL. Any thread. */
void *xs_cupti_override(const char *name, void *real);

/* Leaves the records of a call with this correlation id (0: none) out of the trace, because the library itself made it.
 * Any thread. */
void xs_cupti_own_call(uint32_t correlation);

struct xs_cupti_state {
    const char *status;                  /* "active", "off", "not found", "failed", "taken", "stepped aside" */
    uint32_t version;                    /* cuptiGetVersion, 0 when not loaded */
    const char *path;                    /* path of the loaded library */
    char text[256];                      /* reason, in words for the user; empty when active */
    uint64_t records[5];                 /* records in the store: copies, memsets, kernels, syncs, migrations */
    uint64_t migrations_ns;              /* mode auto: time in which page migrations were recorded */
    unsigned migration_rests;            /* mode auto: number of pauses in recording them */
    uint64_t migration_turns_ns;         /* wall time that pausing and resuming them took */
    uint64_t migration_turns_cpu_ns;     /* processor time that pausing and resuming them took */
    uint64_t dropped_records;            /* records that CUPTI says it dropped */
    uint64_t own_kernels, own_kernel_ns; /* launches of the fingerprint kernel, which no table holds */
    uint64_t start_ns;                   /* time that xs_cupti_start took */
    uint64_t windows_cost_ns;            /* estimated cost of recording device times, turns_ns included */
    uint64_t turns_ns;                   /* time for which attaching and detaching held the program */
    uint64_t recorded_ns;                /* time in which device times were recorded */
    unsigned detachments;                /* number of times that CUPTI was detached */
    unsigned call_cost_percent;          /* cost of a recorded call by the program's pace, in percent of the usual */
};
/* Returns a snapshot of the state. The calling thread owns it; it is valid until that thread's next call. */
const struct xs_cupti_state *xs_cupti_state(void);

#endif
