/* A kernel wrote what an upload overwrites. The kernel had waited for a host function, which the program let go without
 * any call.
 *
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

static std::atomic<bool> open_now, ran;

static void wait_for_it(void *) {
    while (!open_now) {
    }
}

static void tell(void *) { ran = true; }

static void close_gate() { OK(cudaLaunchHostFunc(other, wait_for_it, nullptr)); }

static void tell_when_over() { OK(cudaLaunchHostFunc(other, tell, nullptr)); }

static void open_gate() {
    open_now = true;
    while (!ran) {
    }
}
