/* What the parts of the preloaded library share. Nothing here is exported. */
#ifndef XFERSPY_PRELOAD_INTERNAL_H
#define XFERSPY_PRELOAD_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#define XS_EXPORT __attribute__((visibility("default")))
#define XS_LIKELY(x) __builtin_expect(!!(x), 1)
#define XS_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* What every intercepted call runs; left to itself the compiler makes calls of these, for there are hundreds of users. */
#define XS_HOT static inline __attribute__((always_inline))
#define XS_TLS __thread __attribute__((tls_model("initial-exec")))

/* glibc's own dlsym. The library's own look-ups use this one, so that they never meet its overrides. The caller's
 * address is that of xferspy, so RTLD_NEXT means: after libxferspy.so. NULL and dlerror as dlsym. */
void *xs_real_dlsym(void *handle, const char *name);

/* Calls of the driver and of CUPTI that xferspy makes itself, and calls nested in a wrapper, must not be recorded as the
 * application's: while the calling thread's depth is not 0 every wrapper passes straight through. */
extern XS_TLS unsigned xs_guard_depth;
static inline void xs_guard_enter(void) { xs_guard_depth++; }
static inline void xs_guard_leave(void) { xs_guard_depth--; }

/* Records that capture could not do something, or did less. Any thread; copied; written to the trace's note table by
 * the drain thread, at most 64 of them, the same topic and text once. Not for the hot path. */
void xs_note(const char *topic, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One line on stderr, at most once in a process for each `once` flag; nothing under XFERSPY_QUIET. */
void xs_complain(bool *once, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
