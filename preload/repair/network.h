/* Libraries by which memory is reached without a call of CUDA: network cards and disks that read and write it. */
#ifndef XFERSPY_PRELOAD_REPAIR_NETWORK_H
#define XFERSPY_PRELOAD_REPAIR_NETWORK_H

#include <stdbool.h>

/* Whether the process has, or has had, a library that registers memory with a device other than the GPU (verbs, UCX,
 * libfabric, cuFile, a network plugin of NCCL). Nobody tells the library which memory that is. Any thread; takes the
 * loader's lock for the list of libraries for some hundred nanoseconds, and longer when libraries came since the last
 * time. */
bool xs_network_is_loaded(void);

#endif
