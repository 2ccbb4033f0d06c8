/* stay-on-device without a plan: the latest copy from or to the same host memory is compared, and copied from if it is
 * equal.
 *
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=stay-on-device XFERSPY_REPAIR_LOG=$dir/log
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ tr '{' '\n' < $dir/log | grep -v '^$'
 * "version":1,"plan":null,"differs_from_plan":0,"repairs":[
 * "name":"stay-on-device","applied":3,"bytes":3145728,"wrong":0,"refused":
 * "the origin was not seen":1,"contents differ":2,"the origin overlaps the destination":1,"the origin was freed":1,"other work may change the origin":1}}]}
 */
#include "uploads.h"

enum { BYTES = 1 << 20 };

int main() {
    unsigned char *x = case_device(BYTES), *y = case_device(BYTES), *z = case_device(BYTES);
    unsigned char *pageable = repair_pageable(BYTES, 1);
    cudaStream_t other;
    case_up(x, pageable, BYTES); // new
    case_up(y, pageable, BYTES); // from x
    repair_expect(y, BYTES, 1);
    case_down(pageable, x, BYTES);
    case_up(z, pageable, BYTES); // from x
    repair_expect(z, BYTES, 1);
    case_change(z, BYTES);
    case_up(y, pageable, BYTES); // z differs now
    repair_expect(y, BYTES, 1);
    case_up(y, pageable, BYTES); // y itself
    case_fill(pageable, BYTES, 2);
    case_up(x, pageable, BYTES); // y differs
    repair_expect(x, BYTES, 2);
    repair_up_async(y, pageable, BYTES); // from x
    memset(pageable, 0, BYTES);
    repair_expect(y, BYTES, 2);
    OK(cudaFree(y));
    case_fill(pageable, BYTES, 2);
    case_up(x, pageable, BYTES); // y was freed
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    case_change(x, BYTES, other);
    case_up(z, pageable, BYTES); // the other stream writes x
    repair_expect(z, BYTES, 2);
    OK(cudaStreamSynchronize(other));
    puts("data ok");
    return 0;
}
