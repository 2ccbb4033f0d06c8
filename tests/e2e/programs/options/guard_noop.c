/* The rule noop-upload: told after the result has arrived, with the upload that it is about, by a later copy or at the
 * end of the program, which then ends with status 3. An upload of the same bytes elsewhere or of other bytes, and one
 * after the memory was written, break no rule. Without contents no upload does.
 *
 * link: cuda
 * only: unsanitized no-repairs
 * env: XFERSPY_GUARD=fail:noop-upload
 * run: for all in all off; do for what in other same_then_copies same_then_end same_then_exit; do XFERSPY_FINGERPRINT=$all XFERSPY_OUTPUT=$dir/$all-$what.db "$program" $what >$dir/out; echo "$all $what $? $(cat $dir/out)"; done; done >$dir/all; case "$LD_PRELOAD" in *xferspy*) cat $dir/all ;; *) sed '/^all same/s| 0 | 3 |' $dir/all ;; esac | sed 's|then_copies 3.*|then_copies 3|; s| *$||'
 * stdout: all other 0 handler
 * stdout: all same_then_copies 3
 * stdout: all same_then_end 3 handler
 * stdout: all same_then_exit 3
 * stdout: off other 0 handler
 * stdout: off same_then_copies 0 handler
 * stdout: off same_then_end 0 handler
 * stdout: off same_then_exit 0
 * traces: 8
 * notices: 15
 *
 * $ grep -c "rule noop-upload is broken by an upload of what the device had there already of 131072 bytes (cuMemcpyHtoD_v2) at guard_noop+0x" $stderr
 * 3
 * $ grep -c "rule noop-upload is ignored: it is about contents" $stderr
 * 4
 *
 * trace: all-same_then_copies.db
 * > SELECT count(*) FROM note WHERE topic = 'guard'
 * 1
 *
 * trace: all-same_then_end.db
 * > SELECT count(*) FROM note WHERE topic = 'guard'
 * 1
 *
 * trace: all-other.db
 * > SELECT count(*) FROM note WHERE topic = 'guard'
 * 0
 */
#include <cuda.h>
#include <string.h>

#include "../check.h"
enum { BYTES = 256 * 1024 };
static void handler(void) { puts("handler"); }

int main(int argc, char **argv) {
    static unsigned char host[BYTES], back[64];
    const char *what = argc > 1 ? argv[1] : "other";
    CUdeviceptr device, other;
    e2e_context();
    atexit(handler);
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAlloc(&other, BYTES));
    OK(cuMemsetD8(device, 0, BYTES));
    OK(cuMemsetD8(other, 0, BYTES));
    e2e_fill(host, sizeof host, 1);
    OK(cuMemcpyHtoD(device, host, BYTES));
    OK(cuMemcpyHtoD(other, host, BYTES));
    OK(cuMemsetD8(other, 1, 64));
    OK(cuMemcpyHtoD(other, host, BYTES));
    host[BYTES / 2 - 1]++;
    OK(cuMemcpyHtoD(device, host, BYTES));
    if (strcmp(what, "other") != 0)
        OK(cuMemcpyHtoD(device, host, BYTES / 2));
    for (int i = 0; !strcmp(what, "same_then_copies") && i < 500; i++) {
        OK(cuMemcpyDtoH(back, device, sizeof back));
        usleep(1000);
    }
    OK(cuCtxSynchronize());
    if (!strcmp(what, "same_then_exit"))
        _exit(0);
    return 0;
}
