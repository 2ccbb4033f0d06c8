/* Hash table from 128-bit keys to numbers or pointers that are not 0: open addressing, 24 bytes a place. It is for
 * tables that are searched for every event. There uthash costs too much, because it allocates a node for each key. */
#ifndef XFERSPY_ANALYZER_BASE_HASH_H
#define XFERSPY_ANALYZER_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct xs_hash_entry {
    uint64_t low, high; /* the key */
    uint64_t value;     /* 0: this place is free */
};

struct xs_hash { /* zeroed: empty */
    struct xs_hash_entry *entries;
    size_t count, mask;
};

static inline uint64_t xs_mix(uint64_t value) {
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    return value ^ (value >> 32);
}

static inline size_t xs_hash_home(const struct xs_hash *table, uint64_t low, uint64_t high) {
    return (size_t)xs_mix(low ^ high * 0x9e3779b97f4a7c15u) & table->mask;
}

/* The place of a key's value, valid until the next put or remove; NULL: none. */
static inline uint64_t *xs_hash_find(const struct xs_hash *table, uint64_t low, uint64_t high) {
    if (!table->count)
        return NULL;
    for (size_t i = xs_hash_home(table, low, high);; i = (i + 1) & table->mask) {
        struct xs_hash_entry *entry = &table->entries[i];
        if (!entry->value)
            return NULL;
        if (entry->low == low && entry->high == high)
            return &entry->value;
    }
}

/* Gets the place into the cache, for a key that will be asked for soon. */
void xs_hash_expect(const struct xs_hash *table, uint64_t low, uint64_t high);

/* The same as xs_hash_find, but if the key is not there, it is added. Its value is then 0 and has to be set before the
 * next call. */
uint64_t *xs_hash_put(struct xs_hash *table, uint64_t low, uint64_t high);

/* Removes a key, if there. */
void xs_hash_remove(struct xs_hash *table, uint64_t low, uint64_t high);

void xs_hash_free(struct xs_hash *table);

#endif
