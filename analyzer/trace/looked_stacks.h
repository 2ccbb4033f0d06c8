/* Completes the stacks of a framework's threads by Python frames that were read at other calls from the same place. To
 * save time, capture reads the main thread's Python frames only at some calls of such a thread. Calls with the same
 * native frames are of the same kind. If nearly all readings at these calls have the same Python frames, the other
 * calls are assumed to have these Python frames, too. */
#ifndef XFERSPY_ANALYZER_TRACE_LOOKED_STACKS_H
#define XFERSPY_ANALYZER_TRACE_LOOKED_STACKS_H

#include "analyzer/base/hash.h"
#include "schema/read/trace.h"

/* Fills `looked`, which maps a stack without Python frames to the stack that replaces it (both are stack.id). Negative
 * status: the message is set. Call xs_hash_free even then. */
int xs_looked_stacks_read(struct xs_hash *looked, const struct xs_trace *trace, char *message, uint64_t *damaged);

/* Returns the stack that replaces `stack`; `stack` itself if no other stack replaces it. */
static inline int64_t xs_looked_stack(const struct xs_hash *looked, int64_t stack) {
    const uint64_t *other = looked->count ? xs_hash_find(looked, (uint64_t)stack, 0) : NULL;
    return other ? (int64_t)*other : stack;
}

#endif
