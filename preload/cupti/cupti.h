/* Declares the interface to CUPTI. CUPTI adds to the trace the device times of copies, memsets and kernels, the nodes
 * of graphs, and page migrations. CUPTI is loaded at run time and is never linked. If there is no CUPTI, capture works
 * without it. Before CUDA 13.3 (cupti_multi.h) a process can have only one subscriber. So if the application itself
 * uses CUPTI and cannot share it with xferspy, xferspy stops using CUPTI at the application's first call of CUPTI. */
#ifndef XFERSPY_PRELOAD_CUPTI_CUPTI_H
#define XFERSPY_PRELOAD_CUPTI_CUPTI_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "preload/core/compiler.h"
#include "schema/clock.h"
#include "schema/window_spec.h"
#include "schema/write/store.h"

struct xs_cupti_wishes {
    bool kernels;
    const char *migrations;       /* value of the option: auto, off or all; the string stays valid */
    unsigned migrations_permille; /* share of the run's time that recording migrations may cost in mode auto */
    unsigned budget_percent;      /* share of the run's time that all profiling may cost; 0: no limit */
    struct xs_window_spec window; /* the parts of the run in which device times are requested; zeros: the budget
                                   * decides */
    bool yields_to_checkpoints;   /* CUPTI is not used if the program is linked to checkpoint functions */
    int driver_version;           /* from cuDriverGetVersion */
    /* Waits at most `ns` until the device is idle. False: it is still busy. The gate must be closed. Any thread. */
    bool (*is_idle_within)(uint64_t ns);
    uint64_t (*others_ns)(void); /* what xferspy has cost so far, without CUPTI; any thread */
};

/* Finds and loads CUPTI, subscribes, and enables callbacks and activity kinds. This function is called once per
 * session, after cuInit succeeded and before the first context exists, by a thread of the application that holds no
 * lock of xferspy. Reports no failure to the caller; xs_cupti_state says what is not available. */
void xs_cupti_start(const struct xs_cupti_wishes *wishes);

/* ---- windows: the periods in which device times are recorded (window_decision.h) ---- */

/* Adds up the cost of recording, decides if device times are recorded now, and attaches or detaches CUPTI, unless this
 * has to be done at the program's next wait for the device. Returns the time in ms after which this function must be
 * called again; 0: it need not be called again at a certain time. Only the flusher calls this function. */
unsigned xs_cupti_watch_windows(void);

/* True if CUPTI is attached, so that device times are recorded. Any thread. */
bool xs_cupti_is_attached(void);

/* Attaching or detaching CUPTI waits for the device. It is therefore done by a thread of the application that has just
 * waited for the device, or, if that takes too long or a window must begin at once, by the flusher. Any thread may read
 * xs_cupti_switch_due, with relaxed order. XS_CUPTI_SWITCH_DUE means that CUPTI must be attached or detached, and
 * XS_CUPTI_SWITCH_MAY_COME that this may become necessary. In both states the wrappers update xs_cupti_moment. */
enum xs_cupti_switch {
    XS_CUPTI_NO_SWITCH,
    XS_CUPTI_SWITCH_DUE,
    XS_CUPTI_SWITCH_MAY_COME /* CUPTI may have to be attached or detached soon */
};
extern _Atomic int xs_cupti_switch_due;
/* Attaches or detaches CUPTI if xs_cupti_switch_due is XS_CUPTI_SWITCH_DUE. This function is called by a thread of the
 * application that has just waited for the device and is outside the driver. */
void xs_cupti_switch_here(void);

/* True if the calling thread has given the device no work since it last waited for the device. */
extern XS_TLS bool xs_cupti_moment;
/* Runs when a window was opened or closed (core/asked_window.h). Any application thread, or the thread that serves
 * commands. True: the user has requested windows of this kind, and CUPTI must be attached or detached, so the caller
 * must wake the flusher. */
bool xs_cupti_switch_asked(void);
/* True if the flusher will attach or detach CUPTI now, before the program's next wait for the device, and can do so
 * while the calling thread waits for the flusher. */
bool xs_cupti_switch_comes(void);

/* Returns the windows in which device times were recorded, in the trace's form. The string is valid until the next call
 * of this function. NULL: CUPTI was never detached, or the windows are not available. Only the drain thread calls this
 * function. */
const char *xs_cupti_windows(const struct xs_clock *clock);

/* Moves completed activity buffers into the store, inside the caller's batch. Returns the number of records, or a
 * negative error of the store. Does not make CUPTI complete its buffers; xs_cupti_flush does so. Only the drain thread
 * calls this function. */
int64_t xs_cupti_drain(struct xs_store *store, const struct xs_clock *clock);

/* Makes CUPTI hand over the complete records (cuptiActivityFlushAll(0)) or, if `forced` is true, all records. CUPTI may
 * call the driver during this call. Therefore this function must not be called by the drain thread, which does not have
 * the file descriptors of the process, and must not be called from a callback of CUPTI. */
void xs_cupti_flush(bool forced);

/* Pauses or resumes the recording of page migrations, so that the recording costs at most its share of the run's time
 * (migration_budget.h). This function is called after each flush. Returns the time in ms after which this function must
 * be called again; 0: it need not be called again at a certain time. Only the flusher calls this function. */
unsigned xs_cupti_watch_migrations(void);
/* Runs after managed memory was allocated, because page migrations may happen from now on. The first call enables the
 * recording of migrations, which takes 20 ms on an H100. After each call, the flusher must call
 * xs_cupti_watch_migrations soon. Any thread. */
void xs_cupti_managed_memory(void);

/* Returns the estimated cost of recording page migrations so far. Any thread. */
uint64_t xs_cupti_migrations_cost_ns(void);

/* Returns the windows in which page migrations were recorded, in the trace's form. The string is valid until the next
 * call of this function. NULL: the recording was not limited, or the windows are not available. Only the drain thread
 * calls this function. */
const char *xs_cupti_migration_windows(const struct xs_clock *clock);

/* Runs when the process ends. Takes the records that CUPTI still has. After this call xferspy never calls CUPTI
 * again, because CUPTI and the driver may soon be unloaded. xs_cupti_drain may still be called. Only the exit handler
 * calls this function. */
void xs_cupti_end(void);

/* Runs in a forked child, where CUPTI must not be used: drops all references to CUPTI without calling it. */
void xs_cupti_forget(void);

/* Leaves CUPTI to the application: flushes CUPTI, disables all recording and unsubscribes. A second call does nothing.
 * `why` names the application's call that is the reason. Any thread. */
void xs_cupti_step_aside(const char *why);

/* Does what xs_cupti_step_aside does, but does nothing if CUPTI has already been attached in this process. Any
 * thread. */
void xs_cupti_keep_away(const char *why);

/* True if CUPTI has been attached in this process, even if it was detached again. Any thread. */
bool xs_cupti_was_attached(void);

/* True if the application called a CUPTI function by which it takes CUPTI for itself. From then on the application's
 * own profile may show device work. Any thread. */
bool xs_cupti_is_theirs(void);

/* dlsym calls this function. `real` is the result of looking up `name`. If `name` is a function by which an application
 * takes CUPTI for itself, stores `real` and returns a wrapper, which leaves CUPTI to the application if necessary and
 * calls `real`. For any other name, returns `real`. Returns NULL if the look-up found libxferspy's own export
 * (RTLD_DEFAULT) and no libcupti is mapped, or if `real` is NULL. Any thread. */
void *xs_cupti_override(const char *name, void *real);

/* Leaves the records of the call with this correlation id out of the trace, because the library itself made the call.
 * If the id is 0, the function has no effect. Any thread. */
void xs_cupti_own_call(uint32_t correlation);

struct xs_cupti_state {
    const char *status;       /* "active", "off", "not found", "failed", "taken", "stepped aside" */
    uint32_t version;         /* cuptiGetVersion; 0: CUPTI is not loaded */
    const char *path;         /* path of the loaded library */
    char text[256];           /* reason of the status, as a sentence for the user; empty if the status is "active" */
    uint64_t records[5];      /* numbers of records in the store: copies, memsets, kernels, waits, page migrations */
    uint64_t migrations_ns;   /* mode auto: time in which page migrations were recorded */
    unsigned migration_rests; /* mode auto: number of pauses in recording page migrations */
    uint64_t migration_switches_ns;      /* wall time that pausing and resuming this recording took */
    uint64_t migration_switches_cpu_ns;  /* processor time that pausing and resuming this recording took */
    uint64_t dropped_records;            /* number of records that CUPTI has dropped, as it reports */
    uint64_t own_kernels, own_kernel_ns; /* launches of the fingerprint kernel, and their time; in no table */
    uint64_t start_ns;                   /* time that xs_cupti_start took */
    uint64_t windows_cost_ns;            /* estimated cost of recording device times, switches_ns included */
    uint64_t switches_ns;                /* time for which attaching and detaching CUPTI stopped the program */
    uint64_t recorded_ns;                /* time in which device times were recorded */
    unsigned detachments;                /* number of times that CUPTI was detached */
    unsigned call_cost_percent;          /* measured cost of a recorded call, in percent of the assumed cost */
};
/* Returns a snapshot of the state. The snapshot belongs to the calling thread and is valid until this thread calls the
 * function again. */
const struct xs_cupti_state *xs_cupti_state(void);

/* True if CUPTI can record device times in this process; it may be detached now. Any thread. */
static inline bool xs_cupti_has_times(void) { return strcmp(xs_cupti_state()->status, "active") == 0; }

#endif
