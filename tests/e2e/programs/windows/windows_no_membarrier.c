/* Device times in windows on a kernel without membarrier, for which a filter of system calls stands in: CUPTI is detached
 * and attached all the same while eight threads work, and the trace has exactly what they did.
 *
 * link: cuda
 * only: no-tsan
 * env: XFERSPY_WINDOW=20ms/40ms
 * args: 1000
 * stdout: data ok
 *
 * needs: cupti
 * $ . "$here/programs/windows/counts.sh"; compare_counts
 * 17 counts are the same
 *
 * needs: cupti
 * > SELECT (SELECT value FROM meta WHERE key = 'cupti.windows') LIKE '%+%,%+%',
 * > (SELECT value FROM meta WHERE key = 'cupti.detachments') > 0
 * 1|1
 */
#include "busy.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static void take_membarrier_away(void) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_membarrier, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {.len = sizeof code / sizeof code[0], .filter = code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        exit(77);
    REQUIRE(syscall(SYS_membarrier, 0, 0, 0) == -1 && errno == ENOSYS);
}

int main(int argc, char **argv) {
    take_membarrier_away();
    return busy_run(argc, argv, busy_sorts);
}
