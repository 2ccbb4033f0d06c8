/* Copies while the file system of the trace is frozen (fsfreeze, FIFREEZE), and says how long the longest copy took, or
 * how much longer the start took than without capture. */
#include <cuda.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../check.h"

enum { FROZEN_MS = 5000, LONGEST_MS = 3500, THAW_SECONDS = 100 }; /* the documentation promises two seconds */
enum { LEAST_COPIES = 45000 };                                    /* more copies than a spool of 2 MiB can hold */

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* Returns the time of a clock that stops while this thread is ready to run but has no processor, so that a busy machine
 * does not matter. If the kernel does not count that time, the clock is the same as that of now_ms. */
static double own_ms(void) {
    static int counts = -1;
    unsigned long long waited_ns = 0;
    char text[100] = "";
    if (counts < 0)
        counts = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (counts >= 0 && pread(counts, text, sizeof text - 1, 0) > 0)
        (void)sscanf(text, "%*u %llu", &waited_ns);
    return now_ms() - (double)waited_ns / 1e6;
}

static double copy_for(double ms, long least, CUdeviceptr device, long *copies) {
    static unsigned char host[64];
    double longest = 0, end = now_ms() + ms;
    for (double at = own_ms(); now_ms() < end || *copies < least; ++*copies) {
        OK(cuMemcpyHtoD(device, host, sizeof host));
        double took = own_ms() - at;
        longest = took > longest ? took : longest;
        at += took;
    }
    return longest;
}

#ifdef FROZEN_FROM_THE_START
/* Returns how long a process without capture now takes to make a context and to allocate. This can take seconds if many
 * processes make contexts at the same time. */
static double start_alone_ms(void) {
    double took = 0;
    CUdeviceptr device;
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    pid_t child = fork();
    if (child == 0) {
        REQUIRE(setenv("XFERSPY_ENABLE", "off", 1) == 0);
        double start = own_ms();
        e2e_context();
        OK(cuMemAlloc(&device, 64));
        took = own_ms() - start;
        _exit(write(ends[1], &took, sizeof took) == sizeof took ? 0 : 1);
    }
    close(ends[1]);
    REQUIRE(read(ends[0], &took, sizeof took) == sizeof took);
    close(ends[0]);
    waitpid(child, NULL, 0);
    return took;
}
#endif

#ifdef UNTIL_XFERSPY_IS_GONE
/* True if the process has a thread of xferspy. */
static bool has_its_thread(void) {
    bool found = false;
    DIR *threads = opendir("/proc/self/task");
    REQUIRE(threads != NULL);
    /* cppcheck-suppress readdirCalled ; only this thread uses the stream */
    for (const struct dirent *entry; (entry = readdir(threads)) != NULL && !found;) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *from = fopen(path, "r");
        if (from != NULL) {
            found = fgets(name, sizeof name, from) != NULL && strcmp(name, "xferspy\n") == 0;
            fclose(from);
        }
    }
    closedir(threads);
    return found;
}
#endif

int main(int argc, char **argv) {
    CUdeviceptr device;
    long copies = 0;
    REQUIRE(argc == 2);
    int folder = open(argv[1], O_RDONLY | O_DIRECTORY);
    REQUIRE(folder >= 0);
    pid_t helper = fork(); /* unfreezes the file system even if this program is killed */
    if (helper == 0) {
        sleep(THAW_SECONDS);
        ioctl(folder, FITHAW, 0);
        _exit(0);
    }
#ifdef FROZEN_FROM_THE_START
    double alone_ms = start_alone_ms();
#else
    e2e_context();
    OK(cuMemAlloc(&device, 64));
    copy_for(100, 0, device, &copies);
#endif
    if (ioctl(folder, FIFREEZE, 0) != 0) {
        kill(helper, SIGKILL);
        _exit(E2E_SKIP);
    }
    double longest = 0;
#ifdef FROZEN_FROM_THE_START
    double start = own_ms();
    e2e_context();
    OK(cuMemAlloc(&device, 64));
    longest = own_ms() - start - alone_ms;
#endif
    double longest_copy = copy_for(FROZEN_MS, copies + LEAST_COPIES, device, &copies);
    longest = longest_copy > longest ? longest_copy : longest;
    REQUIRE(ioctl(folder, FITHAW, 0) == 0);
    kill(helper, SIGKILL);
    waitpid(helper, NULL, 0);
#ifdef UNTIL_XFERSPY_IS_GONE
    for (double until = now_ms() + 20000; has_its_thread() && now_ms() < until;)
        usleep(1000);
#endif
    REQUIRE(copies > 1000);
    if (longest > LONGEST_MS)
        printf("a copy, or the start, took %.0f ms\n", longest);
    else
        puts("no copy took long");
    return 0;
}
