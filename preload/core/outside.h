/* What is recorded outside of the parts of the run that the user asks for (XFERSPY_WINDOW). With
 * XFERSPY_OUTSIDE=calls, and by default where the parts come again and again, all calls are. Else only those are by
 * which addresses keep their meaning: allocations and frees, contexts, streams, modules, and the making of graphs.
 * Copies, memsets, launches and waits pass through there; they are counted, and nothing else is done for them. */
#ifndef XFERSPY_PRELOAD_CORE_OUTSIDE_H
#define XFERSPY_PRELOAD_CORE_OUTSIDE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "preload/core/gate.h"
#include "schema/clock.h"
#include "schema/window_spec.h"

/* The program is outside of what the user asks for. Read by every wrapper; changed by xs_outside_look alone. */
extern _Atomic bool xs_outside;

/* So many windows are remembered, the first ones. */
enum { XS_OUTSIDE_WINDOWS = 8192, XS_OUTSIDE_TEXT_BYTES = 32 * XS_OUTSIDE_WINDOWS };

/* Capture is about to begin, and `spec` says which parts of it are asked for; it begins at `start_ns` (monotonic).
 * Without this call all of the run is recorded. */
void xs_outside_start(const struct xs_window_spec *spec, uint64_t start_ns);

/* Has xs_outside_start been called? */
bool xs_outside_is_limited(void);

/* Looks whether the program is inside now. Any thread that holds no lock of the library's: whoever opens or closes a
 * window calls it at once, and the drain thread when the time has come. */
void xs_outside_look(void);

/* In how many ms the drain thread has to look at the latest, `most` at most. */
unsigned xs_outside_wait_ms(unsigned most);

/* The windows by now, the open one included. */
struct xs_outside_windows {
    uint64_t count;       /* all of them, remembered or not */
    uint64_t recorded_ns; /* how long they were together */
};
struct xs_outside_windows xs_outside_windows(void);

/* Writes the windows as the trace has them: "start+length,start+length,...", microseconds since the trace's start, and
 * "0+0" where there was none. `text` has XS_OUTSIDE_TEXT_BYTES. */
void xs_outside_text(const struct xs_clock *clock, char *text);

/* Writes one time of the run (monotonic) in that form into `bytes` bytes of `text`, behind a comma if it is not the
 * first. Returns its length; 0: there is no room. */
size_t xs_outside_put(uint64_t from_ns, uint64_t to_ns, const struct xs_clock *clock, char *text, size_t bytes,
                      bool is_first);

/* In a forked child, where the thread that held the lock is not there. */
void xs_outside_forget(void);

/* ---- a call that is left out ---- */

/* The begin of a wrapper whose call may be left out: the guard is raised and the thread is inside of the gate, until
 * xs_left_out_end. False: the call is not left out by this but passes as any other one does, because there is no
 * session or because it is made inside of another call. `note` is a variable of
 * the wrapper itself, and `frame` is XS_GUARD_HERE() there. */
bool xs_left_out_begin(struct xs_guard_note *note, uintptr_t frame, enum xs_left_out_kind kind);
void xs_left_out_end(void);

#endif
