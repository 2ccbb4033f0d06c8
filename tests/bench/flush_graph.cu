/* Which records of CUPTI, together with cuptiActivityFlushAll, make a graph launch fail? Copies are made, CUPTI is
 * flushed after each of them, and then a graph of twelve kernels is launched. Prints one line that says whether the
 * launches were good. Without xferspy, on a real GPU.
 *
 *   flush_graph KINDS COPIES FLUSHES [PERIOD_MS]
 *
 * KINDS      letters: c MEMCPY, p MEMCPY2 (peer copies), s MEMSET, k CONCURRENT_KERNEL, y SYNCHRONIZATION; - for none
 * COPIES     letters: u uploads from pageable memory, U from pinned, d downloads, D on the device, s memsets
 * FLUSHES    after so many rounds of copies CUPTI is flushed; 0: never
 * PERIOD_MS  CUPTI flushes by itself, so often (cuptiActivityFlushPeriod) */
#include <cuda_runtime.h>
#include <cupti.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 4 << 20, ROUNDS = 20, NODES = 12, LAUNCHES = 20, BUFFER_BYTES = 1 << 20 };

static long records;

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
        records++;
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

static void launch_graph(float *device, cudaStream_t stream) {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < NODES; i++)
        add_one<<<256, 256, 0, stream>>>(device);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    for (int i = 0; i < LAUNCHES; i++) {
        OK(cudaGraphLaunch(executable, stream));
        OK(cudaStreamSynchronize(stream));
    }
}

int main(int count, char **words) {
    if (count < 4) {
        fprintf(stderr, "usage: flush_graph KINDS COPIES FLUSHES [PERIOD_MS]\n");
        return 2;
    }
    bool is_attached = strcmp(words[1], "-") != 0;
    int flushes = atoi(words[3]);
    if (is_attached)
        attach(words[1]);
    if (is_attached && count > 4)
        OK(cuptiActivityFlushPeriod((uint32_t)atoi(words[4])));
    float *device, *pinned, *pageable = (float *)calloc(1, BYTES);
    cudaStream_t stream;
    OK(cudaMalloc(&device, 2 * BYTES));
    OK(cudaMallocHost(&pinned, BYTES));
    OK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    for (int i = 0; i < ROUNDS; i++) {
        copy(words[2], device, pinned, pageable, stream);
        if (is_attached && i < flushes)
            OK(cuptiActivityFlushAll(0));
        if (count > 4)
            usleep(2000 * (useconds_t)atoi(words[4]));
    }
    launch_graph(device, stream);
    if (is_attached)
        OK(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    printf("good, %ld records\n", records);
    return 0;
}
