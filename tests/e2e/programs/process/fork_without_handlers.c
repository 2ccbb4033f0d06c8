/* A child is made by _Fork, which runs no fork handlers. It does not have the spool's mapping, and must end as without
 * xferspy.
 *
 * link: cuda
 * only: no-tsan
 * stdout: child ended by itself
 * stdout: data ok
 *
 * > SELECT direction, count(*) FROM transfers GROUP BY 1
 * h2d|2
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
    unsigned char host[64];
    CUdeviceptr device;
    int status;

    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(cuMemcpyHtoD(device, host, sizeof host));
    pid_t child = _Fork();
    if (child == 0) {
        CUdeviceptr other;
        (void)cuMemAlloc(&other, 64); /* an error from a real driver */
        _exit(3);
    }
    REQUIRE(waitpid(child, &status, 0) == child);
    puts(WIFEXITED(status) && WEXITSTATUS(status) == 3 ? "child ended by itself" : "child was killed");
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
