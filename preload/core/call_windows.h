/* Decides what is recorded outside of the parts of the run that the user requested: by XFERSPY_WINDOW, by steps, or by
 * commands (XFERSPY_START=off). The parts of a ledger (XFERSPY_MODE=ledger), which the library chooses itself, count as
 * requested here. All calls outside of the parts are recorded if xs_outside_start was not called: with
 * XFERSPY_OUTSIDE=calls (except for steps and ledgers), and by default if the parts of XFERSPY_WINDOW are periodic. In
 * a ledger they are recorded, too, but only for their sums, as long as this costs little. Otherwise only the calls that
 * are needed to understand later addresses and handles are recorded: allocations and frees, and calls that create
 * contexts, streams, modules and graphs. Copies, memsets, launches and waits are only counted there. */
#ifndef XFERSPY_PRELOAD_CORE_CALL_WINDOWS_H
#define XFERSPY_PRELOAD_CORE_CALL_WINDOWS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/quiescence.h"
#include "schema/clock.h"
#include "schema/window_spec.h"

/* True while calls are left out, because the program is outside of the requested parts. False while a ledger records
 * calls for their sums there. Every wrapper reads this value; only the functions xs_outside_... of this file change
 * it. */
extern _Atomic bool xs_outside;

/* True while the program is outside of the parts of a ledger, and its calls are recorded for their sums only: they then
 * get no fingerprint, no samples are taken, and the arguments of launches are not looked at. */
extern _Atomic bool xs_outside_sums;

/* Only the first XS_OUTSIDE_WINDOWS windows are stored. */
enum { XS_OUTSIDE_WINDOWS = 8192, XS_OUTSIDE_TEXT_BYTES = 32 * XS_OUTSIDE_WINDOWS };

/* Sets the parts of the run to record (`spec`). This function is called before capture begins; `start_ns` is the
 * present time (CLOCK_MONOTONIC). Without this call the whole run is recorded. */
void xs_outside_start(const struct xs_window_spec *spec, uint64_t start_ns);

/* True if xs_outside_start was called. */
bool xs_outside_is_limited(void);

/* Checks whether the program is inside a requested part now, and updates xs_outside. A thread that opens or closes a
 * window calls this function at once, and the drain thread calls it when the time of xs_outside_wait_ms has passed. The
 * calling thread must hold no lock of the library. */
void xs_outside_look(void);

/* Returns the number of milliseconds until the drain thread must call xs_outside_look again. The result is at most
 * `most`. */
unsigned xs_outside_wait_ms(unsigned most);

/* Ends the window of a ledger before its time, if one is open. The next window is not affected. */
void xs_outside_end_window(void);

/* Sets whether calls outside of the parts are recorded for their sums (xs_outside_sums), or only counted. Before the
 * first call of this function they are only counted. */
void xs_outside_set_sums(bool sums);

/* The windows so far, including the open one. */
struct xs_outside_windows {
    uint64_t count;          /* number of all windows, stored or not */
    uint64_t recorded_ns;    /* total length of all windows */
    uint64_t summed_ns;      /* for how long calls were recorded, in windows and, for their sums, outside of them */
    uint64_t from_ns, to_ns; /* begin and end of the latest window (CLOCK_MONOTONIC); to_ns 0: it is open, or there was
                              * none */
};
struct xs_outside_windows xs_outside_windows(void);

/* Writes the stored windows in the trace's form, "start+length,start+length,...", in microseconds since the trace's
 * start. Writes "0+0" if there was no window. `text` has space for XS_OUTSIDE_TEXT_BYTES bytes. */
void xs_outside_text(const struct xs_clock *clock, char *text);

/* Writes one period of the run as "start+length" to `text`, which has space for `bytes` bytes. The times `from_ns` and
 * `to_ns` are those of CLOCK_MONOTONIC. A comma comes before the period unless `is_first` is true. Returns the number
 * of characters written; 0: there is not enough space. */
size_t xs_outside_put(uint64_t from_ns, uint64_t to_ns, const struct xs_clock *clock, char *text, size_t bytes,
                      bool is_first);

/* Runs in a forked child: reinitializes the lock, because a thread that no longer exists may hold it. */
void xs_outside_forget(void);

/* ---- calls that are left out ---- */

/* Runs at the start of a wrapper for a call that may be left out. True: the call is left out and counted, and until
 * xs_left_out_end the guard is raised and the thread is inside the gate (core/quiescence.h). False: the call is handled
 * like any other call, because there is no session, or because the call is nested in another wrapped call. `note` is a
 * variable of the wrapper, and `frame` is XS_GUARD_HERE() in the wrapper. */
bool xs_left_out_begin(struct xs_guard_note *note, uintptr_t frame, enum xs_left_out_kind kind);
void xs_left_out_end(void);

#endif
