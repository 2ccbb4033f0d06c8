/* Includes cuda.h with the names that the driver exports: every version and every per-thread-default-stream variant of
 * an entry point is declared under its exported name, and no macro maps a plain name to the newest version. All files
 * of preload include this file instead of cuda.h. */
#ifndef XFERSPY_PRELOAD_DRIVER_DRIVER_API_H
#define XFERSPY_PRELOAD_DRIVER_DRIVER_API_H

#if defined(__cuda_cuda_h__)
#error "include preload/driver/driver_api.h instead of cuda.h"
#endif
#define __CUDA_API_VERSION_INTERNAL 1
#include <cuda.h>

/* These declarations are from cudaProfiler.h, which some distributions have in a separate package. */
CUresult CUDAAPI cuProfilerStart(void);
CUresult CUDAAPI cuProfilerStop(void);

#if CUDA_VERSION < 13000
#error "xferspy is built with the headers of CUDA 13.0 or newer; it runs with older drivers"
#endif

#include "preload/driver/newer_api.h"

#endif
