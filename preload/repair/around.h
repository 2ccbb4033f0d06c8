/* Gives the repairs their turn in calls that no table has, and that no function of theirs surrounds. */
#ifndef XFERSPY_PRELOAD_REPAIR_AROUND_H
#define XFERSPY_PRELOAD_REPAIR_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/guard.h"

/* Called before such a call: all work that the repairs hold back goes to the driver. `may_do_anything`: the call may
 * wait for something that happens without a call, and let others write memory. `note` lies in the stub's frame, and
 * `frame` is XS_GUARD_HERE() of the stub. True: xs_around_unknown_end must follow. Any thread. */
bool xs_around_unknown_begin(bool may_do_anything, struct xs_guard_note *note, uintptr_t frame);
void xs_around_unknown_end(bool may_do_anything);

#endif
