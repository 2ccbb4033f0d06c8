/* A signal handler on an alternate stack of 8 KiB makes the first calls of the process, and later ones. A wrapper takes
 * at most 2 KiB of it, with call stacks and with fingerprints of everything. Everything is recorded.
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

#include <signal.h>

enum { STACK_BYTES = 8192, PAGE_BYTES = 4096 };

static unsigned char *stack;

static void handle(int number) {
    (void)number;
    measure_all(stack);
}

int main(void) {
    prepare();
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    stack = mmap(NULL, PAGE_BYTES + STACK_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(stack != MAP_FAILED);
    stack += PAGE_BYTES; /* what is below cannot be touched */
    OK(mprotect(stack, STACK_BYTES, PROT_READ | PROT_WRITE));
    stack_t alternate = {.ss_sp = stack, .ss_size = STACK_BYTES};
    if (sigaltstack(&alternate, NULL) != 0)
        return E2E_SKIP; /* the frame of a signal alone needs more on this processor */
    OK(sigaction(SIGUSR1, &action, NULL));
    OK(raise(SIGUSR1));
    judge();
    return 0;
}
