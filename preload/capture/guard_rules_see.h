/* Shows calls to the rules of XFERSPY_GUARD (core/guard_rules.h). */
#ifndef XFERSPY_PRELOAD_CAPTURE_GUARD_RULES_SEE_H
#define XFERSPY_PRELOAD_CAPTURE_GUARD_RULES_SEE_H

#include "preload/driver/driver_api.h"

#include "preload/core/guard_rules.h"

/* Runs after the real call of a copy or a wait, if xs_guard_rules_wanted. A call that failed or that was captured into
 * a graph breaks no rule, and neither does a copy if it is not certain which side of it is on the host. */
void xs_guard_rules_see(const struct xs_event *e, CUresult result);

#endif
