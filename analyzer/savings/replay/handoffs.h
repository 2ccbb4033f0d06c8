/* Finds host threads that wait for each other: one works on where another one stops. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_HANDOFFS_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_HANDOFFS_H

#include "analyzer/savings/replay/model.h"

/* Sets `handed_by` of the calls, from the times alone: a trace does not say what a thread waits for outside of CUDA.
 * PyTorch's backward pass runs in its own thread, and the program's thread sleeps until it has ended. If both pauses
 * were work, no repair in the forward pass would make the other thread begin earlier.
 *
 * Thread A hands a call over to thread B if A made calls during B's pause before the call, made its last one shortly
 * before the call, and then paused, too. Unrelated threads look like that now and then. So a handoff counts only if
 * most of the pauses in which A made calls end like that. */
void xs_model_find_handoffs(struct xs_model *model);

#endif
