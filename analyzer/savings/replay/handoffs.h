/* Threads of the host that wait for each other: one that works on where another one stops. */
#ifndef XFERSPY_ANALYZER_REPLAY_HANDOFFS_H
#define XFERSPY_ANALYZER_REPLAY_HANDOFFS_H

#include "analyzer/savings/replay/model.h"

/* Sets `handed_by` of the calls, from the times alone: a trace does not say what a thread waits for outside of CUDA.
 * PyTorch's backward pass runs in a thread of its own, and the program's thread sleeps until it has ended. If both
 * pauses were work, no repair in the forward pass would make the other thread begin any earlier.
 *
 * A thread's call is handed over by another thread if that one made calls during the pause before it, made its last one
 * shortly before the call, and then paused, too. Two threads that have nothing to do with each other look like that now
 * and then. So it counts only where most of the pauses that one thread made calls in end like that. */
void xs_model_find_handoffs(struct xs_model *model);

#endif
