/* Tells the repairs about calls of driver functions for which xferspy has no row. Such functions have stubs, and the
 * repairs cannot put a function of their own around them. */
#ifndef XFERSPY_PRELOAD_REPAIR_AROUND_H
#define XFERSPY_PRELOAD_REPAIR_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/guard.h"

/* xs_around_unknown_begin is called before such a call, and gives the driver all work that the repairs hold back.
 * `may_do_anything`: the function's work may wait for something that the program does without a call, or may let other
 * processes or devices write memory. `note` must lie in the stack frame of the function's stub, and `frame` is
 * XS_GUARD_HERE() of the stub. True: xs_around_unknown_end must be called after the call. Any thread. */
bool xs_around_unknown_begin(bool may_do_anything, struct xs_guard_note *note, uintptr_t frame);
void xs_around_unknown_end(bool may_do_anything);

#endif
