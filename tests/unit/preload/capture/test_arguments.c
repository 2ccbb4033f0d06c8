/* Which allocations the arguments of a launch point into: where pointers are looked for, what counts as one, how sets
 * are numbered and written, and what is said to be not seen. */
#include "arguments_unit.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>

#include "step_by_step.h"

#define BASE UINT64_C(0x7f0000000000)

static const struct fake_function four_pointers = {.count = 5,
                                                   .parameters = {{0, 8}, {8, 8}, {16, 8}, {24, 8}, {32, 4}}};
static const struct fake_function one_pointer = {.count = 1, .parameters = {{0, 8}}};
static const struct fake_function nothing = {.count = 0};

static uint32_t launch_with(uint64_t pointer) {
    void *params[] = {&pointer};
    return launch(&one_pointer, params, NULL, CUDA_SUCCESS);
}

static void pointers_are_found_sorted_and_once(void **state) {
    (void)state;
    for (uint32_t id = 1; id <= 3; id++)
        allocated(id, BASE + id * 0x10000, 0x1000, XS_MEM_DEVICE);
    uint64_t a = BASE + 0x30000, b = BASE + 0x10800, c = BASE + 0x30fff, d = BASE + 0x20000;
    int n = 3;
    void *params[] = {&a, &b, &c, &d, &n};
    uint32_t set = launch(&four_pointers, params, NULL, CUDA_SUCCESS);
    assert_true(set != 0);
    assert_string_equal(set_text(set), "1,2,3");
    assert_int_equal(launch(&four_pointers, params, NULL, CUDA_SUCCESS), set);
    assert_int_equal(events_of(XS_EVENT_ARGUMENTS), 1);
    assert_int_equal(events_of(XS_EVENT_LAUNCH), 2);
    assert_int_equal(driver_asked, 6); /* five parameters and the one that is not there, for the first launch */
}

static void what_lies_in_no_allocation_is_no_pointer(void **state) {
    (void)state;
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    allocated(2, BASE + 0x100000, 0x1000, XS_MEM_DEVICE);
    static const uint64_t values[] = {
        0, 1, 4096, BASE - 1, BASE + 0x1000, BASE + 0x50000, BASE + 0x101000, UINT64_MAX, 0x3ff0000000000000};
    uint32_t empty = launch_with(0);
    assert_true(empty != 0);
    assert_string_equal(set_text(empty), "");
    for (size_t i = 0; i < COUNT_OF(values); i++)
        assert_int_equal(launch_with(values[i]), empty);
    assert_string_equal(set_text(launch_with(BASE)), "1");
    assert_string_equal(set_text(launch_with(BASE + 0x100fff)), "2");
}

static void only_memory_counts(void **state) {
    (void)state;
    static const enum xs_memory_kind kinds[] = {XS_MEM_DEVICE,     XS_MEM_MANAGED, XS_MEM_PINNED,
                                                XS_MEM_REGISTERED, XS_MEM_ARRAY,   XS_MEM_UNKNOWN};
    static const char *const expected[] = {"1", "2", "3", "4", "", ""};
    for (uint32_t i = 0; i < COUNT_OF(kinds); i++)
        allocated(i + 1, BASE + i * 0x1000, 0x1000, kinds[i]);
    for (uint32_t i = 0; i < COUNT_OF(kinds); i++)
        assert_string_equal(set_text(launch_with(BASE + i * 0x1000 + 8)), expected[i]);
}

static void a_change_of_the_map_is_seen_at_once(void **state) {
    (void)state;
    struct xs_memory_range gone;
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    assert_string_equal(set_text(launch_with(BASE)), "1");
    assert_true(xs_map_remove(BASE, &gone));
    assert_string_equal(set_text(launch_with(BASE)), "");
    allocated(2, BASE, 0x1000, XS_MEM_DEVICE);
    assert_string_equal(set_text(launch_with(BASE)), "2");
}

enum { PARAMETERS_MOST = 18, ALLOCATIONS = 40 };

/* A launch with so many pointers by chance; its set, and what the text of that has to be. */
static uint32_t launch_by_chance(unsigned count, uint64_t *chance, char expected[128]) {
    static struct fake_function functions[PARAMETERS_MOST + 1];
    struct fake_function *f = &functions[count];
    uint64_t pointers[PARAMETERS_MOST];
    void *params[PARAMETERS_MOST];
    bool has[ALLOCATIONS + 1] = {false};
    f->count = count;
    for (unsigned i = 0; i < count; i++) {
        *chance = *chance * UINT64_C(6364136223846793005) + 1;
        unsigned id = 1 + (unsigned)(*chance >> 33) % ALLOCATIONS;
        f->parameters[i].offset = 8 * (size_t)i;
        f->parameters[i].bytes = 8;
        pointers[i] = BASE + id * 0x1000 + (*chance >> 60);
        params[i] = &pointers[i];
        has[id] = true;
    }
    expected[0] = '\0';
    for (unsigned id = 1; id <= ALLOCATIONS; id++)
        snprintf(expected + strlen(expected), has[id] ? 8 : 0, "%s%u", *expected ? "," : "", id);
    return launch(f, params, NULL, CUDA_SUCCESS);
}

/* More launches than are remembered, with more pointers than are compared, in turns: each has the set that it had. */
static void launches_that_come_again_keep_their_sets(void **state) {
    (void)state;
    enum { LAUNCHES = 1500 };
    static uint32_t first[LAUNCHES];
    char expected[128];
    for (uint32_t id = 1; id <= ALLOCATIONS; id++)
        allocated(id, BASE + id * 0x1000, 0x1000, XS_MEM_DEVICE);
    for (unsigned round = 0, before = 0; round < 3; round++) {
        uint64_t chance = 1;
        for (unsigned i = 0; i < LAUNCHES; i++) {
            uint32_t set = launch_by_chance(i % (PARAMETERS_MOST + 1), &chance, expected);
            assert_string_equal(set_text(set), expected);
            assert_true(round == 0 || set == first[i]);
            first[i] = set;
        }
        assert_true(round == 0 || events_of(XS_EVENT_ARGUMENTS) == before);
        before = events_of(XS_EVENT_ARGUMENTS);
    }
}

#if defined(CAN_STEP)
static sigjmp_buf out;
static volatile unsigned steps_left;

static void leave_later(int signal) {
    (void)signal;
    if (steps_left-- == 0)
        siglongjmp(out, 1);
}

static uint32_t look_at(uint64_t pointer) {
    void *params[] = {&pointer};
    struct xs_event event = {0};
    return xs_arguments_record(&event, (CUfunction)(uintptr_t)&one_pointer, params, NULL)->argument_set;
}

/* The address belongs to another allocation each time. A signal handler jumps away after each of the instructions that
 * find that out, and leaves nothing that answers for the allocation of before. */
static void a_jump_away_leaves_no_wrong_answer(void **state) {
    (void)state;
    struct xs_memory_range gone;
    struct sigaction before, action = {.sa_handler = leave_later};
    uint32_t sets[2];
    volatile bool is_through = false;
    for (uint32_t id = 1; id <= 2; id++) {
        allocated(id, BASE, 0x1000, XS_MEM_DEVICE);
        sets[id - 1] = launch_with(BASE);
        assert_true(xs_map_remove(BASE, &gone));
    }
    assert_int_equal(sigaction(SIGTRAP, &action, &before), 0);
    volatile unsigned steps = 0;
    for (; !is_through; steps++) {
        allocated(1 + steps % 2, BASE, 0x1000, XS_MEM_DEVICE);
        steps_left = steps;
        if (sigsetjmp(out, 1) == 0) {
            step_by_step(true);
            (void)look_at(BASE);
            step_by_step(false);
            is_through = true;
        }
        assert_int_equal(look_at(BASE), sets[steps % 2]);
        assert_true(xs_map_remove(BASE, &gone));
    }
    sigaction(SIGTRAP, &before, NULL);
    assert_true(steps > 100);
}
#else
static void a_jump_away_leaves_no_wrong_answer(void **state) {
    (void)state;
    skip();
}
#endif

/* A remembered set is found without the table of sets, which has forgotten it. */
static void a_launch_that_comes_again_needs_no_table(void **state) {
    (void)state;
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    uint32_t set = launch_with(BASE);
    xs_sets_forget();
    assert_int_equal(launch_with(BASE), set);
    assert_int_equal(events_of(XS_EVENT_ARGUMENTS), 1);
}

/* A buffer has more words that may be pointers than there is room for; most of them lie in no allocation. */
static void words_beyond_the_room_are_looked_up_in_parts(void **state) {
    (void)state;
    static uint64_t words[2 * XS_ARGUMENTS_MOST + 3];
    size_t bytes = sizeof words;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, words, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    static struct fake_function f = {.count = COUNT_OF(words)};
    for (uint32_t id = 1; id <= 3; id++)
        allocated(id, BASE + id * 0x100000, 0x1000, XS_MEM_DEVICE);
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        f.parameters[i].offset = 8 * i;
        f.parameters[i].bytes = 8;
        words[i] = BASE + 0x180000 + 8 * i; /* in a gap */
    }
    words[0] = BASE + 0x300000;
    words[XS_ARGUMENTS_MOST] = BASE + 0x100008;
    words[COUNT_OF(words) - 1] = BASE + 0x200010;
    for (int i = 0; i < 2; i++)
        assert_string_equal(set_text(launch(&f, NULL, extra, CUDA_SUCCESS)), "1,2,3");
    words[XS_ARGUMENTS_MOST] = 0;
    assert_string_equal(set_text(launch(&f, NULL, extra, CUDA_SUCCESS)), "2,3");
}

/* A forked child has no sets of its parent's. */
static void a_child_numbers_its_own_sets(void **state) {
    (void)state;
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    uint32_t set = launch_with(BASE);
    assert_int_equal(launch_with(BASE), set);
    xs_arguments_forget();
    assert_int_equal(events_of(XS_EVENT_ARGUMENTS), 1);
    uint32_t own = launch_with(BASE);
    assert_true(own != set);
    assert_int_equal(events_of(XS_EVENT_ARGUMENTS), 2);
    assert_string_equal(set_text(own), "1");
}

static void pointers_in_structures_are_found(void **state) {
    (void)state;
    static const struct fake_function f = {.count = 2, .parameters = {{0, 4}, {8, 40}}};
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    allocated(2, BASE + 0x1000, 0x1000, XS_MEM_DEVICE);
    int n = 1;
    struct {
        int n;
        uint64_t x;
        double a;
        uint64_t y;
        short last;
    } box = {3, BASE + 0x1010, 2.5, BASE + 0x20, 4};
    void *params[] = {&n, &box};
    assert_string_equal(set_text(launch(&f, params, NULL, CUDA_SUCCESS)), "1,2");
}

/* The buffer has a size or an alignment that no structure with aligned pointers has. */
static void pointers_in_packed_structures_are_found(void **state) {
    (void)state;
    static const struct fake_function after_an_int = {.count = 2, .parameters = {{0, 4}, {4, 12}}};
    static const struct fake_function odd = {.count = 1, .parameters = {{0, 13}}};
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    int n = 1;
    struct __attribute__((packed)) {
        int n;
        uint64_t x;
    } four = {1, BASE};
    void *params[] = {&n, &four};
    assert_string_equal(set_text(launch(&after_an_int, params, NULL, CUDA_SUCCESS)), "1");
    struct __attribute__((packed)) {
        char tag[3];
        uint64_t x;
        short last;
    } three = {"ab", BASE + 5, 7};
    void *odd_params[] = {&three};
    assert_string_equal(set_text(launch(&odd, odd_params, NULL, CUDA_SUCCESS)), "1");
}

static void a_buffer_of_parameters_is_scanned(void **state) {
    (void)state;
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    allocated(2, BASE + 0x1000, 0x1000, XS_MEM_DEVICE);
    uint64_t buffer[] = {5, BASE + 0x1008, 7, BASE, 0};
    size_t bytes = sizeof buffer;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_END};
    void *empty[] = {CU_LAUNCH_PARAM_END};
    void *unknown[] = {(void *)7, CU_LAUNCH_PARAM_END};
    assert_string_equal(set_text(launch(&four_pointers, NULL, extra, CUDA_SUCCESS)), "1,2");
    assert_int_equal(launch(&four_pointers, NULL, empty, CUDA_SUCCESS), 0);
    assert_int_equal(launch(&four_pointers, NULL, unknown, CUDA_SUCCESS), 0);
    assert_string_equal(set_text(launch(&nothing, NULL, empty, CUDA_SUCCESS)), "");
    bytes = 24; /* less than the parameters are: the driver would not have launched that */
    assert_int_equal(launch(&four_pointers, NULL, extra, CUDA_SUCCESS), 0);
}

static void a_function_without_parameters_has_the_empty_set(void **state) {
    (void)state;
    void *any[] = {NULL};
    uint32_t set = launch(&nothing, NULL, NULL, CUDA_SUCCESS);
    assert_string_equal(set_text(set), "");
    assert_int_equal(launch(&nothing, any, NULL, CUDA_SUCCESS), set);
    assert_int_equal(launch(&one_pointer, NULL, NULL, CUDA_SUCCESS), 0);
}

static void a_launch_that_failed_is_not_looked_at(void **state) {
    (void)state;
    void *wild[] = {(void *)8};
    assert_int_equal(launch(&one_pointer, wild, NULL, CUDA_ERROR_INVALID_VALUE), 0);
    assert_int_equal(driver_asked, 0);
    assert_int_equal(events_of(XS_EVENT_ARGUMENTS), 0);
}

static void a_kernel_in_the_place_of_a_function_is_known(void **state) {
    (void)state;
    static const struct fake_function kernel = {.is_kernel = true, .count = 2, .parameters = {{0, 4}, {8, 8}}};
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    int n = 0;
    uint64_t x = BASE;
    void *params[] = {&n, &x};
    assert_string_equal(set_text(launch(&kernel, params, NULL, CUDA_SUCCESS)), "1");
    unsigned asked = driver_asked;
    launch(&kernel, params, NULL, CUDA_SUCCESS);
    assert_int_equal(driver_asked, asked);
}

static void a_handle_that_comes_back_is_asked_for_again(void **state) {
    (void)state;
    struct fake_function *f = calloc(1, sizeof *f);
    *f = four_pointers;
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    uint64_t x = BASE, zero = 0;
    void *params[] = {&zero, &zero, &zero, &x, &zero};
    assert_string_equal(set_text(launch(f, params, NULL, CUDA_SUCCESS)), "1");
    xs_arguments_functions_go();
    f->count = 1;
    void *less[] = {&x}; /* what was remembered would read past it */
    assert_string_equal(set_text(launch(f, less, NULL, CUDA_SUCCESS)), "1");
    free(f);
}

static void without_the_driver_only_buffers_are_seen(void **state) {
    (void)state;
    static struct fake_function broken = {.broken = CUDA_ERROR_UNKNOWN};
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    uint64_t buffer[] = {0, BASE, 0};
    size_t bytes = 20;
    void *params[] = {buffer};
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    assert_int_equal(launch(&broken, params, NULL, CUDA_SUCCESS), 0);
    assert_int_equal(launch(&broken, params, NULL, CUDA_SUCCESS), 0);
    assert_int_equal(driver_asked, 2); /* that failure may pass */
    driver_has_param_info(false);
    assert_int_equal(launch(&one_pointer, params, NULL, CUDA_SUCCESS), 0);
    assert_int_equal(launch(&one_pointer, params, NULL, CUDA_SUCCESS), 0);
    assert_int_equal(notes, 1);
    assert_string_equal(set_text(launch(&one_pointer, NULL, extra, CUDA_SUCCESS)), "1");
    bytes = 15;
    assert_string_equal(set_text(launch(&one_pointer, NULL, extra, CUDA_SUCCESS)), "");
}

/* A set of more than one event, up to the most, and beyond. */
static void large_sets_take_several_events(void **state) {
    (void)state;
    static struct fake_function f;
    static uint64_t pointers[XS_ARGUMENTS_MOST + 1];
    static void *params[COUNT_OF(pointers)];
    for (uint32_t i = 0; i < COUNT_OF(pointers); i++) {
        uint32_t slot = i * 211 % (uint32_t)COUNT_OF(pointers); /* not in order */
        allocated(i + 1, BASE + i * 0x1000, 0x1000, XS_MEM_DEVICE);
        pointers[i] = BASE + slot * 0x1000;
        params[i] = &pointers[i];
        f.parameters[i].offset = i * 8;
        f.parameters[i].bytes = 8;
    }
    static const unsigned counts[] = {14, 15, 28, 29, XS_ARGUMENTS_MOST};
    for (size_t c = 0; c < COUNT_OF(counts); c++) {
        unsigned before = events_of(XS_EVENT_ARGUMENTS);
        xs_arguments_functions_go();
        f.count = counts[c];
        uint32_t set = launch(&f, params, NULL, CUDA_SUCCESS);
        const char *text = set_text(set);
        unsigned ids = 0, last = 0;
        for (const char *p = text; *p; p += strspn(p, ",")) {
            char *end;
            unsigned id = (unsigned)strtoul(p, &end, 10);
            assert_true(id > last);
            last = id;
            ids++;
            p = end;
        }
        assert_int_equal(ids, counts[c]);
        assert_int_equal(events_of(XS_EVENT_ARGUMENTS) - before, (counts[c] + 13) / 14);
    }
    xs_arguments_functions_go();
    f.count = COUNT_OF(pointers);
    assert_int_equal(launch(&f, params, NULL, CUDA_SUCCESS), 0);
    assert_int_equal(launch(&f, params, NULL, CUDA_SUCCESS), 0);
    assert_int_equal(notes, 1);
}

static void too_many_parameters_are_not_looked_at(void **state) {
    (void)state;
    static const struct fake_function huge = {.count = 1, .parameters = {{0, 8200}}};
    static char box[8200];
    void *params[] = {box};
    assert_int_equal(launch(&huge, params, NULL, CUDA_SUCCESS), 0);
    assert_int_equal(launch(&huge, params, NULL, CUDA_SUCCESS), 0);
    assert_int_equal(driver_asked, 1);
    assert_int_equal(notes, 1);
}

/* Sets of allocations that come and go: numbers go on, and what is remembered stays bounded. */
static void sets_without_end_are_numbered(void **state) {
    (void)state;
    struct xs_memory_range gone;
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    uint32_t first = launch_with(BASE), last = first;
    for (uint32_t id = 2; id < 20000; id++) {
        assert_true(xs_map_remove(BASE, &gone));
        allocated(id, BASE, 0x1000, XS_MEM_DEVICE);
        uint32_t set = launch_with(BASE);
        assert_int_equal(set, last + 1);
        assert_int_equal(launch_with(BASE), set);
        last = set;
    }
    assert_int_equal(events_of(XS_EVENT_ARGUMENTS), 19999);
    assert_true(xs_map_remove(BASE, &gone));
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    uint32_t again = launch_with(BASE); /* forgotten meanwhile */
    assert_int_equal(again, last + 1);
    assert_string_equal(set_text(again), "1");
    assert_string_equal(set_text(first), "1");
}

/* The last slot of a chunk: the set's event and the launch go into the next one, together. */
static void a_set_at_the_end_of_a_chunk_is_whole(void **state) {
    (void)state;
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    uint32_t empty = launch_with(0);
    while (xs_thread.end - xs_thread.next != 1)
        assert_int_equal(launch_with(0), empty);
    uint32_t set = launch_with(BASE);
    assert_true(set != 0 && set != empty);
    assert_string_equal(set_text(set), "1");
    assert_ptr_equal(xs_thread.next, xs_thread.chunk->events + 2);
    assert_int_equal(events_of(XS_EVENT_LAUNCH), XS_SPOOL_CHUNK_EVENTS - 1);
}

/* A set that cannot be written must not get a number, because later launches would use the number. */
static void a_set_that_finds_no_room_is_none(void **state) {
    (void)state;
    allocated(1, BASE, 0x1000, XS_MEM_DEVICE);
    uint32_t empty = launch_with(0);
    while (xs_thread.end - xs_thread.next != 1)
        assert_int_equal(launch_with(0), empty);
    assert_int_equal(launch_with(BASE), 0);
    assert_int_equal(events_of(XS_EVENT_ARGUMENTS), 1);
    assert_int_equal(launch_with(BASE), 0);
}

static int open_small_spool(void **state) {
    spool_chunks = 1;
    int status = open_spool(state);
    spool_chunks = 4;
    return status;
}

static int open_large_spool(void **state) {
    spool_chunks = 160;
    int status = open_spool(state);
    spool_chunks = 4;
    return status;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WITH_SPOOL(pointers_are_found_sorted_and_once),
        WITH_SPOOL(what_lies_in_no_allocation_is_no_pointer),
        WITH_SPOOL(only_memory_counts),
        WITH_SPOOL(a_change_of_the_map_is_seen_at_once),
        cmocka_unit_test_setup_teardown(launches_that_come_again_keep_their_sets, open_large_spool, close_spool),
        WITH_SPOOL(a_jump_away_leaves_no_wrong_answer),
        WITH_SPOOL(a_launch_that_comes_again_needs_no_table),
        WITH_SPOOL(words_beyond_the_room_are_looked_up_in_parts),
        WITH_SPOOL(a_child_numbers_its_own_sets),
        WITH_SPOOL(pointers_in_structures_are_found),
        WITH_SPOOL(pointers_in_packed_structures_are_found),
        WITH_SPOOL(a_buffer_of_parameters_is_scanned),
        WITH_SPOOL(a_function_without_parameters_has_the_empty_set),
        WITH_SPOOL(a_launch_that_failed_is_not_looked_at),
        WITH_SPOOL(a_kernel_in_the_place_of_a_function_is_known),
        WITH_SPOOL(a_handle_that_comes_back_is_asked_for_again),
        WITH_SPOOL(large_sets_take_several_events),
        WITH_SPOOL(too_many_parameters_are_not_looked_at),
        cmocka_unit_test_setup_teardown(sets_without_end_are_numbered, open_large_spool, close_spool),
        WITH_SPOOL(a_set_at_the_end_of_a_chunk_is_whole),
        cmocka_unit_test_setup_teardown(a_set_that_finds_no_room_is_none, open_small_spool, close_spool),
        WITH_SPOOL(without_the_driver_only_buffers_are_seen), /* last: a driver that has not the call never gets it */
    };
    return cmocka_run_group_tests_name("arguments", tests, NULL, NULL);
}
