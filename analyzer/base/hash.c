/* Tables of uthash; see hash.h. */
#include "analyzer/base/hash.h"

#include <string.h>

#include "analyzer/base/memory.h"

#define uthash_fatal(what) xs_out_of_memory()
#include <uthash.h>

struct xs_hash_node {
    struct xs_hash_entry entry; /* the first member: a pointer to it is also a pointer to the node */
    UT_hash_handle hh;
    /* the item follows, in a table of items */
};

static unsigned hash_of(uint64_t low, uint64_t high) { return (unsigned)xs_mix(low ^ high * 0x9e3779b97f4a7c15u); }

static struct xs_hash_node *find(const struct xs_hash *table, uint64_t low, uint64_t high) {
    const uint64_t key[2] = {low, high};
    struct xs_hash_node *node;
    HASH_FIND_BYHASHVALUE(hh, table->nodes, key, sizeof key, hash_of(low, high), node);
    return node;
}

uint64_t *xs_hash_find(const struct xs_hash *table, uint64_t low, uint64_t high) {
    struct xs_hash_node *node = find(table, low, high);
    return node ? &node->entry.value : NULL;
}

void xs_hash_expect(const struct xs_hash *table, uint64_t low, uint64_t high) {
    if (!table->nodes)
        return;
    const UT_hash_table *uthash = table->nodes->hh.tbl;
    __builtin_prefetch(&uthash->buckets[hash_of(low, high) & (uthash->num_buckets - 1)]);
}

static uint64_t *put(struct xs_hash *table, uint64_t low, uint64_t high, size_t item_bytes) {
    struct xs_hash_node *node = find(table, low, high);
    if (node)
        return &node->entry.value;
    table->pool.item_bytes = sizeof *node + item_bytes;
    node = xs_pool_take(&table->pool);
    memset(node + 1, 0, item_bytes);
    node->entry = (struct xs_hash_entry){.low = low, .high = high, .value = item_bytes ? (uintptr_t)(node + 1) : 0};
    HASH_ADD_BYHASHVALUE(hh, table->nodes, entry.low, 2 * sizeof low, hash_of(low, high), node);
    table->count++;
    return &node->entry.value;
}

uint64_t *xs_hash_put(struct xs_hash *table, uint64_t low, uint64_t high) { return put(table, low, high, 0); }

void *xs_hash_item(struct xs_hash *table, uint64_t low, uint64_t high, size_t bytes) {
    return (void *)(uintptr_t)*put(table, low, high, bytes);
}

void xs_hash_remove(struct xs_hash *table, uint64_t low, uint64_t high) {
    struct xs_hash_node *node = find(table, low, high);
    if (!node)
        return;
    HASH_DELETE(hh, table->nodes, node);
    xs_pool_give(&table->pool, node);
    table->count--;
}

const struct xs_hash_entry *xs_hash_next(const struct xs_hash *table, const struct xs_hash_entry *entry) {
    const struct xs_hash_node *next = entry ? ((const struct xs_hash_node *)entry)->hh.next : table->nodes;
    return next ? &next->entry : NULL;
}

void xs_hash_free(struct xs_hash *table) {
    HASH_CLEAR(hh, table->nodes);
    xs_pool_free(&table->pool);
    *table = (struct xs_hash){0};
}
