/* In these programs something happens during the call that begins the session, while the driver makes the context. The
 * memory to which the driver writes the context's handle is read-only at first, so the driver's store raises SIGSEGV
 * inside the call. The handler makes the memory writable, executes MEANWHILE and returns, and then the call
 * continues. */
#include <cuda.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>

#include "../check.h"

static CUcontext *place;

/* Makes calls on another thread. Such calls wait until the start of the session is finished. */
static void *make_another(void *arg) {
    CUdevice device;
    CUcontext context;
    (void)arg;
    OK(cuDeviceGet(&device, 0));
    OK(cuCtxCreate(&context, NULL, 0, device));
    OK(cuCtxDestroy(context));
    return NULL;
}

static inline void call_from_another_thread(void) {
    pthread_t thread;
    OK(pthread_create(&thread, NULL, make_another, NULL));
    OK(pthread_join(thread, NULL));
}

static void on_fault(int signal_number, siginfo_t *info, void *frame) {
    (void)frame;
    if (info->si_addr != place) {
        signal(signal_number, SIG_DFL); /* a bug: the same fault ends the program when the handler returns */
        return;
    }
    OK(mprotect(place, 4096, PROT_READ | PROT_WRITE));
    MEANWHILE;
}

/* Makes the first call, during which the handler runs. */
static void call_first(void) {
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    CUdevice device;
    OK(sigaction(SIGSEGV, &action, NULL));
    place = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(place != MAP_FAILED);
    OK(cuInit(0));
    OK(cuDeviceGet(&device, 0));
    OK(cuDevicePrimaryCtxRetain(place, device));
    OK(cuCtxSetCurrent(*place));
}

static inline void copy_once(void) {
    unsigned char host[4096], back[4096] = {0};
    CUdeviceptr memory;
    OK(cuMemAlloc(&memory, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(cuMemcpyHtoD(memory, host, sizeof host));
    OK(cuMemcpyDtoH(back, memory, sizeof back));
    e2e_expect(back, sizeof back, 1);
    puts("data ok");
}
