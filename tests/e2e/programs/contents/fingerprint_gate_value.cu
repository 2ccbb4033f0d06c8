/* A kernel wrote what an upload overwrites. The kernel's stream had waited for a value that another upload brought.
 *
 * ThreadSanitizer takes the simulated GPU's wait for the value, which a copy writes, for a race.
 * only: no-tsan
 * link: cuda
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * Contents by the first transfer that had the same; the last upload finds what the kernel made of the one before:
 * > SELECT (SELECT min(g.transfer) FROM fingerprints g WHERE g.content = f.content), (SELECT min(g.transfer)
 * >   FROM fingerprints g WHERE g.content = f.before), changed_leaves, taken_on FROM fingerprints f
 * > WHERE bytes = 50000 ORDER BY transfer
 * 1||13|device
 * 2|1|13|device
 * 1||13|device
 * 1|1|0|device
 * 1|2|13|device
 * 1|||device
 */
#include "fingerprint_gate.h"

static unsigned *value;
static unsigned char *flag; // pinned

static void close_gate() {
    value = reinterpret_cast<unsigned *>(case_device(8));
    flag = case_pinned(8);
    OK(cudaMemset(value, 0, 8));
    OK(cudaDeviceSynchronize());
    OK(cuStreamWaitValue32(other, reinterpret_cast<CUdeviceptr>(value), 1, CU_STREAM_WAIT_VALUE_EQ));
}

static void tell_when_over() {}

static void open_gate() {
    flag[0] = 1;
    case_up(value, flag, 8);
    OK(cudaStreamSynchronize(other));
}
