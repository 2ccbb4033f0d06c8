/* Names the driver's results; see cuda_errors.h. */
#include "analyzer/trace/cuda_errors.h"

#include <inttypes.h>
#include <stdio.h>

const char *xs_cuda_error_name(int32_t result, char *buffer) {
    switch (result) {
#define XS_CUDA_ERROR(number, name)                                                                                    \
    case number:                                                                                                       \
        return "CUDA_ERROR_" #name;
#include "analyzer/trace/cuda_errors.def"
#undef XS_CUDA_ERROR
    default:
        snprintf(buffer, XS_CUDA_ERROR_BYTES, "error %" PRId32, result);
        return buffer;
    }
}
