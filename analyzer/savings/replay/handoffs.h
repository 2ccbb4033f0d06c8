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
 * call. After that, A paused, too. Unrelated threads may do so by chance. So a handoff counts only if most of B's
 * pauses in which A made calls end in this way. If B is known to hand over to A, B may begin later, because A then
 * waits for it in any case. The threads of a pool take turns, so B may wait for any of them: a handoff also counts if
 * most of B's pauses in which others made calls end so with the last of these calls. If all calls of A came within one
 * pause of B and the last one shortly before its end, one such pause is enough: B has started A, and waited for its
 * end. */
void xs_model_find_handoffs(struct xs_model *model);

#endif
