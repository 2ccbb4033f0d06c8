/* Maps addresses to the memory ranges that are known from the program's calls of the driver: device memory, pinned and
 * registered host memory, managed memory, mappings, and arrays (by their handle). A look-up in the map takes tens of
 * nanoseconds, whereas a query to the driver about a pageable pointer takes half a microsecond. Look-ups take no lock;
 * changes take the map's lock. */
#ifndef XFERSPY_PRELOAD_CORE_MEMORY_MAP_H
#define XFERSPY_PRELOAD_CORE_MEMORY_MAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/core/compiler.h"
#include "schema/format/kinds.h"

struct xs_memory_range {
    uint64_t start, end;   /* [start, end); an array is [handle, handle + 1) */
    uint64_t bytes;        /* size of the allocation, or of an array's contents */
    uint64_t context;      /* handle of the context in which it was allocated */
    uint32_t id;           /* id in the trace's table `allocation` */
    uint8_t kind;          /* enum xs_memory_kind */
    uint8_t origin;        /* enum xs_origin */
    int8_t device;         /* ordinal of the device; -1: the host */
    uint8_t element_bytes; /* for an array, bytes of one element; less than 128 */
    bool slow_to_read;     /* host memory that the processor does not cache: write-combined, or on another device */
};

/* Copies the range that holds `address` to *out. False: there is no such range. Any thread. Takes no lock at first, and
 * retries while a change is in progress. After many retries, takes the map's lock. A signal handler that interrupts a
 * change of the map on its own thread must not call this function, because the change would count as abandoned and
 * capture would end (core/lock.h). */
bool xs_map_find(uint64_t address, struct xs_memory_range *out);

/* The cached result of the latest look-up. It is valid for all addresses in [low, high) until the map changes. A zeroed
 * cache holds no result. Each cache belongs to one thread. */
struct xs_map_cache {
    uint64_t sequence, low, high;
    bool found;
    struct xs_memory_range range; /* valid if `found` is true */
};
extern _Atomic uint64_t xs_map_sequence; /* starts at 2; odd during a change */
void xs_map_find_slow(struct xs_map_cache *cache, uint64_t address);

/* Bounds [lowest, highest) of all ranges that are or ever were in the map. By comparing a word with these two bounds, a
 * caller can exclude most words that are not addresses. */
extern _Atomic uint64_t xs_map_lowest, xs_map_highest;

/* Does what xs_map_find does, but with a cache, because programs copy from and to the same buffers again and again.
 * NULL: no range holds `address`. */
XS_HOT const struct xs_memory_range *xs_map_find_cached(struct xs_map_cache *cache, uint64_t address) {
    if (XS_UNLIKELY(cache->sequence != atomic_load_explicit(&xs_map_sequence, memory_order_acquire) ||
                    address - cache->low >= cache->high - cache->low))
        xs_map_find_slow(cache, address);
    return cache->found ? &cache->range : NULL;
}

/* Adds a range. Removes all ranges that overlap the new one, because a call that xferspy did not see must have freed
 * them. False: the range is empty, there is no memory, or capture has ended. */
bool xs_map_insert(const struct xs_memory_range *range);

/* Removes the range that starts at `start`, and copies it to *out. False: there is no such range. */
bool xs_map_remove(uint64_t start, struct xs_memory_range *out);

/* Removes the lowest range for which `matches` returns true, and copies it to *out. False: there is no such range.
 * `matches` runs while the map's lock is held, so it must not use the map. */
bool xs_map_remove_if(bool (*matches)(const struct xs_memory_range *range, const void *arg), const void *arg,
                      struct xs_memory_range *out);

/* Removes one range that starts in [start, end), and copies it to *out. False: there is no such range. */
bool xs_map_remove_within(uint64_t start, uint64_t end, struct xs_memory_range *out);

size_t xs_map_count(void);

/* In a forked child: reinitializes the lock, because a thread that no longer exists may hold it. */
void xs_map_forget(void);

/* Empties the map, for tests. No other thread may use the map at the same time. */
void xs_map_clear(void);

#endif
