/* A process that only asks whether there is a GPU: no file and no line.
 *
 * link: cuda
 * traces: 0
 * stdout: some devices
 *
 * $ ls $dir
 */
#include <cuda.h>

#include "../check.h"

int main(void) {
    CUdevice device;
    char name[64];
    int count, version;
    OK(cuInit(0));
    OK(cuDriverGetVersion(&version));
    OK(cuDeviceGetCount(&count));
    OK(cuDeviceGet(&device, 0));
    OK(cuDeviceGetName(name, sizeof name, device));
    puts(count > 0 && name[0] != '\0' ? "some devices" : "none");
    return 0;
}
