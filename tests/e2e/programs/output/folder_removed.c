/* The folder of the trace is removed while the program runs. Nothing can be kept, and one line says so.
 *
 * link: cuda
 * run: mkdir "$dir/gone"; exec "$program" "$dir/gone"
 * env: XFERSPY_OUTPUT=$dir/gone/t.db
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ grep -c 'capture stopped early: the trace was deleted while it was written, and so was its folder; ' $stderr
 * 1
 *
 * $ grep -c 'nothing is left of .*gone/t[.]db' $stderr; grep -c 'holds what came before' $stderr; ls $dir
 * 1
 * 0
 */
#include <cuda.h>

#include "../check.h"

int main(int argc, char **argv) {
    unsigned char host[64] = {0};
    char command[4200];
    CUdeviceptr device;

    REQUIRE(argc == 2);
    snprintf(command, sizeof command, "LD_PRELOAD= rm -r '%s'", argv[1]);
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(cuMemcpyHtoD(device, host, sizeof host));
    REQUIRE(system(command) == 0);
    OK(cuMemcpyHtoD(device, host, sizeof host));
    puts("data ok");
    return 0;
}
