/* What a call does besides the driver: in a thread that has made such calls before, the wrappers allocate nothing, take
 * no lock and make no system call. The program has functions of its own in the place of the C library's, which count,
 * and a filter that turns each system call of the thread into a signal, whose handler counts it and makes it. What the
 * driver does is not counted.
 *
 * Without fingerprints of the device, which are calls of the driver with locks of the library around them.
 *
 * only: sim unsanitized no-repairs
 * link: cuda
 * env: XFERSPY_CUPTI=off XFERSPY_FINGERPRINT=off
 * stdout: 0 allocations, 0 locks, 0 system calls in 66 calls
 * stdout: data ok
 *
 * > SELECT (SELECT count(*) FROM transfer WHERE stack IS NOT NULL), (SELECT count(*) FROM launch
 * > WHERE arguments IS NOT NULL),
 * >   (SELECT count(*) FROM memset WHERE stack IS NOT NULL), (SELECT count(*) FROM sync WHERE stack IS NOT NULL),
 * >   (SELECT count(*) > 0 FROM launch WHERE stack IS NOT NULL)
 * 127|42|42|42|1
 */
#define _GNU_SOURCE
#include <cuda.h>
#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include "../arguments/add_one_ptx.h"
#include "../sim_tools.h"

#define EXPORT __attribute__((visibility("default")))

/* All together less than a chunk of the spool holds, and fewer than 256 calls: after so many of a thread the library
 * looks whether there is a Python now, if it has not for a second, and on a busy machine it has not. One call in 61 is
 * measured, and if it is a launch, its stack is taken, which is new the first time: this is in the warm-up. */
enum { WARM_UP = 31, ROUNDS = 11, CALLS = 6, BYTES = 4096 };

static _Thread_local volatile bool in_wrapper; /* the thread called CUDA, and is not in the driver */
static volatile unsigned allocations, locks, system_calls, pid_calls, on_calls;
static volatile int last_system_call;

/* ---- what the program takes the place of ---- */

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *p, size_t bytes);
void __libc_free(void *p);

EXPORT void *malloc(size_t bytes) {
    allocations += in_wrapper;
    return __libc_malloc(bytes);
}

EXPORT void *calloc(size_t count, size_t bytes) {
    allocations += in_wrapper;
    return __libc_calloc(count, bytes);
}

EXPORT void *realloc(void *p, size_t bytes) {
    allocations += in_wrapper;
    return __libc_realloc(p, bytes);
}

EXPORT void free(void *p) {
    allocations += in_wrapper;
    __libc_free(p);
}

static int (*real_lock)(pthread_mutex_t *), (*real_trylock)(pthread_mutex_t *);
static int (*real_timedlock)(pthread_mutex_t *restrict, const struct timespec *restrict);

static void find_real_locks(void) {
    *(void **)&real_lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    *(void **)&real_trylock = dlsym(RTLD_NEXT, "pthread_mutex_trylock");
    *(void **)&real_timedlock = dlsym(RTLD_NEXT, "pthread_mutex_timedlock");
}

/* The driver looks a function's name up, under a lock of its own, before it tells of a launch. */
static uintptr_t driver_from, driver_to;

static int find_driver(struct dl_phdr_info *library, size_t bytes, void *in_driver) {
    uintptr_t from = UINTPTR_MAX, to = 0;
    (void)bytes;
    for (unsigned i = 0; i < library->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &library->dlpi_phdr[i];
        if (part->p_type == PT_LOAD) {
            uintptr_t start = library->dlpi_addr + part->p_vaddr;
            from = start < from ? start : from;
            to = start + part->p_memsz > to ? start + part->p_memsz : to;
        }
    }
    if ((uintptr_t)in_driver - from < to - from) {
        driver_from = from;
        driver_to = to;
    }
    return 0;
}

static void count_lock(const void *caller) {
    locks += in_wrapper && (uintptr_t)caller - driver_from >= driver_to - driver_from;
    if (real_timedlock == NULL)
        find_real_locks();
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex) {
    count_lock(__builtin_return_address(0));
    return real_lock(mutex);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex) {
    count_lock(__builtin_return_address(0));
    return real_trylock(mutex);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    count_lock(__builtin_return_address(0));
    return real_timedlock(mutex, until);
}

/* ---- system calls ---- */

#ifdef __x86_64__
/* The only place from which the filter lets a system call through. */
long let_through(long number, long a, long b, long c, long d, long e, long f);
extern const char let_through_end[];
__asm__(".text\n"
        "let_through:\n"
        "    mov %rdi, %rax\n"
        "    mov %rsi, %rdi\n"
        "    mov %rdx, %rsi\n"
        "    mov %rcx, %rdx\n"
        "    mov %r8, %r10\n"
        "    mov %r9, %r8\n"
        "    mov 8(%rsp), %r9\n"
        "    syscall\n"
        "let_through_end:\n"
        "    ret\n");

static void on_system_call(int signal, siginfo_t *info, void *context) {
    greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
    int saved_errno = errno;
    (void)signal;
    if (info->si_syscall == SYS_getpid) {
        pid_calls += in_wrapper;
    } else if (info->si_syscall != SYS_clock_gettime) { /* which is one only where the machine's clock is no better */
        system_calls += in_wrapper;
        last_system_call = in_wrapper ? info->si_syscall : last_system_call;
    }
    r[REG_RAX] = let_through(info->si_syscall, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]);
    errno = saved_errno;
}

/* Of the calling thread; false: this machine has no such filters. */
static bool catch_system_calls(void) {
    struct sigaction action = {.sa_sigaction = on_system_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
    uint64_t from = (uint64_t)(uintptr_t)let_through_end;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 4, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)from, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, instruction_pointer) + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(from >> 32), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
    };
    struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};
    OK(sigaction(SIGSYS, &action, NULL));
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}
#else
static bool catch_system_calls(void) { return false; }
#endif

/* ---- the calls ---- */

static void on_call(const struct xs_sim_api *call) {
    on_calls++;
    in_wrapper = call->leaving;
}

static CUcontext context;
static CUfunction function;
static CUstream stream;
static CUdeviceptr device;
static unsigned char *pinned, pageable[BYTES];

#define CALL(call)                                                                                                     \
    in_wrapper = true;                                                                                                 \
    result |= call;                                                                                                    \
    in_wrapper = false

static int round_of_calls(void) {
    size_t n = 100;
    void *parameters[] = {&device, &n};
    int result = 0;
    CALL(cuMemcpyHtoDAsync(device, pinned, BYTES, stream));
    CALL(cuLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, stream, parameters, NULL));
    CALL(cuMemsetD8Async(device, 7, BYTES, stream));
    CALL(cuMemcpyDtoHAsync(pinned, device, BYTES, stream));
    CALL(cuStreamSynchronize(stream));
    CALL(cuMemcpyHtoD(device, pageable, BYTES));
    return result;
}

/* Looks whether everything is counted, and begins. */
static void count_from_now_on(void) {
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (!catch_system_calls())
        exit(E2E_SKIP);
    allocations = locks = system_calls = 0;
    in_wrapper = true;
    (void)getppid();
    void *volatile memory = malloc(1); /* which the compiler must not leave out */
    free(memory);
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    in_wrapper = false;
    REQUIRE(system_calls == 1 && allocations == 2 && locks == 1); /* that is how they are counted */
    allocations = locks = system_calls = pid_calls = on_calls = 0;
}

/* One loop, because a call from another place has another stack, which has to be defined. */
static void *call_all(void *unused) {
    OK(cuCtxSetCurrent(context));
    for (int i = 0; i < WARM_UP + ROUNDS; i++) {
        if (i == WARM_UP)
            count_from_now_on();
        OK(round_of_calls());
    }
    REQUIRE(on_calls >= 2 * ROUNDS * CALLS);
    system_calls +=
        pid_calls - on_calls; /* at each call the driver asks for its process twice, and then tells us twice */
    printf("%u allocations, %u locks, %u system calls in %d calls\n", allocations, locks, system_calls, ROUNDS * CALLS);
    if (system_calls != 0) {
        printf("the last one was number %d; %u of the process for %u of the driver\n", last_system_call, pid_calls,
               on_calls);
    }
    return unused;
}

int main(void) {
    CUmodule module;
    pthread_t thread;

    context = e2e_context();
    OK(cuModuleLoadData(&module, add_one_ptx));
    OK(cuModuleGetFunction(&function, module, "xs_add_one_u8"));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    OK(cuMemAlloc(&device, BYTES));
    OK(cuMemAllocHost((void **)&pinned, BYTES));
    e2e_fill(pageable, BYTES, 1);
    sim_on_calls(on_call);
    dl_iterate_phdr(find_driver, dlsym(RTLD_DEFAULT, "xs_sim_attach"));
    REQUIRE(driver_to != 0);
    OK(pthread_create(&thread, NULL, call_all, NULL));
    OK(pthread_join(thread, NULL));
    OK(cuMemcpyDtoH(pinned, device, BYTES));
    e2e_expect(pinned, BYTES, 1);
    puts("data ok");
    return 0;
}
