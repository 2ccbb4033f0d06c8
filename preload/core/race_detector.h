/* The program's ThreadSanitizer, if it has one. Its runtime takes the place of memcpy, snprintf, free and hundreds of
 * others for the whole process, so it sees what they do on the library's behalf, but none of the atomic operations by
 * which the library's threads agree, since those are not instrumented. It would report pairs that are none, and end the
 * program with status 66. Between these two, the calling thread's accesses are not recorded, as is done for every code
 * that no instrumented thread shares memory with.
 *
 * A thread that ends between them is reported. In a program without ThreadSanitizer they are one comparison, and so
 * they are where the library itself is built with it. */
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
/* Both are functions of ThreadSanitizer's runtime, of gcc's and of clang's. Reads and writes have one counter each, or
 * the same one. */
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
