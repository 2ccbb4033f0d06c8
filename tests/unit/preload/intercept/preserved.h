/* Makes a call with known values in all registers that the called function must preserve. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_PRESERVED_H
#define XFERSPY_TESTS_UNIT_PRELOAD_PRESERVED_H

#include <stdbool.h>

#if defined(__x86_64__)
#define HAVE_PRESERVED_CALL 1
#else
#define HAVE_PRESERVED_CALL 0
#endif

/* Calls function(handle, name) with the stack pointer lowered by `blocks` times 16 bytes. *preserved is true if the
 * stack pointer and all these registers are unchanged after the call. If HAVE_PRESERVED_CALL is 0, this is a plain
 * call, and *preserved is always true. */
void *preserved_call(void *(*function)(void *, const char *), void *handle, const char *name, unsigned blocks,
                     bool *preserved);

#endif
