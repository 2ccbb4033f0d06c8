/* Scans the parameters of a launch for pointers. It does not find pointers that lie in device memory, pointers in
 * another form (tensor maps, texture objects, differences), and pointers at odd offsets of packed structures. */
#include "preload/capture/arguments.h"

#include <string.h>

#include "preload/core/memory_map.h"
#include "preload/core/mix.h"
#include "preload/core/notes.h"
#include "preload/core/thread.h"
#include "preload/core/thread_memory.h"

bool xs_arguments_on;

/* Cached results of the memory map, including gaps between allocations, in a hash table by the address. There are slots
 * for 512 bytes, for small allocations next to each other, and slots for 2 MiB, for the segments of caching allocators,
 * in which every launch has other addresses. */
#define NEAR 64u
#define FAR 32u
struct answer {
    uint64_t low, bytes; /* 0: being written */
    uint32_t sequence;   /* lower half of the map's sequence; results are replaced long before 2^31 changes */
    uint32_t allocation; /* 0: no allocation that is recorded */
};

/* Sets of earlier launches, by their addresses, because programs repeat their launches. The program's work between two
 * launches displaces data from the processor's nearest caches. A known launch reads only one cache line of this table,
 * or two if there are many addresses; finding the set without this table reads a dozen. */
#define KNOWN 512u
#define KNOWN_ADDRESSES 14u
struct known {
    uint64_t sequence; /* sequence of the map; 0: none */
    uint32_t count, set;
    uint64_t addresses[KNOWN_ADDRESSES];
};
_Static_assert(sizeof(struct known) == 128, "two lines of the cache");

/* The memory of each thread (core/thread_memory.h). The known sets are kept; the addresses and ids belong to one
 * launch. */
struct memory {
    struct known known[KNOWN];
    struct answer near[NEAR][2], far[FAR];
    uint64_t addresses[XS_ARGUMENTS_MOST];
    uint32_t ids[XS_ARGUMENTS_MOST];
};

struct pointers {
    uint64_t low, bytes; /* address range of all allocations */
    uint64_t sequence;   /* sequence of the map when the scan began */
    unsigned addresses;  /* addresses found that are not looked up yet */
    unsigned count;      /* number of allocations found */
    bool has_more;       /* there were more addresses than fit, so the first ones have already been looked up */
    struct memory *memory;
};

static bool counts(const struct xs_map_cache *answer) {
    if (!answer->found)
        return false;
    switch (answer->range.kind) {
    case XS_MEM_DEVICE:
    case XS_MEM_MANAGED:
    case XS_MEM_PINNED:
    case XS_MEM_REGISTERED:
        return true;
    default:
        return false; /* an array, which has a handle and no address */
    }
}

/* Writes a result of the cache. `bytes` is 0 meanwhile, so that it is not used if a signal handler jumps away
 * meanwhile. */
static void write_answer(struct answer *to, const struct answer *answer) {
    to->bytes = 0;
    atomic_signal_fence(memory_order_seq_cst);
    to->low = answer->low;
    to->sequence = answer->sequence;
    to->allocation = answer->allocation;
    atomic_signal_fence(memory_order_seq_cst);
    to->bytes = answer->bytes;
}

static __attribute__((noinline)) uint32_t ask_map(uint64_t address, struct answer *near, struct answer *far) {
    struct xs_map_cache range;
    xs_map_find_slow(&range, address);
    const struct answer before = near[0], answer = {range.low, range.high - range.low, (uint32_t)range.sequence,
                                                    counts(&range) ? range.range.id : 0};
    write_answer(&near[1], &before);
    write_answer(&near[0], &answer);
    write_answer(far, &answer);
    return answer.allocation;
}

XS_HOT bool answers(const struct answer *a, uint64_t address, uint32_t sequence) {
    return address - a->low < a->bytes && a->sequence == sequence;
}

/* Returns the allocation that holds an address; 0: no allocation that is recorded. */
XS_HOT uint32_t look_up(struct memory *memory, uint64_t address, uint32_t sequence) {
    struct answer *near = memory->near[(address >> 9) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (NEAR - 1)];
    struct answer *far = &memory->far[(address >> 21) * UINT64_C(0x9e3779b97f4a7c15) >> 32 & (FAR - 1)];
    return XS_LIKELY(answers(&near[0], address, sequence)) ? near[0].allocation
           : answers(&near[1], address, sequence)          ? near[1].allocation
           : XS_LIKELY(answers(far, address, sequence))    ? far->allocation
                                                           : ask_map(address, near, far);
}

static void look_up_all(struct pointers *p) {
    struct memory *memory = p->memory;
    unsigned addresses = p->addresses, count = p->count;
    for (unsigned i = 0; i < addresses; i++) {
        uint32_t allocation = look_up(memory, memory->addresses[i], (uint32_t)p->sequence);
        if (allocation != 0) {
            if (XS_LIKELY(count < XS_ARGUMENTS_MOST))
                memory->ids[count] = allocation;
            count++;
        }
    }
    p->count = count;
}

XS_HOT void look_at(struct pointers *p, const void *at) {
    uint64_t address;
    memcpy(&address, at, sizeof address);
    if (XS_LIKELY(address - p->low >= p->bytes))
        return; /* not a pointer to an allocation */
    if (XS_UNLIKELY(p->addresses == XS_ARGUMENTS_MOST)) {
        look_up_all(p);
        p->addresses = 0;
        p->has_more = true;
    }
    p->memory->addresses[p->addresses++] = address;
}

/* Returns the hash slot of these addresses; NULL: there are too many. */
XS_HOT struct known *place_of(const struct pointers *p) {
    uint64_t h = p->addresses;
    if (p->addresses > KNOWN_ADDRESSES || p->has_more)
        return NULL;
    for (unsigned i = 0; i < p->addresses; i++)
        h += (p->memory->addresses[i] ^ i) * (UINT64_C(0x9e3779b97f4a7c15) + 2 * i);
    return &p->memory->known[(h ^ h >> 32) * UINT64_C(0xd6e8feb86659fd93) >> 32 & (KNOWN - 1)];
}

XS_HOT bool is_known(const struct known *known, const struct pointers *p) {
    if (known->sequence != p->sequence || known->count != p->addresses)
        return false;
    for (unsigned i = 0; i < p->addresses; i++)
        if (known->addresses[i] != p->memory->addresses[i])
            return false;
    return true;
}

#define MOST_BYTES 32768u /* the largest size that a kernel's parameters can have together */

struct buffer {
    const char *start;
    size_t bytes;
};

/* Returns the buffer of all parameters that `extra` describes; its start is NULL if there is none. */
static struct buffer buffer_of(void **extra) {
    struct buffer b = {NULL, 0};
    while (*extra != CU_LAUNCH_PARAM_END) {
        if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER)
            b.start = extra[1];
        else if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE)
            memcpy(&b.bytes, extra[1], sizeof b.bytes);
        else
            return (struct buffer){NULL, 0}; /* an option of a newer CUDA, after which the words may not be pairs */
        extra += 2;
    }
    return b;
}

/* Scans a buffer of all parameters. If there is no layout, every aligned word is checked. */
static bool scan_buffer(struct pointers *p, const struct xs_layout *layout, void **extra) {
    struct buffer b = buffer_of(extra);
    if (!b.start)
        return layout && layout->count == 0;
    if (!layout) {
        for (size_t at = 0; at + sizeof(uint64_t) <= b.bytes && at < MOST_BYTES; at += 8)
            look_at(p, b.start + at);
        return true;
    }
    for (uint32_t i = 0; i < layout->count; i++) {
        if (layout->positions[i].packed + sizeof(uint64_t) > b.bytes)
            return false;
        look_at(p, b.start + layout->positions[i].packed);
    }
    return true;
}

/* Scans the parameters of a launch. False: they could not be read. */
static bool scan(struct pointers *p, CUfunction function, void **params, void **extra) {
    const struct xs_layout *layout = xs_layout_of(function);
    if (XS_UNLIKELY(extra && !params))
        return scan_buffer(p, layout, extra);
    if (XS_UNLIKELY(!layout || (!params && layout->count > 0)))
        return false;
    for (uint32_t i = 0; i < layout->count; i++)
        look_at(p, (const char *)params[layout->positions[i].parameter] + layout->positions[i].offset);
    return true;
}

/* Sorts the ids. Most launches have few pointers, so that one pass of insertion sort is enough. */
static void sort(uint32_t *ids, unsigned count) {
    static const unsigned gaps[] = {132, 57, 23, 10, 4, 1};
    for (unsigned g = count > 10 ? 0 : 5; g < sizeof gaps / sizeof gaps[0]; g++) {
        for (unsigned i = gaps[g]; i < count; i++) {
            uint32_t id = ids[i];
            unsigned at = i;
            for (; at >= gaps[g] && ids[at - gaps[g]] > id; at -= gaps[g])
                ids[at] = ids[at - gaps[g]];
            ids[at] = id;
        }
    }
}

/* Moves the distinct ids of an ascending list to the front. */
static unsigned distinct(uint32_t *ids, unsigned count) {
    unsigned kept = 0;
    for (unsigned i = 0; i < count; i++)
        if (kept == 0 || ids[kept - 1] != ids[i])
            ids[kept++] = ids[i];
    return kept;
}

static uint64_t hash_of(const uint32_t *ids, unsigned count) {
    uint64_t h = count;
    for (unsigned i = 0; i < count; i++)
        h = xs_mix_word(h, ids[i]);
    return h;
}

/* Writes the number of the scanned set into the event. A new set is defined by events before it. */
static struct xs_event *number(struct xs_event *e, struct pointers *p) {
    uint32_t *ids = p->memory->ids;
    look_up_all(p);
    if (XS_UNLIKELY(p->count > XS_ARGUMENTS_MOST)) {
        static _Atomic bool noted;
        if (!atomic_exchange_explicit(&noted, true, memory_order_relaxed))
            xs_note("arguments", "not seen of launches with more than %u pointers", XS_ARGUMENTS_MOST);
        return e;
    }
    sort(ids, p->count);
    unsigned count = distinct(ids, p->count);
    uint64_t hash = hash_of(ids, count);
    e->argument_set = xs_set_find(ids, count, hash);
    return XS_LIKELY(e->argument_set != 0) ? e : xs_set_add(e, ids, count, hash);
}

/* Stores a set with its number, which stays valid even if argument_sets.c has emptied its table. If the map has changed
 * since the scan began, the entry is never found. `sequence` is 0 while the entry is being written, so that it is not
 * used if a signal handler jumps away meanwhile. */
static void remember(struct known *known, const struct pointers *p, uint32_t set) {
    known->sequence = 0;
    atomic_signal_fence(memory_order_seq_cst);
    known->count = p->addresses;
    known->set = set;
    memcpy(known->addresses, p->memory->addresses, p->addresses * sizeof known->addresses[0]);
    atomic_signal_fence(memory_order_seq_cst);
    known->sequence = p->sequence;
}

struct xs_event *xs_arguments_record(struct xs_event *e, CUfunction function, void **params, void **extra) {
    struct pointers p = {.memory = xs_thread_memory_of(XS_PART_ARGUMENTS, sizeof *p.memory)};
    if (XS_UNLIKELY(!p.memory))
        return e;
    p.sequence = atomic_load_explicit(&xs_map_sequence, memory_order_acquire);
    p.low = atomic_load_explicit(&xs_map_lowest, memory_order_relaxed);
    p.bytes = atomic_load_explicit(&xs_map_highest, memory_order_relaxed) - p.low;
    if (XS_UNLIKELY(!scan(&p, function, params, extra)))
        return e;
    struct known *known = place_of(&p);
    if (XS_LIKELY(known && is_known(known, &p))) {
        e->argument_set = known->set;
        return e;
    }
    e = number(e, &p);
    if (known && e->argument_set)
        remember(known, &p, e->argument_set);
    return e;
}

void xs_arguments_functions_go(void) { xs_layouts_drop(); }

void xs_arguments_forget(void) {
    struct memory *memory = xs_thread_memory[XS_PART_ARGUMENTS].memory;
    for (unsigned i = 0; memory && i < KNOWN; i++)
        if (memory->known[i].sequence) /* pages without entries are not written, and stay shared with the parent */
            memory->known[i].sequence = 0;
    xs_layouts_forget();
    xs_sets_forget();
}
