/* Hash table from 128-bit keys to numbers or pointers that are not 0: open addressing, 24 bytes a place. For the tables
 * that are asked for every event, where uthash's node a key costs too much. */
#ifndef XFERSPY_ANALYZER_MODEL_HASH_H
#define XFERSPY_ANALYZER_MODEL_HASH_H

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

/* The place of a key's value, valid until the next put or remove; NULL: none. */
uint64_t *xs_hash_find(const struct xs_hash *table, uint64_t low, uint64_t high);

/* The same, made where there is none; its value is then 0 and has to be set before the next call. */
uint64_t *xs_hash_put(struct xs_hash *table, uint64_t low, uint64_t high);

/* Removes a key, if there. */
void xs_hash_remove(struct xs_hash *table, uint64_t low, uint64_t high);

void xs_hash_free(struct xs_hash *table);

#endif
