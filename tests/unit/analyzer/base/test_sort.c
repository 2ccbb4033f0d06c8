/* Tests that arrays of few runs and of many are sorted, and that equal items of few runs keep their order. */
#include "unit.h"

#include "analyzer/base/numbers.h"
#include "analyzer/base/sort.h"

enum { ITEMS = 3000 };
struct item {
    int key, place; /* place: the index before sorting */
    char rest[40];  /* makes the item larger than what qsort moves itself */
};
static struct item items[ITEMS];

static int by_key(const void *a, const void *b) {
    return xs_compare(((const struct item *)a)->key, ((const struct item *)b)->key);
}

static void sort_and_check(size_t count, bool is_stable) {
    int64_t keys = 0, places = 0, sorted_keys = 0, sorted_places = 0;
    for (size_t i = 0; i < count; i++) {
        items[i].place = (int)i;
        snprintf(items[i].rest, sizeof items[i].rest, "%d", items[i].key);
        keys += items[i].key;
        places += (int64_t)i * items[i].key;
    }
    xs_sort(items, count, sizeof *items, by_key);
    for (size_t i = 0; i < count; i++) {
        char rest[40];
        snprintf(rest, sizeof rest, "%d", items[i].key);
        assert_string_equal(items[i].rest, rest);
        if (i)
            assert_true(items[i - 1].key <= items[i].key);
        if (i && is_stable && items[i - 1].key == items[i].key)
            assert_true(items[i - 1].place < items[i].place);
        sorted_keys += items[i].key;
        sorted_places += (int64_t)items[i].place * items[i].key;
    }
    assert_int_equal(sorted_keys, keys);
    assert_int_equal(sorted_places, places);
}

/* Runs of all lengths, in which each key comes several times. */
static void few_runs_are_merged(void **state) {
    (void)state;
    for (size_t runs = 1; runs <= 70; runs++) {
        for (size_t i = 0; i < ITEMS; i++)
            items[i].key = (int)(i % ((ITEMS + runs - 1) / runs) / 3);
        sort_and_check(ITEMS, runs <= 64);
    }
    for (size_t first = 0; first <= 20; first++) { /* a short run before and behind a long one */
        for (size_t i = 0; i < ITEMS; i++)
            items[i].key = (int)(i < first ? i * 200 : i);
        sort_and_check(ITEMS, true);
        for (size_t i = 0; i < ITEMS; i++)
            items[i].key = (int)(i >= ITEMS - first ? (i - ITEMS + first) * 200 : i);
        sort_and_check(ITEMS, true);
    }
}

static void any_order_is_sorted(void **state) {
    (void)state;
    unsigned random = 1;
    for (size_t count = 0; count < 200; count++) {
        for (size_t i = 0; i < count; i++)
            items[i].key = (int)((random = random * 1103515245u + 12345) >> 24);
        sort_and_check(count, false);
    }
    for (size_t i = 0; i < ITEMS; i++)
        items[i].key = ITEMS - (int)i;
    sort_and_check(ITEMS, false);
    xs_sort(NULL, 0, sizeof *items, by_key);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_runs_are_merged),
        cmocka_unit_test(any_order_is_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
