/* Eight threads are busy with CUDA for a time, each with one kind of work, and count their operations. A profiler that
 * is attached and detached during this time must find exactly these operations. Each thread has its own stream and its
 * own memory, and checks the contents that its work must produce. */
#ifndef XFERSPY_E2E_BUSY_H
#define XFERSPY_E2E_BUSY_H

#include <cuda.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

/* The names of the counts; counts.sh has the query that finds each count in a trace. The first four count operations of
 * the device. */
#define BUSY_COUNTS(X)                                                                                                 \
    X(device_uploads)                                                                                                  \
    X(device_downloads)                                                                                                \
    X(device_kernels)                                                                                                  \
    X(device_memsets)                                                                                                  \
    X(uploads)                                                                                                         \
    X(downloads)                                                                                                       \
    X(memsets)                                                                                                         \
    X(launches)                                                                                                        \
    X(graph_launches)                                                                                                  \
    X(captured_uploads)                                                                                                \
    X(captured_downloads)                                                                                              \
    X(captured_launches)                                                                                               \
    X(captures)                                                                                                        \
    X(instantiations)                                                                                                  \
    X(graph_uploads)                                                                                                   \
    X(allocations)                                                                                                     \
    X(frees)                                                                                                           \
    X(modules)                                                                                                         \
    X(forks)

#define X(name) name,
enum busy_count { BUSY_COUNTS(X) BUSY_COUNT };
#undef X

enum { BUSY_THREADS = 8, BUSY_BYTES = 4096, BUSY_KERNEL_BYTES = 512, BUSY_LEAST_ROUNDS = 10 };

struct busy_thread {
    void (*round)(struct busy_thread *t); /* does some work, which has ended when the function returns */
    pthread_t thread;
    CUstream stream;
    CUfunction add_one;
    CUdeviceptr device;
    unsigned char *pinned; /* the bytes to upload, and after them the downloaded bytes */
    CUgraph graph;         /* an upload, a kernel and a download */
    CUgraphExec exec;
    unsigned rounds;
    unsigned long counts[BUSY_COUNT];
};

static CUcontext busy_context;
static double busy_until;

static double busy_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* ---- the parts of the work ---- */

static void busy_launch(struct busy_thread *t, CUfunction function) {
    size_t n = BUSY_KERNEL_BYTES;
    void *params[] = {&t->device, &n};
    OK(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, t->stream, params, NULL));
}

static void busy_upload(struct busy_thread *t) { OK(cuMemcpyHtoDAsync(t->device, t->pinned, BUSY_BYTES, t->stream)); }

static void busy_download(struct busy_thread *t) {
    OK(cuMemcpyDtoHAsync(t->pinned + BUSY_BYTES, t->device, BUSY_BYTES, t->stream));
}

/* Fills the pinned memory with a value that changes from round to round, and returns the value. */
static unsigned char busy_fill(struct busy_thread *t) {
    unsigned char value = (unsigned char)(3 * t->rounds + 1);
    memset(t->pinned, value, 2 * BUSY_BYTES);
    return value;
}

/* Waits for the stream, and requires that the downloaded bytes are the uploaded ones after so many kernels. */
static void busy_expect(struct busy_thread *t, unsigned char value, unsigned kernels) {
    OK(cuStreamSynchronize(t->stream));
    e2e_expect_value(t->pinned + BUSY_BYTES, BUSY_KERNEL_BYTES, (unsigned char)(value + kernels));
    e2e_expect_value(t->pinned + BUSY_BYTES + BUSY_KERNEL_BYTES, BUSY_BYTES - BUSY_KERNEL_BYTES, value);
}

static void busy_capture(struct busy_thread *t, CUgraph *graph) {
    OK(cuStreamBeginCapture(t->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    busy_upload(t);
    busy_launch(t, t->add_one);
    busy_download(t);
    OK(cuStreamEndCapture(t->stream, graph));
    t->counts[captures]++;
    t->counts[captured_uploads]++;
    t->counts[captured_launches]++;
    t->counts[captured_downloads]++;
}

static void busy_instantiate(struct busy_thread *t) {
    OK(cuGraphInstantiateWithFlags(&t->exec, t->graph, 0));
    t->counts[instantiations]++;
}

static void busy_graph_launch(struct busy_thread *t) {
    unsigned char value = busy_fill(t);
    OK(cuGraphLaunch(t->exec, t->stream));
    busy_expect(t, value, 1);
    t->counts[graph_launches]++;
    t->counts[device_uploads]++;
    t->counts[device_kernels]++;
    t->counts[device_downloads]++;
}

/* ---- the kinds of work ---- */

static void busy_launches(struct busy_thread *t) {
    enum { LAUNCHES = 20 };
    unsigned char value = busy_fill(t);
    busy_upload(t);
    for (int i = 0; i < LAUNCHES; i++)
        busy_launch(t, t->add_one);
    busy_download(t);
    busy_expect(t, value, LAUNCHES);
    t->counts[launches] += LAUNCHES;
    t->counts[device_kernels] += LAUNCHES;
    t->counts[uploads]++;
    t->counts[device_uploads]++;
    t->counts[downloads]++;
    t->counts[device_downloads]++;
}

static void busy_copies(struct busy_thread *t) {
    enum { COPIES = 10 };
    unsigned char pageable[1000], back[1000];
    for (int i = 0; i < COPIES; i++) {
        unsigned char value = busy_fill(t);
        busy_upload(t);
        busy_download(t);
        busy_expect(t, value, 0);
        memset(pageable, value + 1, sizeof pageable);
        OK(cuMemcpyHtoD(t->device, pageable, sizeof pageable));
        OK(cuMemcpyDtoH(back, t->device, sizeof back));
        e2e_expect_value(back, sizeof back, (unsigned char)(value + 1));
    }
    t->counts[uploads] += 2 * COPIES;
    t->counts[device_uploads] += 2 * COPIES;
    t->counts[downloads] += 2 * COPIES;
    t->counts[device_downloads] += 2 * COPIES;
}

static void busy_graph_launches(struct busy_thread *t) {
    if (t->exec == NULL)
        busy_instantiate(t);
    for (int i = 0; i < 10; i++)
        busy_graph_launch(t);
}

static void busy_graphs(struct busy_thread *t) {
    busy_instantiate(t);
    OK(cuGraphUpload(t->exec, t->stream));
    t->counts[graph_uploads]++;
    busy_graph_launch(t);
    OK(cuGraphExecDestroy(t->exec));
    t->exec = NULL;
}

static void busy_captures(struct busy_thread *t) {
    for (int i = 0; i < 10; i++) {
        CUgraph graph;
        busy_capture(t, &graph);
        OK(cuGraphDestroy(graph));
    }
    busy_launches(t); /* captures alone are so fast that the trace would contain little else */
}

static void busy_modules(struct busy_thread *t) {
    CUmodule module;
    CUfunction function;
    unsigned char value = busy_fill(t);
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    busy_upload(t);
    busy_launch(t, function);
    busy_download(t);
    busy_expect(t, value, 1);
    OK(cuModuleUnload(module));
    t->counts[modules]++;
    t->counts[launches]++;
    t->counts[device_kernels]++;
    t->counts[uploads]++;
    t->counts[device_uploads]++;
    t->counts[downloads]++;
    t->counts[device_downloads]++;
}

static void busy_allocations(struct busy_thread *t) {
    CUdeviceptr memory;
    void *host;
    OK(cuMemAlloc(&memory, 65536));
    OK(cuMemsetD8Async(memory, 1, 65536, t->stream));
    OK(cuStreamSynchronize(t->stream));
    OK(cuMemFree(memory));
    OK(cuMemAllocAsync(&memory, BUSY_BYTES, t->stream));
    OK(cuMemsetD8Async(memory, 2, BUSY_BYTES, t->stream));
    OK(cuMemFreeAsync(memory, t->stream));
    OK(cuStreamSynchronize(t->stream));
    OK(cuMemHostAlloc(&host, BUSY_BYTES, 0));
    memset(host, 3, BUSY_BYTES);
    OK(cuMemFreeHost(host));
    t->counts[memsets] += 2;
    t->counts[device_memsets] += 2;
    t->counts[allocations] += 3;
    t->counts[frees] += 3;
}

static void busy_fork(void (*end)(void)) {
    int status;
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        end();
        _exit(1);
    }
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
}

static void busy_end_at_once(void) { _exit(0); }

static void busy_end_by_exec(void) { execl("/bin/true", "true", (char *)NULL); }

static void busy_forks(struct busy_thread *t) {
    busy_fork(t->rounds % 2 ? busy_end_at_once : busy_end_by_exec);
    t->counts[forks]++;
    busy_launches(t);
}

/* ---- the threads ---- */

static void *busy_work(void *data) {
    struct busy_thread *t = data;
    CUmodule module;
    OK(cuCtxSetCurrent(busy_context));
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&t->add_one, module, "xs_add_one_u8"));
    OK(cuStreamCreate(&t->stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&t->device, BUSY_BYTES));
    OK(cuMemHostAlloc((void **)&t->pinned, 2 * BUSY_BYTES, 0));
    t->counts[modules]++;
    t->counts[allocations] += 2;
    busy_launches(t); /* the driver may load a kernel at its first launch, which a capture does not permit */
    busy_capture(t, &t->graph);
    while (t->rounds < BUSY_LEAST_ROUNDS || busy_now() < busy_until) {
        t->round(t);
        t->rounds++;
    }
    if (t->exec != NULL)
        OK(cuGraphExecDestroy(t->exec));
    OK(cuGraphDestroy(t->graph));
    OK(cuMemFreeHost(t->pinned));
    OK(cuMemFree(t->device));
    OK(cuStreamDestroy(t->stream));
    OK(cuModuleUnload(module));
    t->counts[frees] += 2;
    return NULL;
}

/* Writes the counts to a file in the test's folder; if there is no such folder, because the program was started by
 * hand, prints them. */
static void busy_print(const struct busy_thread *threads) {
#define X(name) #name,
    static const char *const names[] = {BUSY_COUNTS(X)};
#undef X
    const char *folder = getenv("XFERSPY_TEST_DIR");
    char path[4096];
    snprintf(path, sizeof path, "%s/counts", folder != NULL ? folder : "");
    FILE *out = folder != NULL ? fopen(path, "w") : stdout;
    REQUIRE(out != NULL);
    for (int i = 0; i < BUSY_COUNT; i++) {
        unsigned long sum = 0;
        for (int t = 0; t < BUSY_THREADS; t++)
            sum += threads[t].counts[i];
        fprintf(out, "%s %lu\n", names[i], sum);
    }
    if (folder != NULL)
        REQUIRE(fclose(out) == 0);
}

/* Runs one thread for each of the eight functions in `rounds`, for as many milliseconds as the program's argument says
 * (300 without an argument), and for at least ten rounds. */
static int busy_run(int argc, char **argv, void (*const rounds[BUSY_THREADS])(struct busy_thread *t)) {
    static struct busy_thread threads[BUSY_THREADS];
    busy_context = e2e_context();
    busy_until = busy_now() + (argc > 1 ? strtod(argv[1], NULL) : 300) / 1000;
    for (int i = 0; i < BUSY_THREADS; i++) {
        threads[i].round = rounds[i];
        OK(pthread_create(&threads[i].thread, NULL, busy_work, &threads[i]));
    }
    for (int i = 0; i < BUSY_THREADS; i++)
        OK(pthread_join(threads[i].thread, NULL));
    busy_print(threads);
    puts("data ok");
    return 0;
}

/* All kinds of work. */
static void (*const busy_sorts[BUSY_THREADS])(struct busy_thread *t) = {
    busy_launches, busy_copies,  busy_graph_launches, busy_graphs,
    busy_captures, busy_modules, busy_allocations,    busy_forks};

#endif
