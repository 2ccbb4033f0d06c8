/* The shell allows only files of 4 MiB: the spool is made smaller, and what came before the limit is in the trace. The
 * program pauses after its first copies, so that they are written before the limit is near: the batch that reaches it is
 * lost as a whole.
 *
 * link: cuda
 * run: ulimit -f 4096 && exec "$program"
 * stdout: data ok
 * status: stopped
 * notices: any
 *
 * > SELECT count(*) >= 500 AND count(*) < 100000 FROM transfer
 * 1
 *
 * $ grep -c 'stopped early: the largest size of a file is reached (RLIMIT_FSIZE)' $stderr
 * 1
 */
#include <cuda.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
    unsigned char host[64] = {0};
    CUdeviceptr device;
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    for (int i = 0; i < 100000; i++) {
        OK(cuMemcpyHtoD(device, host, sizeof host));
        if (i == 500)
            OK(usleep(900000));
    }
    puts("data ok");
    return 0;
}
