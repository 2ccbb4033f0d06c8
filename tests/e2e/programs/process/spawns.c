/* A process with a live session starts others in every way there is: system, popen, posix_spawn, vfork. Those that do
 * no CUDA leave nothing; this program, spawned, leaves a trace of its own.
 *
 * only: no-tsan
 * link: cuda
 * traces: 2
 * stdout: shell
 * stdout: pipe
 * stdout: spawned ok
 * stdout: vfork status 7
 * stdout: parent ok
 *
 * $ for t in $traces; do q "$t" "SELECT direction, count(*), sum(bytes) FROM transfers GROUP BY 1"; done | sort
 * d2h|1|1000
 * d2h|1|2000
 * h2d|1|1000
 * h2d|1|2000
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <spawn.h>
#include <sys/wait.h>

#include "../check.h"

static void round_trip(size_t bytes) {
    unsigned char host[4096], back[4096] = {0};
    CUdeviceptr device;
    OK(cuMemAlloc(&device, bytes));
    e2e_fill(host, bytes, 1);
    OK(cuMemcpyHtoD(device, host, bytes));
    OK(cuMemcpyDtoH(back, device, bytes));
    e2e_expect(back, bytes, 1);
    OK(cuMemFree(device));
}

int main(int argc, char **argv) {
    char line[64] = "", child[] = "child", *arguments[] = {argv[0], child, NULL};
    pid_t pid;
    int status;

    setvbuf(stdout, NULL, _IOLBF, 0);
    e2e_context();
    if (argc > 1) {
        round_trip(2000);
        puts("spawned ok");
        return 0;
    }
    fflush(stdout);
    REQUIRE(system("echo shell") == 0);         /* NOLINT(cert-env33-c): that is what is tested */
    FILE *pipe = popen("echo pipe | cat", "r"); /* NOLINT(cert-env33-c) */
    REQUIRE(pipe != NULL && fgets(line, sizeof line, pipe) != NULL && pclose(pipe) == 0);
    fputs(line, stdout);
    fflush(stdout);
    OK(posix_spawn(&pid, argv[0], NULL, NULL, arguments, environ));
    REQUIRE(waitpid(pid, &status, 0) == pid && status == 0);
    pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork) */
    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", "exit 7", (char *)NULL);
        _exit(99);
    }
    REQUIRE(waitpid(pid, &status, 0) == pid && WIFEXITED(status));
    printf("vfork status %d\n", WEXITSTATUS(status));
    round_trip(1000);
    puts("parent ok");
    return 0;
}
