/* Steady copies, for tests that control a process from outside (../surroundings/control.sh). Here it runs alone.
 *
 *   steady_copies COPIES FILE [sandbox]
 *
 * Every ten milliseconds it makes one copy; copy number n moves n bytes, so the trace tells which copies it has. FILE
 * gets what counted_copies writes. With COPIES 0 it copies until SIGTERM comes, and then ends regularly; after two
 * minutes it kills itself. In a sandbox, its threads are forbidden to take a connection: one that does ends it.
 *
 * link: cuda
 * run: exec "$program" 20 "$dir/count"
 * stdout: data ok
 *
 * > SELECT count(*), max(bytes) FROM transfer
 * 20|20
 */
#include <cuda.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include "../check.h"

enum { MOST = 60000 };

struct count {
    _Atomic uint64_t pid, returned;
};

static volatile sig_atomic_t ends;
static void end(int signal) { ends = signal; }

static void enter_sandbox(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_accept4, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof *filter, .filter = filter};
    REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
    REQUIRE(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0);
}

int main(int argc, char **argv) {
    static unsigned char host[MOST];
    const struct timespec pause = {0, 10000000};
    CUdeviceptr device;
    REQUIRE(argc == 3 || argc == 4);
    unsigned copies = (unsigned)atoi(argv[1]);
    int fd = open(argv[2], O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    REQUIRE(fd >= 0 && ftruncate(fd, sizeof(struct count)) == 0 && signal(SIGTERM, end) != SIG_ERR);
    struct count *count = mmap(NULL, sizeof *count, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    REQUIRE(count != MAP_FAILED);
    atomic_store(&count->pid, (uint64_t)getpid());
    alarm(120);
    e2e_context();
    OK(cuMemAlloc(&device, MOST));
    if (argc == 4)
        enter_sandbox();
    for (unsigned n = 1; !ends && n < MOST && (copies == 0 || n <= copies); n++) {
        OK(cuMemcpyHtoD(device, host, n));
        atomic_store_explicit(&count->returned, n, memory_order_release);
        nanosleep(&pause, NULL);
    }
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
