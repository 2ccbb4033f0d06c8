/* Gives the tests of core/thread.h a thread with a spool of two chunks, which makes calls as wrappers do. A program
 * that uses this file must define xs_hooks and xs_note. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_CORE_THREAD_UNIT_H
#define XFERSPY_TESTS_UNIT_PRELOAD_CORE_THREAD_UNIT_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

#include "unit.h"

enum { ROW = 7, CHUNKS = 2 };

/* These functions are for set-up and tear-down. thread_unit_open makes an empty spool, and sets the state in which
 * calls are recorded. Both return 0 or the status of an error. */
int thread_unit_open(void);
int thread_unit_close(void);

/* Returns the number of published events in the spool. */
unsigned committed(void);

/* Makes one recorded call. The test fails if there is no room for its event. */
void record_one(void);

/* A wrapper with its own stack frame, which calls `real` instead of the driver. False: the call was not recorded. */
bool wrapper(void (*real)(void));
void nothing(void);

/* Calls the wrapper from a stack frame of `bytes` bytes, so that the wrapper's frame is deeper in the stack than that
 * of an earlier call out of which the program jumped. */
bool call_in_a_frame_of(size_t bytes);

/* Overwrites the part of the stack below the caller's frame. */
void overwrite_the_stack(void);

#endif
