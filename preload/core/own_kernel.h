/* Defines the name of the only kernel that the library itself launches. The kernel computes fingerprints of contents
 * (fingerprint/hash_tree.cu). CUPTI reports the kernel's launches with this name, and these launches are left out of
 * the trace. C files and CUDA files include this file. */
#ifndef XFERSPY_PRELOAD_CORE_OWN_KERNEL_H
#define XFERSPY_PRELOAD_CORE_OWN_KERNEL_H

#define XS_FINGERPRINT_KERNEL "xferspy_fingerprint"

#endif
