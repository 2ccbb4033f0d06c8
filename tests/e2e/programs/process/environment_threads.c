/* The library's threads read no variable of the environment, because a thread of the program may be changing it then, which glibc does not
 * make safe. (SQLite asks for its temporary folder by itself.)
 *
 * link: cuda
 * build: -rdynamic
 * env: OMPI_COMM_WORLD_RANK=3 OMPI_COMM_WORLD_SIZE=4
 * stdout: read by other threads: 0
 *
 * > SELECT group_concat(key || ' ' || value) FROM (SELECT * FROM meta WHERE key IN ('rank', 'world_size', 'rank_source') ORDER BY key)
 * rank 3,rank_source OMPI_COMM_WORLD_RANK,world_size 4
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "../check.h"

extern char **environ;
static pthread_t main_thread;
static atomic_int others;

/* Takes the place of the C library's for every library of the process. */
char *getenv(const char *name) {
    size_t n = strlen(name);
    if (main_thread && !pthread_equal(pthread_self(), main_thread) && !strstr(name, "TMPDIR")) {
        fprintf(stderr, "another thread reads %s\n", name);
        atomic_fetch_add(&others, 1);
    }
    for (char **at = environ; at && *at; at++) {
        if (strncmp(*at, name, n) == 0 && (*at)[n] == '=') {
            return *at + n + 1;
        }
    }
    return NULL;
}

int main(void) {
    static unsigned char host[64];
    CUdeviceptr device;
    main_thread = pthread_self();
    e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    OK(cuMemcpyHtoD(device, host, sizeof host));
    OK(cuMemFree(device));
    OK(cuCtxSynchronize());
    printf("read by other threads: %d\n", atomic_load(&others));
    return 0;
}
