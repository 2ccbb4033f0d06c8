/* Declares the addresses of the real driver's entry points, and finds the wrappers that belong to them. */
#ifndef XFERSPY_PRELOAD_DRIVER_REAL_H
#define XFERSPY_PRELOAD_DRIVER_REAL_H

#include <stdbool.h>
#include <stddef.h>

#include "preload/core/compiler.h"
#include "preload/driver/driver_api.h"
#include "preload/driver/entry_rows.h"

/* The functions that the wrappers call, indexed by enum xs_entry_row. An entry is the driver's function or its
 * replacement (xs_real_replace). NULL: this driver does not have the entry point. xs_real_resolve fills the array; any
 * thread reads it with relaxed loads. */
extern void *xs_real[XS_ROW_COUNT];

/* The function of the row `name`, for the library's own calls. NULL: this driver does not have it, or xs_real_resolve
 * was not called yet. */
#define xs_real_row(name) ((__typeof__(&name))__atomic_load_n(&xs_real[XS_ROW_##name], __ATOMIC_RELAXED))

/* Fills xs_real, xs_real_gated and xs_driver_functions from this process's libcuda.so.1, if that was not done yet.
 * False: no libcuda.so.1 is loaded. Any thread. */
bool xs_real_resolve(void);

/* True if libcuda.so.1 was loaded together with the program, and so is in the global scope. Any thread. */
bool xs_driver_is_linked(void);

/* Returns how many objects were loaded at the start of the program: the program itself and its libraries. They are the
 * first objects in the loader's list. */
unsigned xs_libraries_at_start(void);

/* Returns the real entry point of a row, for a wrapper. Resolves the driver first if no earlier call has done so; this
 * happens in programs that are linked to libcuda. */
XS_HOT void *xs_real_of(unsigned row) {
    void *real = __atomic_load_n(&xs_real[row], __ATOMIC_RELAXED);
    return XS_LIKELY(real != NULL) || !xs_real_resolve() ? real : __atomic_load_n(&xs_real[row], __ATOMIC_RELAXED);
}

/* Has the functions that are not recorded (gated_points.def), as xs_real has the recorded ones; indexed by enum
 * xs_gated. */
extern void *xs_real_gated[XS_GATED_COUNT];
XS_HOT void *xs_real_gated_of(unsigned row) {
    void *real = __atomic_load_n(&xs_real_gated[row], __ATOMIC_RELAXED);
    return XS_LIKELY(real != NULL) || !xs_real_resolve() ? real
                                                         : __atomic_load_n(&xs_real_gated[row], __ATOMIC_RELAXED);
}

/* Replaces a function by `by`, for the wrappers and the library's own calls. `row` is an enum xs_entry_row, or
 * XS_ROW_COUNT plus an enum xs_gated. Returns the previous function; NULL: this driver does not have the function, and
 * nothing was changed. Must be called after xs_real_resolve, by one thread at a time; other threads may still call the
 * previous function for a while. */
void *xs_real_replace(unsigned row, void *by);

/* The wrappers return this result if the program calls them while no driver is loaded. */
#define XS_NO_DRIVER CUDA_ERROR_SHARED_OBJECT_INIT_FAILED

/* In a forked child: reinitializes the lock of xs_real_resolve, which a thread that no longer exists may hold. */
void xs_real_forget(void);

/* Returns the wrapper of the driver function at this address, or the address itself if it belongs to no row. Any
 * thread. */
void *xs_real_wrapped(void *real);

/* Returns the wrapper of the row with this name; NULL: there is no such row. */
void *xs_wrapper_by_name(const char *name);

/* Driver functions that xferspy calls itself and does not wrap, one per line. xs_driver(name) is the function; NULL:
 * this driver does not have it, or xs_real_resolve was not called yet. */
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
