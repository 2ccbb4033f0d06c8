/* Lets a program use CUPTI itself, by the functions of CUDA 13.3 that have a subscriber as parameter, so that several
 * subscribers can record in one process. The program looks these functions up itself, as profilers do. On the simulated
 * GPU they exist if XFERSPY_SIM_CUPTI_VERSION and XFERSPY_SIM_DRIVER_VERSION have the right values. */
#ifndef XFERSPY_E2E_OWN_SUBSCRIBER_H
#define XFERSPY_E2E_OWN_SUBSCRIBER_H

#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "check.h"
#include "preload/cupti/cupti_multi.h"

static struct {
    void *library;
    CUpti_SubscriberHandle handle;
    atomic_uint copies, buffers; /* number of copies and of buffers that the program got */
    atomic_ulong bytes;
} own;

#define OWN(name) ((__typeof__(&name))dlsym(own.library, #name))
#define X(name, parameters) typedef CUptiResult CUPTIAPI own_##name parameters;
XS_CUPTI_MULTI(X)
#undef X
#define OWN_MULTI(name) ((own_##name *)dlsym(own.library, #name))

/* False: CUPTI or the driver is too old, or there is no CUPTI. */
static inline bool own_subscriber_open(void) {
    uint32_t version = 0;
    int driver = 0;
    own.library = dlopen("libcupti.so.13", RTLD_NOW);
    return own.library != NULL && OWN(cuptiGetVersion)(&version) == CUPTI_SUCCESS && version >= XS_CUPTI_13_3_1 &&
           cuDriverGetVersion(&driver) == CUDA_SUCCESS && driver >= XS_CUPTI_MULTI_DRIVER;
}

static void CUPTIAPI own_subscriber_called(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                           const void *parameters) {
    (void)data, (void)domain, (void)id, (void)parameters;
}

static void CUPTIAPI own_subscriber_give(uint8_t **buffer, size_t *size, size_t *most, void *info) {
    (void)info;
    *size = 1 << 20;
    *most = 0;
    *buffer = aligned_alloc(64, *size);
}

static void CUPTIAPI own_subscriber_take(uint8_t *buffer, size_t size, size_t valid, void *info) {
    CUpti_Activity *record = NULL;
    (void)size, (void)info;
    while (valid > 0 && OWN_MULTI(cuptiActivityGetNextRecord_v2)(own.handle, buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            own.copies++;
            own.bytes += ((const CUpti_ActivityMemcpy6 *)record)->bytes;
        }
    }
    own.buffers++;
    free(buffer);
}

/* `allows`: other subscribers are permitted, too. */
static inline void own_subscriber_begin(bool allows) {
    struct xs_cupti_subscriber_params params = {
        .bytes = sizeof params, .name = "the program", .allow_multiple_subscribers = allows};
    OK(OWN(cuptiSubscribe_v2)(&own.handle, own_subscriber_called, NULL, (CUpti_SubscriberParams *)(void *)&params));
    OK(OWN_MULTI(cuptiActivityRegisterCallbacks_v2)(own.handle, own_subscriber_give, own_subscriber_take));
    OK(OWN_MULTI(cuptiActivityEnable_v2)(own.handle, CUPTI_ACTIVITY_KIND_MEMCPY, NULL));
}

static inline void own_subscriber_flush(void) { OK(OWN(cuptiActivityFlushAll)(1)); }

static inline void own_subscriber_end(void) {
    OK(OWN_MULTI(cuptiActivityDisable_v2)(own.handle, CUPTI_ACTIVITY_KIND_MEMCPY, NULL));
    own_subscriber_flush();
    OK(OWN(cuptiUnsubscribe)(own.handle));
}

static inline void own_subscriber_print(void) { printf("own records: %u copies, %lu bytes\n", own.copies, own.bytes); }

#endif
