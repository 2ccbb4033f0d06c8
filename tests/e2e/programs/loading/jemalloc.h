/* The program of both jemalloc tests. Its threads copy from memory that they allocate and free all the time; meanwhile
 * the program forks a child. The run without xferspy has jemalloc, too. */
#define _GNU_SOURCE
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>

#include "../driver_by_hand.h"

enum { THREADS = 4, COPIES = 200, BYTES = 1024 };

static void *library;
static struct by_hand driver;
static CUcontext context;

static void *find(const char *symbol) { return dlsym(library, symbol); }

static void *copy(void *unused) {
    CUdeviceptr device;
    OK(driver.set_current(context));
    OK(driver.alloc(&device, BYTES));
    for (unsigned i = 0; i < COPIES; i++) {
        void *host = malloc(BYTES), *larger = realloc(malloc(i), (size_t)BYTES * i + 1);
        memset(host, (int)i, BYTES);
        OK(driver.up(device, host, BYTES));
        free(host);
        free(larger);
    }
    OK(driver.free(device));
    return unused;
}

int main(void) {
    pthread_t thread[THREADS];
    int status = 0;
    printf("jemalloc is %s\n", dlsym(RTLD_DEFAULT, "mallctl") ? "there" : "not there");
    fflush(stdout);
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return E2E_SKIP;
    by_hand_load(&driver, find);
    by_hand_round_trip(&driver, BYTES);
    OK(driver.retain(&context, 0));
    for (int i = 0; i < THREADS; i++)
        OK(pthread_create(&thread[i], NULL, copy, NULL));
    pid_t child = fork();
    if (child == 0) {
        free(malloc(100000));
        _exit(7);
    }
    REQUIRE(child > 0 && waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7);
    for (int i = 0; i < THREADS; i++)
        OK(pthread_join(thread[i], NULL));
    for (int i = 0; i < 3; i++)
        by_hand_round_trip(&driver, BYTES);
    puts("data ok");
    return 0;
}
