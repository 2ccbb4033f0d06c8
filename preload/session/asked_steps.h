/* The steps of the run that the user asks for (XFERSPY_SKIP_STEPS, XFERSPY_STEPS, XFERSPY_STEP): what begins the
 * counting, and what the user gets to know of it. */
#ifndef XFERSPY_PRELOAD_SESSION_ASKED_STEPS_H
#define XFERSPY_PRELOAD_SESSION_ASKED_STEPS_H

#include <stdbool.h>

#include "preload/session/options.h"
#include "schema/clock.h"
#include "schema/window_spec.h"
#include "schema/write/store.h"

/* True: steps are asked for, and `window` is now what they open. Before capture begins. */
bool xs_asked_steps_start(const struct xs_options *options, struct xs_window_spec *window);

/* Writes which steps were recorded by now (meta range.steps...), unless none are asked for. Their times are written
 * when there are some more, and at last in any case. The drain thread. */
void xs_asked_steps_write(const struct xs_clock *clock, struct xs_store *store, bool is_last);

/* At the end of the process: one line where no step, or no part of the run that was asked for, was recorded at all. */
void xs_asked_steps_say(void);

#endif
