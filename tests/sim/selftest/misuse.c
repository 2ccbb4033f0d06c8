/* Tests that misuse which sometimes crashes a program with a real CUPTI always ends in an abort here, with a message
 * that names it, and that permitted use does not. Each case is a process of its own. Only for the simulated GPU. */
#include <cupti.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../xs_sim_tools.h"
#include "driver.h"

/* Exported by the simulated libcuda. */
const struct xs_sim_driver *xs_sim_attach(const struct xs_sim_tools *tools);

static CUpti_SubscriberHandle subscriber;
static CUstream stream;
static CUcontext context;
static CUgraph graph;
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf out;

static void CUPTIAPI called(void *data, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *info) {
    const CUpti_CallbackData *call = info;
    (void)data;
    if (domain != CUPTI_CB_DOMAIN_DRIVER_API)
        return;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2)
        longjmp(out, 1);
    if (call->callbackSite == CUPTI_API_EXIT) /* as NVIDIA recommends it */
        OK(cuptiFinalize());
}

static void attach(void) {
    OK(cuptiSubscribe(&subscriber, called, NULL));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
}

/* The program begins: what every case has. */
static void begin(void) {
    context = start();
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
}

static void make_graph(void) {
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_RELAXED));
    spin(stream, 0);
    OK(cuStreamEndCapture(stream, &graph));
}

static void CUDA_CB wait_for_gate(void *data) {
    (void)data;
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
}

static void *wait_in_driver(void *data) {
    OK(cuCtxSetCurrent(context));
    OK(cuStreamSynchronize(stream));
    return data;
}

/* Another thread waits in the driver until the end of the process, or of `let_go`. */
static pthread_t hold(void) {
    pthread_t thread;
    pthread_mutex_lock(&gate);
    OK(cuLaunchHostFunc(stream, wait_for_gate, NULL));
    OK(pthread_create(&thread, NULL, wait_in_driver, NULL));
    while (xs_sim_inside() == 0) /* it may still be seen in the previous call, and be outside for a moment */
        sched_yield();
    return thread;
}

static void let_go(pthread_t thread) {
    pthread_mutex_unlock(&gate);
    OK(pthread_join(thread, NULL));
}

/* ---- what must not be ---- */

static void finalize_while_inside(void) {
    attach();
    begin();
    hold();
    for (;;)
        cuptiFinalize();
}

static void subscribe_while_inside(void) {
    begin();
    attach();
    OK(cuptiFinalize());
    hold();
    for (;;) {
        OK(cuptiSubscribe(&subscriber, called, NULL));
        OK(cuptiUnsubscribe(subscriber));
    }
}

static void enable_while_inside(void) {
    begin();
    attach();
    OK(cuptiFinalize());
    OK(cuptiSubscribe(&subscriber, called, NULL));
    hold();
    for (;;)
        OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
}

static void first_while_inside(void) {
    setenv("XFERSPY_SIM_CUPTI_CHECKS", "2", 1);
    begin();
    hold();
    for (;;) {
        OK(cuptiSubscribe(&subscriber, called, NULL));
        OK(cuptiUnsubscribe(subscriber));
    }
}

static void disable_while_inside(void) {
    setenv("XFERSPY_SIM_CUPTI_CHECKS", "2", 1);
    begin();
    attach();
    hold();
    for (;;)
        OK(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY));
}

static void *call(void *data) {
    int version;
    OK(cuDriverGetVersion(&version)); /* which needs nothing, and counts */
    return data;
}

/* Does what cuptiFinalize does: from begin to end nobody may enter the driver. */
static void come_in(void) {
    const struct xs_sim_driver *driver = xs_sim_attach(NULL);
    pthread_t thread;
    begin();
    driver->change_begin("a change");
    OK(pthread_create(&thread, NULL, call, NULL));
    OK(pthread_join(thread, NULL));
}

static void finalize_while_capturing(void) {
    begin();
    attach();
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    OK(cuptiFinalize());
}

static void attach_while_capturing(void) {
    begin();
    OK(cuptiFinalize());
    attach();
    OK(cuptiFinalize());
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
    attach();
}

static void finalize_in_instantiation(void) {
    CUgraphExec exec;
    begin();
    make_graph();
    attach();
    OK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API,
                           CUPTI_DRIVER_TRACE_CBID_cuGraphInstantiateWithFlags));
    OK(cuGraphInstantiate(&exec, graph, 0));
}

static void finalize_in_upload(void) {
    CUgraphExec exec;
    begin();
    make_graph();
    attach();
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphUpload));
    OK(cuGraphUpload(exec, stream));
}

static void CUPTIAPI no_buffer(uint8_t **data, size_t *bytes, size_t *most_records) {
    *data = NULL;
    *bytes = *most_records = 0;
}

static void CUPTIAPI no_records(CUcontext of, uint32_t stream_id, uint8_t *data, size_t bytes, size_t valid) {
    (void)of, (void)stream_id, (void)data, (void)bytes, (void)valid;
}

static void flush_beside_thread(bool shares) {
    uint8_t for_each_thread = !shares;
    size_t bytes = sizeof(for_each_thread);
    begin();
    if (shares) /* the other is the default */
        OK(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER, &bytes, &for_each_thread));
    OK(cuptiActivityRegisterCallbacks(no_buffer, no_records));
    attach();
    pthread_t thread = hold();
    OK(cuptiActivityFlushAll(0));
    let_go(thread);
}

static void flush_while_inside(void) { flush_beside_thread(false); }

static void flush_both_kinds_of_copies(void) {
    begin();
    OK(cuptiActivityRegisterCallbacks(no_buffer, no_records));
    attach();
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY2));
    OK(cuptiActivityFlushAll(0));
}

static void call_in_child(void) {
    uint32_t version;
    attach();
    if (fork() == 0)
        cuptiGetVersion(&version);
    int status;
    CHECK(wait(&status) > 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)
        abort(); /* which is what the case is asked for */
}

static void call_in_child_without_handlers(void) {
    uint64_t now;
    begin();
    attach();
    OK(cuptiFinalize());
    if (syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0)
        cuptiGetTimestamp(&now);
    int status;
    CHECK(wait(&status) > 0);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)
        abort();
}

/* ---- what may be ---- */

static void nobody_inside(void) {
    begin();
    attach();
    for (int i = 0; i < 3; i++) {
        pthread_t thread = hold();
        let_go(thread);
        OK(cuptiFinalize());
        attach();
        make_graph();
        OK(cuGraphDestroy(graph));
    }
}

static void first_may_be_inside(void) {
    begin();
    pthread_t thread = hold();
    attach();
    OK(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_MEMCPY));
    OK(cuptiActivityFlushAll(1) == CUPTI_ERROR_INVALID_OPERATION ? 0 : 1);
    OK(cuptiUnsubscribe(subscriber));
    attach(); /* another subscriber, and the same attachment */
    let_go(thread);
}

static void flush_shared_buffers(void) { flush_beside_thread(true); }

static void own_call(void) {
    void *nothing = NULL;
    begin();
    attach();
    OK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemFreeHost));
    OK(cuMemHostAlloc(&nothing, 64, 0));
    OK(cuMemFreeHost(nothing));
    attach(); /* it was finalized in there */
}

static void *jump_out(void *data) {
    CUdeviceptr memory;
    int version;
    OK(cuCtxSetCurrent(context));
    if (setjmp(out) == 0)
        OK(cuMemAlloc(&memory, 64));
    OK(cuDriverGetVersion(&version));
    SAME(xs_sim_inside(), 0);
    OK(pthread_barrier_wait(data) > 0);
    OK(pthread_barrier_wait(data) > 0);
    return NULL;
}

static void left_by_a_jump(void) {
    pthread_t thread;
    pthread_barrier_t barrier;
    begin();
    attach();
    OK(cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAlloc_v2));
    pthread_barrier_init(&barrier, NULL, 2);
    OK(pthread_create(&thread, NULL, jump_out, &barrier));
    pthread_barrier_wait(&barrier);
    OK(cuptiFinalize());
    pthread_barrier_wait(&barrier);
    OK(pthread_join(thread, NULL));
}

static void unchecked(void) {
    setenv("XFERSPY_SIM_CUPTI_CHECKS", "0", 1);
    begin();
    attach();
    pthread_t thread = hold();
    OK(cuptiFinalize());
    attach();
    let_go(thread);
}

static void child_of_no_user(void) {
    uint32_t version;
    int status;
    OK(cuptiGetVersion(&version));
    if (fork() == 0) {
        attach();
        begin();
        OK(cuptiFinalize());
        exit(0);
    }
    CHECK(wait(&status) > 0 && status == 0);
}

static const struct {
    const char *message; /* NULL: none, and the process ends well */
    void (*run)(void);
} cases[] = {
    {"cuptiFinalize while thread ", finalize_while_inside},
    {"cuptiSubscribe while thread ", subscribe_while_inside},
    {"cuptiActivityEnable while thread ", enable_while_inside},
    {"cuptiSubscribe while thread ", first_while_inside},
    {"cuptiActivityDisable while thread ", disable_while_inside},
    {"is in cuDriverGetVersion", come_in},
    {"cuptiFinalize while a stream is capturing", finalize_while_capturing},
    {"cuptiSubscribe while a stream is capturing", attach_while_capturing},
    {"is in cuGraphInstantiateWithFlags", finalize_in_instantiation},
    {"is in cuGraphUpload", finalize_in_upload},
    {"cuptiActivityFlushAll of buffers that belong to threads", flush_while_inside},
    {"cuptiActivityFlushAll while MEMCPY and MEMCPY2 are both on", flush_both_kinds_of_copies},
    {"cuptiGetVersion in a forked child", call_in_child},
    {"cuptiGetTimestamp in a forked child", call_in_child_without_handlers},
    {NULL, nobody_inside},
    {NULL, first_may_be_inside},
    {NULL, flush_shared_buffers},
    {NULL, own_call},
    {NULL, left_by_a_jump},
    {NULL, unchecked},
    {NULL, child_of_no_user},
};

int main(void) {
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char said[4096] = {0};
        size_t bytes = 0;
        ssize_t some;
        int ends[2], status;
        CHECK(pipe(ends) == 0);
        pid_t child = fork();
        if (child == 0) {
            dup2(ends[1], STDERR_FILENO);
            close(ends[0]);
            close(ends[1]);
            cases[i].run();
            exit(0);
        }
        close(ends[1]);
        while (bytes < sizeof(said) - 1 && (some = read(ends[0], said + bytes, sizeof(said) - 1 - bytes)) > 0)
            bytes += (size_t)some;
        close(ends[0]);
        CHECK(waitpid(child, &status, 0) == child);
        bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, well = status == 0;
        bool right = cases[i].message == NULL ? well : aborted && strstr(said, cases[i].message) != NULL;
        if (!right)
            fprintf(stderr, "case %zu (%s), status %#x: %s\n", i, cases[i].message, (unsigned)status, said);
        CHECK(right);
    }
    return 0;
}
