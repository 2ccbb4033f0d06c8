/* fork after CUDA started, ten times, while another thread copies: the children do no CUDA and leave by exit, so that
 * handlers inherited from the parent run in them, or by _exit. One trace, the parent's, and it is whole.
 *
 * link: cuda
 * traces: 1
 * stdout: 10 children, data ok
 *
 * > SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * d2h|1|4096
 * h2d|1000|4096000
 */
#include <cuda.h>
#include <pthread.h>
#include <sys/wait.h>

#include "../check.h"

static CUcontext context;
static CUdeviceptr device;
static unsigned char host[4096];

static void *copy(void *unused) {
    OK(cuCtxSetCurrent(context));
    for (int i = 0; i < 1000; i++)
        OK(cuMemcpyHtoD(device, host, sizeof host));
    return unused;
}

int main(void) {
    unsigned char back[4096] = {0};
    pthread_t thread;
    int status, children = 0;

    context = e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(pthread_create(&thread, NULL, copy, NULL));
    for (int i = 0; i < 10; i++) {
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            if (i % 2)
                exit(i);
            _exit(i);
        }
        REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == i);
        children++;
    }
    OK(pthread_join(thread, NULL));
    OK(cuMemcpyDtoH(back, device, sizeof back));
    e2e_expect(back, sizeof back, 1);
    OK(cuMemFree(device));
    printf("%d children, data ok\n", children);
    return 0;
}
