/* CUPTI, which adds device times of copies, memsets and kernels, graph nodes and page migrations. It is loaded at
 * run time and never linked; without it capture goes on. CUDA 13.0 allows one subscriber in a process, so an
 * application that wants CUPTI for itself gets it: xferspy steps aside at the application's first call. */
#ifndef XFERSPY_PRELOAD_CUPTI_H
#define XFERSPY_PRELOAD_CUPTI_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/clock.h"
#include "schema/store/store.h"

/* Finds and loads CUPTI, subscribes, and enables callbacks and activity kinds. Called once a session, after cuInit
 * succeeded and before the first context exists, by a thread of the application that holds no lock of xferspy.
 * Failing does not concern the caller: xs_cupti_state says what could not be had. `migrations` is the option's
 * value: auto, off or all. */
void xs_cupti_start(bool kernels, const char *migrations);

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
/* Managed memory was allocated: page migrations may begin, so xs_cupti_watch_migrations is to be called soon. Any
 * thread. */
void xs_cupti_managed_memory(void);

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
};
/* A snapshot of the state. It belongs to the calling thread and is valid until that thread's next call. */
const struct xs_cupti_state *xs_cupti_state(void);

#endif
