/* The program calls _exit while xferspy's own threads stand still. _exit waits for them three seconds at most. Whoever
 * reads the trace then moves the events that the threads left in the spool. The parent, which uses no CUDA, stops the
 * threads as a debugger does.
 *
 * link: cuda
 * stdout: data ok
 * stdout: ended in time
 * status: recovered
 * notices: 1
 *
 * > SELECT entry_point, count(*), sum(bytes) FROM transfers GROUP BY 1 ORDER BY 1
 * cuMemcpyDtoH_v2|1|4096
 * cuMemcpyHtoD_v2|3|12288
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <dirent.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "../check.h"

enum { LOADED_MACHINE_SECONDS = 300 }; /* for what takes three, or for ever */

static char byte;

static void copies(void) {
    static unsigned char host[4096], back[4096];
    CUdeviceptr device;

    e2e_context();
    OK(cuMemAlloc(&device, 4096));
    e2e_fill(host, 4096, 1);
    for (int i = 0; i < 3; i++)
        OK(cuMemcpyHtoD(device, host, 4096));
    OK(cuMemcpyDtoH(back, device, 4096));
    e2e_expect(back, 4096, 1);
    puts("data ok");
    fflush(stdout);
}

static bool is_ours(pid_t process, const char *thread) {
    char path[300], name[32] = "";
    snprintf(path, sizeof path, "/proc/%ld/task/%s/comm", (long)process, thread);
    FILE *f = fopen(path, "r");
    bool is = f != NULL && fgets(name, sizeof name, f) != NULL && strcmp(name, "xferspy\n") == 0;
    if (f != NULL)
        fclose(f);
    return is;
}

/* None where there is no xferspy. */
static void stop_own_threads(pid_t process) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%ld/task", (long)process);
    DIR *threads = opendir(path);
    REQUIRE(threads != NULL);
    /* cppcheck-suppress readdirCalled ; of a stream of this thread's own */
    for (struct dirent *entry; (entry = readdir(threads)) != NULL;) {
        pid_t thread = (pid_t)atol(entry->d_name);
        int status;
        if (thread == 0 || !is_ours(process, entry->d_name))
            continue;
        if (ptrace(PTRACE_SEIZE, thread, NULL, NULL) != 0) {
            kill(process, SIGKILL);
            exit(E2E_SKIP);
        }
        OK(ptrace(PTRACE_INTERRUPT, thread, NULL, NULL));
        REQUIRE(waitpid(thread, &status, __WALL) == thread && WIFSTOPPED(status));
    }
    closedir(threads);
}

int main(void) {
    int ready[2], go[2], status;
    pid_t ended;
    OK(pipe(ready));
    OK(pipe(go));
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        copies();
        REQUIRE(write(ready[1], &byte, 1) == 1);
        REQUIRE(read(go[0], &byte, 1) == 1);
        _exit(5);
    }
    close(ready[1]); /* a child that fails ends the wait */
    REQUIRE(read(ready[0], &byte, 1) == 1);
    stop_own_threads(child);
    alarm(LOADED_MACHINE_SECONDS); /* which ends this program, and then the test fails */
    REQUIRE(write(go[1], &byte, 1) == 1);
    do {
        ended = waitpid(-1, &status, __WALL); /* also of the threads, which are waited for by who traces them */
    } while (ended > 0 && ended != child);
    REQUIRE(ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 5);
    puts("ended in time");
    return 0;
}
