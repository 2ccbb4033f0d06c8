/* Memory that is unmapped as soon as its upload returned, and mapped again at the same address: with the same bytes,
 * with other bytes, page-locked meanwhile or not. The device gets the bytes that were there at the call, whatever a
 * repair remembers of the address.
 *
 * link: cuda
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=all XFERSPY_REPAIR_LOG=$dir/repair.json
 * traces: 0
 * notices: any
 * stdout: data ok
 *
 * Each of these had something to do:
 * $ grep -oE '"name":"[a-z-]*","applied":[1-9]' $dir/repair.json | sed 's/.$//'
 * "name":"drop-uploads","applied":
 * "name":"stay-on-device","applied":
 * "name":"gather","applied":
 * "name":"stage","applied":
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <sys/mman.h>

#include "../check.h"

enum { ROUNDS = 24, BYTES = 1 << 20, SMALL = 16, SMALL_BYTES = 900 };

static unsigned char back[BYTES];

static unsigned char *map(void *where, int flags) {
    void *memory = mmap(where, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
    // cppcheck-suppress memleak ; MAP_FAILED is no memory
    return memory == MAP_FAILED ? NULL : memory;
}

/* Maps anew where `memory` was. In every second round it is unmapped first: should another thread take the address
 * then, it is another one from there on. */
static unsigned char *map_again(unsigned char *memory, unsigned round) {
    if (round % 2) {
        memory = map(memory, MAP_FIXED);
    } else {
        unsigned char *again;
        OK(munmap(memory, BYTES));
        again = map(memory, MAP_FIXED_NOREPLACE);
        memory = again ? again : map(NULL, 0);
    }
    REQUIRE(memory);
    return memory;
}

static void expect(CUdeviceptr device, size_t bytes, unsigned seed) {
    OK(cuMemcpyDtoH(back, device, bytes));
    e2e_expect(back, bytes, seed);
}

int main(void) {
    CUdeviceptr first, second, third, small;
    CUstream stream;
    unsigned char *memory = map(NULL, 0);
    REQUIRE(memory);
    e2e_context();
    OK(cuMemAlloc(&first, BYTES));
    OK(cuMemAlloc(&second, BYTES));
    OK(cuMemAlloc(&third, BYTES));
    OK(cuMemAlloc(&small, SMALL * SMALL_BYTES));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    for (unsigned round = 0; round < ROUNDS; round++) {
        const unsigned seed = round / 2; /* each content comes twice */
        const unsigned other = round % 3 ? seed : 1000 + round;
        e2e_fill(memory, BYTES, seed);
        OK(cuMemcpyHtoD(first, memory, BYTES));
        memory = map_again(memory, round / 2);
        e2e_fill(memory, BYTES, other);
        OK(round % 4 ? cuMemcpyHtoD(second, memory, BYTES) : cuMemcpyHtoDAsync(second, memory, BYTES, stream));
        memory = map_again(memory, round);
        e2e_fill(memory, BYTES, 2000 + round);
        for (unsigned i = 0; i < SMALL; i++) {
            OK(i < SMALL / 2
                   ? cuMemcpyHtoD(small + i * SMALL_BYTES, memory + i * SMALL_BYTES, SMALL_BYTES)
                   : cuMemcpyHtoDAsync(small + i * SMALL_BYTES, memory + i * SMALL_BYTES, SMALL_BYTES, stream));
        }
        memory = map_again(memory, round);
        expect(small, SMALL * SMALL_BYTES, 2000 + round);
        expect(first, BYTES, seed);
        expect(second, BYTES, other);
        if (round)
            expect(third, BYTES, 3000 + round - 1);

        e2e_fill(memory, BYTES, 3000 + round);
        OK(cuMemHostRegister(memory, BYTES, 0));
        OK(cuMemcpyHtoDAsync(third, memory, BYTES, stream));
        OK(cuMemcpyDtoHAsync(memory, first, BYTES, stream));
        OK(cuStreamSynchronize(stream));
        e2e_expect(memory, BYTES, seed);
        OK(cuMemHostUnregister(memory));
        memory = map_again(memory, round);
    }
    OK(munmap(memory, BYTES));
    OK(cuStreamDestroy(stream));
    OK(cuMemFree(first));
    OK(cuMemFree(second));
    OK(cuMemFree(third));
    OK(cuMemFree(small));
    puts("data ok");
    return 0;
}
