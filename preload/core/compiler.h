/* What the preloaded library asks of the compiler: visibility, inlining, branches, thread-locals. No state, no code. */
#ifndef XFERSPY_PRELOAD_CORE_COMPILER_H
#define XFERSPY_PRELOAD_CORE_COMPILER_H

#define XS_EXPORT __attribute__((visibility("default")))
#define XS_LIKELY(x) __builtin_expect(!!(x), 1)
#define XS_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* What every intercepted call runs; left to itself the compiler makes calls of these, for there are hundreds of
 * users. */
#define XS_HOT static inline __attribute__((always_inline))
#define XS_TLS __thread __attribute__((tls_model("initial-exec")))

#endif
