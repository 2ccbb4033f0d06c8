/* The map of every range the driver knows (device, pinned, registered, managed, mapped), ordered by address. */
#include "sim.h"

#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct xs_allocation **entries;
static size_t count, room;
static _Atomic uint64_t ids;

uint64_t xs_next_id(void) { return atomic_fetch_add(&ids, 1) + 1; }

/* The index of the first entry that starts above the address. */
static size_t above(uintptr_t address) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (entries[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct xs_allocation *containing(uintptr_t address) {
    size_t i = above(address);
    if (i == 0)
        return NULL;
    struct xs_allocation *entry = entries[i - 1];
    return address - entry->base < entry->size || (entry->size == 0 && address == entry->base) ? entry : NULL;
}

bool xs_map_find(uintptr_t address, size_t bytes, struct xs_range *out) {
    bool fits = true;
    *out = (struct xs_range){.kind = XS_PAGEABLE, .device = -1};
    pthread_mutex_lock(&lock);
    struct xs_allocation *entry = containing(address);
    if (entry != NULL) {
        out->known = true;
        out->allocation = *entry;
        out->kind = entry->kind;
        out->device = entry->device;
        size_t left = entry->size - (address - entry->base);
        /* Adjoining mappings of one reservation are one range to a copy. */
        while (left < bytes && entry->mapping != NULL) {
            struct xs_allocation *next = containing(entry->base + entry->size);
            if (next == NULL || next->mapping == NULL)
                break;
            entry = next;
            left += entry->size;
        }
        fits = bytes <= left;
    }
    pthread_mutex_unlock(&lock);
    return fits;
}

int xs_map_add(const struct xs_allocation *allocation) {
    struct xs_allocation *entry = malloc(sizeof(*entry));
    if (entry == NULL)
        return -1;
    *entry = *allocation;
    pthread_mutex_lock(&lock);
    if (count == room) {
        size_t larger = room == 0 ? 256 : room * 2;
        struct xs_allocation **grown = realloc(entries, larger * sizeof(*grown));
        if (grown == NULL) {
            pthread_mutex_unlock(&lock);
            free(entry);
            return -1;
        }
        entries = grown;
        room = larger;
    }
    size_t i = above(entry->base);
    memmove(entries + i + 1, entries + i, (count - i) * sizeof(*entries));
    entries[i] = entry;
    count++;
    pthread_mutex_unlock(&lock);
    return 0;
}

bool xs_map_remove(uintptr_t base, unsigned kinds, struct xs_allocation *removed) {
    bool found = false;
    pthread_mutex_lock(&lock);
    size_t i = above(base);
    if (i > 0 && entries[i - 1]->base == base && (kinds & 1u << entries[i - 1]->kind) != 0) {
        found = true;
        *removed = *entries[i - 1];
        free(entries[i - 1]);
        memmove(entries + i - 1, entries + i, (count - i) * sizeof(*entries));
        count--;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

bool xs_map_update(uintptr_t address, void (*fn)(struct xs_allocation *allocation, void *data), void *data) {
    pthread_mutex_lock(&lock);
    struct xs_allocation *entry = containing(address);
    if (entry != NULL)
        fn(entry, data);
    pthread_mutex_unlock(&lock);
    return entry != NULL;
}

void xs_map_each(void (*fn)(struct xs_allocation *allocation, void *data), void *data) {
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        fn(entries[i], data);
    pthread_mutex_unlock(&lock);
}
