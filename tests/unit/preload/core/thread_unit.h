/* A thread with a spool of two chunks, and calls of it as wrappers make them: for the tests of core/thread.h. A program
 * that uses this defines xs_hooks and xs_note. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_CORE_THREAD_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_CORE_THREAD_UNIT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "unit.h"

enum { ROW = 7, CHUNKS = 2 };

/* For setup and teardown: an empty spool, and the state in which calls are recorded. Return 0 or an error's status. */
int thread_unit_open(void);
int thread_unit_close(void);

/* How many events of the spool are published. */
unsigned committed(void);

/* One recorded call. It fails the test if there is no room for it. */
void record_one(void);

/* A wrapper around a call of the driver's, in a frame of its own. False: the call was not recorded. */
bool wrapper(void (*real)(void));
void nothing(void);

/* Calls the wrapper from `bytes` deeper in the stack, below where a call was that the program jumped out of. */
bool call_in_a_frame_of(size_t bytes);

/* Afterwards nothing is left of what was on the stack below the caller. */
void overwrite_the_stack(void);

#endif
