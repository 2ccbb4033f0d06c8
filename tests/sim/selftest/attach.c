/* CUPTI attached and detached again and again: records are exactly those of the windows, nothing of one attachment is
 * left in the next, and what it takes is what the environment says. Only the virtual clock's times are exact. */
#define _GNU_SOURCE /* a lock that prefers writers */
#include <cupti.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <time.h>

#include "driver.h"

#include "../clock/virtual_clock.h"

enum { ROUNDS = 20, US = 1000, MS = 1000000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct { unsigned copies, kernels, migrations, first_correlation, last_correlation; } got;
static CUpti_SubscriberHandle subscriber;
static CUdeviceptr memory;
static unsigned char *pinned;

static bool is_virtual(void) { return xs_virtual_clock_now != NULL; }

static unsigned long long now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (unsigned long long)t.tv_sec * 1000000000ull + (unsigned long long)t.tv_nsec;
}

static unsigned setting(const char *name) {
    const char *text = getenv(name);
    return text != NULL ? (unsigned)strtoul(text, NULL, 10) : 0;
}

/* `took` is what was asked for, and more only where time is real. */
static void takes(unsigned long long took, unsigned long long expected, unsigned long long calls) {
    CHECK(took >= expected);
    CHECK(!is_virtual() || took < expected + calls);
}

static void CUPTIAPI called(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info) {
    (void)data, (void)domain, (void)id, (void)info;
}

static void CUPTIAPI give(uint8_t **buffer, size_t *size, size_t *most) {
    *size = 4096; /* small, so that many fill up */
    *most = 0;
    *buffer = aligned_alloc(8, *size);
}

static void saw(unsigned correlation) {
    if (got.first_correlation == 0 || correlation < got.first_correlation)
        got.first_correlation = correlation;
    if (correlation > got.last_correlation)
        got.last_correlation = correlation;
}

static void CUPTIAPI take(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid) {
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)size;
    pthread_mutex_lock(&lock);
    while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
        if (record->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
            got.copies++;
            saw(((const CUpti_ActivityMemcpy6 *)(const void *)record)->correlationId);
        } else if (record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
            got.kernels++;
            saw(((const CUpti_ActivityKernel10 *)(const void *)record)->correlationId);
        } else if (record->kind == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER) {
            got.migrations++;
        }
    }
    pthread_mutex_unlock(&lock);
    free(buffer);
}

static void attach(void) {
    OK(cuptiSubscribe(&subscriber, called, NULL));
    OK(cuptiActivityRegisterCallbacks(give, take));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    memset(&got, 0, sizeof got);
}

static void detach(void) {
    OK(cuptiActivityFlushAll(1));
    OK(cuptiFinalize());
}

static void work(CUstream stream, CUgraphExec exec) {
    for (int i = 0; i < 100; i++) {
        OK(cuMemcpyHtoDAsync(memory, pinned, 4096, stream));
        add_one(stream, memory, 4096);
    }
    OK(cuGraphLaunch(exec, stream)); /* a copy and a kernel */
    OK(cuStreamSynchronize(stream));
}

static void windows(CUstream stream) {
    CUgraph graph;
    CUgraphExec exec;
    unsigned correlation = 0;
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    OK(cuMemcpyHtoDAsync(memory, pinned, 512, stream));
    add_one(stream, memory, 512);
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    for (int i = 0; i < ROUNDS; i++) {
        attach();
        work(stream, exec);
        detach();
        CHECK(got.copies == 101 && got.kernels == 101);
        CHECK(got.first_correlation > correlation); /* they go on */
        correlation = got.last_correlation;
        work(stream, exec);
        CHECK(got.copies == 101 && got.kernels == 101);
    }
    OK(cuGraphExecDestroy(exec));
    OK(cuGraphDestroy(graph));
}

/* Neither what nobody flushed nor what was running comes in a later attachment, nor what was queued between two. */
static void what_is_lost(CUstream stream, CUstream other) {
    attach();
    OK(cuMemcpyHtoDAsync(memory, pinned, 4096, stream));
    OK(cuStreamSynchronize(stream));
    OK(cuptiFinalize());
    attach();
    spin(stream, 50 * MS);
    OK(cuMemcpyHtoDAsync(memory, pinned, 4096, stream));
    OK(cuptiFinalize());
    spin(stream, 50 * MS);
    attach();
    OK(cuMemcpyHtoDAsync(memory, pinned, 4096, other)); /* the only one that has a record */
    OK(cuStreamSynchronize(other));
    OK(cuStreamSynchronize(stream));
    detach();
    CHECK(got.copies == 1 && got.kernels == 0);
}

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void CUDA_CB wait_for_gate(void *data) {
    (void)data;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
}

/* A forced flush gives everything that is complete, another one no buffer with a place that is not filled yet. */
static void flushes(CUstream stream, CUstream other) {
    attach();
    pthread_mutex_lock(&gate);
    OK(cuLaunchHostFunc(stream, wait_for_gate, NULL));
    add_one(stream, memory, 4096);
    OK(cuMemcpyHtoDAsync(memory, pinned, 4096, other));
    OK(cuStreamSynchronize(other));
    OK(cuptiActivityFlushAll(0));
    if (getenv("XS_SELFTEST_PTX") == NULL)
        SAME(got.copies, 0);
    OK(cuptiActivityFlushAll(1));
    SAME(got.copies, 1);
    SAME(got.kernels, 0);
    pthread_mutex_unlock(&gate);
    OK(cuStreamSynchronize(stream));
    OK(cuptiActivityFlushAll(0));
    SAME(got.kernels, 1);
    detach();
}

static void nothing_is_left(void) {
    uint32_t on = 1;
    uint64_t before, after;
    size_t bytes = sizeof(size_t), usual, value = 12345;
    CUpti_SubscriberHandle second;
    attach();
    OK(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &bytes, &usual));
    OK(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &bytes, &value));
    OK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API));
    SAME(cuptiSubscribe(&second, called, NULL), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
    OK(cuptiGetTimestamp(&before));
    OK(cuptiFinalize());
    OK(cuptiGetTimestamp(&after));
    CHECK(after >= before);
    if (getenv("XS_SELFTEST_PTX") == NULL)
        SAME(cuptiActivityFlushAll(1), CUPTI_ERROR_INVALID_OPERATION);
    OK(cuptiSubscribe(&second, called, NULL)); /* as an application may */
    OK(cuptiGetCallbackState(&on, second, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2));
    SAME(on, 0);
    OK(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &bytes, &value));
    SAME(value, usual);
    OK(cuptiFinalize());
    OK(cuptiFinalize()); /* of nothing */
}

/* ---- other threads ---- */

enum { THREADS = 4, WINDOWS = 20, AT_ONCE = 5 };

static pthread_rwlock_t driver_gate = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
static unsigned long rounds_done; /* under the lock */
static bool stop;
static CUcontext context;

struct worker {
    CUstream stream;
    CUdeviceptr memory;
    CUgraphExec exec; /* a copy and a kernel */
};

static void copy_and_launch(const struct worker *w) {
    OK(cuMemcpyHtoDAsync(w->memory, pinned, 64, w->stream));
    add_one(w->stream, w->memory, 64);
}

static void start_worker(struct worker *w) {
    CUgraph graph;
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&w->stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&w->memory, 64));
    OK(cuStreamBeginCapture(w->stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    copy_and_launch(w);
    OK(cuStreamEndCapture(w->stream, &graph));
    OK(cuGraphInstantiate(&w->exec, graph, 0));
    OK(cuGraphDestroy(graph));
}

static void end_worker(struct worker *w) {
    OK(cuGraphExecDestroy(w->exec));
    OK(cuMemFree(w->memory));
    OK(cuStreamDestroy(w->stream));
}

static void *work_behind_gate(void *data) {
    struct worker w = {0};
    for (bool over = false; !over;) {
        pthread_rwlock_rdlock(&driver_gate);
        if (w.exec == NULL)
            start_worker(&w);
        for (int i = 0; i < AT_ONCE; i++)
            copy_and_launch(&w);
        OK(cuGraphLaunch(w.exec, w.stream));
        OK(cuStreamSynchronize(w.stream));
        pthread_mutex_lock(&lock);
        rounds_done++;
        over = stop;
        pthread_mutex_unlock(&lock);
        if (over)
            end_worker(&w);
        pthread_rwlock_unlock(&driver_gate);
    }
    return data;
}

static unsigned long rounds_so_far(void) {
    pthread_mutex_lock(&lock);
    unsigned long rounds = rounds_done;
    pthread_mutex_unlock(&lock);
    return rounds;
}

/* Until the threads have done some more rounds. */
static void let_them_work(void) {
    for (unsigned long until = rounds_so_far() + 2 * THREADS; rounds_so_far() < until;)
        sched_yield();
}

/* If no thread is in the driver at either end of an attachment, the records are exactly those of the work that was
 * done in it. */
static void windows_of_threads(void) {
    pthread_t threads[THREADS];
    OK(cuCtxGetCurrent(&context));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_create(&threads[i], NULL, work_behind_gate, NULL));
    for (int i = 0; i < WINDOWS; i++) {
        let_them_work();
        pthread_rwlock_wrlock(&driver_gate);
        unsigned long before = rounds_so_far();
        attach();
        pthread_rwlock_unlock(&driver_gate);
        let_them_work();
        pthread_rwlock_wrlock(&driver_gate);
        detach();
        unsigned long rounds = rounds_so_far() - before;
        SAME(got.copies, rounds * (AT_ONCE + 1));
        SAME(got.kernels, rounds * (AT_ONCE + 1));
        pthread_rwlock_unlock(&driver_gate);
    }
    pthread_mutex_lock(&lock);
    stop = true;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(threads[i], NULL));
}

/* ---- managed memory ---- */

static void count_migrations(unsigned on) {
    CUpti_ActivityUnifiedMemoryCounterConfig config[3] = {
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT, 0, on},
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, 0, on},
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
         CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, 0, on}};
    if (!on)
        OK(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
    OK(cuptiActivityConfigureUnifiedMemoryCounter(config, 3));
    if (on)
        OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER));
}

/* Reads the records of the current context so far. */
static unsigned migrations_after_one(CUdevice device) {
    CUdeviceptr managed;
    OK(cuMemAllocManaged(&managed, 256 * 1024, CU_MEM_ATTACH_GLOBAL));
    memset((void *)managed, 1, 256 * 1024);
    OK(cuMemPrefetchAsync(managed, 256 * 1024, (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, device}, 0, NULL));
    OK(cuCtxSynchronize());
    OK(cuptiActivityFlushAll(1));
    OK(cuMemFree(managed));
    return got.migrations;
}

/* A kernel that two faults hold up. */
static unsigned long long faults_take(void) {
    CUdeviceptr managed;
    OK(cuMemAllocManaged(&managed, 4 << 20, CU_MEM_ATTACH_GLOBAL));
    unsigned long long begin = now();
    add_one(NULL, managed, 64);
    OK(cuCtxSynchronize());
    unsigned long long took = now() - begin;
    OK(cuMemFree(managed));
    return took;
}

/* Recording a fault holds its kernel up for longer. */
static void faults(void) {
    const unsigned long long fault = setting("XFERSPY_SIM_CUPTI_FAULT_NS");
    faults_take(); /* loads the kernel */
    OK(cuptiActivityFlushAll(1));
    unsigned before = got.migrations;
    unsigned long long recorded = faults_take();
    OK(cuptiActivityFlushAll(1));
    SAME(got.migrations - before, 4); /* and two migrations */
    CHECK(recorded >= 2 * fault);
    count_migrations(0);
    unsigned long long bare = faults_take();
    count_migrations(1);
    CHECK(!is_virtual() || recorded == bare + 2 * fault);
}

/* CUPTI has to see how a context is made, and its first cuptiFinalize is the end of all counting. */
static void migrations(void) {
    unsigned long long begin, patience = setting("XFERSPY_SIM_CUPTI_COUNTERS_MS") * (unsigned long long)MS;
    CUdevice device;
    CUcontext before, during, after;
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate(&before, NULL, 0, device));
    attach();
    count_migrations(1);
    SAME(migrations_after_one(device), 0);
    OK(cuCtxCreate(&during, NULL, 0, device));
    CHECK(migrations_after_one(device) > 0);
    if (getenv("XS_SELFTEST_PTX") == NULL)
        faults();
    begin = now();
    OK(cuptiFinalize());
    CHECK(now() - begin >= patience);
    for (int i = 0; i < 2; i++) {
        attach();
        count_migrations(1);
        if (i == 1)
            OK(cuCtxCreate(&after, NULL, 0, device));
        SAME(migrations_after_one(device), 0);
        count_migrations(0);
        begin = now();
        OK(cuptiFinalize());
        CHECK(!is_virtual() || now() - begin < patience);
    }
    OK(cuCtxDestroy(after));
    OK(cuCtxDestroy(during));
    OK(cuCtxDestroy(before));
}

/* ---- what it takes ---- */

static unsigned long long launch_takes(void) {
    unsigned long long begin = now();
    add_one(NULL, memory, 64);
    return now() - begin;
}

static unsigned long long copy_takes(void) {
    unsigned long long begin = now();
    OK(cuMemcpyHtoDAsync(memory, pinned, 64, NULL));
    return now() - begin;
}

static void costs(void) {
    const unsigned launch = setting("XFERSPY_SIM_CUPTI_LAUNCH_NS"), copy = setting("XFERSPY_SIM_CUPTI_COPY_NS");
    const unsigned long long call = 10 * US, attached = setting("XFERSPY_SIM_CUPTI_ATTACH_US") * 1000ull,
                             finalized = setting("XFERSPY_SIM_CUPTI_FINALIZE_US") * 1000ull;
    unsigned long long begin = now();
    CHECK(launch >= 4 * call && copy >= 4 * call && attached > 0 && finalized > 0);
    attach();
    takes(now() - begin, attached, call);
    takes(launch_takes(), launch, call);
    takes(copy_takes(), copy, call);
    OK(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY));
    takes(launch_takes(), launch, call);
    takes(copy_takes(), copy / 2, call);
    OK(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    takes(launch_takes(), launch / 2, call);
    begin = now();
    OK(cuptiFinalize());
    takes(now() - begin, finalized, call);
    takes(launch_takes(), 0, call);
    takes(copy_takes(), 0, call);
    OK(cuptiSubscribe(&subscriber, called, NULL)); /* alone it costs nothing */
    takes(launch_takes(), 0, call);
    takes(copy_takes(), 0, call);
    OK(cuptiFinalize());
    OK(cuCtxSynchronize());
}

int main(void) {
    CUstream stream, other;
    migrations();
    start();
    OK(cuMemAlloc(&memory, 4096));
    OK(cuMemHostAlloc((void **)&pinned, 4096, 0));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
    add_one(stream, memory, 64); /* loads the kernel */
    windows(stream);
    what_is_lost(stream, other);
    if (!is_virtual()) { /* in virtual time, the only thread would wait for itself */
        flushes(stream, other);
        windows_of_threads();
    }
    nothing_is_left();
    if (getenv("XS_SELFTEST_PTX") == NULL)
        costs();
    return 0;
}
