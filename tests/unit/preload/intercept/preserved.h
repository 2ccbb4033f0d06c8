/* A call with known values in every register that a callee has to preserve. */
#ifndef XFERSPY_TESTS_UNIT_PRELOAD_PRESERVED_H
#define XFERSPY_TESTS_UNIT_PRELOAD_PRESERVED_H

#include <stdbool.h>

#if defined(__x86_64__)
#define HAVE_PRESERVED_CALL 1
#else
#define HAVE_PRESERVED_CALL 0
#endif

/* Calls function(handle, name) with the stack pointer lowered by `blocks` times 16 bytes. *preserved: the stack pointer
 * and all of the registers came back as they were. Where HAVE_PRESERVED_CALL is 0 a plain call that says true. */
void *preserved_call(void *(*function)(void *, const char *), void *handle, const char *name, unsigned blocks,
                     bool *preserved);

#endif
