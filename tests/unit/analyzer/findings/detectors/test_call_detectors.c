/* repeated-allocation, pinned-churn and unused-allocation: each clause of docs/rules/analysis.md from both sides, with
 * what it claims. */
#include "played.h"

enum { A = 0x10000000, B = 0x20000000, HOST = 0x5000000, BYTES = 32768 };
enum { ALLOC_NS = 3000, FREE_NS = 2000 };

static struct played played, *p = &played;

/* --- repeated-allocation and pinned-churn --- */

static uint32_t alloc_at(uint64_t address, uint64_t bytes) {
    p->call_ns = ALLOC_NS;
    uint32_t id = play_alloc(p, address, bytes);
    p->call_ns = 0;
    return id;
}

static void free_it(uint32_t id) {
    p->call_ns = FREE_NS;
    play_free(p, id);
    p->call_ns = 0;
}

static void again_and_again(int times, uint64_t bytes) {
    for (int i = 0; i < times; i++) {
        uint32_t a = alloc_at(A, bytes);
        play_kernel(p, 1, &a);
        free_it(a);
    }
}

/* Allocates five blocks that live at the same time, frees them, and allocates five more. */
static void five_and_five(uint64_t bytes) {
    uint32_t ids[5];
    for (uint64_t i = 0; i < 5; i++)
        ids[i] = alloc_at(A + i * bytes, bytes);
    play_kernel(p, 5, ids);
    for (int i = 0; i < 5; i++)
        free_it(ids[i]);
    for (uint64_t i = 0; i < 5; i++)
        ids[i] = alloc_at(A + i * bytes, bytes);
    play_kernel(p, 5, ids);
}

/* Case 4: memory is allocated ten times, and nine of these calls follow a free. One pair of calls remains needed. */
static void memory_freed_and_allocated_again(void **state) {
    (void)state;
    play_begin(p);
    again_and_again(10, BYTES);
    play_analyse(p, NULL);
    FOUND("repeated-allocation", NULL, 9);
    assert_int_equal(played_all(p), 9);
    const struct xs_finding *finding = played_finding(p, "repeated-allocation");
    assert_int_equal(finding->transfers, 0);
    assert_int_equal(finding->bytes, 9 * BYTES);
    assert_int_equal(finding->removable.host_ns, 9 * (ALLOC_NS + FREE_NS));
    assert_int_equal(finding->claimed_ns, 9 * (ALLOC_NS + FREE_NS));
    assert_int_equal(p->findings->total.claimed_ns, 9 * (ALLOC_NS + FREE_NS));
    assert_int_equal(p->findings->total.transfers, 0);
    assert_int_equal(finding->first[0].evidence[0].row, 2);
    assert_int_equal(finding->first[0].evidence[1].row, 1);
    play_end(p);
}

static void five_are_enough(void **state) {
    (void)state;
    for (int times = 5; times <= 6; times++) {
        play_begin(p);
        again_and_again(times, BYTES);
        play_analyse(p, NULL);
        FOUND("repeated-allocation", NULL, times == 6 ? 5 : 0);
        assert_int_equal(p->findings->total.claimed_ns, times == 6 ? 5 * (ALLOC_NS + FREE_NS) : 0);
        play_end(p);
    }
}

static void each_freed_one_counts_once(void **state) {
    (void)state;
    play_begin(p);
    five_and_five(BYTES);
    for (uint64_t i = 0; i < 5; i++) { /* nothing was freed for these */
        uint32_t b = alloc_at(B + i * BYTES, BYTES);
        play_kernel(p, 1, &b);
    }
    play_analyse(p, NULL);
    FOUND("repeated-allocation", NULL, 5);
    play_end(p);
}

static void the_five_are_of_one_size(void **state) {
    (void)state;
    play_begin(p);
    again_and_again(5, BYTES);
    again_and_again(5, 2 * BYTES);
    for (uint64_t i = 1; i < 20; i++)
        again_and_again(1, i);
    play_analyse(p, NULL);
    NOT_FOUND("repeated-allocation");
    play_end(p);
}

/* Two groups of five calls differ in one property. */
static void and_of_one_kind_context_and_call_site(void **state) {
    (void)state;
    static const char *const differences[] = {"kind = 6", "entry_point = 6", "context = 2, device = 1"};
    for (size_t i = 0; i <= sizeof differences / sizeof *differences; i++) {
        char sql[128] = "";
        play_begin(p);
        five_and_five(BYTES);
        if (i)
            snprintf(sql, sizeof sql, "UPDATE allocation SET %s WHERE id > 5", differences[i - 1]);
        play_analyse(p, sql);
        FOUND("repeated-allocation", NULL, i ? 0 : 5);
        play_end(p);
    }
}

static void managed_memory_counts_too(void **state) {
    (void)state;
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    again_and_again(6, BYTES);
    play_analyse(p, NULL);
    FOUND("repeated-allocation", NULL, 5);
    NOT_FOUND("pinned-churn");
    play_end(p);
}

static void pools_mappings_and_arrays_do_not(void **state) {
    (void)state;
    static const struct {
        enum xs_memory_kind memory;
        enum xs_origin origin;
    } others[] = {{XS_MEM_DEVICE, XS_ORIGIN_POOL},
                  {XS_MEM_DEVICE, XS_ORIGIN_VMM},
                  {XS_MEM_DEVICE, XS_ORIGIN_IPC},
                  {XS_MEM_ARRAY, XS_ORIGIN_ALLOC},
                  {XS_MEM_PINNED, XS_ORIGIN_VMM}};
    play_begin(p);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        p->memory = others[i].memory;
        p->origin = others[i].origin;
        again_and_again(7, BYTES);
    }
    play_analyse(p, NULL);
    NOT_FOUND("repeated-allocation");
    NOT_FOUND("pinned-churn");
    play_end(p);
}

/* Memory that ends with its context could not have been kept. */
static void the_end_of_a_context_is_no_free(void **state) {
    (void)state;
    play_begin(p);
    for (int i = 0; i < 10; i++) {
        uint32_t a = alloc_at(A, BYTES);
        play_kernel(p, 1, &a);
        play_context_end(p, a);
    }
    play_analyse(p, NULL);
    NOT_FOUND("repeated-allocation");
    play_end(p);
}

/* Another thread's free, made while the allocating call was under way. */
/* An allocator is refused memory, frees what it has cached and asks again. Frees after another error count. */
static void what_made_room_could_not_have_been_kept(void **state) {
    (void)state;
    for (int result = 1; result <= 2; result++) {
        play_begin(p);
        uint32_t a = alloc_at(A, BYTES);
        for (int i = 0; i < 9; i++) {
            play_record(p, 0);
            free_it(a);
            a = alloc_at(A, BYTES);
        }
        char sql[160];
        snprintf(sql, sizeof sql,
                 "UPDATE api_call SET result = %d, entry_point = (SELECT id FROM entry_point WHERE category = 2)",
                 result);
        play_analyse(p, sql);
        FOUND("repeated-allocation", NULL, result == 1 ? 9 : 0);
        play_end(p);
    }
}

static void a_free_during_the_call_comes_too_late(void **state) {
    (void)state;
    play_begin(p);
    again_and_again(6, BYTES);
    play_analyse(
        p, "UPDATE allocation SET enter_ns = (SELECT free_enter_ns - 1 FROM allocation WHERE id = 5) WHERE id = 6");
    NOT_FOUND("repeated-allocation");
    play_end(p);
}

static void pinned_memory_is_churned(void **state) {
    (void)state;
    play_begin(p);
    p->memory = XS_MEM_PINNED;
    for (uint64_t i = 0; i < 6; i++) { /* wherever it is put */
        uint32_t a = alloc_at(A + i * BYTES, BYTES);
        play_kernel(p, 1, &a);
        free_it(a);
    }
    play_analyse(p, NULL);
    FOUND("pinned-churn", NULL, 5);
    NOT_FOUND("repeated-allocation");
    const struct xs_finding *finding = played_finding(p, "pinned-churn");
    assert_int_equal(finding->bytes, 5 * BYTES);
    assert_int_equal(finding->claimed_ns, 5 * (ALLOC_NS + FREE_NS));
    play_end(p);
    play_begin(p);
    p->memory = XS_MEM_PINNED;
    again_and_again(5, BYTES);
    play_analyse(p, NULL);
    NOT_FOUND("pinned-churn");
    play_end(p);
}

/* A registration could have been kept for the same memory only. */
static void registered_memory_counts_where_it_is_the_same(void **state) {
    (void)state;
    for (uint64_t step = 0; step <= BYTES; step += BYTES) {
        play_begin(p);
        p->memory = XS_MEM_REGISTERED;
        for (uint64_t i = 0; i < 6; i++) {
            uint32_t a = alloc_at(A + i * step, BYTES);
            play_kernel(p, 1, &a);
            free_it(a);
        }
        play_analyse(p, NULL);
        FOUND("pinned-churn", NULL, step ? 0 : 5);
        play_end(p);
    }
}

/* Twenty thousand sizes that come once replace each other; a size that comes often is not forgotten. */
static void sizes_that_come_once_are_forgotten(void **state) {
    (void)state;
    play_begin(p);
    again_and_again(6, BYTES);
    p->now_ns = 10000000000;
    again_and_again(3, BYTES);
    play_analyse(p,
                 "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)"
                 "INSERT INTO allocation SELECT 1000 + i, 4, 1, 65536, 100000 + i, 4, 1, 0, 1, NULL, 1000000 + i * 100,"
                 " 1000010 + i * 100, 5, 1, NULL, 1000020 + i * 100, 1000030 + i * 100, NULL, NULL, NULL, NULL FROM n");
    FOUND("repeated-allocation", NULL, 8);
    play_end(p);
}

/* If memory is allocated again and again and never used, each call counts once in the total. */
static void the_total_has_each_call_once(void **state) {
    (void)state;
    play_begin(p);
    for (int i = 0; i < 10; i++)
        free_it(alloc_at(A, BYTES));
    play_analyse(p, NULL);
    FOUND("repeated-allocation", NULL, 9);
    FOUND("unused-allocation", "certain", 10);
    assert_int_equal(p->findings->total.claimed_ns, 10 * (ALLOC_NS + FREE_NS));
    play_end(p);
}

/* --- unused-allocation --- */

static void nothing_touched_it(void **state) {
    (void)state;
    play_begin(p);
    free_it(alloc_at(A, BYTES));
    alloc_at(B, BYTES); /* never freed */
    play_analyse(p, NULL);
    FOUND("unused-allocation", "certain", 2);
    const struct xs_finding *finding = played_finding(p, "unused-allocation");
    assert_int_equal(finding->transfers, 0);
    assert_int_equal(finding->bytes, 2 * BYTES);
    assert_int_equal(finding->claimed_ns, 2 * ALLOC_NS + FREE_NS);
    play_end(p);
}

static void touch_once(int how, uint32_t a) {
    switch (how) {
    case 0:
        play_up(p, A + 100, 100, NO_CONTENT, NOT_MEASURED, HOST);
        break;
    case 1:
        play_down(p, A + 100, 100, NO_CONTENT, HOST);
        break;
    case 2:
        play_memset(p, A, 1);
        break;
    case 3:
        play_copy(p, A, B, 4);
        break;
    case 4:
        play_copy(p, B, A, 4);
        break;
    case 5:
        play_kernel(p, 1, &a);
        break;
    case 6:
        play_prefetch_batch(p, A + BYTES - 1, 1);
        break;
    default:
        break;
    }
}

/* One access to one byte is a use, also for a block that a framework's pool has allocated. */
static void any_touch_is_a_use(void **state) {
    (void)state;
    for (int how = 0; how < 8; how++) {
        play_begin(p);
        uint32_t a = alloc_at(A, 20 << 20), b = alloc_at(B, BYTES);
        touch_once(how, a);
        if (how != 3 && how != 4)
            play_kernel(p, 1, &b);
        play_analyse(p, NULL);
        FOUND("unused-allocation", NULL, how == 7);
        play_end(p);
    }
}

static void what_failed_or_was_only_captured_is_none(void **state) {
    (void)state;
    for (int captured = 0; captured < 2; captured++) {
        play_begin(p);
        alloc_at(A, BYTES);
        play_up(p, A, BYTES, NO_CONTENT, NOT_MEASURED, HOST);
        play_analyse(p, captured ? "UPDATE transfer SET is_captured = 1" : "UPDATE transfer SET result = 1");
        FOUND("unused-allocation", "certain", 1);
        play_end(p);
    }
}

/* Either a kernel gets no pointer into the memory, or nobody saw the kernel's arguments. */
static void a_launch_makes_it_likely_or_undecided(void **state) {
    (void)state;
    for (int unseen = 0; unseen < 2; unseen++) {
        play_begin(p);
        uint32_t a = alloc_at(A, BYTES), b = alloc_at(B, BYTES);
        play_kernel(p, 1, &b);
        if (unseen)
            play_unseen_kernel(p);
        free_it(a);
        play_analyse(p, NULL);
        FOUND("unused-allocation", "certain", 0);
        FOUND("unused-allocation", "likely", !unseen);
        UNDECIDED("unused-allocation", "launch arguments not seen", unseen);
        play_end(p);
    }
}

static void launches_at_other_times_or_elsewhere_do_not(void **state) {
    (void)state;
    play_begin(p);
    play_unseen_kernel(p);
    uint32_t a = alloc_at(A, BYTES);
    p->device = 1;
    play_unseen_kernel(p);
    p->device = 0;
    free_it(a);
    play_unseen_kernel(p);
    play_analyse(p, NULL);
    FOUND("unused-allocation", "certain", 1);
    play_end(p);
}

static void what_others_made_does_not_count(void **state) {
    (void)state;
    static const enum xs_origin origins[] = {XS_ORIGIN_VMM, XS_ORIGIN_IPC, XS_ORIGIN_EXTERNAL, XS_ORIGIN_MODULE};
    play_begin(p);
    for (uint64_t i = 0; i < 4; i++) {
        p->origin = origins[i];
        alloc_at(A + i * BYTES, BYTES);
    }
    p->origin = XS_ORIGIN_ALLOC;
    p->memory = XS_MEM_REGISTERED;
    alloc_at(B, BYTES);
    p->memory = XS_MEM_DEVICE;
    p->origin = XS_ORIGIN_POOL; /* this does */
    alloc_at(B + BYTES, BYTES);
    play_analyse(p, NULL);
    FOUND("unused-allocation", "certain", 1);
    FOUND("unused-allocation", NULL, 1);
    play_end(p);
}

/* The host needs no call to use memory that it can access. */
static void memory_that_the_host_reaches_is_never_certain(void **state) {
    (void)state;
    play_begin(p);
    p->memory = XS_MEM_PINNED;
    alloc_at(A, BYTES);
    p->memory = XS_MEM_MANAGED;
    alloc_at(B, BYTES);
    play_analyse(p, NULL);
    FOUND("unused-allocation", "certain", 0);
    FOUND("unused-allocation", "likely", 2);
    play_end(p);
}

static void managed_memory_is_used_where_pages_move_or_may(void **state) {
    (void)state;
    for (int batch = 0; batch < 2; batch++) {
        play_begin(p);
        p->memory = XS_MEM_MANAGED;
        alloc_at(A, BYTES);
        if (batch)
            play_prefetch_batch(p, B,
                                2); /* one range is another allocation's, and the trace does not have the other range */
        else
            play_migration(p, false, A + 4096, 4096);
        play_analyse(p, NULL);
        NOT_FOUND("unused-allocation");
        play_end(p);
    }
}

/* Kernels get an object for an array, not its address. */
static void an_array_is_undecided_where_a_launch_ran(void **state) {
    (void)state;
    for (int launched = 0; launched < 2; launched++) {
        play_begin(p);
        p->memory = XS_MEM_ARRAY;
        alloc_at(A, BYTES);
        if (launched)
            play_kernel(p, 0, NULL);
        play_analyse(p, NULL);
        FOUND("unused-allocation", NULL, !launched);
        UNDECIDED("unused-allocation", "kernels may use the array", launched);
        play_end(p);
    }
}

static void the_end_of_a_context_costs_it_nothing(void **state) {
    (void)state;
    play_begin(p);
    play_context_end(p, alloc_at(A, BYTES));
    play_analyse(p, NULL);
    FOUND("unused-allocation", "certain", 1);
    assert_int_equal(played_finding(p, "unused-allocation")->claimed_ns, ALLOC_NS);
    play_end(p);
}

/* Memory that is live when a process is killed may have been about to be used; if calls are missing, nothing is
 * certain. */
static void an_incomplete_trace_leaves_it_undecided(void **state) {
    (void)state;
    play_begin(p);
    free_it(alloc_at(A, BYTES));
    alloc_at(B, BYTES);
    play_analyse(p, "UPDATE meta SET value = 'recovered' WHERE key = 'status'");
    FOUND("unused-allocation", "certain", 1);
    UNDECIDED("unused-allocation", "the trace ends before the program", 1);
    play_end(p);
    play_begin(p);
    free_it(alloc_at(A, BYTES));
    play_analyse(p, "INSERT OR REPLACE INTO meta VALUES ('coverage.dropped', 1)");
    NOT_FOUND("unused-allocation");
    UNDECIDED("unused-allocation", "calls not recorded", 1);
    play_end(p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_freed_and_allocated_again),
        cmocka_unit_test(five_are_enough),
        cmocka_unit_test(each_freed_one_counts_once),
        cmocka_unit_test(the_five_are_of_one_size),
        cmocka_unit_test(and_of_one_kind_context_and_call_site),
        cmocka_unit_test(managed_memory_counts_too),
        cmocka_unit_test(pools_mappings_and_arrays_do_not),
        cmocka_unit_test(the_end_of_a_context_is_no_free),
        cmocka_unit_test(what_made_room_could_not_have_been_kept),
        cmocka_unit_test(a_free_during_the_call_comes_too_late),
        cmocka_unit_test(pinned_memory_is_churned),
        cmocka_unit_test(registered_memory_counts_where_it_is_the_same),
        cmocka_unit_test(sizes_that_come_once_are_forgotten),
        cmocka_unit_test(the_total_has_each_call_once),
        cmocka_unit_test(nothing_touched_it),
        cmocka_unit_test(any_touch_is_a_use),
        cmocka_unit_test(what_failed_or_was_only_captured_is_none),
        cmocka_unit_test(a_launch_makes_it_likely_or_undecided),
        cmocka_unit_test(launches_at_other_times_or_elsewhere_do_not),
        cmocka_unit_test(what_others_made_does_not_count),
        cmocka_unit_test(memory_that_the_host_reaches_is_never_certain),
        cmocka_unit_test(managed_memory_is_used_where_pages_move_or_may),
        cmocka_unit_test(an_array_is_undecided_where_a_launch_ran),
        cmocka_unit_test(the_end_of_a_context_costs_it_nothing),
        cmocka_unit_test(an_incomplete_trace_leaves_it_undecided),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
