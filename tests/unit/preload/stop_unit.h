/* Stands in for what ends capture. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_STOP_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_STOP_UNIT_H

extern _Atomic unsigned stops; /* how often capture would have ended */

#endif
