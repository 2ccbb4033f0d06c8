/* stay-on-device with a plan that is believed: uploads become copies on the device, as long as nothing can have changed
 * what they copy.
 *
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=stay-on-device XFERSPY_REPAIR_PLAN=$dir/plan XFERSPY_REPAIR_LOG=$dir/log
 * traces: 0
 * notices: 1
 * stdout: data ok
 *
 * $ tr '{' '\n' < $dir/log | grep -v '^$'
 * "version":1,"plan":"apply","differs_from_plan":0,"repairs":[
 * "name":"stay-on-device","applied":4,"bytes":1200000,"wrong":0,"refused":
 * "the origin was freed":1,"other work may change the origin":2,"the origin overlaps the destination":1,"asynchronous, beside other streams":1}}]}
 */
#include "uploads.h"

enum { BYTES = 300000 };
static const char lines[] = "mode apply\n"
                            "stay-on-device 0 2 300000 from 0 1\n"
                            "stay-on-device 0 4 300000 from 0 0\n"
                            "stay-on-device 0 7 300000 from 0 6\n"
                            "stay-on-device 0 10-11 300000 from 0 9\n"
                            "stay-on-device 0 13 300000 from 0 9\n"
                            "stay-on-device 0 15 300000 from 0 9\n"
                            "stay-on-device 0 17 300000 from 0 9\n"
                            "stay-on-device 0 20 300000 from 0 19\n";

static unsigned char *x, *y, *z, *pageable, *pinned;

static void round_trip() {
    unsigned char *flag = case_pinned(1);
    *flag = 0;
    case_up(x, pageable, BYTES); // 0
    memset(pageable, 0, BYTES);
    case_down(pageable, x, BYTES); // 1
    repair_busy();
    xs_set_one<<<1, 1>>>(flag, 0, 42);
    case_up(y, pageable, BYTES); // 2: on the device; and it has waited
    REQUIRE(*static_cast<volatile unsigned char *>(flag) == 42);
    repair_expect(y, BYTES, 1);  // 3
    case_up(z, pageable, BYTES); // 4: on the device
    case_change(x, BYTES);
    repair_expect(z, BYTES, 1); // 5
}

static void freed() {
    unsigned char *origin = case_device(BYTES);
    case_up(origin, pageable, BYTES); // 6
    OK(cudaFree(origin));
    origin = case_device(BYTES); // perhaps at the same address
    OK(cudaMemset(origin, 0, BYTES));
    case_up(y, pageable, BYTES); // 7: its origin was freed
    repair_expect(y, BYTES, 1);  // 8
    OK(cudaFree(origin));
}

/* The program may write the origin from another stream right after the call, and does. */
static void changed_by_another_stream() {
    cudaStream_t other;
    OK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    repair_up_async(x, pinned, BYTES);  // 9
    OK(cudaStreamSynchronize(nullptr)); // or the kernel below may come before it
    repair_up_async(y, pinned, BYTES);  // 10: on the device
    repair_busy();
    repair_up_async(z, pinned, BYTES); // 11: on the device
    case_change(x, BYTES, other);
    repair_expect(z, BYTES, 2); // 12
    case_up(y, pinned, BYTES);  // 13: the other stream wrote the origin
    repair_expect(y, BYTES, 2); // 14
    OK(cudaStreamSynchronize(other));
    case_up(x, pinned, BYTES);  // 15: onto the origin itself
    repair_expect(x, BYTES, 2); // 16
    OK(cudaStreamDestroy(other));
}

int main() {
    repair_plan(lines);
    x = case_device(BYTES), y = case_device(BYTES), z = case_device(BYTES);
    pageable = repair_pageable(BYTES, 1), pinned = repair_pinned(BYTES, 2);
    round_trip();
    freed();
    changed_by_another_stream();
    case_up(y, pinned, BYTES);         // 17: x is not what it was
    repair_expect(y, BYTES, 2);        // 18
    case_up(x, pinned, BYTES);         // 19
    repair_up_async(y, pinned, BYTES); // 20: there is more than one stream now
    repair_expect(y, BYTES, 2);        // 21
    puts("data ok");
    return 0;
}
