/* Defines what every end-to-end program needs: it stops the program at the first call that fails, prints the line of
 * this call, and checks data. Must be included after cuda.h or cuda_runtime_api.h, whichever the program uses. */
#ifndef XFERSPY_TESTS_E2E_CHECK_H
#define XFERSPY_TESTS_E2E_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifdef __clang__ /* noclone exists only in gcc: stacks would show a clone under another name; clang makes no clones */
#pragma clang diagnostic ignored "-Wunknown-attributes"
#endif

#define E2E_SKIP 77 /* exit status of a program that cannot run on this machine */

static inline void e2e_fail(const char *file, int line, const char *what, int code) {
    fprintf(stderr, "%s:%d: %s: %d\n", file, line, what, code);
    fflush(NULL);
    _exit(99);
}

#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            e2e_fail(__FILE__, __LINE__, #condition, 0);                                                               \
    } while (0)

/* Requires that a call returns 0, which means success for a CUresult, a cudaError_t and pthread functions. */
#define OK(call)                                                                                                       \
    do {                                                                                                               \
        int ok_result = (int)(call);                                                                                   \
        if (ok_result != 0)                                                                                            \
            e2e_fail(__FILE__, __LINE__, #call, ok_result);                                                            \
    } while (0)

/* Returns byte `i` of the content with this seed. */
static inline unsigned char e2e_byte(unsigned seed, size_t i) {
    return (unsigned char)((i * 2654435761u + seed * 40503u) >> 7);
}

static inline void e2e_fill(void *memory, size_t bytes, unsigned seed) {
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)memory)[i] = e2e_byte(seed, i);
}

static inline void e2e_expect(const void *memory, size_t bytes, unsigned seed) {
    for (size_t i = 0; i < bytes; i++) {
        if (((const unsigned char *)memory)[i] != e2e_byte(seed, i)) {
            fprintf(stderr, "seed %u: byte %zu of %zu differs\n", seed, i, bytes);
            fflush(NULL);
            _exit(98);
        }
    }
}

static inline void e2e_expect_value(const void *memory, size_t bytes, unsigned char value) {
    for (size_t i = 0; i < bytes; i++)
        REQUIRE(((const unsigned char *)memory)[i] == value);
}

#ifdef CUDA_VERSION
/* Makes the first device's primary context current on this thread, and returns it. */
static inline CUcontext e2e_context(void) {
    CUdevice device;
    CUcontext context;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(&context, device));
    OK(cuCtxSetCurrent(context));
    return context;
}
#endif

#endif
