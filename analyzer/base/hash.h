/* This hash table maps 128-bit keys to numbers or pointers that are not 0, or to items that it holds itself. All keys
 * have one type, and all values have one type, so users need no macros. A key takes 48 bytes and, for its place in the
 * table, 24 to 48 more. */
#ifndef XFERSPY_ANALYZER_BASE_HASH_H
#define XFERSPY_ANALYZER_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "analyzer/base/pool.h"

struct xs_hash_entry {
    uint64_t low, high; /* the key */
    uint64_t value;
};

struct xs_hash { /* zeroed: empty */
    struct xs_hash_place *places;
    size_t mask;                       /* number of places - 1; the number is a power of two */
    struct xs_hash_node *first, *last; /* in the order of xs_hash_next */
    struct xs_pool pool;               /* holds the nodes */
    size_t count;
};

static inline uint64_t xs_mix(uint64_t value) {
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    return value ^ (value >> 32);
}

/* Hashes the first `bytes` bytes of a text by FNV-1a. Anybody can construct two texts with the same hash. */
static inline uint64_t xs_hash_of_text(const char *text, size_t bytes) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

/* Returns the address of a key's value, valid until the key is removed; NULL: the key is missing. */
uint64_t *xs_hash_find(const struct xs_hash *table, uint64_t low, uint64_t high);

/* Prefetches the key's place into the cache, for a look-up soon after. */
void xs_hash_expect(const struct xs_hash *table, uint64_t low, uint64_t high);

/* Returns the address of a key's value, and adds the key if it is missing. The value of an added key is 0, and
 * the caller must then set it. */
uint64_t *xs_hash_put(struct xs_hash *table, uint64_t low, uint64_t high);

/* Returns a key's item. If the key is missing, adds the key with a zeroed item. `bytes` is the size of an item, and
 * must be the same for all items of a table. An item stays at its address in the table until its key is removed; this
 * address is the key's value. */
void *xs_hash_item(struct xs_hash *table, uint64_t low, uint64_t high, size_t bytes);

/* Returns a key's item or, in a table of pointers, the key's pointer; NULL: the key is missing. */
static inline void *xs_hash_pointer(const struct xs_hash *table, uint64_t low, uint64_t high) {
    const uint64_t *value = xs_hash_find(table, low, high);
    return value ? (void *)(uintptr_t)*value : NULL;
}

/* Moves a key to the end of the order in which xs_hash_next returns the keys, as if it had been put now. The key must
 * be in the table. */
void xs_hash_renew(struct xs_hash *table, uint64_t low, uint64_t high);

/* Removes a key, if present. */
void xs_hash_remove(struct xs_hash *table, uint64_t low, uint64_t high);

/* Returns the entry after `entry`, in the order in which keys were put or, later, renewed (xs_hash_renew). `entry`
 * NULL: returns the first entry. Result NULL: there are no more entries. During the iteration, an entry may be removed
 * after the next entry was returned. The memory to which a value points may be freed, too. */
const struct xs_hash_entry *xs_hash_next(const struct xs_hash *table, const struct xs_hash_entry *entry);

void xs_hash_free(struct xs_hash *table);

/* Declares a table that is freed at the end of its block, on every way out of it. */
#define XS_SCOPED_HASH __attribute__((cleanup(xs_hash_free))) struct xs_hash

#endif
