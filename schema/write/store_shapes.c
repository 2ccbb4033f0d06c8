/* Stores shapes: values that many rows of one kind share are stored once, and the rows refer to them. Programs repeat
 * themselves, so there are few shapes. Values that may differ in every row (sizes, addresses, sets of arguments) are
 * stored in the shape only if all values of the row were seen before; otherwise they are in the row itself. */
#include <stdlib.h>
#include <string.h>

#include "schema/write/store_internal.h"

/* A hash slot. A shape is identified by the 128-bit hash of its values. */
enum { NEW = 0, SEEN_ONCE = -1 };
struct xs_shape_entry {
    uint64_t hash[2];
    int64_t id; /* id of the shape's row, or NEW or SEEN_ONCE */
    bool used;
};

enum { FIRST_SLOTS = 256, MOST_SLOTS = 65536, MOST_MISSES = 1 << 18 };

static inline uint64_t rotated(uint64_t value) { return value << 29 | value >> 35; }

static void hash_of(enum xs_shape_kind kind, const struct xs_row_shape *shape, uint32_t set, uint64_t hash[2]) {
    uint64_t a = (uint64_t)kind + 1, b = (uint64_t)set + 1;
    for (unsigned i = 0; i < shape->count; i++) {
        uint64_t value = set >> i & 1 ? (uint64_t)shape->values[i] : 0;
        a = rotated((a ^ value) * 0x9e3779b97f4a7c15u);
        b = rotated((b + value) * 0xd6e8feb86659fd93u);
    }
    hash[0] = a * 0xff51afd7ed558ccdu ^ b >> 32;
    hash[0] ^= hash[0] >> 32;
    hash[1] = b * 0xc4ceb9fe1a85ec53u ^ a >> 32;
}

static struct xs_shape_entry *slot_of(const struct xs_shapes *shapes, const uint64_t hash[2]) {
    uint32_t i = (uint32_t)hash[0] & (shapes->slots - 1);
    while (shapes->entries[i].used && memcmp(shapes->entries[i].hash, hash, sizeof shapes->entries[i].hash) != 0)
        i = (i + 1) & (shapes->slots - 1);
    return &shapes->entries[i];
}

static bool grow(struct xs_shapes *shapes) {
    struct xs_shapes grown = {.slots = shapes->slots ? shapes->slots * 4 : FIRST_SLOTS};
    grown.entries = calloc(grown.slots, sizeof *grown.entries);
    if (!grown.entries)
        return false;
    for (uint32_t i = 0; i < shapes->slots; i++) {
        if (shapes->entries[i].used) {
            *slot_of(&grown, shapes->entries[i].hash) = shapes->entries[i];
            grown.count++;
        }
    }
    free(shapes->entries);
    *shapes = grown;
    return true;
}

/* Makes room for another entry; false: there is none. If the table cannot grow any more, it forgets the shapes that
 * were seen only once. If too few entries become free, no new shapes are remembered until there were MOST_MISSES
 * misses, so that the table is not cleaned again and again. Then the table begins empty, because the program may do
 * something else by now. */
static bool make_room(struct xs_shapes *shapes) {
    if (shapes->is_full && ++shapes->misses < MOST_MISSES)
        return false;
    if (shapes->is_full) {
        free(shapes->entries);
        *shapes = (struct xs_shapes){0};
    }
    if (shapes->count < shapes->slots / 2 || (shapes->slots < MOST_SLOTS && grow(shapes)))
        return true;
    struct xs_shapes kept = {.slots = shapes->slots};
    kept.entries = kept.slots ? calloc(kept.slots, sizeof *kept.entries) : NULL;
    if (!kept.entries)
        return false;
    for (uint32_t i = 0; i < shapes->slots; i++) {
        if (shapes->entries[i].used && shapes->entries[i].id > 0) {
            *slot_of(&kept, shapes->entries[i].hash) = shapes->entries[i];
            kept.count++;
        }
    }
    kept.is_full = kept.count > kept.slots / 8 * 3;
    free(shapes->entries);
    *shapes = kept;
    return !kept.is_full;
}

/* Returns the entry of a hash, and adds it if it is new; NULL: there is no room for a new one. */
static struct xs_shape_entry *find(struct xs_shapes *shapes, const uint64_t hash[2]) {
    struct xs_shape_entry *entry = shapes->slots ? slot_of(shapes, hash) : NULL;
    if (entry && entry->used)
        return entry;
    if (!make_room(shapes))
        return NULL;
    entry = slot_of(shapes, hash);
    *entry = (struct xs_shape_entry){{hash[0], hash[1]}, NEW, true};
    shapes->count++;
    return entry;
}

static const struct {
    uint32_t loose; /* bits of columns that may be in the row instead */
    const char *sql;
} kinds[] = {
    [XS_SHAPE_TRANSFER] = {XS_TRANSFER_SHAPE_IN_ROW, XS_TRANSFER_SHAPE_INSERT},
    [XS_SHAPE_LAUNCH] = {XS_LAUNCH_SHAPE_IN_ROW, XS_LAUNCH_SHAPE_INSERT},
    [XS_SHAPE_DEVICE_COPY] = {XS_DEVICE_COPY_SHAPE_IN_ROW, XS_DEVICE_COPY_SHAPE_INSERT},
    [XS_SHAPE_DEVICE_KERNEL] = {XS_DEVICE_KERNEL_SHAPE_IN_ROW, XS_DEVICE_KERNEL_SHAPE_INSERT},
};

static int insert(struct xs_store *store, enum xs_shape_kind kind, const struct xs_row_shape *shape, uint32_t set,
                  struct xs_shape_entry *entry) {
    struct xs_row row = xs_row_start(store, kinds[kind].sql);
    for (unsigned i = 0; i < shape->count; i++)
        xs_put_if(&row, set >> i & 1, shape->values[i]);
    store->intern_changed = true;
    int status = xs_row_insert(&row);
    entry->id = status ? NEW : sqlite3_last_insert_rowid(store->db);
    return status;
}

int xs_shape_find(struct xs_store *store, enum xs_shape_kind kind, struct xs_row_shape *shape, int64_t *id) {
    uint64_t hash[2];
    struct xs_shape_entry nowhere = {.id = NEW};
    shape->in_row = store->ledger ? shape->set & kinds[kind].loose : 0; /* so that the number of shapes stays small */
    hash_of(kind, shape, shape->set & ~shape->in_row, hash);
    struct xs_shape_entry *entry = find(&store->shapes, hash);
    if ((!entry || entry->id == NEW) && (shape->set & kinds[kind].loose & ~shape->in_row)) {
        if (entry)
            entry->id = SEEN_ONCE;
        shape->in_row = shape->set & kinds[kind].loose;
        hash_of(kind, shape, shape->set & ~shape->in_row, hash);
        entry = find(&store->shapes, hash);
    }
    entry = entry ? entry : &nowhere; /* there is no room, so the shape is written, but will not be found again */
    int status = entry->id > 0 ? XS_OK : insert(store, kind, shape, shape->set & ~shape->in_row, entry);
    *id = entry->id;
    return status;
}

int xs_shape_of_sum(struct xs_store *store, enum xs_shape_kind kind, struct xs_row_shape *shape, int64_t *id) {
    shape->set &= ~kinds[kind].loose;
    return xs_shape_find(store, kind, shape, id);
}

void xs_shapes_forget(struct xs_store *store) {
    free(store->shapes.entries);
    store->shapes = (struct xs_shapes){0};
}
