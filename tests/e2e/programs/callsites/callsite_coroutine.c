/* Coroutines copy. Their stacks are small mappings, with memory above them that nobody may read. The mappings are
 * removed, and come back with other sizes at the same place.
 *
 * link: cuda
 * build: -g -O1 -fno-optimize-sibling-calls
 * only: unsanitized
 * stdout: data ok
 *
 * > SELECT count(*), min(s.native_frames) > 0 FROM transfer t JOIN stack s ON s.id = t.stack
 * 6|1
 */
#include <cuda.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "../check.h"

enum { SMALLEST = 65536, LARGEST = 262144 }; /* a driver's own frames need some room */
static unsigned char host[4096];
static CUdeviceptr device;
static ucontext_t outside, inside;

static void __attribute__((noinline)) copy(void) { OK(cuMemcpyHtoD(device, host, sizeof host)); }

static void run_on(unsigned char *memory, size_t bytes) {
    memset(&inside, 0, sizeof inside);
    // cppcheck-suppress getcontextCalled ; what coroutines are made of
    OK(getcontext(&inside));
    inside.uc_stack.ss_sp = memory;
    inside.uc_stack.ss_size = bytes;
    inside.uc_link = &outside;
    // cppcheck-suppress makecontextCalled ; what coroutines are made of
    makecontext(&inside, copy, 0);
    // cppcheck-suppress swapcontextCalled ; what coroutines are made of
    OK(swapcontext(&outside, &inside));
}

int main(void) {
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    unsigned char *place = mmap(NULL, LARGEST + 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(place != MAP_FAILED);
    for (int round = 0; round < 3; round++) {
        for (size_t bytes = LARGEST; bytes >= SMALLEST; bytes /= 4) {
            OK(mprotect(place, bytes, PROT_READ | PROT_WRITE));
            run_on(place, bytes);
            OK(mprotect(place, LARGEST, PROT_NONE));
        }
    }
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
