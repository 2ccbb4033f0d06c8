/* The drain thread leaves the processor of the program's busy thread if there is another one. The thread's own
 * processors stay as the program set them.
 *
 * link: cuda
 * only: unsanitized no-repairs
 * stdout: data ok
 *
 * > SELECT count(*) > 0 FROM transfer
 * 1
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <dirent.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "../check.h"

/* Returns whether one of the library's threads may not run on that processor. */
static bool one_keeps_off(size_t cpu) {
    bool found = false;
    DIR *tasks = opendir("/proc/self/task");
    REQUIRE(tasks);
    // cppcheck-suppress readdirCalled ; no other thread reads this folder
    for (struct dirent *entry; (entry = readdir(tasks));) {
        char path[300], name[32] = "";
        cpu_set_t set;
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = fopen(path, "r");
        if (file && fgets(name, sizeof name, file) && strcmp(name, "xferspy\n") == 0 &&
            sched_getaffinity((pid_t)strtol(entry->d_name, NULL, 10), sizeof set, &set) == 0)
            found |= !CPU_ISSET(cpu, &set);
        if (file)
            fclose(file);
    }
    closedir(tasks);
    return found;
}

int main(void) {
    unsigned char host[64];
    CUdeviceptr memory;
    cpu_set_t all, one, after;
    const char *preloaded = getenv("LD_PRELOAD");
    bool is_bare = !preloaded || !strstr(preloaded, "libxferspy");
    OK(sched_getaffinity(0, sizeof all, &all));
    if (CPU_COUNT(&all) < 2)
        return E2E_SKIP;
    e2e_context();
    OK(cuMemAlloc(&memory, sizeof host));
    e2e_fill(host, sizeof host, 1);
    size_t cpu = 0;
    while (!CPU_ISSET(cpu, &all) || one_keeps_off(cpu)) /* it began on another one than the session */
        cpu++;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    OK(sched_setaffinity(0, sizeof one, &one));
    bool keeps_off = is_bare;
    for (time_t until = time(NULL) + 60; !keeps_off && time(NULL) < until; keeps_off = one_keeps_off(cpu))
        for (int i = 0; i < 10000; i++)
            OK(cuMemcpyHtoD(memory, host, sizeof host));
    REQUIRE(keeps_off);
    OK(cuMemcpyHtoD(memory, host, sizeof host));
    OK(cuMemcpyDtoH(host, memory, sizeof host));
    e2e_expect(host, sizeof host, 1);
    OK(sched_getaffinity(0, sizeof after, &after));
    REQUIRE(CPU_EQUAL(&after, &one));
    puts("data ok");
    return 0;
}
