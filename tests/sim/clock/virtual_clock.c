/* A clock that moves only when it is told to. Preloaded before everything else, it takes CLOCK_MONOTONIC's place in the
 * process, so that whoever measures time there, libxferspy.so too, measures the simulated costs and not the machine.
 *
 * There is one clock for the process: what it says is meaningful where one thread calls CUDA. CLOCK_REALTIME stays as
 * it is, because time limits on locks are counted by it. */
#include "virtual_clock.h"

#include <linux/prctl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum { SECOND = 1000000000 };

static _Atomic uint64_t now_ns = UINT64_C(1000) * SECOND;

EXPORT uint64_t xs_virtual_clock_now(void) { return atomic_load(&now_ns); }

EXPORT void xs_virtual_clock_advance(uint64_t ns) { atomic_fetch_add(&now_ns, ns); }

EXPORT void xs_virtual_clock_reach(uint64_t ns) {
    uint64_t now = atomic_load(&now_ns);
    while (now < ns && !atomic_compare_exchange_weak(&now_ns, &now, ns))
        ;
}

EXPORT int clock_gettime(clockid_t id, struct timespec *out) {
    if (id != CLOCK_MONOTONIC && id != CLOCK_MONOTONIC_RAW && id != CLOCK_MONOTONIC_COARSE && id != CLOCK_BOOTTIME)
        return (int)syscall(SYS_clock_gettime, id, out);
    uint64_t now = xs_virtual_clock_now();
    *out = (struct timespec){(time_t)(now / SECOND), (long)(now % SECOND)};
    return 0;
}

/* Answers that the processor's counter must not be read, so that only CLOCK_MONOTONIC can be used. */
EXPORT int prctl(int option, ...);
EXPORT int prctl(int option, ...) {
    unsigned long argument[4];
    va_list list;
    va_start(list, option);
    for (int i = 0; i < 4; i++)
        argument[i] = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_GET_TSC) {
        *(int *)argument[0] = PR_TSC_SIGSEGV; /* NOLINT(performance-no-int-to-ptr) */
        return 0;
    }
    return (int)syscall(SYS_prctl, option, argument[0], argument[1], argument[2], argument[3]);
}
