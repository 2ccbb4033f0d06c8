/* A thread with the smallest of stacks makes the first calls of the process, and later ones. A wrapper takes at most
 * 2 KiB of its stack, with call stacks and with fingerprints of everything. Everything is recorded.
 *
 * only: sim unsanitized
 * env: LD_BIND_NOW=1 XFERSPY_FINGERPRINT=all XFERSPY_CUPTI=off
 * stdout: data ok
 *
 * > SELECT count(*), count(stack) > 3000, count(fingerprint) > 3000 FROM transfer
 * 3315|1|1
 *
 * > SELECT count(*), count(arguments) FROM launch WHERE kind = 0
 * 3|3
 *
 * > SELECT count(*) FROM allocation
 * 3
 */
#include "small_stack.h"

#include <pthread.h>

enum { STACK_BYTES = 16384, PAGE_BYTES = 4096 };

static unsigned char *stack;

static void *on_small_stack(void *unused) {
    OK(((__typeof__(&cuCtxSetCurrent))real_address("cuCtxSetCurrent"))(context));
    measure_all(stack);
    return unused;
}

int main(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    prepare();
    stack = mmap(NULL, PAGE_BYTES + STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(stack != MAP_FAILED);
    stack += PAGE_BYTES; /* what is below cannot be touched */
    OK(mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE));
    OK(pthread_attr_init(&attributes));
    OK(pthread_attr_setstack(&attributes, stack, STACK_BYTES));
    OK(pthread_create(&thread, &attributes, on_small_stack, NULL));
    OK(pthread_join(thread, NULL));
    judge();
    return 0;
}
