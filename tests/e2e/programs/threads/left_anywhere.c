/* A signal handler jumps out of a call at each of its instructions, before the driver is entered and after it has
 * returned; left_calls jumps out of the driver. What the thread does next is recorded every time: from the function that
 * made the call, and from deeper ones. Once a jump at the wrong instruction ended recording of the thread for good.
 * Repairs are off, because they start threads in the first calls: pthread_create holds SIGTRAP too, so the kernel ends a
 * process that is stepped through it, with or without xferspy.
 *
 * link: cuda
 * only: sim unsanitized no-repairs
 * env: XFERSPY_CUPTI=off XFERSPY_STACK=none XFERSPY_FINGERPRINT=off
 * stdout: data ok
 *
 * The last copy is as large as the number of copies that followed calls that were left.
 * > SELECT (SELECT count(*) FROM transfer WHERE bytes = 64) - (SELECT max(bytes) FROM transfer)
 * 0
 *
 * > SELECT count(*) FROM note WHERE topic = 'stopped'
 * 0
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <link.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "../../../unit/preload/step_by_step.h"
#include "../sim_tools.h"

enum { BYTES = 64, LEFT_BYTES = 32, MOST_COPIES = 1 << 20, SECONDS = 300 };

static sigjmp_buf back;
static CUdeviceptr device;
static CUstream stream;
static CUevent event;
static unsigned char *host;
static size_t copies;
static volatile sig_atomic_t steps_left;

#if !defined(CAN_STEP)
static void step_by_step(bool on) {
    if (on)
        exit(E2E_SKIP);
}
#endif

static uintptr_t driver_from, driver_to;

static int find_driver(struct dl_phdr_info *module, size_t bytes, void *unused) {
    uintptr_t inside = (uintptr_t)unused;
    (void)bytes;
    for (int i = 0; i < module->dlpi_phnum; i++) {
        uintptr_t from = module->dlpi_addr + module->dlpi_phdr[i].p_vaddr, to = from + module->dlpi_phdr[i].p_memsz;
        if (module->dlpi_phdr[i].p_type == PT_LOAD && inside >= from && inside < to) {
            driver_from = from;
            driver_to = to;
        }
    }
    return 0;
}

static bool is_driver(const ucontext_t *context) {
#if defined(CAN_STEP)
    uintptr_t pc = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
    return pc >= driver_from && pc < driver_to;
#else
    return context == NULL;
#endif
}

/* SIGTRAP stands for any signal, but xferspy does not hold it: where the others wait, none would come. */
static void jump_at_the_step(int number, siginfo_t *info, void *context) {
    (void)number;
    (void)info;
    if (!sigismember(&((const ucontext_t *)context)->uc_sigmask, SIGUSR1) && !is_driver(context) && --steps_left == 0)
        siglongjmp(back, 1);
}

static void on_call(const struct xs_sim_api *call) {
    if (steps_left > 0)
        step_by_step(call->leaving);
}

static void copy(void) { OK(cuMemcpyHtoD(device, host, LEFT_BYTES)); }
static void set(void) { OK(cuMemsetD8(device, 0, BYTES)); }
static void wait_for_it(void) { OK(cuStreamSynchronize(stream)); }
static void query(void) { OK(cuStreamQuery(stream)); }
static void query_event(void) { OK(cuEventQuery(event)); }

static __attribute__((noinline, noclone)) void copy_deeper(void) {
    volatile unsigned char gap[512];
    gap[0] = 0;
    (void)gap[0];
    OK(cuMemcpyHtoD(device, host, BYTES));
    gap[1] = 0;
}

/* False: the call has fewer instructions, and was not left. */
static __attribute__((noinline, noclone)) bool leave_at(int step, void (*call)(void)) {
    volatile bool is_left = true;
    if (sigsetjmp(back, 1) == 0) {
        steps_left = step;
        step_by_step(true);
        call();
        step_by_step(false);
        is_left = false;
    }
    steps_left = 0;
    if (step % 2)
        OK(cuMemcpyHtoD(device, host, BYTES));
    else
        copy_deeper();
    copies++;
    return is_left;
}

int main(void) {
    static void (*const calls[])(void) = {copy, set, wait_for_it, query, query_event};
    struct sigaction action = {.sa_sigaction = jump_at_the_step, .sa_flags = SA_SIGINFO};
    alarm(SECONDS);
    e2e_context();
    OK(cuMemAlloc(&device, MOST_COPIES));
    OK(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
    OK(cuEventCreate(&event, CU_EVENT_DEFAULT));
    host = calloc(1, MOST_COPIES);
    REQUIRE(host != NULL);
    OK(sigaction(SIGTRAP, &action, NULL));
    sim_on_calls(on_call);
    dl_iterate_phdr(find_driver, dlsym(RTLD_DEFAULT, "xs_sim_attach"));
    REQUIRE(driver_to != 0);
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        calls[i](); /* the first one does more */
        int step = 1;
        while (leave_at(step, calls[i]))
            step++;
        REQUIRE(step > 1);
    }
    REQUIRE(copies > BYTES && copies < MOST_COPIES);
    OK(cuMemcpyHtoD(device, host, copies));
    puts("data ok");
    return 0;
}
