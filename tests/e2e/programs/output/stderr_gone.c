/* Nobody reads standard error any more when the program ends. xferspy's line must not end the program by SIGPIPE.
 *
 * link: cuda
 * stdout: data ok
 * notices: 0
 *
 * > SELECT direction, count(*) FROM transfers GROUP BY 1
 * h2d|1
 */
#include <cuda.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
    unsigned char host[64];
    CUdeviceptr device;
    int ends[2];

    OK(pipe(ends));
    OK(dup2(ends[1], STDERR_FILENO) < 0);
    OK(close(ends[1]));
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemFree(device));
    OK(close(ends[0]));
    puts("data ok");
    return 0;
}
