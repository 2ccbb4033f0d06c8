/* The turn of the repairs in calls that no table has, around which stands no function of theirs. */
#ifndef XFERSPY_PRELOAD_REPAIR_AROUND_H
#define XFERSPY_PRELOAD_REPAIR_AROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "preload/core/guard.h"

/* Before such a call: what the repairs hold back goes to the driver. `may_do_anything`: it may wait for something that
 * happens without a call, and give others memory to write. `note` lies in its stub's frame, and `frame` is
 * XS_GUARD_HERE() of the stub. True: the second has to be called behind it. Any thread. */
bool xs_around_unknown_begin(bool may_do_anything, struct xs_guard_note *note, uintptr_t frame);
void xs_around_unknown_end(bool may_do_anything);

#endif
