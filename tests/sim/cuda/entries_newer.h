/* The driver entry points that the toolkit's headers do not have (newer.h): one row each.
 *
 * NEWER (name, symbol, since, (parameters), (arguments)) has the same columns as in the other tables. Each entry point
 * has a second symbol with _ptsz, and no parameters structure in CUPTI. */

NEWER(cuMemcpyWithAttributesAsync, cuMemcpyWithAttributesAsync, 13020,
      (CUdeviceptr dst, CUdeviceptr src, size_t bytes, CUmemcpyAttributes *attributes, CUstream stream),
      (dst, src, bytes, attributes, stream))
NEWER(cuMemcpy3DWithAttributesAsync, cuMemcpy3DWithAttributesAsync, 13020,
      (CUDA_MEMCPY3D_BATCH_OP * op, unsigned long long flags, CUstream stream), (op, flags, stream))
NEWER(cuLaunchHostFunc, cuLaunchHostFunc_v2, 13020, (CUstream stream, CUhostFn fn, void *data, unsigned int syncMode),
      (stream, fn, data, syncMode))
NEWER(cuStreamBeginCaptureToCig, cuStreamBeginCaptureToCig, 13020, (CUstream stream, CUstreamCigCaptureParams *params),
      (stream, params))
NEWER(cuStreamEndCaptureToCig, cuStreamEndCaptureToCig, 13020, (CUstream stream), (stream))
NEWER(cuFuncGetParamCount, cuFuncGetParamCount, 13020, (CUfunction function, size_t *count), (function, count))
/* Fills device memory if the other parameters have arrived unchanged: `sum` must be the sum of the five parameters
 * after it. */
NEWER(cuSomethingNew, cuSomethingNew, 99000,
      (CUdeviceptr dst, size_t bytes, CUstream stream, double sum, int a, int b, int c, int d, int e,
       unsigned char value),
      (dst, bytes, stream, sum, a, b, c, d, e, value))
/* Writes 1 to the address that its parameter contains. */
NEWER(cuSomethingOut, cuSomethingOut, 99000, (unsigned *out), (out))
