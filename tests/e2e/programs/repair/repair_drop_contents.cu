/* drop-uploads without a plan: contents are compared each time, and only what is there already is left out.
 *
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=drop-uploads XFERSPY_REPAIR_LOG=$dir/log
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * Of 64 uploads of ever new content the first three are looked at, and of what follows ever fewer: 7 in all.
 * $ tr '{' '\n' < $dir/log | grep -v '^$'
 * "version":1,"plan":null,"differs_from_plan":0,"repairs":[
 * "name":"drop-uploads","applied":5,"bytes":5242880,"wrong":0,"refused":
 * "contents differ":13,"too small to gain":1,"page-locked, so a look would take longer":1,"page-locked, so the program may still change it":1,"a stream captures a graph":1,"contents kept differing":57}}]}
 */
#include "uploads.h"

enum { BYTES = 1 << 20 };
static unsigned char *x, *pageable;

static void blocking() {
    OK(cudaMemset(x, 0, BYTES));
    case_up(x, pageable, BYTES); // differs
    case_up(x, pageable, BYTES); // left out
    pageable[BYTES - 1] ^= 1;
    case_up(x, pageable, BYTES); // differs in the last byte
    pageable[BYTES - 1] ^= 1;
    case_up(x, pageable, BYTES); // differs in it again
    case_up(x, pageable, BYTES); // left out
    repair_busy();
    case_change(x, BYTES);
    case_up(x, pageable, BYTES); // differs: the kernel comes first
    repair_expect(x, BYTES, 1);
    case_up(x, pageable, BYTES); // left out
    OK(cudaFree(x));
    x = case_device(BYTES);
    OK(cudaMemset(x, 0, BYTES));
    case_up(x, pageable, BYTES); // differs: the address may be that of what was freed
    repair_expect(x, BYTES, 1);
}

/* The source is the program's again as soon as the call is over. */
static void asynchronous() {
    repair_up_async(x, pageable, BYTES); // left out
    case_fill(pageable, BYTES, 2);
    repair_expect(x, BYTES, 1);
    repair_up_async(x, pageable, BYTES); // differs
    memset(pageable, 0, BYTES);
    repair_expect(x, BYTES, 2);
}

static void not_looked_at() {
    unsigned char *pinned = repair_pinned(BYTES, 2);
    cudaStream_t stream;
    cudaGraph_t graph;
    case_up(x, pageable, 4096);
    case_up(x, pinned, BYTES);
    repair_up_async(x, pinned, BYTES);
    OK(cudaStreamSynchronize(nullptr));
    OK(cudaStreamCreate(&stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    repair_up_async(x, pinned, BYTES, stream);
    OK(cudaStreamEndCapture(stream, &graph));
    OK(cudaGraphDestroy(graph));
    OK(cudaStreamDestroy(stream));
    repair_expect(x, BYTES, 2);
    OK(cudaFreeHost(pinned));
}

static void backs_off() {
    unsigned char *z = case_device(BYTES);
    OK(cudaMemset(z, 0, BYTES));
    for (unsigned i = 0; i < 64; i++) {
        pageable[0]++;
        case_up(z, pageable, BYTES);
    }
    case_up(z, pageable, BYTES); // left out
    unsigned char *back = static_cast<unsigned char *>(malloc(BYTES));
    case_down(back, z, BYTES);
    REQUIRE(memcmp(back, pageable, BYTES) == 0);
    free(back);
    OK(cudaFree(z));
}

int main() {
    x = case_device(BYTES);
    pageable = repair_pageable(BYTES, 1);
    blocking();
    asynchronous();
    not_looked_at();
    backs_off();
    puts("data ok");
    return 0;
}
