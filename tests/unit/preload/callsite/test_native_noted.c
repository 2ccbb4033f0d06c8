/* Walks that need not be made again: where nothing that a walk read has changed, another one from the same registers
 * finds the same frames; and where something else is there, it is seen. */
#include "native_unit.h"

#include "preload/callsite/native_modules.h"
#include "preload/callsite/stack_memory.h"

static struct walked before, after;
static struct xs_reads reads;

static void assert_same_frames(void) {
    assert_int_equal(after.count, before.count);
    assert_int_equal(after.is_cut, before.is_cut);
    assert_memory_equal(after.pcs, before.pcs, before.count * sizeof before.pcs[0]);
}

static void walk_from(enum xs_unwinder how, const struct xs_caller *caller, struct walked *walked,
                      struct xs_reads *noted) {
    walked->count = xs_native_walk(how, caller, walked->pcs, SEEN_MAX, &walked->is_cut, noted);
}

/* The caller's frame belongs to a stack like any other. */
__attribute__((noinline)) static void note(enum xs_unwinder how, void (*then)(const struct xs_caller *)) {
    struct xs_caller caller = CALLER;
    walk_from(how, &caller, &before, &reads);
    then(&caller);
}

static void expect_as_noted(const struct xs_caller *caller) {
    assert_true(xs_native_is_as_noted(&reads));
    walk_from(XS_UNWIND_AUTO, caller, &after, NULL);
    assert_same_frames();
}

static void ignore(const struct xs_caller *caller) { (void)caller; }

static void is_the_same_while_nothing_changes(void **state) {
    (void)state;
    note(XS_UNWIND_AUTO, ignore); /* this makes the table of modules, which is a change */
    note(XS_UNWIND_AUTO, expect_as_noted);
    assert_in_range(reads.count, 2, XS_READS_MAX);
}

static void drop_rules(const struct xs_caller *caller) {
    (void)caller;
    xs_rules_drop();
    assert_false(xs_native_is_as_noted(&reads));
}

static void is_another_when_modules_changed(void **state) {
    (void)state;
    note(XS_UNWIND_AUTO, drop_rules);
}

static void close_a_library(const struct xs_caller *caller) {
    xs_native_unloading();
    assert_false(xs_native_is_as_noted(&reads));
    walk_from(XS_UNWIND_AUTO, caller, &after, &reads);
    assert_false(xs_native_is_as_noted(&reads));
    xs_native_unloaded();
    assert_false(xs_native_is_as_noted(&reads)); /* what was noted meanwhile */
}

static void is_not_known_while_a_library_is_closed(void **state) {
    (void)state;
    note(XS_UNWIND_AUTO, close_a_library);
}

/* ---- two callers of one function, whose frames lie at the same place ---- */

static struct xs_caller callers[2];
static bool was_as_noted;

__attribute__((noinline)) static void inner(unsigned turn) {
    struct xs_caller caller = CALLER;
    callers[turn] = caller;
    if (turn == 0)
        walk_from(XS_UNWIND_AUTO, &caller, &before, &reads);
    else
        was_as_noted = xs_native_is_as_noted(&reads);
}

__attribute__((noinline)) static void middle(unsigned turn) {
    inner(turn);
    __asm__ volatile("" ::: "memory");
}

static void sees_another_caller_of_the_same_function(void **state) {
    (void)state;
    middle(0);
    middle(1); /* another line */
    assert_int_equal(callers[0].pc, callers[1].pc);
    assert_int_equal(callers[0].sp, callers[1].sp);
    assert_false(was_as_noted);
    for (volatile unsigned turn = 0; turn < 2; turn++)
        middle(turn);
    assert_true(was_as_noted);
}

/* ---- any stack, and any change of it ---- */

static unsigned random_number(void) {
    static unsigned seed = 1;
    seed = seed * 1103515245u + 12345u;
    return seed >> 8;
}

/* Mostly what leads on: places on the stack, and code. */
static uint64_t random_word(const uint64_t *memory, unsigned words) {
    unsigned number = random_number();
    switch (number % 8) {
    case 0:
        return 0;
    case 1:
    case 2:
    case 3:
        return (uint64_t)(uintptr_t)is_the_same_while_nothing_changes + number % 512;
    default:
        return (uint64_t)&memory[random_number() % words];
    }
}

static void tells_any_change_that_matters(void **state) {
    static const enum xs_unwinder unwinders[] = {XS_UNWIND_AUTO, XS_UNWIND_FP, XS_UNWIND_DWARF};
    uint64_t memory[64];
    unsigned same = 0, other = 0, free_of_fp = 0;
    (void)state;
    for (unsigned round = 0; round < 60000; round++) {
        for (unsigned i = 0; i < COUNT_OF(memory) && round % 8 == 0; i++)
            memory[i] = random_word(memory, COUNT_OF(memory));
        enum xs_unwinder how = unwinders[round % COUNT_OF(unwinders)];
        struct xs_caller caller = {random_word(memory, COUNT_OF(memory)), (uint64_t)memory,
                                   (uint64_t)&memory[random_number() % 16]};
        walk_from(how, &caller, &before, &reads);
        memory[random_number() % COUNT_OF(memory)] = random_word(memory, COUNT_OF(memory));
        if (xs_native_is_as_noted(&reads)) {
            caller.fp = reads.needs_fp || round % 4 ? caller.fp : random_word(memory, COUNT_OF(memory));
            free_of_fp += !reads.needs_fp;
            walk_from(how, &caller, &after, NULL);
            assert_same_frames();
            same++;
        } else {
            other++;
        }
    }
    assert_in_range(same, 1000, 59000);
    assert_in_range(other, 1000, 59000);
    assert_in_range(free_of_fp, 1000, 59000);
}

/* A stack that is not the thread's own may be gone the next time. */
static void notes_no_other_memory(void **state) {
    (void)state;
    uint64_t *elsewhere = calloc(64, sizeof *elsewhere);
    assert_non_null(elsewhere);
    elsewhere[0] = (uint64_t)&elsewhere[8];
    elsewhere[1] = (uint64_t)(uintptr_t)notes_no_other_memory;
    struct xs_caller caller = {elsewhere[1], (uint64_t)elsewhere, (uint64_t)elsewhere};
    walk_from(XS_UNWIND_FP, &caller, &before, &reads);
    assert_int_equal(before.count, 2);
    assert_false(xs_native_is_as_noted(&reads));
    free(elsewhere);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_the_same_while_nothing_changes),
        cmocka_unit_test(is_another_when_modules_changed),
        cmocka_unit_test(is_not_known_while_a_library_is_closed),
        cmocka_unit_test(sees_another_caller_of_the_same_function),
        cmocka_unit_test(tells_any_change_that_matters),
        cmocka_unit_test(notes_no_other_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
