/* Does cuptiActivityFlushAll race with threads that write records? Threads launch kernels and wait for them, while
 * another one flushes. Prints one line with what was launched, what CUPTI handed over, and the time of a launch. A race
 * ends in a segmentation fault. Without xferspy, on a real GPU.
 *
 *   flush_race OWN FLUSH_US THREADS SECONDS
 *
 * OWN       1: each thread has buffers of its own, as CUPTI 13 does by default; 0: threads share them
 * FLUSH_US  microseconds between two flushes; 0: only one at the end */
#include <cuda.h>
#include <cupti.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { BUFFER_BYTES = 1 << 20, LAUNCHES = 5, MOST_THREADS = 64 };

static CUcontext context;
static CUfunction kernel;
static long flush_us;
static long launched, waited, buffers, kernels, waits; /* the last three as CUPTI has them */
static int threads_end, flushes_end;

static void check(int result, const char *what) {
    if (result != 0) {
        fprintf(stderr, "flush_race: %s: %d\n", what, result);
        exit(3);
    }
}
#define OK(call) check((int)(call), #call)

static long add(long *to, long what) { return __atomic_add_fetch(to, what, __ATOMIC_RELAXED); }

static double now_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void pause_us(long us) {
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

__global__ void nothing() {}

/* ---- CUPTI ---- */

static void CUPTIAPI requested(uint8_t **data, size_t *bytes, size_t *most_records) {
    *bytes = BUFFER_BYTES;
    *data = (uint8_t *)malloc(BUFFER_BYTES);
    *most_records = 0;
}

static void CUPTIAPI completed(CUcontext, uint32_t, uint8_t *data, size_t, size_t valid) {
    CUpti_Activity *record = NULL;
    add(&buffers, 1);
    while (cuptiActivityGetNextRecord(data, valid, &record) == CUPTI_SUCCESS) {
        add(&kernels, record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        add(&waits, record->kind == CUPTI_ACTIVITY_KIND_SYNCHRONIZATION);
    }
    free(data);
}

static void record(uint8_t own) {
    size_t bytes = sizeof own;
    OK(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &bytes, &own));
    OK(cuptiActivityRegisterCallbacks(requested, completed));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION));
}

/* ---- threads ---- */

static void launch(CUstream stream) {
    OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, NULL, NULL));
    add(&launched, 1);
}

static void *work(void *) {
    CUstream stream;
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    while (!__atomic_load_n(&threads_end, __ATOMIC_RELAXED)) {
        for (int i = 0; i < LAUNCHES; i++)
            launch(stream);
        OK(cuStreamSynchronize(stream));
        add(&waited, 1);
    }
    return NULL;
}

static void *flush(void *) {
    while (!__atomic_load_n(&flushes_end, __ATOMIC_RELAXED)) {
        OK(cuptiActivityFlushAll(0));
        pause_us(flush_us);
    }
    return NULL;
}

/* Does a flush hand over a buffer that is not full? */
static long handed_over_of_ten(void) {
    for (int i = 0; i < 10; i++)
        launch(0);
    OK(cuCtxSynchronize());
    add(&waited, 1);
    pause_us(20000);
    OK(cuptiActivityFlushAll(0));
    return kernels;
}

static double ns_a_launch(int count, double seconds) {
    pthread_t threads[MOST_THREADS];
    for (int i = 0; i < count; i++)
        OK(pthread_create(&threads[i], NULL, work, NULL));
    pause_us(200000);
    long before = add(&launched, 0);
    double begin = now_ns();
    pause_us((long)(seconds * 1e6));
    double ns = now_ns() - begin;
    long after = add(&launched, 0);
    threads_end = 1;
    for (int i = 0; i < count; i++)
        OK(pthread_join(threads[i], NULL));
    return ns * count / (double)(after - before);
}

int main(int argc, char **argv) {
    pthread_t flusher;
    cudaFunction_t function;
    int count = argc == 5 ? atoi(argv[3]) : 0;
    if (count < 1 || count > MOST_THREADS) {
        fprintf(stderr, "usage: flush_race OWN FLUSH_US THREADS SECONDS\n");
        return 2;
    }
    flush_us = atol(argv[2]);
    record((uint8_t)atoi(argv[1]));
    OK(cudaFree(NULL));
    OK(cuCtxGetCurrent(&context));
    OK(cudaGetFuncBySymbol(&function, (const void *)nothing));
    kernel = (CUfunction)function;
    long of_ten = handed_over_of_ten();
    if (flush_us > 0)
        OK(pthread_create(&flusher, NULL, flush, NULL));
    double ns = ns_a_launch(count, atof(argv[4]));
    flushes_end = 1;
    if (flush_us > 0)
        OK(pthread_join(flusher, NULL));
    OK(cuCtxSynchronize());
    add(&waited, 1);
    OK(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
    printf("own %s, flush %ld us, %d threads: %ld launches, %ld recorded; %ld waits, %ld recorded; %ld buffers, %ld of "
           "10 records from one that was not full; %.0f ns a launch and thread\n",
           argv[1], flush_us, count, launched, kernels, waited, waits, buffers, of_ten, ns);
    return 0;
}
