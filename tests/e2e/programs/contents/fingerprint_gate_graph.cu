/* A kernel wrote what an upload overwrites. The kernel came after a graph whose host function waited for the program
 * without any call.
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

static std::atomic<bool> open_now;
static cudaGraph_t graph;
static cudaGraphExec_t exec;

static void wait_for_it(void *) {
    while (!open_now) {
    }
}

static void close_gate() {
    OK(cudaStreamBeginCapture(other, cudaStreamCaptureModeThreadLocal));
    OK(cudaLaunchHostFunc(other, wait_for_it, nullptr));
    OK(cudaStreamEndCapture(other, &graph));
    OK(cudaGraphInstantiate(&exec, graph, 0));
    OK(cudaGraphLaunch(exec, other));
}

static void tell_when_over() {}

static void open_gate() {
    open_now = true;
    OK(cudaStreamSynchronize(other));
    OK(cudaGraphExecDestroy(exec));
    OK(cudaGraphDestroy(graph));
}
