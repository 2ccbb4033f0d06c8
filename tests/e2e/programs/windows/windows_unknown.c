/* A call of a function that xferspy does not know passes the gate as others do: while a thread is in one, CUPTI is
 * neither attached nor detached (the simulated driver ends the program if it is). A signal handler that comes in the
 * middle of it copies and waits, and behind that the thread is still inside. A handler may also jump out of the call: then
 * the thread is outside, and CUPTI is turned again.
 *
 * link: cuda
 * only: sim unsanitized no-repairs cupti
 * env: XFERSPY_WINDOW=20ms/40ms XFERSPY_STACK=none
 * stdout: data ok
 *
 * > SELECT (SELECT count(*) FROM transfer), (SELECT value FROM meta WHERE key = 'cupti.detachments') > 1
 * 2|1
 *
 * > SELECT value FROM meta WHERE key = 'coverage.unknown_called'
 * cuSomethingOut
 */
#include "asked.h"

#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

enum { PAGE = 4096, WAITS = 100 };

static const struct timespec pause_of_the_handler = {0, 3000000};
static sigjmp_buf back;
static void *page; /* that the driver cannot write to, before the handler has run */
static volatile bool jumps;
static _Atomic bool is_over;
static CUresult (*something_out)(unsigned *out); /* writes to `out` */

static void copy_and_wait(void) {
    unsigned char host[64] = {0};
    OK(cuMemcpyHtoD(asked_memory, host, sizeof host));
    for (int i = 0; i < WAITS; i++) {
        OK(cuCtxSynchronize()); /* a moment in which CUPTI could be turned, were it not for the call around it */
        nanosleep(&pause_of_the_handler, NULL);
    }
}

static void on_fault(int number) {
    (void)number;
    if (jumps)
        siglongjmp(back, 1);
    copy_and_wait();
    OK(mprotect(page, PAGE, PROT_READ | PROT_WRITE));
}

static void *fault_inside(void *unused) {
    OK(cuCtxSetCurrent(asked_context));
    OK(something_out(page));
    is_over = true;
    return unused;
}

static __attribute__((noinline, noclone)) void leave_the_call(void) {
    if (sigsetjmp(back, 1) == 0) {
        (void)something_out(page);
        REQUIRE(!"the handler jumped");
    }
}

int main(void) {
    struct sigaction action;
    pthread_t thread;
    unsigned char host[64] = {0};
    asked_begin();
    OK(cuGetProcAddress("cuSomethingOut", (void **)&something_out, 99000, CU_GET_PROC_ADDRESS_DEFAULT, NULL));
    REQUIRE(something_out != NULL);
    memset(&action, 0, sizeof action);
    action.sa_handler = on_fault;
    OK(sigaction(SIGSEGV, &action, NULL));
    page = mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(page != MAP_FAILED);
    OK(pthread_create(&thread, NULL, fault_inside, NULL));
    while (!is_over)
        asked_work(1);
    OK(pthread_join(thread, NULL));

    jumps = true;
    OK(mprotect(page, PAGE, PROT_NONE));
    leave_the_call();
    OK(cuMemcpyHtoD(asked_memory, host, sizeof host));
    for (int turn = 0; turn < 4; turn++)
        asked_await(turn % 2 == 0);
    return asked_end();
}
