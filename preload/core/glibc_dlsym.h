/* Gives access to the dlsym functions that come after the library's own override (intercept/dlsym.c). */
#ifndef XFERSPY_PRELOAD_CORE_GLIBC_DLSYM_H
#define XFERSPY_PRELOAD_CORE_GLIBC_DLSYM_H

#include <stdbool.h>

/* Calls glibc's dlsym, and returns its result; dlerror then reports glibc's error. All look-ups for the library's own
 * use call this function, so that they never reach the override. The caller is xferspy, so RTLD_NEXT means the
 * libraries after libxferspy.so. Any thread, even before the library's constructors ran. */
void *xs_real_dlsym(void *handle, const char *name);

/* Calls the dlsym that the program would get without libxferspy.so: an override in another preloaded library
 * (GPU-sharing libraries have one), or glibc's dlsym if there is no other override. This is for look-ups on the
 * program's behalf, because the functions that such a library returns must stay between the program and the driver.
 * This function must not be called with RTLD_NEXT, which would mean the libraries after that other library. */
void *xs_next_dlsym(void *handle, const char *name);

/* True if the next dlsym is glibc's, because no library after libxferspy.so overrides dlsym. */
bool xs_next_dlsym_is_real(void);

/* Returns the next dlsym's address, for a caller that has to jump to it. */
void *xs_next_dlsym_address(void);

#endif
