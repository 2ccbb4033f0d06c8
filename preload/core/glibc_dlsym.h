/* glibc's own dlsym, past the library's override of it (intercept/dlsym.c). */
#ifndef XFERSPY_PRELOAD_CORE_GLIBC_DLSYM_H
#define XFERSPY_PRELOAD_CORE_GLIBC_DLSYM_H

/* Looks up as dlsym does, with its result and its dlerror. All look-ups that the library makes for itself use this
 * one, so that they never meet the override. The caller is xferspy, so RTLD_NEXT means: after libxferspy.so. Any
 * thread, also before the library's constructors ran. */
void *xs_real_dlsym(void *handle, const char *name);

/* The address of glibc's dlsym, for a caller that has to jump there. */
void *xs_real_dlsym_address(void);

#endif
