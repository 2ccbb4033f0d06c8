/* Defines what the tests of locks and forks share. A forked child must not wait for a lock that another thread of the
 * parent held during the fork, because this thread does not exist in the child and cannot release the lock. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_FORK_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_FORK_UNIT_H

#include "unit.h"

/* Forks while another thread calls `use` all the time, which takes and releases the lock. Each child calls `forget`,
 * which reinitializes the lock, and then `use`. If a child waits for ever, it is killed and the test fails. */
void forked_children_get_through(void (*use)(void), void (*forget)(void));

/* Tests a lock that is taken only once: forks while another thread is in stay_in(), which `use` calls while it holds
 * the lock. In the child stay_in() returns at once. If `forget` is NULL, the fork handlers of the tested code must
 * reinitialize the lock. */
void child_gets_through_inside(void (*use)(void), void (*forget)(void));
void stay_in(void);

#endif
