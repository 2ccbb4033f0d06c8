/* The map is a sorted array of two levels, a directory of leaves, protected by a sequence lock. A look-up is two binary
 * searches, which are repeated if the map changed during them. Readers may still read a leaf or directory that a change
 * has replaced. So neither is ever freed: leaves go to a free list, and directories that have become too small are
 * kept. Each new directory has twice the size of the old one, so the old ones together are no larger than the present
 * one. */
#define _GNU_SOURCE /* a mutex that checks for errors */
#include "preload/core/memory_map.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/lock.h"
#include "preload/core/signals.h"

#define LEAF_RANGES 128u
#define TRIES 1000u
#define WORDS 5u /* start, end, bytes, context, the rest */

struct leaf {
    _Atomic uint32_t count;
    _Atomic uint64_t words[LEAF_RANGES][WORDS];
    struct leaf *next_free;
};

struct directory {
    uint32_t capacity;
    _Atomic uint32_t count;
    _Atomic(struct leaf *) leaves[];
};

static struct xs_open_lock map_lock = XS_OPEN_LOCK_INITIALIZER;
static bool signals_wait; /* signals are blocked since the present change has allocated memory */
static uint64_t signals_before;
_Atomic uint64_t xs_map_sequence = 2;
_Atomic uint64_t xs_map_lowest = UINT64_MAX, xs_map_highest = UINT64_MAX;
static _Atomic(struct directory *) map_directory;
static struct leaf *free_leaves;
static size_t map_size;

#define LOAD(x) atomic_load_explicit(&(x), memory_order_relaxed)
#define STORE(x, v) atomic_store_explicit(&(x), (v), memory_order_relaxed)
/* These macros read and write the pointers to leaves. A thread that follows such a pointer sees the leaf at least as it
 * was when the pointer was published. */
#define FOLLOW(x) atomic_load_explicit(&(x), memory_order_acquire)
#define PUBLISH(x, v) atomic_store_explicit(&(x), (v), memory_order_release)

static uint64_t pack(const struct xs_memory_range *r) {
    return (uint64_t)r->id | (uint64_t)r->kind << 32 | (uint64_t)r->origin << 40 | (uint64_t)(uint8_t)r->device << 48 |
           (uint64_t)(r->element_bytes & 0x7f) << 56 | (uint64_t)r->slow_to_read << 63;
}

static void load_range(struct leaf *leaf, uint32_t i, struct xs_memory_range *out) {
    uint64_t rest = LOAD(leaf->words[i][4]);
    *out = (struct xs_memory_range){.start = LOAD(leaf->words[i][0]),
                                    .end = LOAD(leaf->words[i][1]),
                                    .bytes = LOAD(leaf->words[i][2]),
                                    .context = LOAD(leaf->words[i][3]),
                                    .id = (uint32_t)rest,
                                    .kind = (uint8_t)(rest >> 32),
                                    .origin = (uint8_t)(rest >> 40),
                                    .device = (int8_t)(rest >> 48),
                                    .element_bytes = (uint8_t)(rest >> 56 & 0x7f),
                                    .slow_to_read = rest >> 63};
}

static void store_range(struct leaf *leaf, uint32_t i, const struct xs_memory_range *r) {
    STORE(leaf->words[i][0], r->start);
    STORE(leaf->words[i][1], r->end);
    STORE(leaf->words[i][2], r->bytes);
    STORE(leaf->words[i][3], r->context);
    STORE(leaf->words[i][4], pack(r));
}

static void move_range(struct leaf *to, uint32_t ti, struct leaf *from, uint32_t fi) {
    for (uint32_t w = 0; w < WORDS; w++)
        STORE(to->words[ti][w], LOAD(from->words[fi][w]));
}

/* Returns the index of the last leaf whose first range starts at or below `address`; 0 if all start above it. */
static uint32_t find_leaf(struct directory *d, uint32_t count, uint64_t address) {
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        struct leaf *leaf = FOLLOW(d->leaves[middle]);
        if (!leaf || LOAD(leaf->words[0][0]) > address)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Returns the number of ranges of the leaf that start at or below `address`. */
static uint32_t find_slot(struct leaf *leaf, uint32_t count, uint64_t address) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (LOAD(leaf->words[middle][0]) <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void note_gap(struct xs_map_cache *c, uint64_t low, uint64_t high) {
    c->found = false;
    c->low = low;
    c->high = high;
}

/* Returns the start of the next range from this slot on, where a gap between ranges ends. */
static uint64_t next_start(struct directory *d, uint32_t leaves, uint32_t li, struct leaf *leaf, uint32_t slot) {
    if (slot < LOAD(leaf->count) && slot < LEAF_RANGES)
        return LOAD(leaf->words[slot][0]);
    struct leaf *next = li + 1 < leaves ? FOLLOW(d->leaves[li + 1]) : NULL;
    return next ? LOAD(next->words[0][0]) : UINT64_MAX;
}

static void find_once(struct xs_map_cache *c, uint64_t address) {
    struct directory *d = atomic_load_explicit(&map_directory, memory_order_acquire);
    uint32_t leaves = d ? LOAD(d->count) : 0;
    uint32_t li = leaves ? find_leaf(d, leaves, address) : 0;
    struct leaf *leaf = leaves ? FOLLOW(d->leaves[li]) : NULL;
    if (!leaf) {
        note_gap(c, 0, UINT64_MAX);
        return;
    }
    uint32_t slot = find_slot(leaf, LOAD(leaf->count), address);
    c->low = 0;
    if (slot > 0) {
        load_range(leaf, slot - 1, &c->range);
        c->low = c->range.start;
        c->high = c->range.end;
        c->found = address < c->high;
        if (c->found)
            return;
        c->low = c->high;
    }
    note_gap(c, c->low, next_start(d, leaves, li, leaf, slot));
}

void xs_map_find_slow(struct xs_map_cache *cache, uint64_t address) {
    for (unsigned tries = 0; tries < TRIES; tries++) {
        uint64_t before = atomic_load_explicit(&xs_map_sequence, memory_order_acquire);
        if (before & 1)
            continue;
        find_once(cache, address);
        atomic_thread_fence(memory_order_acquire);
        if (LOAD(xs_map_sequence) == before) {
            cache->sequence = before;
            return;
        }
    }
    /* The change takes very long, perhaps because this thread prevents the changing thread from running. */
    *cache = (struct xs_map_cache){0};
    if (xs_open_lock(&map_lock)) {
        find_once(cache, address);
        cache->sequence = LOAD(xs_map_sequence);
        xs_open_unlock(&map_lock);
    }
}

bool xs_map_find(uint64_t address, struct xs_memory_range *out) {
    struct xs_map_cache cache;
    xs_map_find_slow(&cache, address);
    if (cache.found)
        *out = cache.range;
    return cache.found;
}

/* Begins a change of the map. False: capture has ended. */
static bool change_begin(void) {
    if (!xs_open_lock(&map_lock))
        return false;
    STORE(xs_map_sequence, LOAD(xs_map_sequence) + 1);
    atomic_thread_fence(memory_order_release);
    return true;
}

static void change_end(void) {
    bool waited = signals_wait;
    uint64_t before = signals_before;
    signals_wait = false;
    atomic_store_explicit(&xs_map_sequence, LOAD(xs_map_sequence) + 1, memory_order_release);
    xs_open_unlock(&map_lock);
    if (waited)
        xs_signals_let(&before);
}

struct request {
    size_t bytes;
    void *memory;
};

static void allocate_on_scratch(void *arg) {
    struct request *r = arg;
    r->memory = calloc(1, r->bytes);
}

/* The application may have its own allocator, which needs an unknown amount of stack and takes time. Signals are
 * therefore blocked from here until the change is over, because their handlers may jump away. */
static void *allocate(size_t bytes) {
    struct request r = {bytes, NULL};
    if (!signals_wait) {
        xs_signals_hold(&signals_before);
        signals_wait = true;
    }
    xs_on_scratch(allocate_on_scratch, &r);
    return r.memory;
}

static struct leaf *new_leaf(void) {
    struct leaf *leaf = free_leaves;
    if (leaf) {
        free_leaves = leaf->next_free;
        return leaf;
    }
    return allocate(sizeof *leaf);
}

/* Returns a directory that has space for one more leaf; NULL: there is no memory. */
static struct directory *roomy_directory(void) {
    struct directory *d = LOAD(map_directory);
    if (d && LOAD(d->count) < d->capacity)
        return d;
    uint32_t capacity = d ? d->capacity * 2 : 64;
    struct directory *grown = allocate(sizeof *grown + capacity * sizeof grown->leaves[0]);
    if (!grown)
        return NULL;
    grown->capacity = capacity;
    uint32_t count = d ? LOAD(d->count) : 0;
    for (uint32_t i = 0; i < count; i++)
        PUBLISH(grown->leaves[i], FOLLOW(d->leaves[i]));
    STORE(grown->count, count);
    atomic_store_explicit(&map_directory, grown, memory_order_release);
    return grown; /* the old one is not freed, because a reader may be using it */
}

static void remove_slot(struct directory *d, uint32_t li, uint32_t slot) {
    struct leaf *leaf = FOLLOW(d->leaves[li]);
    uint32_t count = LOAD(leaf->count) - 1;
    for (uint32_t i = slot; i < count; i++)
        move_range(leaf, i, leaf, i + 1);
    STORE(leaf->count, count);
    map_size--;
    if (count > 0)
        return;
    uint32_t leaves = LOAD(d->count) - 1;
    for (uint32_t i = li; i < leaves; i++)
        PUBLISH(d->leaves[i], FOLLOW(d->leaves[i + 1]));
    STORE(d->count, leaves);
    leaf->next_free = free_leaves;
    free_leaves = leaf;
}

/* Finds the range that holds `address`, or otherwise the next range above it. */
static bool locate(uint64_t address, uint32_t *li, uint32_t *slot, struct xs_memory_range *out) {
    struct directory *d = LOAD(map_directory);
    uint32_t leaves = d ? LOAD(d->count) : 0;
    if (leaves == 0)
        return false;
    *li = find_leaf(d, leaves, address);
    struct leaf *leaf = FOLLOW(d->leaves[*li]);
    *slot = find_slot(leaf, LOAD(leaf->count), address);
    if (*slot > 0) {
        load_range(leaf, *slot - 1, out);
        if (address < out->end) {
            (*slot)--;
            return true;
        }
    }
    if (*slot == LOAD(leaf->count)) {
        if (++*li == leaves)
            return false;
        leaf = FOLLOW(d->leaves[*li]);
        *slot = 0;
    }
    load_range(leaf, *slot, out);
    return true;
}

static void remove_overlaps(uint64_t start, uint64_t end) {
    uint32_t li, slot;
    struct xs_memory_range r;
    while (locate(start, &li, &slot, &r) && r.start < end)
        remove_slot(LOAD(map_directory), li, slot);
}

/* Splits a full leaf into two halves. False: there is no memory. */
static bool split_leaf(uint32_t li) {
    struct directory *d = roomy_directory();
    struct leaf *right = d ? new_leaf() : NULL;
    if (!right)
        return false;
    struct leaf *left = FOLLOW(d->leaves[li]);
    for (uint32_t i = 0; i < LEAF_RANGES / 2; i++)
        move_range(right, i, left, LEAF_RANGES / 2 + i);
    STORE(right->count, LEAF_RANGES / 2);
    STORE(left->count, LEAF_RANGES / 2);
    uint32_t leaves = LOAD(d->count);
    for (uint32_t i = leaves; i > li + 1; i--)
        PUBLISH(d->leaves[i], FOLLOW(d->leaves[i - 1]));
    PUBLISH(d->leaves[li + 1], right);
    STORE(d->count, leaves + 1);
    return true;
}

static void widen_bounds(const struct xs_memory_range *range) {
    if (LOAD(xs_map_lowest) == LOAD(xs_map_highest) || range->end > LOAD(xs_map_highest))
        STORE(xs_map_highest, range->end);
    if (range->start < LOAD(xs_map_lowest))
        STORE(xs_map_lowest, range->start);
}

static bool insert_locked(const struct xs_memory_range *range) {
    remove_overlaps(range->start, range->end);
    widen_bounds(range);
    struct directory *d = LOAD(map_directory);
    if (!d || LOAD(d->count) == 0) {
        d = roomy_directory();
        struct leaf *first = d ? new_leaf() : NULL;
        if (!first)
            return false;
        STORE(first->count, 0);
        PUBLISH(d->leaves[0], first);
        STORE(d->count, 1);
    }
    uint32_t li = find_leaf(d, LOAD(d->count), range->start);
    if (LOAD(FOLLOW(d->leaves[li])->count) == LEAF_RANGES) {
        if (!split_leaf(li))
            return false;
        d = LOAD(map_directory);
        li = find_leaf(d, LOAD(d->count), range->start);
    }
    struct leaf *leaf = FOLLOW(d->leaves[li]);
    uint32_t count = LOAD(leaf->count), slot = find_slot(leaf, count, range->start);
    for (uint32_t i = count; i > slot; i--)
        move_range(leaf, i, leaf, i - 1);
    store_range(leaf, slot, range);
    STORE(leaf->count, count + 1);
    map_size++;
    return true;
}

bool xs_map_insert(const struct xs_memory_range *range) {
    if (range->end <= range->start)
        return false;
    if (!change_begin())
        return false;
    bool inserted = insert_locked(range);
    change_end();
    return inserted;
}

bool xs_map_remove(uint64_t start, struct xs_memory_range *out) {
    uint32_t li, slot;
    if (!change_begin())
        return false;
    bool found = locate(start, &li, &slot, out) && out->start == start;
    if (found)
        remove_slot(LOAD(map_directory), li, slot);
    change_end();
    return found;
}

bool xs_map_remove_within(uint64_t start, uint64_t end, struct xs_memory_range *out) {
    uint32_t li, slot;
    if (!change_begin())
        return false;
    bool found = locate(start, &li, &slot, out);
    if (found && out->start < start)
        found = locate(out->end, &li, &slot, out);
    found = found && out->start < end;
    if (found)
        remove_slot(LOAD(map_directory), li, slot);
    change_end();
    return found;
}

bool xs_map_remove_if(bool (*matches)(const struct xs_memory_range *range, const void *arg), const void *arg,
                      struct xs_memory_range *out) {
    bool found = false;
    if (!change_begin())
        return false;
    struct directory *d = LOAD(map_directory);
    for (uint32_t li = 0; d && !found && li < LOAD(d->count); li++) {
        struct leaf *leaf = FOLLOW(d->leaves[li]);
        for (uint32_t slot = 0; !found && slot < LOAD(leaf->count); slot++) {
            load_range(leaf, slot, out);
            if (matches(out, arg)) {
                remove_slot(d, li, slot);
                found = true;
            }
        }
    }
    change_end();
    return found;
}

size_t xs_map_count(void) {
    size_t n = 0;
    if (xs_open_lock(&map_lock)) {
        n = map_size;
        xs_open_unlock(&map_lock);
    }
    return n;
}

void xs_map_forget(void) {
    xs_open_lock_make(&map_lock);
    signals_wait = false;
}

void xs_map_clear(void) {
    if (change_begin()) {
        remove_overlaps(0, UINT64_MAX);
        change_end();
    }
}
