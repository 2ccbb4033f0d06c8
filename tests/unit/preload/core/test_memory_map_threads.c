/* Readers of the memory map while it changes: what stays is always found, and nothing is ever seen half written. Run
 * under ThreadSanitizer it also shows that every access is an ordered one. */
#include "unit.h"

#include <pthread.h>
#include <stdatomic.h>

#include "preload/core/memory_map.h"

#define SLOTS 20000u /* enough of them for a directory of several hundred leaves that doubles meanwhile */
#define SLOT_BYTES UINT64_C(4096)
#define BASE UINT64_C(0x7f0000000000)
#define CHANGES 30000u
#define READERS 3u
#define LEAST_ROUNDS 1000u

static _Atomic bool done;
static _Atomic unsigned readers_under_way;
static _Atomic uint64_t missed, torn, found_count;

static bool stays(uint32_t slot) { return slot % 16 == 0; }

/* Every field follows from start and end, so a mixture of two ranges shows. */
static struct xs_memory_range range_of(uint64_t start, uint64_t end) {
    uint64_t h = (start ^ end * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    return (struct xs_memory_range){.start = start,
                                    .end = end,
                                    .bytes = h,
                                    .context = ~h,
                                    .id = (uint32_t)(h >> 32),
                                    .kind = (uint8_t)(h >> 8),
                                    .origin = (uint8_t)(h >> 16),
                                    .device = (int8_t)(h >> 24),
                                    .element_bytes = (uint8_t)(h & 0x7f),
                                    .slow_to_read = h >> 7 & 1};
}

static bool whole(const struct xs_memory_range *r, uint64_t address) {
    struct xs_memory_range wanted = range_of(r->start, r->end);
    return r->start <= address && address < r->end && r->bytes == wanted.bytes && r->context == wanted.context &&
           r->id == wanted.id && r->kind == wanted.kind && r->origin == wanted.origin && r->device == wanted.device &&
           r->element_bytes == wanted.element_bytes && r->slow_to_read == wanted.slow_to_read;
}

static uint32_t random_below(uint64_t *seed, uint32_t limit) { /* xorshift64* */
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    return (uint32_t)((*seed * UINT64_C(0x2545f4914f6cdd1d) >> 32) % limit);
}

static void *read_map(void *arg) {
    uint64_t seed = 77 + (uint64_t)(uintptr_t)arg;
    bool counted = false;
    for (unsigned round = 0; !atomic_load(&done) || round < LEAST_ROUNDS; round++) {
        uint32_t slot = random_below(&seed, SLOTS);
        uint64_t address = BASE + slot * SLOT_BYTES + random_below(&seed, (uint32_t)SLOT_BYTES / 2);
        struct xs_memory_range out;
        bool found = xs_map_find(address, &out);
        missed += !found && stays(slot);
        torn += found && !whole(&out, address);
        found_count += found;
        if (!counted && round >= LEAST_ROUNDS) {
            counted = true;
            readers_under_way++;
        }
    }
    return NULL;
}

/* The ranges between those that stay come and go one at a time, and in the end all at once. */
static void change_map(void) {
    struct xs_memory_range out;
    uint64_t seed = 5;
    for (unsigned i = 0; i < CHANGES || readers_under_way < READERS; i++) {
        uint32_t slot = random_below(&seed, SLOTS);
        uint64_t start = BASE + slot * SLOT_BYTES;
        if (stays(slot))
            continue;
        if (random_below(&seed, 3) > 0) {
            struct xs_memory_range r =
                range_of(start + random_below(&seed, 64), start + SLOT_BYTES - random_below(&seed, 64));
            assert_true(xs_map_insert(&r));
        } else {
            xs_map_remove_within(start, start + SLOT_BYTES, &out);
        }
    }
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        while (!stays(slot) && xs_map_remove_within(BASE + slot * SLOT_BYTES, BASE + (slot + 1) * SLOT_BYTES, &out)) {
        }
    }
}

static void readers_beside_a_writer(void **state) {
    pthread_t readers[READERS];
    (void)state;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        uint64_t start = BASE + slot * SLOT_BYTES;
        struct xs_memory_range r = range_of(start, start + SLOT_BYTES);
        assert_true(!stays(slot) || xs_map_insert(&r));
    }
    for (uintptr_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, read_map, (void *)i), 0);
    change_map();
    atomic_store(&done, true);
    for (unsigned i = 0; i < READERS; i++)
        assert_int_equal(pthread_join(readers[i], NULL), 0);
    assert_int_equal(missed, 0);
    assert_int_equal(torn, 0);
    assert_true(found_count > 0);
    assert_int_equal(xs_map_count(), SLOTS / 16);
}

#define WRITERS 4u
static void *change_own_part(void *arg) {
    uint64_t part = BASE + (uint64_t)(uintptr_t)arg * SLOTS * SLOT_BYTES, seed = 9 + (uint64_t)(uintptr_t)arg;
    struct xs_memory_range out;
    for (unsigned i = 0; i < CHANGES / WRITERS; i++) {
        uint64_t start = part + random_below(&seed, 500) * SLOT_BYTES;
        struct xs_memory_range r = range_of(start, start + SLOT_BYTES);
        missed += !xs_map_insert(&r) || !xs_map_find(start, &out) || !whole(&out, start);
        missed += random_below(&seed, 2) && (!xs_map_remove(start, &out) || xs_map_find(start, &out));
    }
    while (xs_map_remove_within(part, part + SLOTS * SLOT_BYTES, &out))
        torn += !whole(&out, out.start);
    return NULL;
}

static void several_writers(void **state) {
    pthread_t writers[WRITERS];
    (void)state;
    xs_map_clear();
    for (uintptr_t i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, change_own_part, (void *)i), 0);
    for (unsigned i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_join(writers[i], NULL), 0);
    assert_int_equal(missed, 0);
    assert_int_equal(torn, 0);
    assert_int_equal(xs_map_count(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(readers_beside_a_writer),
        cmocka_unit_test(several_writers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
