/* Open addressing with linear probing; see hash.h. When an entry is removed, entries that follow it move up into its
 * place. So there are no tombstones, and the table never has to be cleaned. */
#include "analyzer/base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

void xs_hash_expect(const struct xs_hash *table, uint64_t low, uint64_t high) {
    if (!table->count)
        return;
    const struct xs_hash_entry *entry = &table->entries[xs_hash_home(table, low, high)];
    __builtin_prefetch(entry);
    __builtin_prefetch(&entry->value); /* it may lie in the next line */
}

static void grow(struct xs_hash *table) {
    struct xs_hash old = *table;
    size_t places = old.entries ? (old.mask + 1) * 2 : 64;
    table->entries = xs_realloc(NULL, places * sizeof *table->entries);
    memset(table->entries, 0, places * sizeof *table->entries);
    table->mask = places - 1;
    for (size_t i = 0; old.entries && i <= old.mask; i++) {
        struct xs_hash_entry *entry = &old.entries[i];
        if (!entry->value)
            continue;
        size_t place = xs_hash_home(table, entry->low, entry->high);
        while (table->entries[place].value)
            place = (place + 1) & table->mask;
        table->entries[place] = *entry;
    }
    free(old.entries);
}

uint64_t *xs_hash_put(struct xs_hash *table, uint64_t low, uint64_t high) {
    if (!table->entries || table->count * 8 >= (table->mask + 1) * 5)
        grow(table);
    size_t i = xs_hash_home(table, low, high);
    for (; table->entries[i].value; i = (i + 1) & table->mask)
        if (table->entries[i].low == low && table->entries[i].high == high)
            return &table->entries[i].value;
    table->entries[i].low = low;
    table->entries[i].high = high;
    table->count++;
    return &table->entries[i].value;
}

void xs_hash_remove(struct xs_hash *table, uint64_t low, uint64_t high) {
    uint64_t *value = xs_hash_find(table, low, high);
    if (!value)
        return;
    struct xs_hash_entry *entries = table->entries;
    size_t hole = (size_t)((struct xs_hash_entry *)((char *)value - offsetof(struct xs_hash_entry, value)) - entries);
    for (size_t i = (hole + 1) & table->mask; entries[i].value; i = (i + 1) & table->mask) {
        size_t wanted = xs_hash_home(table, entries[i].low, entries[i].high);
        /* moves back where its home does not lie behind the hole */
        if (((i - wanted) & table->mask) >= ((i - hole) & table->mask)) {
            entries[hole] = entries[i];
            hole = i;
        }
    }
    entries[hole].value = 0;
    table->count--;
}

void xs_hash_free(struct xs_hash *table) {
    free(table->entries);
    *table = (struct xs_hash){0};
}
