/* Finds host threads that wait for each other, so that one continues when another one pauses. */
#ifndef XFERSPY_ANALYZER_SAVINGS_REPLAY_HANDOFFS_H
#define XFERSPY_ANALYZER_SAVINGS_REPLAY_HANDOFFS_H

#include "analyzer/savings/replay/model.h"

/* Sets `handed_by` of the calls. Only times can be used for this, because a trace does not show what a thread waits for
 * outside of CUDA. For example, PyTorch's backward pass runs in its own thread, and the program's thread sleeps until
 * the backward pass has ended. If such pauses counted as work, a repair in the forward pass would not make the other
 * thread begin earlier.
 *
 * Thread A hands over to a call of thread B if A made calls while B paused, and A's last call came shortly before B's
 * call. After that, A paused, too. Unrelated threads may do so by chance, so a handoff counts only in these cases:
 *
 * - Most of B's pauses in which A made calls end in this way.
 * - Of B's pauses in which any other threads made calls, most end in this way after the last of these calls. The
 *   threads of a pool take turns, so B may wait for any of them.
 * - One pause of B has all calls of A, and ends shortly after the last of them: B has started A, and waited for its
 *   end.
 *
 * If B is known to hand over to A, the time from A's last call to B's call may be longer, because A waits for B in any
 * case. */
void xs_model_find_handoffs(struct xs_model *model);

#endif
