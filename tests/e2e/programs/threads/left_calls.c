/* Calls of the driver that never return: a signal handler jumps out of them, on the thread's own stack and on an
 * alternate one, and a thread ends inside of one. What the threads do afterwards is recorded, from deeper functions,
 * too. A call that a handler makes inside another call is still part of that one, also on an alternate stack.
 *
 * link: cuda
 * only: sim unsanitized
 * env: XFERSPY_CUPTI=off XFERSPY_STACK=none
 * stdout: data ok
 *
 * 3 times 1000 copies after the calls that were left, 1 after the thread's, 1 around the nested ones.
 * > SELECT count(*) FROM transfer
 * 3002
 *
 * > SELECT key, value FROM meta WHERE key IN ('coverage.left', 'coverage.nested') ORDER BY key
 * coverage.left|4
 * coverage.nested|2
 */
#include <cuda.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "../sim_tools.h"

enum { COPIES = 1000, OTHER_BYTES = 65536, DEEPER_BYTES = 3000 };

static unsigned char host[64];
static CUdeviceptr device;
static CUcontext context;
static sigjmp_buf back;
static _Thread_local enum { NOTHING, JUMP, END, COPY } in_the_call;

static void jump(int number) {
    (void)number;
    siglongjmp(back, 1);
}

static void copy_in_handler(int number) {
    (void)number;
    OK(cuMemcpyHtoD(device, host, sizeof host));
}

/* The driver has just been entered. */
static void on_call(const struct xs_sim_api *call) {
    int what = in_the_call;
    if (call->leaving)
        return;
    in_the_call = NOTHING;
    if (what == JUMP)
        OK(raise(SIGUSR1));
    else if (what == COPY)
        OK(raise(SIGUSR2));
    else if (what == END)
        pthread_exit(NULL);
}

static void handle(int signal, void (*handler)(int number), int flags) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    OK(sigaction(signal, &action, NULL));
}

static __attribute__((noinline, noclone)) void leave_a_copy(void) {
    if (sigsetjmp(back, 1) == 0) {
        in_the_call = JUMP;
        (void)cuMemcpyHtoD(device, host, sizeof host);
        REQUIRE(!"the handler jumped");
    }
}

static __attribute__((noinline, noclone)) void copy_often(void) {
    for (int i = 0; i < COPIES; i++)
        OK(cuMemcpyHtoD(device, host, sizeof host));
}

/* What lies on the stack where the call was that was left is another function's now. */
static __attribute__((noinline, noclone)) void copy_often_from_deeper(void) {
    volatile unsigned char much[DEEPER_BYTES];
    for (size_t i = 0; i < sizeof much; i++)
        much[i] = (unsigned char)i;
    copy_often();
    REQUIRE(much[7] == 7); // cppcheck-suppress uninitvar ; the loop above
}

static pthread_key_t key;

static void copy_at_the_end(void *unused) {
    (void)unused;
    OK(cuMemcpyHtoD(device, host, sizeof host));
}

static void *end_in_a_copy(void *unused) {
    OK(cuCtxSetCurrent(context));
    OK(pthread_setspecific(key, &key));
    in_the_call = END;
    (void)cuMemcpyHtoD(device, host, sizeof host);
    return unused;
}

int main(void) {
    static unsigned char other[OTHER_BYTES];
    stack_t alternate = {.ss_sp = other, .ss_size = sizeof other};
    pthread_t thread;
    context = e2e_context();
    OK(cuMemAlloc(&device, sizeof host));
    sim_on_calls(on_call);
    OK(sigaltstack(&alternate, NULL));

    handle(SIGUSR1, jump, 0);
    leave_a_copy();
    copy_often();
    leave_a_copy();
    copy_often_from_deeper();
    handle(SIGUSR1, jump, SA_ONSTACK);
    leave_a_copy();
    copy_often();

    OK(pthread_key_create(&key, copy_at_the_end));
    OK(pthread_create(&thread, NULL, end_in_a_copy, NULL));
    OK(pthread_join(thread, NULL));

    handle(SIGUSR2, copy_in_handler, 0);
    in_the_call = COPY;
    OK(cuMemcpyHtoD(device, host, sizeof host));
    handle(SIGUSR2, copy_in_handler, SA_ONSTACK);
    in_the_call = COPY;
    OK(cuStreamSynchronize(NULL));
    OK(cuMemFree(device));
    puts("data ok");
    return 0;
}
