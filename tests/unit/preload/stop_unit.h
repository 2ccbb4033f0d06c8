/* Replaces xs_stop, which ends capture. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_STOP_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_STOP_UNIT_H

extern _Atomic unsigned stops; /* number of times that capture would have ended */

#endif
