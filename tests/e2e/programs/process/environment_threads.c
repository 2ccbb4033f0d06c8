/* The library's threads read no variable of the environment, because a thread of the program may be changing it then, which glibc does not
 * make safe. (SQLite asks for its temporary folder by itself.)
 *
 * link: cuda
 * env: OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4
 * stdout: read by the library's threads: 0
 *
 * > SELECT group_concat(key || ' ' || value) FROM (SELECT * FROM meta WHERE key IN ('rank', 'world_size', 'rank_source') ORDER BY key)
 * rank 3,rank_source OMPI_COMM_WORLD_RANK,world_size 4
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>

#include "../check.h"

extern char **environ;
static atomic_int others;

/* Takes the place of the C library's for every library of the process. */
__attribute__((visibility("default"))) char *getenv(const char *name) {
    size_t n = strlen(name);
    char thread[16] = "";
    prctl(PR_GET_NAME, thread);
    if (strncmp(thread, "xferspy", 7) == 0 && !strstr(name, "TMPDIR")) {
        fprintf(stderr, "%s reads %s\n", thread, name);
        atomic_fetch_add(&others, 1);
    }
    for (char **at = environ; at && *at; at++)
        if (strncmp(*at, name, n) == 0 && (*at)[n] == '=')
            return *at + n + 1;
    return NULL;
}

int main(void) {
    static unsigned char host[64];
    CUdeviceptr device;
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemFree(device));
    OK(cuCtxSynchronize());
    printf("read by the library's threads: %d\n", atomic_load(&others));
    return 0;
}
