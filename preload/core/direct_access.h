/* Detects whether others can read and write this process's memory, on device or host, without a CUDA call: network
 * cards (RDMA), disks (GPUDirect Storage), and the processor through a window of the GPU (GDRCopy). */
#ifndef XFERSPY_PRELOAD_CORE_DIRECT_ACCESS_H
#define XFERSPY_PRELOAD_CORE_DIRECT_ACCESS_H

#include <stdbool.h>

/* True if the process has, or has had, a library that registers memory for such access, and the machine has the device
 * that it needs. The library alone says little: PyTorch links libcufile and NCCL loads libibverbs on machines without
 * either. Nobody tells xferspy which memory is registered. The answer stays true, because memory may still be
 * registered. Devices are looked for only when new libraries were loaded, so a device that appears later counts from
 * the next library on.
 *
 * Any thread. Holds the loader's lock on the list of libraries for some hundred nanoseconds, and opens folders if
 * libraries were loaded since the last call. Signals are blocked meanwhile; errno is kept. */
bool xs_direct_access_is_possible(void);

/* Reads the environment (cuFile's variables), once, in the thread that starts the session: later, another thread may
 * change it meanwhile. If `is_ignored`, xs_direct_access_is_possible answers false from now on: the user promises that
 * no such access touches memory that the program copies (XFERSPY_DIRECT_ACCESS=no). */
void xs_direct_access_start(bool is_ignored);

/* Kinds of access that the devices of a folder like /dev allow. */
enum xs_direct_access {
    XS_DIRECT_NETWORK = 1, /* RDMA: verbs, Slingshot, Omni-Path */
    XS_DIRECT_STORAGE = 2, /* the kernel module nvidia-fs */
    XS_DIRECT_WINDOW = 4   /* the kernel module gdrdrv */
};

/* Returns the enum xs_direct_access values of all character devices in `folder`, or-ed; 0 if it cannot be read. */
unsigned xs_direct_access_devices(const char *folder);

/* Returns which of these devices the library in that file needs to reach memory; 0: it is no such library. */
unsigned xs_direct_access_needs(const char *path);

/* True if cuFile's configuration in that file asks for PCI P2PDMA, by which disks reach the GPU without nvidia-fs. */
bool xs_direct_access_asked(const char *path);

#endif
