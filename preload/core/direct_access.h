/* Detects whether this process's memory, on device or host, can be read and written without a CUDA call: by network
 * cards (RDMA), by disks (GPUDirect Storage), or by the processor through a mapping of GPU memory (GDRCopy). */
#ifndef XFERSPY_PRELOAD_CORE_DIRECT_ACCESS_H
#define XFERSPY_PRELOAD_CORE_DIRECT_ACCESS_H

#include <stdbool.h>

/* True if the process has a library that registers memory for such access, and the machine has a device that this
 * library needs, or cuFile is configured to need none (xs_direct_access_asked). The library alone proves little:
 * PyTorch links libcufile and NCCL loads libibverbs even on machines without the devices. xferspy does not learn which
 * memory is registered. Once the result was true, it stays true, because memory may stay registered after the library
 * was unloaded. Devices are looked for only if libraries were loaded since the last call, so a device that appears
 * later is found only after the next library is loaded.
 *
 * Any thread. Holds the loader's lock on the list of libraries for some hundred nanoseconds, and opens folders if
 * libraries were loaded since its last call. Signals are blocked during this work; errno is kept. */
bool xs_direct_access_is_possible(void);

/* Reads cuFile's environment variables. This function is called once, by the thread that starts the session, because
 * later another thread might change the environment at the same time. If `is_ignored`, xs_direct_access_is_possible
 * always returns false, because the user has promised that no such access touches memory that the program copies
 * (XFERSPY_DIRECT_ACCESS=no). */
void xs_direct_access_start(bool is_ignored);

/* Kinds of direct access. Each kind needs certain character devices in /dev; see xs_direct_access_asked for the one
 * exception. */
enum xs_direct_access {
    XS_DIRECT_NETWORK = 1, /* RDMA: verbs, Slingshot, Omni-Path */
    XS_DIRECT_STORAGE = 2, /* the kernel module nvidia-fs */
    XS_DIRECT_WINDOW = 4   /* the kernel module gdrdrv */
};

/* Returns the values of enum xs_direct_access for all character devices in `folder` and in its subfolder infiniband,
 * combined by a bitwise or. Returns 0 if the folder cannot be read. */
unsigned xs_direct_access_devices(const char *folder);

/* Returns the values of enum xs_direct_access for the devices by which the library with the file name `path` can reach
 * memory, combined by a bitwise or. 0: the library does not register memory. */
unsigned xs_direct_access_needs(const char *path);

/* True if the cuFile configuration in the file `path` requests PCI P2PDMA, by which disks reach the GPU without
 * nvidia-fs. */
bool xs_direct_access_asked(const char *path);

#endif
