/* The dlsym of others, past the library's override of it (intercept/dlsym.c). */
#ifndef XFERSPY_PRELOAD_CORE_GLIBC_DLSYM_H
#define XFERSPY_PRELOAD_CORE_GLIBC_DLSYM_H

#include <stdbool.h>

/* Looks up as dlsym does, with its result and its dlerror. All look-ups that the library makes for itself use this
 * one, so that they never meet the override. The caller is xferspy, so RTLD_NEXT means: after libxferspy.so. Any
 * thread, also before the library's constructors ran. */
void *xs_real_dlsym(void *handle, const char *name);

/* The dlsym that a program would meet without libxferspy.so: that of another preloaded library that overrides it, as
 * those do that share GPUs, else glibc's. For look-ups that are made for the program: what such a library hands out has
 * to stay between the program and the driver. Not with RTLD_NEXT, which would mean: after that library. */
void *xs_next_dlsym(void *handle, const char *name);

/* Whether that is glibc's: no other library overrides dlsym behind libxferspy.so. */
bool xs_next_dlsym_is_real(void);

/* Its address, for a caller that has to jump there. */
void *xs_next_dlsym_address(void);

#endif
