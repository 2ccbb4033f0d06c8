/* Keeps the tables of names and ranges, both with open addressing. A thread that adds an entry fills it first and then
 * puts its number into a slot, so an entry that can be found is complete. If another thread takes the slot first, the
 * entry is never used. */
#include "preload/nvtx/nvtx_ranges.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include "preload/core/alternate_stack.h"
#include "preload/core/mix.h"
#include "preload/core/race_detector.h"

enum {
    NAME_SLOTS = 2 * XS_RANGE_NAMES_MOST,
    RANGE_SLOTS = 2 * XS_RANGES_MOST,
    TEXT_BYTES = 6 << 20,
    UNIT_BYTES = 8, /* a name's number is its position in `text`, in units of this size */
    OTHER_DOMAINS = XS_RANGE_DOMAINS - 1
};

/* One range may contain at most 1/SHARE_OF_A_PARENT of the numbers that are still free. So if a program gives the range
 * of each step another name, there is still space for the ranges inside these ranges, and inside their "(others)". */
enum { SHARE_OF_A_PARENT = 8 };

struct name {
    uint32_t hash;
    uint16_t bytes;
    char text[];
};

struct range {
    uint32_t parent;
    xs_range_name name;
    uint8_t domain;
    _Atomic uint8_t told;
    _Atomic uint32_t children;
};

struct tables {
    _Atomic uint32_t next_unit, names, next_range;
    xs_range_name others;
    uint32_t other_ranges; /* used if there is no space even for an "(others)" inside the parent */
    _Atomic xs_range_name domains[XS_RANGE_DOMAINS]; /* names of the domains */
    _Atomic xs_range_name name_slots[NAME_SLOTS];
    _Atomic uint32_t range_slots[RANGE_SLOTS];
    struct range ranges[XS_RANGES_MOST]; /* by number; 0 means "no range", around the outermost ranges */
    /* A handle that xferspy did not return may point anywhere into this array, and is then read as a name. */
    _Alignas(UNIT_BYTES) char text[TEXT_BYTES + sizeof(struct name) + UINT16_MAX];
};

static _Atomic(struct tables *) shared_tables;
_Atomic xs_range_name xs_range_asked;
static _Atomic bool asked_has_numbers;

static struct tables *tables(void) { return atomic_load_explicit(&shared_tables, memory_order_acquire); }

size_t xs_ranges_bytes(void) { return sizeof(struct tables); }

static const struct name *name_at(const struct tables *t, xs_range_name number) {
    return (const struct name *)(const void *)(t->text + (size_t)number * UNIT_BYTES);
}

static uint32_t hash_text(const char *text, size_t bytes) {
    uint64_t hash = bytes, word = 0;
    if (bytes >= sizeof word) {
        for (size_t i = 0; i + sizeof word < bytes; i += sizeof word) {
            memcpy(&word, text + i, sizeof word);
            hash = xs_mix_word(hash, word);
        }
        memcpy(&word, text + (bytes - sizeof word), sizeof word); /* overlaps the previous word */
    } else {
        for (size_t i = 0; i < bytes; i++)
            word = word << 8 | (uint8_t)text[i];
    }
    return (uint32_t)xs_mix_word(hash, word);
}

/* Returns the length of the part of the name that is kept. */
static size_t text_bytes(const char *text) {
    size_t bytes = strnlen(text, XS_RANGE_NAME_BYTES + 1);
    if (bytes > XS_RANGE_NAME_BYTES) {
        bytes = XS_RANGE_NAME_BYTES;
        while (bytes && ((uint8_t)text[bytes] & 0xc0) == 0x80) /* in the middle of a character */
            bytes--;
    }
    return bytes;
}

/* True if the name has this text. Threads synchronize names by atomic operations that a race detector in the program
 * does not see. */
static bool is_text(const struct name *name, const char *text, size_t bytes) {
    xs_race_detector_ignore();
    bool is = memcmp(name->text, text, bytes) == 0;
    xs_race_detector_watch();
    return is;
}

static void copy_text(char *to, const char *text, size_t bytes) {
    xs_race_detector_ignore();
    memcpy(to, text, bytes);
    xs_race_detector_watch();
}

/* Finds the name, or the hash slot for it. */
static xs_range_name find_name(struct tables *t, const char *text, size_t bytes, uint32_t hash, uint32_t *slot) {
    xs_range_name found;
    for (*slot = hash % NAME_SLOTS; (found = atomic_load_explicit(&t->name_slots[*slot], memory_order_acquire));
         *slot = (*slot + 1) % NAME_SLOTS) {
        const struct name *name = name_at(t, found);
        if (name->hash == hash && name->bytes == bytes && is_text(name, text, bytes))
            return found;
    }
    return 0;
}

static xs_range_name new_name(struct tables *t, const char *text, size_t bytes, uint32_t hash) {
    uint32_t units = (uint32_t)((sizeof(struct name) + bytes + UNIT_BYTES - 1) / UNIT_BYTES);
    /* Both are checked before they are increased, because they would otherwise overflow in a program that uses ever new
     * names. */
    if (atomic_load_explicit(&t->names, memory_order_relaxed) >= XS_RANGE_NAMES_MOST ||
        atomic_load_explicit(&t->next_unit, memory_order_relaxed) + units > TEXT_BYTES / UNIT_BYTES)
        return 0;
    atomic_fetch_add_explicit(&t->names, 1, memory_order_relaxed);
    uint32_t number = atomic_fetch_add_explicit(&t->next_unit, units, memory_order_relaxed);
    if (number + units > TEXT_BYTES / UNIT_BYTES)
        return 0;
    struct name *name = (struct name *)(void *)(t->text + (size_t)number * UNIT_BYTES);
    name->hash = hash;
    name->bytes = (uint16_t)bytes;
    copy_text(name->text, text, bytes);
    return number;
}

static xs_range_name intern(struct tables *t, const char *text, size_t bytes, uint32_t hash) {
    uint32_t slot;
    xs_range_name fresh = 0, found;
    while (!(found = find_name(t, text, bytes, hash, &slot))) {
        if (!fresh && !(fresh = new_name(t, text, bytes, hash)))
            return t->others;
        if (atomic_compare_exchange_strong_explicit(&t->name_slots[slot], &found, fresh, memory_order_acq_rel,
                                                    memory_order_acquire))
            return fresh;
    }
    return found;
}

xs_range_name xs_range_name_of(const char *text) {
    text = text ? text : "";
    size_t bytes = text_bytes(text);
    return intern(tables(), text, bytes, hash_text(text, bytes));
}

static uint32_t find_range(struct tables *t, uint32_t parent, unsigned domain, xs_range_name name, uint32_t *slot) {
    uint32_t found;
    for (*slot = (uint32_t)xs_mix_word(xs_mix_word(parent, domain), name) % RANGE_SLOTS;
         (found = atomic_load_explicit(&t->range_slots[*slot], memory_order_acquire));
         *slot = (*slot + 1) % RANGE_SLOTS) {
        const struct range *range = &t->ranges[found];
        if (range->parent == parent && range->name == name && range->domain == domain)
            return found;
    }
    return 0;
}

static uint32_t add_range(struct tables *t, uint32_t parent, unsigned domain, xs_range_name name) {
    uint32_t slot, fresh = 0, found;
    while (!(found = find_range(t, parent, domain, name, &slot))) {
        if (!fresh) {
            if (atomic_load_explicit(&t->next_range, memory_order_relaxed) >= XS_RANGES_MOST ||
                (fresh = atomic_fetch_add_explicit(&t->next_range, 1, memory_order_relaxed)) >= XS_RANGES_MOST)
                return t->other_ranges;
            t->ranges[fresh].parent = parent;
            t->ranges[fresh].domain = (uint8_t)domain;
            t->ranges[fresh].name = name;
        }
        if (atomic_compare_exchange_strong_explicit(&t->range_slots[slot], &found, fresh, memory_order_acq_rel,
                                                    memory_order_acquire)) {
            atomic_fetch_add_explicit(&t->ranges[parent].children, 1, memory_order_relaxed);
            return fresh;
        }
    }
    return found;
}

/* True if there is space for another range inside `parent`. The range that the user requests keeps its name as long as
 * there is any space. */
static bool has_room(struct tables *t, uint32_t parent, xs_range_name name) {
    uint32_t next = atomic_load_explicit(&t->next_range, memory_order_relaxed);
    return next < XS_RANGES_MOST && (atomic_load_explicit(&t->ranges[parent].children, memory_order_relaxed) <
                                         (XS_RANGES_MOST - next) / SHARE_OF_A_PARENT ||
                                     (name && name == atomic_load_explicit(&xs_range_asked, memory_order_relaxed)));
}

/* True if the text is the requested name with a number in place of each #. */
static bool is_numbered(const struct name *asked, const char *text, size_t bytes) {
    size_t at = 0;
    for (unsigned i = 0; i < asked->bytes; i++) {
        size_t digits = 0;
        while (asked->text[i] == '#' && at + digits < bytes && text[at + digits] >= '0' && text[at + digits] <= '9')
            digits++;
        if (!digits && (at == bytes || text[at] != asked->text[i]))
            return false;
        at += digits ? digits : 1;
    }
    return at == bytes;
}

/* Returns the requested name if `text` is this name with a number in place of each #, otherwise 0. */
static xs_range_name name_without_numbers(const struct tables *t, const char *text, size_t bytes) {
    xs_range_name asked = atomic_load_explicit(&xs_range_asked, memory_order_relaxed);
    return is_numbered(name_at(t, asked), text, bytes) ? asked : 0;
}

uint32_t xs_range_number(uint32_t parent, unsigned domain, xs_range_name name) {
    uint32_t slot;
    struct tables *t = tables();
    if (XS_UNLIKELY(atomic_load_explicit(&asked_has_numbers, memory_order_relaxed))) {
        xs_range_name asked = name_without_numbers(t, name_at(t, name)->text, name_at(t, name)->bytes);
        name = asked ? asked : name;
    }
    uint32_t found = find_range(t, parent, domain, name, &slot);
    return found ? found : add_range(t, parent, domain, has_room(t, parent, name) ? name : t->others);
}

uint32_t xs_range_number_of(uint32_t parent, unsigned domain, const char *text) {
    uint32_t slot, hash, found = 0;
    struct tables *t = tables();
    text = text ? text : "";
    size_t bytes = text_bytes(text);
    if (XS_UNLIKELY(atomic_load_explicit(&asked_has_numbers, memory_order_relaxed)) &&
        (found = name_without_numbers(t, text, bytes)))
        return xs_range_number(parent, domain, found);
    hash = hash_text(text, bytes);
    xs_range_name name = find_name(t, text, bytes, hash, &slot);
    if (name && (found = find_range(t, parent, domain, name, &slot)))
        return found;
    name = !has_room(t, parent, name) ? t->others : name ? name : intern(t, text, bytes, hash);
    return add_range(t, parent, domain, name);
}

uint32_t xs_range_inside(uint32_t parent, uint32_t number) {
    const struct range *range = &tables()->ranges[number];
    return !number || range->parent == parent ? number : xs_range_number(parent, range->domain, range->name);
}

void xs_range_ask(const char *text) {
    atomic_store(&xs_range_asked, xs_range_name_of(text));
    atomic_store(&asked_has_numbers, strchr(text, '#') != NULL);
}

bool xs_range_is_asked(uint32_t number) {
    xs_range_name asked = atomic_load_explicit(&xs_range_asked, memory_order_relaxed);
    return asked && tables()->ranges[number].name == asked;
}

unsigned xs_range_domain(const char *text) {
    struct tables *t = tables();
    xs_range_name name = xs_range_name_of(text);
    for (unsigned i = 1; i < OTHER_DOMAINS; i++) {
        xs_range_name there = atomic_load_explicit(&t->domains[i], memory_order_acquire);
        if (there == name ||
            (!there && (atomic_compare_exchange_strong(&t->domains[i], &there, name) || there == name)))
            return i;
    }
    return OTHER_DOMAINS;
}

void *xs_range_name_handle(xs_range_name name) { return tables()->text + (size_t)name * UNIT_BYTES; }

xs_range_name xs_range_name_by_handle(const void *handle) {
    struct tables *t = tables();
    size_t at = (uintptr_t)handle - (uintptr_t)t->text;
    return at < (size_t)atomic_load_explicit(&t->next_unit, memory_order_relaxed) * UNIT_BYTES && at < TEXT_BYTES &&
                   at % UNIT_BYTES == 0
               ? (xs_range_name)(at / UNIT_BYTES)
               : 0;
}

void *xs_range_domain_handle(unsigned domain) { return domain ? &tables()->domains[domain] : NULL; }

unsigned xs_range_domain_by_handle(const void *handle) {
    struct tables *t = tables();
    size_t at = (uintptr_t)handle - (uintptr_t)t->domains;
    return at < sizeof t->domains && at % sizeof *t->domains == 0 ? (unsigned)(at / sizeof *t->domains) : 0;
}

/* wchar_t is UTF-32 here; values that are not characters become U+FFFD. */
const char *xs_range_utf8(const wchar_t *text, char utf8[XS_RANGE_NAME_BYTES + 1]) {
    size_t n = 0;
    for (; text && *text; text++) {
        uint32_t c = (uint32_t)*text;
        if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
            c = 0xfffd;
        unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        if (n + 1 + more > XS_RANGE_NAME_BYTES)
            break;
        static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
        utf8[n++] = (char)(first[more] | c >> 6 * more);
        while (more--)
            utf8[n++] = (char)(0x80 | (c >> 6 * more & 0x3f));
    }
    utf8[n] = '\0';
    return utf8;
}

/* Copies a name. The lengths are checked, because the number may come from a handle that xferspy did not return. */
static uint32_t put_name(uint8_t *to, const struct tables *t, xs_range_name number) {
    const struct name *name = name_at(t, number);
    uint32_t bytes = name->bytes < XS_RANGE_NAME_BYTES ? name->bytes : XS_RANGE_NAME_BYTES;
    copy_text((char *)to, name->text, bytes);
    return bytes;
}

static bool tell(struct xs_event **e, const struct tables *t, uint32_t number) {
    struct {
        struct xs_define_range head;
        uint8_t text[2 * XS_RANGE_NAME_BYTES];
    } definition;
    const struct range *range = &t->ranges[number];
    uint32_t bytes = put_name(definition.text, t, t->domains[range->domain]);
    definition.head.parent = range->parent;
    definition.head.domain_bytes = bytes;
    definition.head.name_bytes = put_name(definition.text + bytes, t, range->name);
    return xs_define(e, XS_DEFINE_RANGE, number, &definition,
                     sizeof definition.head + bytes + definition.head.name_bytes);
}

struct telling {
    struct xs_event **event;
    uint32_t number;
};

/* First marks the innermost range as written, so that no other thread also writes it. If one of the ranges cannot be
 * written, removes the mark. */
static void tell_all(void *arg) {
    struct telling *telling = arg;
    struct xs_event **e = telling->event;
    uint32_t number = telling->number;
    struct tables *t = tables();
    bool all = true;
    for (uint32_t i = number; i && all; i = t->ranges[i].parent) {
        if (!atomic_exchange_explicit(&t->ranges[i].told, 1, memory_order_relaxed) && !tell(e, t, i)) {
            atomic_store_explicit(&t->ranges[i].told, 0, memory_order_relaxed);
            all = false;
        }
    }
    if (!all)
        atomic_store_explicit(&t->ranges[number].told, 0, memory_order_relaxed);
}

void xs_range_tell(struct xs_event **e, uint32_t number) {
    struct telling telling = {e, number};
    if (XS_UNLIKELY(!atomic_load_explicit(&tables()->ranges[number].told, memory_order_relaxed)))
        xs_on_scratch(tell_all, &telling);
}

bool xs_ranges_prepare(void) {
    struct tables *none = NULL, *t;
    if (tables())
        return true;
    t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (t == MAP_FAILED)
        return false;
    madvise(t, sizeof *t, MADV_NOHUGEPAGE); /* most programs use only a few pages of it */
    t->next_range = 1;
    t->next_unit = 1; /* name 0 is the empty name, whose bytes are zero */
    t->others = intern(t, "(others)", 8, hash_text("(others)", 8));
    t->other_ranges = XS_RANGES_MOST - 1;
    t->other_ranges = add_range(t, 0, 0, t->others);
    t->domains[OTHER_DOMAINS] = t->others;
    if (!atomic_compare_exchange_strong(&shared_tables, &none, t))
        munmap(t, sizeof *t);
    return true;
}
