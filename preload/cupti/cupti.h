/* CUPTI as an enrichment: device times of copies, memsets and kernels, graph nodes, page migrations. Loaded at run
 * time, never linked; capture goes on without it. CUDA 13.0 allows one subscriber in a process, so an application that
 * wants CUPTI for itself gets it: xferspy steps aside at its first call. */
#ifndef XFERSPY_PRELOAD_CUPTI_H
#define XFERSPY_PRELOAD_CUPTI_H

#include <stdbool.h>
#include <stdint.h>

#include "schema/clock.h"
#include "schema/store.h"

/* Finds, loads and subscribes; enables callbacks and activity kinds. Called once a session, after cuInit succeeded and
 * before the first context exists, by an application thread with no xferspy lock held. Never fails the caller: what
 * could not be had is in xs_cupti_state. `migrations` is the option: auto, off or all. */
void xs_cupti_start(bool kernels, const char *migrations);

/* Takes completed activity buffers over into the store, inside a batch of the caller's. Drain thread only. Returns the
 * number of records or a negative error of the store. Does not make CUPTI complete any: xs_cupti_flush does. */
int64_t xs_cupti_drain(struct xs_store *store, const struct xs_clock *clock);

/* Makes CUPTI hand over the records that are complete (cuptiActivityFlushAll(0)) or, forced, all of them. It may call the
 * driver, so not from the drain thread, whose file descriptors are not the process's; and not from callbacks. */
void xs_cupti_flush(bool forced);

/* Lets the recording of page migrations rest, or go on, as its share of the run's time allows (migration_budget.h). To be
 * called after each flush and drain, and again within some 10 ms where it returns true. Flusher only. */
bool xs_cupti_watch_migrations(void);
/* Managed memory was allocated: have xs_cupti_watch_migrations called soon. Any thread. */
void xs_cupti_managed_memory(void);

/* The process ends: takes what CUPTI has, and calls it no more, for it and the driver may be gone from now on. Draining
 * goes on. Exit handler only. */
void xs_cupti_end(void);

/* Called in the child after fork: CUPTI must not be used there; drops every reference without calling it. */
void xs_cupti_forget(void);

/* Gives CUPTI to the application: flushes, disables, unsubscribes. Idempotent, any thread. `why` is the call. */
void xs_cupti_step_aside(const char *why);

/* The application called one of those functions: what the device does may show in its own profile from then on. */
bool xs_cupti_is_theirs(void);

/* For dlsym: `real` is what a look-up of `name` found. Where `name` is a function by which an application takes CUPTI
 * for itself, remembers `real` and returns the wrapper that steps aside first; else returns `real`. A look-up that
 * found libxferspy's own export (RTLD_DEFAULT) gives NULL while no libcupti is mapped. Any thread, any name; a `real`
 * of NULL stays NULL. */
void *xs_cupti_override(const char *name, void *real);

/* A call that the library itself made got this correlation id (0: none): its records are not the application's. */
void xs_cupti_own_call(uint32_t correlation);

struct xs_cupti_state {
    const char *status;                  /* "active", "off", "not found", "failed", "taken", "stepped aside" */
    uint32_t version;                    /* cuptiGetVersion, 0 when not loaded */
    const char *path;                    /* of the loaded library */
    char text[256];                      /* why, for people; empty when active */
    uint64_t records[5];                 /* taken over: copies, memsets, kernels, syncs, migrations */
    uint64_t migrations_ns;              /* mode auto: for how long page migrations were recorded */
    unsigned migration_rests;            /* and how often recording them rested */
    uint64_t dropped_records;            /* as CUPTI counts them */
    uint64_t own_kernels, own_kernel_ns; /* of the fingerprint kernel, which are in no table */
    uint64_t start_ns;                   /* time that xs_cupti_start took */
};
/* A snapshot, the calling thread's own: valid until its next call. */
const struct xs_cupti_state *xs_cupti_state(void);

#endif
