/* Lets a program use CUPTI itself, as torch.profiler does, by functions that the program looks up. */
#ifndef XFERSPY_E2E_OWN_CUPTI_H
#define XFERSPY_E2E_OWN_CUPTI_H

#include <cupti.h>
#include <dlfcn.h>

#include "check.h"

/* Called for each record that the program gets. Each program defines this function. */
static void own_cupti_got(const CUpti_Activity *record);

static struct {
    void *library;
    CUpti_SubscriberHandle subscriber;
    __typeof__(&cuptiSubscribe) subscribe;
    __typeof__(&cuptiUnsubscribe) unsubscribe;
    __typeof__(&cuptiActivityRegisterCallbacks) register_callbacks;
    __typeof__(&cuptiActivityEnable) enable;
    __typeof__(&cuptiActivityDisable) disable;
    __typeof__(&cuptiActivityFlushAll) flush_all;
    __typeof__(&cuptiActivityGetNextRecord) next_record;
} own_cupti;

/* False: there is no CUPTI here. */
static inline int own_cupti_open(void) {
    own_cupti.library = dlopen("libcupti.so.13", RTLD_NOW);
    return own_cupti.library != NULL;
}

static inline void *own_cupti_symbol(const char *name) {
    void *symbol = dlsym(own_cupti.library, name);
    REQUIRE(symbol != NULL);
    return symbol;
}

static inline void own_cupti_find(void) {
    *(void **)&own_cupti.subscribe = own_cupti_symbol("cuptiSubscribe");
    *(void **)&own_cupti.unsubscribe = own_cupti_symbol("cuptiUnsubscribe");
    *(void **)&own_cupti.register_callbacks = own_cupti_symbol("cuptiActivityRegisterCallbacks");
    *(void **)&own_cupti.enable = own_cupti_symbol("cuptiActivityEnable");
    *(void **)&own_cupti.disable = own_cupti_symbol("cuptiActivityDisable");
    *(void **)&own_cupti.flush_all = own_cupti_symbol("cuptiActivityFlushAll");
    *(void **)&own_cupti.next_record = own_cupti_symbol("cuptiActivityGetNextRecord");
}

static void CUPTIAPI own_cupti_called(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                      const void *parameters) {
    (void)data, (void)domain, (void)id, (void)parameters;
}

static void CUPTIAPI own_cupti_give(uint8_t **buffer, size_t *size, size_t *most) {
    *size = 1 << 20;
    *most = 0;
    *buffer = aligned_alloc(64, *size);
}

static void CUPTIAPI own_cupti_take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    while (valid > 0 && own_cupti.next_record(buffer, valid, &record) == CUPTI_SUCCESS)
        own_cupti_got(record);
    free(buffer);
}

static inline void own_cupti_subscribe(void) {
    OK(own_cupti.subscribe(&own_cupti.subscriber, own_cupti_called, NULL));
    OK(own_cupti.register_callbacks(own_cupti_give, own_cupti_take));
}

#endif
