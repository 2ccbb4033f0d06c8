/* Which records of CUPTI, together with cuptiActivityFlushAll, make a graph launch fail? Copies are made, CUPTI is
 * flushed after each of them, and then a graph of twelve kernels is launched. Prints one line that says whether the
 * launches were good. Without xferspy, on a real GPU.
 *
 *   flush_graph KINDS COPIES FLUSHES [period=MS] [attach=WHEN] [moment=STEP]
 *
 * KINDS      letters: c MEMCPY, p MEMCPY2 (peer copies), s MEMSET, k CONCURRENT_KERNEL, y SYNCHRONIZATION; callbacks of
 *            b the driver API, r resources; - for none
 * COPIES     letters: u uploads from pageable memory, U from pinned, d downloads, D on the device, s memsets
 * FLUSHES    after so many rounds of copies CUPTI is flushed; 0: never
 * period     CUPTI flushes by itself, so often (cuptiActivityFlushPeriod)
 * attach     CUPTI is attached before the first "context" (the default), after it ("later"), or after the graph was
 *            instantiated ("graph")
 * moment     another thread flushes again and again while the graph is being captured ("capture"), instantiated
 *            ("instantiate"), updated ("update") or launched ("launch"); the threads share CUPTI's buffers, as they do
 *            under xferspy */
#include <cuda_runtime.h>
#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 4 << 20, ROUNDS = 20, NODES = 12, LAUNCHES = 20, BUFFER_BYTES = 1 << 20, FLUSHES_A_STEP = 5 };

static long records;
static const char *moment = "", *when = "context"; /* the options */
static int is_flushing, is_over;                   /* in the step that `moment` names */
static long flushes_in_step;

static void check(int result, const char *what) {
    if (result != 0) {
        printf("failed: %s: %d\n", what, result);
        fflush(stdout);
        _exit(3); // what CUPTI does at the exit of a failed context is of no interest
    }
}
#define OK(call) check((int)(call), #call)

__global__ void add_one(float *values) { values[blockIdx.x * blockDim.x + threadIdx.x] += 1; }

static void CUPTIAPI requested(uint8_t **data, size_t *bytes, size_t *most_records) {
    *bytes = BUFFER_BYTES;
    *data = (uint8_t *)malloc(BUFFER_BYTES);
    *most_records = 0;
}

static void CUPTIAPI completed(CUcontext, uint32_t, uint8_t *data, size_t, size_t valid) {
    CUpti_Activity *record = NULL;
    while (valid && cuptiActivityGetNextRecord(data, valid, &record) == CUPTI_SUCCESS)
        __atomic_add_fetch(&records, 1, __ATOMIC_RELAXED);
    free(data);
}

static void CUPTIAPI called(void *, CUpti_CallbackDomain, CUpti_CallbackId, const void *) {}

static void attach(const char *kinds) {
    static const struct {
        char letter;
        CUpti_ActivityKind kind;
    } all[] = {{'c', CUPTI_ACTIVITY_KIND_MEMCPY},
               {'p', CUPTI_ACTIVITY_KIND_MEMCPY2},
               {'s', CUPTI_ACTIVITY_KIND_MEMSET},
               {'k', CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL},
               {'y', CUPTI_ACTIVITY_KIND_SYNCHRONIZATION}};
    static CUpti_SubscriberHandle subscriber;
    OK(cuptiSubscribe(&subscriber, called, NULL));
    OK(cuptiActivityRegisterCallbacks(requested, completed));
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strchr(kinds, all[i].letter))
            OK(cuptiActivityEnable(all[i].kind));
    if (strchr(kinds, 'b'))
        OK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API));
    if (strchr(kinds, 'r'))
        OK(cuptiEnableDomain(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE));
}

static void attach_at(const char *now, const char *kinds) {
    if (strcmp(kinds, "-") != 0 && strcmp(when, now) == 0)
        attach(kinds);
}

static void *flush_meanwhile(void *) {
    while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
        if (__atomic_load_n(&is_flushing, __ATOMIC_ACQUIRE)) {
            OK(cuptiActivityFlushAll(0));
            __atomic_add_fetch(&flushes_in_step, 1, __ATOMIC_ACQ_REL);
        }
    }
    return NULL;
}

static void begin(const char *step) {
    __atomic_store_n(&flushes_in_step, 0, __ATOMIC_RELEASE);
    __atomic_store_n(&is_flushing, strcmp(step, moment) == 0, __ATOMIC_RELEASE);
}

/* True until the other thread has flushed often enough in the step; then the step ends. */
static bool goes_on() {
    if (__atomic_load_n(&is_flushing, __ATOMIC_ACQUIRE) &&
        __atomic_load_n(&flushes_in_step, __ATOMIC_ACQUIRE) < FLUSHES_A_STEP)
        return true;
    __atomic_store_n(&is_flushing, 0, __ATOMIC_RELEASE);
    return false;
}

static void copy(const char *which, float *device, float *pinned, float *pageable, cudaStream_t stream) {
    if (strchr(which, 'u'))
        OK(cudaMemcpy(device, pageable, BYTES, cudaMemcpyHostToDevice));
    if (strchr(which, 'U'))
        OK(cudaMemcpyAsync(device, pinned, BYTES, cudaMemcpyHostToDevice, stream));
    if (strchr(which, 'd'))
        OK(cudaMemcpyAsync(pinned, device, BYTES, cudaMemcpyDeviceToHost, stream));
    if (strchr(which, 'D'))
        OK(cudaMemcpyAsync(device + BYTES / sizeof(float), device, BYTES, cudaMemcpyDeviceToDevice, stream));
    if (strchr(which, 's'))
        OK(cudaMemsetAsync(device, 0, BYTES, stream));
    OK(cudaStreamSynchronize(stream));
}

static cudaGraph_t capture(float *device, cudaStream_t stream) {
    cudaGraph_t graph;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < NODES; i++)
        add_one<<<256, 256, 0, stream>>>(device);
    while (goes_on()) {
    }
    OK(cudaStreamEndCapture(stream, &graph));
    return graph;
}

static void launch_graph(float *device, cudaStream_t stream, const char *kinds) {
    cudaGraphExec_t executable;
    cudaGraphExecUpdateResultInfo info;
    begin("capture");
    cudaGraph_t graph = capture(device, stream);
    begin("instantiate");
    OK(cudaGraphInstantiate(&executable, graph, 0));
    while (goes_on()) {
        OK(cudaGraphExecDestroy(executable));
        OK(cudaGraphInstantiate(&executable, graph, 0));
    }
    attach_at("graph", kinds);
    cudaGraph_t changed = capture(device + BYTES / sizeof(float), stream);
    begin("update");
    do
        OK(cudaGraphExecUpdate(executable, changed, &info));
    while (goes_on());
    begin("launch");
    for (int i = 0; i < LAUNCHES || goes_on(); i++) {
        OK(cudaGraphLaunch(executable, stream));
        OK(cudaStreamSynchronize(stream));
    }
}

int main(int count, char **words) {
    if (count < 4) {
        fprintf(stderr, "usage: flush_graph KINDS COPIES FLUSHES [period=MS] [attach=WHEN] [moment=STEP]\n");
        return 2;
    }
    int flushes = atoi(words[3]), period_ms = 0;
    for (int i = 4; i < count; i++) {
        period_ms = strncmp(words[i], "period=", 7) == 0 ? atoi(words[i] + 7) : period_ms;
        when = strncmp(words[i], "attach=", 7) == 0 ? words[i] + 7 : when;
        moment = strncmp(words[i], "moment=", 7) == 0 ? words[i] + 7 : moment;
    }
    if (*moment) {
        uint8_t own = 0;
        size_t bytes = sizeof own;
        OK(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &bytes, &own));
    }
    attach_at("context", words[1]);
    float *device, *pinned, *pageable = (float *)calloc(1, BYTES);
    cudaStream_t stream;
    pthread_t flusher;
    OK(cudaMalloc(&device, 2 * BYTES));
    OK(cudaMallocHost(&pinned, BYTES));
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    attach_at("later", words[1]);
    if (period_ms)
        OK(cuptiActivityFlushPeriod((uint32_t)period_ms));
    bool is_attached = strcmp(words[1], "-") != 0 && strcmp(when, "graph") != 0;
    check(pthread_create(&flusher, NULL, flush_meanwhile, NULL), "pthread_create");
    for (int i = 0; i < ROUNDS; i++) {
        copy(words[2], device, pinned, pageable, stream);
        if (is_attached && i < flushes)
            OK(cuptiActivityFlushAll(0));
        usleep(2000 * (useconds_t)period_ms);
    }
    launch_graph(device, stream, words[1]);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELEASE);
    pthread_join(flusher, NULL);
    if (strcmp(words[1], "-") != 0)
        OK(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    printf("good, %ld records\n", records);
    return 0;
}
