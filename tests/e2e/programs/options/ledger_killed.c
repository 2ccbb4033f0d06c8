/* A ledger of a process that was killed has what was rolled up last, and what the spool still had.
 *
 * link: cuda
 * env: XFERSPY_MODE=ledger
 * exit: 137
 * stdout: data ok
 * status: recovered
 *
 * > SELECT (SELECT sum(rows) FROM thinned WHERE source = 'transfer') + (SELECT count(*) FROM transfer) BETWEEN 100 AND 1500,
 * >   (SELECT count(*) FROM transfer) < 1500, (SELECT value FROM meta WHERE key = 'ledger.rolled_up_ns') > 1000000000
 * 1|1|1
 *
 * No call is counted twice, as rows of parts and as sums together are all of the calls that are known.
 * > SELECT count(*) FROM transfer_row GROUP BY enter_ns HAVING count(*) > 1
 *
 * $ "$xferspy" report $traces | grep -cE '^  (The process was killed; its last events|This is a ledger)'
 * 2
 */
#include <cuda.h>
#include <signal.h>
#include <time.h>

#include "../check.h"

enum { COPIES = 1500, BYTES = 4096, SECONDS = 3 };

static long long now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* The first roll-up comes after two seconds. */
int main(void) {
    static unsigned char input[BYTES], output[BYTES];
    CUdeviceptr device;
    const struct timespec pause = {0, SECONDS * 1000000000LL / COPIES};
    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    long long begun_ns = now_ns();
    unsigned copies = 1;
    for (; copies < COPIES; copies++) {
        e2e_fill(input, BYTES, copies);
        OK(cuMemcpyHtoD(device, input, BYTES));
        nanosleep(&pause, NULL);
    }
    while (now_ns() < begun_ns + SECONDS * 1000000000LL)
        nanosleep(&pause, NULL);
    OK(cuMemcpyDtoH(output, device, BYTES));
    e2e_expect(output, BYTES, COPIES - 1);
    puts("data ok");
    fflush(NULL);
    raise(SIGKILL);
    return 0;
}
