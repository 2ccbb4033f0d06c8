/* The real driver: the addresses of its entry points, and which of its addresses have wrappers. */
#ifndef XFERSPY_PRELOAD_REAL_H
#define XFERSPY_PRELOAD_REAL_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/core/compiler.h"
#include "preload/driver/driver_api.h"
#include "preload/driver/rows.h"

/* What a wrapper calls, by row: the driver's function, or what was put in its place (xs_real_replace). NULL where this
 * driver does not have the entry point. Filled by xs_real_resolve, read with relaxed loads by any thread. */
extern void *xs_real[XS_ROW_COUNT];

/* The same, for the library's own calls; NULL where this driver has none, or nothing is resolved yet. */
#define xs_real_row(name) ((__typeof__(&name))__atomic_load_n(&xs_real[XS_ROW_##name], __ATOMIC_RELAXED))

/* Fills xs_real and xs_driver_functions from the libcuda.so.1 of this process, once. False: none is loaded. Any
 * thread. */
bool xs_real_resolve(void);

/* The real entry point of a row, for a wrapper. Resolves the driver at the first call of a program that is linked to
 * libcuda. */
XS_HOT void *xs_real_of(unsigned row) {
    void *real = __atomic_load_n(&xs_real[row], __ATOMIC_RELAXED);
    return XS_LIKELY(real != NULL) || !xs_real_resolve() ? real : __atomic_load_n(&xs_real[row], __ATOMIC_RELAXED);
}

/* The same for functions that are not recorded (gated_points.def). */
extern void *xs_real_gated[XS_GATED_COUNT];
XS_HOT void *xs_real_gated_of(unsigned row) {
    void *real = __atomic_load_n(&xs_real_gated[row], __ATOMIC_RELAXED);
    return XS_LIKELY(real != NULL) || !xs_real_resolve() ? real
                                                         : __atomic_load_n(&xs_real_gated[row], __ATOMIC_RELAXED);
}

/* Puts `by` in the place of a function, for the wrappers and the library's own calls: `row`, or XS_ROW_COUNT and a
 * number of enum xs_gated. Returns what stood there; NULL: this driver has no such function, and nothing changed. After
 * xs_real_resolve, by one thread at a time; others may be in what stood there for a while. */
void *xs_real_replace(unsigned row, void *by);

/* What a program gets that calls the driver through xferspy's symbols while no driver is loaded. */
#define XS_NO_DRIVER CUDA_ERROR_SHARED_OBJECT_INIT_FAILED

/* In a forked child: makes the lock anew, which a thread that is not there may hold. */
void xs_real_forget(void);

/* The wrapper of an address of the driver, or the address itself where no row has it. Any thread. */
void *xs_real_wrapped(void *real);

/* The wrapper of a row by its name; NULL: there is no such row. */
void *xs_wrapper_by_name(const char *name);

/* Functions of the driver that xferspy calls itself and does not wrap, one row each. xs_driver(name) is the
 * function, or NULL where this driver has none. */
#define XS_DRIVER_FUNCTIONS(X)                                                                                         \
    X(cuCtxGetCurrent)                                                                                                 \
    X(cuCtxGetDevice)                                                                                                  \
    X(cuCtxPushCurrent_v2)                                                                                             \
    X(cuCtxSynchronize)                                                                                                \
    X(cuCtxRecordEvent)                                                                                                \
    X(cuEventQuery)                                                                                                    \
    X(cuEventDestroy_v2)                                                                                               \
    X(cuCtxPopCurrent_v2)                                                                                              \
    X(cuStreamIsCapturing)                                                                                             \
    X(cuMemGetAddressRange_v2)                                                                                         \
    X(cuMemGetAllocationPropertiesFromHandle)                                                                          \
    X(cuDevicePrimaryCtxGetState)                                                                                      \
    X(cuDriverGetVersion)                                                                                              \
    X(cuDeviceGetCount)                                                                                                \
    X(cuDeviceGet)                                                                                                     \
    X(cuDeviceGetName)                                                                                                 \
    X(cuDeviceGetAttribute)                                                                                            \
    X(cuDeviceGetUuid_v2)                                                                                              \
    X(cuDeviceGetPCIBusId)                                                                                             \
    X(cuDeviceTotalMem_v2)                                                                                             \
    X(cuCtxGetStreamPriorityRange)                                                                                     \
    X(cuThreadExchangeStreamCaptureMode)                                                                               \
    X(cuModuleLoadData)                                                                                                \
    X(cuModuleGetFunction)                                                                                             \
    X(cuFuncLoad)                                                                                                      \
    X(cuMemHostGetDevicePointer_v2)                                                                                    \
    X(cuEventCreate)                                                                                                   \
    X(cuPointerGetAttribute)                                                                                           \
    X(cuFuncGetParamInfo)                                                                                              \
    X(cuKernelGetParamInfo)

enum xs_driver_function {
#define X(name) XS_DRIVER_##name,
    XS_DRIVER_FUNCTIONS(X)
#undef X
        XS_DRIVER_COUNT
};
extern void *xs_driver_functions[XS_DRIVER_COUNT];
#define xs_driver(name) ((__typeof__(&name))xs_driver_functions[XS_DRIVER_##name])

#endif
