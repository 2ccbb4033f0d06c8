/* The simulated CUDA runtime's shared declarations: how a runtime function is defined, and how it reaches the
 * driver. */
#ifndef XS_SIM_CUDART_H
#define XS_SIM_CUDART_H

#define __CUDA_API_VERSION_INTERNAL 1
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define XS_EXPORT __attribute__((visibility("default")))

CUresult cuProfilerStart(void); /* declared in cudaProfiler.h */
CUresult cuProfilerStop(void);

/* The driver's functions, as cuGetProcAddress returned them. There is one table for each kind of default stream. */
struct xs_rt_driver {
#define DRIVER(name, symbol, since) __typeof__(symbol) *name;
#include "cudart_entries.h"
#undef DRIVER
};

/* Returns the table for the kind of default stream that the call in progress uses. */
const struct xs_rt_driver *xs_rt_driver(void);
#define DRV(name) (xs_rt_driver()->name)

/* xs_rt_load loads the driver and initialises it; xs_rt_ready also makes a device current. */
cudaError_t xs_rt_load(void);
cudaError_t xs_rt_ready(void);
cudaError_t xs_rt_context_of(int device, CUcontext *out);
void *xs_rt_driver_symbol(const char *name);

/* Called at the beginning and at the end of every exported function: they set the kind of default stream and the last
 * error. */
bool xs_rt_enter(bool per_thread);
cudaError_t xs_rt_leave(bool outer, cudaError_t result);

/* These find the device's function or variable that was registered for a host address (cudart_register.c). */
cudaError_t xs_rt_function(const void *host, CUfunction *out);
cudaError_t xs_rt_variable(const void *host, CUdeviceptr *address, size_t *bytes);

static inline cudaError_t xs_rt_error(CUresult result) {
    return (cudaError_t)result; /* the numbers are the same since CUDA 10.1 */
}

#define TRY(expression)                                                                                                \
    do {                                                                                                               \
        cudaError_t try_result = (expression);                                                                         \
        if (try_result != cudaSuccess)                                                                                 \
            return try_result;                                                                                         \
    } while (0)

#define XS_RT_DEFINE(exported, name, params, args, per_thread)                                                         \
    XS_EXPORT cudaError_t exported params;                                                                             \
    XS_EXPORT cudaError_t exported params {                                                                            \
        bool outer = xs_rt_enter(per_thread);                                                                          \
        return xs_rt_leave(outer, rt_##name args);                                                                     \
    }

/* RT(name, (parameters), (arguments)) { body } defines an exported function, whose body becomes the function rt_name.
 * Functions defined by RT_PTDS and RT_PTSZ have a second symbol, for programs whose default stream is per thread. */
#define RT(name, params, args)                                                                                         \
    static cudaError_t rt_##name params;                                                                               \
    XS_RT_DEFINE(name, name, params, args, false)                                                                      \
    static cudaError_t rt_##name params
#define RT_PTDS(name, params, args)                                                                                    \
    static cudaError_t rt_##name params;                                                                               \
    XS_RT_DEFINE(name, name, params, args, false)                                                                      \
    XS_RT_DEFINE(name##_ptds, name, params, args, true)                                                                \
    static cudaError_t rt_##name params
#define RT_PTSZ(name, params, args)                                                                                    \
    static cudaError_t rt_##name params;                                                                               \
    XS_RT_DEFINE(name, name, params, args, false)                                                                      \
    XS_RT_DEFINE(name##_ptsz, name, params, args, true)                                                                \
    static cudaError_t rt_##name params

/* The body of a function that only calls a function of the driver. */
#define PASS_BODY(call)                                                                                                \
    {                                                                                                                  \
        TRY(xs_rt_ready());                                                                                            \
        return xs_rt_error(call);                                                                                      \
    }

#endif
