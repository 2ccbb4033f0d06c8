/* Functions that no table has: which of them get a stub, what a stub does with arguments, results and the stack, and
 * that a trace says that something unknown ran, once before the next event. */
#include "unit.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/core/hooks.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"
#include "preload/driver/unknown.h"
#include "preload/fingerprint/fingerprint.h"
#include "preload/intercept/unknown_stubs.h"
#include "preload/repair/around.h"
#include "step_by_step.h"

enum { ROW = 7, CHUNKS = 2 };

static unsigned notes, gated, begun, ended;
static bool has_repairs;

const struct xs_hooks xs_hooks = {0};
void xs_note(const char *topic, const char *format, ...) {
    (void)format;
    notes += strcmp(topic, "functions") == 0;
}
_Atomic uint64_t xs_write_epoch;
_Atomic unsigned xs_asides_ahead;
_Atomic uintptr_t xs_fingerprint_held;
void xs_write_epoch_never_holds(void) { gated++; }
void xs_fingerprint_join_late(void) {}
bool xs_around_unknown_begin(bool may_do_anything, struct xs_guard_note *note, uintptr_t frame) {
    (void)may_do_anything;
    (void)note;
    (void)frame;
    begun++;
    return has_repairs;
}
void xs_around_unknown_end(bool may_do_anything) {
    (void)may_do_anything;
    ended++;
}

static int open_spool(void **state) {
    char path[64];
    (void)state;
    snprintf(path, sizeof path, "/tmp/xferspy-unknown.%ld.spool", (long)getpid());
    unlink(path);
    int status = xs_spool_create(path, XS_SPOOL_HEADER_BYTES + CHUNKS * XS_SPOOL_CHUNK_BYTES, CHUNKS, &xs_spool);
    unlink(path);
    atomic_store(&xs_state, XS_STATE_ACTIVE);
    atomic_store(&xs_state_page.contents_unknown, XS_CONTENTS_ARE_KNOWN);
    memset(xs_unknown, 0, sizeof xs_unknown);
    notes = gated = begun = ended = 0;
    has_repairs = false;
    atomic_store(&xs_fingerprint_held, 0);
    return status;
}

static int close_spool(void **state) {
    (void)state;
    xs_thread_forget();
    xs_guard_lower_this(&xs_gate_outer);
    xs_spool_unmap(&xs_spool);
    return 0;
}

/* As a look-up would have entered it. */
static void *stub_of(unsigned index, void *function, enum xs_unknown_effect effect) {
    atomic_store(&xs_unknown[index].real, function);
    xs_unknown[index].effect = effect;
    xs_unknown[index].is_newer = true;
    snprintf(xs_unknown[index].name, sizeof xs_unknown[index].name, "cuNew%u", index);
    atomic_store(&xs_unknown[index].is_taken, true);
    return xs_unknown_stub(index);
}

/* ---- arguments and results ---- */

typedef double many(int a, double b, long c, float d, const char *e, double f, unsigned char g, short h, double i,
                    int64_t j, double k, float l, double m, double n, double o, double p, uint64_t q, double r);
static const char *const text = "text";

static double take_many(int a, double b, long c, float d, const char *e, double f, unsigned char g, short h, double i,
                        int64_t j, double k, float l, double m, double n, double o, double p, uint64_t q, double r) {
    assert_true(xs_gate_is_inside());
    assert_true((uintptr_t)__builtin_frame_address(0) % 16 == 0);
    assert_true(a == -1 && b == 2.5 && c == -3L * 1024 && d == 4.5f && e == text && f == 6.5);
    assert_true(g == 7 && h == -8 && i == 9.5 && j == INT64_MIN && k == 11.5 && l == 12.5f && m == 13.5);
    assert_true(n == 14.5 && o == 15.5 && p == 16.5 && q == UINT64_MAX && r == 18.5);
    return 19.5;
}

static void arguments_and_results_pass(void **state) {
    (void)state;
    many *stub = (many *)stub_of(0, (void *)take_many, XS_HERE);
    double result = stub(-1, 2.5, -3L * 1024, 4.5f, text, 6.5, 7, -8, 9.5, INT64_MIN, 11.5, 12.5f, 13.5, 14.5, 15.5,
                         16.5, UINT64_MAX, 18.5);
    assert_true(result == 19.5);
    assert_false(xs_gate_is_inside());
}

static int sum_of(int count, ...) {
    va_list arguments;
    double sum = 0;
    va_start(arguments, count);
    for (int i = 0; i < count; i++)
        sum += i % 2 ? va_arg(arguments, double) : (double)va_arg(arguments, int);
    va_end(arguments);
    return (int)sum;
}

static void variadic_arguments_pass(void **state) {
    (void)state;
    int (*stub)(int, ...) = (int (*)(int, ...))stub_of(255, (void *)sum_of, XS_HERE);
    assert_int_equal(stub(24, 1, 2.0, 3, 4.0, 5, 6.0, 7, 8.0, 9, 10.0, 11, 12.0, 13, 14.0, 15, 16.0, 17, 18.0, 19, 20.0,
                          21, 22.0, 23, 24.0),
                     300);
}

struct large {
    uint64_t words[9];
};
static struct large give_large(struct large by_value, uint64_t add) {
    for (size_t i = 0; i < COUNT_OF(by_value.words); i++)
        by_value.words[i] += add;
    return by_value;
}
struct pair {
    uint64_t first;
    double second;
};
static struct pair give_pair(uint64_t first, double second) { return (struct pair){first + 1, second + 1}; }

static void structures_pass(void **state) {
    (void)state;
    struct large (*large)(struct large, uint64_t) =
        (struct large(*)(struct large, uint64_t))stub_of(3, (void *)give_large, XS_HERE);
    struct pair (*pair)(uint64_t, double) = (struct pair(*)(uint64_t, double))stub_of(4, (void *)give_pair, XS_HERE);
    struct large got = large((struct large){{1, 2, 3, 4, 5, 6, 7, 8, 9}}, 100);
    for (uint64_t i = 0; i < COUNT_OF(got.words); i++)
        assert_int_equal(got.words[i], i + 101);
    struct pair both = pair(41, 1.5);
    assert_true(both.first == 42 && both.second == 2.5);
}

/* ---- calls inside of calls, and ways out ---- */

static int (*deeper)(int);
static int descend(int depth) { return depth == 0 ? 0 : 1 + deeper(depth - 1); }

static void calls_inside_stay_inside(void **state) {
    (void)state;
    deeper = (int (*)(int))stub_of(1, (void *)descend, XS_HERE);
    assert_int_equal(deeper(20), 20);
    assert_false(xs_gate_is_inside());
    assert_null(xs_gate_outer.raised);
}

static sigjmp_buf back;
static int jump_away(int unused) {
    (void)unused;
    siglongjmp(back, 1);
}
static __attribute__((noinline, noclone)) void leave_by_a_jump(void) {
    if (sigsetjmp(back, 1) == 0)
        ((int (*)(int))xs_unknown_stub(2))(0);
}

static void call_that_was_left_is_noticed(void **state) {
    (void)state;
    stub_of(2, (void *)jump_away, XS_HERE);
    deeper = (int (*)(int))stub_of(1, (void *)descend, XS_HERE);
    for (int i = 0; i < 100; i++) {
        leave_by_a_jump();
        assert_true(xs_gate_is_inside()); /* nobody can know better before the next call */
        assert_int_equal(deeper(3), 3);
        assert_false(xs_gate_is_inside());
    }
}

#ifdef CAN_STEP
static volatile unsigned steps;
static volatile int stepped_wrong;
static void on_step(int number) {
    (void)number;
    steps++;
    stepped_wrong |= deeper(2) != 2;
}
#endif

/* A handler that calls such a function itself, at every instruction of the stub. */
static void signal_comes_anywhere(void **state) {
    (void)state;
#ifdef CAN_STEP
    struct sigaction action = {.sa_handler = on_step}, before;
    many *stub = (many *)stub_of(0, (void *)take_many, XS_HERE);
    deeper = (int (*)(int))stub_of(1, (void *)descend, XS_HERE);
    assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
    steps = 0;
    step_by_step(true);
    double result = stub(-1, 2.5, -3L * 1024, 4.5f, text, 6.5, 7, -8, 9.5, INT64_MIN, 11.5, 12.5f, 13.5, 14.5, 15.5,
                         16.5, UINT64_MAX, 18.5);
    step_by_step(false);
    sigaction(SIGTRAP, &before, NULL);
    assert_true(result == 19.5 && !stepped_wrong && steps > 200);
    assert_false(xs_gate_is_inside());
#else
    skip();
#endif
}

static void *addresses[32];
static int address_count;
static int look_back(int unused) {
    address_count = backtrace(addresses, 32);
    return unused;
}
static __attribute__((noinline, noclone)) int call_and_return(int (*stub)(int)) { return 1 + stub(1); }

/* By the unwind table of the stub. */
static void stack_can_be_unwound(void **state) {
    (void)state;
    bool is_found = false;
    assert_int_equal(call_and_return((int (*)(int))stub_of(5, (void *)look_back, XS_HERE)), 2);
    for (int i = 0; i < address_count; i++) {
        uintptr_t distance = (uintptr_t)addresses[i] - (uintptr_t)call_and_return;
        is_found |= distance > 0 && distance < 256;
    }
    assert_true(is_found);
}

static bool was_cleaned_up;
static void clean_up(void *unused) {
    (void)unused;
    was_cleaned_up = true;
}
static int end_the_thread(int unused) {
    (void)unused;
    pthread_exit((void *)&was_cleaned_up);
}
static void *end_inside(void *stub) {
    pthread_cleanup_push(clean_up, NULL);
    ((int (*)(int))stub)(0);
    pthread_cleanup_pop(0);
    return NULL;
}

static void thread_ends_inside(void **state) {
    (void)state;
    pthread_t thread;
    void *result = NULL;
    was_cleaned_up = false;
    assert_int_equal(pthread_create(&thread, NULL, end_inside, stub_of(6, (void *)end_the_thread, XS_HERE)), 0);
    assert_int_equal(pthread_join(thread, &result), 0);
    assert_ptr_equal(result, &was_cleaned_up);
    assert_true(was_cleaned_up);
}

static ucontext_t outside, coroutine;
static volatile int from_the_coroutine;
static void on_the_edge(void) { from_the_coroutine = deeper(0) + 1; }

/* Above a coroutine's first frame there may be nothing to read. */
static void stack_may_end_above_the_call(void **state) {
    (void)state;
    size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 16 * page;
    char *stack = mmap(NULL, bytes + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(stack != MAP_FAILED && mprotect(stack + bytes, page, PROT_NONE) == 0);
    deeper = (int (*)(int))stub_of(1, (void *)descend, XS_HERE);
    assert_int_equal(getcontext(&coroutine), 0);
    coroutine.uc_stack.ss_sp = stack;
    coroutine.uc_stack.ss_size = bytes;
    coroutine.uc_link = &outside;
    makecontext(&coroutine, on_the_edge, 0);
    assert_int_equal(swapcontext(&outside, &coroutine), 0);
    assert_int_equal(from_the_coroutine, 1);
    munmap(stack, bytes + page);
}

/* ---- what the trace says ---- */

static const struct xs_event *committed(unsigned *count) {
    *count = 0;
    for (unsigned i = 0; i < CHUNKS; i++) {
        const struct xs_chunk *chunk = xs_spool_chunk(&xs_spool, i);
        unsigned bytes = (unsigned)atomic_load(&chunk->header.committed_bytes);
        if (bytes) {
            *count = bytes / (unsigned)sizeof(struct xs_event);
            return chunk->events;
        }
    }
    return NULL;
}

static void record_one(void) {
    struct xs_guard_note note;
    struct xs_event *e = xs_begin(ROW, &note);
    assert_non_null(e);
    xs_end(e, 0);
}

static void trace_says_it_once(void **state) {
    (void)state;
    unsigned count;
    int (*unknown)(int) = (int (*)(int))stub_of(1, (void *)look_back, XS_HERE);
    int (*harmless)(int) = (int (*)(int))stub_of(2, (void *)look_back, XS_HARMLESS);
    int (*lasting)(int) = (int (*)(int))stub_of(3, (void *)look_back, XS_FOR_GOOD);
    harmless(1);
    record_one();
    assert_int_equal(gated, 0);
    for (int i = 0; i < 1000; i++)
        unknown(1);
    assert_true(gated > 0);
    record_one();
    record_one();
    unknown(1);
    lasting(1);
    unknown(1);
    record_one();
    const struct xs_event *e = committed(&count);
    assert_int_equal(count, 6);
    static const uint64_t said[] = {0, 1, 0, 0, 2, 0};
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(e[i].entry, said[i] ? XS_ENTRY_UNKNOWN : ROW);
        assert_int_equal(said[i] ? e[i].api.argument : 0, said[i]);
        assert_true(!said[i] || (e[i].kind == XS_EVENT_API && e[i].enter_tick && e[i].enter_tick == e[i].return_tick));
    }
    assert_int_equal(atomic_load(&xs_state_page.contents_unknown), XS_CONTENTS_ARE_KNOWN);
}

static void launches_may_hold_the_device(void **state) {
    (void)state;
    int (*stub)(int) = (int (*)(int))stub_of(1, (void *)look_back, XS_HERE);
    stub(1);
    assert_true(atomic_load(&xs_fingerprint_held) == 0);
    xs_unknown[1].launches = true;
    stub(1);
    assert_true(atomic_load(&xs_fingerprint_held) == UINTPTR_MAX);
}

static void repairs_have_their_turn(void **state) {
    (void)state;
    int (*stub)(int) = (int (*)(int))stub_of(1, (void *)look_back, XS_HARMLESS);
    stub(1);
    assert_true(begun == 1 && ended == 0);
    has_repairs = true;
    stub(1);
    assert_true(begun == 2 && ended == 1);
}

/* ---- which functions get a stub ---- */

static int ask(uintptr_t address, const char *name) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): no function is there, and none is called
    return xs_unknown_stub_for((void *)address, name, XS_ASKED_BY_PROC_ADDRESS, (const void *)cos);
}

static void names_say_what_is_known(void **state) {
    (void)state;
    char names[256];
    assert_int_equal(ask(0x1001, "cuGetErrorString"), -1);
    assert_int_equal(ask(0x1002, "cuSomething"), 0);
    assert_int_equal(ask(0x1003, "cuGraphGetId"), 1);
    assert_int_equal(ask(0x1004, "cuGraphAddNode_v3_ptsz"), 2);
    assert_int_equal(ask(0x1005, "cuGLGetDevices"), 3);
    assert_int_equal(ask(0x1006, "cuGetProcAddress_v3"), 4);
    assert_int_equal(ask(0x1007, "cuLaunchAnything"), 5);
    assert_int_equal(ask(0x1002, "cuSomething"), 0);
    static const enum xs_unknown_effect effects[] = {XS_FOR_GOOD, XS_HARMLESS, XS_HARMLESS,
                                                     XS_HARMLESS, XS_FOR_GOOD, XS_FOR_GOOD};
    for (size_t i = 0; i < COUNT_OF(effects); i++) {
        assert_int_equal(xs_unknown[i].effect, effects[i]);
        assert_int_equal(xs_unknown[i].is_newer, i != 3);
        assert_int_equal(xs_unknown[i].launches, i == 5);
    }
    atomic_store(&xs_unknown[1].was_called, true);
    assert_int_equal(xs_unknown_list(true, names, sizeof names), 1);
    assert_string_equal(names, "cuGraphGetId");
    assert_int_equal(xs_unknown_list(false, names, sizeof names), 4);
    assert_string_equal(names, "cuSomething,cuGraphAddNode_v3_ptsz,cuGetProcAddress_v3,cuLaunchAnything");
    assert_int_equal(xs_unknown_list(false, names, 16), 1);
    assert_string_equal(names, "cuSomething");
    assert_int_equal(atomic_load(&xs_state_page.contents_unknown), XS_CONTENTS_ARE_KNOWN); /* a look-up is no call */
}

/* By dlsym a name may be anybody's: of the driver alone, for which libm stands here, and only functions. */
static void dlsym_finds_other_things(void **state) {
    (void)state;
    void *libm = dlopen("libm.so.6", RTLD_NOW), *data = libm ? dlsym(libm, "signgam") : NULL;
    void *sine = libm ? dlsym(libm, "erfc") : NULL, *driver = libm ? dlsym(libm, "erf") : NULL;
    assert_true(data && sine && driver);
    assert_int_equal(xs_unknown_stub_for((void *)puts, "cuPuts", XS_ASKED_BY_DLSYM, driver), -1);
    assert_int_equal(xs_unknown_stub_for(data, "cuData", XS_ASKED_BY_DLSYM, driver), -1);
    assert_int_equal(xs_unknown_stub_for((void *)ask, "cuOwn", XS_ASKED_BY_PROC_ADDRESS, driver), -1);
    assert_int_equal(xs_unknown_stub_for(sine, "cuAsked", XS_ASKED_BY_DLSYM, driver), 0);
    assert_string_equal(xs_unknown[0].name, "cuAsked");
    memset(xs_unknown, 0, sizeof xs_unknown);
    atomic_store(&xs_unknown[0].is_taken, true); /* another thread is filling it */
    assert_int_equal(xs_unknown_stub_for(sine, "cuAsked", XS_ASKED_BY_PROC_ADDRESS, driver), 1);
    assert_int_equal(xs_unknown_stub_for(sine, "cuAsked", XS_ASKED_BY_PROC_ADDRESS, driver), 1);
    memset(xs_unknown, 0, sizeof xs_unknown);
    assert_int_equal(xs_unknown_stub_for(sine, "cuAsked", XS_ASKED_BY_PROC_ADDRESS, driver), 0);
    assert_memory_equal(xs_unknown[0].name, "erfc", 4); /* as it is exported, which says the version; it has aliases */
    dlclose(libm);
}

static void stubs_may_run_out(void **state) {
    (void)state;
    char name[32];
    for (unsigned i = 0; i < XS_UNKNOWN_MOST; i++) {
        snprintf(name, sizeof name, "cuNumber%u", i);
        assert_int_equal(ask(0x1000 + i, name), i);
    }
    assert_int_equal(ask(0x9000, "cuGraphGetId"), -1);
    assert_int_equal(notes, 1);
    assert_int_equal(atomic_load(&xs_state_page.contents_unknown),
                     XS_CONTENTS_ARE_KNOWN); /* it changes nothing, seen or not */
    assert_int_equal(ask(0x9001, "cuOneMore"), XS_UNSEEN);
    assert_int_equal(notes, 1);
    assert_int_equal(atomic_load(&xs_state_page.contents_unknown), XS_CONTENTS_UNKNOWN_FOR_GOOD);
    assert_int_equal(ask(0x1005, "cuNumber5"), 5);
}

int main(void) {
#define TEST(function) cmocka_unit_test_setup_teardown(function, open_spool, close_spool)
    const struct CMUnitTest tests[] = {
        TEST(arguments_and_results_pass),
        TEST(variadic_arguments_pass),
        TEST(structures_pass),
        TEST(calls_inside_stay_inside),
        TEST(call_that_was_left_is_noticed),
        TEST(signal_comes_anywhere),
        TEST(stack_can_be_unwound),
        TEST(thread_ends_inside),
        TEST(stack_may_end_above_the_call),
        TEST(trace_says_it_once),
        TEST(launches_may_hold_the_device),
        TEST(repairs_have_their_turn),
        TEST(names_say_what_is_known),
        TEST(dlsym_finds_other_things),
        TEST(stubs_may_run_out),
    };
#undef TEST
    return cmocka_run_group_tests(tests, NULL, NULL);
}
