/* Hash table from 128-bit keys to numbers or pointers that are not 0: uthash with one kind of key and value, so that no
 * table needs a struct and macros of its own. */
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
    struct xs_hash_node *nodes;
    struct xs_pool pool; /* of nodes */
    size_t count;
};

static inline uint64_t xs_mix(uint64_t value) {
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    value ^= value >> 32;
    value *= 0xd6e8feb86659fd93u;
    return value ^ (value >> 32);
}

/* The place of a key's value, valid until the key is removed; NULL: none. */
uint64_t *xs_hash_find(const struct xs_hash *table, uint64_t low, uint64_t high);

/* Gets the place into the cache, for a key that will be asked for soon. */
void xs_hash_expect(const struct xs_hash *table, uint64_t low, uint64_t high);

/* The same as xs_hash_find, but if the key is not there, it is added. Its value is then 0 and has to be set before the
 * next call. */
uint64_t *xs_hash_put(struct xs_hash *table, uint64_t low, uint64_t high);

/* Removes a key, if there. */
void xs_hash_remove(struct xs_hash *table, uint64_t low, uint64_t high);

/* The entry behind that one, in the order in which the keys were put; NULL: the first, and where there is none left.
 * None may be removed meanwhile; what the values point to may be freed. */
const struct xs_hash_entry *xs_hash_next(const struct xs_hash *table, const struct xs_hash_entry *entry);

void xs_hash_free(struct xs_hash *table);

#endif
