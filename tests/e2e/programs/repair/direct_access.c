/* A library of a network card is loaded in the middle of the run, on a machine that has a card: from then on the card may
 * read and write memory without a call that anybody here sees, so contents are not compared any more, and nothing is
 * gathered.
 *
 * link: cuda
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=drop-uploads,stay-on-device,gather XFERSPY_REPAIR_LOG=$dir/repair.json
 * traces: 0
 * notices: 3
 * stdout: data ok
 *
 * Before that:
 * $ grep -o '"name":"[^{]*"applied":[0-9]*' $dir/repair.json | sed 's/"name"://; s/"applied"://'
 * "drop-uploads",1
 * "stay-on-device",0
 * "gather",16
 *
 * After that, the numbers of each repair:
 * $ grep -o '"others may reach the memory directly":[0-9]*' $dir/repair.json
 * "others may reach the memory directly":18
 * "others may reach the memory directly":18
 * "others may reach the memory directly":16
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <dlfcn.h>
#include <string.h>

#include "../check.h"
#include "../own_devices.h"

#ifndef HAS_CARD
#define HAS_CARD true
#endif

enum { BYTES = 2 << 20, SMALL = 16, SMALL_BYTES = 500 };

static unsigned char source[BYTES], target[BYTES];

static void upload(CUdeviceptr device, unsigned seed) {
    e2e_fill(source, BYTES, seed);
    OK(cuMemcpyHtoD(device, source, BYTES));
    memset(source, 0xaa, BYTES);
    OK(cuMemcpyDtoH(target, device, BYTES));
    e2e_expect(target, BYTES, seed);
}

static void upload_small(CUdeviceptr device, unsigned seed) {
    for (unsigned i = 0; i < SMALL; i++) {
        e2e_fill(source, SMALL_BYTES, seed + i);
        OK(cuMemcpyHtoD(device + i * SMALL_BYTES, source, SMALL_BYTES));
    }
    for (unsigned i = 0; i < SMALL; i++) {
        OK(cuMemcpyDtoH(target, device + i * SMALL_BYTES, SMALL_BYTES));
        e2e_expect(target, SMALL_BYTES, seed + i);
    }
}

int main(void) {
    CUdeviceptr device;
    char path[4096];
    e2e_own_devices(HAS_CARD);
    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    upload(device, 1);
    upload(device, 1);        /* left out */
    upload_small(device, 10); /* gathered */
    snprintf(path, sizeof path, "%s/libibverbs_fake.so", getenv("XFERSPY_TEST_LIB"));
    void *library = dlopen(path, RTLD_NOW);
    REQUIRE(library != NULL);
    upload(device, 2);
    upload(device, 2);
    upload_small(device, 30);
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
