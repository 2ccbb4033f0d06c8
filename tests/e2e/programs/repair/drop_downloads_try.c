/* `xferspy try` leaves out downloads that nobody read in the trace. The run with the repair takes less time and prints
 * the same. One access to memory whose download is left out ends the trial with an error: in one program the access comes
 * while the plan is checked, in another one when the downloads were left out.
 *
 * link: cuda
 * only: sim unsanitized
 * env: XFERSPY_HOST_READS=all XFERSPY_SIM_TIME_SCALE=20
 * stdout: result 19
 *
 * Pageable memory. Nothing overwrites the last download: that is another finding, so it is not in the plan.
 * $ cd $dir; export XFERSPY_SIM_TIME_SCALE=20 LOOP=1
 * $ try() { "$xferspy" try --yes --loop-time='^loop ([0-9.]+) us' "$@" >said 2>&1; echo "exit status $?"; }
 * $ said() { grep -oE 'output the same|drop-downloads: .*|cannot be tried: .*|ERROR: .*|gate .*' said | sort -u; }
 * $ try -n 5 --at-least=20% $traces; said
 * $ try -n 1 $traces -- $program malloc verify; said
 * $ try -n 1 $traces -- $program malloc apply; said
 * exit status 0
 * drop-downloads: 19 of 19 copies in the plan, applied 19 times (152 MiB)
 * gate      --at-least=20%: passed
 * output the same
 * exit status 3
 * ERROR: the program accesses memory of downloads that the plan leaves out (1 times), so its output counts for nothing
 * drop-downloads: 19 of 19 copies in the plan
 * gate      a repair did not do in this run what the trace says
 * exit status 3
 * ERROR: the program accesses memory of downloads that the plan leaves out (2 times), so its output counts for nothing
 * drop-downloads: 19 of 19 copies in the plan, applied 19 times (152 MiB)
 * gate      a repair did not do in this run what the trace says
 *
 * Memory of cuMemHostAlloc, and both recordings made here. In the last program the host reads one of the downloads.
 * $ cd $dir; export XFERSPY_SIM_TIME_SCALE=20 LOOP=1 XFERSPY_HOST_READS=all
 * $ try() { "$xferspy" try --loop-time='^loop ([0-9.]+) us' "$@" >said 2>&1; echo "exit status $?"; }
 * $ said() { grep -oE 'output the same|drop-downloads: .*|cannot be tried: .*|ERROR: .*|gate .*' said | sort -u; }
 * $ try -n 5 --at-least=20% -- $program pinned; said
 * $ try -n 1 -- $program pinned verify; said
 * $ try -n 1 -- $program pinned apply; said
 * $ try -n 1 -- $program pinned always; said
 * exit status 0
 * drop-downloads: 19 of 19 copies in the plan, applied 19 times (152 MiB)
 * gate      --at-least=20%: passed
 * output the same
 * exit status 3
 * ERROR: the program accesses memory of downloads that the plan leaves out (1 times), so its output counts for nothing
 * drop-downloads: 19 of 19 copies in the plan
 * gate      a repair did not do in this run what the trace says
 * exit status 3
 * ERROR: the program accesses memory of downloads that the plan leaves out (2 times), so its output counts for nothing
 * drop-downloads: 19 of 19 copies in the plan, applied 19 times (152 MiB)
 * gate      a repair did not do in this run what the trace says
 * exit status 0
 * cannot be tried: 1 of the 20 watched downloads of this place were read
 *
 */
#define _GNU_SOURCE
#include <cuda.h>

#include <sched.h>
#include <string.h>
#include <time.h>

#include "../check.h"

enum { BYTES = 8 << 20, STEPS = 20 };

static volatile unsigned char seen;

/* Another processor may keep back some pages that were just written, and these count as accessed. */
static void stay_on_one_processor(void) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    OK(sched_setaffinity(0, sizeof one, &one));
}

/* True in a run of `xferspy try` with a plan of this mode. */
static int is_tried(const char *mode) {
    char line[64];
    const char *path = getenv("XFERSPY_REPAIR_PLAN");
    FILE *plan = path ? fopen(path, "r") : NULL;
    int found = 0;
    while (plan && fgets(line, sizeof line, plan))
        found |= strncmp(line, "mode ", 5) == 0 && strncmp(line + 5, mode, strlen(mode)) == 0;
    if (plan)
        fclose(plan);
    return found;
}

static unsigned char *memory_of(const char *kind) {
    void *memory = NULL;
    if (strcmp(kind, "malloc") == 0)
        memory = malloc(BYTES);
    else
        OK(cuMemHostAlloc(&memory, BYTES, 0));
    REQUIRE(memory != NULL);
    memset(memory, 1, BYTES);
    return memory;
}

int main(int argc, char **argv) {
    const char *kind = argc > 1 ? argv[1] : "malloc", *reads = argc > 2 ? argv[2] : "nothing";
    struct timespec begin, end;
    CUdeviceptr device;
    unsigned char result;
    stay_on_one_processor();
    e2e_context();
    unsigned char *field = memory_of(kind);
    int is_read = is_tried(reads) || strcmp(reads, "always") == 0;
    OK(cuMemAlloc(&device, BYTES));
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (unsigned step = 0; step < STEPS; step++) {
        OK(cuMemsetD8(device, (unsigned char)step, 1));
        OK(cuMemcpyDtoH(field, device, BYTES));
        if (is_read && step == STEPS / 2)
            seen = field[BYTES / 2];
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    OK(cuMemcpyDtoH(&result, device, 1));
    printf("result %d\n", result);
    if (getenv("LOOP"))
        fprintf(stderr, "loop %ld us\n", (end.tv_sec - begin.tv_sec) * 1000000 + (end.tv_nsec - begin.tv_nsec) / 1000);
    OK(cuMemFree(device));
    return 0;
}
