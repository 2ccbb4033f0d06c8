/* Steps of the run that the user asks for (XFERSPY_SKIP_STEPS, XFERSPY_STEPS, XFERSPY_STEP): this part starts the
 * counting and reports the result to the user. */
#ifndef XFERSPY_PRELOAD_SESSION_ASKED_STEPS_H
#define XFERSPY_PRELOAD_SESSION_ASKED_STEPS_H

#include <stdbool.h>

#include "preload/session/options.h"
#include "schema/clock.h"
#include "schema/window_spec.h"
#include "schema/write/store.h"

/* Starts the counting before capture begins. True: the user asked for steps, and `window` is now the window that they
 * open. */
bool xs_asked_steps_start(const struct xs_options *options, struct xs_window_spec *window);

/* Writes which steps were recorded so far (meta range.steps...), if any were asked for. The steps' times are written
 * only when the list has grown enough, and always on the last call. Drain thread only. */
void xs_asked_steps_write(const struct xs_clock *clock, struct xs_store *store, bool is_last);

/* At the end of the process: prints one line if no step, or no requested part of the run, was recorded at all. */
void xs_asked_steps_say(void);

#endif
