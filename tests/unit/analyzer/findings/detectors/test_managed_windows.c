/* Tests managed-thrash if migrations were recorded only in windows: it is found by how much moved in the windows.
 * Tested from both sides. */
#include "managed_run.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
enum { A = 0x10000000, MIB = 1 << 20, BYTES = 16 * MIB, STEPS = 40, PAGES = 256 };

static struct played played, *p = &played;

/* Steps of 40 ms: a kernel runs for 20 ms, and the host does something for 20 ms. Windows of 8 ms come once in 37 ms;
 * the first window ends after the first migrations. */
enum { STEP_MS = 40, WINDOWS = 43 };
static struct managed_window windows[WINDOWS];

static void make_windows(uint64_t begin_ns) {
    windows[0] = (struct managed_window){0, begin_ns + 10 * MS};
    for (unsigned i = 1; i < WINDOWS; i++)
        windows[i] = (struct managed_window){begin_ns + (i * 37 + i * i % 7) * MS, 8 * MS};
}

struct memory {
    bool always_up, always_down; /* in each step; else in the first up and behind the last down */
    bool turns;                  /* a part of it in each step instead */
};

static void play_steps(const struct memory *memory, unsigned window_count) {
    struct managed_run run = {.p = p, .windows = windows, .window_count = window_count};
    play_begin(p);
    p->memory = XS_MEM_MANAGED;
    uint32_t id = play_alloc(p, A, BYTES);
    p->kernel_delay_ns = 10 * US;
    p->kernel_ns = 20 * MS;
    for (unsigned i = 0; i < STEPS; i++) {
        uint64_t part = memory->turns ? BYTES / STEPS / 65536 * 65536 : BYTES, at = A + (memory->turns ? part * i : 0);
        play_kernel(p, 1, &id);
        uint64_t start = p->now_ns + 10 * US;
        if (memory->always_up || memory->turns || i == 0)
            managed_pages(&run, MANAGED_UP, start, start + 20 * MS, PAGES, 30 * US, at, part);
        if (memory->always_down || memory->turns || i == STEPS - 1)
            managed_pages(&run, MANAGED_DOWN, start + 20 * MS, start + 39 * MS, PAGES, 30 * US, at, part);
        p->now_ns += STEP_MS * MS;
    }
    managed_windows(&run);
    play_analyse(p, NULL);
}

static void play_run(const struct memory *memory) {
    make_windows(20 * US);
    play_steps(memory, WINDOWS);
}

static void both_ways_in_every_step(void **state) {
    (void)state;
    play_run(&(struct memory){.always_up = true, .always_down = true});
    FOUND("managed-thrash", NULL, 1);
    const struct xs_finding *finding = played_finding(p, "managed-thrash");
    assert_true(finding->removable.device_ns > finding->cost.device_ns * 9 / 10);
    assert_true(finding->removable.device_ns < finding->cost.device_ns);
    play_end(p);
}

static void there_once_and_back_once(void **state) {
    (void)state;
    play_run(&(struct memory){0});
    NOT_FOUND("managed-thrash");
    play_end(p);
}

/* With few windows, pages that go there once and come back once would count as many times, by the windows' share of the
 * run. */
static void once_in_few_windows(void **state) {
    (void)state;
    static const struct managed_window few[][6] = {
        /* on the way there the first window and one sample, back two samples */
        {{0, 5 * MS},
         {8 * MS, 8 * MS},
         {300 * MS, 8 * MS},
         {900 * MS, 8 * MS},
         {1580 * MS, 8 * MS},
         {1590 * MS, 8 * MS}},
        /* there two samples, back one */
        {{0, 1 * US}, {1 * MS, 8 * MS}, {11 * MS, 8 * MS}, {300 * MS, 8 * MS}, {900 * MS, 8 * MS}, {1585 * MS, 8 * MS}},
    };
    for (unsigned i = 0; i < 2; i++) {
        memcpy(windows, few[i], sizeof few[i]);
        play_steps(&(struct memory){0}, 6);
        NOT_FOUND("managed-thrash");
        play_end(p);
    }
}

/* Pages that go back in every step must have come before, even if that was not recorded. */
static void seen_one_way_only(void **state) {
    (void)state;
    play_run(&(struct memory){.always_down = true});
    FOUND("managed-thrash", NULL, 1);
    play_end(p);
    play_run(&(struct memory){.always_up = true});
    FOUND("managed-thrash", NULL, 1);
    play_end(p);
}

/* In each step another part of the memory goes there and back, so each page moves once. */
static void each_part_once(void **state) {
    (void)state;
    play_run(&(struct memory){.turns = true});
    NOT_FOUND("managed-thrash");
    play_end(p);
}

/* --- the windows themselves --- */

static void read_windows(struct xs_migration_windows *read, enum xs_migration_way way, const char *list) {
    char message[XS_TRACE_MESSAGE_BYTES], sql[512];
    snprintf(sql, sizeof sql,
             "INSERT OR REPLACE INTO meta VALUES ('cupti.migration_rests', 3), ('cupti.migration_windows', '%s')",
             list);
    struct xs_trace trace;
    play_begin(p);
    managed_pages(&(struct managed_run){.p = p}, MANAGED_UP, 1 * MS, 9 * MS, 80, 0, A, BYTES);
    managed_pages(&(struct managed_run){.p = p}, MANAGED_UP, 200 * MS, 205 * MS, 80, 0, A, BYTES);
    play_analyse(p, sql);
    assert_true(xs_trace_open(p->path, &trace, message) >= 0);
    assert_true(xs_migration_windows_read(read, way, &trace, message, NULL) >= 0);
    xs_trace_close(&trace);
    play_end(p);
}

/* The last 3 ms of each window of 8 ms were lost. The first window and the long one are no samples. */
static void windows_are_read(void **state) {
    (void)state;
    struct xs_migration_windows w;
    read_windows(&w, XS_MIGRATIONS_UP, "0+10000,200000+8000,300000+8000,400000+90000,500000+8000");
    assert_false(w.whole);
    assert_int_equal(w.count, 5);
    assert_false(w.items[0].is_sample || w.items[3].is_sample);
    assert_int_equal(w.items[1].end_ns, 205 * MS);
    assert_int_equal(w.items[2].end_ns, 305 * MS);
    assert_null(xs_migration_window_at(&w, 299 * MS));
    assert_ptr_equal(xs_migration_window_at(&w, 300 * MS), &w.items[2]);
    assert_null(xs_migration_window_at(&w, 305 * MS));
    assert_int_equal(xs_migration_windows_within(&w, 204 * MS, 401 * MS, false), (1 + 5 + 1) * MS);
    assert_int_equal(xs_migration_windows_within(&w, 204 * MS, 401 * MS, true), (1 + 5) * MS);
    assert_int_equal(xs_migration_windows_within(&w, 401 * MS, 204 * MS, true), 0);
    xs_migration_windows_free(&w);
}

static void nonsense_is_not_read(void **state) {
    (void)state;
    static const char *const lists[] = {"",       "x",        "5",       "+",
                                        "5+",     "-1+-1",    "0+0,0+0", "99999999999999999999+99999999999999999999",
                                        "7+,1+1", "1+1;DROP", ",,,,"};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct xs_migration_windows w;
        read_windows(&w, XS_MIGRATIONS_UP, lists[i]);
        assert_true(w.count <= 1);
        for (size_t k = 0; k < w.count; k++)
            assert_true(w.items[k].end_ns >= w.items[k].start_ns);
        xs_migration_windows_free(&w);
    }
}

/* The part that is usually lost in one direction says nothing about the other direction. */
static void each_way_loses_its_own(void **state) {
    (void)state;
    struct xs_migration_windows w;
    read_windows(&w, XS_MIGRATIONS_DOWN, "0+10000,200000+8000,300000+8000,400000+8000");
    assert_int_equal(w.items[1].end_ns, 208 * MS);
    assert_int_equal(w.items[1].records, 0);
    xs_migration_windows_free(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_ways_in_every_step), cmocka_unit_test(there_once_and_back_once),
        cmocka_unit_test(once_in_few_windows),     cmocka_unit_test(seen_one_way_only),
        cmocka_unit_test(each_part_once),          cmocka_unit_test(windows_are_read),
        cmocka_unit_test(nonsense_is_not_read),    cmocka_unit_test(each_way_loses_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
