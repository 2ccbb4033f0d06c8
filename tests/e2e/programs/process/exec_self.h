/* The program of both exec_self tests. It makes an upload and a download, then executes itself (exec), and makes both
 * again. */
#include <cuda.h>

#include "../check.h"

int main(int argc, char **argv) {
    unsigned char host[2000], back[2000] = {0};
    size_t bytes = argc == 1 ? 1000 : 2000;
    CUdeviceptr device;

    e2e_context();
    OK(cuMemAlloc(&device, bytes));
    e2e_fill(host, bytes, 1);
    OK(cuMemcpyHtoD(device, host, bytes));
    OK(cuMemcpyDtoH(back, device, bytes));
    e2e_expect(back, bytes, 1);
    printf("stage %s\n", argc == 1 ? "one" : "two");
    fflush(stdout);
    if (argc == 1) {
        setenv("XFERSPY_TEST_STAGE", "two", 1);
        execl(argv[0], argv[0], "again", (char *)NULL);
        return 99;
    }
    return 0;
}
