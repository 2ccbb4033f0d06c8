/* Handles programs that were built with ThreadSanitizer. ThreadSanitizer's runtime replaces memcpy, snprintf, free and
 * hundreds of other functions for the whole process. It therefore sees what these functions do when the library calls
 * them, but not the library's atomic operations, which are not instrumented. Without the functions below it would
 * report races that do not exist, and end the program with status 66. Between xs_race_detector_ignore and
 * xs_race_detector_watch ThreadSanitizer does not record the calling thread's accesses. This is a usual method for code
 * that shares no memory with instrumented threads.
 *
 * A thread must not end between the two calls, because ThreadSanitizer would report this. If the program has no
 * ThreadSanitizer, each call costs one comparison; if the library itself is built with ThreadSanitizer, both functions
 * are empty. */
#ifndef XFERSPY_PRELOAD_CORE_RACE_DETECTOR_H
#define XFERSPY_PRELOAD_CORE_RACE_DETECTOR_H

#include <stdbool.h>

#if defined(__SANITIZE_THREAD__)
#define XS_IS_INSTRUMENTED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define XS_IS_INSTRUMENTED 1
#endif
#endif

#ifdef XS_IS_INSTRUMENTED
static inline bool xs_race_detector_is_there(void) { return false; }
static inline void xs_race_detector_ignore(void) {}
static inline void xs_race_detector_watch(void) {}
#else
/* Declares functions that ThreadSanitizer's runtime has in both gcc and clang. The runtime may count ignored reads and
 * ignored writes separately or together, so both pairs are called. */
#define XS_OF_RUNTIME(name)                                                                                            \
    void name(const char *file, int line) __attribute__((weak, visibility("default"))) // NOLINT(*-identifier-naming)
XS_OF_RUNTIME(AnnotateIgnoreReadsBegin);
XS_OF_RUNTIME(AnnotateIgnoreReadsEnd);
XS_OF_RUNTIME(AnnotateIgnoreWritesBegin);
XS_OF_RUNTIME(AnnotateIgnoreWritesEnd);
#undef XS_OF_RUNTIME

static inline bool xs_race_detector_is_there(void) {
    return AnnotateIgnoreReadsBegin && AnnotateIgnoreReadsEnd && AnnotateIgnoreWritesBegin && AnnotateIgnoreWritesEnd;
}
static inline void xs_race_detector_ignore(void) {
    if (xs_race_detector_is_there()) {
        AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    }
}
static inline void xs_race_detector_watch(void) {
    if (xs_race_detector_is_there()) {
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
        AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
    }
}
#endif

#endif
