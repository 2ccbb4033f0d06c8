/* The override of dlsym and of the driver's own look-up. */
#ifndef XFERSPY_PRELOAD_DLSYM_H
#define XFERSPY_PRELOAD_DLSYM_H

#include <stdint.h>

/* Decides a dlsym call from `caller`, an address in its code. Non-zero: handled, *result is the answer. Zero: jump to
 * *result, glibc's dlsym, with the caller's arguments and return address. Called by the trampoline in
 * dlsym_trampoline.c. */
int xs_dlsym_route(void *handle, const char *name, void **result, const void *caller);

#endif
