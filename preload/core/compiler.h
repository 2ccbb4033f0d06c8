/* Defines compiler attributes for the preloaded library: visibility, inlining, branch prediction and thread-local
 * storage. This file has no state and no code. */
#ifndef XFERSPY_PRELOAD_CORE_COMPILER_H
#define XFERSPY_PRELOAD_CORE_COMPILER_H

#define XS_EXPORT __attribute__((visibility("default")))
/* Exports `function` under its glibc name with two symbol versions: GLIBC_2.34, with which glibc moved the function
 * into libc, and the older version, which is needed by programs that were linked before that move. A symbol without a
 * version would not suffice, because other libraries between a program and the driver look up the next dlsym by dlvsym,
 * which finds only symbols with a version. */
#ifdef __aarch64__
#define XS_GLIBC_FIRST "GLIBC_2.17"
#else
#define XS_GLIBC_FIRST "GLIBC_2.2.5"
#endif
#define XS_EXPORT_AS_GLIBC(function, name)                                                                             \
    __asm__(".globl " #function "_first\n.set " #function "_first, " #function "\n"                                    \
            ".symver " #function "_first, " #name "@" XS_GLIBC_FIRST "\n"                                              \
            ".symver " #function ", " #name "@@GLIBC_2.34");
#define XS_LIKELY(x) __builtin_expect(!!(x), 1)
#define XS_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* XS_HOT is for functions that every intercepted call runs. Without this attribute the compiler would not inline them,
 * because they have hundreds of callers. */
#define XS_HOT static inline __attribute__((always_inline))
#define XS_TLS __thread __attribute__((tls_model("initial-exec")))

#endif
