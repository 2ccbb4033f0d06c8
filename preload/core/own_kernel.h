/* The name of the one kernel that the library launches itself, which fingerprints contents (fingerprint/tree.cu). CUPTI
 * tells of its launches by this name, and they are left out of the trace. Read by C and CUDA. */
#ifndef XFERSPY_PRELOAD_CORE_OWN_KERNEL_H
#define XFERSPY_PRELOAD_CORE_OWN_KERNEL_H

#define XS_FINGERPRINT_KERNEL "xferspy_fingerprint"

#endif
