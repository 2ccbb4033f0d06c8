/* The map of memory ranges that the driver made known: device memory, pinned and registered host memory, managed
 * memory, mappings, and arrays (by their handle). It answers in tens of nanoseconds what a query of the driver about
 * a pageable pointer takes half a microsecond for. Look-ups take no lock; changes take a lock of the map's own. */
#ifndef XFERSPY_PRELOAD_CORE_MEMORY_MAP_H
#define XFERSPY_PRELOAD_CORE_MEMORY_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "schema/format/kinds.h"

struct xs_range {
    uint64_t start, end;   /* [start, end); an array is [handle, handle + 1) */
    uint64_t bytes;        /* of the allocation; of an array its contents */
    uint64_t context;      /* handle of the context it was made in */
    uint32_t id;           /* allocation.id */
    uint8_t kind;          /* enum xs_memory_kind */
    uint8_t origin;        /* enum xs_origin */
    int8_t device;         /* ordinal, -1: host */
    uint8_t element_bytes; /* of an array; less than 128 */
    bool slow_to_read;     /* host memory that the processor does not cache: write-combined, or of another device */
};

/* Copies the range that holds `address` to *out. False: there is none. Any thread. Takes no lock, and repeats while
 * a change is under way; after many repetitions it waits for the change under the map's lock. A signal handler that
 * interrupts a change of its own thread must not call this: the change would count as one that was left, and capture
 * would end (core/lock.h). */
bool xs_map_find(uint64_t address, struct xs_range *out);

/* The answer for one address, kept for the next address nearby: it is true for all of [low, high) as long as the map
 * does not change. A cache that is all zeros has no answer yet. Each cache belongs to one thread. */
struct xs_map_cache {
    uint64_t sequence, low, high;
    bool found;
    struct xs_range range; /* where found */
};
extern _Atomic uint64_t xs_map_sequence; /* odd while a change is under way, from 2 */
void xs_map_find_slow(struct xs_map_cache *cache, uint64_t address);

/* Everything that is in the map, or ever was, lies in [lowest, highest). So a word that is no address at all is
 * recognised by two comparisons. */
extern _Atomic uint64_t xs_map_lowest, xs_map_highest;

/* xs_map_find with a cache, because programs copy from and to the same buffers again and again. */
XS_HOT const struct xs_range *xs_map_find_cached(struct xs_map_cache *cache, uint64_t address) {
    if (XS_UNLIKELY(cache->sequence != atomic_load_explicit(&xs_map_sequence, memory_order_acquire) ||
                    address - cache->low >= cache->high - cache->low)) {
        xs_map_find_slow(cache, address);
    }
    return cache->found ? &cache->range : NULL;
}

/* Adds a range. Ranges that it overlaps are removed: the call that freed them was not seen. False: memory is short. */
bool xs_map_insert(const struct xs_range *range);

/* Takes out the range that starts at `start` and copies it to *out. False: there is none. */
bool xs_map_remove(uint64_t start, struct xs_range *out);

/* Takes out one range for which `matches` holds, the lowest first. False: there is none, or none any more. `matches`
 * is called under the map's lock, so it must not use the map. */
bool xs_map_remove_if(bool (*matches)(const struct xs_range *range, const void *arg), const void *arg,
                      struct xs_range *out);

/* Takes out one range that starts in [start, end). False: there is none. */
bool xs_map_remove_within(uint64_t start, uint64_t end, struct xs_range *out);

size_t xs_map_count(void);

/* In a forked child: makes the lock anew, which a thread that is not there may hold. */
void xs_map_forget(void);

/* Empties the map; for tests. No other thread may use it meanwhile. */
void xs_map_clear(void);

#endif
