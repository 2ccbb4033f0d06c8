/* The walk of a native stack: every frame that is there, whatever it was compiled to, and never a crash. */
#include "native_unit.h"

#include <stdio.h>
#include <sys/mman.h>

static void see_it(void *arg) {
    see(arg);
    __asm__ volatile(""); /* not by a jump */
}

static void finds_what_backtrace_finds(void **state) {
    static struct seen seen;
    (void)state;
    for (unsigned kinds = 1; kinds <= CHAIN_ALL; kinds++) {
        unsigned step = kinds & CHAIN_LARGE ? 7 : 1;
        for (unsigned depth = 0; depth < 32; depth += step) {
            chain_with_fp(kinds & CHAIN_LARGE ? depth % 8 : depth, kinds, see_it, &seen);
            assert_true(is_as_backtrace(&seen));
            chain_without_fp(kinds & CHAIN_LARGE ? depth % 8 : depth, kinds, see_it, &seen);
            assert_true(is_as_backtrace(&seen));
        }
    }
}

/* Frame by frame the calls that were made, without anybody else's opinion. */
static void finds_the_calls(void **state) {
    static struct seen seen;
    (void)state;
    chain_without_fp(29, CHAIN_PLAIN, see_it, &seen);
    const struct walked *w = &seen.by[XS_UNWIND_AUTO];
    assert_true(w->count >= 33); /* and see_it, main, cmocka's */
    for (unsigned i = 3; i < 31; i++)
        assert_int_equal(w->pcs[i], w->pcs[2]);
    assert_true(w->pcs[1] != w->pcs[2] && w->pcs[31] != w->pcs[30]);
}

static void frame_pointers_lead_through_code_that_has_them(void **state) {
    static struct seen seen;
    (void)state;
    chain_with_fp(29, CHAIN_PLAIN | CHAIN_ANY_SIZE, see_it, &seen);
    const struct walked *w = &seen.by[XS_UNWIND_FP];
    assert_true(w->count >= 30);
    for (unsigned i = 0; i < 30; i++)
        assert_int_equal(w->pcs[i], seen.by[XS_UNWIND_NONE].pcs[i]);
}

static struct walked limited;
static unsigned limit;
static enum xs_unwinder how;
static void walk_it(void *arg) {
    (void)arg;
    walk(how, limit, &limited);
    __asm__ volatile(""); /* not by a jump */
}

static void stops_at_the_limit(void **state) {
    static const unsigned limits[] = {0, 1, 2, 100, SEEN_MAX};
    (void)state;
    for (unsigned i = 0; i < COUNT_OF(limits); i++) {
        limit = limits[i];
        for (how = XS_UNWIND_NONE; how <= XS_UNWIND_DWARF; how++) {
            memset(limited.pcs, 0x5a, sizeof limited.pcs);
            chain_with_fp(10000, CHAIN_PLAIN, walk_it, NULL);
            assert_int_equal(limited.count, how == XS_UNWIND_NONE ? 0 : limit);
            assert_true(limited.is_cut);
            for (unsigned k = limited.count; k < SEEN_MAX; k++)
                assert_int_equal(limited.pcs[k], UINT64_C(0x5a5a5a5a5a5a5a5a));
        }
    }
}

/* The walk finds the whole stack and not one frame less if the limit equals the stack's depth. */
static void is_not_cut_where_the_limit_is_just_enough(void **state) {
    (void)state;
    how = XS_UNWIND_AUTO;
    limit = SEEN_MAX;
    chain_without_fp(3, CHAIN_PLAIN, walk_it, NULL);
    assert_false(limited.is_cut);
    limit = limited.count;
    chain_without_fp(3, CHAIN_PLAIN, walk_it, NULL);
    assert_false(limited.is_cut);
    assert_int_equal(limited.count, limit);
    limit--;
    chain_without_fp(3, CHAIN_PLAIN, walk_it, NULL);
    assert_true(limited.is_cut);
}

/* Addresses that a damaged frame may hold: none, small, odd, in the kernel, not canonical, where nothing is mapped, at
 * the end of memory. */
static uint64_t seed = 1;
static uint64_t random_number(void) {
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return seed >> 16;
}
static uint64_t strange_word(const uint64_t *memory, size_t words, const void *code) {
    static const uint64_t strange[] = {0,
                                       1,
                                       8,
                                       4095,
                                       UINT64_MAX,
                                       UINT64_MAX - 7,
                                       UINT64_MAX - 4096,
                                       UINT64_C(0x800000000000),
                                       UINT64_C(0x7ffffffffff8),
                                       UINT64_C(0xffff800000000000),
                                       UINT64_C(0x8000000000000000),
                                       UINT64_C(0xdeadbeefdeadbee8)};
    uint64_t r = random_number();
    switch (r % 8) {
    case 0:
        return strange[(r >> 8) % COUNT_OF(strange)];
    case 1:
        return (uint64_t)code + (r >> 8) % 4096;
    case 2:
        return (uint64_t)&memory[(r >> 8) % (words + 64)] + (r >> 40) % 2;
    case 3:
        return (uint64_t)memory - (r >> 8) % 100000;
    case 4:
        return (uint64_t)memory + (r >> 8) % 100000000;
    case 5:
    case 6:
        return (uint64_t)&memory[(r >> 8) % words];
    default:
        return r << 16 | random_number();
    }
}

static void walk_nonsense(uint64_t *memory, size_t words) {
    static uint64_t pcs[SEEN_MAX];
    bool is_cut;
    for (unsigned round = 0; round < 20000; round++) {
        if (round % 16 == 0)
            for (size_t i = 0; i < words; i++)
                memory[i] = strange_word(memory, words, (const void *)(uintptr_t)walk_nonsense);
        struct xs_caller caller = {.pc = strange_word(memory, words, (const void *)(uintptr_t)chain_with_fp),
                                   .sp = strange_word(memory, words, (const void *)(uintptr_t)walk_nonsense),
                                   .fp = strange_word(memory, words, (const void *)(uintptr_t)walk_nonsense)};
        for (unsigned h = XS_UNWIND_AUTO; h <= XS_UNWIND_DWARF; h++) {
            unsigned count = xs_native_walk((enum xs_unwinder)h, &caller, pcs, SEEN_MAX, &is_cut, NULL);
            assert_in_range(count, 1, SEEN_MAX);
        }
    }
}

static void survives_a_damaged_stack(void **state) {
    uint64_t memory[512];
    (void)state;
    walk_nonsense(memory, COUNT_OF(memory));
}

static void survives_nonsense_elsewhere(void **state) {
    (void)state;
    char *pages = mmap(NULL, 3 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(pages != MAP_FAILED);
    assert_int_equal(mprotect(pages + 4096, 4096, PROT_READ | PROT_WRITE), 0);
    walk_nonsense((uint64_t *)(void *)(pages + 4096), 512);
    munmap(pages, 3 * 4096);
}

/* The frame pointer of a caller that uses it for something else. */
static void survives_any_frame_pointer(void **state) {
    static struct walked walked;
    uint64_t memory[64];
    (void)state;
    memset(memory, 0, sizeof memory);
    for (unsigned i = 0; i < 2000; i++) {
        for (unsigned h = XS_UNWIND_AUTO; h <= XS_UNWIND_DWARF; h++) {
            walk_with_fp((enum xs_unwinder)h, strange_word(memory, COUNT_OF(memory), memory), &walked);
            assert_in_range(walked.count, 1, SEEN_MAX);
        }
    }
}

/* A chain that leads back to itself. */
static void sees_no_frame_twice(void **state) {
    static uint64_t pcs[SEEN_MAX];
    volatile uint64_t record[4];
    bool is_cut;
    (void)state;
    record[0] = (uint64_t)&record[0];
    record[1] = (uint64_t)(uintptr_t)sees_no_frame_twice;
    struct xs_caller caller = {.pc = record[1], .sp = (uint64_t)record, .fp = (uint64_t)record};
    assert_int_equal(xs_native_walk(XS_UNWIND_FP, &caller, pcs, SEEN_MAX, &is_cut, NULL), 2);
    assert_true(is_cut);
}

#if defined(__x86_64__)
__attribute__((noinline)) static void call_compiled(const unsigned char *code, size_t bytes, struct seen *seen) {
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    memcpy(memory, code, bytes);
    assert_int_equal(mprotect(memory, 4096, PROT_READ | PROT_EXEC), 0);
    void (*compiled)(void (*)(void *), void *) = (void (*)(void (*)(void *), void *))memory;
    compiled(see_it, seen);
    munmap(memory, 4096);
}

/* What a compiler made at run time has no tables. push %rbp; mov %rsp,%rbp; mov %rdi,%rax; mov %rsi,%rdi; call *%rax;
 * pop %rbp; ret */
__attribute__((noinline)) static void goes_through_compiled_code_with_frame_pointers(void **state) {
    static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf8,
                                         0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3};
    static struct seen seen, outside;
    (void)state;
    see(&outside);
    call_compiled(code, sizeof code, &seen);
    const struct walked *w = &seen.by[XS_UNWIND_AUTO], *out = &outside.by[XS_UNWIND_AUTO];
    assert_false(w->is_cut);
    assert_int_equal(w->count, out->count + 3); /* see_it, the code, call_compiled */
    assert_memory_equal(w->pcs + 4, out->pcs + 1, (out->count - 1) * sizeof *w->pcs);
    assert_int_equal(seen.by[XS_UNWIND_DWARF].count, 2);
    assert_true(seen.by[XS_UNWIND_DWARF].is_cut);
}

/* push %rbp; xor %ebp,%ebp (or sub $64,%rbp: a plausible one); the call as above; pop %rbp; ret */
static void makes_nothing_up_for_compiled_code_without(void **state) {
    static const unsigned char none[] = {0x55, 0x31, 0xed, 0x48, 0x89, 0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3};
    static const unsigned char any[] = {0x55, 0x48, 0x8d, 0x6c, 0x24, 0xf0, 0x48, 0x89,
                                        0xf8, 0x48, 0x89, 0xf7, 0xff, 0xd0, 0x5d, 0xc3}; /* lea -16(%rsp),%rbp */
    static struct seen seen;
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        call_compiled(i ? any : none, i ? sizeof any : sizeof none, &seen);
        assert_int_equal(seen.by[XS_UNWIND_AUTO].count, 2);
        assert_true(seen.by[XS_UNWIND_AUTO].is_cut);
    }
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_backtrace_finds),
        cmocka_unit_test(finds_the_calls),
        cmocka_unit_test(frame_pointers_lead_through_code_that_has_them),
        cmocka_unit_test(stops_at_the_limit),
        cmocka_unit_test(is_not_cut_where_the_limit_is_just_enough),
        cmocka_unit_test(survives_a_damaged_stack),
        cmocka_unit_test(survives_nonsense_elsewhere),
        cmocka_unit_test(survives_any_frame_pointer),
        cmocka_unit_test(sees_no_frame_twice),
#if defined(__x86_64__)
        cmocka_unit_test(goes_through_compiled_code_with_frame_pointers),
        cmocka_unit_test(makes_nothing_up_for_compiled_code_without),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
