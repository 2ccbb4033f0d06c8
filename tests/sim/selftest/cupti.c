/* CUPTI: callbacks and records agree with the calls, graphs and migrations included; one subscriber at a time. */
#include <cupti.h>
#include <pthread.h>

#include "driver.h"

static struct { unsigned enters, exits, last_copy, last_launch, last_graph; } seen;
static struct {
    CUpti_ActivityKind kind;
    unsigned correlation;
    uint64_t bytes, start, end, node;
    unsigned copy_kind, src_kind, dst_kind;
} records[4096];
static unsigned record_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void CUPTIAPI callback(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId cbid, const void *raw) {
    const CUpti_CallbackData *call = raw;
    (void)data;
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API)
        return;
    if (call->callbackSite == CUPTI_API_EXIT) {
        seen.exits++;
        OK(*(CUresult *)call->functionReturnValue);
        SAME(*call->correlationData, call->correlationId);
        return;
    }
    seen.enters++;
    *call->correlationData = call->correlationId;
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2) {
        SAME(((const cuMemcpyHtoD_v2_params *)call->functionParams)->ByteCount, 1000);
        CHECK(strcmp(call->functionName, "cuMemcpyHtoD_v2") == 0);
        seen.last_copy = call->correlationId;
    }
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel) {
        CHECK(strcmp(call->symbolName, "xs_add_one_u8") == 0);
        seen.last_launch = call->correlationId;
    }
    if (cbid == CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch)
        seen.last_graph = call->correlationId;
}

static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *max) {
    *size = 1024; /* small, so that many fill up */
    *buffer = aligned_alloc(8, *size);
    *max = 0;
}

static void CUPTIAPI take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    pthread_mutex_lock(&lock);
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        CHECK(record_count < 4096);
        records[record_count].kind = record->kind;
        if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            const CUpti_ActivityMemcpy6 *copy = (const void *)record;
            records[record_count].correlation = copy->correlationId;
            records[record_count].bytes = copy->bytes;
            records[record_count].start = copy->start;
            records[record_count].end = copy->end;
            records[record_count].node = copy->graphNodeId;
            records[record_count].copy_kind = copy->copyKind;
            records[record_count].src_kind = copy->srcKind;
            records[record_count].dst_kind = copy->dstKind;
        } else if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            const CUpti_ActivityKernel10 *ran = (const void *)record;
            records[record_count].correlation = ran->correlationId;
            CHECK(strcmp(ran->name, "xs_add_one_u8") == 0);
        } else if (record->kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) {
            const CUpti_ActivityUnifiedMemoryCounter3 *moved = (const void *)record;
            records[record_count].bytes = moved->value;
            records[record_count].copy_kind = moved->counterKind;
        } else if (record->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
            records[record_count].bytes = ((const CUpti_ActivityMemset4 *)(const void *)record)->bytes;
        }
        record_count++;
    }
    pthread_mutex_unlock(&lock);
    free(buffer);
}

static unsigned count(CUpti_ActivityKind kind) {
    unsigned n = 0;
    OK(cuptiActivityFlushAll(1));
    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < record_count; i++)
        n += records[i].kind == kind;
    pthread_mutex_unlock(&lock);
    return n;
}

static unsigned last(CUpti_ActivityKind kind) {
    CHECK(count(kind) > 0);
    for (unsigned i = record_count; i-- > 0;)
        if (records[i].kind == kind)
            return i;
    abort();
}

static uint64_t moved(unsigned direction) {
    uint64_t bytes = 0;
    OK(cuptiActivityFlushAll(1));
    for (unsigned i = 0; i < record_count; i++)
        if (records[i].kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER && records[i].copy_kind == direction)
            bytes += records[i].bytes;
    return bytes;
}

static void migrations(void) {
    CUpti_ActivityUnifiedMemoryCounterConfig config[2] = {
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, 0, 1},
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, 0, 1}};
    CUdeviceptr managed;
    CUmemLocation host = {CU_MEM_LOCATION_TYPE_HOST, 0};
    OK(cuptiActivityConfigureUnifiedMemoryCounter(config, 2));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
    OK(cuMemAllocManaged(&managed, 256 * 1024, CU_MEM_ATTACH_GLOBAL));
    memset((void *)managed, 1, 256 * 1024);
    add_one(NULL, managed, 256 * 1024);
    add_one(NULL, managed, 256 * 1024);
    OK(cuCtxSynchronize());
    SAME(moved(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD), 256 * 1024);
    OK(cuMemPrefetchAsync(managed, 128 * 1024, host, 0, NULL));
    OK(cuCtxSynchronize());
    SAME(moved(CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH), 128 * 1024);
    OK(cuMemFree(managed));
}

static void graph(CUdeviceptr d, unsigned char *pinned) {
    CUstream stream;
    CUgraph captured;
    CUgraphExec exec;
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemcpyHtoDAsync(d, pinned, 512, stream));
    OK(cuStreamEndCapture(stream, &captured));
    OK(cuGraphInstantiate(&exec, captured, 0));
    unsigned before = count(CUPTI_ACTIVITY_KIND_MEMCPY);
    for (int i = 0; i < 2; i++)
        OK(cuGraphLaunch(exec, stream));
    OK(cuStreamSynchronize(stream));
    SAME(count(CUPTI_ACTIVITY_KIND_MEMCPY), before + 2);
    unsigned i = last(CUPTI_ACTIVITY_KIND_MEMCPY);
    SAME(records[i].correlation, seen.last_graph);
    CHECK(records[i].node != 0);
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(captured));
    OK(cuStreamDestroy(stream));
}

int main(void) {
    CUpti_SubscriberHandle handle, second;
    uint32_t version, id;
    unsigned char host[1000] = {0}, *pinned;
    CUdeviceptr d;
    uint64_t before, after;
    OK(cuptiGetVersion(&version));
    SAME(version, 130001);
    OK(cuptiSubscribe(&handle, callback, NULL));
    SAME(cuptiSubscribe(&second, callback, NULL), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    OK(cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2));
    OK(cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel));
    OK(cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch));
    OK(cuptiActivityRegisterCallbacks(give, take));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
    CUcontext context = start();
    OK(cuptiGetContextId(context, &id));
    CHECK(id != 0);
    OK(cuMemAlloc(&d, 4096));
    OK(cuMemHostAlloc((void **)&pinned, 4096, 0));
    OK(cuptiGetTimestamp(&before));
    OK(cuMemcpyHtoD(d, host, 1000));
    add_one(NULL, d, 1000);
    OK(cuCtxSynchronize());
    OK(cuptiGetTimestamp(&after));
    unsigned i = last(CUPTI_ACTIVITY_KIND_MEMCPY);
    SAME(records[i].correlation, seen.last_copy);
    SAME(records[i].bytes, 1000);
    CHECK(records[i].copy_kind == 1 && records[i].src_kind == 1 && records[i].dst_kind == 3);
    CHECK(records[i].start >= before && records[i].start < records[i].end && records[i].end <= after);
    SAME(records[last(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)].correlation, seen.last_launch);
    OK(cuMemcpyDtoH(pinned, d, 1000));
    i = last(CUPTI_ACTIVITY_KIND_MEMCPY);
    CHECK(records[i].copy_kind == 2 && records[i].dst_kind == 2);
    OK(cuMemsetD8(d, 1, 77));
    OK(cuCtxSynchronize());
    SAME(records[last(CUPTI_ACTIVITY_KIND_MEMSET)].bytes, 77);
    CHECK(count(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION) >= 2);
    unsigned copies = count(CUPTI_ACTIVITY_KIND_MEMCPY);
    for (int n = 0; n < 200; n++)
        OK(cuMemcpyHtoD(d, host, 1000));
    OK(cuCtxSynchronize());
    SAME(count(CUPTI_ACTIVITY_KIND_MEMCPY), copies + 200);
    graph(d, pinned);
    migrations();
    SAME(seen.enters, seen.exits);
    OK(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY));
    copies = count(CUPTI_ACTIVITY_KIND_MEMCPY);
    OK(cuptiUnsubscribe(handle));
    OK(cuMemcpyHtoD(d, host, 999));
    OK(cuCtxSynchronize());
    SAME(count(CUPTI_ACTIVITY_KIND_MEMCPY), copies);
    OK(cuptiSubscribe(&second, callback, NULL));
    OK(cuptiUnsubscribe(second));
    return 0;
}
