/* Tests where digests lie in the scratch memory: each region has one slot, and no two slots overlap; the oldest idle
 * slots are given up; if a region is written, slots that overlap it lose their digests. */
#include "unit.h"

#include "preload/fingerprint/slots.h"

static struct xs_slots slots;

static bool all_idle(const struct xs_slot *slot, const void *arg) {
    (void)slot, (void)arg;
    return true;
}

static bool none_idle(const struct xs_slot *slot, const void *arg) {
    (void)slot, (void)arg;
    return false;
}

static bool idle_but(const struct xs_slot *slot, const void *arg) { return slot != arg; }

static int set_up(void **state) {
    (void)state;
    xs_slots_reset(&slots);
    return 0;
}

static struct xs_fingerprint_region line(uint64_t base, uint64_t length) { return xs_fingerprint_linear(base, length); }

static struct xs_slot *take(uint64_t base, uint64_t length, uint32_t units) {
    struct xs_fingerprint_region region = line(base, length);
    struct xs_slot *slot = xs_slots_take(&slots, &region, units, all_idle, NULL);
    if (slot)
        slot->epoch = 2;
    return slot;
}

static struct xs_slot *find(uint64_t base, uint64_t length, bool writes) {
    struct xs_fingerprint_region region = line(base, length);
    return xs_slots_find(&slots, &region, writes);
}

/* Requires that no two slots share a unit, and that each used unit belongs to a slot. */
static void check(void) {
    static uint8_t seen[XS_SLOT_UNITS];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < slots.high; i++) {
        const struct xs_slot *s = &slots.slots[i];
        for (uint32_t u = 0; s->taken && u < s->units; u++) {
            assert_true(s->first + u < XS_SLOT_UNITS);
            assert_int_equal(seen[s->first + u]++, 0);
        }
    }
    assert_memory_equal(seen, slots.unit_taken, sizeof seen);
}

static void finds_the_same_region_alone(void **state) {
    (void)state;
    struct xs_slot *a = take(1000, 500, 1);
    assert_ptr_equal(find(1000, 500, false), a);
    assert_null(find(1000, 499, false));
    assert_null(find(1001, 500, false));
    struct xs_fingerprint_region box = xs_fingerprint_box(1000, 50, 10, 1, 60, 600);
    struct xs_fingerprint_region packed = xs_fingerprint_box(1000, 50, 10, 1, 50, 500);
    assert_null(xs_slots_find(&slots, &box, false));
    assert_ptr_equal(xs_slots_find(&slots, &packed, false), a);
    assert_int_equal(a->epoch, 2);
}

static void what_is_written_loses_its_digests(void **state) {
    (void)state;
    struct xs_slot *a = take(1000, 500, 1), *b = take(1500, 500, 1), *c = take(400, 600, 1), *d = take(1200, 1, 1);
    assert_ptr_equal(find(1000, 500, true), a);
    assert_int_equal(a->epoch, 2); /* the caller's own */
    assert_int_equal(b->epoch, 2); /* begins where it ends */
    assert_int_equal(c->epoch, 2);
    assert_int_equal(d->epoch, 0); /* within */
    assert_null(find(999, 2, true));
    assert_int_equal(a->epoch, 0);
    assert_int_equal(c->epoch, 0);
    assert_int_equal(b->epoch, 2);
}

static void boxes_reach_to_their_last_byte(void **state) {
    (void)state;
    struct xs_fingerprint_region flat = xs_fingerprint_box(1000, 10, 5, 1, 100, 500);
    struct xs_fingerprint_region deep = xs_fingerprint_box(1000, 10, 5, 3, 100, 700);
    assert_int_equal(xs_region_end(&flat), 1000 + 4 * 100 + 10);
    assert_int_equal(xs_region_end(&deep), 1000 + 2 * 700 + 4 * 100 + 10);
    struct xs_fingerprint_region straight = line(1000, 77);
    assert_int_equal(xs_region_end(&straight), 1077);
    struct xs_slot *a = xs_slots_take(&slots, &deep, 1, all_idle, NULL);
    a->epoch = 2;
    assert_null(find(2810, 100, true)); /* one byte beyond */
    assert_int_equal(a->epoch, 2);
    assert_null(find(2809, 1, true));
    assert_int_equal(a->epoch, 0);
    assert_ptr_equal(xs_slots_find(&slots, &deep, true), a);
}

static void gives_up_the_oldest_idle_one(void **state) {
    (void)state;
    struct xs_slot *a = take(1 << 20, 100, XS_SLOT_UNITS / 4), *b = take(2 << 20, 100, XS_SLOT_UNITS / 4);
    assert_non_null(take(3 << 20, 100, XS_SLOT_UNITS / 4));
    assert_non_null(take(4 << 20, 100, XS_SLOT_UNITS / 4));
    assert_ptr_equal(find(1 << 20, 100, false), a); /* used now */
    struct xs_fingerprint_region region = line(5 << 20, 100);
    assert_null(xs_slots_take(&slots, &region, 1, none_idle, NULL));
    check();
    assert_non_null(xs_slots_take(&slots, &region, 1, idle_but, b)); /* the third, as the second is in use */
    check();
    assert_ptr_equal(find(1 << 20, 100, false), a);
    assert_ptr_equal(find(2 << 20, 100, false), b);
    assert_null(find(3 << 20, 100, false));
    assert_non_null(find(4 << 20, 100, false));
}

static void refuses_what_never_fits(void **state) {
    (void)state;
    struct xs_fingerprint_region region = line(1000, 100);
    assert_null(xs_slots_take(&slots, &region, 0, all_idle, NULL));
    assert_null(xs_slots_take(&slots, &region, XS_SLOT_UNITS + 1, all_idle, NULL));
    assert_non_null(xs_slots_take(&slots, &region, XS_SLOT_UNITS, all_idle, NULL));
    check();
}

static void a_forgotten_one_is_found_no_more_and_keeps_its_place(void **state) {
    (void)state;
    struct xs_slot *a = take(1000, 100, 3);
    uint32_t first = a->first;
    xs_slots_forget(a);
    assert_null(find(1000, 100, true));
    struct xs_slot *b = take(1000, 100, 3);
    assert_ptr_not_equal(a, b);
    assert_int_not_equal(b->first, first);
    check();
    assert_ptr_equal(find(1000, 100, false), b);
}

static void many_regions_of_all_sizes(void **state) {
    (void)state;
    uint32_t random = 1;
    for (uint64_t i = 0; i < 20000; i++) {
        random = random * 1664525u + 1013904223u;
        uint32_t units = (random >> 8) % (i % 100 == 0 ? XS_SLOT_UNITS : 20) + 1;
        uint64_t base = (uint64_t)((random >> 16) % 3000) << 20;
        struct xs_slot *slot = find(base, units, true);
        if (!slot)
            slot = take(base, units, units);
        assert_non_null(slot);
        assert_int_equal(slot->region.base, base);
        assert_int_equal(slot->units, units);
        if (i % 1000 == 0)
            check();
    }
    check();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(finds_the_same_region_alone, set_up),
        cmocka_unit_test_setup(what_is_written_loses_its_digests, set_up),
        cmocka_unit_test_setup(boxes_reach_to_their_last_byte, set_up),
        cmocka_unit_test_setup(gives_up_the_oldest_idle_one, set_up),
        cmocka_unit_test_setup(refuses_what_never_fits, set_up),
        cmocka_unit_test_setup(a_forgotten_one_is_found_no_more_and_keeps_its_place, set_up),
        cmocka_unit_test_setup(many_regions_of_all_sizes, set_up),
    };
    return cmocka_run_group_tests_name("fingerprint slots", tests, NULL, NULL);
}
