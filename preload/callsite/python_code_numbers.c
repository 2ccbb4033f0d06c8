/* Numbers code objects, and stores the lines of their instructions. Both tables have a fixed size, and are read and
 * filled without a lock. If there is no room left for a code object, it gets no number. */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "preload/callsite/python_copy.h"
#include "preload/core/notes.h"
#include "schema/format/event.h"

enum { CODES = 1 << 17, LINES = 1 << 17, PROBES = 64, TEXT_BYTES_MAX = 1024 };

enum { UNDEFINED, BEING_DEFINED, DEFINED };

struct code {
    _Atomic uint64_t key;    /* hash of address and identity; 0: free */
    _Atomic uint32_t number; /* 0: not chosen yet; the first thread that needs it chooses it */
    _Atomic uint32_t state;
};
struct line {
    _Atomic uint64_t key;  /* number and position; 0: free */
    _Atomic uint64_t line; /* line + (1 << 32); 0: not known yet */
};
static struct tables {
    struct code codes[CODES];
    struct line lines[LINES];
} * _Atomic tables;
static _Atomic uint32_t last_number;

/* Returns the tables; NULL: no memory. They are mapped, because the application may be inside its allocator. The kernel
 * allocates each page at its first use. */
static struct tables *tables_get(void) {
    struct tables *t = atomic_load_explicit(&tables, memory_order_acquire), *none = NULL;
    if (XS_LIKELY(t != NULL))
        return t;
    t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (t == MAP_FAILED)
        return NULL;
    if (!atomic_compare_exchange_strong_explicit(&tables, &none, t, memory_order_acq_rel, memory_order_acquire)) {
        munmap(t, sizeof *t);
        return none;
    }
    return t;
}

static uint64_t mixed(uint64_t h) {
    h = (h ^ h >> 30u) * UINT64_C(0xbf58476d1ce4e5b9);
    h = (h ^ h >> 27u) * UINT64_C(0x94d049bb133111eb);
    return h ^ h >> 31u;
}

/* True if the slot belongs to the key, or was free and now belongs to the key. */
static bool claim(_Atomic uint64_t *slot, uint64_t key) {
    uint64_t found = atomic_load_explicit(slot, memory_order_acquire);
    return found == key ||
           (found == 0 &&
            (atomic_compare_exchange_strong_explicit(slot, &found, key, memory_order_acq_rel, memory_order_acquire) ||
             found == key));
}

static struct code *code_slot(struct tables *t, uint64_t key) {
    for (unsigned i = 0; i < PROBES; i++) {
        struct code *c = &t->codes[(key + i) % CODES];
        if (claim(&c->key, key))
            return c;
    }
    return NULL;
}

static uint32_t number_of(struct code *c) {
    uint32_t number = atomic_load_explicit(&c->number, memory_order_acquire);
    if (number == 0) {
        uint32_t fresh = atomic_fetch_add_explicit(&last_number, 1, memory_order_relaxed) + 1;
        if (atomic_compare_exchange_strong_explicit(&c->number, &number, fresh, memory_order_acq_rel,
                                                    memory_order_acquire))
            number = fresh;
    }
    return number;
}

/* A code object to be read. */
struct source {
    const struct xs_python_frame *frame;
    struct xs_python_copy *copy; /* NULL: the object is read in place */
    uintptr_t at;                /* where it can be read; 0: not yet copied */
    bool is_gone;                /* it could not be copied */
};

/* Returns where the code object can be read; 0: it cannot be read. */
static uintptr_t readable(struct source *source) {
    if (!source->at)
        source->at = source->copy ? xs_python_copy_same_code(source->copy, source->frame) : source->frame->code;
    source->is_gone = !source->at;
    return source->at;
}

static bool define(uint32_t number, uintptr_t code, const struct xs_definer *definer) {
    const struct xs_python_layout *l = &xs_python.layout;
    struct {
        struct xs_define_code head;
        char text[2 * TEXT_BYTES_MAX];
    } d;
    int32_t first_line = xs_python_int(code + l->first_line);
    uintptr_t name = xs_python_word(code + (l->qualname ? l->qualname : l->name));
    size_t file = xs_python_text(d.text, TEXT_BYTES_MAX, xs_python_word(code + l->filename));
    size_t function = xs_python_text(d.text + file, TEXT_BYTES_MAX, name);
    d.head = (struct xs_define_code){first_line > 0 ? (uint32_t)first_line : 0, (uint32_t)file, (uint32_t)function};
    return definer->define(definer->to, XS_DEFINE_CODE, number, &d, sizeof d.head + file + function);
}

/* Returns the line of a position. It is computed once and then stored, unless there is no room. */
static uint32_t line_of(struct tables *t, uint32_t number, struct source *source) {
    uint32_t position = source->frame->position;
    uint64_t key = (uint64_t)number << 32u | position, slot = mixed(key);
    for (unsigned i = 0; i < PROBES; i++) {
        struct line *l = &t->lines[(slot + i) % LINES];
        if (claim(&l->key, key)) {
            uint64_t line = atomic_load_explicit(&l->line, memory_order_acquire);
            if (line == 0) {
                if (!readable(source))
                    return 0;
                line = (uint64_t)1 << 32u | xs_python_line(source->at, position);
                atomic_store_explicit(&l->line, line, memory_order_release);
            }
            return (uint32_t)line;
        }
    }
    return readable(source) ? xs_python_line(source->at, position) : 0;
}

static uint32_t code_of(struct source *source, uint32_t *line, const struct xs_definer *definer) {
    const struct xs_python_frame *frame = source->frame;
    *line = 0;
    struct tables *t = frame->code ? tables_get() : NULL;
    if (!t)
        return 0;
    uint64_t key = mixed(frame->code * UINT64_C(0x9e3779b97f4a7c15) ^ frame->identity);
    struct code *c = code_slot(t, key ? key : 1);
    if (!c) {
        static _Atomic bool told;
        if (!atomic_exchange(&told, true))
            xs_note("python", "more than %d functions and code objects: those that came last have no name", CODES / 2);
        return 0;
    }
    uint32_t number = number_of(c), state = UNDEFINED;
    /* Another thread, or code that a signal handler interrupted, may be defining the code now. The number is valid in
     * that case as well. */
    if (atomic_load_explicit(&c->state, memory_order_acquire) == UNDEFINED &&
        atomic_compare_exchange_strong(&c->state, &state, BEING_DEFINED)) {
        bool ok = readable(source) && define(number, source->at, definer);
        atomic_store_explicit(&c->state, ok ? DEFINED : UNDEFINED, memory_order_release);
    }
    *line = line_of(t, number, source);
    return number;
}

static bool define_in_spool(void *to, enum xs_definition what, uint32_t id, const void *data, size_t bytes) {
    return xs_define(to, what, id, data, bytes);
}

uint32_t xs_python_code(const struct xs_python_frame *frame, uint32_t *line, struct xs_event **e) {
    struct source source = {.frame = frame};
    return code_of(&source, line, &(struct xs_definer){define_in_spool, e});
}

uint32_t xs_python_code_of_other(const struct xs_python_frame *frame, struct xs_python_copy *copy, uint32_t *line,
                                 const struct xs_definer *definer) {
    struct source source = {.frame = frame, .copy = copy};
    uint32_t number = code_of(&source, line, definer);
    return source.is_gone ? 0 : number;
}

void xs_python_forget(void) {
    xs_python_find_forget();
    struct tables *t = atomic_load_explicit(&tables, memory_order_relaxed);
    if (t) /* makes all entries zero: the pages are private, and come back empty */
        madvise(t, sizeof *t, MADV_DONTNEED);
    atomic_store_explicit(&last_number, 0, memory_order_relaxed);
}
