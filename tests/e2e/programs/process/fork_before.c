/* fork before CUDA starts: parent and child each use CUDA and each have a trace.
 *
 * link: cuda
 * traces: 2
 * stdout: child ok
 * stdout: parent ok
 *
 * $ for t in $traces; do q "$t" "SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1"; done | sort
 * d2h|1|1000
 * d2h|1|2000
 * h2d|1|1000
 * h2d|1|2000
 *
 * Each trace is of the process that its name says:
 * $ for t in $traces; do q "$t" "SELECT value FROM meta WHERE key = 'pid'" | grep -c "^$(echo "$t" | sed 's/.*[.]\([0-9]*\)[.]db$/\1/')\$"; done
 * 1
 * 1
 */
#include <cuda.h>
#include <sys/wait.h>

#include "../check.h"

static void round_trip(size_t bytes) {
    unsigned char host[4096], back[4096] = {0};
    CUdeviceptr device;
    e2e_context();
    OK(cuMemAlloc(&device, bytes));
    e2e_fill(host, bytes, 1);
    OK(cuMemcpyHtoD(device, host, bytes));
    OK(cuMemcpyDtoH(back, device, bytes));
    e2e_expect(back, bytes, 1);
    OK(cuMemFree(device));
}

int main(void) {
    int status;
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        round_trip(2000);
        puts("child ok");
        return 0;
    }
    REQUIRE(waitpid(child, &status, 0) == child && status == 0);
    round_trip(1000);
    puts("parent ok");
    return 0;
}
