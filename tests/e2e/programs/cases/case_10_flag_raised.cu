/* Case 10: a flag of one byte goes up as 0, a kernel answers, the flag comes down, nine times. The answers are 0, the
 * last is 1.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Uploads U1 to U9 have 0. Downloads D1 to D8 have 0, D9 has 1. It is small content, all of it in one region.
 * noop-upload: U2 to U9, the flag is 0 already: 8. duplicate-upload: none, U1 is the first and the others are no-ops.
 * repeat-download: D2 to D8 have what the download before had: 7. bounce: D1 to D8 have what was uploaded before them:
 * 8. round-trip: U2 has what D1 brought from the very region and consumes it, and so on to U9 with D8: 8. Nine
 * downloads are one too few for scalar-readback, and kernels stand between the small transfers.
 * !
 * bounce|8|8|8
 * noop-upload|8|8|8
 * repeat-download|7|7|7
 * round-trip/same-device|8|8|8
 *
 * ?
 */
#include "cases.h"

enum { TIMES = 9 };

int main() {
    unsigned char *flag = case_device(1);

    for (int i = 1; i <= TIMES; i++) {
        unsigned char zero = 0, answer = i == TIMES, seen = 2;
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
