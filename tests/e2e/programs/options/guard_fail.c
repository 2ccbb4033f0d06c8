/* A guard that fails: the program ends with status 3 right after the call that breaks a rule, also if another thread
 * breaks one, and without its exit handlers. Its trace is complete. Without the library nothing ends.
 *
 * link: cuda
 * only: no-repairs
 * env: XFERSPY_GUARD=fail:d2h>64B
 * run: for where in main thread; do XFERSPY_OUTPUT=$dir/$where.db "$program" $where >$dir/out; echo "$? $(tr '\n' ' ' <$dir/out)"; done | case "$LD_PRELOAD" in *xferspy*) grep -cx '3 before ' ;; *) grep -cx '0 before after handler ' ;; esac
 * stdout: 2
 * traces: 2
 * notices: 4
 *
 * $ grep -c "rule d2h>64B is broken by a download of 4096 bytes (cuMemcpyDtoH_v2) at guard_fail+0x.*; the program ends with status 3$" $stderr
 * 2
 *
 * trace: main.db
 * > SELECT (SELECT count(*) FROM transfer), (SELECT count(*) FROM note WHERE topic = 'guard')
 * 2|1
 *
 * trace: thread.db
 * > SELECT (SELECT count(*) FROM transfer), (SELECT count(*) FROM note WHERE topic = 'guard')
 * 2|1
 */
#include <cuda.h>
#include <pthread.h>
#include <string.h>

#include "../check.h"

static CUcontext context;
static CUdeviceptr device;
static unsigned char host[4096];

static void say(const char *text) {
    puts(text);
    fflush(stdout);
}
static void handler(void) { say("handler"); }

static void *copy(void *unused) {
    (void)unused;
    OK(cuCtxSetCurrent(context));
    OK(cuMemcpyDtoH(host, device, 64));
    OK(cuMemcpyDtoH(host, device, sizeof host));
    say("after");
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t thread;
    context = e2e_context();
    atexit(handler);
    OK(cuMemAlloc(&device, sizeof host));
    say("before");
    if (argc > 1 && !strcmp(argv[1], "thread")) {
        OK(pthread_create(&thread, NULL, copy, NULL));
        OK(pthread_join(thread, NULL));
    } else {
        copy(NULL);
    }
    return 0;
}
