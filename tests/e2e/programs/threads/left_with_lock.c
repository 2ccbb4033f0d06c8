/* A signal handler jumps out of a call while xferspy changes its map of memory. It traps at one instruction after
 * another behind the driver's call, until one of them is inside the change. Capture ends there, and the trace says why.
 * The program goes on, in this thread and in another one.
 *
 * link: cuda
 * only: sim unsanitized
 * env: XFERSPY_CUPTI=off XFERSPY_STACK=none
 * stdout: data ok
 * status: stopped
 * notices: 1
 *
 * > SELECT (SELECT value FROM meta WHERE key = 'status'), text FROM note WHERE topic = 'stopped'
 * stopped|capture stopped: a signal handler jumped out of a call of xferspy's own, with a lock held
 */
#include <cuda.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

#include "../sim_tools.h"

enum { MOST_STEPS = 3000, STRIDE = 20, BYTES = 64, SECONDS = 300, TRAP_FLAG = 0x100 };

static sigjmp_buf back;
static CUcontext context;
static volatile sig_atomic_t steps_left;

#if defined(__x86_64__)
static __attribute__((always_inline)) inline void step_by_step(bool on) {
    uint64_t flags = __builtin_ia32_readeflags_u64();
    __builtin_ia32_writeeflags_u64(on ? flags | TRAP_FLAG : flags & ~(uint64_t)TRAP_FLAG);
}
#else
static void step_by_step(bool on) {
    if (on)
        exit(E2E_SKIP);
}
#endif

static void jump_at_the_step(int number) {
    (void)number;
    if (--steps_left == 0)
        siglongjmp(back, 1);
}

static void on_call(const struct xs_sim_api *call) {
    if (call->leaving && steps_left > 0)
        step_by_step(true);
}

static __attribute__((noinline, noclone)) void leave_an_allocation(int steps) {
    CUdeviceptr device;
    if (sigsetjmp(back, 1) == 0) {
        steps_left = steps;
        OK(cuMemAlloc(&device, BYTES));
        step_by_step(false);
    }
    steps_left = 0;
}

static void *copy(void *unused) {
    static unsigned char host[BYTES];
    CUdeviceptr device;
    OK(cuCtxSetCurrent(context));
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemcpyHtoD(device, host, BYTES));
    OK(cuMemFree(device));
    return unused;
}

int main(void) {
    pthread_t thread;
    alarm(SECONDS);
    context = e2e_context();
    (void)copy(NULL);
    signal(SIGTRAP, jump_at_the_step);
    sim_on_calls(on_call);
    for (int steps = 1; steps < MOST_STEPS; steps += STRIDE) {
        leave_an_allocation(steps);
        (void)copy(NULL);
    }
    OK(pthread_create(&thread, NULL, copy, NULL));
    OK(pthread_join(thread, NULL));
    (void)copy(NULL);
    puts("data ok");
    return 0;
}
