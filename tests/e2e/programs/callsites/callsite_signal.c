/* A signal handler that copies, on the thread's stack and on an alternate one, while the thread is in a loop and in a
 * system call.
 *
 * link: cuda
 * build: -g -O1 -fno-optimize-sibling-calls
 * only: sim no-tsan
 * stdout: data ok
 *
 * > SELECT count(*), min(s.native_frames) > 1 FROM transfer t JOIN stack s ON s.id = t.stack
 * 3|1
 */
#include <cuda.h>
#include <signal.h>
#include <string.h>

#include "../check.h"

static unsigned char host[4096];
static CUdeviceptr device;
static volatile sig_atomic_t copies;

static void copy(int number) {
    (void)number;
    copies += cuMemcpyHtoD(device, host, sizeof host) == CUDA_SUCCESS;
}

static void handle_with(int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = copy;
    action.sa_flags = flags;
    OK(sigaction(SIGUSR1, &action, NULL));
}

int main(void) {
    static unsigned char other[65536];
    stack_t alternate = {.ss_sp = other, .ss_size = sizeof other};
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    handle_with(0);
    OK(raise(SIGUSR1));
    OK(sigaltstack(&alternate, NULL));
    handle_with(SA_ONSTACK);
    OK(raise(SIGUSR1));
    OK(kill(getpid(), SIGUSR1));
    REQUIRE(copies == 3);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
