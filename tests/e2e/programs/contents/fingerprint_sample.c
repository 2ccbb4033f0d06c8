/* Uploads from two lines, of which the budget allows a part to be looked at: what the report says of all of them is
 * true. 299 uploads of the first line change nothing (the first one is to fresh memory), and so do 99 of the second.
 * Eight runs, in which other copies are chosen: the number of the stack, from which the choice follows, is another one.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_FINGERPRINT_SHARE=20
 * run: sh -c 'for run in 1 2 3 4 5 6 7 8; do "$program" $run || exit; done'
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 * stdout: data ok
 * traces: 8
 * notices: 8
 *
 * Some were left out by chance, but not in a run that a busy machine held up so long that the budget allowed all.
 * $ for t in $traces; do q $t "SELECT count(*) > 0 FROM transfer WHERE skip = 21 AND bytes > 8"; done | grep -c 1 | awk '{ print ($1 >= 5) }'
 * 1
 *
 * An interval of 95 % misses the truth now and then, so that of eight runs three may.
 * $ for t in $traces; do "$xferspy" report --format=json $t; done | "$here/sample_truth" noop-upload weights:299 batch:99
 * weights: true
 * batch: true
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"

enum { BYTES = 1 << 20, TIMES = 300 };

static unsigned char *host;

/* Copies of their own stacks, so that the stacks of the next lines get other numbers. */
static __attribute__((noinline, noclone)) void deeper(int frames, CUdeviceptr to) {
    if (frames > 1)
        deeper(frames - 1, to);
    OK(cuMemcpyHtoD(to, host, 8));
}

static __attribute__((noinline, noclone)) void weights(CUdeviceptr to) { OK(cuMemcpyHtoD(to, host, BYTES)); }

static __attribute__((noinline, noclone)) void batch(CUdeviceptr to, unsigned time) {
    memset(host + BYTES, 0, 2 * sizeof time); /* the same in three times */
    memcpy(host + BYTES + BYTES / 2, &(unsigned){(time + 1) * 2 / 3}, sizeof time);
    OK(cuMemcpyHtoD(to, host + BYTES, BYTES));
}

int main(int argc, char **argv) {
    CUdeviceptr first, second, other;
    (void)argc;
    e2e_context();
    OK(cuMemAllocHost((void **)&host, 2 * BYTES));
    OK(cuMemAlloc(&first, BYTES));
    OK(cuMemAlloc(&second, BYTES));
    OK(cuMemAlloc(&other, BYTES));
    e2e_fill(host, 2 * BYTES, 1);
    deeper(atoi(argv[1]), other);
    for (unsigned i = 0; i < TIMES; i++) {
        weights(first);
        batch(second, i);
    }
    unsigned char *back = calloc(1, BYTES);
    OK(cuMemcpyDtoH(back, first, BYTES));
    e2e_expect(back, BYTES, 1);
    printf("data ok\n");
    return 0;
}
