/* The memory map against a model that is too simple to be wrong: an owner for every unit of a small address space. */
#include "unit.h"

#include <stdio.h>

#include "preload/core/memory_map.h"

#define UNITS 65536u
#define UNIT_BYTES UINT64_C(256)
#define BASE UINT64_C(0x7f0000000000)
#define RANGES 100001u

static struct xs_memory_range ranges[RANGES]; /* by id, from 1 */
static uint32_t owner[UNITS];                 /* id of the range that holds the unit, 0: none */
static size_t live;
static uint32_t next_id;

static uint64_t seed;
static uint32_t random_below(uint32_t limit) { /* splitmix64 */
    uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ z >> 31) % limit);
}

static int empty(void **state) {
    (void)state;
    xs_map_clear();
    memset(owner, 0, sizeof owner);
    live = 0;
    next_id = 1;
    seed = 1;
    return (int)xs_map_count();
}

static uint64_t address_of(uint32_t unit) { return BASE + unit * UNIT_BYTES; }
static uint32_t unit_of(uint64_t address) { return (uint32_t)((address - BASE) / UNIT_BYTES); }

static bool same(const struct xs_memory_range *a, const struct xs_memory_range *b) {
    return a->start == b->start && a->end == b->end && a->bytes == b->bytes && a->context == b->context &&
           a->id == b->id && a->kind == b->kind && a->origin == b->origin && a->device == b->device &&
           a->element_bytes == b->element_bytes && a->slow_to_read == b->slow_to_read;
}

static void model_remove(uint32_t id) {
    for (uint32_t u = unit_of(ranges[id].start); u < UNITS && owner[u] == id; u++)
        owner[u] = 0;
    live--;
}

/* The range does not cover its whole last unit: its end is the first address that is not in it. */
static void insert(uint32_t unit, uint32_t units) {
    uint32_t id = next_id++;
    ranges[id] = (struct xs_memory_range){.start = address_of(unit),
                                          .end = address_of(unit + units) - random_below((uint32_t)UNIT_BYTES),
                                          .bytes = random_below(UINT32_MAX),
                                          .context = (uint64_t)id << 32 | unit,
                                          .id = id,
                                          .kind = (uint8_t)random_below(7),
                                          .origin = (uint8_t)random_below(7),
                                          .device = (int8_t)(random_below(9) - 1),
                                          .element_bytes = (uint8_t)random_below(128),
                                          .slow_to_read = random_below(2)};
    assert_true(xs_map_insert(&ranges[id]));
    for (uint32_t u = unit; u < unit + units; u++) {
        if (owner[u])
            model_remove(owner[u]);
        owner[u] = id;
    }
    live++;
}

static void check_find(uint64_t address) {
    struct xs_memory_range found;
    uint32_t id = owner[unit_of(address)];
    bool expected = id && address < ranges[id].end;
    assert_int_equal(xs_map_find(address, &found), expected);
    assert_true(!expected || same(&found, &ranges[id]));
}

static void check_remove(uint32_t unit) {
    struct xs_memory_range out;
    uint32_t id = owner[unit];
    bool expected = id && ranges[id].start == address_of(unit);
    assert_int_equal(xs_map_remove(address_of(unit), &out), expected);
    if (expected) {
        assert_true(same(&out, &ranges[id]));
        model_remove(id);
    }
}

/* Empties [unit, unit + units) of what starts in it, as cuMemUnmap does. */
static void check_remove_within(uint32_t unit, uint32_t units) {
    struct xs_memory_range out;
    uint64_t start = address_of(unit), end = address_of(unit + units);
    while (xs_map_remove_within(start, end, &out)) {
        assert_true(out.start >= start && out.start < end);
        assert_int_equal(owner[unit_of(out.start)], out.id);
        assert_true(same(&out, &ranges[out.id]));
        model_remove(out.id);
    }
    for (uint32_t u = unit; u < unit + units; u++)
        assert_true(owner[u] == 0 || ranges[owner[u]].start < start);
}

static bool of_kind(const struct xs_memory_range *range, const void *arg) {
    return range->kind == *(const uint8_t *)arg && range->device == -1;
}

static void check_remove_if(void) {
    struct xs_memory_range out;
    uint8_t kind = (uint8_t)random_below(7);
    uint32_t lowest = 0;
    for (uint32_t u = 0; u < UNITS && !lowest; u++)
        lowest = owner[u] && of_kind(&ranges[owner[u]], &kind) ? owner[u] : 0;
    assert_int_equal(xs_map_remove_if(of_kind, &kind, &out), lowest != 0);
    if (lowest) {
        assert_true(same(&out, &ranges[lowest]));
        model_remove(lowest);
    }
}

static void check_everything(void) {
    assert_int_equal(xs_map_count(), live);
    for (uint32_t u = 0; u < UNITS; u++) {
        check_find(address_of(u));
        check_find(address_of(u) + UNIT_BYTES - 1);
    }
}

/* `insertions` of 16 operations, so that the map grows and shrinks by turns: leaves split, empty and come back. */
static void churn(uint32_t operations, uint32_t insertions, uint32_t longest) {
    for (uint32_t i = 0; i < operations; i++) {
        uint32_t unit = random_below(UNITS), units = 1 + random_below(longest);
        units = unit + units > UNITS ? UNITS - unit : units;
        if (random_below(16) < insertions)
            insert(unit, units);
        else if (random_below(500) == 0)
            check_remove_if();
        else if (random_below(50) == 0 && (!owner[unit] || ranges[owner[unit]].start == address_of(unit)))
            check_remove_within(unit, units);
        else
            check_remove(owner[unit] && random_below(8) ? unit_of(ranges[owner[unit]].start) : unit);
        check_find(address_of(random_below(UNITS)) + random_below((uint32_t)UNIT_BYTES));
        assert_int_equal(xs_map_count(), live);
    }
    check_everything();
}

static void random_operations(void **state) {
    (void)state;
    churn(30000, 15, 4); /* grows to some ten thousand ranges: the directory doubles, more than once */
    assert_true(live > 64 * 128);
    churn(30000, 4, 4);
    churn(20000, 14, 300); /* long ones, each over many short ones */
    churn(20000, 2, 8);
    while (live > 0)
        check_remove_within(0, UNITS);
    check_everything();
}

static void in_order(void **state) {
    (void)state;
    for (uint32_t u = 0; u < UNITS; u += 4)
        insert(u, 4);
    check_everything();
    for (uint32_t u = UNITS; u > 0; u -= 4)
        check_remove(u - 4);
    assert_int_equal(xs_map_count(), 0);
    for (uint32_t u = UNITS; u > 0; u -= 4)
        insert(u - 4, 4);
    check_everything();
}

static void one_over_all(void **state) {
    struct xs_memory_range found;
    (void)state;
    for (uint32_t u = 0; u < UNITS; u += 2)
        insert(u, 1);
    insert(0, UNITS);
    assert_int_equal(xs_map_count(), 1);
    check_everything();
    assert_false(xs_map_find(BASE - 1, &found));
    assert_false(xs_map_find(0, &found));
    assert_false(xs_map_find(UINT64_MAX, &found));
}

static void same_start_again(void **state) {
    (void)state;
    insert(100, 8);
    insert(100, 2); /* its free was not seen */
    assert_int_equal(xs_map_count(), 1);
    check_everything();
    insert(99, 1);
    insert(102, 1);
    assert_int_equal(xs_map_count(), 3);
    check_everything();
}

static void empty_ranges_are_refused(void **state) {
    (void)state;
    assert_false(xs_map_insert(&(struct xs_memory_range){.start = BASE, .end = BASE}));
    assert_false(xs_map_insert(&(struct xs_memory_range){.start = BASE, .end = BASE - 1}));
    assert_int_equal(xs_map_count(), 0);
}

static void nothing_in_an_empty_map(void **state) {
    struct xs_memory_range out;
    uint8_t kind = 0;
    (void)state;
    assert_false(xs_map_find(BASE, &out));
    assert_false(xs_map_remove(BASE, &out));
    assert_false(xs_map_remove_within(0, UINT64_MAX, &out));
    assert_false(xs_map_remove_if(of_kind, &kind, &out));
}

static void ends_of_the_address_space(void **state) {
    struct xs_memory_range low = {.start = 0, .end = 1, .id = 1},
                           high = {.start = UINT64_MAX - 1, .end = UINT64_MAX, .id = 2};
    struct xs_memory_range out;
    (void)state;
    assert_true(xs_map_insert(&high));
    assert_true(xs_map_insert(&low));
    assert_true(xs_map_find(0, &out) && same(&out, &low));
    assert_true(xs_map_find(UINT64_MAX - 1, &out) && same(&out, &high));
    assert_false(xs_map_find(UINT64_MAX, &out));
    assert_false(xs_map_find(1, &out));
}

static void remove_takes_starts_only(void **state) {
    struct xs_memory_range out;
    (void)state;
    insert(10, 10);
    assert_false(xs_map_remove(address_of(9), &out));
    assert_false(xs_map_remove(address_of(11), &out));
    assert_true(xs_map_remove(address_of(10), &out));
}

/* A range that holds the start but begins before it is not removed, and does not hide the ranges after it. */
static void remove_within_behind_a_range(void **state) {
    struct xs_memory_range out;
    (void)state;
    insert(10, 10);
    insert(30, 1);
    assert_true(xs_map_remove_within(address_of(15), address_of(40), &out));
    assert_int_equal(out.start, address_of(30));
    assert_false(xs_map_remove_within(address_of(15), address_of(40), &out));
    assert_int_equal(xs_map_count(), 1);
}

static void remove_within_leaves_the_end(void **state) {
    struct xs_memory_range out;
    (void)state;
    insert(10, 1);
    insert(20, 1);
    assert_true(xs_map_remove_within(address_of(10), address_of(20), &out));
    assert_false(xs_map_remove_within(address_of(10), address_of(20), &out));
    assert_true(xs_map_find(address_of(20), &out));
}

#define TEST(name) cmocka_unit_test_setup(name, empty)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(random_operations),
        TEST(in_order),
        TEST(one_over_all),
        TEST(same_start_again),
        TEST(empty_ranges_are_refused),
        TEST(nothing_in_an_empty_map),
        TEST(ends_of_the_address_space),
        TEST(remove_takes_starts_only),
        TEST(remove_within_behind_a_range),
        TEST(remove_within_leaves_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
