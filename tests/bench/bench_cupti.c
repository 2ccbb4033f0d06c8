/* CUPTI's own cost: a library to preload that switches on what a profiler of copies needs and throws the records away.
 * The benchmark programs call xferspy_bench_begin_cupti at the moment at which xferspy would begin.
 *
 * BENCH_CUPTI=copies     MEMCPY records alone
 * BENCH_CUPTI=kernels    and kernels
 * BENCH_CUPTI=all        every kind and callback that xferspy asks for, kernels too
 * BENCH_CUPTI_LIBRARY    the file; default libcupti.so.13, then .12 */
#include <cupti.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    __typeof__(&cuptiSubscribe) subscribe;
    __typeof__(&cuptiEnableCallback) enable_callback;
    __typeof__(&cuptiActivityRegisterCallbacks) register_callbacks;
    __typeof__(&cuptiActivityEnable) enable;
    __typeof__(&cuptiActivityFlushAll) flush;
    __typeof__(&cuptiActivityConfigureUnifiedMemoryCounter) configure_migrations;
} cupti;

enum { BUFFER_BYTES = 1024 * 1024, BUFFERS = 64 };
static void *unused[BUFFERS]; /* buffers to use again; a slot is taken and given back by an exchange */

static void CUPTIAPI buffer_requested(uint8_t **buffer, size_t *bytes, size_t *max_records) {
    void *memory = NULL;
    for (int i = 0; i < BUFFERS && !memory; i++)
        memory = __atomic_exchange_n(&unused[i], NULL, __ATOMIC_ACQ_REL);
    *buffer = memory ? memory : malloc(BUFFER_BYTES);
    *bytes = BUFFER_BYTES;
    *max_records = 0;
}

static void CUPTIAPI buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t valid) {
    (void)context;
    (void)stream;
    (void)bytes;
    (void)valid;
    for (int i = 0; i < BUFFERS; i++) {
        void *expected = NULL;
        if (__atomic_compare_exchange_n(&unused[i], &expected, buffer, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            return;
    }
    free(buffer);
}

static void CUPTIAPI on_call(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info) {
    (void)data;
    (void)domain;
    (void)id;
    (void)info;
}

static void flush(void) { cupti.flush(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED); }

static void check(CUptiResult result, const char *what) {
    if (result != CUPTI_SUCCESS) {
        fprintf(stderr, "bench_cupti: %s: error %d\n", what, (int)result);
        exit(1);
    }
}

static void load(void) {
    const char *file = getenv("BENCH_CUPTI_LIBRARY");
    void *handle = file && *file ? dlopen(file, RTLD_NOW) : dlopen("libcupti.so.13", RTLD_NOW);
    if (!handle && !(file && *file))
        handle = dlopen("libcupti.so.12", RTLD_NOW);
    if (!handle) {
        fprintf(stderr, "bench_cupti: %s\n", dlerror());
        exit(1);
    }
    *(void **)&cupti.subscribe = dlsym(handle, "cuptiSubscribe");
    *(void **)&cupti.enable_callback = dlsym(handle, "cuptiEnableCallback");
    *(void **)&cupti.register_callbacks = dlsym(handle, "cuptiActivityRegisterCallbacks");
    *(void **)&cupti.enable = dlsym(handle, "cuptiActivityEnable");
    *(void **)&cupti.flush = dlsym(handle, "cuptiActivityFlushAll");
    *(void **)&cupti.configure_migrations = dlsym(handle, "cuptiActivityConfigureUnifiedMemoryCounter");
}

/* Enables callbacks for those calls of the benchmark programs for which xferspy has callbacks. */
static void enable_callbacks(void) {
    static const CUpti_CallbackId ids[] = {
        CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2,      CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2,
        CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2,      CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2,
        CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoD_v2_ptds, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoH_v2_ptds, CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoHAsync_v2_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel,       CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz,
        CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,     CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    };
    static CUpti_SubscriberHandle subscriber;
    check(cupti.subscribe(&subscriber, on_call, NULL), "cuptiSubscribe");
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        check(cupti.enable_callback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, ids[i]), "cuptiEnableCallback");
}

/* Enables the other kinds. Kinds that a machine does not have (managed memory, for example) are left out, as in
 * xferspy. */
static void enable_other_kinds(void) {
    CUpti_ActivityUnifiedMemoryCounterConfig config[4];
    static const CUpti_ActivityUnifiedMemoryCounterKind counters[] = {
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_CPU_PAGE_FAULT_COUNT,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT,
    };
    memset(config, 0, sizeof config);
    for (int i = 0; i < 4; i++) {
        config[i].scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_ALL_DEVICES;
        config[i].kind = counters[i];
        config[i].enable = 1;
    }
    if (cupti.configure_migrations && cupti.configure_migrations(config, 4) == CUPTI_SUCCESS)
        cupti.enable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
    cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY2);
    cupti.enable(CUPTI_ACTIVITY_KIND_MEMSET);
    cupti.enable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
}

__attribute__((visibility("default"))) void xferspy_bench_begin_cupti(void);
void xferspy_bench_begin_cupti(void) {
    const char *what = getenv("BENCH_CUPTI");
    if (!what)
        what = "copies";
    load();
    check(cupti.register_callbacks(buffer_requested, buffer_completed), "cuptiActivityRegisterCallbacks");
    if (strcmp(what, "all") == 0) {
        enable_callbacks();
        enable_other_kinds();
    }
    check(cupti.enable(CUPTI_ACTIVITY_KIND_MEMCPY), "cuptiActivityEnable of copies");
    if (strcmp(what, "copies") != 0)
        check(cupti.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "cuptiActivityEnable of kernels");
    atexit(flush);
}
