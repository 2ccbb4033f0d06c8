/* The runtime's box copies, for the graph nodes that hold one. */
#ifndef XS_SIM_CUDART_COPY_ND_H
#define XS_SIM_CUDART_COPY_ND_H

#include "cudart.h"

/* The driver's form of a runtime box copy. */
cudaError_t xs_rt_box(const struct cudaMemcpy3DParms *p, CUDA_MEMCPY3D *out);

#endif
