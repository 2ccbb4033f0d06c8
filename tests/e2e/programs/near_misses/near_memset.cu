/* Memory is set and then uploaded into: without a use between the two, after a launch that has nothing to do with it,
 * after a launch that reads it, and only in part.
 *
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The set of a is overwritten with nothing in between, b's with a launch in between that takes no pointer to it. c's
 * was read, half of d's was left, and e is freed, which does not count.
 * !
 * redundant-memset/certain|1|0|32768
 * redundant-memset/likely|1|0|32768
 */
#include "../cases/cases.h"

enum { BYTES = 32768, HALF = BYTES / 2 };

int main() {
    unsigned char *host = case_pinned(BYTES), *out = case_device(BYTES), *memory[5];

    for (unsigned char *&m : memory)
        m = case_device(BYTES);
    OK(cudaMemset(memory[0], 1, BYTES));
    case_fill(host, BYTES, 1);
    case_up(memory[0], host, BYTES);

    OK(cudaMemset(memory[1], 2, BYTES));
    case_read(out, memory[0], BYTES);
    case_fill(host, BYTES, 2);
    case_up(memory[1], host, BYTES);
    case_read(out, memory[1], BYTES);

    OK(cudaMemset(memory[2], 3, BYTES));
    case_read(out, memory[2], BYTES);
    case_fill(host, BYTES, 3);
    case_up(memory[2], host, BYTES);
    case_read(out, memory[2], BYTES);

    OK(cudaMemset(memory[3], 4, BYTES));
    case_fill(host, BYTES, 4);
    case_up(memory[3], host, HALF);
    case_read(out, memory[3], BYTES);

    OK(cudaMemset(memory[4], 5, BYTES));

    case_down(host, out, BYTES);
    case_expect(host, HALF, 4);
    e2e_expect_value(host + HALF, HALF, 4);
    for (unsigned char *m : memory)
        OK(cudaFree(m));
    OK(cudaFree(out));
    OK(cudaFreeHost(host));
    puts("data ok");
    return 0;
}
