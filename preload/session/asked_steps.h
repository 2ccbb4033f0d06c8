/* Handles the steps of the run that the user requests (XFERSPY_SKIP_STEPS, XFERSPY_STEPS, XFERSPY_STEP). Starts the
 * counting of steps, and reports to the user which steps were recorded. */
#ifndef XFERSPY_PRELOAD_SESSION_ASKED_STEPS_H
#define XFERSPY_PRELOAD_SESSION_ASKED_STEPS_H

#include <stdbool.h>

#include "preload/session/options.h"
#include "schema/clock.h"
#include "schema/window_spec.h"
#include "schema/write/store.h"

/* Runs before capture begins. If the user requested steps, starts the counting of steps, sets *window to the window
 * of the requested steps, and returns true. Otherwise returns false. */
bool xs_asked_steps_start(const struct xs_options *options, struct xs_window_spec *window);

/* If steps were requested, writes which steps were recorded so far (meta range.steps...). The list of the steps' times
 * is written when it has grown enough, and at the last call (`is_last`). Only the drain thread may call this
 * function. */
void xs_asked_steps_write(const struct xs_clock *clock, struct xs_store *store, bool is_last);

/* Runs at the end of the process: prints one line if no step, or no requested part of the run, was recorded at
 * all. */
void xs_asked_steps_say(void);

#endif
