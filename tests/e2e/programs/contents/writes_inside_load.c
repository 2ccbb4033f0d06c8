/* A signal handler fills the device's memory while its thread loads a module. The call inside the load is not recorded,
 * but the upload after it brings other bytes than the memory has, so it is needed. The module is read from a pipe, so
 * that the load lasts until the handler has run.
 *
 * link: cuda
 * only: sim
 * env: XFERSPY_FINGERPRINT=all
 * stdout: data ok
 *
 * The second upload changes nothing. The third one, after the load, does.
 * > SELECT t.id, f.content IS f.before FROM fingerprints f JOIN transfer t ON t.id = f.transfer
 * > WHERE f.direction = 'h2d' AND t.id > 1 ORDER BY 1
 * 2|1
 * 3|0
 *
 * The trace says that contents became unknown before the third upload.
 * > SELECT e.name, count(*), max(a.argument) FROM api_call a JOIN entry_point e ON e.id = a.entry_point
 * > WHERE e.name IN ('cuModuleLoad', 'cuUnknownFunction') GROUP BY 1 ORDER BY 1
 * cuModuleLoad|1|0
 * cuUnknownFunction|1|1
 *
 * > SELECT value FROM meta WHERE key = 'coverage.nested'
 * 1
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../arguments/add_one_ptx.h"
#include "../check.h"

enum { BYTES = 256 << 10 };

static unsigned char *host, *back; /* page-locked */
static CUdeviceptr device;
static pthread_t loader;
static sem_t handled;
static char folder[] = "/tmp/xferspy-e2e.XXXXXX", path[64];

static void on_signal(int number) {
    (void)number;
    OK(cuMemsetD8(device, 0xa5, BYTES));
    sem_post(&handled);
}

/* Opening the pipe waits until the load has opened it, and the load then waits for its contents. */
static void *feed(void *arg) {
    int pipe = open(path, O_WRONLY);
    (void)arg;
    REQUIRE(pipe >= 0);
    REQUIRE(pthread_kill(loader, SIGUSR1) == 0);
    while (sem_wait(&handled) != 0)
        ;
    REQUIRE(write(pipe, add_one_ptx, strlen(add_one_ptx)) == (ssize_t)strlen(add_one_ptx));
    close(pipe);
    return NULL;
}

static void load(void) {
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
    pthread_t feeder;
    CUmodule module;
    loader = pthread_self();
    REQUIRE(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/code.ptx", folder);
    REQUIRE(mkfifo(path, 0600) == 0 && sem_init(&handled, 0, 0) == 0 && sigaction(SIGUSR1, &action, NULL) == 0);
    REQUIRE(pthread_create(&feeder, NULL, feed, NULL) == 0);
    OK(cuModuleLoad(&module, path));
    REQUIRE(pthread_join(feeder, NULL) == 0);
    REQUIRE(unlink(path) == 0 && rmdir(folder) == 0);
}

int main(void) {
    e2e_context();
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAllocHost((void **)&host, BYTES));
    OK(cuMemAllocHost((void **)&back, BYTES));
    e2e_fill(host, BYTES, 1);
    OK(cuMemcpyHtoD(device, host, BYTES));
    OK(cuMemcpyHtoD(device, host, BYTES));
    load();
    OK(cuMemcpyHtoD(device, host, BYTES));
    OK(cuMemcpyDtoH(back, device, BYTES));
    e2e_expect(back, BYTES, 1);
    OK(cuMemFree(device));
    OK(cuMemFreeHost(host));
    OK(cuMemFreeHost(back));
    puts("data ok");
    return 0;
}
