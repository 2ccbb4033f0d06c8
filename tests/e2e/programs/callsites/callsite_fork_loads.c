/* Forked children load a library while a thread of the parent meets new call sites. No child may find the loader's lock
 * held by that thread, because nobody would release it.
 *
 * link: cuda
 * env: XFERSPY_FINGERPRINT=off
 * stdout: data ok
 *
 * ThreadSanitizer's own runtime blocks children of a process with threads, also without xferspy:
 * only: no-tsan
 */
#include <cuda.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

#define FOUR(x) x x x x
#define MANY(x) FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(FOUR(x))))))) /* as many as rules are cached: some are always new */

static CUcontext context;
static atomic_bool over;

static void *call_from_everywhere(void *unused) {
    OK(cuCtxSetCurrent(context));
    while (!atomic_load(&over))
        MANY(cuMemFree(0);)
    return unused;
}

int main(void) {
    pthread_t thread;
    char path[4096];
    e2e_context();
    OK(cuCtxGetCurrent(&context));
    snprintf(path, sizeof path, "%s/libcopier.so", getenv("XFERSPY_TEST_LIB"));
    OK(pthread_create(&thread, NULL, call_from_everywhere, NULL));
    for (int i = 0; i < 60; i++) {
        int status;
        pid_t child = fork();
        REQUIRE(child >= 0);
        if (child == 0) {
            alarm(10);
            _exit(dlopen(path, RTLD_NOW) ? 0 : 1);
        }
        REQUIRE(waitpid(child, &status, 0) == child && status == 0);
        usleep(2000);
    }
    atomic_store(&over, true);
    OK(pthread_join(thread, NULL));
    puts("data ok");
    return 0;
}
