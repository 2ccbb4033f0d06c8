/* Implements the table with open addressing and linear probing; see hash.h. A place has only a hash and a pointer, so
 * that most look-ups miss the cache only twice: for the place, and for the node. */
#include "analyzer/base/hash.h"

#include <stdlib.h>
#include <string.h>

#include "analyzer/base/memory.h"

enum { FIRST_PLACES = 16 };

struct xs_hash_node {
    struct xs_hash_entry entry;         /* the first member: a pointer to it is also a pointer to the node */
    struct xs_hash_node *before, *next; /* in the order of xs_hash_next */
    /* the item follows, in a table of items */
};

struct xs_hash_place {
    struct xs_hash_node *node; /* NULL: free */
    uint64_t hash;             /* of the node's key, so that the nodes of other keys are not read */
};

static uint64_t hash_of(uint64_t low, uint64_t high) { return xs_mix(low ^ high * 0x9e3779b97f4a7c15u); }

/* Returns the place of a key or, if the key is missing, the free place where it belongs. The table must have places. */
static struct xs_hash_place *place_of(const struct xs_hash *table, uint64_t low, uint64_t high, uint64_t hash) {
    for (size_t i = hash & table->mask;; i = (i + 1) & table->mask) {
        struct xs_hash_place *place = &table->places[i];
        if (!place->node || (place->hash == hash && place->node->entry.low == low && place->node->entry.high == high))
            return place;
    }
}

static struct xs_hash_node *find(const struct xs_hash *table, uint64_t low, uint64_t high) {
    return table->places ? place_of(table, low, high, hash_of(low, high))->node : NULL;
}

uint64_t *xs_hash_find(const struct xs_hash *table, uint64_t low, uint64_t high) {
    struct xs_hash_node *node = find(table, low, high);
    return node ? &node->entry.value : NULL;
}

void xs_hash_expect(const struct xs_hash *table, uint64_t low, uint64_t high) {
    if (table->places)
        __builtin_prefetch(&table->places[hash_of(low, high) & table->mask]);
}

/* Doubles the table. It is doubled when two thirds of its places are taken, because searches become long then. */
static void make_room(struct xs_hash *table) {
    size_t count = table->places ? (table->mask + 1) * 2 : FIRST_PLACES;
    struct xs_hash_place *old = table->places;
    table->places = xs_zeroed(count, sizeof *table->places);
    for (size_t i = 0; old && i <= table->mask; i++) {
        size_t to = old[i].hash & (count - 1);
        if (!old[i].node)
            continue;
        while (table->places[to].node)
            to = (to + 1) & (count - 1);
        table->places[to] = old[i];
    }
    table->mask = count - 1;
    free(old);
}

static struct xs_hash_node *add(struct xs_hash *table, uint64_t low, uint64_t high, size_t item_bytes) {
    uint64_t hash = hash_of(low, high);
    if (!table->places || table->count * 3 >= table->mask * 2)
        make_room(table);
    table->pool.item_bytes = sizeof(struct xs_hash_node) + item_bytes;
    struct xs_hash_node *node = xs_pool_take(&table->pool);
    memset(node + 1, 0, item_bytes);
    *node = (struct xs_hash_node){.entry = {.low = low, .high = high, .value = item_bytes ? (uintptr_t)(node + 1) : 0},
                                  .before = table->last};
    *(table->last ? &table->last->next : &table->first) = node;
    table->last = node;
    *place_of(table, low, high, hash) = (struct xs_hash_place){node, hash};
    table->count++;
    return node;
}

static uint64_t *put(struct xs_hash *table, uint64_t low, uint64_t high, size_t item_bytes) {
    struct xs_hash_node *node = find(table, low, high);
    return &(node ? node : add(table, low, high, item_bytes))->entry.value;
}

uint64_t *xs_hash_put(struct xs_hash *table, uint64_t low, uint64_t high) { return put(table, low, high, 0); }

void *xs_hash_item(struct xs_hash *table, uint64_t low, uint64_t high, size_t bytes) {
    return (void *)(uintptr_t)*put(table, low, high, bytes);
}

/* Frees a place. What stands behind it moves up, because a search ends at the first free place. */
static void free_place(struct xs_hash *table, size_t hole) {
    size_t mask = table->mask;
    for (size_t i = (hole + 1) & mask; table->places[i].node; i = (i + 1) & mask) {
        if (((i - table->places[i].hash) & mask) >= ((i - hole) & mask)) {
            table->places[hole] = table->places[i];
            hole = i;
        }
    }
    table->places[hole].node = NULL;
}

/* Takes a node out of the order of its table. */
static void unlink_node(struct xs_hash *table, struct xs_hash_node *node) {
    *(node->before ? &node->before->next : &table->first) = node->next;
    *(node->next ? &node->next->before : &table->last) = node->before;
}

void xs_hash_renew(struct xs_hash *table, uint64_t low, uint64_t high) {
    struct xs_hash_node *node = find(table, low, high);
    if (node == table->last)
        return;
    unlink_node(table, node);
    node->before = table->last;
    node->next = NULL;
    table->last->next = node;
    table->last = node;
}

void xs_hash_remove(struct xs_hash *table, uint64_t low, uint64_t high) {
    struct xs_hash_place *place = table->places ? place_of(table, low, high, hash_of(low, high)) : NULL;
    struct xs_hash_node *node = place ? place->node : NULL;
    if (!node)
        return;
    unlink_node(table, node);
    free_place(table, (size_t)(place - table->places));
    xs_pool_give(&table->pool, node);
    table->count--;
}

const struct xs_hash_entry *xs_hash_next(const struct xs_hash *table, const struct xs_hash_entry *entry) {
    const struct xs_hash_node *next = entry ? ((const struct xs_hash_node *)entry)->next : table->first;
    return next ? &next->entry : NULL;
}

void xs_hash_free(struct xs_hash *table) {
    free(table->places);
    xs_pool_free(&table->pool);
    *table = (struct xs_hash){0};
}
