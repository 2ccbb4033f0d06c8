/* Names the results that the driver's functions return. */
#ifndef XFERSPY_ANALYZER_TRACE_CUDA_ERRORS_H
#define XFERSPY_ANALYZER_TRACE_CUDA_ERRORS_H

#include <stdint.h>

#define XS_CUDA_ERROR(number, name) XS_CUDA_##name = number,
enum xs_cuda_error {
    XS_CUDA_SUCCESS = 0,
#include "analyzer/trace/cuda_errors.def"
};
#undef XS_CUDA_ERROR

enum { XS_CUDA_ERROR_BYTES = 64 };

/* Returns the name of a result, such as "CUDA_ERROR_ILLEGAL_ADDRESS". If the result has no name, the function writes
 * "error 4711" into `buffer`, which has XS_CUDA_ERROR_BYTES bytes, and returns `buffer`. */
const char *xs_cuda_error_name(int32_t result, char *buffer);

#endif
