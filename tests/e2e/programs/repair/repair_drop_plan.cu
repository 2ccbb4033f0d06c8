/* drop-uploads with a plan that is believed: what the lines name is not uploaded, and everything that those uploads kept
 * in order or made wait stays so.
 *
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=drop-uploads XFERSPY_REPAIR_PLAN=$dir/plan XFERSPY_REPAIR_LOG=$dir/log
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ cat $dir/log; grep -c 'drop-uploads: 5 uploads left out' $stderr
 * {"version":1,"plan":"apply","differs_from_plan":1,"repairs":[{"name":"drop-uploads","applied":5,"bytes":1500000,"wrong":0,"refused":{"a stream captures a graph":1}}]}
 * 1
 */
#include "uploads.h"

enum { BYTES = 300000 };
static const char lines[] = "mode apply\n"
                            "drop-uploads 0 1 300000\n"
                            "drop-uploads 0 5 300000\n"
                            "drop-uploads 0 7-8 300000 # the second is smaller\n"
                            "drop-uploads 0 12 300000\n"
                            "drop-uploads 0 14 300000\n"
                            "drop-uploads 0 16 300000 # captured\n";

static unsigned char *x, *y, *z, *pageable, *pinned;

static void plainly() {
    case_up(x, pageable, BYTES); // 0
    case_up(x, pageable, BYTES); // 1: left out
    case_change(x, BYTES);
    case_up(x, pageable, BYTES);       // 2
    repair_expect(x, BYTES, 1);        // 3
    repair_up_async(x, pinned, BYTES); // 4
    repair_up_async(x, pinned, BYTES); // 5: left out
    repair_expect(x, BYTES, 2);        // 6
}

/* A blocking upload returns when what was queued before is done. The next has another number of bytes than its line. */
static void waits() {
    unsigned char *flag = case_pinned(1);
    *flag = 0;
    repair_busy();
    xs_set_one<<<1, 1>>>(flag, 0, 42);
    case_up(x, pinned, BYTES); // 7: left out
    REQUIRE(*static_cast<volatile unsigned char *>(flag) == 42);
    case_up(x, pageable, BYTES / 2); // 8: made
    repair_expect(x, BYTES / 2, 1);  // 9
}

/* An operation in the legacy default stream waits for the one blocking stream, and the other waits for it. */
static void keeps_blocking_streams_in_order() {
    cudaStream_t a, b;
    OK(cudaStreamCreate(&a));
    OK(cudaStreamCreate(&b));
    case_up(x, pinned, BYTES); // 10
    case_up(y, pinned, BYTES); // 11
    repair_busy(a);
    case_change(y, BYTES, a);
    repair_up_async(x, pinned, BYTES); // 12: left out
    case_read(z, y, BYTES, b);
    repair_expect(z, BYTES, 2, 1); // 13
    OK(cudaStreamDestroy(a));
    OK(cudaStreamDestroy(b));
}

/* What follows in a non-blocking stream relies on the upload having waited. */
static void keeps_other_streams_behind() {
    cudaStream_t other;
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    repair_busy();
    case_change(y, BYTES);
    case_up(x, pinned, BYTES); // 14: left out
    case_read(z, y, BYTES, other);
    OK(cudaStreamSynchronize(other));
    repair_expect(z, BYTES, 2, 2); // 15
    OK(cudaStreamDestroy(other));
}

static void captures() {
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    repair_up_async(x, pinned, BYTES, stream); // 16: captured
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphInstantiate(&executable, graph, 0));
    case_change(x, BYTES);
    OK(cudaGraphLaunch(executable, stream));
    repair_expect(x, BYTES, 2); // 17
    OK(cudaGraphExecDestroy(executable));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
}

int main() {
    repair_plan(lines);
    x = case_device(BYTES), y = case_device(BYTES), z = case_device(BYTES);
    pageable = repair_pageable(BYTES, 1), pinned = repair_pinned(BYTES, 2);
    plainly();
    waits();
    keeps_blocking_streams_in_order();
    keeps_other_streams_behind();
    captures();
    puts("data ok");
    return 0;
}
