/* What the tests of locks across a fork share. A forked child must not wait for a lock that a thread of the parent held
 * at the moment of the fork: that thread is not there to give it back. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_FORK_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_FORK_UNIT_H

#include "unit.h"

/* Forks while another thread calls `use`, which takes and gives back the lock, all the time. Each child calls `forget`,
 * which makes the lock anew, and then `use`; one that waits for ever is ended, and the test fails. */
void forked_children_get_through(void (*use)(void), void (*forget)(void));

/* The same where the lock is taken only once: forks while another thread is in stay_in(), which `use` calls with the
 * lock. In the child it returns at once. `forget` may be NULL: the fork handlers of what is tested do it. */
void child_gets_through_inside(void (*use)(void), void (*forget)(void));
void stay_in(void);

#endif
