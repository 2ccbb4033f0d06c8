/* Scans the parameters of a launch for pointers. It does not see pointers that lie in device memory, pointers that
 * are stored in another form (tensor maps, texture objects, differences), and pointers at odd places of packed
 * structs. */
#include "preload/capture/arguments.h"

#include <string.h>

#include "preload/core/memory_map.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"
#include "preload/core/thread_memory.h"

bool xs_arguments_on;

/* Answers of the memory map, gaps between allocations among them, by the place of the address that asked: places of
 * 512 bytes for small allocations side by side, places of 2 MiB for the segments of caching allocators, in which every
 * launch has other addresses. */
#define NEAR 64u
#define FAR 32u
struct answer {
    uint64_t low, bytes;
    uint32_t sequence;   /* of the map, its lower half: what is 2^31 changes old is not in here any more */
    uint32_t allocation; /* 0: none that counts */
};

/* A thread has one (core/thread_memory.h). The answers stay, the ids are of one launch. */
struct memory {
    struct answer near[NEAR][2], far[FAR];
    uint32_t ids[XS_ARGUMENTS_MOST];
};

struct pointers {
    uint64_t low, bytes; /* where there are allocations at all */
    uint32_t sequence;   /* of the map, as the scan began */
    unsigned count;
    struct memory *memory;
};

static bool counts(const struct xs_map_cache *answer) {
    if (!answer->found) {
        return false;
    }
    switch (answer->range.kind) {
    case XS_MEM_DEVICE:
    case XS_MEM_MANAGED:
    case XS_MEM_PINNED:
    case XS_MEM_REGISTERED:
        return true;
    default:
        return false; /* an array, by its handle: no address */
    }
}

static __attribute__((noinline)) uint32_t ask_map(uint64_t address, struct answer *near, struct answer *far) {
    struct xs_map_cache range;
    xs_map_find_slow(&range, address);
    uint32_t allocation = counts(&range) ? range.range.id : 0;
    near[1] = near[0];
    near[0] = (struct answer){range.low, range.high - range.low, (uint32_t)range.sequence, allocation};
    *far = near[0];
    return allocation;
}

XS_HOT bool answers(const struct answer *a, uint64_t address, uint32_t sequence) {
    return address - a->low < a->bytes && a->sequence == sequence;
}

XS_HOT void look_at(struct pointers *p, const void *place) {
    uint64_t address;
    memcpy(&address, place, sizeof address);
    if (XS_LIKELY(address - p->low >= p->bytes)) {
        return; /* no pointer, or null */
    }
    struct answer *near = p->memory->near[(address >> 9) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (NEAR - 1)];
    struct answer *far = &p->memory->far[(address >> 21) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (FAR - 1)];
    uint32_t allocation = XS_LIKELY(answers(&near[0], address, p->sequence)) ? near[0].allocation
                          : answers(&near[1], address, p->sequence)          ? near[1].allocation
                          : XS_LIKELY(answers(far, address, p->sequence))    ? far->allocation
                                                                             : ask_map(address, near, far);
    if (allocation != 0) {
        if (XS_LIKELY(p->count < XS_ARGUMENTS_MOST)) {
            p->memory->ids[p->count] = allocation;
        }
        p->count++;
    }
}

#define MOST_BYTES 32768u /* of parameters that any kernel has */

struct buffer {
    const char *start;
    size_t bytes;
};

/* The buffer of all parameters, as `extra` gives it; start NULL: there is none. */
static struct buffer buffer_of(void **extra) {
    struct buffer b = {NULL, 0};
    while (*extra != CU_LAUNCH_PARAM_END) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) {
            b.start = extra[1];
        } else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) {
            memcpy(&b.bytes, extra[1], sizeof b.bytes);
        } else {
            return (struct buffer){NULL, 0}; /* a word of a newer CUDA; what follows it may be no pair */
        }
        extra += 2;
    }
    return b;
}

/* Without a layout every aligned word of a buffer is looked at. */
static bool scan_buffer(struct pointers *p, const struct xs_layout *layout, void **extra) {
    struct buffer b = buffer_of(extra);
    if (!b.start) {
        return layout && layout->count == 0;
    }
    if (!layout) {
        for (size_t at = 0; at + sizeof(uint64_t) <= b.bytes && at < MOST_BYTES; at += 8) {
            look_at(p, b.start + at);
        }
        return true;
    }
    for (uint32_t i = 0; i < layout->count; i++) {
        if (layout->places[i].packed + sizeof(uint64_t) > b.bytes) {
            return false;
        }
        look_at(p, b.start + layout->places[i].packed);
    }
    return true;
}

/* False: not seen. */
static bool scan(struct pointers *p, CUfunction function, void **params, void **extra) {
    const struct xs_layout *layout = xs_layout_of(function);
    if (XS_UNLIKELY(extra && !params)) {
        return scan_buffer(p, layout, extra);
    }
    if (XS_UNLIKELY(!layout || (!params && layout->count > 0))) {
        return false;
    }
    for (uint32_t i = 0; i < layout->count; i++) {
        look_at(p, (const char *)params[layout->places[i].parameter] + layout->places[i].offset);
    }
    return true;
}

/* Launches have few pointers, and then one pass of insertion sort is all of it. */
static void sort(uint32_t *ids, unsigned count) {
    static const unsigned gaps[] = {132, 57, 23, 10, 4, 1};
    for (unsigned g = count > 10 ? 0 : 5; g < sizeof gaps / sizeof gaps[0]; g++) {
        for (unsigned i = gaps[g]; i < count; i++) {
            uint32_t id = ids[i];
            unsigned at = i;
            for (; at >= gaps[g] && ids[at - gaps[g]] > id; at -= gaps[g]) {
                ids[at] = ids[at - gaps[g]];
            }
            ids[at] = id;
        }
    }
}

/* The distinct ones of ascending ids come to the front. */
static unsigned distinct(uint32_t *ids, unsigned count) {
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++) {
        if (kept == 0 || ids[kept - 1] != ids[i]) {
            ids[kept++] = ids[i];
        }
    }
    return kept;
}

static uint64_t hash_of(const uint32_t *ids, unsigned count) {
    uint64_t h = count;
    for (unsigned i = 0; i < count; i++) {
        h = (h ^ ids[i]) * UINT64_C(0x9e3779b97f4a7c15);
        h ^= h >> 32;
    }
    return h;
}

struct xs_event *xs_arguments_record(struct xs_event *e, CUfunction function, void **params, void **extra) {
    struct pointers p = {.memory = xs_thread_memory_of(XS_PART_ARGUMENTS, sizeof *p.memory)};
    if (XS_UNLIKELY(!p.memory)) {
        return e;
    }
    uint32_t *ids = p.memory->ids;
    p.sequence = (uint32_t)atomic_load_explicit(&xs_map_sequence, memory_order_acquire);
    p.low = atomic_load_explicit(&xs_map_lowest, memory_order_relaxed);
    p.bytes = atomic_load_explicit(&xs_map_highest, memory_order_relaxed) - p.low;
    if (XS_UNLIKELY(!scan(&p, function, params, extra))) {
        return e;
    }
    if (XS_UNLIKELY(p.count > XS_ARGUMENTS_MOST)) {
        static _Atomic bool noted;
        if (!atomic_exchange_explicit(&noted, true, memory_order_relaxed)) {
            xs_note("arguments", "not seen of launches with more than %u pointers", XS_ARGUMENTS_MOST);
        }
        return e;
    }
    sort(ids, p.count);
    unsigned count = distinct(ids, p.count);
    uint64_t hash = hash_of(ids, count);
    e->argument_set = xs_set_find(ids, count, hash);
    return XS_LIKELY(e->argument_set != 0) ? e : xs_set_add(e, ids, count, hash);
}

void xs_arguments_functions_go(void) { xs_layouts_drop(); }

void xs_arguments_forget(void) {
    xs_layouts_forget();
    xs_sets_forget();
}
