/* Several subscribers of CUPTI: each gets the records of its own kinds in its own buffers, the global functions are
 * refused beside them, and one that leaves takes nothing from the others. */
#include <cupti.h>
#include <stdbool.h>

#include "driver.h"
#include "preload/cupti/cupti_multi.h"

#define X(name, parameters) CUptiResult CUPTIAPI name parameters;
XS_CUPTI_MULTI(X)
#undef X

static struct tool {
    CUpti_SubscriberHandle handle;
    unsigned copies, kernels, calls;
} first, second;

static void CUPTIAPI called(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info) {
    (void)domain, (void)id, (void)info;
    ((struct tool *)data)->calls++;
}

static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *most, void *info) {
    (void)info;
    *size = 4096;
    *most = 0;
    *buffer = aligned_alloc(8, *size);
}

static void take(struct tool *tool, uint8_t *buffer, size_t valid) {
    CUpti_Activity *record = NULL;
    while (cuptiActivityGetNextRecord_v2(tool->handle, buffer, valid, &record) == CUPTI_SUCCESS) {
        tool->copies += record->kind == CUPTI_ACTIVITY_KIND_MEMCPY;
        tool->kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    }
    free(buffer);
}

static void CUPTIAPI take_first(uint8_t *buffer, size_t size, size_t valid, void *info) {
    (void)size, (void)info;
    take(&first, buffer, valid);
}

static void CUPTIAPI take_second(uint8_t *buffer, size_t size, size_t valid, void *info) {
    (void)size, (void)info;
    take(&second, buffer, valid);
}

static CUptiResult subscribe(struct tool *tool, bool allows) {
    struct xs_cupti_subscriber_params params = {
        .bytes = sizeof params, .name = "self-test", .allow_multiple_subscribers = allows};
    return cuptiSubscribe_v2(&tool->handle, called, tool, (CUpti_SubscriberParams *)(void *)&params);
}

static void work(CUdeviceptr memory) {
    unsigned char host[64] = {0};
    OK(cuMemcpyHtoD(memory, host, sizeof host));
    add_one(NULL, memory, sizeof host);
    OK(cuMemcpyDtoH(host, memory, sizeof host));
    OK(cuptiActivityFlushAll(1));
}

static void refused_beside(void) {
    CUpti_SubscriberHandle handle;
    struct tool third = {0};
    uint64_t stamp = 0;
    CHECK(cuptiSubscribe(&handle, called, &third) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    CHECK(subscribe(&third, false) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    CHECK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY) == CUPTI_ERROR_NOT_COMPATIBLE);
    CHECK(cuptiGetTimestamp(&stamp) == CUPTI_ERROR_NOT_COMPATIBLE);
    OK(cuptiGetTimestamp_v2(first.handle, &stamp));
    CHECK(stamp != 0);
}

/* Only one, by the global functions, before and after. */
static void alone(void) {
    struct tool tool = {0}, other = {0};
    OK(cuptiSubscribe(&tool.handle, called, &tool));
    CHECK(subscribe(&other, true) == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    OK(cuptiUnsubscribe(tool.handle));
}

int main(void) {
    CUdeviceptr memory;
    start();
    OK(cuMemAlloc(&memory, 64));
    alone();
    OK(subscribe(&first, true));
    OK(subscribe(&second, true));
    refused_beside();
    OK(cuptiActivityRegisterCallbacks_v2(first.handle, give, take_first));
    OK(cuptiActivityRegisterCallbacks_v2(second.handle, give, take_second));
    OK(cuptiActivityEnable_v2(first.handle, CUPTI_ACTIVITY_KIND_MEMCPY, NULL));
    OK(cuptiActivityEnable_v2(second.handle, CUPTI_ACTIVITY_KIND_MEMCPY, NULL));
    OK(cuptiActivityEnable_v2(second.handle, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, NULL));
    OK(cuptiEnableCallback(1, second.handle, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2));
    work(memory);
    CHECK(first.copies == 2 && first.kernels == 0 && first.calls == 0);
    CHECK(second.copies == 2 && second.kernels == 1 && second.calls == 2);
    OK(cuptiFinalize()); /* nothing, because there are two */
    OK(cuptiActivityDisable_v2(first.handle, CUPTI_ACTIVITY_KIND_MEMCPY, NULL));
    work(memory);
    CHECK(first.copies == 2 && second.copies == 4 && second.kernels == 2);
    OK(cuptiUnsubscribe(first.handle));
    CHECK(cuptiUnsubscribe(first.handle) == CUPTI_ERROR_INVALID_PARAMETER);
    work(memory);
    CHECK(second.copies == 6 && second.kernels == 3 && second.calls == 6);
    OK(cuptiFinalize());
    CHECK(cuptiUnsubscribe(second.handle) == CUPTI_ERROR_INVALID_PARAMETER);
    alone();
    OK(cuMemFree(memory));
    return 0;
}
