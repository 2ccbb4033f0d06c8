/* CUPTI, which adds device times of copies, memsets and kernels, graph nodes and page migrations. It is loaded at
 * run time and never linked; without it capture goes on. CUDA 13.0 allows one subscriber in a process, so an
 * application that wants CUPTI for itself gets it: xferspy steps aside at the application's first call. */
#ifndef XFERSPY_PRELOAD_CUPTI_H
#define XFERSPY_PRELOAD_CUPTI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "schema/clock.h"
#include "schema/window_spec.h"
#include "schema/write/store.h"

struct xs_cupti_wishes {
    bool kernels;
    const char *migrations;              /* the option's value: auto, off or all; valid for the process's life */
    unsigned migrations_permille;        /* of the run's time that recording migrations may cost in auto */
    unsigned budget_percent;             /* of the run's time that profiling may cost with that; 0: without bound */
    struct xs_window_spec window;        /* the part of the run that is asked for */
    int driver_version;                  /* cuDriverGetVersion */
    bool (*is_idle_within)(uint64_t ns); /* waits for the device, at most so long. With the gate closed; any thread */
    uint64_t (*others_ns)(void);         /* what all but CUPTI has cost the program by now. Any thread */
};

/* Finds and loads CUPTI, subscribes, and enables callbacks and activity kinds. Called once a session, after cuInit
 * succeeded and before the first context exists, by a thread of the application that holds no lock of xferspy.
 * Failing does not concern the caller: xs_cupti_state says what could not be had. */
void xs_cupti_start(const struct xs_cupti_wishes *wishes);

/* ---- windows: device times are recorded as the budget allows (windows.h) ---- */

/* Adds up what recording has cost, decides whether it goes on, and stops it or begins it where no moment of the
 * program's own is needed. To be called again after so many ms; 0: it does not matter when. Flusher only. */
unsigned xs_cupti_watch_windows(void);

/* Detaching CUPTI and attaching it wait for the device, so they are done when the program has just waited for it, too,
 * by the thread that did. Any thread, relaxed. */
enum xs_cupti_turn { XS_CUPTI_NO_TURN, XS_CUPTI_TURN_DUE, XS_CUPTI_TURN_MAY_COME /* xs_cupti_moment is kept */ };
extern _Atomic int xs_cupti_turn_due;
/* The calling thread, one of the application's, has just waited for the device, and is outside of the driver. */
void xs_cupti_turn_here(void);

/* Has the calling thread given the device nothing to do since it waited for it? */
extern XS_TLS bool xs_cupti_moment;
/* The calling thread, one of the application's, has opened or closed a window (core/asked_window.h). True: such windows
 * are asked for, and the flusher is to look at it soon. */
bool xs_cupti_turn_asked(void);
/* Is the flusher going to attach CUPTI, or to detach it, without waiting for a moment of the program's, and can it do
 * so while the calling thread waits for it? */
bool xs_cupti_turn_comes(void);

/* The windows of the run in which device times were recorded, as the trace has them; the string is valid until the next
 * call. NULL: throughout, or never. Drain thread only. */
const char *xs_cupti_windows(const struct xs_clock *clock);

/* Takes completed activity buffers over into the store, inside a batch of the caller's. Drain thread only. Returns
 * the number of records, or a negative error of the store. It does not make CUPTI complete buffers: xs_cupti_flush
 * does. */
int64_t xs_cupti_drain(struct xs_store *store, const struct xs_clock *clock);

/* Makes CUPTI hand over the records that are complete (cuptiActivityFlushAll(0)) or, with `forced`, all of them.
 * CUPTI may call the driver for that. So neither the drain thread, whose file descriptors are not the process's, nor
 * a callback of CUPTI may call this. */
void xs_cupti_flush(bool forced);

/* Stops the recording of page migrations for a while, or resumes it, as its share of the run's time allows
 * (migration_budget.h). Called after each flush, and again after so many ms as it returns; 0: it does not matter when.
 * Flusher only. */
unsigned xs_cupti_watch_migrations(void);
/* Managed memory was allocated: page migrations may begin. Enables them the first time, which takes 20 ms on an H100;
 * xs_cupti_watch_migrations is to be called soon. Any thread. */
void xs_cupti_managed_memory(void);

/* What recording page migrations has cost the program by now, estimated. Any thread. */
uint64_t xs_cupti_migrations_cost_ns(void);

/* The windows of the run in which page migrations were recorded, as the trace has them; the string is valid
 * until the next call. NULL: they were not bounded, or cannot be had. Drain thread only. */
const char *xs_cupti_migration_windows(const struct xs_clock *clock);

/* The process ends: takes what CUPTI has and never calls it again, because it and the driver may be gone from now
 * on. Draining goes on. Exit handler only. */
void xs_cupti_end(void);

/* In a forked child, where CUPTI must not be used: drops every reference without calling it. */
void xs_cupti_forget(void);

/* Gives CUPTI to the application: flushes, disables and unsubscribes. Calling it again does nothing. Any thread.
 * `why` is the application's call. */
void xs_cupti_step_aside(const char *why);

/* The same, and takes CUPTI out of the process where that is possible. The calling thread is outside of the driver. */
void xs_cupti_detach_for_good(const char *why);

/* Did the application call one of those functions? From then on its own profile may show what the device does. Any
 * thread. */
bool xs_cupti_is_theirs(void);

/* For dlsym. `real` is what a look-up of `name` found. Where `name` is a function by which an application takes
 * CUPTI for itself, remembers `real` and returns the wrapper that steps aside first; for any other name returns
 * `real`. Where the look-up found libxferspy's own export (RTLD_DEFAULT) and no libcupti is mapped, returns NULL. A
 * `real` of NULL stays NULL. Any thread. */
void *xs_cupti_override(const char *name, void *real);

/* A call that the library itself made got this correlation id (0: none). Its records are left out of the trace. Any
 * thread. */
void xs_cupti_own_call(uint32_t correlation);

struct xs_cupti_state {
    const char *status;                  /* "active", "off", "not found", "failed", "taken", "stepped aside" */
    uint32_t version;                    /* cuptiGetVersion, 0 when not loaded */
    const char *path;                    /* of the loaded library */
    char text[256];                      /* why, for people; empty when active */
    uint64_t records[5];                 /* taken over: copies, memsets, kernels, syncs, migrations */
    uint64_t migrations_ns;              /* mode auto: for how long page migrations were recorded */
    unsigned migration_rests;            /* mode auto: how often recording them stopped for a while */
    uint64_t migration_turns_ns;         /* time that stopping and resuming it took, */
    uint64_t migration_turns_cpu_ns;     /* and of the processor */
    uint64_t dropped_records;            /* as CUPTI counts them */
    uint64_t own_kernels, own_kernel_ns; /* launches of the fingerprint kernel, which are in no table */
    uint64_t start_ns;                   /* time that xs_cupti_start took */
    uint64_t windows_cost_ns;            /* what recording device times has cost, estimated; with what follows */
    uint64_t turns_ns;                   /* time that the program was held for attaching and detaching */
    uint64_t recorded_ns;                /* for how long device times were recorded */
    unsigned detachments;                /* how often CUPTI was detached */
    unsigned call_cost_percent;          /* what a recorded call costs, by the program's pace, of the usual cost */
};
/* A snapshot of the state. It belongs to the calling thread and is valid until that thread's next call. */
const struct xs_cupti_state *xs_cupti_state(void);

#endif
