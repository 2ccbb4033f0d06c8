/* The runtime's copies of boxes (cudaMemcpy3DParms), for graph nodes that contain one. */
#ifndef XS_SIM_CUDART_COPY_ND_H
#define XS_SIM_CUDART_COPY_ND_H

#include "cudart.h"

/* Converts the runtime's parameters of a box copy to the driver's. */
cudaError_t xs_rt_box(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out);

#endif
