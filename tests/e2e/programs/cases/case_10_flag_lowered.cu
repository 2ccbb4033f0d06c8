/* Case 10 the other way round: a flag of one byte goes up as 0, the kernel raises it eight times, the ninth it leaves
 * it at 0.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Uploads U1 to U9 have 0. Downloads D1 to D8 have 1, D9 has 0. It is small content, all of it in one region.
 * noop-upload: none, U2 to U9 find 1. duplicate-upload: U2 to U9 bring back what the region held: 8 overwritten.
 * repeat-download: D2 to D8: 7. bounce: D9 alone. round-trip: none, no upload follows the only download of a 0.
 * !
 * bounce|1|1|1
 * duplicate-upload/overwritten|8|8|8
 * repeat-download|7|7|7
 *
 * ?
 */
#include "cases.h"

enum { TIMES = 9 };

int main() {
    unsigned char *flag = case_device(1);

    for (int i = 1; i <= TIMES; i++) {
        unsigned char zero = 0, answer = i < TIMES, seen = 2;
        case_up(flag, &zero, 1);
        xs_set_one<<<1, 1>>>(flag, 0, answer);
        OK(cudaGetLastError());
        case_down(&seen, flag, 1);
        REQUIRE(seen == answer);
    }
    OK(cudaFree(flag));
    puts("data ok");
    return 0;
}
