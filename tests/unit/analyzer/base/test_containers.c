/* Compares the containers of the analysis with slow containers that are plainly right. */
#include "unit.h"

#include "analyzer/base/hash.h"
#include "analyzer/base/heap.h"
#include "analyzer/base/order.h"
#include "analyzer/base/pool.h"
#include "analyzer/base/spans.h"

static uint64_t seed = 1;
static uint64_t chance(uint64_t limit) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (seed >> 33) % limit;
}

enum { KEYS = 600 };

static void table_holds_what_was_put(void **state) {
    (void)state;
    struct xs_hash table = {0};
    uint64_t expected[KEYS] = {0};
    size_t count = 0;
    for (int i = 0; i < 200000; i++) {
        uint64_t key = chance(KEYS), high = key % 7;
        if (chance(3)) {
            uint64_t *value = xs_hash_put(&table, key << 20, high);
            assert_int_equal(*value, expected[key]);
            count += !expected[key];
            *value = expected[key] = (uint64_t)i + 1;
        } else {
            xs_hash_remove(&table, key << 20, high);
            count -= expected[key] != 0;
            expected[key] = 0;
        }
        assert_int_equal(table.count, count);
        key = chance(KEYS);
        const uint64_t *found = xs_hash_find(&table, key << 20, key % 7);
        assert_int_equal(found ? *found : 0, expected[key]);
    }
    for (const struct xs_hash_entry *entry = NULL; (entry = xs_hash_next(&table, entry)); count--) {
        assert_int_equal(entry->value, expected[entry->low >> 20]);
        assert_int_equal(entry->high, (entry->low >> 20) % 7);
    }
    assert_int_equal(count, 0);
    xs_hash_free(&table);
    assert_null(xs_hash_next(&table, NULL));
}

enum { BYTES = 3000 };
static uint64_t taken_from[8];

static void count_taken(void *context, void *owner, uint64_t bytes) {
    (void)context;
    taken_from[(uintptr_t)owner] += bytes;
}

/* Compares the owner of every byte. */
static void spans_hold_every_byte(void **state) {
    (void)state;
    struct xs_spans spans = {0};
    uint8_t owner[BYTES] = {0};
    for (int i = 0; i < 30000; i++) {
        uint64_t start = chance(BYTES), end = start + 1 + chance(i % 50 ? 12 : 600);
        end = end > BYTES ? BYTES : end;
        uint64_t expected[8] = {0};
        for (uint64_t b = start; b < end; b++)
            expected[owner[b]]++;
        expected[0] = 0;
        memset(taken_from, 0, sizeof taken_from);
        xs_spans_clear(&spans, start, end, count_taken, NULL);
        assert_memory_equal(taken_from, expected, sizeof expected);
        uint8_t who = (uint8_t)chance(8);
        memset(owner + start, who, end - start);
        if (who)
            xs_spans_insert(&spans, start, end, (void *)(uintptr_t)who);
        struct xs_span_cursor place;
        uint64_t at = chance(BYTES);
        const struct xs_span *span = xs_spans_seek(&spans, at, &place);
        assert_int_equal(span && span->start <= at ? (uintptr_t)span->owner : 0, owner[at]);
        if (i % 1000 == 0) {
            uint64_t last = 0;
            for (span = xs_spans_seek(&spans, 0, &place); span; span = xs_spans_next(&spans, &place)) {
                assert_true(span->start >= last && span->end > span->start);
                last = span->end;
            }
        }
    }
    xs_spans_free(&spans);
}

static void cover_joins_what_touches(void **state) {
    (void)state;
    for (int round = 0; round < 50; round++) {
        struct xs_spans spans = {0};
        uint8_t covered[BYTES + 1] = {0};
        for (int i = 0; i < 200; i++) {
            uint64_t start = chance(BYTES), end = start + 1 + chance(20);
            end = end > BYTES ? BYTES : end;
            xs_spans_cover(&spans, start, end);
            memset(covered + start, 1, end - start);
            uint64_t from = chance(BYTES), to = from + 1 + chance(40);
            to = to > BYTES ? BYTES : to;
            assert_int_equal(xs_spans_covered(&spans, from, to), memchr(covered + from, 0, to - from) == NULL);
        }
        xs_spans_free(&spans);
    }
}

struct row {
    int64_t ns, id;
};

/* Puts rows of a few threads, which come chunk by chunk, in order. This works if the window is large enough, and is
 * refused if it is not. */
static bool put_in_order(unsigned window, unsigned threads, unsigned chunk) {
    struct xs_order order;
    int64_t next[8] = {0}, last = -1;
    unsigned rows = 0, out = 0;
    bool refused = false;
    xs_order_begin(&order, sizeof(struct row), window);
    for (unsigned i = 0; i < 4000 && !refused; i++) {
        unsigned thread = i / chunk % threads;
        if (xs_order_is_full(&order)) {
            struct xs_order_key key;
            const struct row *row = xs_order_first(&order, &key);
            assert_int_equal(row->ns, key.ns);
            assert_true(key.ns >= last);
            last = key.ns;
            xs_order_pop(&order);
            out++;
        }
        struct row *row = xs_order_slot(&order);
        *row = (struct row){next[thread]++ * 8 + thread, i};
        if (xs_order_put(&order, row, (struct xs_order_key){row->ns, row->id}))
            rows++;
        else
            refused = true;
    }
    struct xs_order_key key;
    while (xs_order_first(&order, &key)) {
        assert_true(key.ns >= last);
        last = key.ns;
        xs_order_pop(&order);
        out++;
    }
    assert_int_equal(rows, out);
    xs_order_free(&order);
    return !refused;
}

static void rows_come_out_in_order(void **state) {
    (void)state;
    assert_true(put_in_order(1, 1, 1));
    assert_true(put_in_order(100, 3, 10));
    assert_true(put_in_order(500, 8, 50));
    assert_false(put_in_order(20, 2, 100));
}

static void a_pools_items_stay_readable(void **state) {
    (void)state;
    struct xs_pool pool = {.item_bytes = 24};
    uint64_t *items[1000];
    for (int i = 0; i < 1000; i++) {
        items[i] = xs_pool_take(&pool);
        assert_int_equal(items[i][0] | items[i][2], 0);
        items[i][0] = items[i][2] = (uint64_t)i;
    }
    xs_pool_give(&pool, items[5]);
    assert_int_equal(items[5][2], 5);
    assert_ptr_equal(xs_pool_take(&pool), items[5]);
    xs_pool_free(&pool);
}

/* New items are zeroed although the memory of removed items is used again, and items stay in their place while others
 * are removed. */
static void a_tables_items_begin_zeroed(void **state) {
    (void)state;
    struct xs_hash table = {0};
    for (uint64_t round = 0; round < 3; round++) {
        for (uint64_t key = 0; key < KEYS; key++) {
            uint64_t(*item)[3] = xs_hash_item(&table, key, round, sizeof *item);
            assert_int_equal((*item)[0] | (*item)[2], 0);
            (*item)[0] = (*item)[2] = key + 1;
        }
        for (const struct xs_hash_entry *entry = xs_hash_next(&table, NULL), *next; entry; entry = next) {
            next = xs_hash_next(&table, entry);
            if (entry->low % 3)
                xs_hash_remove(&table, entry->low, entry->high);
        }
        assert_int_equal(table.count, (round + 1) * KEYS / 3);
    }
    assert_int_equal((*(uint64_t(*)[3])xs_hash_pointer(&table, 3, 0))[2], 4);
    assert_null(xs_hash_pointer(&table, 4, 0));
    xs_hash_free(&table);
}

static void a_heap_orders_by_time(void **state) {
    (void)state;
    struct xs_heap heap = {0};
    struct xs_heap_item last = {0};
    for (int i = 0; i < 100000; i++) {
        if (chance(2) || !heap.count) {
            int64_t ns = last.ns + (int64_t)chance(100);
            xs_heap_push(&heap, (struct xs_heap_item){.ns = ns, .order = i, .value = (uint64_t)i});
            continue;
        }
        struct xs_heap_item first = heap.items[0];
        assert_int_equal(xs_heap_next(&heap), first.ns);
        assert_int_equal(xs_heap_pop(&heap), (uint64_t)first.order);
        assert_true(first.ns > last.ns || (first.ns == last.ns && (first.order > last.order || !last.order)));
        last = first;
    }
    xs_heap_free(&heap);
    assert_int_equal(xs_heap_next(&heap), INT64_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(table_holds_what_was_put),    cmocka_unit_test(spans_hold_every_byte),
        cmocka_unit_test(cover_joins_what_touches),    cmocka_unit_test(rows_come_out_in_order),
        cmocka_unit_test(a_pools_items_stay_readable), cmocka_unit_test(a_tables_items_begin_zeroed),
        cmocka_unit_test(a_heap_orders_by_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
