/* Signals come while a staged copy waits for earlier work of its stream: here, the work goes on only after the thread's
 * own handler ran often enough, so a copy that kept signals away would wait for ever.
 *
 * link: cuda
 * env: XFERSPY_CUPTI=off XFERSPY_REPAIR=stage XFERSPY_REPAIR_LOG=$dir/repair.json
 * notices: 2
 * stdout: data ok
 *
 * $ grep -o '"name":"stage","applied":[0-9]*' $dir/repair.json
 * "name":"stage","applied":6
 */
#include <cuda.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "../check.h"

enum { SIGNALS = 20 };
static const struct timespec pause_ns = {0, 1000000};
static volatile sig_atomic_t signals;
static int is_released, is_over; /* __atomic */
static pthread_t main_thread;

static void on_signal(int number) {
    (void)number;
    if (++signals >= SIGNALS)
        __atomic_store_n(&is_released, 1, __ATOMIC_SEQ_CST);
}

/* Work in the stream that waits for the handler. */
static void hold(void *unused) {
    (void)unused;
    while (!__atomic_load_n(&is_released, __ATOMIC_SEQ_CST))
        nanosleep(&pause_ns, NULL);
}

static void *send_signals(void *unused) {
    (void)unused;
    while (!__atomic_load_n(&is_over, __ATOMIC_SEQ_CST)) {
        pthread_kill(main_thread, SIGUSR1);
        nanosleep(&pause_ns, NULL);
    }
    return NULL;
}

static void hold_stream(CUstream stream) {
    signals = 0;
    __atomic_store_n(&is_released, 0, __ATOMIC_SEQ_CST);
    OK(cuLaunchHostFunc(stream, hold, NULL));
}

int main(void) {
    const size_t bytes = (size_t)9 << 20; /* a warm-up of this size makes all the buffers */
    unsigned char *source, *target;
    CUdeviceptr device;
    CUstream stream;
    pthread_t sender;
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    e2e_context();
    source = malloc(bytes);
    target = malloc(bytes);
    REQUIRE(source && target);
    OK(cuMemAlloc(&device, bytes));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    e2e_fill(source, bytes, 1);
    OK(cuMemcpyHtoD(device, source, bytes));
    OK(cuMemcpyDtoH(target, device, bytes));
    e2e_expect(target, bytes, 1);

    main_thread = pthread_self();
    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
    REQUIRE(pthread_create(&sender, NULL, send_signals, NULL) == 0);
    memset(target, 0, bytes);
    hold_stream(stream);
    OK(cuMemcpyDtoHAsync(target, device, bytes, stream));
    e2e_expect(target, bytes, 1);

    e2e_fill(source, bytes, 2);
    hold_stream(stream);
    OK(cuMemcpyHtoDAsync(device, source, bytes, stream));
    memset(source, 0, bytes);
    OK(cuStreamSynchronize(stream)); /* its buffers are free again: none are made while work may be held */
    hold_stream(stream);
    OK(cuMemcpyDtoH(target, device, bytes)); /* in the default stream, which waits for the other one */
    e2e_expect(target, bytes, 2);

    e2e_fill(source, bytes, 3);
    hold_stream(stream);
    OK(cuMemcpyHtoD(device, source, bytes));
    __atomic_store_n(&is_over, 1, __ATOMIC_SEQ_CST);
    REQUIRE(pthread_join(sender, NULL) == 0);
    OK(cuMemFree(device));
    free(source);
    free(target);
    puts("data ok");
    return 0;
}
