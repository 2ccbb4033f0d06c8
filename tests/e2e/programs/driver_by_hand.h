/* Functions of the driver for programs that load the driver themselves, by dlopen and by dlsym of the exact symbols,
 * and are not linked to libcuda. */
#ifndef XFERSPY_TESTS_E2E_DRIVER_BY_HAND_H
#define XFERSPY_TESTS_E2E_DRIVER_BY_HAND_H

#include <cuda.h>
#include <dlfcn.h>

#include "check.h"

struct by_hand {
    __typeof__(&cuInit) init;
    __typeof__(&cuDevicePrimaryCtxRetain) retain;
    __typeof__(&cuCtxSetCurrent) set_current;
    __typeof__(&cuMemAlloc_v2) alloc;
    __typeof__(&cuMemFree_v2) free;
    __typeof__(&cuMemcpyHtoD_v2) up;
    __typeof__(&cuMemcpyDtoH_v2) down;
};

static inline void by_hand_load(struct by_hand *d, void *(*find)(const char *symbol)) {
    *(void **)&d->init = find("cuInit");
    *(void **)&d->retain = find("cuDevicePrimaryCtxRetain");
    *(void **)&d->set_current = find("cuCtxSetCurrent");
    *(void **)&d->alloc = find("cuMemAlloc_v2");
    *(void **)&d->free = find("cuMemFree_v2");
    *(void **)&d->up = find("cuMemcpyHtoD_v2");
    *(void **)&d->down = find("cuMemcpyDtoH_v2");
}

/* Makes a context and an allocation, uploads `bytes` bytes, downloads and verifies them, and frees the allocation. */
static inline void by_hand_round_trip(struct by_hand *d, size_t bytes) {
    unsigned char *host = (unsigned char *)malloc(bytes), *back = (unsigned char *)calloc(1, bytes);
    CUdeviceptr device;
    CUcontext context;

    OK(d->init(0));
    OK(d->retain(&context, 0));
    OK(d->set_current(context));
    OK(d->alloc(&device, bytes));
    e2e_fill(host, bytes, 1);
    OK(d->up(device, host, bytes));
    OK(d->down(back, device, bytes));
    e2e_expect(back, bytes, 1);
    OK(d->free(device));
    free(host);
    free(back);
}

#endif
