/* Remembers the device sides of copies. */
#include "preload/repair/origins.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "preload/repair/reasons.h"
#include "preload/repair/repair_plan.h"

/* One noted copy. One thread at a time writes an entry, and any thread reads it. `version` is odd during a write, and
 * has a new even value afterwards. If a signal handler jumps out of a write, `version` remains odd and the entry is
 * never used again. */
struct entry {
    struct xs_copy_id copy;   /* the copy as the plan names it; constant */
    _Atomic uint64_t version; /* 0: the copy was not seen */
    _Atomic uint64_t host, device, bytes, moment, start, context;
    _Atomic uint32_t id;
};

/* With a plan, the entries are sorted by `copy`. Without a plan, an entry's index is the hash of the host address. */
enum { HOST_ENTRIES = 1024 };
static struct entry *entries;
static unsigned entry_count;

static int compare_copies(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->copy.thread != y->copy.thread)
        return x->copy.thread < y->copy.thread ? -1 : 1;
    return (x->copy.ordinal > y->copy.ordinal) - (x->copy.ordinal < y->copy.ordinal);
}

bool xs_origins_start(void) {
    unsigned lines = 0, made = 0;
    const struct xs_plan_line *line = xs_plan_lines(XS_REPAIR_STAY_ON_DEVICE, &lines);
    unsigned room = xs_plan_mode == XS_PLAN_ABSENT ? HOST_ENTRIES : lines;
    if (room == 0)
        return true;
    struct entry *all = mmap(NULL, room * sizeof *all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return false;
    for (unsigned i = 0; i < lines; i++)
        if (line[i].has_from)
            all[made++].copy = line[i].from;
    if (made > 1)
        qsort(all, made, sizeof *all, compare_copies);
    unsigned kept = 0; /* each copy once */
    for (unsigned i = 0; i < made; i++)
        if (kept == 0 || compare_copies(&all[kept - 1], &all[i]) != 0)
            all[kept++].copy = all[i].copy;
    entry_count = xs_plan_mode == XS_PLAN_ABSENT ? HOST_ENTRIES : kept;
    entries = all;
    return true;
}

static struct entry *entry_of_id(const struct xs_copy_id *id) {
    struct entry key = {.copy = *id};
    return entry_count ? bsearch(&key, entries, entry_count, sizeof *entries, compare_copies) : NULL;
}

static struct entry *entry_of_host(uint64_t host) {
    return &entries[(host * UINT64_C(0x9e3779b97f4a7c15) >> 40) % HOST_ENTRIES];
}

static struct entry *entry_of(const struct xs_repair_copy *copy) {
    if (!entries)
        return NULL;
    return xs_plan_mode == XS_PLAN_ABSENT ? entry_of_host(copy->host) : entry_of_id(&copy->id);
}

/* Begins to write the entry. False: another thread is writing it. */
static bool begin(struct entry *e, uint64_t *version) {
    *version = atomic_load(&e->version);
    return !(*version & 1) && atomic_compare_exchange_strong(&e->version, version, *version + 1);
}

void xs_origins_saw(const struct xs_repair_copy *copy, uint64_t moment) {
    struct entry *e = entry_of(copy);
    uint64_t version;
    if (!e || !begin(e, &version))
        return;
    atomic_store(&e->host, copy->host);
    atomic_store(&e->device, copy->device);
    atomic_store(&e->bytes, copy->range.start == copy->range.end ? 0 : copy->bytes); /* 0: allocation not known */
    atomic_store(&e->moment, moment);
    atomic_store(&e->start, copy->range.start);
    atomic_store(&e->id, copy->range.id);
    atomic_store(&e->context, (uint64_t)(uintptr_t)copy->context);
    atomic_store(&e->version, version + 2);
}

void xs_origins_failed(const struct xs_repair_copy *copy) {
    struct entry *e = entry_of(copy);
    uint64_t version;
    if (e && begin(e, &version)) {
        atomic_store(&e->bytes, 0);
        atomic_store(&e->version, version + 2);
    }
}

/* True if the origin's memory is still the same allocation. After a free, another allocation may have its address. */
static bool is_alive(const struct xs_repair_origin *origin, uint64_t start, uint32_t id) {
    struct xs_memory_range range;
    return xs_map_find(origin->device, &range) && range.start == start && range.id == id &&
           origin->device + origin->bytes <= range.end;
}

static const char *read_entry(const struct entry *e, const struct xs_repair_copy *copy, bool by_host,
                              struct xs_repair_origin *origin) {
    uint64_t version = atomic_load(&e->version);
    uint64_t host = atomic_load(&e->host), start = atomic_load(&e->start), context = atomic_load(&e->context);
    uint32_t id = atomic_load(&e->id);
    *origin = (struct xs_repair_origin){atomic_load(&e->device), atomic_load(&e->bytes), atomic_load(&e->moment)};
    if (version == 0 || version & 1 || atomic_load(&e->version) != version || origin->bytes == 0 ||
        (by_host && host != copy->host))
        return XS_WHY_NOT_SEEN;
    if (origin->bytes < copy->bytes)
        return "the origin has fewer bytes";
    if (context != (uint64_t)(uintptr_t)copy->context)
        return XS_WHY_OTHER_CONTEXT;
    return is_alive(origin, start, id) ? NULL : "the origin was freed";
}

const char *xs_origins_at(const struct xs_copy_id *id, const struct xs_repair_copy *copy,
                          struct xs_repair_origin *origin) {
    const struct entry *e = entry_of_id(id);
    return e ? read_entry(e, copy, false, origin) : XS_WHY_NOT_SEEN;
}

const char *xs_origins_of_host(const struct xs_repair_copy *copy, struct xs_repair_origin *origin) {
    return read_entry(entry_of_host(copy->host), copy, true, origin);
}
