/* Case 11: a scalar read back by a blocking copy, 1,000 times in a loop.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * A kernel changes the scalar each time, so that no download repeats the one before, and stands between the downloads.
 * !
 * scalar-readback|1000|1000|4000
 */
#include "cases.h"

int main() {
    unsigned char *scalar = case_device(4), value[4];

    OK(cudaMemset(scalar, 0, 4));
    for (int i = 1; i <= 1000; i++) {
        case_change(scalar, 4);
        case_down(value, scalar, 4);
        e2e_expect_value(value, 4, static_cast<unsigned char>(i));
    }
    OK(cudaFree(scalar));
    puts("data ok");
    return 0;
}
