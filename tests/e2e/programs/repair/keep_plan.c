/* A plan names the size that is kept; other sizes are not, and are not refused either. Capture is off.
 *
 * link: cuda
 * run: printf 'xferspy-plan 1\nmode apply\nkeep-allocations * * 4194304\n' > $dir/plan; exec $program
 * env: XFERSPY_REPAIR=keep-allocations,keep-pinned XFERSPY_REPAIR_LOG=$dir/repair.json XFERSPY_REPAIR_PLAN=$dir/plan XFERSPY_ENABLE=off
 * stdout: data ok
 * traces: 0
 * notices: 2
 *
 * $ grep -o '"plan".*' $dir/repair.json
 * "plan":"apply","differs_from_plan":0,"repairs":[{"name":"keep-allocations","applied":9,"bytes":37748736,"wrong":0,"refused":{}},{"name":"keep-pinned","applied":0,"bytes":0,"wrong":0,"refused":{}}]}
 */
#include <cuda.h>

#include "../check.h"

enum { STEPS = 10, MIB = 1 << 20 };

int main(void) {
    CUdeviceptr four, two;
    void *pinned;
    e2e_context();
    for (int i = 0; i < STEPS; i++) {
        OK(cuMemAlloc(&four, 4 * MIB));
        OK(cuMemAlloc(&two, 2 * MIB));
        OK(cuMemAllocHost(&pinned, 4 * MIB));
        OK(cuMemFree(two));
        OK(cuMemFree(four));
        OK(cuMemFreeHost(pinned));
    }
    puts("data ok");
    return 0;
}
