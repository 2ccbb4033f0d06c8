/* Access to the dlsym behind the library's own override (intercept/dlsym.c). */
#ifndef XFERSPY_PRELOAD_CORE_GLIBC_DLSYM_H
#define XFERSPY_PRELOAD_CORE_GLIBC_DLSYM_H

#include <stdbool.h>

/* Looks up like dlsym, with its result and its dlerror. All look-ups for the library's own use go here, so that they
 * never meet the override. The caller is xferspy, so RTLD_NEXT means: after libxferspy.so. Any thread, even before the
 * library's constructors ran. */
void *xs_real_dlsym(void *handle, const char *name);

/* Calls the dlsym that the program would get without libxferspy.so: an override in another preloaded library
 * (GPU-sharing libraries have one), else glibc's. For look-ups on the program's behalf: the functions that such a
 * library returns must stay between program and driver. Not for RTLD_NEXT, which would mean: after that library. */
void *xs_next_dlsym(void *handle, const char *name);

/* True if the next dlsym is glibc's: no other library overrides dlsym behind libxferspy.so. */
bool xs_next_dlsym_is_real(void);

/* Returns the next dlsym's address, for a caller that has to jump there. */
void *xs_next_dlsym_address(void);

#endif
