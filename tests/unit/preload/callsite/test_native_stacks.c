/* The walk on every kind of stack that a program may call from. */
#include "native_unit.h"

#include <errno.h>
#include <execinfo.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { STACK_BYTES = 1 << 20, PAGE_BYTES = 4096 };

static struct seen seen;
static void see_it(void *arg) {
    (void)arg;
    see(&seen);
    __asm__ volatile(""); /* not by a jump */
}

/* Makes a stack between two pages that must not be accessed. */
static char *new_stack(void) {
    char *memory = mmap(NULL, STACK_BYTES + 2 * PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(mprotect(memory + PAGE_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE), 0);
    return memory + PAGE_BYTES;
}

static void free_stack(char *stack) { munmap(stack - PAGE_BYTES, STACK_BYTES + 2 * PAGE_BYTES); }

static void on_signal(int number) {
    (void)number;
    see(&seen);
}

static void raise_it(void *arg) {
    (void)arg;
    raise(SIGUSR1);
}

static void handle(int number, void (*handler)(int), int flags) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    assert_int_equal(sigaction(number, &action, NULL), 0);
}

static void goes_from_a_handler_to_what_it_interrupted(void **state) {
    (void)state;
    handle(SIGUSR1, on_signal, 0);
    chain_without_fp(9, CHAIN_PLAIN | CHAIN_ALIGNED, raise_it, NULL);
    assert_true(seen.by[XS_UNWIND_AUTO].count > 12);
    assert_true(is_as_backtrace(&seen));
}

static void goes_from_another_stack_to_the_interrupted_one(void **state) {
    char *memory = new_stack();
    stack_t other = {.ss_sp = memory, .ss_size = STACK_BYTES}, before;
    (void)state;
    assert_int_equal(sigaltstack(&other, &before), 0);
    handle(SIGUSR1, on_signal, SA_ONSTACK);
    chain_without_fp(9, CHAIN_PLAIN | CHAIN_ALIGNED, raise_it, NULL);
    assert_true(seen.by[XS_UNWIND_AUTO].count > 12);
    assert_true(is_as_backtrace(&seen));
    assert_int_equal(sigaltstack(&before, NULL), 0);
    free_stack(memory);
}

/* Between any two instructions: prologues, stubs of the PLT, the C library. In the middle of realigning a stack gcc's
 * tables are wrong, and glibc's backtrace crashes; there this one is alone. */
static volatile sig_atomic_t ticks, whole, wrong;
static void on_tick(int number) {
    static struct seen tick;
    int kept = errno;
    (void)number;
    see(&tick);
    ticks++;
    wrong += !is_beginning_of_backtrace(&tick);
    whole += !tick.by[XS_UNWIND_AUTO].is_cut;
    errno = kept;
}

static void on_tick_alone(int number) {
    static struct walked tick;
    int kept = errno;
    (void)number;
    walk(XS_UNWIND_AUTO, SEEN_MAX, &tick);
    ticks++;
    wrong += tick.count < 2;
    whole += !tick.is_cut;
    errno = kept;
}

static int by_value(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static void work(void *arg) {
    char text[64];
    int values[50];
    (void)arg;
    for (int i = 0; i < 50; i++)
        values[i] = (i * 7919) % 101;
    qsort(values, 50, sizeof *values, by_value);
    snprintf(text, sizeof text, "%d %f %s", values[7], (double)values[3], "text");
    free(strdup(text));
}

static void tick_over(unsigned kinds, void (*handler)(int)) {
    struct itimerval often = {{0, 150}, {0, 150}}, never = {{0, 0}, {0, 0}};
    ticks = whole = wrong = 0;
    handle(SIGALRM, handler, SA_RESTART);
    assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
    while (ticks < 2000) {
        chain_without_fp(5, kinds, work, NULL);
        chain_with_fp(5, kinds, work, NULL);
    }
    assert_int_equal(setitimer(ITIMER_REAL, &never, NULL), 0);
    assert_int_equal(wrong, 0);
    assert_true(whole * 100 > ticks * 95);
}

static void is_right_wherever_a_signal_comes(void **state) {
    (void)state;
    tick_over(CHAIN_PLAIN | CHAIN_ANY_SIZE, on_tick);
    tick_over(CHAIN_PLAIN | CHAIN_ANY_SIZE | CHAIN_ALIGNED, on_tick_alone);
}

static ucontext_t outside, inside;
static void coroutine(void) {
    see(&seen);
    chain_without_fp(20, CHAIN_PLAIN | CHAIN_ALIGNED, see_it, NULL);
}

static void run_on(char *memory, void (*function)(void)) {
    // cppcheck-suppress getcontextCalled ; what coroutines are made of
    getcontext(&inside);
    inside.uc_stack.ss_sp = memory;
    inside.uc_stack.ss_size = STACK_BYTES;
    inside.uc_link = &outside;
    // cppcheck-suppress makecontextCalled ; what coroutines are made of
    makecontext(&inside, function, 0);
    // cppcheck-suppress swapcontextCalled ; what coroutines are made of
    swapcontext(&outside, &inside);
}

/* Where it begins there are no tables. */
static void walks_a_coroutine(void **state) {
    char *memory = new_stack();
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        run_on(memory, coroutine);
        assert_true(is_beginning_of_backtrace(&seen));
        for (unsigned how = XS_UNWIND_AUTO; how <= XS_UNWIND_DWARF; how += XS_UNWIND_DWARF - XS_UNWIND_AUTO)
            assert_true(seen.by[how].count >= 23 && seen.by[how].count == seen.by[XS_UNWIND_NONE].count);
    }
    free_stack(memory);
}

static void *begin(void *arg) {
    struct seen *mine = arg;
    see(mine);
    return NULL;
}

static void *begin_deep(void *arg) {
    (void)arg;
    chain_without_fp(60, CHAIN_PLAIN | CHAIN_ANY_SIZE, see_it, NULL);
    return NULL;
}

static void walk_in_thread(const pthread_attr_t *attributes, void *(*start)(void *)) {
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, attributes, start, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(is_as_backtrace(&seen));
}

static void walks_a_thread_from_its_base(void **state) {
    (void)state;
    walk_in_thread(NULL, begin);
    assert_in_range(seen.by[XS_UNWIND_AUTO].count, 2, 8);
    walk_in_thread(NULL, begin_deep);
}

static void walks_a_thread_on_memory_of_the_program(void **state) {
    char *memory = new_stack();
    pthread_attr_t attributes;
    (void)state;
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, memory, STACK_BYTES), 0);
    walk_in_thread(&attributes, begin);
    walk_in_thread(&attributes, begin_deep);
    pthread_attr_destroy(&attributes);
    free_stack(memory);
    /* Without a guard, so that nothing tells where it begins. */
    void *merged = mmap(NULL, 3 * STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(merged != MAP_FAILED);
    pthread_attr_init(&attributes);
    assert_int_equal(pthread_attr_setstack(&attributes, (char *)merged + STACK_BYTES, STACK_BYTES), 0);
    walk_in_thread(&attributes, begin_deep);
    pthread_attr_destroy(&attributes);
    munmap(merged, 3 * STACK_BYTES);
}

/* More and more of it is mapped as it grows. */
static void grow(void *arg) {
    unsigned *depth = arg;
    see(&seen);
    if (is_as_backtrace(&seen))
        ++*depth;
}
static void walks_the_main_stack_as_it_grows(void **state) {
    unsigned depth = 0;
    (void)state;
    for (unsigned i = 0; i < 8; i++)
        chain_without_fp(i, CHAIN_LARGE, grow, &depth);
    assert_int_equal(depth, 8);
}

static void forbid_copying(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {COUNT_OF(filter), filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        _exit(77);
}

/* In a sandbox, a stack that is not the thread's own shows its first frame; the thread's own all the same. */
static void gets_by_in_a_sandbox(void **state) {
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        char *memory = new_stack();
        forbid_copying();
        see(&seen);
        bool is_right = is_as_backtrace(&seen);
        run_on(memory, coroutine);
        is_right = is_right && seen.by[XS_UNWIND_AUTO].count == 1 && seen.by[XS_UNWIND_AUTO].is_cut;
        _exit(is_right ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    if (WEXITSTATUS(status) == 77)
        skip();
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* The application's errno is its own. */
static void leaves_errno_alone(void **state) {
    char *memory = new_stack();
    static struct walked walked;
    bool is_cut;
    (void)state;
    struct xs_caller caller = {.pc = (uint64_t)(uintptr_t)leaves_errno_alone,
                               .sp = (uint64_t)memory + STACK_BYTES - 64,
                               .fp = (uint64_t)memory + STACK_BYTES + 8};
    for (unsigned how = XS_UNWIND_AUTO; how <= XS_UNWIND_DWARF; how++) {
        errno = 4711;
        xs_native_walk((enum xs_unwinder)how, &caller, walked.pcs, SEEN_MAX, &is_cut, NULL);
        assert_int_equal(errno, 4711);
    }
    free_stack(memory);
}

static int load_unwinder(void **state) {
    void *frames[4];
    (void)state;
    return backtrace(frames, 4) > 0 ? 0 : -1; /* it allocates the first time, which no handler may */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(goes_from_a_handler_to_what_it_interrupted),
        cmocka_unit_test(goes_from_another_stack_to_the_interrupted_one),
        cmocka_unit_test(is_right_wherever_a_signal_comes),
        cmocka_unit_test(walks_a_coroutine),
        cmocka_unit_test(walks_a_thread_from_its_base),
        cmocka_unit_test(walks_a_thread_on_memory_of_the_program),
        cmocka_unit_test(walks_the_main_stack_as_it_grows),
        cmocka_unit_test(gets_by_in_a_sandbox),
        cmocka_unit_test(leaves_errno_alone),
    };
    return cmocka_run_group_tests(tests, load_unwinder, NULL);
}
