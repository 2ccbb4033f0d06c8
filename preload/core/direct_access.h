/* Whether others can read and write memory of this process, on the device and on the host, without a call of CUDA:
 * network cards (RDMA), disks (GPUDirect Storage), and the processor through a window of the GPU's (GDRCopy). */
#ifndef XFERSPY_PRELOAD_CORE_DIRECT_ACCESS_H
#define XFERSPY_PRELOAD_CORE_DIRECT_ACCESS_H

#include <stdbool.h>

/* Whether the process has, or has had, a library by which memory is registered for such access, and the machine has the
 * device that it takes. The library alone says little: PyTorch links libcufile and NCCL loads libibverbs on machines
 * without either. Nobody tells xferspy which memory is registered. Once true it stays so, as memory may be registered
 * still. Devices are looked for when libraries came, so one that comes later counts from the next library on.
 *
 * Any thread. Takes the loader's lock for the list of libraries for some hundred nanoseconds, and opens folders when
 * libraries came since the last time. Signals wait meanwhile; errno stays. */
bool xs_direct_access_is_possible(void);

/* What the devices of a folder like /dev allow. */
enum xs_direct_access {
    XS_DIRECT_NETWORK = 1, /* RDMA: verbs, Slingshot, Omni-Path */
    XS_DIRECT_STORAGE = 2, /* the kernel module nvidia-fs */
    XS_DIRECT_WINDOW = 4   /* the kernel module gdrdrv */
};

/* The values of enum xs_direct_access of the character devices in `folder`, together; 0 if it cannot be read. */
unsigned xs_direct_access_devices(const char *folder);

/* Which of these devices the library of that file needs to reach memory; 0: it is no such library. */
unsigned xs_direct_access_needs(const char *path);

/* Whether cuFile's configuration in that file asks for PCI P2PDMA, by which disks reach the GPU without nvidia-fs. */
bool xs_direct_access_asked(const char *path);

#endif
