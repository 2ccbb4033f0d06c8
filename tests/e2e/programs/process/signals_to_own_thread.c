/* A program that blocks a signal in every thread it has and waits for it by sigwait: no thread of the profiler's may
 * take it. A real driver has threads of its own that do.
 *
 * only: sim
 * link: cuda
 * stdout: received 100 of 100
 * stdout: data ok
 *
 * > SELECT direction, count(*) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1
 * h2d|100
 */
#include <cuda.h>
#include <signal.h>

#include "../check.h"

int main(void) {
    unsigned char host[64], back[64] = {0};
    int received = 0, got;
    sigset_t set;
    CUdeviceptr device;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    e2e_context(); /* the profiler's thread, if it has one, starts before the signal is blocked */
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(pthread_sigmask(SIG_BLOCK, &set, NULL));
    for (int i = 0; i < 100; i++) {
        OK(cuMemcpyHtoD(device, host, sizeof host));
        REQUIRE(kill(getpid(), SIGUSR1) == 0);
        REQUIRE(sigwait(&set, &got) == 0 && got == SIGUSR1);
        received++;
    }
    OK(cuMemcpyDtoH(back, device, sizeof back));
    e2e_expect(back, sizeof back, 1);
    printf("received %d of 100\n", received);
    puts("data ok");
    return 0;
}
