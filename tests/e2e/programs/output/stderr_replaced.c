/* A program that gives up its standard error and opens a file of its own, which gets the number 2: xferspy's line at
 * the end is not written into that file.
 *
 * link: cuda
 * stdout: file intact, data ok
 * notices: 0
 *
 * > SELECT direction, count(*) FROM transfers GROUP BY 1
 * h2d|1
 *
 * After xferspy's last line, which a program cannot look behind itself:
 * $ cat $dir.scratch/own; echo
 * own data
 */
#include <cuda.h>
#include <fcntl.h>

#include "../check.h"

int main(void) {
    unsigned char host[64];
    CUdeviceptr device;
    char path[4096], got[16] = "";

    e2e_context(); /* the session starts */
    OK(close(STDERR_FILENO));
    snprintf(path, sizeof path, "%s/own", getenv("XFERSPY_TEST_DIR"));
    int own = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    REQUIRE(own == STDERR_FILENO);
    REQUIRE(write(own, "own data", 8) == 8);
    OK(cuMemAlloc(&device, sizeof host));
    e2e_fill(host, sizeof host, 1);
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemFree(device));
    REQUIRE(pread(own, got, sizeof got, 0) == 8);
    puts("file intact, data ok");
    return 0;
}
