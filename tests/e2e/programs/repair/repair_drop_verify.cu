/* A plan that is to be verified: nothing is left out, and the lines that are wrong are counted.
 *
 * env: XFERSPY_ENABLE=off XFERSPY_REPAIR=drop-uploads,stay-on-device XFERSPY_REPAIR_PLAN=$dir/plan XFERSPY_REPAIR_LOG=$dir/log
 * traces: 0
 * notices: 2
 * stdout: data ok
 *
 * $ tr '{' '\n' < $dir/log | grep -v '^$'
 * "version":1,"plan":"verify","differs_from_plan":1,"repairs":[
 * "name":"drop-uploads","applied":0,"bytes":0,"checked":4,"wrong":2,"refused":
 * "no upload":1}},
 * "name":"stay-on-device","applied":0,"bytes":0,"checked":3,"wrong":2,"refused":
 * "the origin was not seen":1,"the origin was freed":1}}]}
 */
#include "uploads.h"

enum { BYTES = 3 << 20 }; /* several pieces of a comparison, and two are under way at a time */
static const char lines[] = "mode verify\n"
                            "drop-uploads 0 1 3145728\n"
                            "drop-uploads 0 2 3145728 # wrong: a kernel wrote to it\n"
                            "drop-uploads 0 3 3145728 # a download\n"
                            "drop-uploads 0 4 3145728 # wrong: the source's last byte is another one\n"
                            "drop-uploads 0 5 3145728 # another size\n"
                            "drop-uploads 0 9 3145728\n"
                            "stay-on-device 0 11 3145728 from 0 10\n"
                            "stay-on-device 0 12 3145728 from 0 10 # wrong\n"
                            "stay-on-device 0 14 3145728 from 0 13 # wrong\n"
                            "stay-on-device 0 15 3145728 from 0 99\n"
                            "stay-on-device 0 17 3145728 from 0 16\n";

static unsigned char *x, *y, *pageable, *pinned;

static void same_place() {
    case_up(x, pageable, BYTES); // 0
    case_up(x, pageable, BYTES); // 1: right
    case_change(x, BYTES);
    case_up(x, pageable, BYTES); // 2: wrong
    repair_expect(x, BYTES, 1);  // 3: no upload
    pageable[BYTES - 1] ^= 1;
    case_up(x, pageable, BYTES);     // 4: wrong
    case_up(x, pageable, BYTES / 2); // 5: differs from the plan
    pageable[BYTES - 1] ^= 1;
    case_up(x, pageable, BYTES); // 6
    repair_expect(x, BYTES, 1);  // 7
}

/* What an upload would move is what its source has when everything before it in the stream is done. */
static void source_is_written_before() {
    repair_busy();
    OK(cudaMemcpyAsync(pinned, x, BYTES, cudaMemcpyDeviceToHost, nullptr)); // 8
    repair_up_async(x, pinned, BYTES);                                      // 9: right
    OK(cudaStreamSynchronize(nullptr));
    case_expect(pinned, BYTES, 1);
}

static void elsewhere() {
    case_down(pageable, x, BYTES); // 10
    case_up(y, pageable, BYTES);   // 11: right
    case_change(x, BYTES);
    case_up(y, pageable, BYTES); // 12: wrong
    case_up(x, pageable, BYTES); // 13
    pageable[0] ^= 1;
    case_up(y, pageable, BYTES); // 14: wrong
    pageable[0] ^= 1;
    case_up(y, pageable, BYTES); // 15: names what does not exist
    unsigned char *freed = case_device(BYTES);
    case_up(freed, pageable, BYTES); // 16
    OK(cudaFree(freed));
    freed = case_device(BYTES);
    case_up(y, pageable, BYTES); // 17: the origin is another allocation's
    repair_expect(y, BYTES, 1);  // 18
    OK(cudaFree(freed));
}

int main() {
    repair_plan(lines);
    x = case_device(BYTES), y = case_device(BYTES);
    pageable = repair_pageable(BYTES, 1), pinned = repair_pinned(BYTES, 2);
    same_place();
    source_is_written_before();
    elsewhere();
    puts("data ok");
    return 0;
}
